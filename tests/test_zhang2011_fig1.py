"""What Figure 1 of Zhang and El Ghaoui is judged from: runs that missed the gap, and problems of
other cardinality.
"""

import pandas as pd
import pytest

from spcabench.figures._zhang2011 import compared, much_faster, speedups, timed

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
