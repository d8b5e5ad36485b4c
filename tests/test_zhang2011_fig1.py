"""What Figure 1 of Zhang and El Ghaoui is judged from: runs that missed the gap, and problems of
other cardinality.
"""

import numpy as np
import pandas as pd
import pytest

from spcabench.claims import NOT_CONVERGED
from spcabench.figures._zhang2011 import compared, much_faster, speedups, timed
from spcabench.figures._zhang2011_limits import judged, kkt_residual
from spcabench.methods import block_ascent

GOAL = dict(tol=1e-2, time_limit=60.0)


def _row(solver, seconds, gap=9e-3, n=100, samples=1.0):
    return dict(
        solver=solver,
        method=solver,
        n=n,
        seed=100,
        repeat=0,
        solve_time=seconds,
        setup_time=0.0,
        relaxation_gap=gap,
        settings=GOAL,
        samples=samples,
    )


def test_a_run_that_missed_the_gap_counts_with_its_limit():
    table = pd.DataFrame(
        [_row("slow", 61.0, gap=0.3), _row("fast", 2.0), _row("stalled", 1.0, gap=2e-2)]
    )
    rows = timed(table)
    assert speedups(rows, "slow", "fast")[100.0].median == pytest.approx(30.5)
    assert speedups(rows, "fast", "stalled")[100.0].median == pytest.approx(2.0 / 60.0)
    assert not speedups(rows, "slow", "stalled")  # neither reached it
    assert much_faster(speedups(rows, "slow", "fast"))[0] == "holds"
    assert much_faster(speedups(rows, "fast", "stalled"))[0] == "fails"
    assert much_faster({})[0] == "undecided"


def test_what_was_not_timed_is_left_out():
    assert timed(
        pd.DataFrame([_row("fast", 2.0), _row("fast", 9.0, samples=None)])
    ).total.tolist() == [2.0]


def test_variances_are_compared_at_equal_cardinality_only():
    def row(solver, seed, variance, cardinality):
        made = dict(solver=solver, seed=seed, variance_refit=variance, cardinality=cardinality)
        return dict(**made, family="spiked", label="quality 5")

    table = pd.DataFrame(
        [
            row("reference", 1, 2.0, 5),
            row("other", 1, 1.0, 5),
            row("reference", 2, 2.0, 5),
            row("other", 2, 3.0, 6),
        ]
    )
    assert compared(table, {"other": ""}, "reference").other.dropna().tolist() == [0.5]


def test_limits_that_have_not_come_to_rest_are_not_judged():
    found = dict(sweeps=[9] * 3, residual=[1e-3] * 3, moved=[1e-9] * 3, short=[0.9] * 3)
    row = dict(label="limits", extra=found | dict(short_of_1=[1.1] * 3))
    short, optimal = judged(pd.DataFrame([row]))
    assert (optimal.verdict, optimal.remark) == ("undecided", NOT_CONVERGED)
    assert (short.verdict, short.conditions[0].verdict) == ("holds", "fails")


def test_the_residual_is_zero_at_the_optimum_alone():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((9, 5))
    S, beta = X.T @ X / 9, 0.02
    lam = 0.2 * np.abs(S).max()
    Z, V = block_ascent.identity_start(S, lam)
    for _ in range(500):
        block_ascent.sweep(S, Z, V, lam, beta, 1000, 1e-13)
    assert kkt_residual(S, Z, lam, beta) < 1e-6 * lam
    assert kkt_residual(S, Z + 1e-3 * np.eye(5), lam, beta) > 1e-4 * lam
