"""Check the two proofs of docs/bounds.md at full length: `python -m tests.run_proofs`.

1. The bound of one matrix and the scaled Gershgorin dual are never below the optimum from brute
force: for random and optimised matrices, with and without fixed variables, at all cardinalities of
2,000 problems, some of them with x >= 0.

2. The exact search equals brute force in 500 cases, from good and poor incumbents, with and without
its first tree, compiled or by NumPy, and the search that fixes variables.

The test suite makes the same checks on fewer problems.
"""

import sys
from itertools import product
from time import process_time

from spcabench.methods.exact_search import branch_and_bound, gershgorin_part
from tests import problems
from tests.methods.test_dual import blocks, check_bounds
from tests.methods.test_dual_search import prove
from tests.methods.test_splitting import check_splitting
from tests.problems import FAMILIES

BOUND_SEEDS, BLOCK_SEEDS, SEARCH_SEEDS = 90, 100, 25
SAID = 50  # problems between two lines


def bounds_hold():
    """Check all bounds, and yield after each problem."""
    for nonnegative in (False, True):
        for family, seed in product(FAMILIES, range(1000, 1000 + BOUND_SEEDS)):
            S = problems.explicit(problems.problem(family, seed)[0])
            check_bounds(S, seed, nonnegative)
            check_splitting(S, seed, nonnegative)
            yield
        for seed in range(BLOCK_SEEDS):
            check_bounds(blocks(seed)[0], seed, nonnegative)
            check_splitting(blocks(seed)[0], seed, nonnegative)
            yield


def searches_end():
    """Prove all cardinalities, and yield after each case."""
    trial, promising = branch_and_bound.TRIAL, branch_and_bound.PROMISING
    nodes = branch_and_bound.NODES
    narrow, root = branch_and_bound.NARROW, gershgorin_part.ROOT
    head_start, branch_and_bound.NARROW = branch_and_bound.HEAD_START, 1.0
    gershgorin_part.ROOT = 1  # or nothing is left to divide
    for family, seed, poor in product(FAMILIES, range(1000, 1000 + SEARCH_SEEDS), (False, True)):
        with_tree = bool(seed % 2)
        branch_and_bound.NODES = nodes if seed % 4 == 1 else 0
        branch_and_bound.TRIAL = trial if with_tree else 0.0
        branch_and_bound.PROMISING = promising if with_tree else 0.0
        branch_and_bound.HEAD_START = head_start if seed % 3 else 0.0
        prove(problems.explicit(problems.problem(family, seed)[0]), poor)
        yield
    branch_and_bound.TRIAL, branch_and_bound.PROMISING = trial, promising
    branch_and_bound.NARROW, gershgorin_part.ROOT = narrow, root
    branch_and_bound.HEAD_START, branch_and_bound.NODES = head_start, nodes


if __name__ == "__main__":
    for proof in (bounds_hold, searches_end):
        if len(sys.argv) == 1 or proof.__name__ in sys.argv:
            start = process_time()
            for count, _ in enumerate(proof(), 1):
                if count % SAID == 0:
                    seconds = process_time() - start
                    print(f"{proof.__name__}: {count} problems, {seconds:.0f} s", flush=True)
