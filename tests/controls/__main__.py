"""List the statements that lack made-up rows near their threshold or a trivial competitor."""

from spcabench import registry
from tests import controls

lacking = {f: names for f in registry.names("figure") if (names := controls.without(f))}
for figure, names in lacking.items():
    print(f"{figure}: {', '.join(names)}")
if not lacking:
    print("nothing lacks a control")
