"""The gate finds a planted regression, and reports neither an improvement nor noise."""

import ast
import math
import re
from pathlib import Path

import pytest

from benchmarks import commits, gate
from tests.benchmarks.test_history import save

POWER = '''"""Power steps."""

from spcabench import steps


def solve():
    """Return the flops of a run."""
    return {}
'''
FILES = {
    "spcabench/api.py": "def solve():\n    from spcabench import driver\n",
    "spcabench/driver.py": "LIMIT = 1\n",
    "spcabench/page/colours.py": "COLOUR = 1\n",
    "spcabench/steps/__init__.py": "from spcabench.steps.inner import TWO\n",
    "spcabench/steps/inner.py": "TWO = 2\n",
    "spcabench/steps/table.txt": "1 2\n",
    "solvers/power.py": POWER.format(1000),
    "solvers/other.py": "def solve():\n    return 70\n",
    "datasets/gaussian.py": "SEED = 0\n",
    "datasets/pitprops.py": "SEED = 0\n",
    "README.md": "read me\n",
}
EMPTY = ("spcabench/__init__", "spcabench/page/__init__", "solvers/__init__", "datasets/__init__")


@pytest.fixture(autouse=True)
def _package(commit):
    """A repository with a package of two solvers."""
    commit(FILES | {f"{name}.py": "" for name in (*EMPTY, "datasets/spiked")})


@pytest.fixture
def counted(monkeypatch):
    """Let the gate read the flops of a solver in its file, and not run it."""

    def flops(sha, solver):
        tree = ast.parse(commits.git("show", f"{sha}:solvers/{solver}.py"))
        return ast.literal_eval(tree.body[-1].body[-1].value)

    def measure(shas, solvers, problems):
        keys = [(solver, problem, "flops") for solver in solvers for problem in problems]
        return {sha: {key: flops(sha, key[0]) for key in keys} for sha in shas}

    monkeypatch.setattr(gate, "measure", measure)


ALL = {"power", "other"}
CHANGED = {  # file -> the solvers that its change affects
    "solvers/power.py": {"power"},
    "spcabench/steps/inner.py": {"power"},  # imported by a package that it imports
    "spcabench/steps/table.txt": {"power"},
    "spcabench/driver.py": ALL,  # imported inside a function
    "datasets/gaussian.py": ALL,
    "datasets/pitprops.py": set(),
    "spcabench/page/colours.py": set(),
    "README.md": set(),
}


def test_a_solver_is_measured_if_its_code_or_what_it_imports_changed(commit):
    def measured(base):
        return {name for name, changed in gate.changed_solvers(base).items() if changed}

    same = POWER.replace("Power steps", "Steps").replace("return {}", "return  1000  # flops")
    assert measured(commit({"solvers/power.py": same})) == set()
    for file, solvers in CHANGED.items():
        assert measured(commit({file: f"{Path(file).read_text()}more = 2\n"})) == solvers, file
    with pytest.raises(ValueError, match="cannot be imported"):
        measured(commit({"solvers/power.py": "def solve(:\n"}))


def test_a_regression_fails_and_an_improvement_and_a_change_below_one_percent_do_not(
    commit, counted, capsys
):
    for old, new, code in ((1000, 1020, 1), (2000, 1000, 0), (1000, 1009, 0), (1000, None, 1)):
        commit({"solvers/power.py": POWER.format(old)})
        base = commit({"solvers/power.py": POWER.format(new)})
        assert gate.check(base, ["gaussian-20", "spiked-100"]) == code
        told = capsys.readouterr().out
        assert told.startswith("1 of 2 solvers have the same code")
        assert ("FAILED: power." in told) == (code == 1)
    with pytest.raises(ValueError, match="no solver runs at"):  # the last one failed
        gate.check(commit({"solvers/power.py": POWER.format(7)}), ["gaussian-20"])
    assert gate.check("HEAD", ["gaussian-20"]) == 0
    with pytest.raises(ValueError, match="no commit"):
        gate.check("nothing", ["gaussian-20"])


def test_asv_measures_the_asked_numbers_only(monkeypatch):
    """The solvers and problems of other names, and times, are left out."""
    names = [
        f"{solver}.{measure}('{problem}')"
        for solver in ("power", "power_method", "a_power")
        for measure in ("track_flops", "time_solve", "track_gap")
        for problem in ("gaussian-20", "gaussian-200")
    ]
    chosen = []

    def run(conf, shas, bench, **how):
        chosen.extend(name for name in names if re.search(bench, name))
        for place, sha in enumerate(shas):
            save(conf.results_dir, sha, {"power.track_flops": [place, 7, 7]}, how["machine"])

    monkeypatch.chdir(commits.ROOT)
    monkeypatch.setattr("asv.commands.run.Run.run", run)
    found = gate.measure(["a" * 40, "b" * 40], ["power"], ["p"])
    assert found == {sha * 40: {("power", "p", "flops"): i} for i, sha in enumerate("ab")}
    gate.measure(["a" * 40], ["power"], ["gaussian-20"])
    assert chosen == ["power.track_flops('gaussian-20')", "power.track_gap('gaussian-20')"]


MEASURED = {"flops": 1000, "iterations": 100, "gap": 0.1, "shortfall": 0.2}


@pytest.mark.parametrize("measure", commits.MEASURES)
@pytest.mark.parametrize(
    ("factor", "word"),
    [(1.0, "same"), (1.0099, "same"), (1.011, "worse"), (0.9, "better"), (math.nan, "lost")],
)
def test_a_count_is_worse_from_one_percent_on(measure, factor, word):
    before = {("s", "p", name): value for name, value in MEASURED.items()}
    after = before | {("s", "p", measure): factor * MEASURED[measure]}
    verdicts = {row[2]: row[-1] for row in gate.compare(before, after)}
    assert verdicts == dict.fromkeys(MEASURED, "same") | {measure: word}
    counted = {row[2]: row[-1] for row in gate.compare(before, after, recounted=True)}
    del verdicts["flops"]  # of two conventions
    assert counted == verdicts


def test_an_acceptance_covers_its_solver_and_its_measure_or_all_of_them(commit, counted):
    twice = {"solvers/power.py": POWER.format(2000)}
    base = commit(twice, f"more\n\n{commits.KEY}: power gap: none\n{commits.KEY}: other: none")
    assert gate.check(base, ["gaussian-20"]) == 1
    commit({"README.md": "again"}, f"more\n\n{commits.KEY}: power flops: two products are safer")
    assert gate.check(base, ["gaussian-20"]) == 0
    every = commits.parse(f"{commits.KEY}: *: r", "")
    assert all(every.covers("s", measure) for measure in commits.MEASURES)
    for text in ("grqi", ": reason", "grqi speed: reason"):
        with pytest.raises(ValueError, match="write 'Accepted"):
            commits.parse(f"{commits.KEY}: {text}", "abc")


def test_a_new_solver_must_run_and_one_that_never_ran_decides_nothing():
    new = {("s", "p", "flops"): 10, ("t", "p", "flops"): None, ("u", "p", "flops"): math.nan}
    assert [row[0::5] for row in gate.compare({}, new)] == [("t", "failed")]
    assert gate.compare({("t", "p", "flops"): None}, new) == []


def test_the_flop_convention_is_that_of_the_commit(commit, counted):
    """Flops are not compared between two conventions."""
    base = commit(
        {"solvers/power.py": POWER.format(2000), "spcabench/flops.py": "CONVENTION = 4\n"}
    )
    assert commits.conventions(["HEAD", "HEAD~1"]) == {"HEAD": 4, "HEAD~1": 1}
    assert gate.check(base, ["gaussian-20"]) == 0
