"""Run block coordinate ascent and the first-order method on word covariances (Figure 1)."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from spcabench import api, claims
from spcabench.claims.words import number, span
from spcabench.figures._zhang2011 import CORPORA
from spcabench.run import Run
from spcabench.style import DASHES, LETTERS, look, name_lines

ON = ("kos", "ap", "nips")
# number of words in the covariance: the words with the largest variances
WORDS = {"quick": 100, "paper": 500}
BY_SIZE = "text by size"
GOAL, SWEEPS, STEPS = 1e-2, 10, {"quick": 200, "paper": 300}
SIZES = {"quick": (25, 50, 100), "paper": (50, 100, 200, 300, 400, 500)}  # numbers of words
LIMIT = 40  # maximum number of sweeps
METHODS: dict[str, dict[str, Any]] = {
    "bca": dict(K=SWEEPS),
    "bca loose": dict(K=SWEEPS, inner="loose", eps=5e-3),
    "dspca": dict(eps=GOAL, tol=GOAL),
}


def measures(scale: str) -> Iterator[Run]:
    """Yield the runs: for each corpus, one that records the gap and one for each size."""
    for corpus in ON:
        yield Run(
            dataset="bag_of_words",
            parameters=dict(corpus=corpus, words=WORDS[scale]),
            function=on_text,
            settings=dict(steps=STEPS[scale]),
            form="covariance",
            label="text",
            uses=("bca", "bca_continuation", "dspca"),
        )
        for words in SIZES[scale]:
            yield Run(
                dataset="bag_of_words",
                parameters=dict(corpus=corpus, words=words),
                function=sweeps_on_text,
                form="covariance",
                label=BY_SIZE,
                uses=("bca", "bca_continuation"),
            )


def sweeps_on_text(problem: Any, *, seed: int) -> dict[str, Any]:
    """Count BCA's sweeps and flops to the goal, with a penalty that leaves about five words."""
    # the fastest variant searches for the penalty that leaves five words
    component = api.solve(problem, "bca_continuation", k=5)
    lam = component.settings["lam"]
    limits: dict[str, Any] = dict(tol=GOAL, stop="gap", max_iterations=LIMIT)
    result = api.solve(problem, "bca", lam=lam, K=LIMIT, screen=False, **limits)
    return {
        "lam": lam,
        "sweeps": result.iterations,
        "flops": result.flops,
        "gap": result.relaxation_gap,
        "cardinality": component.cardinality,
    }


def by_size(data: pd.DataFrame) -> tuple[pd.DataFrame, list[claims.Place]]:
    """Return the rows of `sweeps_on_text`, and the places of Z4, one for each size."""
    rows = data[data.label == BY_SIZE]
    numbers = pd.DataFrame(rows.extra.tolist(), index=rows.index)
    if rows.empty:
        return rows, []
    rows = rows.assign(
        corpus=[p["corpus"] for p in rows.parameters],
        size=[p["words"] for p in rows.parameters],
        sweeps=numbers.sweeps.astype(float),
        # flops are counted per sweep; the statement treats the number of sweeps separately
        cost=numbers.flops / numbers.sweeps,
        # the gap is recomputed when it is stored, with a different order of summation
        missed=numbers.gap > 1.01 * GOAL,
    )

    def over_corpora(of: pd.DataFrame) -> claims.Measured:
        return claims.geometric_mean(of, "sweeps", "corpus", "corpora", censored="missed")

    powers = [
        dict(corpus=name, power=claims.slope(of["size"], of.cost))
        for name, of in rows.groupby("corpus")
    ]
    # the corpora are the replicates, because all sizes of a corpus share its words
    exponent = claims.mean(pd.DataFrame(powers), "power", "corpus", "corpora")
    places = claims.places(rows, "size", over_corpora, "{:g} words")
    return rows, [*places, claims.Place("words", exponent, part="exponent")]


def on_text(problem: Any, *, seed: int, steps: int) -> dict[str, Any]:
    """Record the certified gap and the elapsed seconds after every iteration of each method.

    All methods solve the relaxation without screening, with a penalty that leaves about five words.
    """
    lam = api.solve(problem, "bca_continuation", k=5).settings["lam"]
    results: dict[str, Any] = {"lam": lam}
    for method, own in METHODS.items():
        solver = method.partition(" ")[0]
        named = {"rho" if solver == "dspca" else "lam": lam}
        result = api.solve(
            # elimination would leave only tens of words, for which every method is fast
            problem,
            solver,
            screen=False,
            history=True,
            max_iterations=steps,
            **named,
            **own,
        )
        history = result.history or []
        results[method] = {
            "gap": [float(h["gap"]) for h in history],
            "seconds": [float(h["seconds"]) for h in history],
        }
    return results


def draw_text(axis: Any, data: pd.DataFrame) -> None:
    """Plot the gap after each sweep of BCA and after each iteration of DSPCA."""
    rows = data[data.label == "text"]
    for row, dashes in zip(rows.itertuples(), DASHES, strict=False):
        for method, name in (("bca", "BCA"), ("dspca", "DSPCA")):
            gap = np.array(row.extra[method]["gap"])
            style = look(method) | dict(linestyle=dashes, marker="", markersize=3)
            corpus = CORPORA[row.parameters["corpus"]]
            # the start is not a sweep, and a logarithmic axis has no zero
            axis.plot(np.arange(1, len(gap)), gap[1:], label=f"{name}, {corpus}", **style)
    size = f", n = {rows.n.iloc[0]:.0f}" if len(rows) else ""
    axis.set(xscale="log", yscale="log", xlabel="sweep of BCA, or iteration of DSPCA")
    axis.axhline(GOAL, color="black", linewidth=0.8, linestyle=":")
    # in the middle, where no curve crosses the line
    style = dict(transform=axis.get_yaxis_transform(), va="bottom", ha="center", fontsize=LETTERS)
    axis.text(0.45, GOAL, f"gap of {100 * GOAL:g} %", **style)
    title = f"text{size}, about five words: BCA needs {span(sweeps(data), 'sweeps')}"
    axis.set(ylabel="certified gap, relative", title=title)
    name_lines(axis)


def sweeps(data: pd.DataFrame) -> list[float]:
    """Return BCA's number of sweeps to the goal for each corpus on which it reached the goal."""
    gaps = [np.array(row["bca"]["gap"]) for row in data.extra[data.label == "text"]]
    # iterate 0 is the start, so the index of an iterate is its number of sweeps
    return [float(np.flatnonzero(gap <= GOAL)[0]) for gap in gaps if min(gap) <= GOAL]


def faster(data: pd.DataFrame, method: str) -> str:
    """State the ratio of DSPCA's time to the goal to that of a variant of BCA, for each corpus."""
    rows, results = data[(data.label == "text") & (method in METHODS)], []
    for row in rows.itertuples():
        part, first = (_seconds(row.extra[name]) for name in (method, "dspca"))
        if part:
            # if DSPCA did not reach the goal, the time of its whole run gives a lower bound
            bound = "" if first else "more than "
            ratio = (first or row.extra["dspca"]["seconds"][-1]) / part
            results.append(f"{CORPORA[row.parameters['corpus']]} {bound}{number(ratio, 'times')}")
    if not results:
        return ""
    return f"On covariances of {rows.n.max():g} words, one run each: {', '.join(results)}."


def _seconds(results: dict[str, list[float]]) -> float | None:
    """Return the seconds until the goal was reached, or None if it was not reached."""
    reached = [s for gap, s in zip(results["gap"], results["seconds"], strict=True) if gap <= GOAL]
    return reached[0] if reached else None
