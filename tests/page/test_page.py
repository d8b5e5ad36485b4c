"""Pictures, verdicts and pages made from rows."""

import json

from spcabench import registry
from spcabench.cli import options
from spcabench.page import (
    claims_file,
    draw,
    numbers_page,
    source_links,
)
from spcabench.page.row_names import hashes
from spcabench.running import rows
from tests.page.reading import lines_of
from tests.trial import NAME, check_links, made_row, make_run, row


def test_a_figure_without_its_title_says_what_stands_in(trial_run, monkeypatch):
    make_run(trial_run, stand_in=True)
    figures, files = [], [trial_run / "rows" / NAME / "grqi.parquet"]
    monkeypatch.setattr(draw, "write_picture", lambda out, figure: figures.append(figure))
    draw.draw_to(NAME, files, [trial_run / "F.pdf"], title=False)
    assert "STAND-IN DATA: pitprops" in " ".join(figures[0].get_suptitle().split())


def test_the_page_holds_every_statement_and_its_links_resolve(trial_run):
    report, page = make_run(trial_run)
    assert [s["id"] for s in report["statements"]] == ["T1", "T2"]
    assert {s["verdict"] for s in report["statements"]} == {"holds"}
    run = json.loads((trial_run / "claims.json").read_text())
    assert [s | {"earlier": []} for s in report["statements"]] == run["statements"]
    assert report["runs"]["status"] == {"converged": 1} and not report["data"][0]["stand_in"]
    assert "it &lt;works&gt; &amp; more" in page
    paper = (trial_run / "trial2013.html").read_text()
    assert "it &lt;works&gt; &amp; more" in paper and "an older test" in paper
    assert 'id="T1"' in paper and 'href="#T1"' in paper
    for file in trial_run.rglob("*.html"):
        check_links(file)


def test_the_numbers_of_a_figure_are_those_of_its_rows(tmp_path, monkeypatch):
    """Rounds of timing are one line, with the shortest time; what all lines share is said once."""
    times = (0.003, 0.001, 0.002)
    shared = dict(setup_time=0.0005, parameters={"seed": 4}, settings={"k": 3, "seed": 1, "a": 0.5})
    rounds = [row(repeat=i, solve_time=t, gap=0.0123, **shared) for i, t in enumerate(times)]
    other = dict(k=4, settings={"k": 4}, label="0.30000000000000004", variance_refit=2.75)
    more = [
        row(**other, flops=2_000_000, extra={"b": 1 / 3, "c": [1, 2]}, setup_time=None),
        row(k=5, status="crash", reason="exit", label="v1.2", problem=None, settings={"k": 5}),
    ]
    rows.write([*rounds, *more], tmp_path / "a.parquet")
    names = hashes(rows.read_text([tmp_path / "a.parquet"]))
    monkeypatch.setattr(numbers_page, "render", lambda _, **values: page.update(values) or "")
    page: dict = {}
    judged = {names[0]: "T10 T2", names[3]: "T2"}
    figure, about = dict(figure=NAME, title="T", scale="quick", paper="p"), dict(site={}, cite=None)
    numbers_page.write([tmp_path / "a.parquet"], tmp_path / "n.html", figure, judged, about)
    lines, same = lines_of(page["table"]), dict(page["same"])
    expected = {
        "Problem": ["pitprops, seed 4", "pitprops", "not loaded"],
        "Part of the figure": ["", "0.3", "v1.2"],
        "Settings": ["a = 0.5", "", ""],
        "k asked": ["3", "4", "5"],
        "Refitted": ["", "2.75", ""],
        "Gap, %": ["1.23", "", ""],
        "Flops": ["100", "2,000,000", "100"],
        "Time, ms": ["1.5", "1", "1.1"],
        "Also measured": ["", "b = 0.333333; c = [1, 2]", ""],
        "Status": ["converged", "converged", "crash: exit"],
        "Statements": ["T10 T2", "T2", ""],
        "Row": names[2:],
    }
    assert {head: [line[head] for line in lines] for head in lines[0]} == expected
    assert same == {
        "Solver or measure": "grqi",
        "Nonzeros": "3",
        "Variance": "2.5",
        "Start-up flops": "13",
    }
    assert page["ids"] == ["T2", "T10"]


def test_a_figure_without_a_good_row_is_drawn_empty_and_open(trial_run):
    report, _ = make_run(trial_run, status="crash", reason="the process ended with exit code 3")
    assert {s["verdict"] for s in report["statements"]} == {"open"}
    assert report["runs"]["status"] == {"crash": 1}
    assert "crash" in (trial_run / "trial2013.html").read_text()


def test_a_judgement_sums_up_its_rows(trial_run, tmp_path):
    """The newest row gives commit and machine; a failed run counts but has no data."""
    machine = made_row().machine | {"cpu": "another"}
    older = dict(written="2026-01-01T00:00:00+00:00", commit="a" * 10, machine=machine, dirty=True)
    newest = dict(written="2026-02-01T00:00:00+00:00", commit="b" * 10, dirty=False)
    stored = [
        made_row(**older, chain="0-1", solve_time=30.0, setup_time=4.0, search_time=None),
        made_row(**newest, solve_time=2.0, setup_time=None, search_time=1.0, stand_in=True),
        made_row(
            **newest, chain="0-2", status="crash", problem=None, solve_time=None, setup_time=None
        ),
        made_row(**older, chain="0-3", problem="pit 9", solve_time=0.5, setup_time=0.0),
        made_row(**older, chain="0-4", problem="pit 10", solve_time=0.5, setup_time=0.0),
    ]
    rows.write(stored, tmp_path / "rows.parquet")
    report = draw.judgement(NAME, "quick", [tmp_path / "rows.parquet"])
    assert (report["commit"], report["commits"]) == ("b" * 10, ["a" * 10, "b" * 10])
    assert report["written"] == newest["written"] and report["dirty"]
    assert report["machine"] == stored[1].machine and len(report["machines"]) == 2
    assert report["runs"] == dict(rows=5, seconds=38.0, status=dict(converged=4, crash=1))
    names = [(data["name"], data["stand_in"]) for data in report["data"]]
    assert names == [("pit 9", False), ("pit 10", False), ("pitprops", False)]
    of = hashes(rows.read_text([tmp_path / "rows.parquet"]))
    assert report["rows_of"]["T2"] == {NAME: sorted(of[:2] + of[3:])}
    judged = claims_file.judged_rows([report], report)
    assert judged == dict.fromkeys(report["rows_of"]["T2"][NAME], "T1 T2")


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
