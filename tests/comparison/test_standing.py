"""The standing of solvers, what they reach at a cost, and their order, against the definitions."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import gmean

from spcabench.comparison import budgets, conditions, entrants, plans, ranking, resampling, stored
from spcabench.errors import CertificateError
from tests.comparisons import SEEDS_OF, drawn
from tests.trial import table

BEST = SimpleNamespace(value=0.97, bound=1.02, who="somebody")
SAME = SimpleNamespace(value=1.0, bound=1.0, who="somebody")  # proven; rows have it too
TABLE = {("p", "p", 3, False): BEST, ("q", "q", 5, False): SAME}


def standing(rows, known=TABLE):
    return ranking.standing(table(rows), known)


@pytest.mark.parametrize("seed", range(4))
def test_a_line_of_the_standing_is_as_defined(seed):
    rows = drawn(seed)
    found = standing(rows)
    assert len(found) == 6 * len(SEEDS_OF)
    for line in found.itertuples():
        of_pair = [r for r in rows if (r["item"], r["asked"]) == (line.item, line.asked)]
        mine = [r for r in of_pair if r["solver"] == line.solver]
        (first,) = [r for r in mine if not r["seed"]]
        values = [r["variance_refit"] for r in of_pair if r["status"] == "converged"]
        entry = TABLE.get((line.item, line.item, line.asked, False))
        best = max([*values, entry.value] if entry else values)
        bound = max(best, min(r["bound"] for r in [*of_pair, *([vars(entry)] if entry else [])]))
        assert (line.best, line.bound) == (best, bound)
        assert line.proven == (best >= bound * (1 - 1e-8))
        assert line.listed == (entry is not None and best == entry.value)
        assert line.who == "somebody" if line.listed else line.who in values_of(of_pair, best)
        assert line.unit == 10 * line.asked * (2 if line.item == "p" else 4)
        shares = {r["seed"]: r["variance_refit"] / best for r in mine if r["status"] == "converged"}
        assert line.shares == [shares.get(i, 0.0) for i in range(SEEDS_OF[line.solver])]
        good = first["status"] == "converged"
        time = first.get("search_time") or first["setup_time"] + first["solve_time"]
        work = first.get("search_flops") or first["setup_flops"] + first["flops"]
        value = np.mean([share * best for share in shares.values()] or np.nan)
        expected = {
            **dict(time=time, work=work, slowest=max(first["round_times"] or [time])),
            "memory": 5.0 + line.asked / 2,
        }
        for name, number in expected.items():
            assert getattr(line, name) == pytest.approx(number if good else np.nan, nan_ok=True)
        expected = dict(value=value, gap=(bound - value) / bound)
        expected["share"] = np.mean(line.shares) if shares else np.nan
        for name, number in expected.items():
            assert getattr(line, name) == pytest.approx(number, nan_ok=True), name


def values_of(rows, value):
    return {
        r["solver"] for r in rows if r["status"] == "converged" and r["variance_refit"] == value
    }


def test_a_bound_below_a_value_is_an_error():
    rows = drawn(0)
    for row in rows:
        row["bound"] = 1.0 - 1e-12  # rounding
    standing(rows, {})
    rows[0] |= {"status": "converged", "variance_refit": 1.0 + 1e-6}
    with pytest.raises(CertificateError):
        standing(rows, {})


@pytest.mark.parametrize(("measure", "steps"), [("time", "seconds"), ("work", "flops")])
def test_what_is_reached_at_a_cost_is_as_defined(measure, steps):
    answers = pd.concat([standing(drawn(seed)).assign(item=seed) for seed in range(4)])
    answers = answers.assign(item=answers.item.astype(str) + answers.problem)
    found = {share: ranking.costs(answers, share, measure) for share in (0.9, 0.99)}
    setup = {"time": "setup_time", "work": "setup_flops"}[measure]
    for row in answers.itertuples():
        spent, reached = ranking.course(row, measure)
        course = []
        if row.answered:
            if row.solver != "search" and isinstance(row.history, str):
                course = [
                    (step[steps] + getattr(row, setup), min(step["variance"] / row.best, row.share))
                    for step in json.loads(row.history)
                    if step["cardinality"] <= row.asked
                ]
            end = getattr(row, measure)
            course = [*((min(cost, end), share) for cost, share in course), (end, row.share)]
        assert np.allclose([*zip(spent, reached, strict=True)], course)
        for share, costs in found.items():
            cheapest = min([cost for cost, at in course if at >= share], default=np.inf)
            assert costs.loc[(row.item, row.asked), row.solver] == pytest.approx(cheapest)
        for budget in (0.0, 0.5, *spent, np.inf):
            best = max([at for cost, at in course if cost <= budget], default=0.0)
            assert budgets.share_within(row, budget, measure) == pytest.approx(best)


def with_twins(answers):
    """Return answers also for a twin of each solver, which is as good but for rounding.

    It takes half the time and twice the flops.
    """
    twins = answers.assign(
        solver="twin of " + answers.solver,
        share=answers.share - 1e-10,
        time=answers.time / 2,
        work=answers.work * 2,
    )
    return pd.concat([answers, twins], ignore_index=True)


@pytest.mark.parametrize("measure", budgets.BUDGETS)
def test_the_best_within_a_budget_have_the_largest_mean_share(measure):
    """All that are equally good are named, in the order of the ranking."""
    answers = with_twins(standing(drawn(0)).assign(family=lambda rows: rows["item"] == "p"))
    order = [*reversed(answers.solver.unique())]
    for found in budgets.best(answers, order, measure):
        mine = answers[answers.family.eq(found["group"]) | (found["group"] == budgets.ALL)]
        assert found["pairs"] == len(mine[ranking.PAIR].drop_duplicates())
        for budget, best in zip(budgets.BUDGETS[measure], found["best"], strict=True):
            reached = [budgets.share_within(row, budget, measure) for row in mine.itertuples()]
            means = pd.Series(reached, mine.solver).groupby(level=0).mean().round(6)
            top = [solver for solver in order if means[solver] == means.max()]
            share = pytest.approx(means.max())
            assert best == (dict(solvers=top, share=share) if means.any() else None)


@pytest.mark.parametrize("last", ["time", "flops"])
def test_solvers_are_ordered_by_what_they_reach_and_then_by_cost(last):
    """A difference beyond the sixth digit is none."""
    answers = with_twins(standing(drawn(1)))
    ranked = ranking.ranking(answers, last).set_index("solver")
    every = answers[~answers.solver.str.endswith("skipped")]
    assert {*ranked.index} == {*every.solver} and (ranked.pairs == 6).all()
    for solver, of in every.groupby("solver"):
        line, shares = ranked.loc[solver], np.array([*of.shares])
        assert line.answered == of.answered.sum() and line.seeds == shares.shape[1]
        for target in (0.9, 0.99, 0.999):
            assert line[f"at {target}"] == pytest.approx((shares >= target).mean())
        by_seed = (shares >= 0.999).mean(axis=0)
        assert (line.least, line.most) == (by_seed.min(), by_seed.max())
        assert line.share == pytest.approx(shares.mean()) and line.worst == of.share.min()
        assert (line.gap, line.memory) == (of.gap.median(), of.memory.median())
        for name, column, shift in (
            *(("time", "time", 0.01), ("slowest", "slowest", 0.01)),
            ("flops", "work", 1e5),
        ):
            costs = of[column].fillna(every[column].max())
            assert line[name] == pytest.approx(gmean(costs + shift) - shift)
    keys = [(-r["at 0.999"], -round(r.share, 6), r[last]) for _, r in ranked.iterrows()]
    assert keys == sorted(keys)


def test_ranges_are_counted_from_who_is_above_whom():
    scores = np.array([90, 85, 79, 70, 69, 10])
    found = ranking.ranges(scores[:, None] > scores + 10)  # more than ten points decide
    assert found["rank_first"].tolist() == [1, 1, 2, 3, 3, 6]
    assert found["rank_last"].tolist() == [2, 3, 5, 5, 5, 6]
    assert found["rank"] == ["1 to 2", "1 to 3", "2 to 5", "3 to 5", "3 to 5", "6"]


@pytest.mark.parametrize(("solver", "seeds"), [("em", 5), ("tpower", 1)])
def test_solvers_that_take_a_seed_run_with_several_on_the_same_pairs(solver, seeds):
    runs = [r for r in plans.runs(entrants.Entrant.of(solver, "quick")) if not r.skip]
    runs = [r for r in runs if r.columns["kind"] != "recovery"]
    pairs = {(r.columns["item"], r.columns["asked"]) for r in runs}
    asked = [(r.seed, r.columns["item"], r.columns["asked"]) for r in runs]
    assert sorted(asked) == sorted((seed, *pair) for seed in range(seeds) for pair in pairs)
    assert all(r.timed == (r.columns["kind"] == "suite") == (r.seed == 0) for r in runs)


def test_a_thinned_history_has_the_same_best_value_within_every_budget():
    for row in (row for seed in range(4) for row in drawn(seed) if row["history"]):
        whole = [s for s in json.loads(row["history"]) if s["cardinality"] <= row["asked"]]
        kept = stored._rises(row["history"], row["asked"])
        assert kept[-1:] == [{name: s[name] for name in stored.STEP} for s in whole[-1:]]
        tops = [max(s["variance"] for s in whole[: i + 1]) for i in range(len(whole))]
        assert len(kept) == len({*tops, *(s["variance"] for s in whole[-1:])})
        for i, step in enumerate(whole):
            before = [s["variance"] for s in kept if s["iteration"] <= step["iteration"]]
            assert max(before) == tops[i]


CONDITIONS = [  # changes in runs of a solver, from one on, and whether its times can be compared
    ("a", 0, {}, True),
    ("b", 0, {"status": "crash", "cpu": "two"}, True),
    ("a", 0, {"cpu": "two"}, False),
    ("a", 0, {"calibration": 0.0109}, True),
    ("a", 0, {"calibration": 0.0112}, False),
    ("b", 9, {"waited": 0.06}, True),
    ("b", 8, {"waited": 0.06}, False),
]


@pytest.mark.parametrize(("solver", "first", "change", "comparable"), CONDITIONS)
def test_times_are_comparable_if_the_machine_was_the_same_and_quiet(
    solver, first, change, comparable
):
    usual = dict(kind="suite", status="converged", cpu="one", calibration=0.01, waited=0.04)
    rows = table(
        usual | dict(solver=s, written=str(i)) | (change if s == solver and i >= first else {})
        for i in range(10)
        for s in "ab"
    )
    assert (conditions.differences(conditions.of_rows(rows)) == []) == comparable


def test_recovery_is_the_mean_score_of_the_supports():
    """F1 is the harmonic mean of precision and recall; a failure scores zero."""
    for found, true in (([1, 2, 3], [2, 3, 9, 11]), ([5], [5]), ([1], [2])):
        precision, recall = (len({*found} & {*true}) / len(of) for of in (found, true))
        expected = 2 * precision * recall / max(precision + recall, 1e-9)
        assert resampling.f1(found, true) == pytest.approx(expected)
    settings = dict(solver="s", kind="recovery", extra={})
    rows = [
        settings | dict(parameters=dict(strength=strength, count=4, n=16), **more)
        for strength, more in (
            (1.0, dict(status="finished", extra={"f1": 0.9})),
            (1.0, dict(status="crash", extra={"f1": 0.9}, support=[2, 3])),
            (2.0, dict(status="finished", extra={"f1": 0.5})),
        )
    ]
    found = ranking.recovered(table([*rows, settings | dict(kind="suite", parameters={})]))
    assert found.f1.tolist() == [0.45, 0.5]
    assert found.sparsity.tolist() == [1.0, 1.0] and found.strength.tolist() == [1.0, 2.0]
