"""Check the two proofs of docs/bounds.md at full length: `python -m tests.run_proofs`.

1. The bound of one matrix and the scaled Gershgorin dual are never below the optimum from brute
force: for random and optimised matrices, with and without fixed variables, at all cardinalities of
2,000 problems, some of them with x >= 0.

2. The exact search equals brute force in 500 cases, from good and poor incumbents, by each of its
steps: the tree and the two dual bounds.

The test suite makes the same checks on fewer problems.
"""

import sys
from itertools import cycle, product
from time import process_time

import pytest

from tests import problems
from tests.methods.test_dual import blocks
from tests.methods.test_exact_search import ENGINES, prove
from tests.methods.test_splitting import check
from tests.problems import FAMILIES

BOUND_SEEDS, BLOCK_SEEDS, SEARCH_SEEDS = 90, 100, 25
SAID = 50  # problems between two lines


def bounds_hold():
    """Check all bounds, and yield after each problem."""
    for nonnegative in (False, True):
        for family, seed in product(FAMILIES, range(1000, 1000 + BOUND_SEEDS)):
            check(problems.explicit(problems.problem(family, seed)[0]), seed, nonnegative)
            yield
        for seed in range(BLOCK_SEEDS):
            check(blocks(seed), seed, nonnegative)
            yield


def searches_end():
    """Prove all cardinalities by each step of the search, and yield after each case."""
    cases = product(FAMILIES, range(1000, 1000 + SEARCH_SEEDS), (False, True))
    for (family, seed, poor), engine in zip(cases, cycle(ENGINES)):
        with pytest.MonkeyPatch.context() as patch:
            for (module, name), value in ENGINES[engine].items():
                patch.setattr(module, name, value)
            prove(problems.explicit(problems.problem(family, seed)[0]), poor)
        yield


if __name__ == "__main__":
    for proof in (bounds_hold, searches_end):
        if len(sys.argv) == 1 or proof.__name__ in sys.argv:
            start = process_time()
            for count, _ in enumerate(proof(), 1):
                if count % SAID == 0:
                    seconds = process_time() - start
                    print(f"{proof.__name__}: {count} problems, {seconds:.0f} s", flush=True)
