"""Mistakes in a solver's file or in an argument end in one sentence, in Python and in commands."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import spcabench
from spcabench import Problem, SparsePCA, machine
from spcabench.errors import InputError, SolverError
from spcabench.readers import user_file
from spcabench.solving.call import arguments
from tests.own_solver import text_of

X = np.random.default_rng(0).standard_normal((20, 6))
FIRST = "yield np.eye(problem.n)[0]"
WEIGHT = "def solve(problem, *, weight):"
MISTAKES = {  # the traits, the signature, the body, and what works
    "an exhausted iterator": ("", "", "yield next(iter(()))", None),
    "an exhausted iterator later": ("", "", f"{FIRST}\nyield next(iter(()))", None),
    "a required setting": ("", "def solve(problem, *, k, width, seed):", FIRST, {"width": 3}),
    "no penalty_range": ("control='penalty', penalty='weight'", WEIGHT, FIRST, {"weight": 0.1}),
    "no name of the penalty": ("control='penalty'", WEIGHT, FIRST, None),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_in_a_solver_is_one_sentence(case, here, typed):
    traits, start, body, works = MISTAKES[case]
    text = text_of(body, start or "def solve(problem, *, k):")
    if traits:
        text = text.replace('Traits(control="cardinality")', f"Traits({traits})")
    (here / "mine.py").write_text(text)
    with pytest.raises((InputError, SolverError)) as caught:
        spcabench.solve(X, "mine.py", k=2)
    assert "\n" not in str(caught.value)
    code, _, errors = typed("solve", "pitprops", "-k", "2", "--solver", "mine.py")
    assert code == 2 and errors.count("\n") == 1, errors
    if works:
        k = {} if "weight" in works else {"k": 2}
        assert spcabench.solve(X, "mine.py", **arguments({**k, **works})).good
        words = [word for name, value in works.items() for word in ("--set", f"{name}={value}")]
        words += ["-k", "2"] if k else []
        assert typed("solve", "pitprops", "--solver", "mine.py", *words)[0] == 0


LONG = ["a" * 10_000, "a" * 10_000 + ".py", "a/" * 5000, "a\0b", "a\0.py"]


@pytest.mark.parametrize("name", LONG, ids=range(5))
def test_a_name_that_no_file_can_have_is_unknown(name, typed):
    with pytest.raises(InputError, match="solver") as caught:
        spcabench.solve(X, name, k=2)
    assert len(str(caught.value)) <= 200
    code, _, errors = typed("solve", "pitprops", "-k", "2", "--solver", name)
    assert code == 2 and len(errors) <= 201


NAMES = ["solver", "X", "n_components", "tell", "k", "random_state", "deflation", "refit"]


@pytest.mark.parametrize("name", NAMES)
def test_settings_of_an_estimator_do_not_replace_its_parameters(name):
    with pytest.raises(InputError, match=f"'{name}'"):
        SparsePCA(settings={name: 1}, cardinality=2).fit(X)


EMPTY = {
    "columns": sp.coo_array(([1.0, 2.0], ([0, 1], [0, 10**9])), shape=(3, 2 * 10**9)),
    "rows": sp.coo_array(([1.0, 2.0], ([0, 10**9], [0, 1])), shape=(2 * 10**9, 3)),
    "dok": sp.dok_array((3, 2 * 10**9)),
}
CALLS = [Problem.from_data, lambda X: SparsePCA().fit(X), lambda X: spcabench.solve(X, k=2)]


@pytest.mark.parametrize("kind", EMPTY)
@pytest.mark.parametrize("call", CALLS, ids=["problem", "estimator", "solve"])
def test_empty_rows_and_columns_of_a_sparse_matrix_count(kind, call, monkeypatch):
    monkeypatch.setattr(machine, "free_memory", lambda: 16e9)
    with pytest.raises(InputError, match="only 16 GB are free"):
        call(EMPTY[kind])


def test_every_message_is_one_line(here, typed):
    frame = pd.DataFrame([[1.0, "x"], [2.0, "y"]], columns=["a", "b\nc"])
    frame.to_csv("t\nable.csv", index=False)
    with pytest.raises(InputError) as caught:
        user_file.read(here / "t\nable.csv", user_file.Reading())
    assert "\n" not in str(caught.value)
    assert typed("solve", "t\nable.csv", "-k", "1")[2].startswith(
        "spcabench: t able.csv: column b c"
    )
