"""Invalid arguments of public functions are refused in one line that names the argument."""

import datetime
import types
from itertools import product

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from spcabench import Problem, SparsePCA, api, registry, select
from spcabench.errors import InputError
from spcabench.solving.call import arguments, parameters
from tests.problems import SOLVERS, solve, spread, traits

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


def _lists(row, entries):
    M = sp.lil_array(S)
    M.rows[0], M.data[0] = row, entries
    return M


def _of_durations():
    M = sp.csc_array(S)
    M.data = M.data.astype("timedelta64[s]")
    return M


# Bad wherever a matrix is expected: data, a covariance, what an estimator fits.
WRONG = [
    *(None, 3.0, "matrix", b"matrix", object(), len, types, {"a": [1.0, 2.0]}, {1.0, 2.0}),
    *((row for row in S), iter([[1.0, 2.0], [2.0, 1.0]]), [1.0, 2.0, 3.0], [[1.0, 2.0], [3.0]]),
    *([["a", "b"], ["c", "d"]], np.array([["1", "2"], ["2", "9"]]), [[None, 1.0], [1.0, 2.0]]),
    *(np.array([[b"1", b"2"], [b"2", b"9"]]), np.array([["1", 2.0], [2.0, "9"]], dtype=object)),
    np.array([[object(), 1.0], [1.0, 2.0]], dtype=object),
    np.array([[np.ones(2), 1.0], [1.0, 2.0]], dtype=object),
    *(_with(1j), _with(1j, dtype=object), _with(NAN), _with(INF), _with(-INF)),
    *(_with(NAN, dtype=object), _with(10**400, dtype=object)),
    *(np.array(1.0), np.ones(6), np.ones((6, 6, 2)), np.ones((0, 0)), np.ones((0, 6))),
    *(np.ones((6, 0)), [], [[], []], np.full((6, 6), "2020-01-01", dtype="datetime64[D]")),
    *(np.ones((6, 6), dtype="timedelta64[s]"), np.zeros((6, 6), dtype="V8")),
    np.full((6, 6), np.datetime64("2020"), dtype=object),
    np.full((6, 6), datetime.date(2020, 1, 1), dtype=object),
    np.zeros((6, 6), dtype=[("a", float), ("b", int)]),
    *(np.ma.masked_greater(S, 1.0), np.ma.array(S, mask=np.eye(6))),
    *(sp.csc_array(_with(NAN)), sp.csr_array(_with(INF)), sp.coo_array(_with(1j))),
    *(sp.coo_array(np.ones(6)), sp.csc_array((0, 0)), sp.lil_array(_with(NAN))),
    *(sp.dok_array(_with(NAN)), _lists([99], [1.0]), _of_durations()),
    *(_sparse(sp.csr_array, [1.0, 2.0], indices=(0, k)) for k in (99, -1)),
    *(_sparse(sp.csc_array, [1.0, 2.0], indices=indices) for indices in ((0, 99), (0.0, 1.0))),
    _sparse(sp.csc_array, [1.0], indptr=(0, 1, 9, 9, 9, 9, 9)),
    *(np.broadcast_to(1.0, (10**9, 10**9)), pd.Series(np.ones(6))),
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
    "one row": np.ones((1, 6)),
    "sparse, one row": sp.csr_array(np.ones((1, 6))),
    "constant": np.full((6, 6), 7.0),
    "a constant that is rounded": np.full((7, 3), 0.1),
    **{f"sparse, constant {v:.1g}": sp.csc_array(np.full((7, 3), v)) for v in (0.1, 1e8 / 3)},
    "constant rows": np.tile(np.arange(6.0), (6, 1)),
}
COVARIANCES = {
    "not square": X,
    "sparse, not square": sp.csr_array(X),
    "not symmetric": np.triu(S),
    "sparse, not symmetric": sp.csr_array(np.triu(S)),
    "indefinite": S - 20.0 * np.eye(6),
    "negative": -S,
    "rows in another order": pd.DataFrame(S, list("abcdef"), list("fedcba")),
    "a sparse one beyond all memory": sp.eye_array(10**6),
    "a negative variance": np.diag([1.0, -1.0]),
    "antisymmetric": S - S.T + np.triu(np.ones((6, 6)), 1) - np.tril(np.ones((6, 6)), -1),
}
# Bad wherever a whole number, a number, a switch or a name is expected.
NO_WHOLE = [None, "3", "", b"3", 2.5, NAN, INF, True, [2], (2,), {2}, {}, 1j, np.array([2]), len, X]
NO_NUMBER = ["1", "", b"1", -1.0, NAN, True, [1.0], {}, 1j, np.array([1.0, 2.0]), len]
NO_SWITCH = ["maybe", "False", "", 2, -1, 0.5, NAN, [], [True], {}, None, len, X > 0]
NO_NAME = [None, 3, 2.5, True, [], ["tpower"], {}, b"tpower", "", " ", "Tpower", "tpowr", "a/b.py"]
NO_PROBLEM = [None, 3, "pitprops", [[1.0]], {}, object(), Problem, len]
NO_NAMES = [
    *(3, 2.5, np.ma.masked, sp.eye_array(6), True, "abcdef", b"abcdef", len, {"a": 1}),
    *(["a"], list("abcdefg"), [["a"]] * 6),
]
NO_FILE = [None, 3, 2.5, True, [], {}, b"x", "", "x\0y", len]


def _solve(**changed):
    settings = dict(X=PROBLEM, solver="tpower", k=2) | changed
    return api.solve(settings.pop("X"), settings.pop("solver"), **arguments(settings))


def _components(**changed):
    return api.several(**dict(X=PROBLEM, solver="tpower", n_components=2, k=2) | changed)


def _path(**changed):
    return api.path(**dict(X=PROBLEM, solver="tpower", k=[2, 3]) | changed)


def _fit(**changed):
    X_fitted = changed.pop("X", X)
    return SparsePCA(**changed).fit(X_fitted)


def _select(**changed):
    return select(changed.pop("X", X), **changed)


def _transform(X):
    return FITTED.transform(X)


def _score(X):
    return FITTED.score(X)


def _data(**changed):
    return Problem.from_data(changed.pop("X", X), **changed)


def _covariance(**changed):
    return Problem.from_covariance(changed.pop("Sigma", S), **changed)


FITTED = SparsePCA().fit(X)
RESULT = api.solve(PROBLEM, "tpower", k=2)
HUGE = range(1, 10**12)
SCORES = ["x", np.ones((3, 2)) * 1j, np.full((3, 2), NAN), np.ones((3, 3)), np.ones(2)]
CALLS = (_solve, _components, _path)
NO_K = [None, 0, -1, 7, 2.5, 2.0, True, "3", NAN, [2]]
NO_PENALTY = [-1.0, NAN, INF, True, "much", [1.0], 1j]
NO_START = [np.ones(5), np.ones((6, 1)), np.zeros(6), np.full(6, NAN), "abcdef", 1j * X[0]]
GENERATED = {
    d: size
    for d in registry.names("dataset")
    if {"m", "n"} <= set(size := parameters(registry.module("dataset", d).load))
}


def _of_solvers():
    """Yield the arguments that solvers of each kind refuse according to their traits."""
    for name in ("tpower", "gpower1", "power_method"):

        def of(settings, name=name):
            def solve(**changed):
                return api.solve(PROBLEM, name, **arguments(settings | changed))

            return solve

        control, penalty = traits(name).control, traits(name).penalty
        given = {"k": 2} if control else {}
        yield (of(given), "start", NO_START)
        yield (of({}), "k", NO_K if control else [2], name if control is None else "k")
        if control == "penalty":
            yield (of({}), penalty, NO_PENALTY, "at least 0")
            yield (of({"k": 2}), penalty, [1.0])
            yield (of({}), f"{penalty}s", [1.0], f"did you mean {penalty!r}")
        if not traits(name).nonnegative:
            yield (of(given), "nonnegative", [True], name)


def _refused(call, *parts):
    with pytest.raises(InputError) as caught:
        call()
    for part in parts:
        assert part in str(caught.value), caught.value


TABLE = [
    (_data, "X", MATRICES | DATA),
    (_covariance, "Sigma", MATRICES | COVARIANCES),
    (_fit, "X", MATRICES | DATA),
    (_transform, "X", FORMS),
    (_score, "X", FORMS),
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
    (_components, "k", [*NO_WHOLE[:3], 2.5, 0, 7, [2], [2, 2, 2], [2, 0], [2, "2"], {2, 3}]),
    (_components, "k", [np.array([[2, 3]]), np.array([2.5, 3.0]), np.array(["2", "3"])]),
    (_components, "n_components", [*NO_WHOLE, 0, -1, 7, 10**9]),
    (_components, "deflation", [None, 3, True, [], {}, "", "Projection", "joint", len]),
    (_components, "alpha", [None, "1", -0.1, 1.1, NAN, 0.5, [], 1j]),
    (_path, "k", [None, 3, 2.5, "23", [], [0], [7], [2, None], [[2]], {2: "a"}, {2, 3}, HUGE, len]),
    (_fit, "n_components", [*NO_WHOLE[1:], 0, -1, 7]),
    (_fit, "cardinality", [None, "3", 0, 7, 0.0, 1.5, -1.0, NAN, INF, True, [2], {}, 1j, len]),
    (_fit, "cardinality", [np.array(7), np.timedelta64(1, "s")]),
    (_fit, "solver", NO_NAME[1:8] + NO_NAME[9:]),
    (_fit, "deflation", [None, 3, True, [], {}, "", "Projection", "joint", len]),
    *((_fit, switch, NO_SWITCH) for switch in ("scale", "nonnegative", "refit", "bound")),
    (_fit, "settings", [[1], [], "shift", 3, 2.5, True, {1: 2}, len, ("a", 1)]),
    (_fit, "random_state", ["0", -1, 2.5, [], {}, len]),
    (lambda X: FITTED.inverse_transform(X), "X", SCORES),
    (lambda loss: RESULT.substitutes(loss), "loss", ["x", 1j, None, 0.0, 1.0, NAN]),
    (lambda axis: RESULT.plot(axis=axis), "axis", [3, "x", len]),
    (lambda **v: PROBLEM.given_as(v["form"]), "form", [None, 3, [], {}, "", "dense", "Data", len]),
    (lambda **v: api.load(v["dataset"]), "dataset", [None, 3, [], {}, "", "pitprop", len]),
    (lambda **v: api.load("gaussian", **v), "seed", [*NO_WHOLE, -1]),
    (lambda **v: api.load("gaussian", **v), "m", [*NO_WHOLE, 0, -1]),
    (lambda m: api.load("gaussian", m=m), "gaussian", [10**30]),
    *_of_solvers(),
    *(
        (lambda d=d, **v: api.load_or_stand_in(d, **v), size, [0, -3, 2.5, "10", True], "at least ")
        for d in GENERATED
        for size in ("m", "n")
    ),
]


def _fault(call, argument, value, parts):
    """Return the fault in the refusal of a value, or "" if the message is correct."""
    if isinstance(value, tuple) and len(value) == 2 and argument == "solver":
        argument, value = value
    try:
        call(**{argument: value})
    except (InputError, ValueError, TypeError) as error:
        message = str(error)
    else:
        return "not refused"
    good = "\n" not in message.strip() and len(message) <= 200 and all(p in message for p in parts)
    return "" if good else message


@pytest.mark.parametrize(
    ("call", "argument", "bad", "parts"),
    [
        pytest.param(call, argument, bad, (argument, *words), id=f"{call.__name__}: {argument}")
        for call, argument, bad, *words in TABLE
    ],
)
def test_a_bad_argument_is_refused_in_one_line_that_names_it(call, argument, bad, parts):
    named = bad if isinstance(bad, dict) else {f"{i}: {v!r:.40}": v for i, v in enumerate(bad)}
    faults = {name: _fault(call, argument, value, parts) for name, value in named.items()}
    assert {name: fault for name, fault in faults.items() if fault} == {}


@pytest.mark.parametrize("form", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"])
def test_every_sparse_format_is_the_dense_matrix(form):
    for kind, dtype in product((sp.csr_array, sp.csr_matrix), (bool, np.int8, np.float32)):
        dense = RNG.integers(0, 3, (7, 6)).astype(dtype)
        problem = Problem.from_data(kind(dense).asformat(form), center=False, divisor="1")
        assert np.array_equal(problem.data.dense(), dense.astype(float))
        A = dense.astype(float)
        Sigma = Problem.from_covariance(kind(A.T @ A).asformat(form)).matrix.S
        assert np.array_equal(Sigma, A.T @ A)


@pytest.mark.parametrize("form", ["coo", "csr", "csc"])
def test_duplicates_are_added_without_wrapping(form):
    """100 + 100 is 200, not -56, in a matrix of 8-bit integers."""
    indices = np.array([0, 1, 1]), np.array([0, 1, 1])
    M = sp.coo_array((np.array([1, 100, 100], dtype=np.int8), indices), shape=(2, 2))
    if form != "coo":  # scipy's own conversion would add them up
        major = (M.data, [0, 1, 1], [0, 1, 3])
        M = {"csr": sp.csr_array, "csc": sp.csc_array}[form](major, shape=(2, 2))
    assert Problem.from_data(M, center=False).data.dense()[1, 1] == 200.0
    assert Problem.from_covariance(M).matrix.S[1, 1] == 200.0


def test_the_first_entry_that_is_not_finite_is_named():
    place = "1 NaN or infinite entries, the first in row 2, column 3;"
    _refused(lambda: Problem.from_data(_with(INF)), "X:", place, "finite")
    _refused(lambda: Problem.from_data(sp.csr_array(_with(NAN))), "X:", place)


def test_rounding_and_numbers_of_other_types_are_no_faults():
    noise = 1e-13 * RNG.standard_normal((6, 6))
    assert Problem.from_covariance(S + noise).n == 6
    assert Problem.from_covariance(np.outer(X[0], X[0]) - 1e-13 * np.eye(6)).n == 6
    given = Problem.from_covariance(S.astype(object)).matrix.S
    assert np.array_equal(given, Problem.from_covariance(S).matrix.S)
    for k in (np.int64(2), np.uint8(2)):
        assert api.solve(PROBLEM, "tpower", k=k).cardinality <= 2


def test_unknown_names_suggest_the_nearest():
    _refused(lambda: api.solve(PROBLEM, "grqix", k=2), "unknown solver", "'grqi'")
    _refused(lambda: api.load("gaussian", sede=1), "has no setting 'sede'", "'seed'")
    _refused(lambda: api.solve(PROBLEM, "tpower", settings={"tolerance": 1}), "tolerance")
    _refused(lambda: api.solve(PROBLEM, "no/such_solver.py"), "no file", "no/such_solver.py")


def test_a_damaged_data_file(data_folder):
    file = data_folder / "singh" / "singh.RData"
    file.parent.mkdir()
    file.write_bytes(b"not an RData file")
    _refused(lambda: api.load_or_stand_in("singh"), str(file), "checksum")


POWERS = [-300, -160, -120, -110, -60, -55, 0, 55, 60, 110, 120, 160, 300]
SCALED = {
    "covariance": lambda X, scale: Problem.from_covariance(X.T @ X * scale),
    "sparse covariance": lambda X, scale: Problem.from_covariance(sp.csc_array(X.T @ X * scale)),
    "data": lambda X, scale: Problem.from_data(X * scale),
    "sparse": lambda X, scale: Problem.from_data(sp.csr_array(X * scale)),
    "scaled": lambda X, scale: Problem.from_data(X * scale, scale=True),
    "scaled sparse": lambda X, scale: Problem.from_data(sp.csr_array(X * scale), scale=True),
    "one variable": lambda X, scale: Problem.from_data(X * np.array([1.0, 1, 1, 1, 1, scale])),
}


# bounds do not depend on the solver unless it states its own
STATING = ["tpower", "branch_and_bound", *(s for s in SOLVERS if traits(s).relaxation)]


@pytest.mark.parametrize(("solver", "form"), spread(STATING, [*SCALED]))
def test_no_scale_gives_a_bound_below_the_value(form, solver):
    X = np.random.default_rng(0).standard_normal((12, 6))
    X[:, 5], X[:, 4] = X[:, 0], 0.0
    for power in POWERS[3:-3:2] if traits(solver).relaxation else POWERS:
        try:
            problem = SCALED[form](X, 10.0**power)
        except InputError as error:
            assert abs(power) >= 60
            assert "multiply all entries by a constant" in str(error)
            continue
        result = solve(problem, solver, 3)
        assert result.good
        assert 0.0 < result.variance <= result.bound
