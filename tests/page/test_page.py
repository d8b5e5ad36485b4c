"""Pictures, verdicts and pages made from rows."""

import json
import re

import pytest

from spcabench import registry
from spcabench.cli import options
from spcabench.errors import InputError
from spcabench.page import (
    claims_file,
    draw,
    numbers_page,
    source_links,
)
from spcabench.running import rows
from tests.trial import NAME, check_links, made_row, make_run, row

# what a page of numbers says about its figure and its run
HEADINGS = (
    dict(figure=NAME, title="T", scale="quick", paper="trial2013"),
    {},
    dict(site={}, cite=None),
)


def verdicts(report):
    return [s["verdict"] for s in report["statements"]]


def test_the_page_holds_every_statement_and_its_links_resolve(trial_run):
    report, page = make_run(trial_run)
    assert [s["id"] for s in report["statements"]] == ["T1", "T2"]
    assert verdicts(report) == ["holds", "holds"]
    run = json.loads((trial_run / "claims.json").read_text())
    assert [s | {"earlier": []} for s in report["statements"]] == run["statements"]
    assert report["runs"]["status"] == {"converged": 1} and not report["data"][0]["stand_in"]
    assert "it &lt;works&gt; &amp; more" in page
    paper = (trial_run / "trial2013.html").read_text()
    assert "it &lt;works&gt; &amp; more" in paper and "an older test" in paper
    assert 'id="T1"' in paper and 'href="#T1"' in paper
    for kind in ("svg", "pdf", "png"):
        assert (trial_run / "figures" / "trial2013_fig1" / f"figure.{kind}").stat().st_size > 500
    assert "spcabench figure trial2013_fig1 --scale quick" in paper
    for file in trial_run.rglob("*.html"):
        check_links(file)
        assert "data:image" not in file.read_text()


def test_rounds_of_timing_are_one_line_and_the_same_value_of_all_is_said_once(tmp_path):
    times = (0.003, 0.001, 0.002)
    rounds = [row(repeat=i, solve_time=t, setup_time=0.0) for i, t in enumerate(times)]
    rows.write([*rounds, row(k=4, cardinality=4, settings={"k": 4})], tmp_path / "a.parquet")
    table = numbers_page.runs_of(rows.read_text([tmp_path / "a.parquet"]), {})
    assert table.k.tolist() == [3, 4] and table.time.iloc[0] == pytest.approx(1)
    numbers_page.write([tmp_path / "a.parquet"], tmp_path / "n.html", *HEADINGS)
    text = (tmp_path / "n.html").read_text()
    assert '[["3","4"]]' in text
    assert "<dt>Solver or measure, all rows</dt><dd>grqi</dd>" in text


def test_a_figure_without_a_good_row_is_drawn_empty_and_open(trial_run):
    report, _ = make_run(trial_run, status="crash", reason="the process ended with exit code 3")
    assert verdicts(report) == ["open", "open"]
    assert report["runs"]["status"] == {"crash": 1}
    assert "crash" in (trial_run / "trial2013.html").read_text()


def test_a_figure_for_publication_has_its_size_its_fonts_and_says_what_stands_in(trial_run):
    make_run(trial_run, stand_in=True)
    rows, out = [trial_run / "rows" / "trial2013_fig1" / "grqi.parquet"], trial_run / "F.pdf"
    draw.draw_to(
        "trial2013_fig1", rows, [out, trial_run / "F.svg"], width=3.5, fontsize=14, title=False
    )
    pdf = out.read_bytes()
    width, height = (
        float(x) for x in re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", pdf).groups()
    )
    assert (width, height) == pytest.approx((72 * 3.5, 72 * 3.5 * 2 / 3), abs=0.01)
    assert b"/FontFile2" in pdf and b"/Type3" not in pdf
    assert "STAND-IN" in (trial_run / "F.svg").read_text()  # matplotlib's comments hold the text


def test_a_figure_that_does_not_fit_says_so(trial_run):
    make_run(trial_run)
    rows = [trial_run / "rows" / "trial2013_fig1" / "grqi.parquet"]
    with pytest.raises(InputError, match="does not fit"):
        draw.draw_to("trial2013_fig1", rows, [trial_run / "F.pdf"], width=1, fontsize=30)


def test_a_figure_is_of_the_commit_of_its_newest_row(trial_run, tmp_path):
    newest = made_row(commit="b" * 10, written="2026-02-01T00:00:00+00:00")
    older = made_row(commit="a" * 10, written="2026-01-01T00:00:00+00:00", chain="0-1")
    rows.write([newest, older], tmp_path / "rows.parquet")
    report = draw.judgement(NAME, "quick", [tmp_path / "rows.parquet"])
    assert report["commit"] == "b" * 10 and report["written"] == newest.written


def test_the_code_of_a_statement_is_found_in_its_file_or_beside_it():
    folder = options.ROOT / "results" / "published"
    for figure in registry.names("figure"):
        written = source_links.statements(folder, figure)
        module = registry.module("figure", figure)
        for statement in claims_file.statements(module):
            file, _, line = written[statement.id][1].partition("#L")
            lines = (folder / file).read_text().splitlines()[int(line) - 1 :]
            assert statement.id in "".join(lines[:2])
    solver = registry.path("solver", "tpower")
    line = source_links.function(solver, "solve", folder).partition("#L")[2]
    assert solver.read_text().splitlines()[int(line) - 1].startswith("def solve(")
