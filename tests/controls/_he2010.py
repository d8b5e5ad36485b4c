"""Timed rows, as the trials of He et al. give them."""


def timed(solver, x, seconds, form="sparse", **columns):
    """Three rounds of a solver, which take a little more than ``seconds``."""
    for repeat, factor in enumerate((1.0, 1.01, 1.02)):
        yield (
            dict(
                solver=solver,
                form=form,
                group=f"{x:g}",
                repeat=repeat,
                samples=3,
                setup_time=0.0,
                solve_time=seconds * factor,
                search_time=10 * seconds,
                variance=1.0,
                variance_refit=1.0,
                cardinality=20,
            )
            | columns
        )
