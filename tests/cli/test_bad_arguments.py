"""Invalid arguments of public functions are refused in one line that names the argument."""

from datetime import date
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from spcabench import Problem, SparsePCA, api, select
from spcabench.errors import InputError
from spcabench.solving.call import arguments
from tests.problems import SOLVERS, solve, traits

RNG = np.random.default_rng(0)
X = RNG.standard_normal((8, 6))
S = X.T @ X
PROBLEM = Problem.from_data(X)
NAN, INF = float("nan"), float("inf")


def _with(value, dtype=None):
    M = np.array(S, dtype=dtype or np.result_type(S, type(value)))
    M[1, 2] = value
    return M


def _frame(**columns):
    return pd.DataFrame(S, columns=list("abcdef")).assign(**columns)


def _sparse(kind, data, indices=(0, 5), indptr=(0, 1, 2, 2, 2, 2, 2)):
    M = kind((6, 6), dtype=np.float64)
    M.data, M.indices, M.indptr = (np.array(v) for v in (data, indices, indptr))
    return M


# Bad wherever a matrix is expected: data, a covariance, what an estimator fits.
WRONG = [
    *(None, 3.0, "matrix", {"a": [1.0, 2.0]}, (row for row in S), [1.0, 2.0], [[1.0, 2.0], [3.0]]),
    *([["a", "b"], ["c", "d"]], np.array([["1", "2"], ["2", "9"]]), [[None, 1.0], [1.0, 2.0]]),
    *(np.array([["1", 2.0], [2.0, "9"]], dtype=object), np.array([[b"1", b"2"], [b"2", b"9"]])),
    *(_with(1j), _with(NAN), _with(INF), _with(-INF), _with(10**400, dtype=object)),
    *(np.array(1.0), np.ones(6), np.ones((6, 6, 2)), np.ones((0, 6)), np.ones((6, 0)), []),
    np.ones((6, 6), dtype="timedelta64[s]"),
    *(np.full((6, 6), day, dtype=object) for day in (np.datetime64("2020"), date(2020, 1, 1))),
    np.zeros((6, 6), dtype=[("a", float), ("b", int)]),
    *(np.ma.masked_greater(S, 1.0), pd.Series(np.ones(6)), np.broadcast_to(1.0, (10**9, 10**9))),
    *(sp.csc_array(_with(NAN)), sp.csr_array(_with(INF)), sp.coo_array(_with(1j))),
    *(sp.coo_array(np.ones(6)), sp.csc_array((0, 0)), sp.dok_array(_with(NAN))),
    *(_sparse(sp.csr_array, [1.0, 2.0], indices=(0, k)) for k in (99, -1)),
    *(_sparse(sp.csc_array, [1.0, 2.0], indices=indices) for indices in ((0, 99), (0.0, 1.0))),
    _sparse(sp.csc_array, [1.0], indptr=(0, 1, 9, 9, 9, 9, 9)),
    # empty columns and rows need memory too
    sp.coo_array(([1.0, 2.0], ([0, 1], [0, 10**9])), shape=(3, 10**13)),
    sp.coo_array(([1.0, 2.0], ([0, 10**9], [0, 1])), shape=(10**13, 3)),
    sp.dok_array((3, 10**13)),
]
FRAMES = [
    *("x", pd.Timestamp("2020-01-01"), pd.Timedelta("1s"), pd.Categorical(list("uvwxyz"))),
    *(NAN, 1j, [[1.0]] * 6, pd.period_range("2020", periods=6), pd.interval_range(0, 6)),
    pd.array([1, 2, None, 4, 5, 6], dtype="Int64"),
    *(pd.array([True, None] * 3, dtype="boolean"), pd.array(["x", None] * 3, dtype="string")),
]
SIZES = [
    *(S * 1e300, S * 1e-300, np.zeros((6, 6)), sp.csc_array((6, 6))),
    sp.csc_array((np.zeros(2), ([0, 1], [0, 1])), shape=(6, 6)),
    *(pd.DataFrame(index=range(6)), pd.DataFrame(columns=list("abcdef"), dtype=float)),
]
# Bad for a fitted estimator too: all but what has no variance. Frames come with names of their own.
FORMS = {f"wrong {i}": M for i, M in enumerate(WRONG)} | {"a problem": PROBLEM}
MATRICES = FORMS | {f"frame {i}": _frame(b=column) for i, column in enumerate(FRAMES)}
MATRICES |= {f"size {i}": M for i, M in enumerate(SIZES)}
DATA = {
    "sparse, one row": sp.csr_array(np.ones((1, 6))),
    "constant": np.full((6, 6), 7.0),
    "a constant that is rounded": np.full((7, 3), 0.1),
    "sparse, constant": sp.csc_array(np.full((7, 3), 1e8 / 3)),
    "constant rows": np.tile(np.arange(6.0), (6, 1)),
}
COVARIANCES = {
    "sparse, not square": sp.csr_array(X),
    "indefinite": S - 20.0 * np.eye(6),
    "a sparse one beyond all memory": sp.eye_array(10**6),
    "a negative variance": np.diag([1.0, -1.0]),
}
# Bad wherever a whole number, a number, a switch, a name or a file is expected.
NO_WHOLE = [None, "3", 2.5, NAN, True, [2], {2}, np.array([2]), X]
NO_NUMBER = ["1", -1.0, NAN, True, [1.0], 1j, np.array([1.0, 2.0])]
NO_SWITCH = ["False", "", 2, -1, NAN, [True], None, X > 0]
NO_NAME = [None, 3, True, ["tpower"], b"tpower", "", " ", "Tpower", "tpowr", "a/b.py"]
NO_PROBLEM = [None, 3, "pitprops", [[1.0]], Problem]
NO_NAMES = [3, np.ma.masked, True, "abcdef", {"a": 1}, ["a"], list("abcdefg"), [["a"]] * 6]
NO_FILE = [None, 3, True, [], b"x", "", "x\0y"]


def _solve(X=PROBLEM, solver="tpower", **changed):
    return api.solve(X, solver, **arguments(dict(k=2) | changed))


def _fit(X=X, **changed):
    return SparsePCA(**changed).fit(X)


def _settings(**settings):
    return _fit(settings=settings, cardinality=2)


_components = partial(api.several, X=PROBLEM, solver="tpower", n_components=2, k=2)
_path = partial(api.path, X=PROBLEM, solver="tpower", k=[2, 3])
_select = partial(select, X=X)
_data = partial(Problem.from_data, X=X)
_covariance = partial(Problem.from_covariance, Sigma=S)
FITTED = SparsePCA().fit(X)
RESULT = api.solve(PROBLEM, "tpower", k=2)
HUGE = range(1, 10**12)
CALLS = (_solve, _components, _path)
NO_PENALTY = [-1.0, NAN, INF, True, "much", [1.0], 1j]
TABLE = [
    (_data, "X", MATRICES | DATA),
    (_covariance, "Sigma", MATRICES | COVARIANCES),
    (_fit, "X", MATRICES | DATA),
    (lambda X: FITTED.transform(X), "X", FORMS),
    (lambda X: FITTED.score(X), "X", FORMS),
    (_select, "X", {words: M for words, M in FORMS.items() if words != "a problem"}),
    (_select, "k", [3, 2.5, "23", [], [0], [7], [2, None], [[2]], {2: "a"}, {2, 3}, HUGE, len]),
    (_select, "criterion", [None, 3, True, [], {}, "", "Heldout", len]),
    (_select, "solver", NO_NAME[1:]),
    *((_select, switch, NO_SWITCH) for switch in ("scale", "nonnegative")),
    (_select, "folds", [*NO_WHOLE[1:], 0, 1, 7, 10**30]),  # None: as many as there can be
    (_select, "resamples", [*NO_WHOLE, 0, 1]),
    (_select, "random_state", [*NO_WHOLE, -1]),
    (lambda file: FITTED.save(file), "file", NO_FILE),
    (lambda file: SparsePCA.load(file), "file", NO_FILE),
    (_data, "features", NO_NAMES),
    (_data, "labels", [*NO_NAMES, list("abcdef")]),
    (_covariance, "features", NO_NAMES),
    *((_data, switch, NO_SWITCH) for switch in ("center", "scale")),
    (_data, "divisor", ["n", 0, None, "m-1", [], b"m"]),
    *((call, "X", NO_PROBLEM) for call in CALLS),
    *((call, "solver", [v for v in NO_NAME if v is not None]) for call in CALLS),
    (_solve, "k", [*NO_WHOLE, 0, -1, 7, 10**30]),
    (_solve, "random_state", [*NO_WHOLE, -1]),
    (_solve, "deflation", [None, "x", "schur", pd.Series([0, 1]), sp.eye_array(2), X]),
    *((_solve, switch, NO_SWITCH) for switch in ("nonnegative", "refit", "history")),
    *((_solve, limit, [None, *NO_NUMBER]) for limit in ("tol", "time_limit")),
    (_solve, "max_iterations", [*NO_WHOLE[1:], -1]),
    (_solve, "stop", [3, 2.5, True, [], {}, b"step", "", "stepp", "gap"]),
    (_solve, "start", ["x", 3, [1.0], np.ones(5), np.ones((6, 1)), np.zeros(6), 1j * X[0], {}]),
    (_components, "k", [None, 2.5, 0, 7, [2], [2, 2, 2], [2, 0], {2, 3}, np.array([[2, 3]])]),
    (_components, "n_components", [*NO_WHOLE, 0, -1, 7, 10**9]),
    (_components, "deflation", [None, 3, True, [], {}, "", "Projection", "joint", len]),
    (_path, "k", [None, 3, 2.5, "23", [], [0], [7], [2, None], [[2]], {2: "a"}, {2, 3}, HUGE, len]),
    (_fit, "n_components", [*NO_WHOLE[1:], 0, -1, 7]),
    (_fit, "cardinality", [None, "3", 0, 7, 0.0, 1.5, NAN, True, [2], {}, 1j, np.array(7)]),
    (_fit, "solver", [name for name in NO_NAME[1:] if name != ""]),
    *((_fit, switch, NO_SWITCH) for switch in ("scale", "nonnegative", "refit", "bound")),
    (_fit, "settings", [[1], [], "shift", 3, 2.5, True, {1: 2}, len, ("a", 1)]),
    *((_settings, name, [1]) for name in ("solver", "X", "n_components", "k", "tell")),
    (_fit, "random_state", ["0", -1, 2.5, [], {}, len]),
    (lambda X: FITTED.inverse_transform(X), "X", ["x", np.full((3, 2), NAN), np.ones((3, 3))]),
    (lambda loss: RESULT.substitutes(loss), "loss", ["x", 1j, None, 0.0, 1.0, NAN]),
    (lambda axis: RESULT.plot(axis=axis), "axis", [3, "x", len]),
    (lambda **v: PROBLEM.given_as(v["form"]), "form", [None, 3, [], {}, "", "dense", "Data", len]),
    (lambda **v: api.load(v["dataset"]), "dataset", [None, 3, [], {}, "", "pitprop", len]),
    (lambda **v: api.load("gaussian", **v), "seed", [*NO_WHOLE, -1]),
    (lambda **v: api.load("gaussian", **v), "m", [*NO_WHOLE, 0, -1]),
    (lambda m: api.load("gaussian", m=m), "gaussian", [10**30]),
    # solvers of other kinds
    (lambda k: _solve(solver="power_method", k=k), "k", [2], "power_method"),
    (lambda k: _solve(solver="gpower1", k=k), "k", [None, 0, 7, 2.5, True, "3", [2]]),
    (lambda **v: api.solve(PROBLEM, "gpower1", settings=v), "gamma", NO_PENALTY, "at least 0"),
]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[1])
def test_a_bad_argument_is_refused_in_one_line_that_names_it(row):
    call, argument, bad, *words = row
    for name, value in (bad if isinstance(bad, dict) else dict(enumerate(bad))).items():
        with pytest.raises((InputError, ValueError, TypeError)) as caught:
            call(**{argument: value})
        message = str(caught.value)
        assert "\n" not in message.strip() and len(message) <= 200, (name, message)
        assert all(word in message for word in (argument, *words)), (name, message)


SCALED = {
    "covariance": lambda X, scale: Problem.from_covariance(X.T @ X * scale),
    "sparse": lambda X, scale: Problem.from_data(sp.csr_array(X * scale)),
    "scaled": lambda X, scale: Problem.from_data(X * scale, scale=True),
    "one variable": lambda X, scale: Problem.from_data(X * np.array([1.0, 1, 1, 1, 1, scale])),
}


# bounds do not depend on the solver unless it states its own
STATING = [s for s in SOLVERS if traits(s).relaxation]


@settings(max_examples=40)
@given(
    st.sampled_from(["tpower", "branch_and_bound"]) | st.sampled_from(STATING),
    st.sampled_from([*SCALED]),
    st.sampled_from([-61, -60, -55, 55, 60, 61]) | st.integers(-300, 300),
)
def test_no_scale_gives_a_bound_below_the_value(solver, form, power):
    X = np.random.default_rng(0).standard_normal((12, 6))
    X[:, 5], X[:, 4] = X[:, 0], 0.0
    # the bounds are quadratic in a covariance, which is quadratic in the data
    most = 120 if "covariance" in form else 60
    try:
        problem = SCALED[form](X, 10.0**power)
    except InputError as error:
        assert abs(power) >= most - 2 and "multiply all entries by a constant" in str(error)
        return
    assert abs(power) <= most + 1 or form == "one variable"
    result = solve(problem, solver, 3)
    assert result.good and 0.0 < result.variance <= result.bound
