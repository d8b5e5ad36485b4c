"""Timed rows, as the trials of He et al. give them."""

SEEDS = (0, 1, 2)


def timed(solver, x, seconds, form="sparse", seeds=SEEDS, **columns):
    """Three rounds of a solver on each problem, which take a little more than ``seconds``."""
    for seed in seeds:
        for repeat, factor in enumerate((1.0, 1.01, 1.02)):
            yield (
                dict(
                    solver=solver,
                    form=form,
                    group=f"{x:g} {seed}",
                    seed=seed,
                    repeat=repeat,
                    samples=3,
                    setup_time=0.0,
                    solve_time=seconds * factor,
                    search_time=10 * seconds,
                    variance=1.0,
                    variance_refit=1.0,
                    cardinality=20,
                    flops=1000,
                    setup_flops=0,
                    iterations=5,
                )
                | columns
            )


def against(solver, ratio, share, forms, **columns):
    """GPower0 in its forms takes ``ratio`` times as long; a solver has ``share`` of its variance.

    columns : of all rows; x is one of them.
    """
    for form in forms:
        yield from timed("gpower0", seconds=ratio, form=form, **columns)
    values = dict(variance=share, variance_refit=share)
    yield from timed(solver, seconds=1.0, form=forms[0], **columns | values)
