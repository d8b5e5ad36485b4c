"""`spcabench grade` grades loadings from any source and proposes entries for the best-known
table.
"""

import json
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import pytest

from spcabench import api, registry
from spcabench.cli import output_files
from spcabench.comparison import best_known, grading, suite, update_best_known
from spcabench.errors import InputError

K = 6


@pytest.fixture
def grade(typed, here):
    """Return a function that runs `grade`: words -> exit code, output, errors."""
    return partial(typed, "grade")


@pytest.fixture(scope="module")
def problem():
    return api.load("pitprops")


@pytest.fixture(scope="module")
def optimum(problem):
    return api.solve(problem, "brute_force", k=K)


def lines_of(x):
    return "\n".join(f"{value:.17g}" for value in x) + "\n"


def test_a_good_vector_is_graded(grade, optimum, tmp_path):
    (tmp_path / "good.csv").write_text(lines_of(optimum.x))
    code, output, _ = grade("good.csv", "--problem", "pit props", "-k", K)
    assert code == 0
    assert "feasible, 6 nonzeros" in output
    assert f"{optimum.variance:.9g}" in output
    assert output.rstrip().endswith(": 1.000000")  # of the best known value
    assert "gap of the refit 0.000%" in output  # the table proves it


BAD = {
    "too dense": (
        lambda x: np.ones(13) / np.sqrt(13),
        "x has 13 nonzeros; at most k = 6 are allowed",
    ),
    "not of norm one": (lambda x: 2 * x, "x has norm 2; it must be 1"),
    "of another length": (lambda x: x[1:], "x has shape (12,); it must be (13,)"),
    "not finite": (lambda x: x * np.nan, "x has NaN or infinite entries"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_vector_that_is_not_feasible_gets_a_sentence(grade, optimum, tmp_path, name):
    change, sentence = BAD[name]
    (tmp_path / "bad.txt").write_text(lines_of(change(optimum.x)))
    code, output, _ = grade("bad.txt", "--problem", "pit props", "-k", K)
    assert code == 1
    assert output.splitlines()[-1] == f"not feasible: {sentence}"
    assert not (tmp_path / "proposal.json").exists()


@pytest.mark.parametrize("header", ["variable,x\n", "name,x\n", ""])
def test_named_loadings_are_put_in_the_order_of_the_problem(problem, optimum, tmp_path, header):
    lines = [f"{n},{v!r}\n" for n, v in zip(problem.features, map(float, optimum.x), strict=True)]
    (tmp_path / "x.csv").write_text(header + "".join(reversed(lines)))
    x = grading.read(tmp_path / "x.csv", problem.n, problem.features)
    assert np.array_equal(x, optimum.x)


@pytest.mark.parametrize("suffix", output_files.TABLES)
def test_what_solve_writes_can_be_read(problem, tmp_path, suffix):
    components = api.solve(problem, "tpower", n_components=2, k=3)
    output_files.write(tmp_path / f"z{suffix}", problem, components)
    file = tmp_path / f"z{suffix}"
    for i, result in enumerate(components, 1):
        x = grading.read(file, problem.n, problem.features, f"component {i}")
        assert np.allclose(np.abs(x), np.abs(result.x))
    with pytest.raises(
        InputError, match=r"2 columns \(component 1, .*\); choose one with --column"
    ):
        grading.read(file, problem.n, problem.features)


def test_variables_that_a_table_does_not_name_are_zero(problem, tmp_path):
    (tmp_path / "x.csv").write_text("variable,x\nlength,0.8\ntopdiam,0.6\n")
    x = grading.read(tmp_path / "x.csv", problem.n, problem.features)
    assert np.array_equal(x, [0.6, 0.8, *[0.0] * 11])


def test_of_a_problem_without_names_the_numbers_are_names(tmp_path):
    (tmp_path / "x.csv").write_text("variable,x\n2,0.6\n0,0.8\n")
    assert np.array_equal(grading.read(tmp_path / "x.csv", 3), [0.8, 0.0, 0.6])


@pytest.mark.parametrize("factor", [1.0, -1.0])
def test_own_data_are_graded_without_a_table(grade, tmp_path, factor):
    X = np.random.default_rng(0).standard_normal((30, 4))
    np.save(tmp_path / "data.npy", X)
    np.save(tmp_path / "x.npy", factor * np.eye(4)[2])
    code, output, _ = grade("x.npy", "--problem", "data.npy")
    assert code == 0
    assert f"{X[:, 2].var(ddof=1):.9g}" in output
    assert "best known" not in output


def test_the_bound_is_above_the_value_and_the_refit_above_both(problem):
    for x in np.eye(13)[:4]:
        graded = grading.graded(problem, x, None, False)
        assert graded.k == 1 and graded.variance <= graded.refit <= graded.bound


@pytest.fixture
def table(monkeypatch, tmp_path, optimum):
    """Provide a table of best known answers with a poor entry for pit props."""
    item = suite.by_name()["pit props", False]
    good = update_best_known.of_result(item, optimum)
    poor = replace(
        good, value=1.0, bound=5.0, proven=False, support=[0], loadings=[1.0], who="somebody"
    )
    file = tmp_path / "table.json"
    best_known.write([poor], file)
    read, write = best_known.read, best_known.write
    monkeypatch.setattr(best_known, "read", lambda: read(file))
    monkeypatch.setattr(best_known, "write", lambda entries: write(entries, file))
    return lambda: read(file)


def test_what_is_known_of_a_problem_is_shown(table, spcabench, monkeypatch):
    shown = spcabench("best-known", "pit props", "-k", K)
    assert shown.returncode == 0 and "5, proven by brute_force" in shown.stdout
    best_known.write([replace(entry, bound_by="") for entry in table().values()])
    assert "5, by a method that was not recorded" in spcabench("best-known", "pit props").stdout
    other = spcabench("best-known", "pit props", "-k", 3)
    assert other.returncode == 2 and other.stderr.strip().endswith(f"; answers exist for k = {K}")
    monkeypatch.setenv("SPCABENCH_DATA", "")  # the published covariance is not at hand
    best_known.write(
        [replace(entry, item="pitprops", problem="else") for entry in table().values()]
    )
    absent = spcabench("best-known", "pitprops", "-k", K)
    assert absent.returncode == 0 and "the data 'else' are not available here" in absent.stdout


def test_a_better_answer_is_proposed_and_taken_over(grade, spcabench, table, optimum, tmp_path):
    (tmp_path / "good.csv").write_text(lines_of(optimum.x))
    arguments = ("good.csv", "--problem", "pit props", "-k", K, "--submit", "p.json")
    assert grade(*arguments)[0] == 0
    assert spcabench("best-known", "--update", "p.json").returncode == 0
    ((key, entry),) = table().items()
    assert key == ("pit props", "pitprops", K, False)
    assert entry.who == "unnamed"
    assert entry.value == pytest.approx(optimum.variance)
    assert grade(*arguments)[0] == 2  # it is not better than itself
    assert spcabench("best-known", "--update", "p.json").returncode == 2


def test_a_proposal_is_computed_again(grade, table, optimum, tmp_path):
    (tmp_path / "good.csv").write_text(lines_of(optimum.x))
    grade("good.csv", "--problem", "pit props", "-k", K, "--submit", "p.json")
    proposal = json.loads((tmp_path / "p.json").read_text())
    (tmp_path / "lie.json").write_text(json.dumps(proposal | {"value": 9.0, "proven": True}))
    honest = grading.take(tmp_path / "lie.json")
    assert honest.value == pytest.approx(optimum.variance)


def test_every_entry_is_found_by_every_name_of_its_problem(monkeypatch):
    """A problem is found by the names of its items, and by the name of its dataset if unchanged."""
    entries = best_known.read()
    monkeypatch.setattr(best_known, "read", lambda: entries)  # once, and not for every name
    for entry in entries.values():
        item = suite.by_name()[entry.item, entry.nonnegative]
        names = {item.full_name, item.full_name.replace(" ", "_").upper()}
        names |= {item.name, item.dataset} if item.is_whole else {item.name} - {item.dataset}
        for name in names:
            called = [i.name for i in grading.items_of(name, entry.nonnegative)]
            best = best_known.best(called, entry.k, entry.nonnegative)
            assert best is not None and best.value >= entry.value * (1 - 1e-9), (name, entry.k)
            assert (item, entry.k) in best_known.pairs(suite.SUITES, name, [entry.k]), name


def test_a_name_means_one_problem_at_every_command():
    """A dataset name that `solve` accepts never means another problem in `grade`."""
    two = set()
    for name, nonnegative in product(registry.names("dataset"), (False, True)):
        try:
            items = grading.items_of(name, nonnegative)
        except InputError as error:
            two.add(str(error))
            continue
        assert not items or (items[0].dataset == name and items[0].is_whole), name
    assert two == {"mll: two problems have this name; specify 'mll genes=300' or 'mll whole'"}
