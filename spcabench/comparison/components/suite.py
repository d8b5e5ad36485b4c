"""The problems on which solvers of several components are compared."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Item:
    """A problem with the numbers of loadings r and the cardinalities k to solve for.

    n : number of variables. small : whether it is small enough for exact searches and relaxations.
        held_out : whether it is also solved on half of its samples and measured on the others.
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


def _published(
    name: str, n: int, counts: tuple[int, ...] = (2, 3), ks: tuple[int, ...] = (5, 10)
) -> Item:
    return Item(
        f"{name} {n}",
        "published",
        dict(name=name),
        counts,
        ks,
        "published",
        "Cory-Wright and Pauphilet (2022)",
        n,
    )


def _spikes(overlap: float) -> Item:
    return Item(
        f"two spikes, overlap {overlap:g}",
        "two_spikes",
        dict(overlap=overlap, seed=0),
        (2,),
        (20,),
        "two spikes",
        "Cory-Wright and Pauphilet (2022)",
        50,
    )


ITEMS = [
    Item("pit props", "pitprops", {}, (2, 3, 6), (5,), "classic", "Jeffers (1967)", 13, small=True),
    Item(
        "gaussian 40",
        "gaussian",
        dict(m=40, n=40, seed=0),
        (2, 3),
        (5, 10),
        "gaussian",
        "Kuleshov (2013)",
        40,
        small=True,
        held_out=True,
    ),
    Item("blocks", "blocks", dict(n=120, seed=0), (3,), (10,), "block", "ours", 120),
    _published("ionosphere", 34),
    _published("geography", 68, (2, 3, 5), (5, 10, 20)),
    _published("communities", 101),
    _spikes(0.1),
    _spikes(0.5),
    _spikes(0.9),
    Item(
        "nips words",
        "bag_of_words",
        dict(corpus="nips", words=300),
        (5,),
        (10,),
        "text",
        "Newman (2008)",
        300,
        held_out=True,
    ),
    Item(
        "colon",
        "alon",
        dict(genes=300),
        (3,),
        (20,),
        "genes",
        "Alon et al. (1999)",
        300,
        held_out=True,
    ),
    Item("faces", "cbcl", {}, (3,), (30,), "faces", "Sung (1996)", 361, held_out=True),
]
