"""Made-up rows for K14."""

import json


def K14(holds):
    """Each step is the cube of the last one, or half of it."""
    steps = [0.2]
    while steps[-1] > 1e-11:
        steps.append(steps[-1] ** 3 if holds else steps[-1] / 2)
    for first in (0.2, 0.25, 0.29):
        scale = first / 0.2
        moving = [first] * 2  # the support is not fixed yet: left out
        history = [dict(change=c) for c in (0.0, *moving, *(min(s * scale, 1.0) for s in steps))]
        yield dict(
            solver="grqi",
            label="history",
            flops=100,
            iterations=len(steps),
            history=json.dumps(history),
        )
