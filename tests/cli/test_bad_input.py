"""What users hand in wrong: one line that names the argument, what it was and what is allowed."""

import numpy as np
import pytest
import scipy.sparse as sp

from spcabench import Problem, api, registry
from spcabench.errors import InputError
from spcabench.readers import sources
from spcabench.solving.driver import parameters
from tests.problems import SOLVERS, solve, spread, traits

RNG = np.random.default_rng(0)
X = RNG.standard_normal((8, 6))
S = X.T @ X
DATA = Problem.from_data(X)
COVARIANCE = Problem.from_covariance(S)
BY_CARDINALITY = [s for s in SOLVERS if traits(s).control == "cardinality"]
BY_PENALTY = [s for s in SOLVERS if traits(s).control == "penalty"]
GENERATED = [
    d
    for d in registry.names("dataset")
    if {"m", "n"} <= set(parameters(registry.module("dataset", d).load))
]
DENSE = [s for s in SOLVERS if traits(s).control is None]


def _refused(call, *parts):
    with pytest.raises(InputError) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message
    for part in parts:
        assert part in message, message


def _with(M, value):
    M = np.array(M, dtype=np.result_type(M, type(value)))
    M[1, 2] = value
    return M


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_entries_that_are_not_finite(value):
    _refused(
        lambda: Problem.from_data(_with(X, value)),
        "X:",
        "entries: 1, the first in row 2, column 3;",
        "finite",
    )
    _refused(lambda: Problem.from_data(sp.csr_array(_with(X, value))), "X:", "finite")
    _refused(lambda: Problem.from_covariance(_with(S, value)), "Sigma:", "finite")


@pytest.mark.parametrize(
    "M",
    [
        [["a", "b"], ["c", "d"]],
        np.array([[object(), 1], [2, 3]]),
        [[1.0, 2.0], [3.0]],
        [[None, 1], [2, 3]],
    ],
    ids=["text", "object", "ragged", "none"],
)
def test_matrices_that_are_not_numbers(M):
    _refused(lambda: Problem.from_data(M), "X:")
    _refused(lambda: Problem.from_covariance(M), "Sigma:")


def test_numbers_as_objects_are_numbers():
    assert np.array_equal(Problem.from_covariance(S.astype(object)).matrix.S, COVARIANCE.matrix.S)


@pytest.mark.parametrize("M", [X + 1j, sp.csc_array(X + 1j)], ids=["dense", "sparse"])
def test_complex_entries(M):
    _refused(lambda: Problem.from_data(M), "X:", "complex", "real")
    _refused(lambda: Problem.from_covariance(M), "Sigma:", "complex", "real")


@pytest.mark.parametrize("shape", [(), (6,), (2, 3, 3)])
def test_wrong_number_of_dimensions(shape):
    for call, name in ((Problem.from_data, "X:"), (Problem.from_covariance, "Sigma:")):
        _refused(lambda call=call: call(np.ones(shape)), name, f"{len(shape)} dimensions", "2")


@pytest.mark.parametrize("shape", [(0, 0), (0, 4), (4, 0)])
def test_empty_matrices(shape):
    for call, name in ((Problem.from_data, "X:"), (Problem.from_covariance, "Sigma:")):
        _refused(lambda call=call: call(np.ones(shape)), name, "empty", str(shape))


def test_too_few_rows():
    _refused(lambda: Problem.from_data(np.ones((1, 4))), "X:", "(1, 4)", "two")


def test_matrices_that_are_no_covariances():
    skewed = S.copy()
    skewed[0, 1] += 1.0
    _refused(lambda: Problem.from_covariance(X), "Sigma:", "(8, 6)", "square")
    _refused(lambda: Problem.from_covariance(skewed), "Sigma:", "symmetric", "1")
    _refused(
        lambda: Problem.from_covariance(S - 20 * np.eye(6)), "Sigma:", "indefinite", "semidefinite"
    )
    _refused(lambda: Problem.from_covariance(-S), "Sigma:", "indefinite")
    _refused(lambda: Problem.from_covariance(np.zeros((3, 3))), "Sigma:", "variance")


def test_rounding_is_no_fault():
    noise = 1e-13 * RNG.standard_normal((6, 6))
    rank_one = np.outer(X[0], X[0])
    assert Problem.from_covariance(S + noise).n == 6
    assert Problem.from_covariance(rank_one - 1e-13 * np.eye(6)).n == 6


@pytest.mark.parametrize("make", [np.asarray, sp.csc_array, sp.csr_array])
@pytest.mark.parametrize("value", [0.1, 1e8 / 3])
def test_constant_data(make, value):
    M = make(np.full((7, 3), value))
    _refused(lambda: Problem.from_data(M), "X:", "constant", "vary")
    _refused(lambda: Problem.from_data(M, scale=True), "X:", "constant", "vary")


def test_names_of_the_wrong_length():
    _refused(lambda: Problem.from_data(X, features=["a"]), "features:", "1", "6")
    _refused(lambda: Problem.from_data(X, labels=["a"]), "labels:", "1", "8")
    _refused(lambda: Problem.from_covariance(S, features=["a"]), "features:", "1", "6")


@pytest.mark.parametrize("k", [0, -1, 7, 2.5, 2.0, True, "3", np.nan, [2]])
@pytest.mark.parametrize("solver", BY_CARDINALITY + BY_PENALTY)
def test_cardinalities(solver, k):
    _refused(lambda: api.solve(DATA, solver, k=k), "k:", str(k), "1 to n = 6")


@pytest.mark.parametrize("k", [np.int64(2), np.uint8(2)])
@pytest.mark.parametrize("solver", BY_CARDINALITY)
def test_whole_numbers_of_numpy_are_whole_numbers(solver, k):
    assert api.solve(DATA, solver, k=k).cardinality <= 2


@pytest.mark.parametrize("solver", BY_CARDINALITY)
def test_a_missing_cardinality(solver):
    _refused(lambda: api.solve(DATA, solver), "k:", solver, "1 to n = 6")


@pytest.mark.parametrize("solver", DENSE)
def test_a_cardinality_that_is_not_wanted(solver):
    _refused(lambda: api.solve(DATA, solver, k=2), "k:", solver)


@pytest.mark.parametrize("penalty", [-1.0, np.nan, np.inf, True, "much", [1.0], 1j])
@pytest.mark.parametrize("solver", BY_PENALTY)
def test_penalties(solver, penalty):
    name = traits(solver).penalty
    _refused(
        lambda: api.solve(DATA, solver, **{name: penalty}), f"{name}:", repr(penalty), "from 0"
    )


@pytest.mark.parametrize("solver", BY_PENALTY)
def test_penalty_and_cardinality(solver):
    name = traits(solver).penalty
    _refused(lambda: api.solve(DATA, solver), name, "k")
    _refused(lambda: api.solve(DATA, solver, k=2, **{name: 1.0}), name, "k")


@pytest.mark.parametrize(
    ("setting", "values"),
    [
        ("max_iterations", [-1, 2.5, "3", True]),
        ("tol", [-1e-6, np.nan, "small", None]),
        ("time_limit", [-1.0, np.nan, "1", None]),
        ("stop", ["stepp", 1, []]),
        ("seed", [-1, 1.5, "0", None]),
    ],
)
def test_settings_of_the_run(setting, values):
    for value in values:
        _refused(
            lambda value=value: api.solve(DATA, DENSE[0], **{setting: value}), setting, repr(value)
        )


@pytest.mark.parametrize(
    "start", [np.ones(5), np.ones((6, 1)), np.zeros(6), np.full(6, np.nan), "abcdef", 1j * X[0]]
)
@pytest.mark.parametrize("solver", SOLVERS)
def test_starts(solver, start):
    k = {"k": 2} if traits(solver).control else {}
    _refused(lambda: api.solve(DATA, solver, start=start, **k), "start")


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_unknown_solver_suggests_the_nearest(solver):
    _refused(
        lambda: api.solve(DATA, solver + "x", k=2), "unknown solver", f"did you mean '{solver}'"
    )


def test_unknown_names_suggest_the_nearest():
    _refused(lambda: api.load("pitprop"), "unknown dataset 'pitprop'", "did you mean 'pitprops'")
    _refused(lambda: api.load("gaussian", sede=1), "unknown setting", "did you mean 'seed'")
    _refused(lambda: api.solve(DATA, DENSE[0], tolerance=1), "tolerance")
    _refused(
        lambda: api.components(DATA, DENSE[0], 2, deflation="projektion"),
        "did you mean 'projection'",
    )
    _refused(lambda: api.solve(DATA, DENSE[0], stop="stepp"), "did you mean 'step'")
    _refused(lambda: api.solve(DATA, "no/such_solver.py"), "no file", "no/such_solver.py")
    _refused(lambda: DATA.given_as("dense"), "form:", "'dense'", "'data'")


@pytest.mark.parametrize("solver", BY_PENALTY)
def test_unknown_settings_suggest_the_penalty(solver):
    name = traits(solver).penalty
    _refused(lambda: api.solve(DATA, solver, **{name + "s": 1.0}), f"did you mean '{name}'")


@pytest.mark.parametrize("count", [0, -1, 1.5, "2", True])
def test_component_counts(count):
    _refused(lambda: api.components(DATA, DENSE[0], count), "count:", repr(count), "from 1")


@pytest.mark.parametrize("alpha", [-0.1, 1.1, np.nan, "half"])
def test_partial_deflation(alpha):
    _refused(
        lambda: api.components(DATA, DENSE[0], 2, deflation="hotelling", alpha=alpha),
        "alpha:",
        "0 to 1",
    )
    _refused(
        lambda: api.components(DATA, DENSE[0], 2, deflation="schur", alpha=0.5),
        "alpha:",
        "0.5",
        "hotelling",
    )


@pytest.mark.parametrize("value", [0, -3, 2.5, "10", True])
@pytest.mark.parametrize("dataset", GENERATED)
@pytest.mark.parametrize("size", ["m", "n"])
def test_sizes_of_generated_data(dataset, size, value):
    _refused(
        lambda: api.load_or_stand_in(dataset, **{size: value}),
        f"{size}:",
        repr(value),
        "whole numbers from ",
    )


@pytest.mark.parametrize("solver", [s for s in SOLVERS if not traits(s).nonnegative])
def test_nonnegative_is_refused_by_signed_solvers(solver):
    _refused(lambda: api.solve(DATA, solver, nonnegative=True), "nonnegative:", solver)


def test_a_damaged_data_file(data_folder):
    file = data_folder / "singh" / "singh.RData"
    file.parent.mkdir()
    file.write_bytes(b"not an RData file")
    _refused(lambda: api.load_or_stand_in("singh"), str(file), "checksum")


@pytest.mark.parametrize(
    "content", [b"", b"RDX3\nX\n", b"\x1f\x8b\x08\x00damaged", bytes(range(256))]
)
def test_a_file_that_is_no_rdata(data_folder, content):
    file = data_folder / "table.RData"
    file.write_bytes(content)
    _refused(lambda: sources.read_rdata(file), str(file), "RData")


POWERS = [-300, -160, -120, -110, -60, -55, 0, 55, 60, 110, 120, 160, 300]
FORMS = {
    "covariance": lambda X, scale: Problem.from_covariance(X.T @ X * scale),
    "sparse covariance": lambda X, scale: Problem.from_covariance(sp.csc_array(X.T @ X * scale)),
    "data": lambda X, scale: Problem.from_data(X * scale),
    "sparse": lambda X, scale: Problem.from_data(sp.csr_array(X * scale)),
    "scaled": lambda X, scale: Problem.from_data(X * scale, scale=True),
    "scaled sparse": lambda X, scale: Problem.from_data(sp.csr_array(X * scale), scale=True),
    "one variable": lambda X, scale: Problem.from_data(X * np.array([1.0, 1, 1, 1, 1, scale])),
}


@pytest.mark.parametrize(("solver", "form"), spread(SOLVERS, [*FORMS]))
def test_no_scale_gives_a_bound_below_the_value(form, solver):
    X = np.random.default_rng(0).standard_normal((12, 6))
    X[:, 5], X[:, 4] = X[:, 0], 0.0
    for power in POWERS[3:-3:2] if traits(solver).relaxation else POWERS:
        try:
            problem = FORMS[form](X, 10.0**power)
        except InputError as error:
            assert abs(power) >= 60
            assert "multiply it by a constant" in str(error)
            continue
        result = solve(problem, solver, 3)
        assert result.good
        assert 0.0 < result.variance <= result.bound
