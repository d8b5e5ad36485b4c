"""Test the gate on planted changes: regressions of 2 % of the flops, and harmless changes.

``python -m benchmarks.planted_changes`` copies the package of HEAD, applies each change to a
separate copy, measures the affected solvers on the reduced set of problems, and prints the gate's
verdicts. The gate must report every regression on the expected problem, and no harmless change.
This takes four minutes.
"""

import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from . import best_known, gate
from .commits import full_hash, package_of
from .problems import REDUCED
from .solver_processes import collect

BAD = ("worse", "lost")
FEW = "few = 0.0 * {x}\n        few[: max(1, problem.n // 50)] = 1.0\n        {A} @ few\n"


@dataclass(frozen=True)
class Plant:
    """A change to one file, and the solvers to measure with it.

    on : the problem on which the gate must report a regression; "" for a harmless change.
    """

    name: str
    file: str
    old: str
    new: str
    solvers: tuple[str, ...]
    on: str = ""


def of_solver(solver, name, old, new, on=""):
    """Return a change to the file of one solver."""
    return Plant(name, f"solvers/{solver}.py", old, new, (solver,), on)


def of_layer(file, name, old, new, solvers, on):
    """Return a change to the matrix layer."""
    return Plant(name, f"problem/{file}.py", old, new, solvers, on)


REGRESSIONS = (
    of_solver(
        "gpower1",
        "a product with 2 % of the columns",
        "        x = normalize(A @ z)\n",
        "        x = normalize(A @ z)\n        " + FEW.format(x="z", A="A"),
        on="gaussian-100",
    ),
    of_solver(
        "gpower0",
        "the same, in another solver",
        "        x = normalize(A @ z)\n",
        "        x = normalize(A @ z)\n        " + FEW.format(x="z", A="A"),
        on="genes-1000",
    ),
    of_layer(
        "spectral",
        "the eigendecomposition that a start needs",
        "    charge(eigh_cost(k))\n    w = V =",
        "    charge(eigh_cost(k) + eigh_cost(k) // 50)\n    w = V =",
        ("pmd",),
        "gaussian-100",
    ),
    of_solver(
        "power_method",
        "every 50th product is computed twice",
        "        x = normalize(Sigma @ x)",
        "        j = locals().get('j', 0) + 1\n"
        "        if j % 50 == 0:\n            Sigma @ x\n"
        "        x = normalize(Sigma @ x)",
        on="gaussian-100",
    ),
    of_layer(
        "data",
        "sparse data: the product with the transpose",
        "            charge(A.X.nnz)\n",
        "            charge(A.X.nnz + A.X.nnz // 40)\n",
        ("gpower1", "tpower"),
        "text-200",
    ),
    of_layer(
        "sparse_gram",
        "sparse data: the product with few columns",
        "    charge(work)\n",
        "    charge(work + work // 40)\n",
        ("scol",),
        "text-200",
    ),
    of_layer(
        "working_set",
        "covariance: the product with a sparse vector",
        "        charge(self.R.size)\n",
        "        charge(self.R.size + self.R.size // 50)\n",
        ("tpower", "scol"),
        "spiked-100",
    ),
    of_layer(
        "data",
        "covariance: the product of all restarts",
        "    charge(X.shape[0] * few.nnz)\n",
        "    charge(X.shape[0] * few.nnz + X.shape[0] * few.nnz // 50)\n",
        ("em",),
        "spiked-100",
    ),
    of_layer(
        "data",
        "wide data: the start from the largest column",
        "            charge(m * n)\n        if A.scale",
        "            charge(m * n + m * n // 40)\n        if A.scale",
        ("tpower",),
        "genes-1000",
    ),
    of_layer(
        "spectral",
        "the eigendecomposition of a relaxation",
        "    charge(eigh_cost(_order(A)))\n    w, V",
        "    charge(eigh_cost(_order(A)) + eigh_cost(len(A)) // 50)\n    w, V",
        ("dspca_subgradient",),
        "gaussian-20",
    ),
)
ANY = ("gpower1", "tpower")
HARMLESS = (
    of_solver("tpower", "a comment", "    while True:\n", "    while True:  # no end\n"),
    of_solver("gpower1", "a docstring", "Yield unit loadings z", "Yield loadings z"),
    of_solver(
        "power_method",
        "a renamed variable",
        "        yield x\n        x = normalize(Sigma @ x)",
        "        yield x\n        y = Sigma @ x\n        x = normalize(y)",
    ),
    of_solver("gpower0", "a colour", '"#56B4E9"', '"#56B4EA"'),
    of_solver("em", "the text of an error", "it must be at least 1", "1 is the minimum"),
    of_solver("scol", "an unused constant", "EXAMPLE = ", "UNUSED = 3\nEXAMPLE = "),
    of_solver(
        "gpower1", "an assertion", "    while True:\n", "    while True:\n        assert len(x)\n"
    ),
    Plant(
        "another rounding", "vectors.py", "    return x / norm", "    return x * (1.0 / norm)", ANY
    ),
    of_solver(
        "tpower",
        "a slower loop",
        "        yield x\n",
        "        yield x\n        sum(range(2000))\n",
    ),
    of_solver(
        "tpower",
        "a list in place of an array",
        "start[Sigma.largest_variance()] = 1.0",
        "start[[Sigma.largest_variance()]] = 1.0",
    ),
)
MEMORY = of_solver(
    "tpower",
    "128 MB of memory",
    "    x = project(start, k)\n",
    "    x = project(start, k)\n    block = np.ones(16_000_000)\n    x = x * block[0]\n",
)


def main():
    """Measure every planted change, print the table, and exit with code 1 if the gate was wrong."""
    base = package_of(full_hash("HEAD"))
    plants = (*REGRESSIONS, *HARMLESS, MEMORY)
    solvers = sorted({solver for plant in plants for solver in plant.solvers})
    old = collect(REDUCED, base, jobs=1, solvers=solvers)
    table = Table("change", "measured", "verdict of the gate", "correct", title="Planted changes")
    wrong = 0
    for plant in plants:
        answer, right = outcome(plant, base, old)
        wrong += not right
        table.add_row(plant.name, ", ".join(plant.solvers), answer, "yes" if right else "NO")
        print(f"{plant.name}: {answer}", flush=True)
    Console(width=120).print(table)
    sys.exit(1 if wrong else 0)


def outcome(plant, base, old):
    """Return the gate's verdict on a change, and whether it is correct."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "package")
        shutil.copytree(base, copy)
        change(copy / "spcabench" / plant.file, plant.old, plant.new)
        new = collect(REDUCED, copy, jobs=1, solvers=plant.solvers)
    before = {solver: old[solver] for solver in plant.solvers}
    rows = gate.compare(before, new, best_known.read())
    bad = [row for row in rows if row[-1] in BAD]
    memories = gate.memories(before, new)
    worse = "; ".join(f"{row[0]}, {row[1]}: {row[2]} {row[4] / row[3] - 1:+.1%}" for row in bad)
    larger = "; ".join(
        f"{solver}, {name}: {value / 1e6:+.0f} MB" for (solver, name), value in memories.items()
    )
    if plant is MEMORY:
        return larger or "nothing", bool(memories) and not bad
    if not plant.on:
        return worse or "nothing", bool(rows) and not bad
    named = {(row[1], row[2]) for row in bad}
    return worse or "nothing", (plant.on, "flops") in named


def change(file, old, new):
    """Replace one passage of a file. Raises ValueError unless it occurs exactly once."""
    text = file.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{file.name}: {old!r} occurs {text.count(old)} times")
    file.write_text(text.replace(old, new), encoding="utf-8")


if __name__ == "__main__":
    main()
