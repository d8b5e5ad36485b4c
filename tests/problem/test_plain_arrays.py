"""Every product of the matrix layer takes plain arrays of real numbers, and nothing else."""

import numpy as np
import pytest

from spcabench import api
from spcabench.problem.covariance import Covariance, Gram
from spcabench.problem.data import Block, Data

N = 6


class Subclass(np.ndarray):
    pass


ONES = np.ones(N)
REFUSED = {
    "object": ONES.astype(object),
    "complex": ONES + 1j,
    "text": np.full(N, "1"),
    "structured": np.zeros(N, dtype=[("a", float), ("b", float)]),
    "longdouble": ONES.astype(np.longdouble),
    "time": np.zeros(N, dtype="timedelta64[s]"),
    "subclass": ONES.view(Subclass),
    "list": ONES.tolist(),
}
RNG = np.random.default_rng(0)
A = np.asfortranarray(RNG.standard_normal((N, N)))
W = np.arange(N)
DATA = [Data(A), api.load("gaussian", m=N, n=N, seed=0).given_as("sparse").data]
SIGMAS = [Covariance(A.T @ A), *map(Gram, DATA)]


def products():
    """Each product of the matrix layer: its name, and a function of a vector (n,)."""
    for D in DATA:
        yield from [D.__matmul__, D.T.__matmul__]
        yield from (lambda x, f=f: f(column(x)) for f in (D.products, D.transposed_products))
        yield lambda x, D=D: D.few_rows_product(W, x) if D.sparse else D @ x
    for Sigma in SIGMAS:
        rows = Sigma[W]
        yield from [Sigma.__matmul__, rows.product, rows.power_step, rows.quotient]
        yield rows.rayleigh_step
        yield lambda x, Sigma=Sigma: Sigma.products(column(x))
    yield lambda x: Block(A).rayleigh_step(x, ONES)
    yield lambda x: Block(A).rayleigh_step(ONES, x)


def column(x):
    return x[:, None] if isinstance(x, np.ndarray) else [[entry] for entry in x]


@pytest.mark.parametrize("kind", REFUSED)
def test_every_product_refuses_what_may_hold_several_numbers(kind):
    for product in products():
        with pytest.raises(TypeError, match="plain NumPy array of real numbers") as refused:
            product(REFUSED[kind])
        assert len(str(refused.value)) <= 200


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.uint8])
def test_other_real_numbers_are_taken(dtype):
    for product in products():
        got, expected = product(ONES.astype(dtype)), product(ONES)
        for a, b in zip(np.atleast_1d(got), np.atleast_1d(expected), strict=True):
            assert np.allclose(a, b, rtol=1e-5)


@pytest.mark.parametrize("kind", ["object", "complex"])
def test_a_matrix_of_such_entries_is_refused(kind):
    X = np.outer(REFUSED[kind], ONES)
    for make in (lambda: Data(X), lambda: Data(A, None, X, A), lambda: Covariance(X)):
        with pytest.raises(TypeError, match="plain NumPy array"):
            make()
