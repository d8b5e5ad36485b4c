"""Made-up rows for K1."""

import json

SEEDS, ROUNDS = 20, 3


def K1(value):
    """GRQI takes ``value`` iterations in the mean over 60 problems."""
    for seed in range(SEEDS * ROUNDS):
        count = int(value) + (seed % SEEDS < round(SEEDS * (value % 1)))
        history = [
            dict(iteration=i, variance=1.0, cardinality=44, change=0.1**i) for i in range(count + 1)
        ]
        common = dict(solver="grqi", seed=seed, lambda_1=1.0, history=json.dumps(history))
        yield common | dict(group="gpower1")


def trivial_K1():
    """A method that stays at its start."""
    return K1(1)
