"""Block-diagonal preprocessing for any solver, which treats small covariances as zero.

Del Pia, Zhou, Zhu, "Efficient sparse PCA via block-diagonalization", ICLR 2025,
doi:10.48550/arXiv.2410.14092: two variables are in the same block if covariances above eps link
them, directly or through other variables. The solver runs on each block, and the best of its
answers is returned. If the solver is exact, the value of this answer is at most k eps below the
optimum, because the blocks are unchanged and the dropped part E of the covariance satisfies
x'Ex <= eps ||x||_1^2 <= k eps.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from spcabench.errors import InputError
from spcabench.flops import uncharged
from spcabench.methods.eliminate import connected_parts
from spcabench.problem.covariance import Covariance
from spcabench.problem.data import Data
from spcabench.problem.problem import Problem
from spcabench.solving.result import Result
from spcabench.solving.status import Status
from spcabench.validate import number
from spcabench.vectors import Array, Indices, embed, first_largest

COST = (
    *("iterations", "flops", "setup_flops", "solve_time", "setup_time"),
    *("compile_time", "cpu_time", "wall_time", "waited"),
)


def by_blocks(
    problem: Problem, share: float, k: int | None, run: Callable[[Problem, int | None], Result]
) -> Result:
    """Solve each block of a problem separately and return the best answer.

    Parameters
    ----------
    problem : Problem
        The problem to solve. Its covariance is formed without charging the solver.
    share : float
        eps divided by the largest variance.
    k : int or None
        Cardinality. A block of fewer than k variables is solved with all its variables.
    run : callable
        Function that solves a block for a specified cardinality.

    Returns
    -------
    Result
        The best answer, with zeros for the variables outside its block. Flops and times are summed
        over the blocks. Information about a single block (history, components, matrices) is
        omitted. If the solver proved a bound for every block, the largest of them plus k eps bounds
        the optimum; the answer is proven only if it attains this sum, which requires eps = 0.
    """
    number("blocks", share)
    S = problem.given_as("covariance").matrix.S  # type: ignore[union-attr]
    parts = [W for W in _joined(connected_parts(S, share * S.diagonal().max()), k) if S[W, W].any()]
    results = [run(_part(problem, W), None if k is None else min(k, len(W))) for W in parts]
    if results[0].rectangular:
        raise InputError(
            f"blocks: cannot be combined with solver {results[0].solver!r}, which is rectangular"
        )
    values = [r.variance if r.good else -np.inf for r in results]
    best = first_largest(np.array(values)) if max(values) > -np.inf else 0
    return _combined(problem, share, k, results, best, parts)


def _joined(parts: list[Indices], k: int | None) -> list[Indices]:
    """Merge single-variable blocks into one block of the variables with the largest variances."""
    single = [W for W in parts if len(W) == 1]
    blocks = [W for W in parts if len(W) > 1]
    if not single:
        return blocks
    most = max(2, k or len(single))  # more uncorrelated variables cannot improve an answer
    together = np.concatenate(single[:most])
    if len(together) > 1 or not blocks:
        return [together, *blocks]
    return [np.concatenate([together, blocks[0]]), *blocks[1:]]


def _part(problem: Problem, W: Indices) -> Problem:
    """Restrict a problem to the variables W."""
    M = problem.matrix
    matrix: Covariance | Data
    if isinstance(M, Data):
        matrix = M.columns(W)
    else:
        S: Array = problem.given_as("covariance").matrix.S  # type: ignore[union-attr]
        matrix = Covariance(np.ascontiguousarray(S[np.ix_(W, W)]))
    return replace(problem, matrix=matrix, features=None, mean=None, scale=None, _cache={})


def _combined(
    problem: Problem,
    share: float,
    k: int | None,
    results: list[Result],
    best: int,
    parts: list[Indices],
) -> Result:
    """Extend the best result to all variables, and sum the cost over all blocks."""
    result = results[best]
    searches = [r.search for r in results if r.search]
    cost: dict[str, Any] = {name: sum(getattr(r, name) for r in results) for name in COST}
    sizes = {"blocks": float(len(parts)), "largest_block": float(max(map(len, parts)))}
    claims = [r.claimed for r in results if r.claimed is not None]
    claimed = None
    if k is not None and len(claims) == len(results):
        with uncharged():
            claimed = max(claims) + k * share * float(problem.covariance.diagonal().max())
    return replace(
        result,
        problem=problem,
        settings={**result.settings, "blocks": share},
        k=k,
        x=embed(result.x, parts[best], problem.n) if result.good else np.zeros(problem.n),
        search={key: sum(s[key] for s in searches) for key in searches[0]} if searches else {},
        extra={**result.extra, **sizes},
        flags=tuple(sorted({flag for r in results for flag in r.flags})),
        history=[],
        phases={},
        Z=None,
        X=None,
        U=None,
        claimed=claimed,
        status=_status(results, result),
        claimed_whp=None,
        **cost,
    )


def _status(results: list[Result], best: Result) -> Status:
    """Return the status of the best answer, or that of a block whose search found no proof."""
    unproven = (r.status for r in results if r.status != Status.PROVEN)
    return next(unproven, best.status) if best.status == Status.PROVEN else best.status
