"""Recommending a solver: the basis of an answer, and the same answers on the page."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from spcabench.comparison import advice, advice_table, best_known, budgets, ranking, stored
from spcabench.comparison.advice import Question
from spcabench.errors import InputError
from spcabench.machine import checkout
from tests.comparisons import drawn
from tests.trial import table

KINDS = advice.read(checkout() / "results" / "published" / advice.NAME).kinds


def row(solver, item, k, share, time, **changes):
    """Return a row of a published answer."""
    fields = dict(mode="signed", item=item, asked=k, r=1, kind="text", n=20_000.0, m=5_000.0)
    fields |= dict(nnz=1e6, solver=solver, share=share, time=time, proves=False, anytime="")
    return fields | changes


@pytest.fixture
def answers():
    small = dict(kind="genes", n=300.0, m=60.0, nnz=18_000.0)
    rows = [row("slow", "whole", 10, 1.0, 2.0), row("quick", "whole", 10, 0.9, 0.001)]
    rows += [row("slow", "whole", 30, 1.0, 2.0, proves=True), row("quick", "whole", 30, 0.8, 0.001)]
    rows += [row("slow", "few", 5, 1.0, 0.1, **small), row("quick", "few", 5, 0.0, np.nan, **small)]
    return advice.Answers(pd.DataFrame(rows))


@pytest.fixture
def published(tmp_path, monkeypatch):
    """Return the standing of a comparison, and what its published table answers."""
    rng = np.random.default_rng(0)
    claims = dict(own=True, claimed_bound=1.0, family="text", n=25)
    rows = table([row | claims | {"own": rng.random() < 0.5} for row in drawn(3)])
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


def named(found):
    return [entry["solver"] for entry in found["best"]]


def test_the_best_is_the_best_within_the_budget(answers):
    text = Question("text")
    slow, quick = advice.answer(answers, text)["best"]
    assert (slow["solver"], slow["share"], slow["proves"], slow["pairs"]) == ("slow", 1.0, 1, 2)
    assert (quick["share"], quick["worst"]) == pytest.approx((0.85, 0.8))
    assert named(advice.answer(answers, Question("text", budget=0.01))) == ["quick"]
    assert [e["solver"] for e in advice.answer(answers, text)["frontier"]] == ["quick", "slow"]


def test_an_answer_says_where_no_row_reaches(answers):
    assert advice.answer(answers, Question("text", n=20_000))["notes"] == []
    (note,) = advice.answer(answers, Question("text", n=300))["notes"]
    assert "all kinds of this size" in note
    (note,) = advice.answer(answers, Question("genes", n=100))["notes"]
    assert "n = 100 is outside the measured range 300 to 300" in note
    (note,) = advice.answer(answers, Question("text", k=90))["notes"]
    assert "problems with any k are used" in note
    assert "Based on 1 problem" in advice.answer(answers, Question("genes"))["from"]


def test_a_question_is_read_as_a_person_types_it():
    size = advice.question("5,000 x 20,000 text", KINDS, k=20)
    assert size == Question("text", m=5000, n=20_000, k=20)
    assert advice.question("20000 genes", KINDS) == Question("genes", n=20_000)
    assert advice.question("Nonnegative sparse data 300", KINDS) == Question(
        "sparse data", n=300, mode="nonnegative"
    )
    assert advice.question("", KINDS) == Question()
    with pytest.raises(InputError, match="such as 240 x 12"):
        advice.question("clinic.csv", KINDS)
    for words in ("texts", "2.5 x 3", "1e5 x 3"):
        with pytest.raises(InputError):
            advice.question(words, KINDS)


def test_every_choice_of_the_page_is_the_answer_of_the_terminal(answers):
    with pytest.raises(InputError, match="no comparison was published for"):
        advice.answer(answers, Question(mode="nonnegative"))
    page = advice.choices(answers)
    within, *classes = ([*page[name], np.inf] for name in ("budgets", "sizes", "ks"))
    for key, (place, *_) in [*page["of"].items()][::7]:
        mode, kind, size, few = key.split("|")
        n, k = (ends[int(i)] if i else None for ends, i in zip(classes, (size, few), strict=True))
        for budget, best in zip(within, page["selections"][place]["best"], strict=True):
            found = advice.answer(answers, Question(kind, n=n, k=k, budget=budget, mode=mode))
            assert [e[0] for e in best] == named(found)
            assert [e[1] for e in best] == pytest.approx(
                [e["share"] for e in found["best"]], abs=1e-6
            )
