"""What the page of a comparison shows and draws follows from its answers, by definition."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs

import numpy as np
import pandas as pd
import pytest

from spcabench.comparison import best_known, budgets, ranking
from spcabench.comparison.components import ranking as components
from spcabench.comparison.components.runs import HELD_OUT
from spcabench.comparison.entrants import Entrant
from spcabench.comparison.ranking import PAIR
from spcabench.comparison.stored import Comparison, Plan
from spcabench.page import comparison_one, comparison_pictures, comparison_several
from spcabench.page import comparison_view as views
from spcabench.page.standing import Standing
from spcabench.solving.run_warnings import SENTENCES, Flag
from tests.comparisons import drawn
from tests.page.reading import lines_of, shown
from tests.trial import table

Figure = pytest.importorskip("matplotlib.figure").Figure
COMPARE = Path(__file__).parents[2] / "results" / "published" / "compare"
NEAR = 1.0 - 1e-9  # two values that are equal but for rounding
LABELS = dict(random="em", search="gpower1", plain="tpower", skipped="grqi")
KNOWN = {
    (item, item, 3, False): SimpleNamespace(value=value, bound=1.02, who="me")
    for item, value in (("b", 0.97), ("c", 1.0))
}


def told(row):
    """Return a drawn row with all that a page shows: pair (a, 5) has no answer, nor has grqi."""
    item, k, solver = row["item"], row["asked"], LABELS[row["solver"]]
    more = dict(family="first" if item in "abc" else "others", variance=0.9, cardinality=k - 1)
    more |= dict(stand_in=item == "c", iterations=10 * k, flags=["threads"] * (solver == "em"))
    if item == "d":
        more["bound"] = 1.0
    if solver == "grqi" or (item, k) == ("a", 5):
        more |= dict(status="killed" if item == "a" else "crash", reason=f"reason of\n{item}")
    elif item == "e" and row["status"] == "converged":
        more["status"] = "time_limit"
    return row | more | dict(solver=solver)


@pytest.fixture(scope="module")
def standing():
    """Return the standing of four solvers on random answers to twelve problems."""
    rows = [told(row) for row in drawn(0, "abcdefghijkl")]
    for solver in ("em", "tpower"):
        of = dict(solver=solver, status="finished", asked=3, family="resampled")
        for i, item in enumerate("xy"):
            share = dict(share=0.5 + 0.1 * i, optimism=-1e-9)
            rows.append(of | dict(kind="held_out", item=item, extra=share))
        rows.append(of | dict(kind="stability", item="x", extra=dict(overlap=0.123)))
    about = dict(cpu="one", commit="c" * 40, written="2026", form="data", solver_sha256="s")
    frame = table([dict(extra={}, settings={}) | row for row in rows]).assign(**about)
    entrants = {label: Entrant.of(label, "quick") for label in LABELS.values()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_known, "read", lambda: KNOWN)
        yield Standing.of(Comparison("drawn", entrants, frame, Plan(["tpower"])))


@pytest.fixture(scope="module")
def view(standing, tmp_path_factory):
    return comparison_one.view(standing.comparison, tmp_path_factory.mktemp("view"), "../../")


def tables(view, name):
    return next(section.tables for section in view.sections if section.name == name)


def check(line, digits=5.1e-5, **expected):
    """Assert that a line shows these numbers, to the digits that it has."""
    for head, value in expected.items():
        number = shown(line[head])
        assert number == pytest.approx(value, rel=5.1e-3, abs=digits, nan_ok=True), (head, line)


def test_the_ranking_shows_its_numbers(standing, view):
    answers, found = view.answers, lines_of(*view.rankings)
    assert [line["Solver"].text for line in found] == [*standing.ranks.solver]
    for line, row in zip(found, standing.ranks.to_dict("records"), strict=True):
        good = row["answered"] > 0
        check(line, 5.1e-3, **{"99.9 %": row["at 0.999"], "99 %": row["at 0.99"]})
        check(line, Share=row["share"], Worst=row["worst"], Gap=row["gap"])
        check(line, Memory=row["memory"], Most=row["most_memory"])
        check(line, Time=row["time"] if good else np.nan, Flops=row["flops"] if good else np.nan)
        assert line["Answered"] == f"{row['answered']} of {row['pairs']}"
        assert line["Rank"] == (row["rank"] if good else "–")
        strip = line["95 % interval"]
        ends = [row["at 0.999"], row["at 0.999 low"], row["at 0.999 high"]]
        assert [strip.point, *strip.ends] == pytest.approx([100 * e for e in ends], abs=0.06)
        seeds = [row["least"], row["most"]] if row["seeds"] > 1 else []
        assert strip.seeds == pytest.approx([100 * share for share in seeds], abs=0.06)
        link, solver = line["Solver"], row["solver"]
        assert link.address == f"../../solvers/{solver}.html"
        assert (link.named, link.warned) == (solver == "tpower", solver == "em")
    few = replace(standing, ranks=standing.ranks.assign(**{"at 0.999 low": np.nan}))
    assert "95 % interval" not in lines_of(comparison_one.ranking(few, [], None))[0]
    runs = 3 * len(answers) // 4  # of em, with three seeds
    assert view.noticed.cells == [("em", SENTENCES[Flag.threads], str(runs))]
    assert view.stand_ins == ["c"]


def test_runs_without_an_answer_are_counted_with_their_reason(view):
    bad = view.answers[~view.answers.answered]
    counts = bad.groupby(["solver", "status", bad.reason.fillna("no reason is known")]).size()
    found = {}
    for solvers, status, count, reason in view.failures.cells:
        found |= {(solver, status, reason): int(count) for solver in solvers.split(", ")}
    assert found == counts.to_dict()


def test_every_pair_has_its_best_value_its_bound_and_who_reaches_it(view):
    (found,) = tables(view, "pairs")
    new = []
    for line in lines_of(found):
        item, k = line["Problem"].text, int(line["k"])
        mine = view.answers[view.answers["item"].eq(item) & view.answers.asked.eq(k)]
        first = mine.iloc[0]
        known = first.best > 0.0
        new += [f"{item}, k = {k}"] * bool(known and not first.listed)
        check(line, **{"Best known": first.best if known else np.nan})
        assert line["By"] == (first.who if known else "")
        (by_tpower,) = mine[mine.solver == "tpower"].share
        check(line, **{"Share of tpower": by_tpower})
        assert line["Reached by"] == f"{(mine.share >= 0.999 * NEAR).sum()} of 4"
        above = line["Optimum above this by at most"]
        assert (above == "proven") == first.proven and (above == "n/a") == (not known)
        if known and not first.proven:
            assert shown(above) == pytest.approx(first.bound / first.best - 1, rel=5.1e-3)
        asked = parse_qs(line["Problem"].address.partition("?")[2])
        assert asked == {"problem": [item], "asked": [str(k)]}
    paragraph = next(s.paragraph for s in view.sections if s.name == "pairs")
    assert paragraph.partition(": ")[2] == "; ".join(new) + "." and 1 < len(new) < len(found.rows)


def test_every_answer_is_a_line_that_starts_with_the_best_of_its_pair(view):
    answers = view.answers.set_index([*PAIR, "solver"])
    keys, order = [], {}
    for line in lines_of(view.runs):
        pair = line["Problem"], int(line["k"])
        solver = line["Solver"].text
        mine = answers.loc[(*pair, solver)]
        keys.append((*pair, solver))
        order.setdefault(pair, []).append((-np.nan_to_num(mine.share, nan=-1.0), mine.time))
        check(line, Variance=mine.value, Gap=mine.gap, Flops=mine.work, Time=mine.time)
        check(line, Memory=mine.memory, Nonzeros=mine.cardinality)
        share, *seeds = line["Of the best"].split("\n")
        assert shown(share) == pytest.approx(mine.share, abs=5.1e-5, nan_ok=True)
        ends = [f"{100 * end(mine.shares):.2f}" for end in (min, max)]
        assert seeds == [f"{' to '.join(ends)}, 3 seeds"] * (solver == "em")
        reason = "" if pd.isna(mine.reason) else "\n" + mine.reason.replace("\n", " ")
        assert line["Status"] == mine.status + reason
        assert line["Row"] == f"{pair[0]}/{pair[1]}/{solver}"
    assert sorted(keys) == sorted(answers.index)
    assert all(np.allclose(of, sorted(of), equal_nan=True) for of in order.values())


def test_numbers_of_other_samples_and_of_the_settings_are_those_of_the_rows(view):
    (samples,) = tables(view, "samples")
    for line in lines_of(samples):
        check(line, **{"share, x": 0.5, "share, y": 0.6, "overlap, x": 0.123})
        assert line["optimism, x"] == "0.00 %"  # a number that rounds to zero has no sign
    settings, _ = tables(view, "how")
    for line in lines_of(settings):
        mine = view.answers[view.answers.solver == line["Solver"]]
        check(line, Iterates=mine.iterations.median())
        late = (mine.status == "time_limit").sum()
        assert line["At the time limit"] == f"{late} of {len(mine)}"


def panels(standing, title):
    """Yield each panel of a picture with its axes."""
    (picture,) = [p for p in comparison_pictures.pictures(standing) if p.title == title]
    for panel in picture.panels:
        axes = Figure().subplots()
        picture.draw(axes, panel)
        yield panel, axes


@pytest.mark.parametrize("title", ["Performance profiles", "Data profiles"])
def test_a_profile_is_the_share_of_pairs_solved_within_each_cost(standing, title):
    answers = standing.answers
    for panel, axes in panels(standing, title):
        family, measure = panel if isinstance(panel, tuple) else (budgets.ALL, panel)
        part = answers if family == budgets.ALL else answers[answers.family == family]
        cost = ranking.costs(part, 0.99, measure)
        if title == "Performance profiles":
            cost = cost.div(cost.min(axis=1), axis=0).fillna(np.inf)
        elif measure == "work":
            cost = cost.div(part.groupby(PAIR).unit.first(), axis=0)
        solvers = cost.columns[np.isfinite(cost).any()]
        assert {line.get_label() for line in axes.lines} == {*solvers} and len(solvers) > 1
        for line in axes.lines:
            of = cost[line.get_label()].to_numpy()
            reached = (of[:, None] <= line.get_xdata()).mean(axis=0)
            assert np.allclose(line.get_ydata(), reached)


def test_an_anytime_curve_is_the_best_feasible_value_so_far(standing):
    answers, seen = standing.answers[standing.answers.answered], []
    for (item, k), axes in panels(standing, "Anytime curves"):
        seen.append((item, k))
        of_pair = answers[(answers["item"] == item) & (answers.asked == k)].set_index("solver")
        curves = {line.get_label(): line.get_data() for line in axes.lines}
        *curves_of, best, bound = axes.lines
        assert {line.get_label() for line in curves_of} == {*of_pair.index}
        assert {*best.get_ydata()} == {1.0}
        assert {*bound.get_ydata()} == {of_pair.bound.iloc[0] / of_pair.best.iloc[0]}
        for solver, row in of_pair.iterrows():
            flops, values = curves[solver][0], curves[solver][1] * row.best
            steps = json.loads(row.history) if isinstance(row.history, str) else []
            good = [
                (step["flops"] + row.setup_flops, step["variance"])
                for step in steps
                if step["cardinality"] <= k and solver != "gpower1"
            ] or [(row.work, row.variance)]
            for spent, value in zip(flops, values, strict=True):
                assert value == pytest.approx(max(v for at, v in good if at <= spent))
            assert flops[-1] == good[-1][0]
    assert seen == [("a", 3), *((item, 5) for item in "bcdefghi")]  # the largest k


@pytest.mark.parametrize("differences", [[], ["other processors"]])
def test_the_frontier_joins_the_solvers_that_none_exceeds_in_both(standing, differences):
    ranks = standing.ranks[standing.ranks.answered > 0]
    other = ranks.assign(flops=ranks.flops[::-1].to_numpy())
    for of in (ranks, other):
        changed = replace(standing, ranks=of, differences=differences)
        ((_, axes),) = panels(changed, "Frontier")
        step, *lines = axes.lines
        points = {r.solver: (r[changed.last], r["at 0.999"]) for _, r in of.iterrows()}
        best = [p for p in points.values() if not any(exceeds(q, p) for q in points.values())]
        assert np.allclose(np.array(step.get_data()).T, sorted({*best}))
        ends = [tuple(np.array(line.get_data())[:, -1]) for line in lines]
        assert all(p in ends for p in points.values())
        bars = {(r.slowest, r["at 0.999"]) for _, r in of.iterrows()}
        assert bars <= {*ends} if changed.last == "time" else len(ends) == len(points)
        assert {name for text in axes.texts for name in text.get_text().split(" = ")} == {*points}


def exceeds(one, other):
    """Whether a point is at most as expensive and at least as good as another one."""
    return one != other and one[0] <= other[0] and one[1] >= other[1]


def test_a_file_that_changed_and_a_pair_that_could_not_run_are_noticed():
    rows = pd.DataFrame(
        dict(solver=["a", "a", "b"], status=["converged"] * 3, item="i", asked=1)
        | dict(solver_sha256=["x", "y", "z"], flags=[["threads"], ["threads", "old"], None])
    )
    found = {(w["solver"], w["sentence"]): w["count"] for w in views.warnings(rows)}
    assert found.pop(("a", SENTENCES[Flag.threads])) == 2
    ((solver, sentence),) = found
    assert solver == "a" and found[solver, sentence] == 2
    lost = views.warnings(rows.assign(status=[ranking.NOT_RUN, *rows.status[1:]]))
    assert [w["count"] for w in lost if w["solver"] == views.ALL] == [1]


def test_components_are_ranked_by_formulation_with_the_means_of_their_answers():
    view = comparison_several.stored_view(COMPARE / "components", None)
    stored = pd.read_parquet(COMPARE / "components" / views.ANSWERS)
    true = stored[stored.kind != HELD_OUT]
    ranks = components.ranking(stored)
    for found in view.rankings:
        mine = ranks[ranks.formulation == found.title.lower()].to_dict("records")
        for line, row in zip(lines_of(found), mine, strict=True):
            keys = ["formulation", "solver", "how"]
            of = true[(true[keys] == [row[key] for key in keys]).all(axis=1)]
            check(line, Twice=(1.0 - of.projected / of.total).mean(), Share=row["share"])
            check(line, Time=row["seconds"], Overlap=row["overlap"], Gap=row["gap"])
            assert line["Solver"].text == row["solver"]
            assert line["Rank"] == ("–" if row["partly"] else row["rank"])
    (best,) = tables(view, "pairs")
    keys = ["formulation", "item", "r", "k"]
    assert best.rows.set_index(keys).value.equals(true.groupby(keys).value.max().dropna())
    twice = (true.formulation == "orthonormal") & (true.how == "drop_features")
    for name, measure, first, part in (
        ("recovery", "accuracy", ["item", "formulation"], true[~twice]),
        ("samples", "held_out_projected", ["formulation"], stored),
    ):
        (found,), keys = tables(view, name), [*first, "solver", "how"]
        means = part.dropna(subset=[measure]).groupby(keys)[measure].mean()
        assert found.rows.set_index(keys)[measure].to_dict() == pytest.approx(means.to_dict())
