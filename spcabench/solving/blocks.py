"""Block-diagonal preprocessing around any solver: small covariances are treated as zero.

Del Pia, Zhou, Zhu, "Efficient sparse PCA via block-diagonalization", ICLR 2025,
doi:10.48550/arXiv.2410.14092: two variables are in the same block if covariances above eps link
them, directly or through others. The solver runs on each block, and the best answer over the blocks
is returned. With an exact solver its value is at most k eps below the optimum: the blocks
themselves are unchanged, and the dropped part E satisfies x'Ex <= eps ||x||_1^2 <= k eps.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from spcabench.errors import InputError
from spcabench.methods.eliminate import connected_parts
from spcabench.problem.covariance import Covariance
from spcabench.problem.data import Data
from spcabench.problem.problem import Problem
from spcabench.solving.result import Result
from spcabench.validate import number
from spcabench.vectors import Array, Indices, embed, first_largest

COST = (
    *("iterations", "flops", "setup_flops", "solve_time", "setup_time"),
    *("compile_time", "cpu_time", "wall_time", "waited"),
)


def by_blocks(
    problem: Problem, share: float, k: int | None, run: Callable[[Problem, int | None], Result]
) -> Result:
    """Return the best of the answers on the blocks of a problem.

    Parameters
    ----------
    problem : Problem
        The problem to solve. Its covariance is formed, uncharged.
    share : float
        eps divided by the largest variance.
    k : int or None
        Cardinality; in a block with fewer variables, all of them.
    run : callable
        Solves a block at a given cardinality.

    Returns
    -------
    Result
        The answer of the best block, embedded. Its flops and times are sums over the blocks;
        information that applies to one block only (history, components, matrices, claims) is left
        out.
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
    """The blocks, with all single-variable blocks merged into one of the largest variances."""
    single = [W for W in parts if len(W) == 1]
    blocks = [W for W in parts if len(W) > 1]
    if not single:
        return blocks
    most = max(2, k or len(single))  # more uncorrelated variables never help an answer
    together = np.concatenate(single[:most])
    if len(together) > 1 or not blocks:
        return [together, *blocks]
    return [np.concatenate([together, blocks[0]]), *blocks[1:]]


def _part(problem: Problem, W: Indices) -> Problem:
    """The problem restricted to the variables W."""
    M = problem.matrix
    matrix: Covariance | Data
    if isinstance(M, Data):
        matrix = M.columns(W)
    else:
        S: Array = problem.given_as("covariance").matrix.S  # type: ignore[union-attr]
        matrix = Covariance(np.ascontiguousarray(S[np.ix_(W, W)]))
    return replace(problem, matrix=matrix, features=None, _cache={})


def _combined(
    problem: Problem,
    share: float,
    k: int | None,
    results: list[Result],
    best: int,
    parts: list[Indices],
) -> Result:
    """The best result, as one of the whole problem, with the cost of all blocks."""
    result = results[best]
    searches = [r.search for r in results if r.search]
    cost: dict[str, Any] = {name: sum(getattr(r, name) for r in results) for name in COST}
    sizes = {"blocks": float(len(parts)), "largest_block": float(max(map(len, parts)))}
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
        claimed=None,
        claimed_whp=None,
        **cost,
    )
