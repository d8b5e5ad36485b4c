"""`spcabench new` creates a template that passes all checks; `spcabench check` explains faults."""

import re
import textwrap

import pytest

from spcabench import registry
from spcabench.checking import conformance, contract
from spcabench.running import process
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
    "zero": ("is feasible", "x is zero", "yield 0.0 * x"),
    "sign": ("is feasible", "both signs", "x[k:] = -0.1\nyield project(Sigma @ x - 1.0, k)"),
    "bound": ("is never above the optimum", "upper bound 1e-09", "yield Iterate(x, bound=1e-9)"),
    "exact": ("is never above the optimum", "TRAITS has exact", "yield np.eye(problem.n)[0]"),
    "flip": (
        "is invariant",
        "are flipped",
        "yield project(np.maximum(Sigma @ np.ones(8), 1e-9), k)",
    ),
    "form": (
        "works on every form",
        "sparse",
        "yield x if problem.form != 'sparse' else np.eye(8)[5]",
    ),
    "refuses": ("works on every form", "has no data", "problem.data\nyield x"),
    "mutates": (
        "mutates nothing",
        "read-only.*changed in place",
        "Sigma.S[:] = np.eye(8)\nyield x",
    ),
    "honest when small": (
        "counts honestly",
        "were charged, but.*on 2 of 10 problems.*48",
        "yield project(Sigma @ x if problem.n < 9 else Sigma.S @ x, k)",
    ),
    "dense when large": (
        "is feasible",
        "48 nonzeros; at most k = 6 are allowed",
        "yield x if problem.n < 9 else normalize(Sigma.largest_column())",
    ),
    "prints": ("prints nothing", "it printed 'iteration 1'", "print('iteration 1')\nyield x"),
    "raises": ("is feasible", "ZeroDivisionError", "yield x\n1 / 0"),
    "exits": ("is feasible", "SystemExit", "sys.exit('enough')\nyield x"),
    "silent": ("stops at its limits", "yielded nothing", "yield from ()"),
}
TRAITS = dict.fromkeys(("mutates", "honest when small"), ', accepts="covariance"')
TRAITS |= {"sign": ", nonnegative=True", "exact": ", exact=True"}
GOOD = HEAD.format(traits="", settings="") + "    yield x\n"
ENDS = {
    "loops": ("while True:\n    pass\nyield x", r"\(in wrong.py, line .* in solve\).*endless loop"),
    "crashes": ("os.kill(os.getpid(), 11)", "crashed.*SIGSEGV"),
}


def _text(body, name=""):
    """Return the text of a solver file with this body; ``name`` selects its traits."""
    settings = ", nonnegative=False" if name == "sign" else ""
    head = HEAD.format(traits=TRAITS.get(name, ""), settings=settings)
    return head + textwrap.indent(body, "    ") + "\n"


@pytest.fixture
def outcome_of(tmp_path):
    """Return a function that runs one check on the text of a solver file."""

    def outcome(promise, text, file="mine.py"):
        (tmp_path / file).write_text(text)
        return conformance.outcome(promise, contract.PROMISES[promise], str(tmp_path / file))

    return outcome


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_solver_is_told_what_is_wrong(name, outcome_of):
    promise, sentence, body = WRONG[name]
    outcome = outcome_of(promise, _text(body, name))
    assert outcome.verdict == "fails"
    assert re.search(sentence, outcome.sentence), outcome.sentence
    assert "\n" not in outcome.sentence


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


def test_a_reason_that_fails_many_checks_is_said_once(spcabench, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(_text("yield problems"))
    completed = spcabench("check", file)
    assert completed.returncode == 1
    assert completed.stdout.count("NameError") == 1
    reason = 'not reached, because of the failure in "stops at its limits"'
    assert completed.stdout.count(reason) > 3


PRINTS = {  # how -> what is above TRAITS, and in solve
    "at its import": ("print('hello')\n", ""),
    "to the errors at its import": ("print('hello', file=sys.stderr)\n", ""),
    "by a program": ("", "os.system('echo hello')\n"),
    "past Python": ("", "os.write(2, b'hello')\n"),
    "in a run": ("", "print('hello')\n"),
}


@pytest.mark.parametrize("how", PRINTS)
def test_whatever_a_solver_prints_is_found_and_does_not_reach_the_terminal(how, tmp_path, capfd):
    above, body = PRINTS[how]
    file = tmp_path / "mine.py"
    file.write_text(_text(f"{body}yield x").replace("\nTRAITS", f"\n{above}TRAITS", 1))
    outcome = conformance._outcome("prints nothing", str(file))
    assert outcome.verdict == "fails" and "it printed 'hello" in outcome.sentence
    assert conformance._outcome("is feasible", str(file)).verdict == "holds"
    file.write_text(GOOD)
    assert conformance._outcome("prints nothing", str(file)).verdict == "holds"
    printed = capfd.readouterr()
    assert printed.out == printed.err == ""


ODD = {
    "is elsewhere": ("os.chdir('/')\nyield x", None, ""),
    "has an error without words": (
        "class E(Exception):\n    def __str__(self):\n        1 / 0\nraise E\nyield x",
        "stops at its limits",
        r"E: its message cannot be read \(ZeroDivisionError\)",
    ),
    "has words that no terminal shows": (
        "raise ValueError(chr(0xD800))\nyield x",
        "stops at its limits",
        r"\\ud800",
    ),
    "yields nothing that is iterated": (
        "return x",
        "stops at its limits",
        "it must yield iterates",
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_solver_gets_a_sentence(name, tmp_path, monkeypatch):
    body, promise, sentence = ODD[name]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(_text(body))
    outcomes = {outcome.name: outcome for outcome in conformance.check("mine.py", 20.0)}
    if promise is None:
        assert {outcome.verdict for outcome in outcomes.values()} == {"holds"}
    else:
        assert outcomes[promise].verdict == "fails"
        assert re.search(sentence, outcomes[promise].sentence), outcomes[promise].sentence
        outcomes[promise].sentence.encode()


def test_a_missing_example_is_said_once(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(GOOD.replace("EXAMPLE = dict(k=3)\n", ""))
    outcomes = {outcome.name: outcome for outcome in conformance.check(str(file), 20.0)}
    assert outcomes["says what it is"].sentence.startswith("EXAMPLE is missing")
    assert outcomes["runs its example"].verdict == "not checked"


def test_a_failure_is_said_once_with_the_number_of_problems(tmp_path):
    """Sentences that differ in their numbers only have the same reason."""
    file = tmp_path / "mine.py"
    file.write_text(_text("yield project(Sigma @ x, min(k + 1, problem.n))"))
    failed = [each for each in conformance.check(str(file)) if each.verdict == "fails"]
    assert [each.name for each in failed] == ["is feasible"]
    assert "(on 10 of 10 problems, first on data (5, 8), seed 0)" in failed[0].sentence


def test_the_line_of_a_long_check_is_said_before_it_ends(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(process, "SLOW", 0.6)
    (tmp_path / "mine.py").write_text(_text("while True:\n    x = x + 0.0\nyield x"))
    *_, last = conformance.check(str(tmp_path / "mine.py"), 3.0)
    assert re.search("takes long \\(in mine.py, line .* in solve\\)", capsys.readouterr().err)
    assert last.verdict == "not checked"


@pytest.mark.parametrize("name", ENDS)
def test_an_endless_loop_and_a_crash_are_caught(name, tmp_path):
    body, sentence = ENDS[name]
    (tmp_path / "wrong.py").write_text(_text(f"{body}\nyield x"))
    _, first, *others = conformance.check(str(tmp_path / "wrong.py"), 2.0)
    assert first.verdict == "fails" and re.search(sentence, first.sentence), first.sentence
    assert {other.verdict for other in others} == {"not checked"}


MISTAKES = {  # what an author may do without noticing -> what the comparison says
    "data changed in place": ("S = Sigma.S\nS[0, 0] += 1.0\nyield x", "data|two runs differ"),
    "a matrix scaled in place": ("Sigma.S[:] /= Sigma.S.max()\nyield x", "data|array S"),
    "data that are made writeable": (
        "S = Sigma.S\nS.flags.writeable = True\nS *= 2.0\nyield x",
        "must not be changed in place",
    ),
    "data changed by compiled code": (
        "ctypes.memset(Sigma.S.ctypes.data, 0, 8)\nyield x",
        "array S of the problem was changed",
    ),
    "a start at random": (
        "yield project(np.random.default_rng().standard_normal(problem.n), k)",
        "two runs differ; add a setting seed",
    ),
    "the global random state": (
        "yield project(np.random.standard_normal(problem.n), k)",
        "two runs differ; add a setting seed",
    ),
    "the first variables": ("yield project(1.0 / (1.0 + np.arange(problem.n)), k)", "reordered"),
    "a threshold in units": (
        "yield x if Sigma.diagonal().max() < 1e5 else np.eye(len(x))[0]",
        "times 1000",
    ),
    "a warm start from the last run": (
        "key = problem.n, problem.form, Sigma.diagonal().sum()\nif key not in KEPT:\n"
        "    for _ in range(9):\n        Sigma @ np.ones(problem.n)\nKEPT[key] = x\nyield x",
        "less than half of the flops",
    ),
    "a product past the ledger": ("yield project(Sigma.S @ x, k)", "were charged, but"),
    "an eigenvector past the ledger": (
        "yield project(np.linalg.eigh(Sigma.S)[1][:, -1], k)",
        "were charged, but",
    ),
    "k + 1 nonzeros": (
        "yield project(Sigma.largest_column() + 1e-9, min(k + 1, problem.n))",
        "4 nonzeros; at most k = 3",
    ),
    "no projection": ("yield normalize(Sigma.largest_column())", "8 nonzeros; at most k = 3"),
    "NaN": ("yield x * np.nan", "NaN or infinite"),
    "a division by zero": ("yield x / (x - x).sum()", "RuntimeWarning|NaN or infinite"),
    "no unit norm": ("yield 2.0 * x", "norm 2; it must be 1"),
    "a wrong shape": ("yield x[:-1]", r"shape \(7,\)"),
    "a column vector": ("yield x[:, None]", r"shape \(8, 1\)"),
    "single precision": ("yield x.astype(np.float32)", "x of type float32; use float64"),
    "an endless loop": ("while True:\n    x = x + 0.0\nyield x", r"\(in mine.py, line .* in solve"),
    "a variable that does not exist": ("yield projct(x, k)", "NameError: name 'projct'"),
    "too much memory": ("np.ones((200_000, 200_000))\nyield x", "Memory"),
    "a return": ("return x", "it must yield iterates"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_comparison_names_the_mistake(name, tmp_path):
    body, sentence = MISTAKES[name]
    text = _text(body, "mutates" if "Sigma.S" in body else "")
    (tmp_path / "mine.py").write_text(text.replace("EXAMPLE", "import ctypes\nKEPT = {}\nEXAMPLE"))
    found = conformance.mistakes(str(tmp_path / "mine.py"), 2.0 if "loop" in name else 30.0)
    assert any(re.search(sentence, each) for each in found), found
    assert not any("\n" in each for each in found)


def test_a_seed_that_is_ignored_is_named(tmp_path):
    """Random starts can differ in their flops, which does not show that something is kept."""
    body = """
x = np.random.default_rng().standard_normal(problem.n)
for _ in range(int(9 * abs(x[0]))):
    Sigma @ x
yield project(x, k)"""
    (tmp_path / "mine.py").write_text(_text(body).replace("*, k", "*, k, seed=0", 1))
    found = conformance.mistakes(str(tmp_path / "mine.py"))
    assert any("two runs with the same seed differ; draw only" in each for each in found), found


def test_a_right_file_has_no_mistakes(tmp_path):
    (tmp_path / "mine.py").write_text(GOOD)
    assert conformance.mistakes(str(tmp_path / "mine.py")) == []


@pytest.mark.parametrize("threads", [0, 1, 3])
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
    text = _text(body).replace("import sys", "import sys\nimport threading")
    outcome = outcome_of("uses one thread", text)
    assert outcome.verdict == ("fails" if threads else "holds")


RIGHT = ["grqi", "nspca", "power_method", "gpower1", "em"]  # each kind of control, then others


@pytest.mark.parametrize("solver", problems.some(3, RIGHT))
def test_right_solvers_hold(solver):
    for name, promise in contract.PROMISES.items():
        assert conformance.outcome(name, promise, solver).verdict == "holds"


@pytest.mark.parametrize("largest", [14, 100])
def test_a_solver_for_small_problems_is_checked_on_small_problems(largest, outcome_of):
    text = _text("yield x").replace('"cardinality"', f'"cardinality", largest={largest}')
    for promise in problems.some(3, [*contract.PROMISES]):
        assert outcome_of(promise, text).verdict == "holds"


def test_a_solver_that_does_not_count_is_not_audited():
    solver = next(s for s in registry.names("solver") if s not in problems.COUNTED)
    promise = contract.PROMISES["counts honestly"]
    assert conformance.outcome("counts honestly", promise, solver).verdict == "not checked"


def test_the_template_holds_and_is_not_overwritten(spcabench, here):
    made = [spcabench("new", "solver", "brand_new") for _ in range(2)]
    assert [done.returncode for done in made] == [0, 2] and "already exists" in made[1].stderr
    for words in ("new figure brand_new", "new solver not-a-name", "check missing.py"):
        assert spcabench(*words.split()).returncode == 2
    checked = spcabench("check", "brand_new.py")
    assert checked.returncode == 0 and checked.stdout.count("holds  ") == len(contract.PROMISES)
