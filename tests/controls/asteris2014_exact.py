"""Made-up rows for A11, A12, A15, A16 and A18."""

from spcabench.figures.asteris2014_exact import K, N

LOW = ("rank d", "sigma I + rank d", "sigma I + rank d, on A")


def run(label, seed, solver, variance, **columns):
    """A run on one of the small matrices."""
    dataset = "gaussian" if label == "full rank" else "low_rank"
    parameters = dict(seed=seed, sigma=label.partition(",")[0])
    settings = dict(k=K, d=columns.pop("d", 0))
    return (
        dict(
            label=label,
            dataset=dataset,
            parameters=parameters,
            solver=solver,
            settings=settings,
            n=N,
            variance=variance,
        )
        | columns
    )


def small(share=1.0, low=1.0, sampled=0.95, candidates=10):
    """Matrices of order ten: Algorithm 1 attains a share of the optimum, Algorithm 3 another."""
    for seed in range(20):
        full = dict(dataset="gaussian", parameters=dict(seed=seed, sigma="full rank"))
        yield full | dict(measure="eigenvalues", extra=dict(w=[1.0, 0.5, 0.4, 0.3, 0.2, 0.1]))
        yield run("full rank", seed, "brute_force", 1.0)
        for d in (1, 2, 3):
            extra = dict(candidates=candidates)
            yield run("full rank", seed, "spannogram_exact", share, d=d, extra=extra)
        yield run("full rank", seed, "spannogram", sampled, d=3)
        for label in LOW[:2]:
            yield run(label, seed, "brute_force", 1.0)
            yield run(label, seed, "spannogram_exact", low, d=2, extra=dict(candidates=10))
        yield run(LOW[2], seed, "spannogram_exact", low, d=2, extra=dict(candidates=10))


def growing(sampled=1.0, exact=1.0):
    """Flops that grow like a power of what the theorems say."""
    for k_of in ("10", "n/4"):
        for n in (100, 200, 400, 800):
            k = 10 if k_of == "10" else n // 4
            common = dict(label=f"growth {k_of}", dataset="grown", n=n, solve_time=1e-6 * n)
            flops = (n * 10.0) ** sampled * (5.0 + n.bit_length())
            yield common | dict(solver="spannogram", settings=dict(k=k, d=3), flops=int(flops))
            for d in (2, 3):
                cost = (n**d * float(k) ** d + n ** (d + 1.0)) ** exact
                yield common | dict(
                    solver="spannogram_exact",
                    settings=dict(k=k, d=d),
                    flops=int(cost / 1e4),
                    extra=dict(candidates=10),
                )


def A11(holds):
    """Ten candidates, or a million."""
    yield from small(candidates=10 if holds else 10**6)
    yield from growing()


def A12(holds):
    """The optimum is reached, or a hundredth of it."""
    yield from small(share=1.0 if holds else 0.01)
    yield from growing()


def A15(holds):
    """The optimum is reached on matrices of low rank, or 99 % of it."""
    yield from small(low=1.0 if holds else 0.99)
    yield from growing()


def A16(holds):
    """Flops grow like n log n, or like n^1.5 log n."""
    yield from small()
    yield from growing(sampled=1.0 if holds else 1.5)


def A18(holds):
    """Flops grow like n^d k^d + n^(d+1), or like its power 1.3."""
    yield from small()
    yield from growing(exact=1.0 if holds else 1.3)
