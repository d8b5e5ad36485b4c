"""`spcabench new` creates a template that passes all checks; `spcabench check` explains faults."""

import re

import pytest

from spcabench import registry
from spcabench.checking import conformance, contract
from tests import own_solver, problems

START = """Sigma = problem.covariance
x = project(Sigma.largest_column(), k)
"""
JOINT = dict(settings=", components=1", traits=', components="joint", formulation="disjoint"')
SHAPE = r"it must be \(8, 2\)"
# random starts can differ in their flops, which does not show that something is kept
IGNORED_SEED = """x = np.random.default_rng().standard_normal(problem.n)
for _ in range(int(9 * abs(x[0]))):
    Sigma @ x
yield project(x, k)"""
# a sort releases the lock of the interpreter, and a busy machine runs threads in turn
THREADS = """
def work():
    np.sort(np.arange(200_000.0)[::-1] % 7.0)
others = [threading.Thread(target=work) for _ in range(3)]
for each in others:
    each.start()
work()
for each in others:
    each.join()
yield x"""
WRONG = {  # the promise that is broken -> what the solver does, and what is said
    "is feasible": {
        "yield 0.0 * x": "x is zero",
        "x[k:] = -0.1\nyield project(Sigma @ x - 1.0, k)": "below zero",
        "yield project(Sigma.largest_column() + 1e-9, min(k + 1, problem.n))": "4 nonzeros.*k = 3",
        "yield x if problem.n < 9 else normalize(Sigma.largest_column())": "48 nonzeros.*k = 6",
        "yield x * np.nan": "NaN or infinite",
        "yield 2.0 * x": "norm 2; it must be 1",
        "yield x[:-1]": r"shape \(7,\)",
        "yield x.astype(np.float32)": "x of type float32; use float64",
        "yield x\n1 / 0": "ZeroDivisionError",
        "sys.exit('enough')\nyield x": "SystemExit",
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
    },
    "is invariant": {
        "yield project(np.maximum(Sigma @ np.ones(8), 1e-9), k)": "are flipped",
        "yield project(1.0 / (1.0 + np.arange(problem.n)), k)": "reordered",
        "yield x if Sigma.diagonal().max() < 1e5 else np.eye(len(x))[0]": "times 1000",
    },
    "is repeatable": {
        "yield project(np.random.default_rng().standard_normal(problem.n), k)": "add a setting se",
        "key = problem.n, problem.form, Sigma.diagonal().sum()\nif key not in KEPT:\n"
        "    for _ in range(9):\n        Sigma @ np.ones(problem.n)\n"
        "KEPT[key] = x\nyield x": "less than half of the flops",
        IGNORED_SEED: "same seed differ; draw only",
    },
    "works on every form": {
        "yield x if problem.form != 'sparse' else np.eye(8)[5]": "sparse",
        "problem.data\nyield x": "has no data",
    },
    "counts honestly": {
        "yield project(Sigma @ x if problem.n < 9 else Sigma.S @ x, k)": "charged.*on 2 of 10.*48",
        "yield project(np.linalg.eigh(Sigma.S)[1][:, -1], k)": "were charged, but",
    },
    "finds components as stated": {
        "yield x": f"shape None; {SHAPE}",
        "yield Iterate(x, Z=x[:, None])": SHAPE,
        "yield Iterate(x, Z=np.column_stack([x, x]))": "variable . is in more than one loading",
    },
    "uses one thread": {THREADS: "several threads or processes"},
    "prints nothing": {"print('iteration 1')\nyield x": "it printed 'iteration 1'"},
}
CHANGED = {"finds components as stated": JOINT, IGNORED_SEED: dict(settings=", seed=0")}
CASES = [(promise, body) for promise, bodies in WRONG.items() for body in bodies]


def written(folder, body, **changes):
    """Write a solver file with this body, and the traits that it needs; return its path."""
    signs, exact = "- 1.0" in body, body.startswith("yield np.eye")
    traits = ', accepts="covariance"' * (".S" in body)
    traits += ", nonnegative=True" * signs + ", exact=True" * exact
    more = dict(traits=traits, settings=", nonnegative=False" * signs) | changes
    return own_solver.file_of(folder, "mine", START + body, **more)


def outcome_of(promise, solver):
    """Run one check on a solver."""
    return conformance.outcome(promise, contract.PROMISES[promise], solver)


@pytest.fixture
def _short(monkeypatch):
    """Measure a solver that uses one thread for a shorter time."""
    monkeypatch.setattr(contract, "LONG_ENOUGH", 0.3)


@pytest.mark.parametrize(("promise", "body"), CASES)
def test_a_wrong_solver_is_told_what_is_wrong(promise, body, tmp_path):
    changes = CHANGED.get(promise) or CHANGED.get(body, {})
    outcome = outcome_of(promise, written(tmp_path, body, **changes))
    assert outcome.verdict == "fails"
    assert re.search(WRONG[promise][body], outcome.sentence), outcome.sentence
    assert "\n" not in outcome.sentence


@pytest.mark.parametrize(
    ("example", "promise", "sentence"),
    [
        (dict(k=3, fast=True), "says what it is", "settings fast; solve() accepts gamma, k"),
        ({1: 2}, "says what it is", "has the key 1; its keys must be names of settings"),
        (3, "says what it is", "EXAMPLE is missing or has the wrong type"),
        (dict(k="ten"), "runs its example", "EXAMPLE: k: 'ten'"),
        (dict(k=300), "runs its example", ""),  # it is for larger problems
        (dict(gamma=0.1), "runs its example", ""),  # a penalty in place of k
    ],
)
def test_a_wrong_example_is_found(monkeypatch, example, promise, sentence):
    monkeypatch.setattr(registry.module("solver", "gpower1"), "EXAMPLE", example)
    outcome = outcome_of(promise, "gpower1")
    assert outcome.verdict == ("fails" if sentence else "holds") and sentence in outcome.sentence


def test_a_failure_is_said_once_with_the_number_of_problems(tmp_path):
    """Sentences that differ in their numbers only have the same reason."""
    file = written(tmp_path, "yield project(Sigma @ x, min(k + 1, problem.n))")
    outcomes = [*conformance.check(file, names=("is feasible", "is invariant"))]
    assert [each.verdict for each in outcomes] == ["fails", "not checked"]
    assert "(on 10 of 10 problems, first on data (5, 8), seed 0)" in outcomes[0].sentence
    assert 'because of the failure in "is feasible"' in outcomes[1].sentence


ENDS = {
    "while True:\n    x = x + 0.0\nyield x": r"\(in mine.py, line .* in solve\).*endless loop",
    "faulthandler.disable()\nos.kill(os.getpid(), 11)\nyield x": "crashed.*SIGSEGV",
}


@pytest.mark.parametrize("body", ENDS)
def test_an_endless_loop_and_a_crash_are_caught(body, tmp_path):
    _, first, *others = conformance.check(written(tmp_path, body), 0.8)
    assert first.verdict == "fails" and re.search(ENDS[body], first.sentence), first.sentence
    assert {other.verdict for other in others} == {"not checked"}


@pytest.mark.usefixtures("_short")
def test_a_comparison_names_mistakes_and_a_right_file_has_none(tmp_path):
    mistakes = conformance.mistakes(written(tmp_path, "S = Sigma.S\nS[0, 0] += 1.0\nyield x"))
    assert mistakes and all("changed in place" in each for each in mistakes)
    assert conformance.mistakes(written(tmp_path, "yield x")) == []


# each kind of control, of which one is exact, then others
RIGHT = ["brute_force", "power_method", "gpower1", "grqi", "nspca", "em"]


@pytest.mark.usefixtures("_short")
@pytest.mark.parametrize("solver", problems.some(3, RIGHT))
def test_right_solvers_hold(solver):
    for promise in contract.PROMISES:
        assert outcome_of(promise, solver).verdict == "holds"


def test_a_solver_for_small_problems_is_checked_on_small_problems(tmp_path):
    for largest in (14, 100):
        file = written(tmp_path, "yield x", traits=f", largest={largest}")
        assert outcome_of("is feasible", file).verdict == "holds"


def test_a_solver_that_does_not_count_is_not_audited():
    solver = next(s for s in registry.names("solver") if s not in problems.COUNTED)
    assert outcome_of("counts honestly", solver).verdict == "not checked"


def test_the_template_holds_and_is_not_overwritten(spcabench, here):
    made = [spcabench("new", "solver", "brand_new") for _ in range(2)]
    assert [done.returncode for done in made] == [0, 2] and "already exists" in made[1].stderr
    checked = spcabench("check", "brand_new.py")
    assert checked.returncode == 0 and checked.stdout.count("holds  ") == len(contract.PROMISES)
