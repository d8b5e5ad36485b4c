"""The short names of rows, by which a page shows them and `spcabench rerun` finds them."""

import hashlib
import re

import pandas as pd

from spcabench.running import schema

# what a row is a run of; rounds of timing are one run, so `chain` counts without its round
RUN = [name for name in schema.KEY if name != "repeat"] + ["item", "kind", "asked"]


def hashes(table: pd.DataFrame) -> list[str]:
    """The short name of each row: eight digits of a hash of what it is a run of.

    table : as `rows.read_text` gives it.
    """
    parts = table[RUN].astype(object).where(table[RUN].notna(), None)
    chains = table.chain.fillna("").astype(str).str.partition("-")[2]
    lines = zip(parts.itertuples(index=False, name=None), chains, strict=True)
    return [hashlib.sha256(repr(line).encode()).hexdigest()[:8] for line in lines]


def in_address(name: str) -> str:
    """A problem's or solver's name as a part of an address."""
    return re.sub(r"[^A-Za-z0-9_]+", "-", name)
