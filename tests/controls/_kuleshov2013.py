"""Rows of GPower and, at its cardinality, of GRQI."""

SPARSITIES = (0.006, 0.012, 0.03, 0.07, 0.12, 0.17)


def pair(penalty, seed, sparsity, ratio=50.0, n=1000, label="main", **changes):
    """A run of GPower with ``ratio`` times the flops of the GRQI run that matches it.

    changes : columns of both; those that end in _p or _g are of GPower or of GRQI alone.
    """
    k = round(sparsity * n)
    both = dict(
        n=n,
        seed=seed,
        label=label,
        group=f"{penalty} {seed}",
        chain=f"{label} {n} {sparsity}",
        cardinality=k,
        iterations=6,
        variance=1.0,
        variance_refit=1.0,
        lambda_1=1.0,
        search_runs=4,
    )
    both |= {name: v for name, v in changes.items() if name[-2:] not in ("_p", "_g")}
    mine = {
        side: both | {f[:-2]: v for f, v in changes.items() if f[-2:] == side}
        for side in ("_p", "_g")
    }
    yield dict(solver=penalty, settings=dict(k=k), flops=ratio * 1000) | mine["_p"]
    yield (
        dict(solver="grqi", match=penalty, settings=changes.get("finite", {}), flops=1000)
        | mine["_g"]
    )


def grid(sparsities=SPARSITIES, seeds=3, **changes):
    """Pairs of both penalties at every sparsity and seed."""
    for penalty in ("gpower1", "gpower0"):
        for seed in range(seeds):
            for sparsity in sparsities:
                yield from pair(penalty, seed, sparsity, **changes)
