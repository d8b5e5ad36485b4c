"""Made-up rows for H7 to H9."""

from tests.controls._he2010 import timed

CARDINALITIES = (1, 5, 25, 75, 150, 300)
FORMS = {"gpower0": ("sparse", "data"), "scol": ("sparse", "covariance")}


def trials(seconds, values=None):
    """Every cardinality: seconds of a solver there, and its share of a variance."""
    for k in CARDINALITIES:
        for solver in seconds:
            value = (values or {}).get(solver, 1.0)
            columns = dict(k=k, cardinality=k, variance=value, variance_refit=value)
            for form in FORMS.get(solver, ("sparse", "covariance")):
                yield from timed(solver, k, seconds[solver](k), form, **columns)


def H7_quality(holds):
    """1 % above GPower0, or 1 % below."""
    seconds = {"gpower0": lambda k: 1.0, "scol": lambda k: 1.0}
    return trials(seconds, {"scol": 1.01 if holds else 0.99})


def H7_speed(holds):
    """Twice as fast, or half."""
    return trials({"gpower0": lambda k: 2.0 if holds else 0.5, "scol": lambda k: 1.0})


def H8(holds):
    """Time grows like k^0.1, or like k."""
    return trials({"mcol": lambda k: 1e-3 * k ** (0.1 if holds else 1.0)})


def H9(holds):
    """2 % are lost, or 9 %."""
    seconds = {"scol": lambda k: 1.0, "mcol": lambda k: 1.0}
    return trials(seconds, {"mcol": 0.98 if holds else 0.91})
