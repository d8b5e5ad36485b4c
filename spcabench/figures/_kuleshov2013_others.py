"""Claims of Kuleshov (2013) about the cost of methods, beside Figure 2.

They are judged on the matrices of Figure 2: on its runs of GPower and GRQI, on the search for
GPower's penalty, and on runs of greedy search and DSPCA, which the paper mentions but did not run.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from spcabench import claims
from spcabench.claims import claim
from spcabench.figures import _kuleshov2013 as base
from spcabench.run import Run

SETTING = 0.044  # the sparsity of Figure 1
GREEDY, DSPCA = "greedy search", "relaxation"  # labels of the runs of these methods
SEEDS = 3
GAP, STEPS = 1e-2, 15  # certified gap that DSPCA must reach, and its iteration limit
PASSES = {"greedy_full": "forward pass of Moghaddam et al.", "greedy_forward": "PathSPCA"}
SIZES = {"quick": (100, 300), "paper": (200, 500, 1000)}
BELOW = claims.every("sparsities", high=base.SPARSE, least=3)


@claim(
    "K12",
    "section 4.2",
    "the GPM in our experiments needed about 3-4 restarts before we could find a penalty term that "
    "yielded the desired number of non-zero entries",
    kind="number",
    measures="runs of the search for a penalty that gives exactly k, median over k",
    unit="runs",
    rule=claims.within(3 / 2, 8),  # equal up to a factor of two
    null=1.0,  # a method that takes k as an argument
    paper=[claims.PaperNumber(3, 4)],
    changed="a method that needs no search passed the rule of at most 8 runs",
    because="The search is ours, while the author searched by hand. A search that gives up takes "
    "the most runs.",
    **base.BY_GPOWER1,
)
def K12(data):
    """Count the runs of a search until it reaches k, and until it is within 10 % of k."""
    main, restarts = (data.rows[data.rows.label == label] for label in ("main", "restarts"))
    # the author may have stopped near k
    near = restarts.assign(
        solver=restarts.extra.map(lambda e: e["penalty"]),
        search_runs=restarts.extra.map(lambda e: float(np.median(e["near"]))),
    )
    for table, extra in ((main, ""), (near, ", k to within 10 %")):
        for name, rows in base.by_penalty(table[table.search_runs.notna()], "solver"):
            middle = rows.groupby("seed", as_index=False).agg(
                {"search_runs": "median", "stand_in": "max", "problem": "first"}
            )
            yield claims.one(middle, "search_runs", "all k", reading=f"{name}{extra}")


@claim(
    "K13",
    "section 3.2",
    "Algorithm 1 performs at every iteration only O(k^3 + nk) flops ... the GPM requires "
    "O(n^2 + nk) flops",
    kind="theorem",
    measures="exponent of GRQI's flops per iteration against k^3 + n k",
    unit="",
    rule=claims.at_most(1.1),
    also=[
        claims.Part("GPower", "exponent of its flops against n^2 + n k", "", claims.at_most(1.1))
    ],
    primary="all n and k",
    why="the sentence is about all n and k",
)
def K13(data):
    """Fit the growth of flops over all sizes and cardinalities."""
    both = pd.concat([data.main, data.dimension])
    # a run that never leaves its start has no cost per iteration
    both = both[(both.iterations_g > 0) & (both.iterations_p > 0)]
    n, k = both.n.astype(float), both.cardinality_p.astype(float)
    label = f"{len(both)} pairs"
    grqi = claims.slope(k**3 + n * k, both.flops_g / both.iterations_g)
    gpower = claims.slope(n**2 + n * k, both.flops_p / both.iterations_p)
    yield claims.numbers(both, {label: grqi}, reading=K13.primary)
    yield claims.numbers(both, {label: gpower}, reading=K13.primary, part="GPower")


@claim(
    "K19",
    "section 4.1",
    "We found that this setting [4.4% sparsity] was representative of what happens at other "
    "sparsities",
    measures="iterations of GRQI / those at the sparsity nearest to 4.4 %",
    unit="times",
    rule=claims.within(1 / 2, 2),
    at=BELOW,
    also=[
        claims.Part(
            "beside GPower",
            "iterations of GPower / of GRQI",
            "times",
            claims.above(1),
            BELOW,
            null=1.0,
        )
    ],
    changed="80 % of a grid up to 50 % had to satisfy it; the paper calls at most 20 % sparse",
    because="The number of GRQI's iterations grows with the sparsity k/n.",
    **base.BY_GPOWER1,
)
def K19(data):
    """Compare the iterations at each sparsity with those nearest to 4.4 %, and with GPower's."""
    for name, rows in base.by_penalty(data.main):
        far = (rows.share - SETTING).abs()
        # the grid of sparsities depends on the scale and may not contain 4.4 % itself
        nearest = far == far.min()
        there = rows[nearest].groupby("seed").iterations_g.median()
        rows = rows.assign(
            change=rows.iterations_g / rows.seed.map(there),
            beside=rows.iterations_p / rows.iterations_g,
            # at this sparsity the ratio is 1 by definition
        )[~nearest]
        yield claims.each(rows, "share", "change", base.percent, reading=name)
        yield claims.each(rows, "share", "beside", base.percent, reading=name, part="beside GPower")


@claim(
    "K22",
    "section 4.2",
    "when implemented in a popular high-level language like MATLAB, GRQI would have an unfair "
    "advantage over the GPM, as it spends relatively more time in low-level subroutines",
    rule=claims.above(1),
    at=claims.every("bands of sparsity", high=base.SPARSE, least=6),
    timed=True,
    because="A run with few flops takes longer per flop, because the cost of its calls remains.",
    **base.RATIO
    | dict(
        measures="ratio of times of GPower and GRQI / their ratio of flops",
        why=f"{base.GPOWER1}; the suite is NumPy with compiled kernels, not MATLAB",
    ),
)
def K22(data):
    """Divide the ratio of times by the ratio of flops in each band."""
    gained = data.main.solve_time_p / data.main.solve_time_g / data.main.ratio
    for name, rows in base.by_penalty(data.main.assign(gained=gained)):
        yield claims.bands(rows, "sparsity", base.EDGES, "gained", reading=name)


@claim(
    "K23",
    "section 3.3",
    "greedy methods that search the exponential space of sparsity patterns directly (Moghaddam et "
    "al., 2006); such algorithms have been shown to be much slower than the GPM",
    measures="flops of the greedy search / flops of GPower1, at the same requested k",
    unit="times",
    rule=claims.at_least(5),
    at=claims.every("k", least=4),
    null=1.0,
    primary=PASSES["greedy_full"],
    why="the sentence names that search; its backward pass, which takes longer, is left out",
    changed="the rule has not changed, but a trial on one matrix had been seen before its commit",
    pending="It needs runs of the greedy search on the matrices of Figure 2.",
    because="The flops of the search grow as k^4, and those of GPower1 hardly depend on k.",
)
def K23(data):
    """Compare for the requested k: GPower1 can miss it, but greedy search always reaches it."""
    rows = data.rows.assign(asked=data.rows.settings.map(lambda settings: settings.get("k")))
    both = rows[rows.label == GREEDY].merge(
        _gpower1(rows)[["n", "seed", "asked", "flops"]],
        on=["n", "seed", "asked"],
        suffixes=("", "_p"),
    )
    both = both.assign(ratio=both.flops / both.flops_p)
    for solver, name in PASSES.items():
        yield claims.each(both[both.solver == solver], "asked", "ratio", "k = {:g}", reading=name)


@claim(
    "K24",
    "section 3.3",
    "the SDP relaxation approach of D'Aspremont et al. (2007); since it cannot scale to more than "
    "a few hundred variables",
    measures=f"flops of DSPCA to a certified gap of {100 * GAP:g} %, at most {STEPS} iterations, "
    "/ flops of GPower1",
    unit="times",
    rule=claims.at_least(100),
    at=claims.every("sizes", low=400, least=2),
    null=1.0,
    primary="DSPCA",
    why="the sentence is about the relaxation; Figure 2 omits it, as it costs more than the GPM",
    changed="the limit was 100 iterations before a trial at n = 300; a lower limit can only lower "
    "the ratio, which exceeds the threshold at n = 200 too; where scaling ends is not tested",
    pending="It needs runs of DSPCA on the matrices of Figure 2.",
)
def K24(data):
    """Compare DSPCA with GPower1 on the same matrix; a gap that was not reached gives a bound."""
    rows = data.rows[data.rows.label == DSPCA]
    typical = _gpower1(data.rows).groupby(["n", "seed"]).flops.median().rename("typical")
    rows = rows.merge(typical.reset_index(), on=["n", "seed"])
    # written as a negation, because a missing gap also counts as a miss
    missed = ~(rows.relaxation_gap.astype(float) <= 1.01 * GAP)
    rows = rows.assign(ratio=rows.flops / rows.typical, missed=missed)
    return claims.each(rows, "n", "ratio", "n = {:g}", reading="DSPCA", missed="missed")


def _gpower1(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of GPower1 in Figure 2 with a sparsity below 20 %."""
    rows = rows[(rows.solver == "gpower1") & rows.label.isin(["main", "dimension"])]
    # the quoted sentences are about sparse components
    return rows[rows.cardinality < base.SPARSE * rows.n]


def runs(scale: str, n: int, sparsities: np.ndarray) -> Iterator[Run]:
    """Run greedy search for every second small k of the main grid, and DSPCA for `SIZES`."""
    # the cost grows as k^4, so only small k are run
    ks = sorted({base.k_at(s, n) for s in sparsities[sparsities < 0.08][::2]})
    for seed in range(SEEDS):
        common: dict[str, Any] = dict(seed=seed, form="covariance")
        greedy = common | base.source(n, seed) | dict(label=GREEDY)
        for k in ks:
            yield Run(solver="greedy_full", settings=dict(k=k, passes="forward"), **greedy)
            yield Run(solver="greedy_forward", settings=dict(k=k), **greedy)
        for size in SIZES[scale]:
            # the penalty of Zhang's Figure 1, which leaves 5 to 20 nonzeros
            rho = float(0.58 * np.sqrt(np.log(size)) * np.sqrt(size))
            goal = dict(eps=GAP, tol=GAP, stop="gap", max_iterations=STEPS)
            settings = dict(rho=rho, screen=False) | goal
            problem = common | base.source(size, seed)
            yield Run(solver="dspca", settings=settings, label=DSPCA, **problem)
