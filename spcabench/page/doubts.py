"""Doubts about the numbers of solvers, which the pages of comparisons list."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import permutations, repeat
from typing import Any

import pandas as pd

from spcabench import registry
from spcabench.comparison import seed_trend, suite
from spcabench.comparison.jobs import Comparison, Job
from spcabench.solving.run_warnings import SENTENCES, Flag
from spcabench.streams import one_line

ALL = "all solvers"
FACTORED = (
    "The harness converted a covariance to data before the run. It needs an eigendecomposition for "
    "this, which no cost includes and which can reveal the answer."
)
PUBLIC = "The problems of the suite are public, so the file could contain their answers (--public)."
CONTINUED = (
    "The comparison was interrupted after its problems had been drawn, and continued later. The "
    "file could have read their answers from elsewhere. --fresh draws new problems."
)
CHANGED = (
    "The file, or a data file that belongs to it, was changed after its problems had been drawn, "
    "so it could contain their answers."
)
CLAIMED = (
    "The rows come from merged folders. Their vectors were graded here, but it is only claimed who "
    "computed them, at which costs, and without knowing the problems."
)
SAMPLES = (
    "The problems are samples of public constructions, and the file could contain supports that "
    "are good for most samples."
)
COMMAND = (
    "Commands are not confined: it could store answers between its runs, or read answers that "
    "another program writes. Read its source before you trust its values and times."
)
BY_COMMAND = (
    "It was compared beside a command, which is not confined and could leave answers for it. "
    "Compare it without the command."
)
TREND = (
    "It finds better answers with later seeds than with earlier ones, as if it kept something "
    "between the runs."
)
NAMESAKE = "Its name is that of a solver of the repository, but it is another file."


def doubt(solver: str, sentence: str, count: int | str = "") -> dict[str, Any]:
    """Return a doubt as a line of the table; ``count`` is the number of affected runs."""
    return {"solver": solver, "sentence": one_line(sentence), "count": count}


def as_text(doubt: Mapping[str, Any]) -> str:
    """Return a doubt as a line of text."""
    runs = f" ({doubt['count']} run{'s' * (doubt['count'] != 1)})" if doubt["count"] else ""
    return f"Doubt, {doubt['solver']}{runs}: {doubt['sentence']}"


def said(
    plan: Comparison, job_of: Mapping[str, Job], answered: Iterable[str], extra: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return doubts: violations of the contract, known problems, and omitted or differing rows.

    answered : labels of the solvers that have an answer.
    """
    job = next(iter(job_of.values()))
    doubts = [
        doubt(solver, f"The solver violates the contract: {sentence}")
        for solver, sentences in plan.broken.items()
        for sentence in sentences
    ]
    if job.fresh is not None and extra["seed_given"]:
        where = f" (in {', '.join(extra['seed_given'])})" if "apart" in extra else ""
        sentence = (
            f"The seed of the fresh problems, {job.fresh}, was specified instead of drawn{where}, "
            "so whoever ran the comparison may have known these problems or tried several seeds."
        )
        doubts.append(doubt(ALL, sentence))
    doubts += [
        doubt(label, sentence)
        for label, theirs in job_of.items()
        if label in answered and not theirs.is_ours
        for sentence, applies in {
            PUBLIC: theirs.fresh is None,
            SAMPLES: theirs.suite in suite.SUITES
            and suite.are_known(suite.items(theirs.suite, theirs.ks, theirs.fresh)),
            CHANGED: label in extra.get("changed", ()),
            CONTINUED: plan.continued,
        }.items()
        if applies
    ]
    if "places" in extra:
        doubts.append(doubt(ALL, CLAIMED))
    # rows of several seeds are rejected with the same sentence
    omitted: Counter[tuple[str, str]] = Counter()
    for omission in extra.get("omissions", []):
        omitted[omission.solver, omission.sentence] += omission.count
    doubts += [doubt(*of, count) for of, count in omitted.items()]
    for solver, (count, places) in extra.get("differences", {}).items():
        sentence = (
            f"Rows of the same run in {' and '.join(places)} differ in value or flops: the solver "
            "is randomised, its versions or the machines differ, or a row was edited."
        )
        doubts.append(doubt(solver, sentence, count))
    return doubts


def of_rows(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Return reasons to doubt a solver's numbers, each with the number of affected runs.

    rows : those of merged comparisons have a column ``place``, the name of the folder.
    """
    flagged = rows.dropna(subset=["flags"])
    places = [f" (In {place}.)" for place in flagged["place"]] if "place" in rows else repeat("")
    pairs = [
        (r.solver, f"{SENTENCES[Flag(flag)]}{place}")
        for r, place in zip(flagged.itertuples(), places, strict=False)
        for flag in r.flags
    ]
    counts = pd.Series(pairs, dtype=object).value_counts()
    doubts = [doubt(solver, sentence, int(count)) for (solver, sentence), count in counts.items()]
    for solver, runs in rows.groupby("solver"):
        # the file was edited during the comparison, or rows come from machines with different
        # versions
        if (versions := runs.solver_sha256.nunique()) > 1:
            sentence = f"Its runs used {versions} different files of this name."
            doubts.append(doubt(solver, sentence, len(runs)))
    runs_a_command = [isinstance(e, dict) and "startup_seconds" in e for e in rows.extra]
    commands = rows.solver[runs_a_command].unique()
    doubts += [doubt(str(s), COMMAND) for s in commands]
    doubts += _of_strangers(rows[rows.own.eq(False) & ~rows.solver.isin(commands)], len(commands))
    for solver, twin in permutations(rows.solver.unique(), 2):
        if _looks(solver) == _looks(twin):
            sentence = f"Its name looks like that of {twin}, another solver."
            doubts.append(doubt(solver, sentence))
    return doubts


def _of_strangers(rows: pd.DataFrame, commands: int) -> list[dict[str, Any]]:
    """Return doubts about files from outside the repository, except for commands.

    commands : the number of commands that were compared, too.
    """
    factored = rows.solver[rows.given.eq("covariance") & rows.form.isin(("data", "sparse"))]
    ours = {_looks(name) for name in registry.names("solver")}
    return [
        *(doubt(str(s), FACTORED, int(count)) for s, count in factored.value_counts().items()),
        *(doubt(s, NAMESAKE) for s in rows.solver.unique() if _looks(s) in ours),
        *(doubt(s, BY_COMMAND) for s in rows.solver.unique() if commands),
        *(doubt(str(s), TREND) for s, part in rows.groupby("solver") if _has_trend(part)),
    ]


def _has_trend(rows: pd.DataFrame) -> bool:
    return seed_trend.trend(rows) > seed_trend.DEVIATIONS


def _looks(name: str) -> str:
    """Return a name without differences that readers overlook: case, _, 0 and O, 1 and l."""
    plain = name.lower().translate(str.maketrans("0i1", "oll", "_"))
    return plain.replace("vv", "w").replace("rn", "m")


def claims(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the solvers from outside the repository that claim upper bounds."""
    # the tests check the bounds of our own solvers
    foreign = rows[rows.claimed_bound.notna() & rows.own.eq(False)]
    sentence = "This solver claims upper bounds, which are not used here."
    return [doubt(str(s), sentence, len(part)) for s, part in foreign.groupby("solver")]
