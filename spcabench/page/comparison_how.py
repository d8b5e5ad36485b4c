"""How a comparison was measured, as a section of its page."""

from pathlib import Path

import pandas as pd

from spcabench.comparison import best_known, conditions, plans, suite
from spcabench.comparison.entrants import Entrant
from spcabench.comparison.ranking import LAST, RANK, RULE
from spcabench.page.comparison_view import Section, problems
from spcabench.page.standing import Standing
from spcabench.page.tables import Table, known
from spcabench.running import command
from spcabench.solving.call import Limits
from spcabench.solving.status import Status


def section(standing: Standing, seeds: str) -> Section:
    """Return the rule, limits, settings, times and problems. seeds : how far seeds differ."""
    comparison, rows = standing.comparison, standing.comparison.rows
    terms, differences = comparison.terms, conditions.differences(conditions.of_rows(rows))
    times = f"Times are not ranked. {' '.join(differences)}"
    if not differences:
        times = (
            f"Times are ranked, because the calibrations of all solvers agree to within "
            f"{conditions.AGREE:.0%}, and few runs waited for the processor."
        )
    known_best = f"Version {best_known.version()} of the frozen table, and these answers."
    if terms.fresh is not None:
        known_best = "The best answers of this comparison; bounds were computed during the runs."
    machines = sorted(set(zip(rows.cpu, rows.commit, strict=True)))
    facts = [
        ("Ranking", f"{RULE}{LAST[standing.last]} {RANK}"),
        (
            "Limits",
            f"{terms.limit:g} s per run. A run without an answer after "
            f"{plans.PATIENCE_FACTOR * terms.limit:g} s is killed, and larger cardinalities of the "
            f"problem are skipped. Relaxations and exact searches are only run on problems with up "
            f"to {plans.SMALL} variables.",
        ),
        ("Times", times),
        ("Best known", known_best),
        ("Settings", f"{terms.settings}: {suite.SETTINGS[terms.settings]['about']}."),
        ("Machine", "; ".join(f"{cpu}, commit {commit[:10]}" for cpu, commit in machines)),
        *([("Seeds", seeds)] if seeds else []),
        *_commands(comparison.entrants, rows),
    ]
    settings = [_settings(*entrant, rows) for entrant in comparison.entrants.items()]
    heads = ("Solver", "Settings", "Stops", "Rule", "Iterates", "At the time limit")
    tables = [
        Table.of(heads, settings, "Settings of the solvers, and the median number of iterates"),
        problems(suite.items(terms.suite, terms.ks, terms.fresh)),
    ]
    words = "rule, limits, settings, times, problems"
    return Section("how", "How it was measured", words, "", facts, tables, linked=True)


def _settings(label: str, entrant: Entrant, rows: pd.DataFrame) -> list[str]:
    """Return a solver's settings, its stopping rule, the rule behind them, and its limits."""
    mine = rows[(rows.solver == label) & (rows.kind == "suite") & (rows.status != Status.SKIPPED)]
    about, own = entrant.about, entrant.own_settings
    left_out = {"k", "start", "seed", "components", "nonnegative", about.traits.penalty}
    values = {name: value for name, value in about.defaults.items() if name not in left_out} | own
    limited = int((mine.status == Status.TIME_LIMIT).sum())
    limits: Limits = about.limits(own)
    stop = "ends by itself" if limits.stop == "end" else f"{limits.stop} below {limits.tol:g}"
    return [
        label,
        ", ".join(f"{key} = {value}" for key, value in values.items()),
        f"{stop}, at most {limits.max_iterations:g} iterates",
        entrant.tuned_on or suite.RULES.get(entrant.solver, ""),
        known(mine.iterations.median(), "{:.0f}"),
        f"{limited} of {len(mine)}",
    ]


def _commands(entrants: dict[str, Entrant], rows: pd.DataFrame) -> list[tuple[str, str]]:
    """Return a fact for each solver that is an external command."""
    facts = []
    for label, entrant in entrants.items():
        mine = rows[(rows.solver == label) & (rows.kind == "suite")]
        started = [e["startup_seconds"] for e in mine.extra if "startup_seconds" in e]
        file = Path(entrant.solver)
        if (
            started
            and file.suffix == ".py"
            and file.is_file()
            and (words := command.words_of(file))
        ):
            told = (
                f"`{words}`, timed from the start of the process to its exit; an empty run takes "
                f"{min(started):.3g} s. Its flops are not counted."
            )
            facts.append((f"Command {label}", told))
    return facts
