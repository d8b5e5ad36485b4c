"""Covariances on which simple methods fail: the optimum is known, but easy to miss.

The first four families are from Kumar, Sarkar, Tian, Zhang, "Combinatorial sparse PCA beyond the
spiked identity model", 2026, doi:10.48550/arXiv.2603.02607. Each of them makes one method fail:
diagonal thresholding, covariance thresholding, greedy selection by correlation, or deflation. The
leading eigenvector v has s equal entries (two for deflation), lambda_1 is 1 (10 for deflation), and
lambda_2 / lambda_1 is at most 0.9. The remaining families were added by this suite: two equal
blocks, negative correlations, and nearly tied optima.
"""

import numpy as np
import scipy.linalg

from spcabench import validate
from spcabench.errors import InputError, nearest
from spcabench.problem.problem import Problem


def load(family="diagonal", s=8, n=None, m=None, seed=0):
    """Return Sigma (n, n), with its variables in random order and with random signs.

    family : "diagonal", "covariance", "greedy", "deflation", "equal", "negative" or "tied".
    s : number of nonzeros of the optimum; ``support`` in the provenance lists these variables.
    n : number of variables; by default, the number that the family requires. Additional variables
        have zero variance.
    m : number of samples from N(0, Sigma); by default, the covariance is returned.
    """
    if family not in FAMILIES:
        raise InputError(nearest("family", family, FAMILIES))
    validate.whole("s", s, 3)
    validate.whole("seed", seed, 0)
    S, count = FAMILIES[family](s)
    n = len(S) if n is None else n
    validate.whole("n", n, len(S))
    rng = np.random.default_rng(seed)
    place, sign = rng.permutation(n)[: len(S)], rng.choice([-1.0, 1.0], len(S))
    Sigma = np.zeros((n, n))
    Sigma[np.ix_(place, place)] = S * np.outer(sign, sign)
    about = dict(
        source="generated",
        preprocessing="none",
        stand_in=False,
        support=np.sort(place[:count]).tolist(),
    )
    if m is None:
        return Problem.from_covariance(Sigma, f"adversarial, {family} {n}", provenance=about)
    validate.whole("m", m, 2)
    w, V = np.linalg.eigh(Sigma)
    X = rng.standard_normal((m, n)) @ (np.sqrt(np.maximum(w, 0.0)) * V).T
    return Problem.from_data(X, f"adversarial, {family} {m} x {n}", divisor="m", provenance=about)


def against_diagonal_thresholding(s):
    """Return v v' plus 0.9 I on s other variables, whose variances are larger than 1 / s."""
    return scipy.linalg.block_diag(np.full((s, s), 1.0 / s), 0.9 * np.eye(s)), s


def against_covariance_thresholding(s):
    """Return (I + v v') / 2 next to a block with larger covariances, but lambda_1 = 0.72.

    The covariances of (I + v v') / 2 are 1 / (2 s).
    """
    others = max(3, s // 4)  # in a larger block the covariances would be smaller
    c = 0.42 / (others - 1)
    decoy = 0.3 * np.eye(others) + c * (1.0 - np.eye(others))
    return scipy.linalg.block_diag(0.5 * np.eye(s) + np.full((s, s), 0.5 / s), decoy), s


def against_greedy_selection(s):
    """Return v v' + 0.9 N N'; the first variable is most correlated with variables outside of v.

    The orthonormal columns of N are (b_i + e_i) / sqrt(2). The b_i are an orthonormal basis of the
    complement of v on the first s variables, with first entries 1 / sqrt(s), and the e_i are the
    unit vectors of the s - 1 variables outside of v.
    """
    B = np.linalg.qr(np.column_stack([np.ones(s), np.eye(s)[:, 1:]]))[0][:, 1:]  # (s, s - 1)
    B = B @ reflection(B[0], np.full(s - 1, 1.0 / np.sqrt(s)))
    N = np.vstack([B, np.eye(s - 1)]) / np.sqrt(2.0)
    v = np.append(np.full(s, 1.0 / np.sqrt(s)), np.zeros(s - 1))
    return np.outer(v, v) + 0.9 * N @ N.T, s


def reflection(a, b):
    """Return the symmetric orthogonal matrix that exchanges a and b, which have equal norms."""
    d = a - b
    return np.eye(len(a)) - 2.0 * np.outer(d, d) / (d @ d) if d.any() else np.eye(len(a))


def against_deflation(s):
    """Return 10 v_1 v_1' + v_2 v_2' + 0.9 u u' on s + 3 variables; v_1 and v_2 have two nonzeros.

    If a solver finds only an approximate v_1, such as sqrt(0.9) v_1 + sqrt(0.1) e_3, projecting it
    out mixes v_2, u and e_3, so the next eigenvector is dense.
    """
    e = np.eye(s + 3)
    v_1, v_2 = (e[0] + e[1]) / np.sqrt(2.0), (e[0] - e[1]) / np.sqrt(2.0)
    u = (e[2] + e[3:].sum(axis=0) / np.sqrt(s)) / np.sqrt(2.0)
    return 10.0 * np.outer(v_1, v_1) + np.outer(v_2, v_2) + 0.9 * np.outer(u, u), 2


def equal_blocks(s):
    """Return two blocks of s variables whose correlations are all 0.5.

    There are two optima, and the leading eigenspace contains dense vectors.
    """
    block = 0.5 * np.eye(s) + np.full((s, s), 0.5)
    return scipy.linalg.block_diag(block, block), s


def negative_correlations(s):
    """Return s variables with covariances -1 / s; any two or more reach the optimum 1 + 1 / s."""
    return (1.0 + 1.0 / s) * np.eye(s) - np.full((s, s), 1.0 / s), s


def tied_optima(s):
    """Return four blocks of s variables with correlations from 0.5 to 0.500003.

    The first block is the best, by at most 0.0001 %.
    """
    blocks = [(0.5 - c) * np.eye(s) + (0.5 + c) for c in 1e-6 * np.array([3.0, 2.0, 1.0, 0.0])]
    return scipy.linalg.block_diag(*blocks), s


FAMILIES = {
    "diagonal": against_diagonal_thresholding,
    "covariance": against_covariance_thresholding,
    "greedy": against_greedy_selection,
    "deflation": against_deflation,
    "equal": equal_blocks,
    "negative": negative_correlations,
    "tied": tied_optima,
}
