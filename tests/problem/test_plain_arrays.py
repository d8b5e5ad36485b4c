"""Every product of the matrix layer takes a single vector or matrix of real numbers."""

import numpy as np
import pytest

from spcabench import api
from spcabench.problem import spectral
from spcabench.problem.covariance import Covariance, Gram
from spcabench.problem.data import Block, Data

N = 6
ONES, W = np.ones(N), np.arange(N)
A = np.asfortranarray(np.random.default_rng(0).standard_normal((N, N)))
DATA = [Data(A), api.load("gaussian", m=N, n=N, seed=0).given_as("sparse").data]
SIGMAS = [Covariance(A.T @ A), *map(Gram, DATA)]


def products():
    """Yield each product of the matrix layer as a function of a vector (n,)."""
    for D in DATA:
        yield from [D.__matmul__, D.T.__matmul__]
        yield from (lambda x, f=f: f(x[:, None]) for f in (D.products, D.transposed_products))
        yield lambda x, D=D: D.few_rows_product(W, x) if D.sparse else D @ x
    for Sigma in SIGMAS:
        rows = Sigma[W]
        yield from [Sigma.__matmul__, rows.product, rows.power_step, rows.quotient]
        yield rows.rayleigh_step
        yield lambda x, Sigma=Sigma: Sigma.products(x[:, None])
    yield lambda x: Block(A).rayleigh_step(x, ONES)
    yield lambda x: Block(A).rayleigh_step(ONES, x)


def test_only_one_array_of_real_numbers_is_multiplied():
    for product in products():
        got, expected = product(ONES.astype(np.float32)), product(ONES)
        assert np.allclose(got, expected, rtol=1e-5)  # smaller types are converted
        for x in (np.ones((N, 3)), np.ones((N, N, N)), np.ones(N + 1), np.float64(1.0)[None, None]):
            with pytest.raises((ValueError, IndexError)):
                product(x)
        for entry in (object, complex):
            with pytest.raises(TypeError, match="NumPy array of real numbers"):
                product(ONES.astype(entry))


@pytest.mark.parametrize("indices", [W[:, None] * 0 + W, W > 2, [0, 1], 1.0 * W])
def test_a_working_set_is_one_list_of_indices(indices):
    for gather in (*(Sigma.__getitem__ for Sigma in SIGMAS), *(D.columns for D in DATA)):
        with pytest.raises(TypeError, match="array of indices"):
            gather(indices)


def test_decompositions_refuse_a_stack_of_matrices():
    stack = np.array([np.eye(3), np.eye(3)])
    for function in (spectral.eigen, spectral.eigenvalues, spectral.largest_eigenvalue):
        with pytest.raises(ValueError, match="shape"):
            function(stack)
    for wrong in (np.ones((2, 3, 3)), np.ones(2)):
        with pytest.raises(ValueError, match="shape"):
            spectral.product(np.eye(3), wrong)
