"""Examples from R packages for sparse PCA, with the same random numbers as in R.

"eespca" is the vignette of EESPCA (Frost 2022): the covariance of 100 samples of ten variables in
two blocks with covariance 0.5. "sparsepca" is the test of sparsepca (Erichson et al. 2020): 1,000
samples of ten variables that depend on three factors. "amanpg" is the vignette of amanpg (Chen et
al. 2020): 1,000 standard normal samples of 500 variables, with columns centred and rows then scaled
to norm one.
"""

import numpy as np
from scipy.special import ndtri

from spcabench.errors import InputError, nearest
from spcabench.problem.problem import Problem


def load(example="eespca"):
    """Return the example "eespca", "sparsepca" or "amanpg"."""
    if example not in EXAMPLES:
        raise InputError(nearest("example", example, EXAMPLES))
    about = dict(
        source=f"generated, as R's package {example} does", preprocessing="none", stand_in=False
    )
    name = f"example of {example}"
    if example == "eespca":
        return Problem.from_covariance(np.cov(eespca().T), name, provenance=about)
    if example == "sparsepca":
        return Problem.from_data(sparsepca(), name, divisor="1", provenance=about)
    return Problem.from_data(amanpg(), name, center=False, divisor="1", provenance=about)


def eespca():
    """Return the samples (100, 10) of MASS::mvrnorm(100, 0, S) after set.seed(2).

    The function multiplies normal numbers by the eigenvectors of S. For multiple eigenvalues,
    LAPACK can return any basis, so the eigenvectors printed in the vignette are used.
    """
    V, half = np.zeros((10, 10)), np.sqrt(0.5)
    V[:4, 0] = -0.5
    V[8:, 1] = half
    V[[7, 6, 5, 4], [2, 3, 4, 5]] = 1.0
    V[8:, 6] = half, -half
    V[:4, 7] = np.sqrt(0.75), *[-np.sqrt(1.0 / 12.0)] * 3
    V[1:4, 8] = -0.5773503, -0.2113249, 0.7886751
    V[1:4, 9] = -0.5773503, 0.7886751, -0.2113249
    w = np.array([2.5, 1.5, 1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5])
    return rnorm(2, 1000).reshape(10, 100).T @ (V * np.sqrt(w)).T


def sparsepca():
    """Return V1, V1, V1, V1, V2, V2, V2, V2, V3, V3 plus noise (1000, 10), after set.seed(1234)."""
    m = 1000
    drawn = rnorm(1234, 13 * m)
    V1, V2, own = 290.0 * drawn[:m], 300.0 * drawn[m : 2 * m], 100.0 * drawn[2 * m : 3 * m]
    V3 = -0.1 * V1 + 0.1 * V2 + own
    noise = drawn[3 * m :].reshape(10, m).T
    return np.column_stack([V1, V1, V1, V1, V2, V2, V2, V2, V3, V3]) + noise


def amanpg():
    """Return normalised standard normal numbers (1000, 500), after set.seed(10)."""
    z = rnorm(10, 500_000).reshape(500, 1000).T
    z = z - z.mean(axis=0)
    return z / np.sqrt((z * z).sum(axis=1, keepdims=True))


EXAMPLES = ("eespca", "sparsepca", "amanpg")


def rnorm(seed, count):
    """Return R's rnorm(count) (count,) after set.seed(seed), with R's default generators.

    R uses the Mersenne Twister (Matsumoto and Nishimura 1998) and fills its 624 words from the seed
    with a linear congruential generator. It combines 27 and 32 random bits into a uniform number,
    and inverts the normal distribution function.
    """
    words = np.empty(675, dtype=np.uint64)
    word = seed
    for i in range(len(words)):
        word = (69069 * word + 1) % 2**32
        words[i] = word
    generator = np.random.MT19937()
    generator.state = {
        "bit_generator": "MT19937",
        "state": {"key": words[51:].astype(np.uint32), "pos": 624},
    }
    u = generator.random_raw(2 * count) * 2.3283064365386963e-10  # 2^-32
    return ndtri((np.floor(2.0**27 * u[::2]) + u[1::2]) / 2.0**27)
