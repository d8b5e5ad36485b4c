"""Write the table from which `advise` answers: what each solver reached on each pair, and when."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from spcabench.comparison import advice, best_known, ranking, stored, suite

SUITES = ("standard", "certified", "large", "nonnegative")
KIND_OF = {"spiked, strong": "spiked", "spiked, weak": "spiked", "two spikes": "spiked"}
KIND_OF |= {"published": "published tables", "sparse data": "random sparse"}
COLUMNS = [*advice.PAIR, "kind", "n", "m", "nnz", "solver", "share", "time", "proves", "anytime"]
DIGITS = 4  # of the fractions reached before the end of a run


def write(compare: Path, file: Path) -> bool:
    """Write the answers in results/published/compare, and return whether there are any."""
    folders = [compare / name for name in SUITES if (compare / name / stored.ROWS).is_file()]
    if not folders:
        return False
    known = best_known.read()
    tables = [_of_suite(folder, known) for folder in folders]
    if (several := compare / "components" / "table.parquet").is_file():
        tables.append(_of_components(several, pd.concat(tables)))
    table = pd.concat(tables, ignore_index=True)
    table = table[table.answered]
    table["anytime"] = [_anytime(row) for row in table.itertuples()]
    # without a time of writing, so that equal tables are equal files
    packing = {"method": "gzip", "mtime": 0}
    table[COLUMNS].to_csv(file, index=False, float_format="%.8g", compression=packing)
    return True


def _anytime(row: Any) -> str:
    """Return the improvements of a run before its end, "SECONDS:FRACTION ..." of the best value."""
    reached, best = [], 0.0
    before = (values[:-1] for values in ranking.course(row, "time"))
    for seconds, share in zip(*before, strict=True):
        share = round(float(share), DIGITS)
        if share > best:
            best = share
            reached.append(f"{seconds:.3g}:{share:g}")
    return " ".join(reached)


def _of_suite(folder: Path, known: dict[Any, best_known.Entry]) -> pd.DataFrame:
    rows = stored.Comparison.read(folder).rows
    answers = ranking.standing(rows, known)
    proven = answers.claimed_bound * (1.0 - best_known.PROVEN) <= answers.value
    sizes = answers.groupby("item")[["n", "m", "nnz"]].transform("max")
    return answers.assign(
        mode=np.where(answers.sign, "nonnegative", "signed"),
        kind=answers.family.replace(KIND_OF),
        r=1,
        proves=proven & answers.own.eq(True),
        **sizes,
    )


def _of_components(file: Path, single: pd.DataFrame) -> pd.DataFrame:
    """Return the answers for several components, with a row for each way to use a solver."""
    table = pd.read_parquet(file)
    table = table[(table.kind == "components") & table.formulation.isin(advice.MODES)]
    size_of = single.drop_duplicates("item").set_index("item")[["n", "m", "nnz"]]
    known_n = {item.name: item.n for item in suite.COMPONENTS}
    n = table.item.map(size_of.n).fillna(table.item.map(known_n))
    ways = table.groupby(["solver", "formulation"]).how.transform("nunique")
    how = " (" + table.how.str.replace("_", " ") + ")"
    return table.assign(
        mode=table.formulation,
        kind=table.family.replace(KIND_OF),
        solver=table.solver.where(ways == 1, table.solver + how),
        asked=table.k,
        n=n,
        m=table.item.map(size_of.m),
        nnz=table.item.map(size_of.nnz).fillna(n**2),
        answered=table.share.notna(),
        time=table.seconds.where(table.share.notna()),
        search_time=table.seconds,  # a search has no answer until it finishes
        history=None,
        proves=False,
    )
