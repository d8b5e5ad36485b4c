"""Made-up rows of Algorithm 3 and EM at every cardinality, prepared as what decides a figure."""

import numpy as np

KS = (1, 20, 50, 90, 180, 300)
DATA = {
    "faces": dict(dataset="cbcl", label="contrast-normalised", n=361),
    "genes": dict(dataset="mll", label="main", n=12_582),
    "spectra": dict(dataset="lrs", label="not centred", n=93),
}


def by_k(of, values=0.5, ratio=1.0, q=0.45, after=0.1, ks=KS):
    """Both methods' rows, as shares of lambda_1, which is 1.

    values : Algorithm 3's variance, one number or one for each k; EM's is that over ``ratio``. q,
    after : x'A_3 x and lambda_4, so that the bound is q / 0.9 + after, which is 0.6.
    """
    ks = [k for k in ks if k <= DATA[of]["n"]]
    for k, value in zip(ks, np.broadcast_to(values, len(ks)), strict=True):
        for solver, share in (("spannogram", value), ("em", value / ratio)):
            yield DATA[of] | dict(
                solver=solver,
                k=k,
                cardinality=k,
                lambda_1=1.0,
                bound=1.0,
                variance=share,
                variance_refit=share,
                q=q,
                lambda_next=after,
            )


def explained(of, percent, ks=KS):
    """Algorithm 3 explains so many percent of the bound."""
    return by_k(of, np.multiply(percent, 0.006), ks=ks)


def bounded(of, times):
    """The bound is so many times the a-priori bound, which is 0.5."""
    n = DATA[of]["n"]
    ks = [k for k in KS if k <= n]
    rho = [max(k / (2 * n), 1 / (1 + 0.2 * n / k)) for k in ks]
    return by_k(of, 0.45 * np.array(rho), q=0.9 * (0.5 * times - 0.1), ks=ks)


def random_support(of, ks=KS):
    """In the place of Algorithm 3: k variables by chance, which have k / n of the variance.

    EM stays at 0.5.
    """
    n = DATA[of]["n"]
    for k in ks:
        if k <= n:
            yield from by_k(of, 0.6 * k / n, ratio=1.2 * k / n, ks=[k])
