"""Lists the statements that can fail and have no made-up rows."""

from spcabench import registry
from tests import controls

missing = {name: controls.without(name) for name in registry.names("figure")}
for figure, names in missing.items():
    if names:
        print(f"{figure}: {', '.join(names)}")
print(f"{sum(map(len, missing.values()))} statements without made-up rows")
