"""What the page of a comparison says follows from its answers, by definition."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from spcabench.comparison import ranking
from spcabench.comparison.stored import Comparison
from spcabench.page import comparison_one, comparison_pictures, comparison_several
from spcabench.page import comparison_view as views
from spcabench.page.standing import Standing
from spcabench.page.tables import percent
from spcabench.solving.run_warnings import SENTENCES, Flag

plt = pytest.importorskip("matplotlib.pyplot")
COMPARE = Path(__file__).parents[2] / "results" / "published" / "compare"
NEAR = 1.0 - 1e-6  # two values that are equal but for rounding


@pytest.fixture(scope="module")
def comparison():
    return Comparison.read(COMPARE / "adversarial")


@pytest.fixture(scope="module")
def view(comparison, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparison_pictures, "pictures", lambda standing: [])
        return comparison_one.view(comparison, tmp_path_factory.mktemp("view"), "../../")


def tables(view, name):
    return next(section.tables for section in view.sections if section.name == name)


def test_the_ranking_counts_answers_and_links_solvers(view):
    (table,) = view.rankings
    for row in table.rows.to_dict("records"):
        mine = view.answers[view.answers.solver == row["solver"].text]
        assert row["counts"] == f"{mine.answered.sum()} of {len(mine)}"
        assert np.isclose(row["most_memory"], mine.memory.max(), equal_nan=True)
        assert (row["rank"] == "–") == np.isnan(row["time"]) == (not mine.answered.any())
        assert row["solver"].address == f"../../solvers/{row['solver'].text}.html"
    assert len({len(line) for line in table.lines()}) == 1  # columns are aligned
    failed = [count * len(who.split(", ")) for who, _, count, _ in view.failures.rows.to_numpy()]
    assert sum(failed) == (~view.answers.answered).sum()


def test_a_pair_has_its_best_value_its_bound_and_who_reaches_it(view):
    (table,) = tables(view, "pairs")
    for row in table.rows.to_dict("records"):
        mine = view.answers[view.answers["item"].eq(row["link"].text)]
        mine = mine[mine.asked == row["asked"]]
        close = mine.share >= 0.999 * NEAR
        assert row["best"] >= mine.value.max() * NEAR and row["who"]
        assert row["reached"] == f"{close.sum()} of {len(mine)}" and row["new"] == (
            not mine.listed.all()
        )
        gap = f"{100 * (mine.bound.iloc[0] / row['best'] - 1):.3g} %"
        assert row["above"] == ("proven" if mine.proven.all() else gap)
    assert len(view.runs.rows) == len(view.answers)
    for _, run in view.runs.rows.groupby(["item", "asked"], sort=False):
        assert (
            run.share.dropna().is_monotonic_decreasing and run.share.isna().is_monotonic_increasing
        )


def test_answers_that_the_table_of_best_known_lacks_are_named(comparison, view):
    standing = Standing.of(comparison)
    unlisted = replace(standing, answers=standing.answers.assign(listed=False))
    section = comparison_one._of_pairs(comparison_one._pairs(unlisted), unlisted)
    assert section.paragraph.count("k = ") == len(section.tables[0].rows)
    assert not next(s.paragraph for s in view.sections if s.name == "pairs")


def test_solvers_within_a_budget_are_at_most_three_by_name(view):
    for table in tables(view, "within"):
        for cell in (cell for row in table.cells for cell in row[1:] if cell != "none"):
            names, share = cell.split("\n")
            assert len(names.split(", ")) <= 3 and 0 < float(share.removesuffix(" %")) <= 100


def test_a_number_of_held_out_samples_is_that_of_its_measure_and_problem():
    rows = Comparison.read(COMPARE / "standard").rows
    numbers = ranking.resampled(rows).set_index(["solver", "measure", "item"]).of
    (section,) = comparison_one._samples(rows)
    (table,) = section.tables
    for solver, *cells in table.cells:
        for column, cell in zip(table.columns[1:], cells, strict=True):
            measure, item = column.head.split(", ", 1)
            assert cell == percent(numbers.get((solver, measure, item)))


def test_profiles_rise_to_the_share_of_the_pairs_that_a_solver_solves(comparison):
    standing = Standing.of(comparison)
    answers = standing.answers.assign(family=standing.answers["item"])  # seven kinds
    pictures = comparison_pictures.pictures(replace(standing, answers=answers))
    for picture in (p for p in pictures if p.title.endswith("profiles")):
        for panel in picture.panels:
            family, measure = panel if isinstance(panel, tuple) else ("all problems", panel)
            part = answers[(answers.family == family) | (family == "all problems")]
            _, axes = plt.subplots()
            picture.draw(axes, panel)
            assert axes.lines
            for line in axes.lines:
                assert np.all(np.diff(line.get_ydata()) >= 0)
                mine = part[part.solver == line.get_label()]
                solved = (mine.share >= 0.99 * NEAR) & mine[measure].notna()
                assert mine.empty or line.get_ydata()[-1] == pytest.approx(solved.mean())
            plt.close()


def test_an_anytime_curve_rises_to_the_end_of_the_run(comparison):
    answers = Standing.of(comparison).answers.dropna(subset=["work"])
    for row in answers[answers.answered].itertuples():
        flops, values = comparison_pictures._best_so_far(row)
        assert np.all(np.diff(flops) >= 0) and np.all(np.diff(values) >= 0)
        assert values[-1] <= row.bound / NEAR
        ends = [row.work]
        if np.isnan(row.search_time):
            taken = ranking.steps(row.history)
            ends = taken["flops"][taken["cardinality"] <= row.asked] + row.setup_flops
        assert flops[-1] == (max(ends[-1], 1) if len(ends) else row.work)


def test_warnings_count_the_runs_with_a_flag_and_name_changed_files():
    rows = pd.DataFrame(
        dict(solver=["a", "a", "b"], status=["converged"] * 3, item="i", asked=1)
        | dict(solver_sha256=["x", "y", "z"], flags=[["threads"], ["threads", "old"], None])
    )
    found = {(w["solver"], w["sentence"]): w["count"] for w in views.warnings(rows)}
    assert found.pop(("a", SENTENCES[Flag.threads])) == 2
    ((solver, sentence),) = found
    assert solver == "a" and "changed" in sentence and found[solver, sentence] == 2
    lost = views.warnings(rows.assign(status=[ranking.NOT_RUN, *rows.status[1:]]))
    assert [w["solver"] for w in lost].count(views.ALL) == 1


def test_components_are_ranked_by_formulation_and_no_variance_is_negative():
    view = comparison_several.stored_view(COMPARE / "components", None)
    for table in view.rankings:
        whole = table.rows[~table.rows.partly]
        assert whole.share.round(4).is_monotonic_decreasing and (
            table.rows["rank"] != "–"
        ).sum() == len(whole)
        assert table.rows.twice.dropna().between(-1e-9, 1).all()
        assert not any(
            "-0.00" in cell for row in table.cells for cell in row if isinstance(cell, str)
        )
    (best,) = tables(view, "pairs")
    assert not best.rows.duplicated(["formulation", "item", "r", "k"]).any()
    assert (best.rows.value <= best.rows.bound / NEAR).all() and best.rows.gap.between(
        -1e-6, 1
    ).all()
    for table in (*tables(view, "recovery"), *tables(view, "samples")):
        keys = [c for c in ("item", "formulation", "solver", "how") if c in table.rows]
        first = table.rows.columns[len(keys)]
        for _, part in table.rows.groupby(keys[0], sort=False):
            assert part[first].is_monotonic_decreasing


def test_a_share_that_rounds_to_zero_has_no_sign():
    assert [percent(x) for x in (-1e-9, 0.5, float("nan"))] == ["0.00 %", "50.00 %", "n/a"]
