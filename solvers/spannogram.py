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

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import betainc

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.methods.lowrank import climb, low_rank, rank_one
from spcabench.methods.spannogram import falling, scores
from spcabench.problem.spectral import product
from spcabench.validate import number, whole

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
BATCH = 1024  # samples per batch


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
    for net in nets(problem.covariance, np.array([k]), d, eps, samples, nonnegative, seed):
        x = net.x()
        yield Iterate(x, bound_whp=net.bound_whp(), phase=f"rank {net.V.shape[1]}")
    for better in climb(net.V, x, k, nonnegative) if polish else ():
        yield Iterate(better, bound_whp=net.bound_whp(), phase="polish")


def path(problem, ks, *, d=3, eps=0.1, samples="paper", nonnegative=False, seed=0):
    """Yield k, x (n,) and its bound for all cardinalities ks, computed in one pass.

    The bounds equal those of `solve`, except for ties.
    """
    *_, net = nets(problem.covariance, np.array(ks), d, eps, samples, nonnegative, seed)
    for place, k in enumerate(ks):
        yield k, net.x(place), net.bound_whp(place)


def nets(Sigma, ks, d, eps, samples, nonnegative, seed):
    """Run Algorithm 3 for the ranks up to d, and yield the net after each batch.

    The last net contains the answer for rank d, or for the rank of Sigma if that is smaller.
    """
    w, U = Sigma.leading_pairs(whole("d", d, 1) + 1)  # (d + 1,), (n, d + 1)
    d = low_rank(w, U, d)[0].shape[1]  # the rank of Sigma, if that is smaller
    n, q, failing, bound = len(U), len(ks), 0.0, np.full(len(ks), np.inf)
    for r in range(1, d + 1) if samples == "paper" else sorted({1, d}):
        V, tail = low_rank(w, U, r)  # steps 1 and 2
        rng, left = np.random.default_rng([seed, r]), sample_count(n, r, eps, samples)
        fails = failure(r, eps, left)
        net = Net(V, falling(V), ks, nonnegative, np.zeros((r, q)), np.full(q, -1.0), bound)
        while left:
            C = rng.standard_normal((min(left, BATCH), r))  # step 5
            left -= len(C)
            net = net.joined(C / np.sqrt((C**2).sum(axis=1, keepdims=True)))
            if not left and Sigma.exact_pairs and failing + fails <= 1.0 / n:
                failing += fails
                share = 1.0 if r == 1 else 1.0 - eps  # rank one is exact
                bound = np.minimum(bound, net.scores / share + tail) if share else bound
                net = replace(net, bound=bound)
            yield net


@dataclass(frozen=True)
class Net:
    """State of Algorithm 3 for the cardinalities ks (q,).

    V : factor (n, d) of the approximation.
    falling : the rows of V by decreasing norm, and the norms.
    C : the best c so far for each cardinality (d, q).
    scores : ||V'x||^2 for each of these c (q,).
    bound : upper bounds (q,), which all hold with probability at least 1 - 1/n. They are infinite
        until the first net is complete.
    """

    V: np.ndarray
    falling: tuple[np.ndarray, np.ndarray]
    ks: np.ndarray
    nonnegative: bool
    C: np.ndarray
    scores: np.ndarray
    bound: np.ndarray

    def x(self, place=0):
        """Return the answer (n,) for the cardinality ks[place]."""
        return rank_one(product(self.V, self.C[:, place]), int(self.ks[place]), self.nonnegative)

    def bound_whp(self, place=0):
        """Return the bound for the cardinality ks[place], or None before the first bound."""
        return float(self.bound[place]) if np.isfinite(self.bound[place]) else None

    def joined(self, C):
        """Return the net after also trying the samples C (b, d), which are unit rows."""
        C = np.vstack([C, -C]) if self.nonnegative else C
        tried = scores(*self.falling, C, self.ks, not self.nonnegative)  # (b, q): steps 6 and 7
        best, top = tried.max(axis=0), C[tried.argmax(axis=0)].T
        better = best > self.scores
        return replace(
            self, C=np.where(better, top, self.C), scores=np.where(better, best, self.scores)
        )


def sample_count(n, d, eps, samples):
    """Return the number of samples for a net in R^d.

    samples : "paper" for ceil(eps^-d ln n), "sharp" for a failure probability of 1/n, or a number.
    """
    if not 0.0 < number("eps", eps) <= 1.0:
        raise InputError(f"eps: {eps!r}; it must be above 0 and at most 1")
    if isinstance(samples, str) and samples not in ("paper", "sharp"):
        raise InputError(f"samples: {samples!r}; choose 'paper', 'sharp' or a whole number from 1")
    if d == 1 or (samples == "sharp" and eps == 1.0):
        return 1
    if not isinstance(samples, str):
        return whole("samples", samples, 1)
    with np.errstate(over="ignore", divide="ignore"):
        nets = np.float64(eps) ** -d if samples == "paper" else -1.0 / np.log1p(-near(d, eps))
        count = nets * np.log(n)
    if not count <= MAX_ITERATIONS * BATCH:
        raise InputError(f"eps, d: {eps}, {d} need {count:.3g} samples; choose a larger eps")
    return max(1, int(np.ceil(count)))


def failure(d, eps, count):
    """Return the probability that no sample is close enough to c*, the direction of the optimum.

    A sample with cos^2(c, c*) >= 1 - eps is close enough: ||V'x(c)|| >= |c'V'x(c)| >= |c'V'x*| =
    |cos(c, c*)| ||V'x*||.
    """
    return 0.0 if d == 1 else (1.0 - near(d, eps)) ** count


def near(d, eps):
    """Return P(cos^2 >= 1 - eps) for the angle between a random line and a fixed line in R^d."""
    return float(betainc((d - 1) / 2.0, 0.5, eps))
