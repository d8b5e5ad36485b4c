"""The path from the words of a user to a run: one word each, earlier names, one thread."""

import numpy as np
import pandas as pd
import pytest
import threadpoolctl

import spcabench
from spcabench import InputError, Limits, Problem, solve
from spcabench.solving.call import Call, arguments

X = np.random.default_rng(0).standard_normal((30, 8))


@pytest.mark.parametrize(
    ("earlier", "present"),
    [
        (lambda: solve(problem=X, name="tpower", k=3), lambda: solve(X, "tpower", k=3)),
        (
            lambda: solve(X, "em", k=3, seed=2, restarts=2, max_iterations=4),
            lambda: solve(
                X,
                "em",
                k=3,
                random_state=2,
                limits=Limits(max_iterations=4),
                settings={"restarts": 2},
            ),
        ),
    ],
)
def test_earlier_names_warn_and_give_the_same_answer(earlier, present):
    with pytest.warns(DeprecationWarning, match="next release"):
        old = earlier()
    new = present()
    assert np.array_equal(old.x, new.x) and old.iterations == new.iterations
    with pytest.warns(DeprecationWarning, match=r"Result\.cost\.flops"):
        assert old.flops == new.cost.flops


def test_the_earlier_function_for_components_warns():
    with pytest.warns(DeprecationWarning, match="n_components"):
        old = spcabench.components(X, "tpower", 2, k=3, deflation="schur")
    assert np.array_equal(old.Z, solve(X, "tpower", n_components=2, k=3, deflation="schur").Z)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"settings": {"tol": 1e-3}}, "'tol' is a limit"),
        ({"settings": {"k": 3}}, "use the argument k"),
        ({"settings": {"seed": 3}}, "use the argument random_state"),
        ({"limits": 3}, "limits: 3"),
        ({"deflation": "schur"}, "no effect without n_components"),
    ],
)
def test_a_word_in_the_wrong_place_is_refused(words, sentence):
    with pytest.raises(InputError, match=sentence):
        solve(X, "tpower", **{"k": 3, **words})


def test_the_settings_of_a_row_are_divided():
    words = arguments({"k": 3, "seed": 4, "tol": 0.1, "gamma": 2.0})
    assert words == {
        "k": 3,
        "random_state": 4,
        "limits": Limits(tol=0.1),
        "settings": {"gamma": 2.0},
    }


def test_a_call_is_checked_for_the_problem_that_it_is_moved_to():
    call = Call.of(Problem.from_data(X), "tpower", 8)
    with pytest.raises(InputError, match="from 1 to 4"):
        call.on(Problem.from_data(X[:, :4]), 8)


def test_a_notebook_an_estimator_and_a_problem_give_the_same_numbers():
    result = solve(X, "tpower", k=3)
    fitted = spcabench.SparsePCA(1, cardinality=3, solver="tpower").fit(X)
    problem = Problem.from_data(X)
    assert np.array_equal(fitted.components_[0], result.x)
    assert fitted.deflated_variance_[0] == result.variance == problem.variance(result.x)
    assert fitted.solver_ == "tpower" and fitted.n_iter_ == result.iterations
    expected = np.linalg.norm((X - X.mean(axis=0)) @ result.x)
    assert fitted.singular_values_ == pytest.approx([expected])
    assert result.variance == pytest.approx(np.var((X @ result.x), ddof=1))


def test_blas_has_one_thread_while_a_solver_runs(tmp_path):
    file = tmp_path / "threads.py"
    file.write_text(
        """import numpy as np
from threadpoolctl import threadpool_info
from spcabench import Iterate, Traits
TRAITS = Traits(control="cardinality")
def solve(problem, *, k):
    most = max(p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas")
    yield Iterate(np.eye(problem.n)[0], extra={"most": most})
"""
    )
    before = threadpoolctl.threadpool_info()
    assert solve(X, str(file), k=1).extra["most"] == 1
    assert threadpoolctl.threadpool_info() == before


def test_the_unit_of_the_papers_has_a_name():
    result = solve(X, k=3)
    assert result.problem.divisor == 29
    by_paper = Problem.from_data(X, divisor="1")
    assert by_paper.divisor == 1
    assert result.sum_of_squares == pytest.approx(by_paper.variance(result.x))
    centred = X - X.mean(axis=0)
    assert result.sum_of_squares == pytest.approx(np.sum((centred @ result.x) ** 2))


def test_a_data_frame_is_refused_once_with_the_columns_that_are_no_numbers():
    frame = pd.DataFrame(X, columns=[*"abcdefgh"]).assign(
        town="Ghent", day=pd.Timestamp("2024-02-29"), b=[pd.NA, *range(29)]
    )
    for call in (lambda: solve(frame, k=2), lambda: spcabench.SparsePCA(cardinality=2).fit(frame)):
        with pytest.raises(TypeError, match="missing values in b, town, day"):
            call()
    with pytest.raises(InputError, match=r"missing values in b\)"):
        solve(frame.drop(columns=["town", "day"]), k=2)
