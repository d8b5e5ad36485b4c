"""Timed rows like those of the trials of He et al."""

SEEDS = (0, 1, 2)


def timed(solver, x, seconds, form="sparse", seeds=SEEDS, **columns):
    """Yield three rounds of a solver on each problem, which take slightly more than ``seconds``."""
    for seed in seeds:
        for repeat, factor in enumerate((1.0, 1.01, 1.02)):
            run = dict(solver=solver, form=form, group=f"{x:g} {seed}", seed=seed, repeat=repeat)
            run |= dict(samples=3, setup_time=0.0, solve_time=seconds * factor)
            run |= dict(search_time=10 * seconds, flops=1000, setup_flops=0, iterations=5)
            yield run | dict(variance=1.0, variance_refit=1.0, cardinality=20) | columns


def against(solver, ratio, share, forms, **columns):
    """GPower0 takes ``ratio`` times as long in each form; a solver has ``share`` of its variance.

    columns : columns of all rows, including x.
    """
    for form in forms:
        yield from timed("gpower0", seconds=ratio, form=form, **columns)
    values = dict(variance=share, variance_refit=share)
    yield from timed(solver, seconds=1.0, form=forms[0], **columns | values)
