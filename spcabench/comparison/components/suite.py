"""The problems in comparisons of several components."""

from dataclasses import dataclass
from typing import Any

from spcabench.comparison.suite import DATA, fresh_of


@dataclass(frozen=True)
class Item:
    """A problem, with the values of r and k for which it is solved.

    counts : the values of r, the number of loadings. ks : the values of k. n : number of variables.
        small : whether the problem is small enough for exact searches and relaxations. held_out :
        whether loadings are also computed on half of the samples and graded on the other half.
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


def items(fresh: int | None = None) -> list[Item]:
    """Return the problems, or new problems of the same families for a seed."""
    if fresh is None:
        return ITEMS
    return [fresh_of(item, fresh, place) for place, item in enumerate(ITEMS)]
