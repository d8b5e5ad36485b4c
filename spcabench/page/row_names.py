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


def in_address(name: str) -> str:
    """Convert the name of a problem or solver to a part of an address."""
    return re.sub(r"[^A-Za-z0-9_]+", "-", name)
