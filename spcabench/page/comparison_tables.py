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
    warnings: Sequence[Mapping[str, Any]] = (),
    published: bool = False,
) -> list[str]:
    """Write all answers, and the ranking as CSV and for LaTeX; return the names of the files.

    warnings : as returned by `warnings`. published : whether to write the answers as Parquet alone,
        a tenth of the size of CSV.
    """
    # a CSV file has no dicts, and Parquet would merge the keys of all rows into one struct
    as_text = {name: answers[name].map(results.to_json) for name in ("settings", "shares")}
    table = answers[list(TABLE)].assign(**as_text)
    files = write_answers(folder, table, published)
    told = [" ".join(w["sentence"] for w in warnings if _concerns(w, s)) for s in ranking.solver]
    write_text(folder / "ranking.csv", ranking.assign(warnings=told).to_csv(index=False))
    write_text(folder / "ranking.tex", latex(ranking, warnings))
    return [*files, "ranking.csv", "ranking.txt", "ranking.tex"]


def write_answers(folder: Path, table: pd.DataFrame, published: bool) -> list[str]:
    """Write all answers as Parquet and, unless published, as CSV; return the names of the files."""
    with replacing(folder / "table.parquet") as aside:
        table.to_parquet(aside, index=False)
    (folder / "table.csv").unlink(missing_ok=True)
    if not published:
        write_text(folder / "table.csv", table.to_csv(index=False))
    return ["table.parquet"] if published else ["table.csv", "table.parquet"]


def failures(answers: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the failures: status, reason, number of runs, and the solvers with this failure."""
    bad = answers[~answers.answered]
    counts = bad.groupby(["solver", "status", "reason"]).size().reset_index(name="count")
    alike = counts.groupby(["status", "reason", "count"]).solver.agg(list).reset_index()
    return alike.to_dict("records")


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
    heads = ["Rank", "Solver", *(head for _, head, _ in LATEX)]
    lines = [
        "% needs \\usepackage{booktabs}",
        f"\\begin{{tabular}}{{ll{'r' * len(LATEX)}}}",
        "\\toprule",
        " & ".join(heads) + r" \\",
        "\\midrule",
    ]
    for entry, begins in zip(ranking.to_dict("records"), ranking.group.diff() > 0, strict=True):
        cells = [_number(entry[name], how) + _interval(entry, name, how) for name, _, how in LATEX]
        key = (cited or {}).get(entry["solver"])
        solver = escaped(entry["solver"]) + (rf"~\cite{{{key}}}" if key else "")
        solver += DAGGER * any(_concerns(warning, entry["solver"]) for warning in warnings)
        rank = entry["rank"].replace(" to ", "--") if entry["answered"] else "--"
        lines += ["\\midrule"] * begins
        lines.append(" & ".join([rank, solver, *cells]) + r" \\")
    lines += ["\\bottomrule", "\\end{tabular}"]
    if warnings:
        lines.append("\n\\par\\smallskip\\raggedright")
    lines += [rf"{DAGGER} {escaped(as_text(warning))}\par" for warning in warnings]
    return "\n".join(lines) + "\n"


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
