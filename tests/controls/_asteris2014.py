"""Made-up rows of Algorithm 3 and EM at every cardinality, in the form that statements are
judged on.
"""

import numpy as np

KS = (1, 20, 50, 90, 180, 300)
DATA = {
    "faces": dict(dataset="cbcl", label="contrast-normalised", n=361),
    "genes": dict(dataset="mll", label="main", n=12_582),
    "spectra": dict(dataset="lrs", label="not centred", n=93),
}


def by_k(of, values=0.5, ratio=1.0, q=0.45, after=0.1, ks=KS):
    """Yield rows of both methods as shares of lambda_1, which is 1.

    values : variance of Algorithm 3, one number or one for each k; EM has this divided by
    ``ratio``. q, after : x'A_3 x and lambda_4, which make the bound q / 0.9 + after = 0.6.
    """
    ks = [k for k in ks if k <= DATA[of]["n"]]
    for k, value in zip(ks, np.broadcast_to(values, len(ks)), strict=True):
        for solver, share in (("spannogram", value), ("em", value / ratio)):
            values = dict(variance=share, variance_refit=share, lambda_1=1.0, bound=1.0)
            certificate = dict(q=q, lambda_next=after)
            yield DATA[of] | dict(solver=solver, k=k, cardinality=k) | values | certificate


def explained(of, percent, ks=KS):
    """Algorithm 3 explains ``percent`` of the bound."""
    return by_k(of, np.multiply(percent, 0.006), ks=ks)


def bounded(of, times):
    """The bound is ``times`` the a-priori bound, which is 0.5."""
    n = DATA[of]["n"]
    ks = [k for k in KS if k <= n]
    rho = [max(k / (2 * n), 1 / (1 + 0.2 * n / k)) for k in ks]
    return by_k(of, 0.45 * np.array(rho), q=0.9 * (0.5 * times - 0.1), ks=ks)


def random_support(of, ks=KS):
    """Algorithm 3 is replaced by k random variables, which explain k / n of the variance.

    EM stays at 0.5.
    """
    n = DATA[of]["n"]
    for k in ks:
        if k <= n:
            yield from by_k(of, 0.6 * k / n, ratio=1.2 * k / n, ks=[k])
