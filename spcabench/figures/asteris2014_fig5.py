"""Asteris, Papailiopoulos, Dimakis (2014), Figure 5: variance of nonnegative components of leukemia
genes against k.

The data are those of Armstrong et al.: 72 samples x 12582 probe sets, raw intensities, centred. k
ranges from 1 to 12582, the number of probe sets (the paper gives no range). "Low" k means k <= 333
and "larger" k means k >= 667; we chose these limits when the largest k was 1000. Algorithm 3 uses d
= 3, eps = 0.1 and N = ceil(eps^-d ln n) samples. EM uses the best of 10 restarts, from starts w of
both signs or from |w|, as the package of EM's authors does; the paper does not say which. The
shaded band extends from Algorithm 3's variance to q / (1 - eps) + lambda_4, capped at lambda_1,
where q is the variance of its component in the rank-3 matrix. This upper edge bounds the optimum
with probability 1 - 1/n. Variances are those of the vectors that the solvers return; EM's vectors
are renormalised. We added the right panel, which also uses the smallest bound that the suite can
certify.
"""

from functools import partial
from typing import Any

import numpy as np

from spcabench import claims
from spcabench.claims import claim, meaning
from spcabench.figures import _asteris2014 as base
from spcabench.figures import _asteris2014_trade_off as shared
from spcabench.figures._truth import truth
from spcabench.run import Run
from spcabench.showing.words import counted

PANELS, SIZE = (1, 2), (11.5, 5.2)
K, ALL, DENSE = 50, 12582, 1000  # ALL genes; up to DENSE, the k are closely spaced
# changes to EM's settings, which are ten restarts, starts of both signs and a tolerance of 1e-6;
# its authors use |w| and 1e-3
EM_ALSO: list[dict[str, Any]] = [
    *(dict(restarts=r) for r in (1, 30, 100)),
    dict(tol_em=1e-3),
    dict(starts="absolute"),
]


# what runs


def runs(scale):
    """Run about 160 cardinalities at paper scale, and EM with other settings."""
    paper = scale == "paper"
    yield from base.both("mll", {}, _ks(120, 40) if paper else _ks(16), base.MAIN, None)
    yield from truth(scale, "mll", {}, 20, nonnegative=True)
    # the paper states neither the number of restarts nor the tolerance, and times depend on both
    also = [("em", base.EM | changed) for changed in EM_ALSO]
    for solver, settings in (("spannogram", base.ALG3), ("em", base.EM), *also):
        timed: dict[str, Any] = dict(settings=dict(k=K, **settings), timed=True, label=base.TIME)
        yield Run(dataset="mll", solver=solver, **timed)


def _ks(count, further=0):
    """Return cardinalities up to 1000, and ``further`` cardinalities up to the number of genes."""
    beyond = np.geomspace(DENSE, ALL, further + 1).round().astype(int).tolist()
    return [*base.grid(DENSE, count, [K]), *beyond[1:]]


def data(table):
    """Return the data of the trade-off, and the times of EM beside Algorithm 3's.

    seconds : time of EM, with its settings in ``reading``. ratio : time of Algorithm 3 in the same
    round, divided by it. longer : the longer one of both times.
    """
    prepared = base.data(table)
    timed = prepared.rows[prepared.rows.label == base.TIME]
    timed = timed.assign(seconds=timed.setup_time + timed.solve_time)
    em, mine = (timed[timed.solver == solver] for solver in ("em", "spannogram"))
    # within a round, because both runs met the same state of the machine
    beside, names = (em["repeat"].map(mine.set_index("repeat")[of]) for of in ("seconds", "row"))
    prepared.times = em.assign(
        reading=[_of(settings) for settings in em.settings],
        ratio=beside / em.seconds,
        longer=np.maximum(beside, em.seconds),
        row_mine=names,
    )
    return prepared


def _of(settings):
    """Describe the settings of a run of EM."""
    tolerance = f", tolerance {settings['tol_em']:g}" if "tol_em" in settings else ""
    starts = ", starts |w|" if settings.get("starts", "absolute") == "absolute" else ""
    return f"{counted(settings['restarts'], 'restarts')} of EM{tolerance}{starts}"


# what is drawn


def draw(data, axes):
    """Plot the trade-off between variance and cardinality."""
    signed, absolute = (A4.told(data, f"centred, {called}") for called in base.STARTS)
    title = f"Algorithm 3 over EM: {signed}; EM from $|w|$: {absolute}"
    shared.draw_trade_off(data, axes, title)


# what is claimed

PREPARED = {"centred": base.MAIN}  # because the paper's vectors are zero-mean (section 1)
WHERE = "section 7, figure 5"
THIRD = DENSE / 3  # the paper gives no cardinality for "low" and "larger"
A13, A17, A22 = shared.A13, shared.A17, shared.A22

A4 = claim(
    "A4",
    WHERE,
    "For low values of k, Alg. 3 outperforms the EM algorithm in terms of explained variance",
    measures="variance of Algorithm 3 / variance of EM at equal k, up to k = 333; a tie does not "
    "outperform",
    unit="times",
    rule=meaning.MORE,
    at=claims.every("values of k", high=THIRD),
    null=1.0,
    deviates="Low has no number in the paper: k up to 333, a third of the largest k that we first "
    "ran.",
    changed="it was enough if 80 % of our grid satisfied it, without ties within 1e-6",
    rows=partial(shared.beside_em, prepared=PREPARED, column="ratio"),
)
A5 = claim(
    "A5",
    WHERE,
    "For larger values, the two algorithms exhibit similar performance",
    rule=meaning.SIMILAR,
    at=claims.every("values of k", low=2 * THIRD),
    deviates="Larger has no number in the paper: k from 667 on, two thirds of the largest k that "
    "we first ran.",
    rows=partial(shared.beside_em, prepared=PREPARED),
    **shared.APART,
)
A6 = claim(
    "A6",
    WHERE,
    "For k as small as 50 ... the extracted component captures at least 44.6% of the variance "
    "corresponding to the true nonnegative k-sparse PC",
    kind="number",
    measures=f"{shared.EXPLAINED} at k = {K}",
    unit="%",
    rule=meaning.printed_or_more("44.6"),
    null=100 * K / ALL,  # random variables
    paper=[claims.PaperNumber(44.6)],
    changed="the number had to have the printed digits, but the words are 'at least'; before that, "
    "33.5 to 55.7 % were 44.6 %, and at first a value that is no bound was judged",
    deviates="More than the printed number satisfies 'at least', although it does not reproduce "
    "the number.",
    rows=partial(shared.by_preparation, prepared=PREPARED, column="explained", ks=[K]),
)
A23 = claim(
    "A23",
    WHERE,
    "The obtained upper bound is a significant improvement compared to the trivial bound given by "
    "lambda_1",
    measures=f"min(q / (1 - eps) + lambda_4, lambda_1) / lambda_1 at k = {K}, the k of the "
    "sentence before it",
    unit="times",
    rule=meaning.SIGNIFICANTLY_LESS,
    null=1.0,
    changed="it was a part of A17, asked at every k",
    rows=partial(shared.by_preparation, prepared=PREPARED, column="upper", ks=[K]),
)


@claim(
    "A14",
    "section 8",
    "in practice we observed similar speed, both in the order of a few seconds",
    measures="time of Algorithm 3 / time of EM at k = 50, one thread, interleaved",
    unit="times",
    rule=meaning.COMPARABLE,
    null=1e-4,  # a single one of the 9,440 samples of Algorithm 3
    also=[claims.Part("time", "the longer of the two times", "s", claims.at_most(10))],
    deviates="A few seconds have no word in the table: at most ten. The paper names no data; genes "
    "at k = 50 are our choice.",
    changed="the minimum of the rounds was judged, without an interval; a single restart was a "
    "reading, too",
    because={
        "30 restarts of EM": "EM's time grows with the number of restarts, so the ratio is in "
        "favour of Algorithm 3."
    },
    timed=True,
)
def A14(data):
    """Judge several numbers of restarts, because the paper says 'multiple' without a number."""
    several = data.times[data.times.reading != _of(dict(restarts=1, starts="signed"))]
    for reading in several.groupby("reading").seconds.median().sort_values().index:
        times = several[several.reading == reading]
        for part, column in (("", "ratio"), ("time", "longer")):
            rounds: dict[str, Any] = dict(seed="repeat", over="rounds", reading=reading, part=part)
            yield claims.tidy(times, column, f"k = {K}", **rounds)
