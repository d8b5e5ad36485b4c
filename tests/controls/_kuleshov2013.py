"""Rows of GPower, and of GRQI at the same cardinality."""

SPARSITIES = (0.006, 0.012, 0.03, 0.044, 0.07, 0.12, 0.17)
SEEDS = (0, 1, 2)
PENALTIES = ("gpower1", "gpower0")


def pair(penalty, seed, sparsity, ratio=50.0, n=1000, label="main", **changes):
    """Yield a GPower run with ``ratio`` times the flops of the GRQI run at the same cardinality.

    changes : columns of both rows; those ending in _p or _g are of GPower or of GRQI only.
    """
    k = round(sparsity * n)
    both = dict(n=n, seed=seed, label=label, group=f"{penalty} {seed}", cardinality=k)
    both |= dict(chain=f"{label} {n} {sparsity}", iterations=6, search_runs=4, solve_time=1e-3)
    both |= dict(variance=1.0, variance_refit=1.0, lambda_1=1.0)
    both |= {name: v for name, v in changes.items() if name[-2:] not in ("_p", "_g")}
    grqi = {
        side: both | {f[:-2]: v for f, v in changes.items() if f[-2:] == side}
        for side in ("_p", "_g")
    }
    yield dict(solver=penalty, settings=dict(k=k), flops=ratio * 1000) | grqi["_p"]
    yield (
        dict(solver="grqi", match=penalty, settings=changes.get("finite", {}), flops=1000)
        | grqi["_g"]
    )


def grid(sparsities=SPARSITIES, seeds=SEEDS, **changes):
    """Yield pairs for both penalties at every sparsity and seed."""
    for penalty in PENALTIES:
        for seed in seeds:
            for sparsity in sparsities:
                yield from pair(penalty, seed, sparsity, **changes)


def in_a_share(value, hit, miss):
    """Yield GPower1 pairs at 210 cardinalities of twelve problems, with ``hit`` in a share of
    them.
    """
    for seed in range(12):
        for k in range(1, 211):
            yield from pair("gpower1", seed, k / 1000, **(hit if k <= 210 * value else miss))


def apart(percent, sparsities=SPARSITIES, **changes):
    """GPower explains ``percent`` more than GRQI, both as returned and refitted."""
    value = 1 + percent / 100
    return grid(sparsities, variance_p=value, variance_refit_p=value, **changes)
