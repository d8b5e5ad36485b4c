"""The path from the words of a user to a run: one word each, earlier names, one thread."""

import numpy as np
import pandas as pd
import pytest
import threadpoolctl

import spcabench
from spcabench import InputError, Limits, Problem, solve
from spcabench.solving.call import Call, arguments

X = np.random.default_rng(0).standard_normal((30, 8))
PROBLEM = Problem.from_data(X)


def test_earlier_names_warn_and_give_the_same_answer():
    with pytest.warns(DeprecationWarning, match="next release"):
        old = solve(problem=X, name="em", k=3, seed=2, restarts=2, max_iterations=4)
        several = spcabench.components(X, "tpower", 2, k=3, deflation="schur")
    limits, settings = Limits(max_iterations=4), {"restarts": 2}
    new = solve(X, "em", k=3, random_state=2, limits=limits, settings=settings)
    assert np.array_equal(old.x, new.x) and old.iterations == new.iterations
    assert new.settings == {"k": 3, "seed": 2, "restarts": 2}
    assert np.array_equal(several.Z, solve(X, "tpower", n_components=2, k=3, deflation="schur").Z)
    with pytest.warns(DeprecationWarning, match=r"Result\.cost\.flops"):
        assert old.flops == new.cost.flops


SEVERAL = {"n_components": 2, "k": 3}
REFUSED: dict[str, tuple] = {  # message -> solver, words
    "'tol' is a limit": ("tpower", {"k": 3, "settings": {"tol": 1e-3}}),
    "needs either gamma or k, not both": ("gpower1", {"k": 3, "settings": {"gamma": 0.1}}),
    "cannot compute nonnegative": ("power_method", {"nonnegative": True}),
    "single number": ("disjoint_supports", {**SEVERAL, "k": [2, 2], "deflation": "joint"}),
    "alpha: 1.1": ("tpower", {**SEVERAL, "deflation": "hotelling", "alpha": 1.1}),
    "alpha: 0.5": ("tpower", {**SEVERAL, "alpha": 0.5}),
}


@pytest.mark.parametrize("message", REFUSED)
def test_a_word_in_the_wrong_place_is_refused(message):
    solver, words = REFUSED[message]
    with pytest.raises(InputError, match=message):
        solve(X, solver, **words)


def test_the_settings_of_a_row_are_divided():
    words = arguments({"k": 3, "seed": 4, "tol": 0.1, "gamma": 2.0, "alpha": 0.5})
    assert words.pop("settings") == {"gamma": 2.0, "alpha": 0.5}
    assert words == {"k": 3, "random_state": 4, "limits": Limits(tol=0.1)}
    assert arguments({"deflation": "schur", "alpha": 0.5})["alpha"] == 0.5
    assert "alpha" not in arguments({"deflation": "joint", "alpha": 0.5})


def test_unset_limits_are_those_of_the_solver_and_a_budget_fits_the_time():
    file = Call.of(PROBLEM, "branch_and_bound", 3, limits=Limits(time_limit=0.5))
    pace, full = file.traits.pace, Call.of(PROBLEM, "branch_and_bound", 3).keywords
    assert file.keywords["budget"] == 0.5 * pace and "budget" not in full
    filled = Limits(tol=0.0).filled(Call.of(PROBLEM, "tpower", 3).solver)
    assert (filled.tol, filled.max_iterations, filled.stop) == (0.0, 1000, "step")
    own = Limits().filled(Call.of(PROBLEM, "dspca", None, {"rho": 0.1}).solver)
    assert own.stop == "gap" and Limits(stop="end").filled(file.solver).stop == "end"


def test_a_call_is_checked_for_the_problem_that_it_is_moved_to():
    call = Call.of(PROBLEM, "tpower", 8)
    with pytest.raises(InputError, match="from 1 to 4"):
        call.on(Problem.from_data(X[:, :4]), 8)


def test_a_notebook_an_estimator_and_a_problem_give_the_same_numbers():
    result = solve(X, "tpower", k=3)
    fitted = spcabench.SparsePCA(1, cardinality=3, solver="tpower").fit(X)
    assert np.array_equal(fitted.components_[0], result.x)
    assert fitted.deflated_variance_[0] == result.variance == PROBLEM.variance(result.x)
    assert fitted.bound_[0] == result.bound
    assert fitted.solver_ == "tpower" and fitted.n_iter_ == result.iterations
    assert result.variance == pytest.approx(np.var(X @ result.x, ddof=1))
    squares = np.sum(((X - X.mean(axis=0)) @ result.x) ** 2)
    assert fitted.singular_values_ == pytest.approx([np.sqrt(squares)])
    assert result.sum_of_squares == pytest.approx(squares)
    assert Problem.from_data(X, divisor="1").variance(result.x) == pytest.approx(squares)


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


def test_a_data_frame_is_refused_once_with_the_columns_that_are_no_numbers():
    frame = pd.DataFrame(X, columns=[*"abcdefgh"]).assign(
        town="Ghent", day=pd.Timestamp("2024-02-29"), b=[pd.NA, *range(29)]
    )
    for call in (lambda: solve(frame, k=2), lambda: spcabench.SparsePCA(cardinality=2).fit(frame)):
        with pytest.raises(TypeError, match="missing values in b, town, day"):
            call()


def test_a_variable_that_dominates_unscaled_data_is_named():
    """Scaled data and problems, which the user prepared, give no warning."""
    clinic = X / X.std(axis=0) * [40.0, 3.0, 1.0, 2.0, 1.0, 1.0, 3.0, 2.0]
    with pytest.warns(UserWarning, match=r"0 has .*% of the variance; divide each column"):
        solve(clinic, k=1)
    with pytest.warns(UserWarning, match=r"0 has .*% of the variance; use scale=True"):
        spcabench.SparsePCA(1, cardinality=1).fit(clinic)
    spcabench.SparsePCA(1, cardinality=1, scale=True).fit(clinic)
    solve(Problem.from_data(clinic), k=1)
