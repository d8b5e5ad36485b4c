"""Made-up rows for A11, A12, A15, A16 and A18."""

from math import comb, log

from spcabench.figures.asteris2014_exact import K, N, rho

LOW = ("rank d", "sigma I + rank d")
EIGENVALUES = [1.0, *[0.5] * 9]


def run(label, seed, solver, variance, **columns):
    """Return a run on one of the small matrices."""
    dataset = "gaussian" if label == "full rank" else "low_rank"
    parameters = dict(seed=seed, sigma=label.partition(",")[0])
    settings = dict(k=K, d=columns.pop("d", 0))
    problem = dict(label=label, dataset=dataset, parameters=parameters, n=N)
    return problem | dict(solver=solver, settings=settings, variance=variance) | columns


def small(share=1.0, low=1.0, kept=1.0, candidates=1.0, draws=1):
    """Matrices of order ten, on which each algorithm attains a share of the optimum, which is 1.

    kept : share of the draws of Algorithm 3 that attain 0.95; the others attain nothing. candidates
    : as a share of the largest number that Algorithm 1 may meet.
    """
    for seed in range(20):
        full = dict(dataset="gaussian", parameters=dict(seed=seed, sigma="full rank"))
        yield full | dict(measure="eigenvalues", extra=dict(w=EIGENVALUES))
        yield run("full rank", seed, "brute_force", 1.0)
        for d in (1, 2, 3):
            extra = dict(candidates=candidates * 2**d * comb(N + 1, d))
            yield run("full rank", seed, "spannogram_exact", share, d=d, extra=extra)
        for draw in range(draws):
            reached = 0.95 if draw < kept * draws else 0.0
            yield run("full rank", seed, "spannogram", reached, d=3)
        for label in LOW:
            yield run(label, seed, "brute_force", 1.0)
            for of in (label, f"{label}, on A"):
                yield run(of, seed, "spannogram_exact", low, d=2, extra=dict(candidates=1))


def growing(sampled=1.0, exact=1.0):
    """Flops grow like a power of the theorems' formulas."""
    for k_of in ("10", "n/4"):
        for n in (100, 200, 400, 800):
            k = 10 if k_of == "10" else n // 4
            common = dict(label=f"growth {k_of}", dataset="grown", n=n, solve_time=1e-6 * n)
            settings = dict(k=k, d=3)
            yield common | dict(solver="spannogram", settings=settings, flops=n**sampled * log(n))
            for d in (2, 3):
                cost = (n**d * float(k) ** d + n ** (d + 1.0)) ** exact
                extra, settings = dict(candidates=1), dict(k=k, d=d)
                exactly = dict(solver="spannogram_exact", settings=settings, extra=extra)
                yield common | exactly | dict(flops=cost)


def A11(value):
    """Algorithm 1 meets ``value`` times the largest number of candidates."""
    return small(candidates=value)


def A12(value):
    """The guaranteed value is ``value`` times the value attained.

    The eigenvalues give the same guarantee for d = 1 to 3.
    """
    return small(share=rho(EIGENVALUES, 1) / value)


def A15(value):
    """On matrices of low rank, the optimum is missed by ``value``."""
    return small(low=1 - value)


def A16(value):
    """A share of the runs of Algorithm 3 keeps the promise."""
    yield from small(kept=value, draws=100)
    yield from growing()


def A16_time(value):
    """Flops grow like this power of n, times log n."""
    yield from small(draws=100)
    yield from growing(sampled=value)


def A18(value):
    """Flops grow like this power of n^d k^d + n^(d+1)."""
    yield from small()
    yield from growing(exact=value)
