"""Made-up rows for D8 and D10."""


def D8(holds):
    """Below rho after two components, or above it after a hundred."""
    left = 0.1 if holds else 0.9
    for deflation in ("hotelling", "projection", "schur"):
        numbers = dict(rho=0.4, deflation=deflation, error=1e-12, diagonal=0.3, least=-0.2)
        yield dict(
            dataset="pitprops", label="decomposition", extra=numbers | dict(left=[1.0, 0.5, left])
        )


def D10(holds):
    """The published variables, or others."""
    support = [0, 1, 6, 7, 8, 9] if holds else [0, 1, 2, 3, 4, 5]
    for label in ("by k", "rho = 0.4"):
        yield dict(dataset="pitprops", label=label, solver="dspca", k=6, support=support)
