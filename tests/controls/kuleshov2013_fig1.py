"""Made-up rows for K1."""

import json


def K1(holds):
    """Six iterations, or twelve."""
    for seed in range(3):
        history = [
            dict(iteration=i, variance=1.0, cardinality=44, change=0.1**i)
            for i in range(7 if holds else 13)
        ]
        yield dict(
            solver="grqi", group="gpower1", seed=seed, lambda_1=1.0, history=json.dumps(history)
        )
