"""Kuleshov (2013), Figure 2: flops to reach a sparse component, against its sparsity.

Sigma = A'A with A ~ N(0, 1); both methods stop at ||x - x_prev|| < 1e-6, where x is the loading;
GRQI runs with J = inf. The input of GPower is A, and a search finds the penalty that gives the
requested cardinality (as in the paper, only the flops of the run that reached this cardinality are
counted). The input of GRQI is Sigma, and it uses the cardinality that GPower reached. Flops follow
the paper's rule (section 4.2): k^3 + 2k^2 for solving a linear system, and n k for a product of
Sigma with a k-sparse vector. The flops of the start, n^2 for GRQI, are included; further readings
leave them out. Lines are
geometric means over problems with their 95 % intervals. An arrow means that some runs stopped at
their iteration limit, so the number is a lower bound.

The right panel, which we added, shows the ratios in bands of sparsity, among them those that are
judged. For 1e-6, most of these problems have given penalties instead of a search, and are not in
the left panel.
"""

from itertools import product
from types import SimpleNamespace
from typing import Any

from spcabench import claims
from spcabench.claims import claim, meaning
from spcabench.figures import _kuleshov2013 as base
from spcabench.figures import _kuleshov2013_jumps as jumps
from spcabench.figures._curves import draw_curve
from spcabench.figures._kuleshov2013 import NAMES, RATIO
from spcabench.run import Run
from spcabench.showing.style import look, mark_level, name_lines, plain_log_ticks
from spcabench.solving.status import Status

PANELS, SIZE = (1, 2), (11.5, 4.2)
# the bands of the ratios; "large" is half of the variables or more
LARGE = 0.5
EDGES = (*base.WIDE_EDGES[:-1], LARGE, 0.75, 1.0 + 1e-9)


# what runs


def runs(scale):
    """Run the main grid, a loose tolerance, other dimensions, and given penalties."""
    size = base.sizes(scale)
    yield from searched(size, 12 if scale == "paper" else 6)
    # most problems have given penalties, because a search takes 20 runs
    sparse = [
        (base.given, base.GIVEN, seed, dict(count=size.given))
        for seed in range(size.seeds, size.problems)
    ]
    large: list[tuple[Any, ...]] = [
        (base.dense, base.DENSE, seed, {}) for seed in range(size.seeds)
    ]
    for (function, label, seed, more), penalty in product([*sparse, *large], base.PENALTIES):
        about: dict[str, Any] = dict(label=label, seed=seed, uses=(penalty, "grqi"))
        settings = dict(penalty=penalty) | more
        yield Run(**base.source(size.n, seed), function=function, settings=settings, **about)


def searched(size, count):
    """Yield runs with searched penalties, and ``count`` neighbours of each of four penalties."""
    n, sparse = size.n, size.sparsities[size.sparsities < meaning.SPARSE]
    for penalty in base.PENALTIES:
        for seed in range(size.seeds):
            for s in size.sparsities:
                yield from base.matched(penalty, n, seed, "main", dict(k=base.k_at(s, n)))
            # K6, like K3, is about sparsities below 20 %
            for s in sparse:
                loose = dict(k=base.k_at(s, n))
                yield from base.matched(penalty, n, seed, "loose", loose, tol=1e-2)
            yield from jumps.runs(penalty, n, seed, count)
        for other, problems in size.others.items():
            for seed, s in product(range(problems), size.fewer):
                k = dict(k=base.k_at(s, other))
                yield from base.matched(penalty, other, seed, "dimension", k)


def data(table):
    """Return the pairs of runs of each experiment, and all rows."""
    both = base.of_all_problems(table)
    return SimpleNamespace(
        rows=table,
        main=both[both.label == "main"],
        both=both,
        sparse=base.sparse(both),
        loose=base.pairs(table, "loose"),
        dimension=base.pairs(table, "dimension"),
    )


# what is drawn


def draw(data, axes):
    """Draw the paper's figure on the left, and the ratios of flops on the right."""
    left, right = axes.flat
    for penalty, rows in data.main.groupby("penalty", sort=False):
        draw_flops(left, rows, "p", penalty)
    draw_flops(left, data.main, "g", "grqi")
    for both, tol, line in ((data.both, "-6}$", "-"), (data.loose, "-2}$ (dotted)", ":")):
        for name, rows in base.by_penalty(both):
            style = look(name.lower()) | dict(linestyle=line, label=f"{name}, tol $10^{{{tol}")
            table = claims.bands(rows, "sparsity", EDGES, "whole").assign(x=rows.sparsity)
            draw_curve(right, table, "times", **style)
    left.set_ylabel("flops")
    left.set_title("the paper's figure: flops of a run")
    right.set_ylabel("flops of GPower / flops of GRQI")
    right.set_title(
        f"below 20 %, GRQI takes {K3.told(data)} fewer flops than GPower1\n"
        f"(GPower0: {K3.told(data, 'GPower0')}); from 50 % on, GPower1 takes {K5.told(data)} GRQI's"
    )
    for level, name in ((100, "the paper below 5 %"), (10, "the paper below 20 %"), (1, "as many")):
        mark_level(right, level, name)
    for axis in axes.flat:
        axis.set(xscale="log", yscale="log", xlabel="sparsity k/n")
        plain_log_ticks(axis)
        name_lines(axis)


def draw_flops(axis, rows, side, solver):
    """Plot a solver's flops for each requested sparsity; a run at its limit gives a bound."""
    ended = ~rows[f"status_{side}"].isin([Status.CONVERGED, Status.FINISHED])
    table = claims.each(rows.assign(ended=ended), "share", f"whole_{side}", missed="ended")
    draw_curve(axis, table, "times", **look(solver) | dict(label=NAMES[solver]))


# what is claimed

OTHER_N = {NAMES[penalty]: f"{NAMES[penalty]}, other n" for penalty in base.PENALTIES}


@claim(
    "K2",
    "section 1",
    "It converges to a local solution of (1) in about eight iterations or less on most problem "
    "instances",
    measures="share of GRQI's runs below 20 % nonzeros that end after at most 8 iterations, bands "
    "of sparsity weighted alike",
    unit="share",
    average="mean",
    rule=meaning.MOST,
    also=[
        claims.Part(
            "variance", "how much more GPower1 explains", "%", meaning.IDENTICAL, null=100.0
        )
    ],
    changed="first tested with ten iterations and for up to half of the variables, and a run that "
    "stayed at its start did not fail; six problems left it open, so there are 60, with the t "
    "interval over problems",
    because="The number of GRQI's iterations grows with the sparsity k/n.",
)
def K2(data):
    """Count early ends; a run that stays at its start must not count, so variance is judged too."""
    sparse, label = data.sparse, f"n = {data.main.n.max()}"
    yield claims.tidy(base.weighted(sparse, sparse.iterations_g <= 8), "hit", label)
    yield claims.tidy(sparse[sparse.penalty == "gpower1"], "more", label, part="variance")


@claim(
    "K3",
    "section 4.2",
    "GRQI uses between one and two orders of magnitude fewer flops at sparsities below 20%",
    rule=meaning.ORDER_OF_MAGNITUDE,
    at=base.BELOW_20,
    paper=[claims.PaperNumber(10, 100)],
    changed="the starts were not counted, but GRQI's takes n^2 flops, 8 to 60 times its own work "
    "below 2 % nonzeros, and the paper ignores only o(n^2); six problems",
    deviates="More than a hundred times is more than stated, which is no failure.",
    because={"GPower0": "A run of GPower0 takes fewer flops than one of GPower1 at equal k."}
    | dict.fromkeys(
        OTHER_N.values(),
        "At a fixed share of nonzeros, the flops of an iteration grow with n^3 for GRQI and with "
        "n^2 for GPower (section 3.2), so near 20 % the advantage falls with n.",
    ),
    **RATIO,
)
def K3(data):
    """Judge both penalties, because section 3.3 has both, and other n, as in section 4."""
    yield from base.ratios(data.sparse)
    for name, rows in base.by_penalty(data.dimension):
        yield base.other_sizes(rows, "whole", reading=OTHER_N[name])


K4 = claim(
    "K4",
    "section 4.2",
    "at sparsities below 5%, it used a hundred times fewer flops",
    rule=meaning.HUNDRED_TIMES,
    at=claims.every("bands of sparsity", high=0.05, least=3),
    paper=[claims.PaperNumber(100)],
    changed="the starts were not counted; six problems",
    rows=lambda data: base.ratios(data.sparse),
    **RATIO,
)
K5 = claim(
    "K5",
    "section 4.2",
    "for large values of k, the complexity of GRQI outgrows that of the GPM",
    rule=meaning.LESS,
    at=claims.every("bands of sparsity", low=LARGE, least=2),
    deviates="The sentence names no k: large is half of the variables or more.",
    changed="the runs ended at half of the variables, and large began at a third, below the "
    "crossing for GPower1; before that, the sparsities above 1/3 were pooled; the starts were not "
    "counted",
    rows=lambda data: (
        claims.bands(rows, "sparsity", EDGES, "whole", reading=name)
        for name, rows in base.by_penalty(data.both)
    ),
    **RATIO,
)
K6 = claim(
    "K6",
    "section 4.2",
    "even in that case [||x - x_prev|| < 1e-2], GRQI required at least an order of magnitude fewer "
    "flops",
    rule=meaning.ORDER_OF_MAGNITUDE,
    at=base.BELOW_20,
    paper=[claims.PaperNumber(10)],
    changed="the starts were not counted",
    because="The flops of GRQI grow with k^3, the cost of a solve, and those of GPower1 hardly do.",
    rows=lambda data: base.ratios(data.loose),
    **RATIO,
)

K11 = jumps.K11
