"""Made-up rows of Algorithm 3 and EM at every cardinality."""


def by_k(ks, n, value=0.5, ratio=1.0, q=0.45, after=0.1, labels=("main",), **changes):
    """Both methods' rows: shares of lambda_1, which is 1.

    value : Algorithm 3's variance, EM's is that over ``ratio``. q, after : x'A_3 x and lambda_4, so
    that the shaded bound is q / 0.9 + after.
    """
    for label in labels:
        for k in ks:
            for solver, share in (("spannogram", value), ("em", value / ratio)):
                yield (
                    dict(
                        dataset="made_up",
                        label=label,
                        solver=solver,
                        k=k,
                        cardinality=k,
                        n=n,
                        lambda_1=1.0,
                        bound=1.0,
                        variance=share,
                        variance_refit=share,
                        q=q,
                        lambda_next=after,
                    )
                    | changes
                )


def explained(ks, n, percent, **changes):
    """Algorithm 3 explains so many percent of the shaded bound, a tenth more of the other one."""
    return by_k(ks, n, value=percent / 200, q=0.45, after=0.0, **changes)


def tighter(ks, n, holds, **changes):
    """The bound is far below the a-priori one at most k, or far above it.

    The a-priori bound is a multiple of the variance that was found, the other one is not.
    """
    return by_k(ks, n, value=0.5 if holds else 1e-4, after=0.3, **changes)
