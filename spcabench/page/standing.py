"""The standing of solvers in a comparison: their answers, their ranking and their styles."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from spcabench.comparison import best_known, conditions, suite
from spcabench.comparison.ranking import ranking
from spcabench.comparison.ranking import standing as stand
from spcabench.comparison.stored import Comparison
from spcabench.showing import style


@dataclass(frozen=True)
class Standing:
    """A comparison of solvers for one component, with its answers and its ranking.

    differences : why times cannot be compared; empty if they can be.
    """

    comparison: Comparison
    answers: pd.DataFrame
    ranks: pd.DataFrame
    differences: list[str]

    @classmethod
    def of(cls, comparison: Comparison) -> "Standing":
        """Rank the solvers of a comparison."""
        # the best answers to fresh problems are unknown
        table = best_known.read() if comparison.terms.fresh is None else {}
        answers = stand(comparison.rows, table)
        differences = conditions.differences(conditions.of_rows(comparison.rows))
        return cls(
            comparison, answers, ranking(answers, "flops" if differences else "time"), differences
        )

    @property
    def last(self) -> str:
        """The criterion that orders equal solvers, "time", or "flops" if timings differ."""
        return "flops" if self.differences else "time"

    @cached_property
    def looks(self) -> dict[str, dict[str, Any]]:
        """The styles of solvers with answers: named solvers, then the papers', then the best."""
        order = [*self.ranks.solver[self.ranks.answered > 0]]
        first = [*self.comparison.plan.named, *suite.OF_PAPERS]
        first = [name for name in dict.fromkeys(first) if name in order]
        most = max(len(first), len(style.DISTINCT))
        return style.looks([*first, *order], self.comparison.files, most)

    @cached_property
    def coloured(self) -> set[str]:
        """The solvers with a colour; pictures show the others in grey."""
        return {solver for solver, look in self.looks.items() if look["color"] != style.GREY}
