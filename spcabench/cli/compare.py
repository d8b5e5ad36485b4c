"""The command `compare`."""

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spcabench import files, registry
from spcabench.cli import options
from spcabench.errors import InputError
from spcabench.files import say

if TYPE_CHECKING:
    from spcabench.comparison.entrants import Entrant

HOME = Path("results") / "compare"
COMPONENTS, SEEDS = "components", 5  # copied from `comparison.entrants`, which is slow to import
# other entries of the folder HOME
TAKEN = ("commands", "drafts", "jobs", "rows", "tuning", "workflow.log")

Named = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SOLVERS",
        help="Names of solvers, separated by spaces or commas, or files, separated by spaces. The "
        "default is all solvers.",
    ),
]
Against = Annotated[
    str,
    typer.Option(
        help="Other solvers in the comparison: names separated by commas, all, or none. Without "
        "SOLVERS, only these solvers are compared."
    ),
]
Suite = Annotated[
    str | None,
    typer.Option(
        help="Problems to solve: standard (the default), quick, text, genes, nonnegative, "
        "adversarial, certified, large, or components (several components)."
    ),
]
Limit = Annotated[
    float,
    typer.Option(help="Maximum seconds per run.", min=0.01, callback=options.finite),
]
Settings = Annotated[str, typer.Option(help="Settings of the solvers: default, paper or tuned.")]
Fresh = Annotated[
    str | None,
    typer.Option(
        metavar="[SEED]",
        help="Use new problems of the same families for all solvers, drawn with SEED, or with a "
        "new seed, which is printed.",
    ),
]
Draft = Annotated[
    bool,
    typer.Option(
        "--draft",
        help="Run one solver once on each pair, without a page, and print what changed since the "
        "last draft. The default suite is then quick.",
    ),
]
Command = Annotated[
    str | None,
    typer.Option(
        metavar="WORDS",
        help="Command of a solver in any language, such as 'julia my.jl {data} {k} {out}'; "
        "requires --name. {data} or {covariance} is the problem as .npy file ({data:csv} for "
        "text). The command writes a vector to {out} as text ({out:npy} for .npy).",
    ),
]
Seeds = Annotated[
    int,
    typer.Option(
        help="Number of seeds for a randomised solver, which is ranked by its mean.", min=1, max=100
    ),
]
Paper = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Write material for a paper to this folder: a table with intervals, figures (PDF) and "
        "references.",
    ),
]
Title = Annotated[
    str | None,
    typer.Option(
        "--name",
        help="Name of the page (by default derived from the solvers), or of the solver in "
        "--command.",
    ),
]


def compare(
    named: Named = None,
    against: Against = "all",
    suite: Suite = None,
    k: options.Cardinalities = None,
    time_limit: Limit = 2.0,
    settings: Settings = "default",
    fresh: Fresh = None,
    draft: Draft = False,
    seeds: Seeds = SEEDS,
    command: Command = None,
    name: Title = None,
    paper: Paper = None,
    profile: options.Profile = "default",
) -> None:
    """Compare solvers on standard problems.

    Writes a page and prints a table. Only runs that are missing or whose solver has changed are
    executed. With -k, the cardinalities of the problems are replaced.

    For example:

    `spcabench compare grqi gpower1 --suite quick`

    `spcabench compare my_method.py --draft`
    """
    from spcabench.comparison import draft as drafts
    from spcabench.comparison import entrants, making, tuning
    from spcabench.running import workflow

    # reject invalid options before the descriptions of solvers are read
    workflow.profile_folder(profile)
    if suite is None:
        suite = "quick" if draft else "standard"
    if suite == COMPONENTS and (k or settings != "default" or command or paper or draft):
        excluded = "-k, --settings, --command, --paper and --draft do not apply"
        raise InputError(f"--suite {COMPONENTS}: {excluded}")
    if paper is not None:
        files.make_folder(paper)  # fail before the runs if the folder cannot be written
    own = _solvers(named or [])
    if command is not None:
        own, name = [*own, _of_command(command, name)], None
    if draft and len(own) != 1:
        raise InputError("--draft: specify one solver")
    others = [] if draft else _others(against, suite)
    own = own or ([] if against == "all" else others)
    if not own and against == "none":
        raise InputError("--against none: specify solvers to compare, or omit --against")
    home = options.ROOT / HOME
    terms: dict[str, Any] = dict(settings=settings, limit=time_limit, seeds=seeds)
    terms |= dict(ks=tuple(options.cardinalities(k)), fresh=_seed(fresh))
    requested = [
        tuning.tuned(
            entrants.Entrant.of(s, suite, every_way=suite == COMPONENTS and s in own, **terms),
            home / "tuning",
        )
        for s in dict.fromkeys([*own, *others])
    ]
    if draft:
        say(drafts.draft(requested[0], home, making.progress(requested[0].label)))
        return
    title = name or "-".join([*(Path(solver).stem for solver in own[:3]), requested[0].folder])
    check_title(title)
    page = _page(title, entrants.labelled(requested), own, profile)
    say((page.parent / "ranking.txt").read_text(encoding="utf-8").rstrip())
    say(page)
    if paper is not None:
        from spcabench.page import paper_kit

        say(paper_kit.write(page.parent, paper))


def _seed(fresh: str | None) -> int | None:
    """Return the seed of fresh problems, which is drawn if none was specified, or None."""
    from pydantic import Field  # imported here, because all commands load this file

    from spcabench.comparison import suite

    if fresh == options.NEW:
        seed = suite.new_seed()
        say(f"new problems with seed {seed}; to continue after an interruption: --fresh {seed}")
        return seed
    return None if fresh is None else files.as_type(fresh, Annotated[int, Field(ge=0)], "--fresh")


def _page(title: str, entrants: dict[str, "Entrant"], own: list[str], profile: str) -> Path:
    """Compute the missing rows, and write the page unless it is current; return its path."""
    from spcabench.checking import conformance
    from spcabench.comparison import making
    from spcabench.running import command

    home = options.ROOT / HOME
    page, missing = home / title / "index.html", making.missing(entrants, home)
    named = [label for label, entrant in entrants.items() if entrant.solver in own]
    for label in missing:
        solver = entrants[label].solver
        if solver.endswith(".py") and not command.words_of(Path(solver)):
            for sentence in conformance.mistakes(solver):
                say(f"spcabench: warning: {label}: {sentence}", file=sys.stderr, flush=True)
    if profile != "default" and missing:
        if code := making.compute_elsewhere(entrants, missing, home, profile, len(missing)):
            raise typer.Exit(code)
    else:
        making.compute(missing)
    if missing or not making.is_current(page, entrants, named):
        from spcabench.page import comparison_page

        making.write(page.parent, entrants, named)
        comparison_page.write(page.parent)
    return page


def check_title(title: str) -> None:
    """Raise InputError if the name of a page is reserved or is not a valid folder name."""
    plain = re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_. +-]{0,150}", title)
    if not plain or title in TAKEN or title.endswith((".", " ")):
        raise InputError(
            f"--name: {title!r:.60}; use at most 150 letters, digits, spaces and _.+-, and not the "
            f"names {', '.join(TAKEN)}"
        )


def _of_command(command: str, name: str | None) -> str:
    """Write a solver file that runs an external command, and return its path."""
    from spcabench.running import command as commands

    if name is None or not (name.isidentifier() and name.isascii()):
        raise InputError(
            f"--name: {name!a}; a --command needs a name that consists of letters, digits and _"
        )
    file = (options.ROOT / HOME / "commands" / f"{name}.py").absolute()
    files.write_changed(file, commands.text_of(command, Path.cwd()))
    return str(file)


def _others(against: str, suite: str) -> list[str]:
    """Return the solvers that ``--against`` names."""
    from spcabench.comparison import entrants

    if against == "all":
        return entrants.solvers_for(suite)
    return [] if against == "none" else _solvers(against.split(","))


def _solvers(words: list[str]) -> list[str]:
    """Return names of solvers, and absolute paths of files; raise InputError for unknown ones."""
    # the name of a file can contain commas
    solvers = [s for word in words for s in ([word] if word.endswith(".py") else word.split(","))]
    for solver in solvers:
        registry.path("solver", solver)
    return [str(Path(s).resolve()) if s.endswith(".py") else s for s in solvers]
