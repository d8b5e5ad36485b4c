"""The problems in comparisons of several components."""

from dataclasses import dataclass
from typing import Any

from spcabench.comparison.suite import DATA


@dataclass(frozen=True)
class Item:
    """A problem with numbers of loadings r and cardinalities k.

    counts : the numbers of loadings. ks : the cardinalities. n : number of variables. small :
        whether it is small enough for exact searches and relaxations. held_out : whether it is also
        solved on half of the samples and measured on the other half.
    """

    name: str
    dataset: str
    parameters: dict[str, Any]
    counts: tuple[int, ...]
    ks: tuple[int, ...]
    family: str
    origin: str
    n: int
    small: bool = False
    held_out: bool = False


ITEMS = [
    Item(**entry | {"counts": tuple(entry["counts"]), "ks": tuple(entry["ks"])})
    for entry in DATA["components"]
]
