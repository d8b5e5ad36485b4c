"""Sampled spannogram: the best component of a rank-d approximation, found with an epsilon-net.

Asteris, Papailiopoulos, Dimakis (2014), Algorithm 3.

Differences from the paper:

1. The ranks below d are solved first, in about a tenth of the time. They only improve the bound
   (section 7), not the answer.
2. The option samples="sharp" draws the number of samples for which the guarantee holds with
   probability 1 - 1/n, instead of ceil(eps^-d ln n).
3. The option polish improves the answer by alternation, which is not in the paper.
4. Samples are drawn in batches. One partition of V c gives the rank-one solutions for all
   cardinalities (`path`), without a full sort.
5. Rows of V are scanned by decreasing norm. Once k entries of V c exceed the norm of the next row,
   no later row can be among the k largest. Stopping there does not change the answer.
"""

from dataclasses import dataclass

import numpy as np

from spcabench.iterate import Facts, Iterate, Traits
from spcabench.methods.epsilon_net import failure, sample_count, unit_vectors
from spcabench.methods.lowrank import climb, low_rank, rank_one
from spcabench.methods.spannogram import falling, scores
from spcabench.problem.spectral import product
from spcabench.validate import whole
from spcabench.vectors import Array, Vector

TRAITS = Traits(control="cardinality", accepts="either", nonnegative=True)
FACTS = Facts(
    authors="Asteris, Papailiopoulos, Dimakis",
    title="Nonnegative sparse PCA with provable guarantees",
    venue="ICML",
    year=2014,
    address="https://proceedings.mlr.press/v32/asteris14.html",
    cost="n d per sample",
    code="lowrankquadrmax, https://github.com/megasthenis/lowrankquadrmax (MATLAB)",
)
COLOUR = "#009E73"
EXAMPLE = dict(k=10)
STOP = "end"
MAX_ITERATIONS = 10**9


def solve(
    problem,
    *,
    k: int,
    d: int = 3,
    eps: float = 0.1,
    samples: str = "paper",
    polish: bool = False,
    nonnegative: bool = False,
    seed: int = 0,
):
    """Yield the best unit k-sparse x (n,) of the samples so far, after each batch of samples.

    d, eps : rank of the approximation, and relative accuracy. With probability 1 - 1/n, the
        variance of x in the approximation is at least 1 - eps times the maximum.
    samples : "paper", "sharp", or the number of samples. With a number, a bound is returned only if
        it holds with the same probability.
    polish : finally iterate c <- V'x / ||V'x||, x <- best for V c, while the value increases.
    nonnegative : require x >= 0.

    The last iterate has the bound x'A_d x / (1 - eps) + lambda_{d+1}, minimised over the ranks up
    to d, unless the data are so large that lambda_{d+1} is only an estimate.
    """
    for net in nets(problem.covariance, [k], d, eps, samples, nonnegative, seed):
        x = net.x()
        yield Iterate(x, bound_whp=net.bound_whp(), phase=f"rank {net.V.shape[1]}")
    for better in climb(net.V, x, k, nonnegative) if polish else ():
        yield Iterate(better, bound_whp=net.bound_whp(), phase="polish")


def path(problem, ks, *, d=3, eps=0.1, samples="paper", nonnegative=False, seed=0):
    """Yield k, x (n,) and its bound for all cardinalities ks, computed in one pass.

    The bounds equal those of `solve`, except for ties.
    """
    *_, net = nets(problem.covariance, ks, d, eps, samples, nonnegative, seed)
    for place, k in enumerate(ks):
        yield k, net.x(place), net.bound_whp(place)


def algorithm_3(V, ks, N, nonnegative, rng):
    """Yield the number of samples so far, their best c (d, q) and its ||V'x||^2 (q,).

    V : factor (n, d) of the approximation. ks : the cardinalities (q,). N : number of samples.
    """
    count, best_c, best = 0, np.zeros((V.shape[1], len(ks))), np.full(len(ks), -1.0)
    rows = falling(V)
    for C in unit_vectors(N, V.shape[1], rng):  # step 5, (b, d)
        count += len(C)
        C = np.vstack([C, -C]) if nonnegative else C
        values = scores(*rows, C, ks, not nonnegative)  # steps 6 and 7: the best x for V c, (b, q)
        value, c = values.max(axis=0), C[values.argmax(axis=0)].T  # output
        best_c, best = np.where(value > best, c, best_c), np.maximum(value, best)
        yield count, best_c, best


def nets(Sigma, ks, d, eps, samples, nonnegative, seed):
    """Run Algorithm 3 for the ranks up to d, and yield the net after each batch of samples.

    The last net contains the answer for rank d, or for the rank of Sigma if that is smaller.
    """
    w, U = Sigma.leading_pairs(whole("d", d, 1) + 1)  # (d + 1,), (n, d + 1)
    d, n, ks = low_rank(w, U, d)[0].shape[1], len(U), np.array(ks)
    bound, failing = np.full(len(ks), np.inf), 0.0
    for r in range(1, d + 1) if samples == "paper" else sorted({1, d}):
        V, tail = low_rank(w, U, r)  # steps 1 and 2
        N, rng = sample_count(n, r, eps, samples), np.random.default_rng([seed, r])
        fails, share = failure(r, eps, N), 1.0 if r == 1 else 1.0 - eps  # rank one is exact
        for count, c, value in algorithm_3(V, ks, N, nonnegative, rng):
            known = Sigma.exact_pairs and share  # otherwise the tail is an estimate
            if count == N and failing + fails <= 1.0 / n and known:
                failing, bound = failing + fails, np.minimum(bound, value / share + tail)
            yield Net(V, ks, nonnegative, c, bound)


@dataclass(frozen=True)
class Net:
    """The best samples so far for the cardinalities ks (q,).

    V : factor (n, d) of the approximation.
    c : the best c for each cardinality (d, q).
    bound : upper bounds (q,), which all hold with probability at least 1 - 1/n. They are infinite
        until the first net is complete.
    """

    V: Array
    ks: Vector
    nonnegative: bool
    c: Array
    bound: Vector

    def x(self, place=0):
        """Return the answer (n,) for the cardinality ks[place]."""
        return rank_one(product(self.V, self.c[:, place]), int(self.ks[place]), self.nonnegative)

    def bound_whp(self, place=0):
        """Return the bound for the cardinality ks[place], or None before the first bound."""
        return float(self.bound[place]) if np.isfinite(self.bound[place]) else None
