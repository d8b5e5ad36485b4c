"""What a figure asks for: runs and measures, grouped into jobs, each with a fingerprint."""

import ast
import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

from spcabench import registry

Settings = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of a solver on a dataset, as a figure asks for it.

    Parameters
    ----------
    dataset : str
        Name of a dataset.
    parameters : mapping
        Parameters of the dataset.
    solver : str
        Name of a solver.
    settings : mapping
        Settings of `spcabench.solve`: ``k``, ``refit``, those of the run and the solver's own. A k
        below 1 is a share of the variables.
    seed : int
        Seed of the solver.
    match : str, optional
        Name of a solver of the same job. This run follows that solver's run, at the cardinality
        which it reached.
    form : {"covariance", "data", "sparse"}, optional
        Form in which the problem is given. The conversion is not charged.
    timed : bool
        Whether its time is compared. The run is then repeated over many rounds, in turn with the
        other runs on its problem, while nothing else runs.
    memory : bool
        Whether its peak memory is measured too, in a process of its own.
    vectors : bool
        Whether x (and u) are kept in the row.
    timeout : float
        Seconds after which the process is ended. The row says so.
    label : str
        A word by which the figure finds its rows again.
    """

    dataset: str
    parameters: Settings = field(default_factory=dict)
    solver: str
    settings: Settings = field(default_factory=dict)
    seed: int = 0
    match: str | None = None
    form: str | None = None
    timed: bool = False
    memory: bool = False
    vectors: bool = False
    timeout: float = 900.0
    label: str = ""


@dataclass(frozen=True, kw_only=True)
class Measure:
    """One call of a figure's own function, for numbers that no single run of a solver gives.

    It is recorded like a run. Its numbers are in the ``extra`` of the row.

    Parameters
    ----------
    dataset : str
        Name of a dataset.
    parameters : mapping
        Parameters of the dataset.
    function : callable
        ``function(problem, *, seed, **settings)``, defined at the top of a module. It returns a
        dict of numbers.
    settings : mapping
        Keyword arguments of the function.
    seed : int
        Seed that the function is given.
    form : {"covariance", "data", "sparse"}, optional
        Form in which the problem is given.
    timeout : float
        Seconds after which the process is ended. The row says so.
    label : str
        A word by which the figure finds its rows again.
    uses : tuple of str
        Solvers that the function calls. When one of them changes, the function is called again.
    """

    dataset: str
    parameters: Settings = field(default_factory=dict)
    function: Callable[..., Mapping[str, Any]]
    settings: Settings = field(default_factory=dict)
    seed: int = 0
    form: str | None = None
    timeout: float = 900.0
    label: str = ""
    uses: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The function's name, which its rows carry."""
        return self.function.__name__


def runs_of(figure: str, scale: str) -> list[Run | Measure]:
    """All runs of a figure at a scale ("quick" or "paper"), in order."""
    return list(registry.module("figure", figure).runs(scale))


def groups(figure: str, scale: str) -> dict[str, list[Run | Measure]]:
    """The jobs of a figure: one per timed problem, else one per solver with what matches it.

    A figure whose file is broken has one job, "broken", which fails and says why: the others go on.
    """
    try:
        runs = runs_of(figure, scale)
    except Exception:
        return {"broken": []}
    jobs: dict[str, list[Run | Measure]] = {}
    name = ""
    for run in runs:
        if not (isinstance(run, Run) and run.match):
            name = _group(run)
        jobs.setdefault(name, []).append(run)
    return jobs


def _group(run: Run | Measure) -> str:
    if isinstance(run, Run) and run.timed:
        return f"timed-{run.dataset}-{_digest(dict(run.parameters))[:8]}"
    return f"measure-{run.name}" if isinstance(run, Measure) else run.solver


def shared(figure: str) -> tuple[str, ...]:
    """Figures whose rows this one draws too (its constant SHARES), found without importing it."""
    tree = _tree(registry.path("figure", figure))
    for node in tree.body if tree else []:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "SHARES":
            return tuple(ast.literal_eval(node.value))
    return ()


def fingerprint(figure: str, scale: str, group: str) -> str:
    """Hash of all that decides a job's rows: its grid, and the syntax trees of what the worker
    imports.

    Comments, docstrings and layout change nothing; neither does the commit.
    """
    runs = groups(figure, scale).get(group, [])
    files = set(closure(Path(__file__).parent / "running" / "worker.py"))
    for run in runs:
        files |= set(closure(registry.path("dataset", run.dataset)))
        for solver in (run.solver,) if isinstance(run, Run) else run.uses:
            files |= set(closure(registry.path("solver", solver)))
    parts = [_digest([_described(run) for run in runs])]
    parts += [tree_hash(file) for file in sorted(files)]
    measured = {run.name: run.function for run in runs if isinstance(run, Measure)}
    parts += [_function_hash(function) for _, function in sorted(measured.items())]
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:16]


def _described(run: Run | Measure) -> dict[str, Any]:
    """A run as a dict, a function by its name: its place in memory says nothing."""
    return asdict(run) | ({"function": run.name} if isinstance(run, Measure) else {})


def drawing_fingerprint(figure: str) -> str:
    """Hash of what decides how a figure is drawn and judged, its runs apart."""
    here = Path(__file__).parent
    files = [
        registry.path("figure", figure),
        here / "style.py",
        here / "claims.py",
        here / "page" / "draw.py",
    ]
    files += sorted(p for p in (here / "figures").glob("_*.py") if p.stem != "__init__")
    colours = [
        ast.dump(node)
        for name in registry.names("solver")
        for node in _colour(registry.path("solver", name))
    ]
    return hashlib.sha256(
        "".join([*(tree_hash(file) for file in files), *colours]).encode()
    ).hexdigest()[:16]


def _colour(file: Path) -> list[ast.stmt]:
    """The statements that set a solver's COLOUR: they change drawings and no runs."""
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except SyntaxError:
        return []
    return [node for node in tree.body if _sets_colour(node)]


def _sets_colour(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "COLOUR"


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()


@lru_cache
def _tree(file: Path) -> ast.Module | None:
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if (
            isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef))
            and ast.get_docstring(node) is not None
        ):
            node.body = node.body[1:]
    tree.body = [node for node in tree.body if not _sets_colour(node)]
    return tree


@lru_cache
def tree_hash(file: Path) -> str:
    """Hash of a file's syntax tree without docstrings and colour; of its text where it has none."""
    tree = _tree(file)
    text = ast.dump(tree) if tree else file.read_text(encoding="utf-8")
    return hashlib.sha256(text.encode()).hexdigest()


def _function_hash(function: Callable[..., Any]) -> str:
    """Hash of a function, of what it uses in its module, and of the files that it imports there."""
    name, file = function.__name__, sys.modules[function.__module__].__file__
    tree = _tree(Path(file)) if file else None
    used, pending = {name}, [name]
    nodes: dict[int, ast.stmt] = {}
    while pending:
        current = pending.pop()
        for node in tree.body if tree else ():
            if id(node) not in nodes and current in _names_set(node):
                nodes[id(node)] = node
                pending += {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - used
                used |= set(pending)
    imports = ast.Module(
        [n for n in nodes.values() if isinstance(n, (ast.Import, ast.ImportFrom))], []
    )
    files = {inner for path in _imported(imports) if path.is_file() for inner in closure(path)}
    dumps = sorted(
        ast.dump(n) for n in nodes.values() if not isinstance(n, (ast.Import, ast.ImportFrom))
    )
    return _digest([*dumps, *(tree_hash(path) for path in sorted(files))])


def _names_set(node: ast.stmt) -> set[str]:
    """The names that a statement of a module gives a meaning."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    return {getattr(node, "name", "")} | {
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and _stored(n)
    }


def _stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


@lru_cache
def closure(file: Path) -> tuple[Path, ...]:
    """A file and every file of spcabench that it imports, directly or not."""
    seen: dict[Path, None] = {}
    pending = [file]
    while pending:
        current = pending.pop()
        if current not in seen and current.is_file():
            seen[current] = None
            pending += _imported(_tree(current))
    return tuple(seen)


def _imported(tree: ast.Module | None) -> Iterator[Path]:
    here = Path(__file__).parent
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.ImportFrom) and (
            node.level or (node.module or "").split(".")[0] == "spcabench"
        ):
            parts = (node.module or "").split(".")
            inner = [p for p in parts if p and p != "spcabench"]
            folder = here.joinpath(*inner)
            yield folder.with_suffix(".py")
            yield from (folder / f"{alias.name}.py" for alias in node.names)


def interleaved(runs: list[Run | Measure]) -> Iterator[list[Run | Measure]]:
    """Runs that follow each other as one: each run with those that match it."""
    for _, chain in groupby(enumerate(runs), key=lambda pair: _leader(runs, pair[0])):
        yield [run for _, run in chain]


def _leader(runs: list[Run | Measure], index: int) -> int:
    run = runs[index]
    while isinstance(run, Run) and run.match and index:
        index -= 1
        run = runs[index]
    return index
