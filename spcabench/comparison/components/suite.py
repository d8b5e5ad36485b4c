"""The problems in comparisons of several components."""

from spcabench.comparison.suite import Item, fresh_of, listed

ITEMS = listed("components")


def items(fresh: int | None = None) -> list[Item]:
    """Return the problems, or new problems of the same families for a seed."""
    if fresh is None:
        return ITEMS
    return [fresh_of(item, fresh, place) for place, item in enumerate(ITEMS)]
