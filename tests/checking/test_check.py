"""`spcabench new` creates a template that passes all checks; `spcabench check` explains faults."""

import re
import textwrap

import pytest

from spcabench import registry
from spcabench.checking import conformance, contract
from tests import problems

HEAD = '''"""A wrong solver, 2026."""

import ctypes
import faulthandler
import os
import sys
import threading

import numpy as np

from spcabench.iterate import Iterate, Traits
from spcabench.vectors import normalize, project

TRAITS = Traits(control="cardinality"{traits})
EXAMPLE = dict(k=3)
KEPT = {{}}


def solve(problem, *, k{settings}):
    Sigma = problem.covariance
    x = project(Sigma.largest_column(), k)
'''
GOOD = HEAD.format(traits="", settings="") + "    yield x\n"
WRONG = {  # the promise that is broken -> what the solver does, and what is said
    "is feasible": {
        "yield 0.0 * x": "x is zero",
        "x[k:] = -0.1\nyield project(Sigma @ x - 1.0, k)": "below zero",
        "yield project(Sigma.largest_column() + 1e-9, min(k + 1, problem.n))": "4 nonzeros.*k = 3",
        "yield x if problem.n < 9 else normalize(Sigma.largest_column())": "48 nonzeros.*k = 6",
        "yield x * np.nan": "NaN or infinite",
        "yield 2.0 * x": "norm 2; it must be 1",
        "yield x[:-1]": r"shape \(7,\)",
        "yield x[:, None]": r"shape \(8, 1\)",
        "yield x.astype(np.float32)": "x of type float32; use float64",
        "yield x\n1 / 0": "ZeroDivisionError",
        "yield projct(x, k)": "NameError: name 'projct'",
        "sys.exit('enough')\nyield x": "SystemExit",
        "np.ones((200_000, 200_000))\nyield x": "Memory",
        "raise ValueError(chr(0xD800))\nyield x": r"\\ud800",
    },
    "stops at its limits": {
        "yield from ()": "yielded nothing",
        "return x": "it must yield iterates",
    },
    "is never above the optimum": {
        "yield Iterate(x, bound=1e-9)": "upper bound 1e-09",
        "yield np.eye(problem.n)[0]": "TRAITS has exact",
    },
    "mutates nothing": {
        "Sigma.S[:] = np.eye(8)\nyield x": "read-only.*changed in place",
        "S = Sigma.S\nS.flags.writeable = True\nS *= 2.0\nyield x": "array S.* was changed",
        "ctypes.memset(Sigma.S.ctypes.data, 0, 8)\nyield x": "array S of the problem was changed",
    },
    "is invariant": {
        "yield project(np.maximum(Sigma @ np.ones(8), 1e-9), k)": "are flipped",
        "yield project(1.0 / (1.0 + np.arange(problem.n)), k)": "reordered",
        "yield x if Sigma.diagonal().max() < 1e5 else np.eye(len(x))[0]": "times 1000",
    },
    "is repeatable": {
        "yield project(np.random.default_rng().standard_normal(problem.n), k)": "add a setting se",
        "yield project(np.random.standard_normal(problem.n), k)": "two runs differ; add a setting",
        "key = problem.n, problem.form, Sigma.diagonal().sum()\nif key not in KEPT:\n"
        "    for _ in range(9):\n        Sigma @ np.ones(problem.n)\n"
        "KEPT[key] = x\nyield x": "less than half of the flops",
    },
    "works on every form": {
        "yield x if problem.form != 'sparse' else np.eye(8)[5]": "sparse",
        "problem.data\nyield x": "has no data",
    },
    "counts honestly": {
        "yield project(Sigma @ x if problem.n < 9 else Sigma.S @ x, k)": "charged.*on 2 of 10.*48",
        "yield project(np.linalg.eigh(Sigma.S)[1][:, -1], k)": "were charged, but",
    },
    "prints nothing": {"print('iteration 1')\nyield x": "it printed 'iteration 1'"},
}
CASES = [(promise, body) for promise, bodies in WRONG.items() for body in bodies]


def _text(body):
    """Return the text of a solver file with this body, and the traits that it needs."""
    signs, exact = "- 1.0" in body, body.startswith("yield np.eye")
    traits = ', accepts="covariance"' * (".S" in body)
    traits += ", nonnegative=True" * signs + ", exact=True" * exact
    head = HEAD.format(traits=traits, settings=", nonnegative=False" * signs)
    return head + textwrap.indent(body, "    ") + "\n"


@pytest.fixture
def outcome_of(tmp_path):
    """Return a function that runs one check on the text of a solver file."""

    def outcome(promise, text, file="mine.py"):
        (tmp_path / file).write_text(text)
        return conformance.outcome(promise, contract.PROMISES[promise], str(tmp_path / file))

    return outcome


@pytest.mark.parametrize(("promise", "body"), CASES)
def test_a_wrong_solver_is_told_what_is_wrong(promise, body, outcome_of):
    outcome = outcome_of(promise, _text(body))
    assert outcome.verdict == "fails"
    assert re.search(WRONG[promise][body], outcome.sentence), outcome.sentence
    assert "\n" not in outcome.sentence


@pytest.mark.parametrize(
    ("Z", "sentence"),
    [
        ("None", r"Z has shape None; it must be \(8, 2\)"),
        ("x[:, None]", r"Z has shape \(8, 1\); it must be \(8, 2\)"),
        ("np.column_stack([x, x])", "two components: variable . is in more than one loading"),
    ],
)
def test_joint_loadings_of_another_shape_or_formulation_are_named(Z, sentence, outcome_of):
    joint = '"cardinality", components="joint", formulation="disjoint"'
    text = _text(f"yield Iterate(x, Z={Z})").replace('"cardinality"', joint)
    outcome = outcome_of("finds components as stated", text.replace("*, k", "*, k, components=1"))
    assert outcome.verdict == "fails" and re.search(sentence, outcome.sentence)


EXAMPLES = {  # what it is -> the promise that it breaks, and the sentence
    "dict(k=3, fast=True)": (
        "says what it is",
        "EXAMPLE has the unknown settings fast; solve() accepts k",
    ),
    "{1: 2}": ("says what it is", "EXAMPLE has the key 1; its keys must be names of settings"),
    "dict(k='ten')": ("runs its example", "EXAMPLE: k: 'ten'"),
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_wrong_example_is_found(example, outcome_of):
    promise, sentence = EXAMPLES[example]
    outcome = outcome_of(promise, GOOD.replace("dict(k=3)", example))
    assert outcome.verdict == "fails"
    assert outcome.sentence.startswith(sentence), outcome.sentence


def test_an_example_can_have_a_penalty_in_place_of_k(monkeypatch):
    solver = registry.module("solver", "gpower1")
    monkeypatch.setattr(solver, "EXAMPLE", dict(gamma=0.1))
    assert contract.runs_its_example(solver) is None


def test_a_failure_is_said_once_with_the_number_of_problems(tmp_path):
    """Sentences that differ in their numbers only have the same reason."""
    file = tmp_path / "mine.py"
    file.write_text(_text("yield project(Sigma @ x, min(k + 1, problem.n))"))
    outcomes = [*conformance.check(str(file), names=("is feasible", "is invariant"))]
    assert [each.verdict for each in outcomes] == ["fails", "not checked"]
    assert "(on 10 of 10 problems, first on data (5, 8), seed 0)" in outcomes[0].sentence
    assert 'because of the failure in "is feasible"' in outcomes[1].sentence


def test_a_solver_that_changes_the_folder_is_found_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(_text("os.chdir('/')\nyield x"))
    names = ("is feasible", "is invariant")
    assert [each.verdict for each in conformance.check("mine.py", names=names)] == ["holds"] * 2


ENDS = {
    "while True:\n    x = x + 0.0\nyield x": r"\(in wrong.py, line .* in solve\).*endless loop",
    "faulthandler.disable()\nos.kill(os.getpid(), 11)\nyield x": "crashed.*SIGSEGV",
}


@pytest.mark.parametrize("body", ENDS)
def test_an_endless_loop_and_a_crash_are_caught(body, tmp_path):
    (tmp_path / "wrong.py").write_text(_text(body))
    _, first, *others = conformance.check(str(tmp_path / "wrong.py"), 0.8)
    assert first.verdict == "fails" and re.search(ENDS[body], first.sentence), first.sentence
    assert {other.verdict for other in others} == {"not checked"}


def test_a_comparison_names_mistakes_and_a_right_file_has_none(tmp_path, monkeypatch):
    monkeypatch.setattr(contract, "LONG_ENOUGH", 0.3)
    (tmp_path / "mine.py").write_text(_text("S = Sigma.S\nS[0, 0] += 1.0\nyield x"))
    assert all(
        "changed in place" in each for each in conformance.mistakes(str(tmp_path / "mine.py"))
    )
    (tmp_path / "right.py").write_text(GOOD)
    assert conformance.mistakes(str(tmp_path / "right.py")) == []


def test_a_seed_that_is_ignored_is_named(outcome_of):
    """Random starts can differ in their flops, which does not show that something is kept."""
    body = """
x = np.random.default_rng().standard_normal(problem.n)
for _ in range(int(9 * abs(x[0]))):
    Sigma @ x
yield project(x, k)"""
    outcome = outcome_of("is repeatable", _text(body).replace("*, k", "*, k, seed=0", 1))
    assert "two runs with the same seed differ; draw only" in outcome.sentence


@pytest.mark.parametrize("threads", [0, 3])
def test_threads_are_a_mistake_however_busy_the_machine_is(outcome_of, threads):
    """A sort releases the lock of the interpreter, and a busy machine runs threads in turn."""
    body = f"""
def work():
    np.sort(np.arange(200_000.0)[::-1] % 7.0)
others = [threading.Thread(target=work) for _ in range({threads})]
for each in others:
    each.start()
work()
for each in others:
    each.join()
yield x"""
    outcome = outcome_of("uses one thread", _text(body))
    assert outcome.verdict == ("fails" if threads else "holds")


# each kind of control, of which one is exact, then others
RIGHT = ["brute_force", "power_method", "gpower1", "grqi", "nspca", "em"]


@pytest.mark.parametrize("solver", problems.some(3, RIGHT))
def test_right_solvers_hold(solver, monkeypatch):
    monkeypatch.setattr(contract, "LONG_ENOUGH", 0.3)
    for name, promise in contract.PROMISES.items():
        assert conformance.outcome(name, promise, solver).verdict == "holds"


@pytest.mark.parametrize("largest", [14, 100])
def test_a_solver_for_small_problems_is_checked_on_small_problems(largest, outcome_of):
    text = _text("yield x").replace('"cardinality"', f'"cardinality", largest={largest}')
    assert outcome_of("is feasible", text).verdict == "holds"


def test_a_solver_that_does_not_count_is_not_audited():
    solver = next(s for s in registry.names("solver") if s not in problems.COUNTED)
    promise = contract.PROMISES["counts honestly"]
    assert conformance.outcome("counts honestly", promise, solver).verdict == "not checked"


def test_the_template_holds_and_is_not_overwritten(spcabench, here):
    made = [spcabench("new", "solver", "brand_new") for _ in range(2)]
    assert [done.returncode for done in made] == [0, 2] and "already exists" in made[1].stderr
    checked = spcabench("check", "brand_new.py")
    assert checked.returncode == 0 and checked.stdout.count("holds  ") == len(contract.PROMISES)
