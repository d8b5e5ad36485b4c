"""`spcabench grade` grades loadings from any source and proposes entries for the best-known
table.
"""

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from spcabench import api, registry
from spcabench.cli import output_files
from spcabench.comparison import best_known, grading, suite, update_best_known
from spcabench.errors import InputError

K = 6


@pytest.fixture(scope="module")
def problem():
    return api.load("pitprops")


@pytest.fixture(scope="module")
def optimum(problem):
    return api.solve(problem, "brute_force", k=K)


def test_a_vector_is_graded(spcabench, here, optimum):
    words = ("grade", "x.csv", "--problem", "pit props", "-k", K)
    np.savetxt("x.csv", optimum.x)
    graded = spcabench(*words)
    assert graded.returncode == 0 and "feasible, 6 nonzeros" in graded.stdout
    assert f"{optimum.variance:.9g}" in graded.stdout
    assert graded.stdout.rstrip().endswith(": 1.000000")  # of the best known value
    assert "gap of the refit 0.000%" in graded.stdout  # the table proves it
    for wrong in (np.ones(13) / np.sqrt(13), 2 * optimum.x, optimum.x[1:], optimum.x * np.nan):
        np.savetxt("x.csv", wrong)
        graded = spcabench(*words)
        assert graded.returncode == 1 and "not feasible: x has " in graded.stdout


@pytest.mark.parametrize("suffix", output_files.TABLES)
def test_what_solve_writes_can_be_read(problem, tmp_path, suffix):
    components = api.solve(problem, "tpower", n_components=2, k=3)
    output_files.write(tmp_path / f"z{suffix}", problem, components)
    file = tmp_path / f"z{suffix}"
    for i, result in enumerate(components, 1):
        x = grading.read(file, problem.n, problem.features, f"component {i}")
        assert np.allclose(np.abs(x), np.abs(result.x))
    with pytest.raises(InputError, match="2 columns"):
        grading.read(file, problem.n, problem.features)


def test_a_better_answer_is_proposed_computed_again_and_taken_over(
    spcabench, here, optimum, monkeypatch
):
    file, read, write = here / "table.json", best_known.read, best_known.write
    monkeypatch.setattr(best_known, "read", lambda: read(file))
    monkeypatch.setattr(best_known, "write", lambda entries: write(entries, file))
    vector = dict(value=1.0, bound=5.0, proven=False, support=[0], loadings=[1.0])
    known = update_best_known.of_result(suite.by_name()["pit props", False], optimum)
    best_known.write([replace(known, **vector)])
    np.savetxt("good.csv", optimum.x)
    words = ("grade", "good.csv", "--problem", "pit props", "-k", K, "--submit", "p.json")
    assert spcabench(*words).returncode == 0
    proposal = json.loads((here / "p.json").read_text())
    (here / "p.json").write_text(json.dumps(proposal | {"value": 9.0, "proven": True}))
    assert spcabench("best-known", "--update", "p.json").returncode == 0
    (entry,) = best_known.read().values()
    assert entry.who == "unnamed" and entry.value == pytest.approx(optimum.variance)
    assert spcabench(*words).returncode == 2  # it is not better than itself
    assert spcabench("best-known", "--update", "p.json").returncode == 2


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
