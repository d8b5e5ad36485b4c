"""Zhang, El Ghaoui (2011), Figure 1: time of block coordinate ascent and of the first-order method,
against n.

In the left panel Sigma = F'F, where F is square with entries from N(0, 1). In the right panel
Sigma is spiked: Sigma = uu' + VV'/m with Card(u) = n/10 and m = n (our choice, because the paper
does not state m). The penalty is 0.58 sqrt(log n) standard deviations of the off-diagonal entries
(our choice), which leaves 5 to 20 nonzeros.
All methods run to a certified relative gap of 1e-2, without screening, with a time limit of 60 s
per run at paper scale. An arrow means that at least one run hit the limit, so the time shown is a
lower bound. The paper's BCA, BCA with looser box QPs, and DSPCA also have single long runs without
this limit, which replace the other runs on the same problem, and whose times are processor times.
The paper's axis ends at n = 800; its two methods were run up to n = 400 at most, and only BCA with
continuation beyond. BCA is the paper's Algorithm 1 with beta = 1e-3/n and every box QP solved to
1e-9. We added two variants: one has beta = 5e-3/n and solves box QPs only as accurately as the
remaining gap requires, and the other uses continuation in beta. Times are measured on one thread,
with the methods taking turns and nothing else running. Lines are geometric means over the problems
with their 95 % intervals. The paper prints no numbers next to its curves. Runs to a gap of 1e-3, on
six problems with n = 50 and n = 100, are not drawn; they are timed in processor seconds, and beta
is half of the gap / n.

Z4 is judged on runs that are not drawn: it counts the sweeps of BCA on these problems, and on 50 to
500 words of three corpora with a penalty that leaves about five words.
"""

from types import SimpleNamespace
from typing import Any

import pandas as pd

from spcabench import claims
from spcabench.claims import claim, meaning
from spcabench.figures import _zhang2011 as base
from spcabench.figures import _zhang2011_text as text
from spcabench.figures._curves import draw_curve
from spcabench.showing.style import PALETTE, look, mark_level, name_lines

PANELS, SIZE = (1, 2), (11.5, 4.4)
# the paper's two methods, and two variants of BCA
LOOKS: dict[str, dict[str, Any]] = {
    "bca": look("bca") | dict(label="BCA, exact QPs"),
    "bca loose": look("bca")
    | dict(label="BCA, loose QPs", color=PALETTE[3], marker="v", linestyle="--"),
    "bca_continuation": look("bca_continuation") | dict(label="BCA, continuation in $\\beta$"),
    "dspca": look("dspca") | dict(label="DSPCA, first order"),
}


# what runs


def runs(scale):
    """Run n from 50 up to 800 (BCA with continuation), 400 (DSPCA) or 300 (plain BCA)."""
    paper = scale == "paper"
    for family in base.FAMILIES:
        yield from base.timed_runs(family, scale)
    yield from [*base.long_runs(), *base.tight_runs()] if paper else ()
    yield from text.runs(scale)


def data(table):
    """Return the timed runs and their ratios, and the tables of the other experiments."""
    timed = base.timed(table[table.solver.notna()])
    return SimpleNamespace(
        timed=timed,
        speedups=pd.concat([base.speedups(timed), base.tight(table)], ignore_index=True),
        words=text.by_size(table),
    )


# what is drawn


def draw(data, axes):
    """Draw the time of each method against n, for each family."""
    rows = data.timed[data.timed.label == "time"]
    for axis, (family, title) in zip(axes.flat, base.FAMILIES.items(), strict=True):
        of_family = rows[rows.dataset == family]
        for method, style in LOOKS.items():
            times = of_family[of_family.method == method]
            draw_curve(axis, claims.each(times, "x", "total", missed="missed"), "s", **style)
        mark_level(axis, rows.limit.min(), f"time limit, {rows.limit.min():g} s")
        axis.set(yscale="log", ylabel="time to a certified gap of $10^{-2}$, s", xlabel="size n")
        alone = SimpleNamespace(speedups=data.speedups[data.speedups.dataset == family])
        axis.set_title(
            f"{title}: DSPCA takes {Z1.told(alone, EXACT)} the time\nof BCA with exact QPs, and "
            f"{Z1.told(alone, LOOSE)} that with loose QPs"
        )
        name_lines(axis)


# what is claimed

EXACT, LOOSE = "exact QPs", "loose QPs, beta = 5e-3/n"
READINGS = {"bca": EXACT, "bca loose": LOOSE}
READINGS |= {f"{of} tight": f"{of} QPs, gap {base.TIGHT:g}" for of in ("exact", "loose")}
SIZES = claims.every("sizes", least=6)


def of_bca(rows):
    """Yield the name and the rows of each reading.

    Algorithm 1 names no tolerance for the box QPs, and its O(n^2) for a column excludes exact ones.
    """
    for method, name in READINGS.items():
        yield name, rows[(rows.method == method) & (rows.label == "time")]


@claim(
    "Z1",
    "section 3, figure 1",
    "Fig 1 shows that our algorithm converges much faster than the first order algorithm",
    measures="time of DSPCA / time of BCA, both to a certified gap of 1e-2, or of 1e-3 if the "
    "reading says so",
    unit="times",
    rule=meaning.MUCH,
    at=SIZES,
    null=1.0,
    timed=True,
    deviates="The paper names no accuracy: gaps of 1e-2 and, at two sizes, of 1e-3 are our choice.",
    changed="a gap of 1e-3 was no reading; before that, exact QPs alone decided",
    because={
        EXACT: "Each box QP is solved exactly. If it is solved only as accurately as the remaining "
        "gap requires, BCA takes a fraction of the time.",
    },
)
def Z1(data):
    """Compare the times on each problem, for each size of a family."""
    for name, rows in of_bca(data.speedups):
        yield from base.by_family(rows, "ratio", reading=name)


@claim(
    "Z4",
    "section 3",
    "our algorithm has a computational complexity of O(Kn^3), where K is the number of sweeps "
    "through columns. In practice, K is fixed at a number independent of problem size (typically "
    "K = 5)",
    kind="number",
    measures="sweeps of BCA to a certified gap of 1e-2",
    unit="sweeps",
    average="geometric mean",
    rule=claims.at_most(5),
    at=claims.most("sizes", least=6),
    null=1e6,  # sweeps that change nothing end at the limit of all runs
    also=[
        claims.Part(
            "exponent", "growth exponent of the flops of a sweep in n", "", claims.at_most(3.1)
        )
    ],
    paper=[claims.PaperNumber(5)],
    deviates="Fewer sweeps than 5 satisfy the sentence too; the exponent may be a tenth above 3. "
    "Whether the sweeps depend on the size is shown, not judged.",
    changed="every size was asked, but the word is 'typically'; before that, it was the gap "
    "after five sweeps on one problem of each size; exact QPs on random covariances alone decided",
    because="The number depends on the problem: covariances of words need fewer sweeps.",
)
def Z4(data):
    """Count sweeps on random covariances, and on words, a possible meaning of "in practice"."""
    for name, rows in of_bca(data.timed):
        yield from base.by_family(rows, "iterations", reading=name)
        yield from base.growth(rows, reading=name, part="exponent")
    # the corpora are the replicates, because all sizes of a corpus share its words
    words = dict(reading="covariances of words, exact QPs", seed="corpus", over="corpora")
    yield claims.each(data.words, "size", "sweeps", "{:g} words", missed="missed", **words)
    yield claims.tidy(data.words, "power", "words", part="exponent", **words)
