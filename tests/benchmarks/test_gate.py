"""The gate finds a planted regression, and reports neither an improvement nor noise."""

import importlib.util
import math
import subprocess
from pathlib import Path

import pytest

import spcabench
from benchmarks import commits, gate
from benchmarks.problems import PROBLEMS

POWER = '''"""Power steps."""

import numpy as np

from spcabench import steps
from spcabench.iterate import Traits

TRAITS = Traits(control=None)
DISPLAY = dict(label="power", color="#000000", marker="o")
EXAMPLE = dict()


def solve(problem):
    """Yield a hundred power steps."""
    Sigma = problem.covariance
    x = np.ones(problem.n) / np.sqrt(problem.n)
    for j in range(100):
        yield x
        y = Sigma @ x
        x = y / np.linalg.norm(y)
'''
STEP = "        y = Sigma @ x\n"
FILES = {
    "spcabench/api.py": "def solve():\n    from spcabench import driver\n",
    "spcabench/driver.py": "LIMIT = 1\n",
    "spcabench/page/colours.py": "COLOUR = 1\n",
    "spcabench/steps/__init__.py": "from spcabench.steps.inner import TWO\n",
    "spcabench/steps/inner.py": "TWO = 2\n",
    "spcabench/steps/table.txt": "1 2\n",
    "solvers/power.py": POWER,
    "solvers/other.py": "def solve():\n    pass\n",
    "datasets/gaussian.py": "SEED = 0\n",
    "datasets/pitprops.py": "SEED = 0\n",
    "README.md": "read me\n",
}
EMPTY = ("spcabench/__init__", "spcabench/page/__init__", "solvers/__init__", "datasets/__init__")


@pytest.fixture
def commit(tmp_path, monkeypatch):
    """Return a function that commits files to a repository with a package of two solvers.

    The repository is the current folder. The function returns the commit before.
    """
    monkeypatch.chdir(tmp_path)
    author = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")

    def put(files, message="a change"):
        before = commits.git("rev-parse", "HEAD")
        for name, text in files.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(text, encoding="utf-8")
        for command in (["add", "-A"], ["commit", "-q", "-m", message]):
            subprocess.run(["git", *author, *command], check=True)
        return before

    subprocess.run(["git", "init", "-q"], check=True)
    put(FILES | {f"{name}.py": "" for name in (*EMPTY, "spcabench/iterate", "datasets/spiked")})
    return put


ALL = {"power", "other"}
SAME = POWER.replace("Power steps", "Steps").replace("yield x\n", "yield  x  # the iterate\n")


@pytest.mark.parametrize(
    ("file", "solvers"),
    [
        ("solvers/power.py", {"power"}),
        ("spcabench/steps/inner.py", {"power"}),  # imported by a package that it imports
        ("spcabench/steps/table.txt", {"power"}),
        ("spcabench/driver.py", ALL),  # imported inside a function
        ("datasets/gaussian.py", ALL),
        ("datasets/pitprops.py", set()),
        ("spcabench/page/colours.py", set()),
        ("README.md", set()),
    ],
)
def test_a_solver_is_measured_if_its_code_or_what_it_imports_changed(commit, file, solvers):
    commit({"solvers/power.py": SAME})  # comments, docstrings and layout change nothing
    base = commit({file: f"{(FILES | {'solvers/power.py': POWER})[file]}more = 2\n"})
    assert {name for name, changed in gate.changed_solvers(base).items() if changed} == solvers


@pytest.fixture
def counted(monkeypatch):
    """Let the gate run the solvers of each commit in this process."""

    def measure(shas, solvers, problems):
        return {
            sha: {
                (solver, name, measure): value
                for solver in solvers
                for name in problems
                for measure, value in counts(sha, solver, PROBLEMS[name].make()).items()
            }
            for sha in shas
        }

    def counts(sha, solver, problem):
        file = Path(f"{sha}.py")
        file.write_text(commits.git("show", f"{sha}:solvers/{solver}.py"), encoding="utf-8")
        spec = importlib.util.spec_from_file_location("planted", file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        try:
            result = spcabench.solve(problem, module, limits=spcabench.Limits(max_iterations=99))
        except ZeroDivisionError:
            return {"flops": None, "gap": None}
        return {"flops": result.cost.total_flops, "gap": result.gap}

    monkeypatch.setattr(gate, "measure", measure)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (STEP, f"{STEP}        if j % 50 == 0:\n            Sigma @ x\n", 1),  # 2 % more flops
        (STEP + STEP, STEP, 0),
        (STEP, STEP.replace("Sigma @ x", "-(Sigma @ -x) / 3.0"), 0),  # another rounding
        (STEP, f"{STEP}        1 / 0\n", 1),
    ],
)
def test_a_planted_regression_fails_and_an_improvement_or_a_slower_loop_does_not(
    commit, counted, old, new, code, capsys
):
    commit({"solvers/power.py": POWER.replace(STEP, old), "README.md": "another"})
    base = commit({"solvers/power.py": POWER.replace(STEP, new)})
    assert gate.check(base, ["gaussian-20", "spiked-100"]) == code
    assert ("FAILED: power" in capsys.readouterr().out) == (code == 1)


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


def test_a_share_near_zero_may_round():
    for new, word in ((3e-16, "same"), (1e-3, "worse")):
        ((*_, found),) = gate.compare({("s", "p", "gap"): 1e-16}, {("s", "p", "gap"): new})
        assert found == word


def test_an_acceptance_covers_its_solver_and_its_measure_or_all_of_them(commit, counted):
    twice = {"solvers/power.py": POWER.replace(STEP, STEP + STEP)}
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


def test_the_flop_convention_is_that_of_the_commit(commit):
    commit({"spcabench/flops.py": "CONVENTION = 4\n"})
    assert commits.conventions(["HEAD", "HEAD~1"]) == {"HEAD": 4, "HEAD~1": 1}


def test_in_a_shallow_clone_without_the_base_every_solver_must_run(
    commit, counted, monkeypatch, capsys
):
    commit({"solvers/other.py": POWER.replace(STEP, f"{STEP}        1 / 0\n")})
    url = f"file://{Path.cwd()}"
    subprocess.run(["git", "clone", "-q", "--depth", "1", url, "shallow"], check=True)
    monkeypatch.chdir("shallow")
    assert gate.check("HEAD~1", ["gaussian-20"]) == 1
    assert "NOT COMPARED" in capsys.readouterr().out
