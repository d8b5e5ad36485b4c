"""The published rows answer the questions of the plans, and give the published numbers."""

import json
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

from spcabench import registry
from spcabench.errors import InputError
from spcabench.figures import _truth
from spcabench.page import claims_file, draw, papers, row_names, verify
from spcabench.running import jobs, rows
from spcabench.solving.status import GOOD
from tests.problems import WHOLE

FIGURES = registry.names("figure")
SLOW = ("kuleshov2013_fig5",)  # it fits Gabor functions to its components
PUBLISHED = Path(__file__).parents[2] / "results" / "published"
# what a run asks, beside the parameters of its problem and its seed
ASKED = ("dataset", "solver", "measure", "settings", "match", "label")
FOUND = ("part", "label", "x", "kind", "value", "spread", "count", "missing", "judged", "verdict")


def counted(asked):
    """Count runs, or rows, by their question and their seeds, from their groups and columns."""
    return Counter(
        (
            json.dumps(
                # groups of timed runs have the hash of their problem in their names
                [group.partition("-")[0], {**of["parameters"], "seed": 0}, *(of[a] for a in ASKED)],
                sort_keys=True,
            ),
            (of["parameters"].get("seed"), of["seed"]),
        )
        for group, of in asked
    )


@pytest.mark.parametrize("figure", FIGURES)
def test_published_rows_are_planned_and_all_but_new_seeds_of_the_plan_are_published(figure):
    waiting = jobs.unpublished(PUBLISHED, figure, "paper")
    groups = jobs.groups(figure, "paper").items()
    planned = counted((g, run.asked) for g, runs in groups if g not in waiting for run in runs)
    files = [PUBLISHED / "rows" / figure / "rows.parquet"]
    table = rows.read(files).assign(name=row_names.hashes(rows.read_text(files)))
    table = table[table["repeat"] == 0].astype(object).where(table.notna(), None)
    report = claims_file.read(PUBLISHED / "figures" / figure / claims_file.NAME, figure)
    judged = claims_file.judged_rows([report], report)
    published = counted((row["group"], row) for row in table.to_dict("records"))
    used = table[table.name.isin([*judged])].to_dict("records")
    assert not counted((row["group"], row) for row in used) - planned
    questions = {question for question, _ in published}
    assert not [question for question, _ in planned - published if question not in questions]


@pytest.mark.parametrize(
    "figure", [pytest.param(name, marks=[WHOLE] if name in SLOW else []) for name in FIGURES]
)
def test_published_numbers_and_verdicts_are_those_of_the_rows(figure):
    """If this fails, what a figure measures has changed: judge the published run again."""
    module = registry.module("figure", figure)
    _, data = draw._loaded(module, verify.rows_of(PUBLISHED, figure))
    again = dict(
        statements=[statement.judge(data) for statement in claims_file.statements(module)],
        certified=getattr(module, "certified", _truth.certified)(data),
    )
    report = claims_file.read(PUBLISHED / "figures" / figure / claims_file.NAME, figure)
    assert not [*claims_file.differences(found(report), found(again))]


def found(report):
    """Return what a figure measures: the results of a report without its words."""
    return {"certified": report["certified"]} | {
        f"{statement['id']}, {reading['name']}": [
            {name: place[name] for name in FOUND} for place in reading["places"]
        ]
        for statement in report["statements"]
        for reading in statement["readings"]
    }


def test_a_statement_needs_no_rows_but_its_own():
    name = "he2010_fig2"
    module = registry.module("figure", name)
    rows, data = draw._loaded(module, verify.rows_of(PUBLISHED, name))
    good = rows[rows.status.isin(GOOD)]
    for statement in claims_file.statements(module):
        names = " ".join(row for _, table in statement.tables(data) for row in table.row)
        alone = module.data(good[good.row.isin(names.split())].reset_index(drop=True))
        with_all, with_its_own = (
            found(dict(certified=[], statements=[statement.judge(of)])) for of in (data, alone)
        )
        assert not [*claims_file.differences(with_all, with_its_own)]


@pytest.mark.parametrize("text", ["authors = [", 'authors = ["A"]\njournal = "B"', "year = 2001"])
def test_a_file_of_a_paper_that_is_wrong_is_named(tmp_path, monkeypatch, text):
    package = import_module(registry.PACKAGES["figure"])
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    (tmp_path / "trial2001.toml").write_text(text)
    with pytest.raises(InputError, match=r"trial2001\.toml"):
        papers.paper("trial2001")
