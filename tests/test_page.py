"""From rows to picture, verdicts and page."""

import json
import re
import sys

import pandas as pd
import pytest

from spcabench import registry
from spcabench.page import draw, solver_page
from spcabench.page.results_page import write_page
from spcabench.running import job, worker
from spcabench.running.task import Task

FIGURE = '''"""Trial figure.

A caption with <angles> & more.
"""
from spcabench.claims import Statement, decided
from spcabench.run import Run
PANELS, SIZE = (1, 1), (3, 2)
T1 = Statement("T1", "it <works> & more", "section 1", "cardinality", "at most 3", earlier=(
    dict(verdict="fails", measured="4", reason="an older test"),))
T2 = Statement("T2", "shapes only", "section 2", "n", "above 1", any_data=True)
def runs(scale):
    yield Run(dataset="pitprops", solver="grqi", settings=dict(k=3))
def draw(data, axes):
    axes.flat[0].plot(data.cardinality, data.variance, "o")
def claims(data):
    holds = bool((data.cardinality <= 3).all())
    yield T1.judged(decided(holds), f"{data.cardinality.max()} of {len(data)}")
    yield T2.judged("holds", "13")
'''


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "trial2013_fig1.py").write_text(FIGURE)
    package = __import__("spcabench.figures", fromlist=["x"])
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    monkeypatch.delitem(sys.modules, "spcabench.figures.trial2013_fig1", raising=False)
    registry._files.cache_clear()
    yield tmp_path / "quick"
    registry._files.cache_clear()


def make(folder, **changes):
    """Rows of one run, then picture, verdicts and page."""
    task = Task(dataset="pitprops", solver="grqi", settings={"k": 3})
    labels = dict(
        dataset="pitprops", parameters="{}", solver="grqi", settings='{"k": 3}', seed=0, repeat=0
    )
    row = worker.row(task) | labels | changes
    rows = folder / "rows" / "trial2013_fig1" / "grqi.parquet"
    rows.parent.mkdir(parents=True)
    job.write_parquet(pd.DataFrame([row]).assign(**job.stamp()), rows)
    out = folder / "figures" / "trial2013_fig1"
    draw.draw_figure("trial2013_fig1", [rows], out)
    draw.judge_figure("trial2013_fig1", "quick", [rows], out / "claims.json")
    page = write_page(folder)
    assert not [p for p in folder.rglob(".*")]
    return json.loads((out / "claims.json").read_text()), page.read_text()


def test_the_page_holds_every_claim_and_its_links_resolve(folder):
    report, page = make(folder)
    assert [(c["id"], c["verdict"]) for c in report["claims"]] == [("T1", "holds"), ("T2", "holds")]
    assert json.loads((folder / "claims.json").read_text())["claims"] == report["claims"]
    assert report["runs"]["status"] == {"converged": 1} and not report["data"][0]["stand_in"]
    assert "it &lt;works&gt; &amp; more" in page and "an older test" in page
    for kind in ("svg", "pdf", "png"):
        assert (folder / "figures" / "trial2013_fig1" / f"figure.{kind}").stat().st_size > 500
    assert "spcabench figure trial2013_fig1 --scale quick" in page
    for file in (folder / "index.html", *folder.glob("solvers/*.html")):
        check_links(file)


def check_links(file):
    """Every file and every anchor that a page names is there."""
    for link in re.findall(r'(?:href|src)="([^"]+)"', file.read_text()):
        target, _, anchor = link.partition("#")
        other = file.parent / target if target else file
        if not link.startswith(("data:", "https:")):
            assert other.exists(), link
            assert not anchor or f'id="{anchor}"' in other.read_text(), link


def test_rows_are_there_as_a_table_for_people(folder):
    make(folder)
    table = pd.read_csv(folder / "figures" / "trial2013_fig1" / "rows.csv")
    assert table.cardinality.tolist() == [3] and table.solver.tolist() == ["grqi"]


def test_solvers_are_compared_with_the_best_at_equal_or_fewer_nonzeros():
    one = dict(
        dataset="d",
        parameters="{}",
        nonnegative=False,
        status="converged",
        experiment="f",
        repeat=0,
        gap=0.1,
    )
    one |= dict(iterations=1, setup_flops=0, setup_time=0.0, samples=1, search_time=0.0)
    runs = [("grqi", 2, 1.0, 10, 1.0), ("em", 3, 0.8, 40, 0.5), ("em", 2, 0.9, 30, 4.0)]
    names = ("solver", "cardinality", "variance_refit", "flops", "solve_time")
    table = pd.DataFrame([one | dict(zip(names, run, strict=True)) for run in runs])
    grqi, em3, em2 = solver_page.compared(table).itertuples()
    assert (
        grqi.share == 1.0 and em3.share == 0.8 and em2.share == 0.9
    )  # three nonzeros are beaten by two
    assert grqi.dearer == 1.0 and em2.dearer == 3.0 and pd.isna(em3.dearer)
    assert em2.slower == 4.0
    assert [entry["name"] for entry in solver_page.solvers(table)] == ["em", "grqi"]


def test_a_stand_in_is_called_one_and_decides_nothing_but_shapes(folder):
    report, page = make(folder, stand_in=True)
    assert [c["verdict"] for c in report["claims"]] == ["undecided", "holds"]
    assert "would hold" in report["claims"][0]["measured"]
    assert "STAND-IN" in page
    svg = (folder / "figures" / "trial2013_fig1" / "figure.svg").read_text()
    assert "STAND-IN" in svg or "<path" in svg


def test_a_figure_without_a_good_row_is_drawn_empty_and_undecided(folder):
    report, page = make(folder, status="crash", reason="the process ended with exit code 3")
    assert [c["verdict"] for c in report["claims"]] == ["undecided", "undecided"]
    assert report["runs"]["status"] == {"crash": 1}
    assert "crash" in page


def test_real_data_that_a_figure_uses_in_the_place_of_the_papers_are_a_stand_in(folder):
    (folder.parent / "trial2013_fig1.py").write_text(FIGURE + 'STAND_INS = ("pitprops",)\n')
    report, page = make(folder)
    assert [c["verdict"] for c in report["claims"]] == ["undecided", "holds"]
    assert report["data"][0]["stand_in"] and "STAND-IN" in page


def test_a_figure_for_publication_has_its_size_its_fonts_and_says_what_stands_in(folder):
    make(folder, stand_in=True)
    rows, out = [folder / "rows" / "trial2013_fig1" / "grqi.parquet"], folder / "F.pdf"
    draw.draw_to(
        "trial2013_fig1", rows, [out, folder / "F.svg"], width=3.5, fontsize=14, title=False
    )
    pdf = out.read_bytes()
    width, height = (
        float(x) for x in re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", pdf).groups()
    )
    assert (width, height) == pytest.approx((72 * 3.5, 72 * 3.5 * 2 / 3), abs=0.01)
    assert b"/FontFile2" in pdf and b"/Type3" not in pdf
    assert "STAND-IN" in (folder / "F.svg").read_text()  # matplotlib's comments hold the text


def test_pictures_are_the_same_to_the_byte(folder):
    make(folder)
    out = folder / "figures" / "trial2013_fig1"
    before = {kind: (out / f"figure.{kind}").read_bytes() for kind in ("svg", "pdf", "png")}
    draw.draw_figure("trial2013_fig1", [folder / "rows" / "trial2013_fig1" / "grqi.parquet"], out)
    assert {kind: (out / f"figure.{kind}").read_bytes() for kind in before} == before


def test_a_figure_needs_neither_data_nor_claims(folder):
    text, _, _ = FIGURE.partition("def claims(")
    (folder.parent / "trial2013_fig1.py").write_text(text)
    report, _ = make(folder)
    assert report["claims"] == [] and report["certified"] == []
    assert (folder / "figures" / "trial2013_fig1" / "figure.svg").exists()


def test_the_truth_that_the_data_carry_is_certified_without_a_word_in_the_figure(folder):
    text = FIGURE.replace(
        "def draw(",
        "from spcabench.figures import _truth\n"
        "data = _truth.with_truth(lambda table: table)\n"
        "def draw(",
    )
    (folder.parent / "trial2013_fig1.py").write_text(text)
    settled = '{"value_1": 1.0, "bound_1": 1.0, "nodes_1": 1}'
    report, _ = make(folder, label="truth", solver="branch_and_bound", extra=settled, k=1)
    (entry,) = [entry for entry in report["certified"] if entry["k"] == 1]
    assert entry["proven"] and entry["best"] == entry["bound"] == 1.0


def test_a_page_without_figures_says_so(tmp_path):
    assert "figure" in write_page(tmp_path).read_text().lower()


def test_a_figure_that_does_not_fit_says_so(folder):
    make(folder)
    rows = [folder / "rows" / "trial2013_fig1" / "grqi.parquet"]
    with pytest.raises(ValueError, match="does not fit"):
        draw.draw_to("trial2013_fig1", rows, [folder / "F.pdf"], width=1, fontsize=30)
