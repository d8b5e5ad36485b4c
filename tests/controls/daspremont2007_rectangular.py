"""Made-up rows for D13."""


def D13(value):
    """The bound is ``value`` times the optimum."""
    for shape in ([6, 5], [8, 8]):
        extra = dict(shape=shape, k=[2, 2], optimum=1.0, bound=value, refit=1.0)
        yield dict(extra=extra)
