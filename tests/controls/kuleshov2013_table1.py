"""Made-up rows for K14."""

import json


def K14(value):
    """Each step is the last one raised to the power ``value``."""
    for seed, first in enumerate((0.2, 0.15, 0.1)):
        steps = [first]
        while steps[-1] ** value > 1e-12:
            steps.append(steps[-1] ** value)
        moving = [first] * 2  # the support is not fixed yet: left out
        history = [dict(change=c) for c in (0.0, *moving, *steps)]
        common = dict(solver="grqi", label="history", flops=100, iterations=len(steps))
        yield common | dict(seed=seed, history=json.dumps(history))
