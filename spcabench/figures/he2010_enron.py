"""He, Monteiro, Park (2010), section 3.2: Enron e-mails, memory and time with dense and with
implicit centring.

39861 documents x 28102 words, 3.7 million nonzeros, s = 100. The paper's attempt to centre the
matrix ran out of memory; its method needs the sparse counts and the words' means only. Where Enron
is not at hand the matrix is a synthetic one of its shape; this claim needs no more than shape and
nonzeros. Memory is what a process of its own took above the loaded problem, at its peak; time is
that of a single run, one thread.
"""

from typing import Any

import pandas as pd

from spcabench.claims import Statement, decided
from spcabench.errors import InputError
from spcabench.run import Measure, Run
from spcabench.style import look

PANELS, SIZE = (1, 1), (8.0, 2.0)

H13 = Statement(
    id="H13",
    quote="When we try to center the 39861 by 28102 sparse matrix W, MATLAB returns out of memory. "
    "However, using our algorithm there is no need to install the centered data explicitly",
    where="section 3.2",
    test="bytes of the dense centred matrix against the peak memory of Mcol-PCA above the sparse "
    "problem",
    threshold="at least 8.9 GB dense; at most 150 MB above the sparse matrix",
    any_data=True,
    timed=True,
)


def runs(scale):
    """The same at both scales."""
    enron: dict[str, Any] = dict(dataset="bag_of_words", parameters=dict(corpus="enron"))
    yield Run(solver="mcol", settings=dict(k=100), memory=True, label="memory", **enron)
    yield Run(solver="mcol", settings=dict(k=100), timed=True, label="time", **enron)
    yield Measure(function=storage, label="storage", **enron)


def storage(problem, *, seed):
    """Bytes of the centred matrix, dense and sparse, and whether the suite makes the dense one."""
    X = problem.data.X
    try:
        problem.given_as("data")
        refused = 0.0
    except InputError:
        refused = 1.0
    return {
        "dense": 8.0 * problem.m * problem.n,
        "counts": float(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes),
        "refused": refused,
    }


def data(table):
    """One row: bytes dense, bytes sparse, peak above the problem, seconds, variance share."""
    stored = table[table.label == "storage"].extra
    memory, time = table[table.label == "memory"], table[table.label == "time"]
    if stored.empty or memory.empty or time.empty:
        return pd.DataFrame()
    above = (memory.peak_memory - memory.memory_before).iloc[0]
    best = (time.solve_time + time.setup_time).min()
    return pd.DataFrame(
        [{**stored.iloc[0], "above": above, "seconds": best, "problem": time.problem.iloc[0]}]
    )


def draw(data, axes):
    """Memory as bars on a logarithmic axis, with the outcome and the time beside them."""
    axis = axes.flat[0]
    for row in data.itertuples():
        sparse = row.counts + row.above
        bars = {
            "centred densely": (
                row.dense,
                "#6B6B6B",
                "refused, too large" if row.refused else "made",
            ),
            "Mcol-PCA, centred implicitly": (
                sparse,
                look("mcol")["color"],
                f"{row.counts / 1e6:.0f} MB of counts, {row.above / 1e6:.0f} MB more; "
                f"{row.seconds:.2f} s",
            ),
        }
        for place, (size, colour, words) in enumerate(reversed(bars.values())):
            axis.barh(place, size, height=0.6, color=colour)
            inside = size > 10 * sparse
            axis.annotate(
                f"{size / 1e9:.2f} GB: {words}" if inside else words,
                (size, place),
                xytext=(-6 if inside else 6, 0),
                textcoords="offset points",
                va="center",
                ha="right" if inside else "left",
                color="white" if inside else "black",
            )
        axis.set_yticks(range(len(bars)), list(reversed(bars)))
    axis.set(xscale="log", xlabel="memory, bytes", xlim=(1e6, 3e10))
    axis.grid(axis="y", visible=False)


def claims(data):
    """H13."""
    if data.empty:
        yield H13.judged("undecided", "no runs")
        return
    row = data.iloc[0]
    measured = (
        f"{row.dense / 1e9:.2f} GB dense; {row.above / 1e6:.0f} MB above the "
        f"{row.counts / 1e6:.0f} MB of the "
    )
    measured += f"sparse matrix, {row.seconds:.2f} s ({row.problem})"
    yield H13.judged(decided(bool(row.dense >= 8.9e9 and row.above <= 150e6)), measured)
