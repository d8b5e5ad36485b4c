"""Short names of rows, shown on pages and accepted by `spcabench rerun`."""

import hashlib
import re

import pandas as pd

from spcabench.running import schema

# columns that identify a run; rounds of timing are one run, so `chain` is used without its round
RUN = [name for name in schema.KEY if name != "repeat"] + ["item", "kind", "asked"]


def hashes(table: pd.DataFrame) -> list[str]:
    """Return the short name of each row: eight digits of a hash that identifies its run.

    table : as returned by `rows.read_text`.
    """
    parts = table[RUN].astype(object).where(table[RUN].notna(), None)
    chains = table.chain.fillna("").astype(str).str.partition("-")[2]
    lines = zip(parts.itertuples(index=False, name=None), chains, strict=True)
    return [hashlib.sha256(repr(line).encode()).hexdigest()[:8] for line in lines]


def answer(item: str, k: float, solver: str) -> str:
    """Return the name of a solver's answer in a comparison: "pit-props/5/tpower"."""
    return "/".join(re.sub(r"[^A-Za-z0-9_]+", "-", word) for word in (item, f"{k:.0f}", solver))
