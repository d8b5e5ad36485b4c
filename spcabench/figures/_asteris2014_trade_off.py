"""Pictures and common claims of Figures 4 to 6 of Asteris, Papailiopoulos and Dimakis (2014)."""

from collections.abc import Collection, Iterator, Mapping
from itertools import product
from types import SimpleNamespace
from typing import Any

import pandas as pd

from spcabench import claims
from spcabench.claims import claim, meaning
from spcabench.figures._asteris2014 import CALLED, CONTRAST, MAIN, STARTS, UNCENTRED
from spcabench.showing.style import legend_below, look, plain_log_ticks
from spcabench.showing.words import number

NSPCA = "NSPCA, best of 3"


# what is drawn


def draw_trade_off(data: SimpleNamespace, axes: Any, title: str) -> None:
    """Plot the variance and its bound on the left, and the share of the bound on the right.

    title : title of the left panel.
    """
    left, right = axes.flat
    rows, mine, em = data.judged, look("spannogram"), look("em")
    shade: dict[str, Any] = dict(color=mine["color"], alpha=0.15, linewidth=0)
    left.fill_between(rows.k, rows.value, rows.upper, label="the optimum is here", **shade)
    left.axhline(
        1.0, linestyle="--", label="trivial bound $\\lambda_1$", color="black", linewidth=0.8
    )
    if len(rows) and data.label == MAIN:  # the optimum is known only for the plain data
        data.truth.draw(left, rows.lambda_1.iloc[0])
    few = dict(markevery=max(1, len(rows) // 20))  # hundreds of markers merge into a thick line
    # the curves often coincide, so open markers are drawn below small filled ones
    open_ring = dict(marker="o", markersize=7, markerfacecolor="none", linestyle="-")
    name = "Alg. 3 ($d = 3$, $\\epsilon = 0.1$)"
    left.plot(rows.k, rows.value, label=name, **mine | few | open_ring)
    for called, marker, dashes in zip(STARTS, "ox", ("--", ":"), strict=True):
        style = em | few | dict(marker=marker, markersize=3.5, linestyle=dashes)
        left.plot(rows.k, rows[STARTS[called]], label=f"EM, {called}", **style)
    left.set(ylim=(0, 1.05), ylabel="variance $x^\\top A x / \\lambda_1$", title=title)
    right.plot(rows.k, rows.explained, color=mine["color"], label="of the shaded bound")
    best: dict[str, Any] = dict(color=mine["color"], linestyle="-.", alpha=0.6)
    right.plot(rows.k, rows.certified, label="of the best certified bound", **best)
    for star, (k, percent) in zip("*P", data.printed.items(), strict=False):
        for here in rows.explained[rows.k == k]:
            told = f"the paper: {percent:g} % at k = {k} (here {number(here, '%')})"
            right.plot(k, percent, f"k{star}", markersize=9, label=told)
    right.set(ylim=(0, 105), ylabel="explained by Alg. 3, % of a bound")
    right.set_title(f"Algorithm 3 explains {A13.told(data)} of its bound at the paper's k")
    for axis in (left, right):
        axis.set(xlabel="cardinality $k$", xscale="log")
        plain_log_ticks(axis)
        legend_below(axis)


# what is claimed

FACES = {"contrast-normalised faces": CONTRAST, "raw faces": MAIN}
SPECTRA = {"spectra not centred": UNCENTRED, "centred spectra": MAIN}
# what the paper leaves open: reading -> data set -> label; the first one is calibrated and is drawn
PREPARATIONS = {
    f"{of_faces}, {of_spectra}": {
        "faces": FACES[of_faces],
        "genes": MAIN,
        "LRS": SPECTRA[of_spectra],
    }
    for of_faces, of_spectra in product(FACES, SPECTRA)
}
CONTRASTED = [name for name, of in PREPARATIONS.items() if of["faces"] == CONTRAST]
EXPLAINED = "variance of Algorithm 3 / min(q / (1 - eps) + lambda_4, lambda_1)"
CHOSEN = "58 % at k = 180 (faces), a component that is not sparse at k = 90 (spectra)"
RANK_ONE = (
    "Without centring, the matrix is nearly the rank-one matrix of the mean, and all methods agree."
)
APART: dict[str, Any] = dict(
    measures="100 |variance of Algorithm 3 / variance of EM - 1| at equal k",
    unit="%",
    null=100.0,  # a component without variance
    changed="the median over the k was judged, with an interval over cardinalities",
)


def by_preparation(
    data: SimpleNamespace,
    prepared: Mapping[str, str],
    column: str,
    ks: Collection[float] = (),
    label: str = "k = {:.0f}",
    part: str = "",
) -> Iterator[pd.DataFrame]:
    """Yield a quantity of Algorithm 3 at each k for each preparation.

    The numbers are exact, because there is only one such data set. prepared : a mapping from
    readings to labels of rows. ks : the k, by default all. label : format of the label of a place.
    """
    starts, _, what = column.partition(" ")
    rivals = [of for of in STARTS.values() if of == starts] + ["nspca"] * what.startswith("beside")
    for reading, of in prepared.items():
        rows = data.mine[(data.mine.label == of) & data.mine[column].notna()]
        rows = rows.assign(**{f"row_{rival}": rows[f"run of {rival}"] for rival in rivals})
        rows = rows[rows.k.isin(ks)] if ks else rows
        yield claims.each(rows, "k", column, label, reading=reading, part=part, seed=None)


def under_each(
    data: SimpleNamespace, column: str, ks: Collection[float] = (), suffix: str = ""
) -> Iterator[pd.DataFrame]:
    """Yield a quantity under each of the `PREPARATIONS`; their names get the suffix."""
    prepared = {f"{name}{suffix}": of[data.name] for name, of in PREPARATIONS.items()}
    yield from by_preparation(data, prepared, column, ks, data.place)


@claim(
    "A13",
    "abstract",
    "for all tested datasets our algorithm is provably within 40% - 90% from the unknown optimum",
    kind="number",
    measures=EXPLAINED,
    unit="%",
    rule=claims.at_least(40),
    at=claims.every("values of k"),
    null=100 / 93,  # one of the 93 variables of the spectra
    paper=[claims.PaperNumber(40, 90)],
    deviates="More than 90 % is closer to the optimum than stated, which is no failure.",
    changed="the k for which the paper gives a number were the only reading; before that, all k "
    "were judged, from a single variable on; at first, each of the three data sets had its own "
    "verdict, and the faces had two; for genes k ended at 1000",
    calibrated=CHOSEN,
)
def A13(data):
    """Judge the k for which the paper gives a number, and all k on the data that are drawn."""
    yield from under_each(data, "explained", data.printed)
    drawn = {"all k that we ran, from 1 on": data.label}
    yield from by_preparation(data, drawn, "explained", label=data.place)


CAPPED = ", both bounds at most lambda_1"


@claim(
    "A17",
    "abstract",
    "This bound is significantly tighter than a-priori bounds",
    measures="q / (1 - eps) + lambda_4 / the a-priori bound of Theorem 1, variance / ((1 - eps) "
    "rho_d)",
    unit="times",
    rule=meaning.SIGNIFICANTLY_LESS,
    at=claims.every("values of k"),
    null=1.0,
    changed="raw faces and centred spectra were no readings, and the sentence on lambda_1 (now "
    "A23) was a part of it, asked on genes at every k, at first on all data sets; before that, "
    "both bounds were at most lambda_1; 80 % of our grid had to satisfy the rule; for genes k "
    "ended at 1000",
    because={
        f"{name}{CAPPED}": "Where the rule is missed on faces and genes, the a-priori bound "
        "exceeds lambda_1 and is replaced by it."
        for name in CONTRASTED
    }
    | dict.fromkeys(
        {*PREPARATIONS} - {*CONTRASTED},
        "Raw faces miss it only from 228 of 361 pixels on (the paper's k is 180), where the "
        "guarantee of Theorem 1 is nearly as tight.",
    ),
    calibrated=CHOSEN,
)
def A17(data):
    """Judge both bounds as they are, and at most lambda_1."""
    for column, cap in (("tighter", ""), ("capped", CAPPED)):
        yield from under_each(data, column, suffix=cap)


@claim(
    "A22",
    "abstract",
    "We test our scheme on several data sets, showing that it matches or outperforms the previous "
    "state of the art",
    measures="variance of Algorithm 3 / the larger one of EM's and NSPCA's, at equal k; in units "
    "of lambda_1, one plus the difference / lambda_1",
    unit="times",
    rule=meaning.AS_GOOD,
    at=claims.every("values of k"),
    null=0.5,  # a component with half of the variance
    changed="the unit of the figures' axis was not a reading",
    calibrated=CHOSEN,
)
def A22(data):
    """Judge the data that are drawn, for each kind of start and in both units."""
    units = {"": "beside", ", in units of lambda_1": "beside of_top"}
    for (unit, column), (called, starts) in product(units.items(), STARTS.items()):
        drawn = {f"EM: {called}{unit}": data.label}
        yield from by_preparation(data, drawn, f"{starts} {column}", label=data.place)


def beside_em(
    data: SimpleNamespace, prepared: Mapping[str, str], column: str = "apart"
) -> Iterator[pd.DataFrame]:
    """Yield a comparison with EM at each k, for each preparation and kind of start.

    Notes state how far both methods are below the optimum.
    """
    # the optimum belongs to the requested k, even if fewer variables were used
    plain = data.rows[data.rows.label == MAIN].assign(cardinality=lambda rows: rows.k)
    for (called, starts), (name, of) in product(STARTS.items(), prepared.items()):
        distances = [
            f"{data.truth.distance(rows, 'variance', CALLED[solver])}."
            for solver, rows in plain[plain.starts.isin(["", starts])].groupby("solver", sort=False)
            if solver in CALLED
        ]
        reading = {f"{name}, {called}": of}
        for table in by_preparation(data, reading, f"{starts} {column}"):
            yield claims.noted(table, *(distances if of == MAIN else ()))
