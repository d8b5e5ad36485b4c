"""The runs of a solver in a comparison of several components: every way on every problem."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from spcabench.comparison import suite
from spcabench.comparison.components import find
from spcabench.comparison.components.ways import Way, ways
from spcabench.comparison.entrants import COMPONENTS, Entrant
from spcabench.comparison.suite import Item
from spcabench.run import Run
from spcabench.solving.formulations import Formulation

PATIENCE = 40.0  # seconds after which the process of a run is killed
TRUE, HELD_OUT = "components", "components, held out"


def runs(entrant: Entrant) -> Iterator[Run]:
    """Yield all runs, ordered by problem, number of loadings, cardinality and way.

    Loadings are held out on the standard data only, because a sample can contain a row twice.
    """
    ways = _ways(entrant)
    items = suite.items(COMPONENTS, fresh=entrant.fresh)
    for item, standard in zip(items, suite.COMPONENTS, strict=True):
        for r in item.counts:
            for k in item.ks:
                # r orthonormal loadings on k common variables only exist for k >= r
                yield from (
                    _run(entrant, item, way, r, k)
                    for way in ways
                    if k >= r or way.formulation != Formulation.COMMON
                )
        if item.held_out:
            for way in ways:
                yield _run(entrant, standard, way, item.counts[-1], item.ks[-1], HELD_OUT)


def warm(entrant: Entrant) -> Iterator[Run]:
    """Yield untimed runs of every way on a small problem, which compile the kernels."""
    for way in _ways(entrant):
        yield _run(entrant, suite.COMPONENTS[0], way, 2, 3)


def _ways(entrant: Entrant) -> list[Way]:
    return ways(entrant.solver, entrant.about.traits, entrant.every_way)


def _run(entrant: Entrant, item: Item, way: Way, r: int, k: int, kind: str = TRUE) -> Run:
    held_out = kind == HELD_OUT
    settings: dict[str, Any] = dict(
        solver=entrant.solver, how=way.how, r=r, k=k, limit=entrant.limit
    )
    settings["formulation"] = way.formulation.value
    run = Run(
        function=find.components_held_out if held_out else find.components,
        uses=(entrant.solver,),
        settings=settings,
        timed=not held_out,
        timeout=PATIENCE,
        **entrant.asked(item, kind, settings),
    )
    return replace(run, series=f"{item.name}, {way.how}")
