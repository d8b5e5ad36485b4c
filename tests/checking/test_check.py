"""`spcabench new` and `spcabench check`: a template that keeps every promise, wrong solvers told
so.
"""

import ast
import re

import pytest

from spcabench import registry
from spcabench.checking import conformance, contract
from tests import problems

HEAD = '''"""A wrong solver, 2026."""

import os
import sys

import numpy as np

from spcabench.iterate import Iterate, Traits
from spcabench.vectors import normalize, project

TRAITS = Traits(control="cardinality"{traits})
EXAMPLE = dict(k=3)


def solve(problem, *, k{settings}):
    Sigma = problem.covariance
    x = project(Sigma.largest_column(), k)
'''
WRONG = {
    "dense": (
        "is feasible",
        "8 nonzeros; at most k = 3 are allowed; project\\(x, k\\)",
        "    yield normalize(Sigma.largest_column())\n",
    ),
    "nan": ("is feasible", "NaN or infinite", "    yield x\n    yield x * np.nan\n"),
    "norm": ("is feasible", "norm 2; it must be 1; project\\(x, k\\)", "    yield 2.0 * x\n"),
    "shape": ("is feasible", r"shape \(2,\)", "    yield np.array([1.0, 0.0])\n"),
    "zero": ("is feasible", "x is zero", "    yield 0.0 * x\n"),
    "sign": (
        "is feasible",
        "both signs",
        "    x[k:] = -0.1\n    yield project(Sigma @ x - 1.0, k)\n",
    ),
    "bound": (
        "is never above the optimum",
        "upper bound 1e-09",
        "    yield Iterate(x, bound=1e-9)\n",
    ),
    "exact": ("is never above the optimum", "TRAITS has exact", "    yield np.eye(problem.n)[0]\n"),
    "random": (
        "is repeatable",
        "default_rng",
        "    i = int.from_bytes(os.urandom(4)) % 8\n    yield np.eye(8)[i]\n",
    ),
    "scale": (
        "is invariant",
        "times 1000",
        "    yield x if Sigma.diagonal().max() < 1e5 else np.eye(8)[0]\n",
    ),
    "flip": (
        "is invariant",
        "change their signs",
        "    yield project(np.maximum(Sigma @ np.ones(8), 1e-9), k)\n",
    ),
    "order": ("is invariant", "change their order", "    yield np.eye(8)[0]\n"),
    "form": (
        "works on every form",
        "sparse",
        "    yield x if problem.form != 'sparse' else np.eye(8)[5]\n",
    ),
    "refuses": ("works on every form", "has no data", "    problem.data\n    yield x\n"),
    "mutates": (
        "mutates nothing",
        "array S was changed",
        "    Sigma.S[:] = np.eye(8)\n    yield x\n",
    ),
    "cheats": ("counts honestly", "were charged, but", "    yield project(Sigma.S @ x, k)\n"),
    "honest when small": (
        "counts honestly",
        "48.*were charged, but",
        "    yield project(Sigma @ x if problem.n < 9 else Sigma.S @ x, k)\n",
    ),
    "dense when large": (
        "is feasible",
        "48 nonzeros; at most k = 6 are allowed",
        "    yield x if problem.n < 9 else normalize(Sigma.largest_column())\n",
    ),
    "prints": (
        "prints nothing",
        "it printed 'iteration 1'",
        "    print('iteration 1')\n    yield x\n",
    ),
    "reaches out": (
        "leaves the harness alone",
        "it imports spcabench.flops.uncharged",
        "    from spcabench.flops import uncharged\n    yield x\n",
    ),
    "raises": ("is feasible", "ZeroDivisionError", "    yield x\n    1 / 0\n"),
    "exits": ("is feasible", "SystemExit", "    sys.exit('enough')\n    yield x\n"),
    "silent": ("stops at its limits", "yielded nothing", "    yield from ()\n"),
}
TRAITS = {
    "sign": ", nonnegative=True",
    "exact": ", exact=True",
    "mutates": ', accepts="covariance"',
}
TRAITS |= {"cheats": TRAITS["mutates"], "honest when small": TRAITS["mutates"]}
ENDS = {
    "loops": ("    while True:\n        pass\n    yield x\n", "endless loop"),
    "crashes": ("    os.kill(os.getpid(), 9)\n", "crashed"),
}


def _write(folder, name, body):
    settings = ", nonnegative=False" if name == "sign" else ""
    file = folder / f"wrong_{name.replace(' ', '_')}.py"
    file.write_text(HEAD.format(traits=TRAITS.get(name, ""), settings=settings) + body)
    return str(file)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_solver_is_told_what_is_wrong(name, tmp_path):
    promise, sentence, body = WRONG[name]
    outcome = conformance.outcome(promise, contract.PROMISES[promise], _write(tmp_path, name, body))
    assert outcome.verdict == "fails"
    assert re.search(sentence, outcome.sentence), outcome.sentence
    assert "\n" not in outcome.sentence


def test_an_example_that_solve_does_not_take_is_found(tmp_path):
    file = tmp_path / "mine.py"
    text = HEAD.format(traits="", settings="") + "    yield x\n"
    file.write_text(text.replace("dict(k=3)", "dict(k=3, fast=True)"))
    name = "says what it is"
    outcome = conformance.outcome(name, contract.PROMISES[name], str(file))
    assert outcome.verdict == "fails"
    assert outcome.sentence == "EXAMPLE has fast; solve() takes k"


def test_a_reason_that_fails_many_checks_is_said_once(spcabench, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(HEAD.format(traits="", settings="") + "    yield problems\n")
    completed = spcabench("check", file)
    assert completed.returncode == 1
    assert completed.stdout.count("NameError") == 1
    assert completed.stdout.count('not reached: it ended as in "stops at its limits"') > 3


def test_prints_of_a_solver_do_not_reach_the_terminal(tmp_path, capfd):
    body = "    print('iteration 1')\n    os.system('echo by a program')\n    yield x\n"
    file = _write(tmp_path, "prints", body)
    assert conformance._outcome("is feasible", file).verdict == "holds"
    printed = capfd.readouterr()
    assert printed.out == printed.err == ""


PRINTS = {
    "at its import": ("print('hello')\n", "    yield x\n"),
    "to the errors at its import": ("print('hello', file=sys.stderr)\n", "    yield x\n"),
    "by a program": ("", "    os.system('echo hello')\n    yield x\n"),
    "past Python": ("", "    os.write(2, b'hello')\n    yield x\n"),
    "in a run": ("", "    print('hello')\n    yield x\n"),
}


@pytest.mark.parametrize("how", PRINTS)
def test_whatever_a_solver_prints_is_found(how, tmp_path):
    above, body = PRINTS[how]
    file = tmp_path / "mine.py"
    head = HEAD.format(traits="", settings="").replace("\nTRAITS", f"\n{above}TRAITS", 1)
    file.write_text(head + body)
    outcome = conformance._outcome("prints nothing", str(file))
    assert outcome.verdict == "fails" and "it printed 'hello" in outcome.sentence
    file.write_text(HEAD.format(traits="", settings="") + "    yield x\n")
    assert conformance._outcome("prints nothing", str(file)).verdict == "holds"


ODD = {
    "is elsewhere": ("    os.chdir('/')\n    yield x\n", None, ""),
    "has an error without words": (
        "    class E(Exception):\n        def __str__(self):\n            1 / 0\n    raise E\n"
        "    yield x\n",
        "is feasible",
        r"E: its message cannot be read \(ZeroDivisionError\)",
    ),
    "has words that no terminal shows": (
        "    raise ValueError(chr(0xD800))\n    yield x\n",
        "is feasible",
        r"\\ud800",
    ),
    "yields nothing that is iterated": (
        "    return x\n",
        "counts honestly",
        "it must yield iterates",
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_solver_gets_a_sentence(name, tmp_path, monkeypatch):
    body, promise, sentence = ODD[name]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(HEAD.format(traits="", settings="") + body)
    outcomes = {outcome.name: outcome for outcome in conformance.check("mine.py", 20.0)}
    if promise is None:
        assert {outcome.verdict for outcome in outcomes.values()} == {"holds"}
    else:
        assert outcomes[promise].verdict == "fails"
        assert re.search(sentence, outcomes[promise].sentence), outcomes[promise].sentence
        outcomes[promise].sentence.encode()


def test_an_example_that_cannot_run_is_found(tmp_path):
    file = tmp_path / "mine.py"
    text = HEAD.format(traits="", settings="") + "    yield x\n"
    file.write_text(text.replace("dict(k=3)", 'dict(k="ten")'))
    name = "runs its example"
    outcome = conformance.outcome(name, contract.PROMISES[name], str(file))
    assert outcome.verdict == "fails"
    assert outcome.sentence.startswith("EXAMPLE: k: 'ten'"), outcome.sentence


def test_a_missing_example_is_said_once(tmp_path):
    file = tmp_path / "mine.py"
    text = HEAD.format(traits="", settings="") + "    yield x\n"
    file.write_text(text.replace("EXAMPLE = dict(k=3)\n", ""))
    outcomes = {outcome.name: outcome for outcome in conformance.check(str(file), 20.0)}
    assert outcomes["says what it is"].sentence.startswith("EXAMPLE is missing")
    assert outcomes["runs its example"].verdict == "not checked"


def test_a_key_of_an_example_is_a_name(tmp_path):
    file = tmp_path / "mine.py"
    text = HEAD.format(traits="", settings="") + "    yield x\n"
    file.write_text(text.replace("dict(k=3)", "{1: 2}"))
    name = "says what it is"
    outcome = conformance.outcome(name, contract.PROMISES[name], str(file))
    assert outcome.sentence == "EXAMPLE has 1; its keys must be names of settings"


@pytest.mark.parametrize(
    ("line", "allowed"),
    [
        ("from ..solving import driver", False),
        ("from spcabench.solving import driver", False),
        ("import spcabench.running.worker", False),
        ("from ..vectors import project", True),
        ("from . import grqi", True),
    ],
)
def test_what_a_solver_imports_of_the_package_is_seen(line, allowed):
    (node,) = ast.parse(line).body
    parts = [name.split(".") for name in contract._imported(node)]
    assert all(p[0] == "spcabench" for p in parts)
    assert all(p[1] in contract.OPEN_TO_SOLVERS for p in parts) is allowed


@pytest.mark.parametrize("name", ENDS)
def test_an_endless_loop_and_a_crash_are_caught(name, tmp_path):
    body, sentence = ENDS[name]
    file = _write(tmp_path, name, body + "    yield x\n")
    _, first, *others = conformance.check(file, 2.0)
    assert first.verdict == "fails" and sentence in first.sentence
    assert {other.verdict for other in others} == {"not checked"}


@pytest.mark.parametrize("solver", ["grqi", "gpower1", "em", "nspca", "power_method"])
def test_right_solvers_hold(solver):
    for name, promise in contract.PROMISES.items():
        assert conformance.outcome(name, promise, solver).verdict == "holds"


def test_a_solver_that_does_not_count_is_not_audited():
    solver = next(s for s in registry.names("solver") if s not in problems.COUNTED)
    promise = contract.PROMISES["counts honestly"]
    assert conformance.outcome("counts honestly", promise, solver).verdict == "not checked"


def test_the_template_holds_and_is_not_overwritten(spcabench, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    completed, again = (
        spcabench("new", "solver", "brand_new"),
        spcabench("new", "solver", "brand_new"),
    )
    assert (completed.returncode, again.returncode) == (0, 2)
    assert "already exists" in again.stderr
    assert (
        spcabench("new", "figure", "brand_new").returncode
        == spcabench("new", "solver", "not-a-name").returncode
        == 2
    )
    checked = spcabench("check", "brand_new.py")
    assert checked.returncode == 0 and checked.stdout.count("holds  ") == len(contract.PROMISES)
    assert spcabench("check", "missing.py").returncode == 2
