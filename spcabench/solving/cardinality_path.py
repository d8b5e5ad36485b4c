"""The results for several cardinalities of one component, as a table or a plot."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spcabench.problem.problem import Problem
from spcabench.showing import text
from spcabench.solving.result import Result

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class CardinalityPath(Sequence[Result]):
    """A sequence of results for one component, in increasing order of cardinality.

    For example, ``path[0]`` is the result for the smallest cardinality.

    Attributes
    ----------
    problem : Problem
        The problem that was solved.
    results : list of Result
        The result for each cardinality.
    """

    problem: Problem
    results: list[Result]

    def __getitem__(self, index):
        return self.results[index]

    def __len__(self) -> int:
        return len(self.results)

    def __repr__(self) -> str:
        lines = [f"k = {r.k}: {text.line(self.problem, r)}" for r in self]
        return "\n".join([f"CardinalityPath({self[0].solver} on {self.problem.name})", *lines])

    def _repr_html_(self) -> str:
        computed = all("bound" in vars(result) for result in self)  # never compute bounds here
        table = self.to_frame(bound=computed).to_html()
        return table if computed else f"{table}<p><code>to_frame()</code> also shows the bounds</p>"

    def to_frame(self, bound: bool = True) -> "pd.DataFrame":
        """Return a table with a row for each cardinality.

        Parameters
        ----------
        bound : bool
            Whether to compute certified bounds, and include them and the gaps in the table.

        Returns
        -------
        DataFrame
            The variance, its fraction of the total variance ("share"), the cardinality, the status
            and the variables of each result.
        """
        import pandas as pd

        names = text.names(self.problem)
        rows = [
            text.cells(self.problem, result, bound)
            | {"variables": ", ".join(names[j] for j in result.support)}
            for result in self
        ]
        return pd.DataFrame(rows, index=pd.Index([result.k for result in self], name="k"))

    def to_csv(self, file: Path | str, bound: bool = True) -> None:
        """Write the table returned by `to_frame` to a CSV file."""
        text.write_csv(self.to_frame(bound), file)

    def plot(self, axis: Any = None, bound: bool = True) -> Any:
        """Plot the variance and its certified bound against the cardinality.

        Parameters
        ----------
        axis : matplotlib Axes, optional
            The axes to plot on; by default, the axes of a new figure.
        bound : bool
            Whether to compute and plot the certified bounds.

        Returns
        -------
        matplotlib Figure
            The figure that contains the plot.
        """
        from spcabench.showing import pictures

        return pictures.path(self.results, axis, bound)
