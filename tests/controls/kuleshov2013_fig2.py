"""Made-up rows for K2 to K6, K11 to K13, K15, K17, K19, K23 and K24."""

from tests.controls._kuleshov2013 import PENALTIES, SEEDS, SPARSITIES, apart, grid, in_a_share

LARGE = (0.36, 0.42, 0.5)
WHOLE = 1000  # a slow method's iterations


def K2(value):
    """A share of the runs ends after six iterations, and the others after thirty."""
    return in_a_share(value, dict(iterations_g=6), dict(iterations_g=30))


def K2_variance(value):
    """GPower explains ``value`` percent more."""
    return apart(value)


def trivial_K2():
    """A method that stays at its start, which explains half of what GPower does."""
    return apart(100.0, iterations_g=1)


def K3(value):
    """GPower takes ``value`` times the flops."""
    return grid(ratio=value)


def trivial_K3():
    """GPower compared with itself."""
    return grid(ratio=1.0)


K4, trivial_K4 = K3, trivial_K3


def K5(value):
    """At large k GPower takes ``value`` times the flops."""
    return grid(LARGE, ratio=value)


def trivial_K5():
    """GPower compared with itself."""
    return K5(1.0)


def K6(value):
    """At the loose tolerance GPower takes ``value`` times the flops."""
    return grid(ratio=value, label="loose")


def trivial_K6():
    """GPower compared with itself."""
    return K6(1.0)


def K11(value):
    """``value`` changes of gamma by 0.9 % move k from 100 to 85, and one moves it from 100 to
    99.
    """
    for penalty in PENALTIES:
        for pair in range(value + 1):
            for step, k in enumerate((100, 85 if pair < value else 99)):
                settings = dict(gamma=1.009**step)
                common = dict(solver=penalty, label="gamma 0.3", settings=settings)
                yield common | dict(seed=pair, cardinality=k)


K11.values = [(1, 0)]


def trivial_K11():
    """A method that takes k as an argument and keeps one entry fewer each time."""
    return K11(0)


def K12(value):
    """The search takes ``value`` runs."""
    return grid(search_runs=value)


def trivial_K12():
    """A method that takes k as an argument and needs no search."""
    return K12(1)


def growing(grqi=1.0, gpower=1.0):
    """Flops per iteration grow with powers of the paper's formulas."""
    for n in (200, 500, 1000):
        for sparsity in SPARSITIES:
            k = round(sparsity * n)
            flops = dict(flops_g=6 * (k**3 + n * k) ** grqi, flops_p=6 * (n**2 + n * k) ** gpower)
            yield from grid((sparsity,), seeds=(0,), n=n, **flops)


def K13(value):
    """GRQI's flops grow with ``value`` as the exponent."""
    return growing(grqi=value)


def K13_GPower(value):
    """GPower's flops grow with ``value`` as the exponent."""
    return growing(gpower=value)


def small_J(flops=0.5, percent=0.0):
    """At large k and small J, GRQI takes ``ratio`` times the flops and loses some variance."""
    yield from grid(LARGE)
    for J in (1, 2, 5):
        yield from apart(percent, LARGE, ratio=1 / flops, finite=dict(J=J), chain=f"J {J}")


def K15(value):
    """GRQI takes ``value`` times the flops of GPower."""
    return small_J(flops=value)


def K15_variance(value):
    """GPower explains ``value`` percent more."""
    return small_J(percent=value)


def trivial_K15():
    """The start, without an iteration: half of what GPower explains."""
    return small_J(0.01, 100.0)


def K17(value):
    """At n = 500 GPower takes ``value`` times the flops."""
    return apart(0.0, n=500, label="dimension", ratio=value)


def K17_variance(value):
    """At n = 500 GPower explains ``value`` percent more."""
    return apart(value, n=500, label="dimension")


def trivial_K17():
    """GPower compared with itself."""
    return K17(1.0)


def iterations(elsewhere=1.0, beside=10.0):
    """GRQI's iterations at sparsities other than 4.4 % over those there, with those of GPower."""
    for sparsity in SPARSITIES:
        grqi = WHOLE * (1.0 if sparsity == 0.044 else elsewhere)
        yield from grid((sparsity,), iterations_g=grqi, iterations_p=grqi * beside)


def K19(value):
    """GRQI takes ``value`` times its iterations at 4.4 %."""
    return iterations(value)


def K19_beside_GPower(value):
    """GPower takes ``value`` times the iterations of GRQI."""
    return iterations(beside=value)


def trivial_K19():
    """GPower takes the place of GRQI."""
    return iterations(beside=1.0)


def K22(value):
    """A flop of GPower takes ``value`` times as long as one of GRQI."""
    return grid(ratio=50.0, solve_time_p=50.0e-3 * value)


def trivial_K22():
    """GPower compared with itself."""
    return grid(ratio=1.0)


def left_out(label, solver, ratio, ns=(1000,), **columns):
    """Runs of another method with ``ratio`` times the flops of GPower1."""
    for n in ns:
        yield from grid(seeds=SEEDS, n=n, flops_p=1000)
        for seed in SEEDS:
            for sparsity in SPARSITIES:
                row = dict(solver=solver, n=n, seed=seed, label=label, flops=1000 * ratio)
                yield row | dict(settings=dict(k=round(sparsity * n)), iterations=10) | columns


def K23(value):
    """The greedy search takes ``value`` times the flops of GPower1."""
    return left_out("greedy search", "greedy_full", value)


def trivial_K23():
    """GPower1 compared with itself."""
    return K23(1.0)


def K24(value):
    """DSPCA takes ``value`` times the flops of GPower1."""
    return left_out("relaxation", "dspca", value, (500, 1000), relaxation_gap=5e-3)


def trivial_K24():
    """GPower1 compared with itself."""
    return K24(1.0)
