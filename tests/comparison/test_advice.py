"""Recommending a solver: the basis of an answer, and the same answers on the page."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import gmean

from spcabench.comparison import advice, advice_table, best_known, budgets, ranking, stored
from spcabench.comparison.advice import Question
from spcabench.errors import InputError
from spcabench.machine import checkout
from tests.comparisons import drawn
from tests.trial import table

PUBLISHED = advice.read(checkout() / "results" / "published" / advice.NAME)
KINDS = PUBLISHED.kinds


@pytest.mark.parametrize("n, there", [(20, True), (21, False), (50, False)])
def test_only_solvers_that_accept_as_many_variables_are_recommended(n, there):
    found = advice.answer(PUBLISHED, Question(n=n, mode="nonnegative", k=3, budget=1.0))
    solvers = [{e["solver"] for e in found[part]} for part in ("best", "frontier")]
    assert ("brute_force" in set().union(*solvers)) == there
    assert len(found["best"]) == advice.SHOWN


@pytest.fixture
def published(tmp_path, monkeypatch):
    """Return the standing of a comparison, and what its published table answers."""
    rng = np.random.default_rng(0)
    claims = dict(own=True, claimed_bound=1.0, family="text", n=25)
    rows = table([row | claims | {"own": rng.random() < 0.5} for row in drawn(3)])
    rows["n"] = rows["item"].map(dict(p=10, q=70, r=50))
    rows["family"] = rows["item"].map(dict(p="text", q="two spikes", r="text"))
    monkeypatch.setattr(stored.Comparison, "read", lambda folder: SimpleNamespace(rows=rows))
    (tmp_path / "standard").mkdir()
    (tmp_path / "standard" / stored.ROWS).touch()
    assert advice_table.write(tmp_path, tmp_path / advice.NAME)
    return ranking.standing(rows, best_known.read()), advice.read(tmp_path / advice.NAME)


def test_the_table_answers_what_the_comparison_reached_within_any_budget(published):
    standing, answers = published
    places = {(p["item"], p.asked): i for i, p in answers.pairs.iterrows()}
    for budget in (0.0, 0.3, 0.7, 1.1, 1.5, 2.5, np.inf):
        shares = answers.shares(budget)
        for row in standing[standing.answered].itertuples():
            i, j = places[row.item, row.asked], answers.solvers.index(row.solver)
            expected = budgets.share_within(row, budget, "time")
            assert shares[i, j] == pytest.approx(expected, abs=1e-4)
            assert answers.time[i, j] == pytest.approx(row.time)
            proves = row.own and row.value >= 1.0 - 1e-8
            assert np.isfinite(answers.proof[i, j]) == proves


def test_pairs_are_alike_if_no_end_of_a_class_is_between_them(published):
    for ends in (advice.SIZES, advice.KS):
        low, high, _ = ends
        values = pd.Series([1, low, low + 1, high, high + 1, 9e9])
        for wanted in values:
            between = [any(min(v, wanted) <= e < max(v, wanted) for e in ends) for v in values]
            assert advice._alike(values, ends, wanted).tolist() == [not each for each in between]
    pairs = published[1].pairs
    sparse = pairs.nnz < 0.2 * pairs.n * pairs.m.fillna(pairs.n)  # a covariance has n^2 entries
    for density in (0.19, 0.21):
        mask, _ = published[1].select(Question(density=density))
        assert mask.tolist() == (sparse == (density < 0.2)).tolist() and 0 < mask.sum() < len(mask)


def test_an_answer_ranks_the_solvers_on_the_problems_like_the_question(published):
    _, answers = published
    kinds, ns, ks = ("any", "text", "genes"), (None, 20, 300, 3000), (None, 90)
    for kind, n, m, k, budget in product(kinds, ns, (None, 1), ks, (0.4, np.inf)):
        question = Question(kind, n=n, m=m, k=k, budget=budget)
        mask, given_up = answers.select(question)
        has = dict(
            k=advice._alike(answers.pairs.asked, advice.KS, k),
            kind=answers.pairs.kind.eq(kind) | (kind == "any"),
            size=advice._alike(answers.pairs.n, advice.SIZES, n),
        )
        of_size, of_kind = has["size"], has["kind"]
        choices = (has["k"] & of_size & of_kind, of_size & of_kind, of_size, of_kind, mask | True)
        assert mask.tolist() == next(each for each in choices if each.any()).tolist()
        assert given_up == [name for name, of in has.items() if not of[mask].all()]
        found, pairs = advice.answer(answers, question), answers.pairs[mask]
        assert found["n"] == [pairs.n.min(), pairs.n.max()]
        assert found["entries"] == [pairs.nnz.min(), pairs.nnz.max()]
        assert found["density"] == answers.density[mask].max()
        assert len(found["problems"]) == pairs["item"].nunique()
        entries = n * m * found["density"] if n and m else None
        outside = [
            value is not None and not low <= value <= high
            for value, (low, high) in ((n, found["n"]), (entries, found["entries"]))
        ]
        assert len(found["notes"]) == len(given_up) + sum(outside)
        time = np.where(np.isnan(answers.time), np.nanmax(answers.time[mask]), answers.time)[mask]
        lines = {}
        for limit in (budget, np.inf):
            shares = answers.shares(limit)[mask]
            lines[limit] = [
                (s, round(of.mean(), 6), of.min(), gmean(t + 0.01) - 0.01, (p <= limit).sum())
                for s, of, t, p in zip(
                    answers.solvers, shares.T, time.T, answers.proof[mask].T, strict=True
                )
                if of.any()
            ]
        best = sorted(lines[budget], key=lambda line: (-round(line[1], 6), line[3]))
        assert [e["solver"] for e in found["best"]] == [line[0] for line in best]
        for entry, line in zip(found["best"], best, strict=True):
            numbers = [entry[name] for name in ("share", "worst", "time", "proves")]
            assert numbers == pytest.approx(line[1:], abs=1e-6) and entry["pairs"] == mask.sum()
        ends = [
            line[0] for line in sorted(lines[np.inf], key=lambda line: line[3])
            if not any(o[3] <= line[3] and o[1] >= line[1] and o is not line for o in lines[np.inf])
        ]  # fmt: skip
        assert [e["solver"] for e in found["frontier"]] == ends
    equal = [dict(time=1.0, share=share) for share in (0.5, 0.9, 0.7)]
    assert advice.frontier(equal) == equal[1:2]


def test_answers_for_several_components_have_a_solver_for_each_way(tmp_path):
    rows = [("a", "projection", 0.9), ("a", "schur", 0.8), ("b", "projection", np.nan)]
    lines = [dict(solver=s, how=how, share=share, seconds=2.0) for s, how, share in rows]
    about = dict(
        kind="components", formulation="deflation", family="two spikes", item="q", k=4, r=2
    )
    frame = pd.DataFrame([line | about for line in lines])
    held_out = frame.assign(kind="components, held out")
    pd.concat([frame, held_out]).to_parquet(tmp_path / "table.parquet")
    single = pd.DataFrame([dict(item="q", n=30.0, m=np.nan, nnz=100.0)])
    found = advice_table._of_components(tmp_path / "table.parquet", single)
    assert found.solver.tolist() == ["a (projection)", "a (schur)", "b"]
    assert found.answered.tolist() == [True, True, False] and (found.asked == 4).all()
    assert found.time.tolist()[:2] == [2.0, 2.0] and np.isnan(found.time.iloc[2])
    assert {*found["mode"]} == {"deflation"} and {*found.kind} == {"spiked"}
    assert {*zip(found.n, found.nnz, strict=True)} == {(30.0, 100.0)}


def test_a_question_is_read_as_a_person_types_it():
    size = advice.question("5,000 x 20,000 text", KINDS, k=20)
    assert size == Question("text", m=5000, n=20_000, k=20)
    assert advice.question("20000 genes", KINDS) == Question("genes", n=20_000)
    assert advice.question("Nonnegative sparse data 300", KINDS) == Question(
        "sparse data", n=300, mode="nonnegative"
    )
    assert advice.question("", KINDS) == Question()
    assert advice.question("100 x 1.5e6", KINDS) == Question(m=100, n=1_500_000)
    for words in ("clinic.csv", "2.5 x 3"):
        with pytest.raises(InputError):
            advice.question(words, KINDS)


def test_every_choice_of_the_page_is_the_answer_of_the_terminal(published):
    _, answers = published
    with pytest.raises(InputError, match="no comparison was published for"):
        advice.answer(answers, Question(mode="nonnegative"))
    page = advice.choices(answers)
    within, *classes = ([*page[name], np.inf] for name in ("budgets", "sizes", "ks"))
    for key, (place, *_) in [*page["of"].items()][::7]:
        mode, kind, size, few = key.split("|")
        faster = page["selections"][place]["faster"]
        n, k = (ends[int(i)] if i else None for ends, i in zip(classes, (size, few), strict=True))
        for budget, best in zip(within, page["selections"][place]["best"], strict=True):
            found = advice.answer(answers, Question(kind, n=n, k=k, budget=budget, mode=mode))
            assert [e[0] for e in best] == [e["solver"] for e in found["best"]]
            assert [e[1] for e in best] == pytest.approx(
                [e["share"] for e in found["best"]], abs=1e-6
            )
            ends_of = [e["solver"] for e in found["frontier"][:-1]]
            assert [e[0] for e in faster] == ends_of[::-1][:2]
