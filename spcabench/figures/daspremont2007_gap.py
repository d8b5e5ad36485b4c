"""d'Aspremont et al. (2007): convergence of DSPCA, and its cost compared with general-purpose SDP
solvers.

Sigma = F'F, where the entries of F (n, n) are drawn from N(0, 1); rho = sqrt(n), the standard
deviation of an entry of Sigma (our choice, because the summary does not state rho). Variables are
not screened. eps is relative to the optimum. The smoothing parameter of DSPCA depends on eps, and
DSPCA stops when its certified gap is at most eps. In the first panel, a point is the median over
problems of the iterations of a run with this eps; the subgradient method runs only for the three
largest eps. The other panels show single-threaded runs to a gap of 1e-3 (SDP solvers use their own
tolerance, 1e-6). Time is the median over the problems of size n; the time of a run is its processor
time or, if shorter, its elapsed time. Memory is the peak memory of the process beyond that of the
loaded problem, including CVXPY; for DSPCA it is measured only for the largest n. Runs on problems
that are too large for a solver are skipped and not shown.
"""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from spcabench import api, claims
from spcabench.claims.words import span
from spcabench.figures._daspremont2007 import SDP, draw_convergence, draw_growth, iterations_to
from spcabench.run import Run
from spcabench.solving.status import Status

PANELS, SIZE = (2, 2), (11.5, 8.0)
EPS = 1e-3
LEVELS = tuple(float(f"{eps:.3g}") for eps in np.geomspace(1e-1, 1e-3, 5))
SECONDS, BYTES, LARGEST = 60.0, 4e9, 200
ALONE: dict[str, Any] = dict(timed=True, one_round=True)
# n -> number of problems for Clarabel and for the other solvers (at quick scale, at most two)
PROBLEMS = {10: (6, 6), 20: (6, 6), 30: (3, 3), 40: (6, 6), 60: (6, 6), 80: (4, 6), 100: (4, 6)}
PROBLEMS |= {120: (3, 4), 150: (1, 3), 200: (1, 3)}
FURTHER = (10, 11, 12)  # further timed problems with n = 120; timed runs form groups of their own

D4 = claims.Statement(
    id="D4",
    where="SIAM Review 49 (2007), section 4 (a paraphrase; the authors' summary does not have it)",
    quote="total cost O(n^4 sqrt(log n) / eps): iterations at most about 4 n rho sqrt(log n) / "
    "eps, each O(n^3)",
    kind="number",
    measures="iterations of DSPCA / (4 n rho sqrt(log n) / eps)",
    unit="times",
    rule=claims.at_most(1.25),
    over=claims.every("sizes", least=3),
    also=[
        claims.Part("cost", "exponent in n of its flops", "", claims.at_most(4.1)),
        claims.Part(
            "iteration", "exponent in n of its flops an iteration", "", claims.at_most(3.1)
        ),
    ],
    paper=[
        claims.PaperNumber(1),
        claims.PaperNumber(4, part="cost"),
        claims.PaperNumber(3, part="iteration"),
    ],
    primary="DSPCA",
    why="the statement is about it",
    changed="the median over all runs was judged; now each size is judged",
    headline=dict(
        holds="DSPCA needs {range} as many iterations as stated, and its flops grow with n as "
        "stated.",
        fails="DSPCA needs {range} as many iterations as stated.",
        undecided="DSPCA needs {range} as many iterations as stated.",
    ),
)


@D4.measured
def _cost(data):
    rows = data[
        (data.method == "dspca") & (data.status == Status.CONVERGED) & (data.label == "size")
    ]
    unit = rows.rho * np.sqrt(np.log(rows.n)) / (rows.eps * rows.relaxation_bound)
    rows = rows.assign(share=rows.iterations / (4 * rows.n * unit), unit=unit)
    # the other problems cover only the larger sizes, which would get more weight in a slope
    first = rows[rows.seed == 0]
    places = claims.places(
        rows, "n", lambda selected: claims.exact(selected.share.max()), "n = {:g}"
    )
    # two sizes determine a slope, but give no evidence that it is constant
    if len(first) > 2:
        each = {"cost": first.flops / first.unit, "iteration": first.flops / first.iterations}
        places += [
            claims.Place("all n", claims.exact(claims.slope(first.n, flops)), part=part)
            for part, flops in each.items()
        ]
    yield claims.Reading("DSPCA", places, rows)


D6 = claims.Statement(
    id="D6",
    where="section 4.2, regularization",
    quote="f_mu is a smooth approximation of f ... mu := eps / (2 D_2)",
    kind="theorem",
    measures="(f(U) - f_mu(U)) / eps for mu = eps / (2 log n), at U = 0, random U in the box, and "
    "DSPCA's last U: the largest, and how far the smallest is below zero",
    unit="",
    rule=claims.at_most(0.5 + 1e-6),
    over=claims.every("numbers"),
    primary="every U, n and eps",
    why="it is a theorem about every symmetric matrix",
)


@D6.measured
def _smooth(data):
    rows = data[data.label == "smoothing"]
    if len(rows):
        numbers = {
            "largest": max(m["most"] for m in rows.extra),
            # a negative distance is as wrong as a distance above 1/2
            "below zero": 1e6 * max(0.0, -min(m["least"] for m in rows.extra)),
        }
        places = [claims.Place(name, claims.exact(value)) for name, value in numbers.items()]
        yield claims.Reading("every U, n and eps", places, rows)


D7 = claims.Statement(
    id="D7",
    where="section 4.3, first order minimization",
    quote="Until gap <= eps",
    kind="theorem",
    measures="certified gap over eps, of every run of DSPCA that stopped by its gap",
    unit="times",
    rule=claims.at_most(1 + 1e-6),
    also=[
        claims.Part(
            "agreement",
            "how far the intervals of value and bound of DSPCA, SCS and Clarabel lie apart",
            "",
            claims.at_most(1e-6),
        )
    ],
    primary="every run",
    why="a property of the stopping rule",
)


@D7.measured
def _within(data):
    dspca = data[(data.method == "dspca") & (data.status == Status.CONVERGED)]
    if dspca.empty:
        return
    # runs that stopped at a limit are no evidence about the stopping rule
    share = (dspca.relaxation_gap / dspca.eps).max()
    places = [claims.Place(f"{len(dspca)} runs", claims.exact(share))]
    size = data[data.label == "size"]
    apart = [
        # all three solvers have the same optimum, so every value must be below every bound
        (part.relaxation_value.max() - part.relaxation_bound.min()) / part.relaxation_bound.min()
        for _, part in size.groupby(["n", "seed"])
        if set(part.method) >= {"dspca", *SDP}
    ]
    if apart:
        most = claims.exact(max(0.0, *apart))
        places.append(claims.Place(f"{len(apart)} problems", most, part="agreement"))
    yield claims.Reading("every run", places, data)


D9 = claims.Statement(
    id="D9",
    where="section 4, algorithm",
    quote="SEDUMI and SDPT3 are used for small size problems of semidefinite programming. But for "
    "larger problems, those methods are not practical",
    kind="comparison",
    measures="Clarabel's seconds / 60 s or memory / 4 GB, whichever is larger, at an n up to 200",
    unit="times",
    rule=claims.above(1),
    over=claims.some("sizes"),
    also=[
        claims.Part(
            "DSPCA",
            "the same of DSPCA at the largest such n",
            "times",
            claims.at_most(1),
        )
    ],
    primary="interior point",
    why="SEDUMI and SDPT3 are interior-point solvers",
    changed="it used the smallest value over problems, without an interval, and sizes with one or "
    "two problems decided too; seconds were those of the clock, which other work on the machine "
    "changes, and one to three problems of each size left it undecided; at n = 120 three still did "
    "in processor seconds, so three more were run",
    timed=True,
    headline=dict(
        holds="An interior-point solver takes up to {high} the practical limit (60 s, 4 GB) at n "
        "up to 120, and DSPCA stays within it.",
        fails="An interior-point solver stays within 60 s and 4 GB at every n up to 200.",
        undecided="The runs are too few to tell whether interior-point solvers are impractical.",
    ),
)


@D9.measured
def _practical(data):
    size = data[(data.label == "size") & (data.n <= LARGEST)]
    # fmax ignores the memory if it was not measured
    burden = np.fmax(size.total / SECONDS, size.above / BYTES)
    size = size.assign(burden=burden)
    # D9 is about what is practical, not about which solver is faster; a note reports the latter
    sooner = size.groupby(["method", "n"]).total.median().unstack(0)
    for name, method in (("interior point", "CLARABEL"), ("SCS", "SCS")):
        rows = size[size.method == method]
        if rows.empty:
            continue
        over = partial(claims.geometric_mean, column="burden", over="seed")
        places = claims.places(rows, "n", over, "n = {:g}")
        dspca = size[(size.method == "dspca") & (size.n == rows.n.max())]
        places.append(claims.Place(f"n = {rows.n.max():g}", over(dspca), part="DSPCA"))
        both = sooner[[method, "dspca"]].dropna()
        won = int((both[method] < both.dspca).sum())
        note = f"It is faster than DSPCA at {won} of {len(both)} sizes."
        notes = [note, *_spread(rows)]
        yield claims.Reading(name, places, size[size.method.isin([method, "dspca"])], notes)


def _spread(rows):
    """State the size for which the times of a solver differ most between problems."""
    ends = rows.groupby("n").total.agg(["min", "max", "count"]).dropna()
    ends = ends[ends["count"] >= 3]
    if ends.empty:
        return []
    n = (ends["max"] / ends["min"]).idxmax()
    least, most, count = ends.loc[n]
    return [
        f"Its times differ most at n = {n:g}, over {count:g} problems: {span([least, most], 's')}."
    ]


@D9.because
def _another_general_solver(data, judged):
    """State how often SCS is faster than DSPCA."""
    # the sentence is taken from the note of the reading, so the two cannot disagree
    note = next((r["notes"][0] for r in judged["readings"] if r["name"] == "SCS"), "")
    return note.replace("It is", "SCS, which is not an interior-point solver, is")


D11 = claims.Statement(
    id="D11",
    where="section 4, smoothing technique",
    quote="first-order methods to an accuracy of eps is given by O(1/eps^2) ... this complexity "
    "will be brought to O(1/eps)",
    kind="comparison",
    measures="exponent in 1/eps of DSPCA's iterations to a certified gap of eps",
    unit="",
    rule=claims.at_most(1.1),
    also=[
        claims.Part(
            "gain",
            "the subgradient method's exponent less DSPCA's, on the same problem",
            "",
            claims.at_least(0.5),
        )
    ],
    paper=[claims.PaperNumber(1), claims.PaperNumber(1, part="gain")],
    primary="both methods",
    why="the sentence compares the two rates",
    changed="its first half was a separate statement, D5; the subgradient method was read at nine "
    "levels from the history of one run, too large to publish, and now has runs at three levels",
    headline=dict(
        holds="The iterations of DSPCA grow like 1/eps to the power {value}, as stated.",
        fails="The iterations of DSPCA grow like 1/eps to the power {value}.",
        undecided="The iterations of DSPCA grow like 1/eps to the power {value}.",
    ),
)


@D11.measured
def _smoothed(data):
    rows = data[data.label == "eps"]
    of = {method: exponents(part) for method, part in rows.groupby("method")}
    ours = of.get("dspca", pd.Series(dtype=float)).rename("ours")
    table = ours.to_frame().assign(gain=of.get("dspca_subgradient", np.nan) - ours)
    table = table.rename_axis("seed").reset_index()
    over = partial(claims.mean, table, over="seed")
    name = f"{len(table)} problems"
    if table.gain.notna().any():
        places = [claims.Place(name, over("ours")), claims.Place(name, over("gain"), part="gain")]
        yield claims.Reading("both methods", places, rows)


def runs(scale):
    """Run each solver for up to `PROBLEMS` problems of each n; n is at most 40 at quick scale."""
    paper = scale == "paper"
    sizes = (10, 20, 40, 60, 80, 100, 120, 150, 200) if paper else (10, 20, 30, 40)
    for n in sizes:
        counts = [min(count, 6 if paper else 2) for count in PROBLEMS[n]]
        for seed in range(max(counts)):
            # memory is measured once, for the largest n, because it requires a second run
            largest = n == sizes[-1] and seed == 0
            yield gap_run("dspca", n, seed, "size", eps=EPS, tol=EPS, memory=largest)
            for solver, count in zip(SDP, reversed(counts), strict=True):
                if seed < count:
                    yield gap_run(
                        "exact_sdp", n, seed, "size", solver=solver, eps=1e-6, memory=seed == 0
                    )
        yield Run(
            dataset="gaussian",
            parameters=dict(m=n, n=n, seed=0),
            form="covariance",
            function=smoothing,
            uses=("dspca",),
            label="smoothing",
        )
    for seed in FURTHER if paper else ():
        yield replace(gap_run("dspca", 120, seed, "size", eps=EPS, tol=EPS), **ALONE)
        for solver in SDP:
            run = gap_run("exact_sdp", 120, seed, "size", solver=solver, eps=1e-6)
            yield replace(run, **ALONE)
    n = 40 if paper else 20
    for seed in range(6 if paper else 3):
        for eps in LEVELS:
            yield gap_run("dspca", n, seed, "eps", eps=eps, tol=eps)
        # the subgradient method needs about 1/eps^2 iterations, a million for the last level
        for eps in LEVELS[:3]:
            yield gap_run("dspca_subgradient", n, seed, "eps", tol=eps, max_iterations=100_000)


def gap_run(name, n, seed, label, memory=False, **settings):
    """Return one run on F'F of order n."""
    limit = {} if name != "dspca" else dict(max_iterations=100_000)
    # without screening, because screening would change n, the horizontal axis
    settings = dict(rho=float(f"{n**0.5:.4g}"), screen=False, **settings, **limit)
    return Run(
        dataset="gaussian",
        parameters=dict(m=n, n=n, seed=seed),
        form="covariance",
        solver=name,
        seed=seed,
        settings=settings,
        memory=memory,
        label=label,
    )


def smoothing(problem, *, seed):
    """Return the smallest and the largest (f - f_mu) / eps over points in the box, for all eps."""
    S, n = problem.matrix.S, problem.n
    rho, rng = n**0.5, np.random.default_rng(seed)
    last = api.solve(problem, "dspca", rho=rho, screen=False, tol=1e-2, eps=1e-2).primal_and_dual
    assert last is not None
    distances = []
    for eps in (1.0, 1e-1, 1e-2, 1e-3):
        mu = eps * S.diagonal().max() / (2.0 * np.log(n))
        for U in (np.zeros((n, n)), *rng.uniform(-rho, rho, (10, n, n)), last[1]):
            w = np.linalg.eigvalsh(S + (U + U.T) / 2)
            # the largest eigenvalue is subtracted, because exp would overflow for small mu
            f_mu = w[-1] + mu * np.log(np.exp((w - w[-1]) / mu).sum()) - mu * np.log(n)
            distances.append((w[-1] - f_mu) / (2.0 * mu * np.log(n)))
    return {"least": float(min(distances)), "most": float(max(distances))}


def data(table):
    """Return the rows with method, rho, eps, and the time (total) and memory (above) of the run."""
    solver = table.settings.map(lambda s: s.get("solver"))
    clock = table.solve_time + table.setup_time.fillna(0.0)
    return table.assign(
        method=solver.fillna(table.solver),
        rho=table.settings.map(lambda s: s.get("rho", np.nan)),
        eps=table.settings.map(lambda s: s.get("tol", np.nan)),
        # other load lengthens the elapsed time, and compilation before a first run lengthens the
        # processor time, so the smaller of the two is used
        total=np.fmin(clock, table.cpu_time.astype(float)),
        above=table.peak_memory - table.memory_before,
    )


def draw(data, axes):
    """Plot iterations against 1/eps, then time, memory and iterations against n."""
    draw_convergence(data[data.label == "eps"], axes.flat[0])
    draw_growth(data[data.label == "size"], axes.flat[1:])


def exponents(rows):
    """Return the exponent of the iterations in 1/eps for each seed with at least three levels."""
    measured = {seed: iterations_to(part) for seed, part in rows.groupby("seed")}
    return pd.Series(
        {
            seed: claims.slope(1 / pd.Series([*levels]), pd.Series([*levels.values()]))
            for seed, levels in measured.items()
            if len(levels) >= 3
        },
        dtype=float,
    )
