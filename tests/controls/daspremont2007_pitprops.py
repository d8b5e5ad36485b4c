"""Made-up rows for D8 and D10."""

FIRST = [0, 1, 6, 7, 8, 9]


def residues(left, error=1e-12):
    """What the decomposition leaves at each rho, over rho, and its error."""
    for rho in (0.2, 0.4, 0.6):
        numbers = dict(rho=rho, deflation="hotelling", error=error, diagonal=0.3, least=-0.2)
        extra = numbers | dict(left=[1.0, 0.5, left * rho])
        yield dict(dataset="pitprops", label="decomposition", extra=extra)


def D8(value):
    """A share ``value`` is left."""
    return residues(value)


def D8_identities(value):
    """The identities are off by ``value``."""
    return residues(0.5, value)


def trivial_D8():
    """A random direction is taken out, which leaves the largest entry as it was."""
    return residues(1.5)


def D10(value):
    """``value`` of the published variables are found, and the rest are others."""
    support = FIRST[:value] + [2, 3, 4, 5, 10, 11][: 6 - value]
    yield dict(dataset="pitprops", label="by k", solver="dspca", k=6, support=support)


D10.values = [(6, 5)]


def trivial_D10():
    """The first six variables: all have the same variance."""
    yield dict(dataset="pitprops", label="by k", solver="dspca", k=6, support=[*range(6)])
