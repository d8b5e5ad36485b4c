"""The text of a user's solver file, up to the lines where a test inserts a mistake."""

import textwrap

HEAD = '''"""A solver with a mistake."""

import numpy as np

from spcabench.iterate import Iterate, Traits

TRAITS = Traits(control="cardinality")
EXAMPLE = dict(k=3)


'''


def text_of(body, start="def solve(problem, *, k):"):
    """Return the file of a solver whose body is in line 13 and the following ones."""
    return f"{HEAD}{start}\n    A = np.ones((3, 4))\n{textwrap.indent(body, '    ')}\n"
