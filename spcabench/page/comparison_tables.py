"""Write the files of a comparison: all answers, and the ranking as CSV and for LaTeX."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from spcabench.comparison.ranking import not_run
from spcabench.files import one_line, replacing, write_text
from spcabench.running import rows as results
from spcabench.solving.run_warnings import SENTENCES, Flag

TABLE = (
    *("item", "family", "asked", "solver", "status", "reason", "value", "best", "bound", "proven"),
    *("who", "share", "shares", "gap", "cardinality", "variance", "work", "time", "slowest"),
    *("memory", "problem", "form", "settings"),
)
ANSWERS = "table.parquet"
LETTERS = 0x180  # LaTeX knows the letters of European languages, which end here
# columns of the LaTeX table: column, head, format
LATEX = (
    ("answered", "Answered", "{:.0f}"),
    ("at 0.99", r"to 99\,\%", r"{:.0%}"),
    ("at 0.999", r"to 99.9\,\%", r"{:.0%}"),
    ("share", "Share", "{:.3f}"),
    ("gap", "Gap", "{:.2%}"),
    ("time", "Time, s", "{:.3g}"),
    ("flops", "Flops", "{:.3g}"),
)


DAGGER = r"$^\dagger$"  # marks a solver with warnings
ALL = "all solvers"


def warnings(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Return what the harness noticed about the runs: solver, sentence and number of runs."""
    flags = rows[["solver", "flags"]].explode("flags").dropna()
    flags = flags[flags["flags"].isin([*Flag])]  # rows of earlier versions have others
    noticed = [
        {"solver": solver, "sentence": SENTENCES[Flag(flag)], "count": int(count)}
        for (solver, flag), count in flags.value_counts().items()
    ]
    for solver, runs in rows.groupby("solver"):
        if runs.solver_sha256.nunique() > 1:
            sentence = "The file was changed while the comparison ran."
            noticed.append({"solver": solver, "sentence": sentence, "count": len(runs)})
    if len(lost := not_run(rows)):
        sentence = "The harness could not make a run for these pairs, so they are left out."
        noticed.append({"solver": ALL, "sentence": sentence, "count": len(lost)})
    return noticed


def as_text(warning: Mapping[str, Any]) -> str:
    """Return a warning as a line of text."""
    runs = f"{warning['count']} run{'s' * (warning['count'] != 1)}"
    return f"Warning, {warning['solver']} ({runs}): {warning['sentence']}"


def write(
    folder: Path,
    answers: pd.DataFrame,
    ranking: pd.DataFrame,
    warnings: Sequence[Mapping[str, Any]],
) -> list[str]:
    """Write all answers, and the ranking as CSV and for LaTeX; return the names of the files.

    warnings : as returned by `warnings`.
    """
    # Parquet would merge the keys of all rows into one struct
    as_text = {name: answers[name].map(results.to_json) for name in ("settings", "shares")}
    write_answers(folder, answers[list(TABLE)].assign(**as_text))
    told = [" ".join(w["sentence"] for w in warnings if _concerns(w, s)) for s in ranking.solver]
    write_text(folder / "ranking.csv", ranking.assign(warnings=told).to_csv(index=False))
    write_text(folder / "ranking.tex", latex(ranking, warnings))
    return [ANSWERS, "ranking.csv", "ranking.txt", "ranking.tex"]


def write_answers(folder: Path, table: pd.DataFrame) -> None:
    """Write all answers."""
    with replacing(folder / ANSWERS) as aside:
        table.to_parquet(aside, index=False)


def unanswered(answers: pd.DataFrame) -> list[str]:
    """Return a line for each solver and status without an answer, with the number and reason."""
    lines = []
    for (solver, status), part in answers[~answers.answered].groupby(["solver", "status"]):
        # runs with the same status mostly have the same reason
        whys = list(dict.fromkeys(part.reason.replace("", "no reason is known")))
        others = f" (and {len(whys) - 1} more)" if len(whys) > 1 else ""
        lines.append(f"{solver}: {status} on {len(part)}: {one_line(whys[0])}{others}")
    return lines


def _concerns(warning: Mapping[str, Any], solver: str) -> bool:
    """Whether a warning is about a solver, or about all solvers."""
    return warning["solver"] in (solver, ALL)


def latex(
    ranking: pd.DataFrame,
    warnings: Sequence[Mapping[str, Any]] = (),
    cited: Mapping[str, str] | None = None,
) -> str:
    """Return the ranking as a LaTeX table with intervals, in the style of the booktabs package.

    warnings : marked by daggers and listed below the table. cited : solver -> key of its paper.
    """
    entries = ranking.to_dict("records")
    solvers = []
    for entry in entries:
        key = (cited or {}).get(entry["solver"])
        marked = any(_concerns(warning, entry["solver"]) for warning in warnings)
        cite = rf"~\cite{{{key}}}" if key else ""
        solvers.append(escaped(entry["solver"]) + cite + DAGGER * marked)
    columns = {"Rank": [*map(_rank, entries)], "Solver": solvers}
    columns |= {h: [_number(e[n], f) + _interval(e, n, f) for e in entries] for n, h, f in LATEX}
    table = pd.DataFrame(columns).to_latex(
        index=False, escape=False, column_format=f"ll{'r' * len(LATEX)}"
    )
    notes = [rf"{DAGGER} {escaped(as_text(warning))}\par" for warning in warnings]
    head = ["\n\\par\\smallskip\\raggedright"] if notes else []
    return "% needs \\usepackage{booktabs}\n" + table + "\n".join([*head, *notes, ""])


def _rank(entry: Mapping[str, Any]) -> str:
    return entry["rank"].replace(" to ", "--") if entry["answered"] else "--"


def _interval(entry: Mapping[str, Any], name: str, how: str) -> str:
    """Return the interval of a number as text, " [52, 76]", or "" if it has no interval."""
    ends = [entry.get(f"{name} {end}", np.nan) for end in ("low", "high")]
    if pd.isna(ends).any():
        return ""
    return " [" + ", ".join(how.format(end).rstrip("%") for end in ends) + "]"


def _number(value: float, how: str) -> str:
    """Format a number for LaTeX: 1.2e+07 as a power of ten, with the percent sign escaped."""
    if pd.isna(value):
        return "--"
    text = how.format(value).replace("%", r"\,\%")
    mantissa, exponent, power = text.partition("e")
    return rf"${mantissa} \cdot 10^{{{int(power)}}}$" if exponent else text


def escaped(name: str) -> str:
    """Escape the special characters of LaTeX in a text, and replace those that it does not know."""
    special = {c: f"\\{c}" for c in "_&%#${}"} | {"\\": r"\textbackslash{}"}
    special |= {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    special |= {"\n": " ", "≥": r"$\geq$", "≤": r"$\leq$"}
    return "".join(special.get(c, c if ord(c) < LETTERS and c.isprintable() else "?") for c in name)
