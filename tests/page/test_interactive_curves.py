"""Interactive curves show the numbers of the tables and respond to choices in a browser."""

import csv
import io
import json
import re
import shutil
from urllib.parse import unquote

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from spcabench import registry, style
from spcabench.comparison import budgets, ranking, suite
from spcabench.comparison.stored import Comparison
from spcabench.page import (
    comparison_curves,
    comparison_drawing,
    comparison_pictures,
    comparison_tables,
    interactive_curves,
    overview_page,
    publish,
)
from spcabench.page import comparison_page as page
from spcabench.running import rows as results
from tests.comparisons import compared
from tests.page.test_browser import CHROMIUM, probe
from tests.problems import WHOLE
from tests.trial import check_links, make_site

# one process makes the comparison, and takes these tests
pytestmark = [pytest.mark.xdist_group("curves"), WHOLE]

browser = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
SOLVERS = ("tpower", "gpower1", "mcol")
# the scripts of the curves run after the page is read, and Bokeh draws some frames later
LATER = """<script>addEventListener("load", async () => {
  const found = {}, pause = () => new Promise(done => setTimeout(done, 300));
  const plot = document.querySelector(".plot"), form = document.querySelector(".live form");
  const set = async (name, value) => {
    form.elements[name].value = value;
    form.elements[name].dispatchEvent(new Event("change", { bubbles: true }));
    await pause();
  };
  const click = async solver => {
    document.querySelector(`.legend [data-solver="${solver}"]`).click();
    await pause();
  };
  for (const fold of document.querySelectorAll("details.more")) fold.open = true;
  document.querySelector(".draw")?.click();  // not there if the address has asked already
  await pause();
  await pause();
  MORE
  document.documentElement.dataset.probe = JSON.stringify(found);
});</script></body>"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Compare three solvers on three problems."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("home")
        yield compared(patch, home, "try", SOLVERS, items=3, named=["gpower1"])


def data_of(file):
    return json.loads(file.read_text().removeprefix("window.CURVES = ").rstrip(";\n"))


def answers_of(folder):
    return page.Standing.of(Comparison.read(folder)).answers


@browser
@pytest.mark.parametrize(("measure", "place"), [("work", 0), ("time", 1)])
def test_the_curves_reach_a_share_at_the_cost_of_the_tables(folder, tmp_path, measure, place):
    """For each run and target, the script's own rule finds the cost that the profiles use."""
    answers, data = answers_of(folder), data_of(folder / "curves-data.js")
    view = "found.lines = {};" + "".join(
        f"""await set("view", "reach"); await set("target", "{target}");
        await set("x", "{("flops", "time")[place]}");
        window.save = (name, text) => found.lines["{target}"] = text;
        document.querySelector(".live .csv").click();"""
        for target in (0.9, 0.99, 0.999)
    )
    state, console = probe((folder / "index.html"), tmp_path, script=LATER, more=view)
    assert not console
    for target in ranking.TARGETS:
        cost = ranking.costs(answers, target, measure)
        lines = list(csv.DictReader(io.StringIO(state["lines"][str(target)])))
        assert {x["solver"] for x in lines} == {s for s in cost if np.isfinite(cost[s]).any()}
        for line in lines:
            at, share = float(line["x"]), float(line["y"])
            low, high = ((cost[line["solver"]] <= at * (1 + e)).mean() for e in (-1e-4, 1e-4))
            assert low <= share <= high
    assert {(p["item"], p["k"]) for p in data["pairs"]} == set(
        zip(answers["item"], answers.asked, strict=True)
    )


def test_a_published_comparison_shows_what_the_whole_histories_show(folder, tmp_path):
    """Every table cell, picture and point of the curves is the same."""
    out = tmp_path / "published" / "compare" / "try"
    publish.comparison_page.publish(folder, out)
    whole, kept = (results.read_text([home / "rows.parquet"]) for home in (folder, out))
    entries = [table.history.dropna().map(json.loads).map(len) for table in (whole, kept)]
    assert entries[0].sum() > entries[1].sum() > 0
    tables = [pd.read_parquet(home / "table.parquet") for home in (folder, out)]
    pd.testing.assert_frame_equal(*tables)
    same = ["ranking.csv", "curves-data.js"]
    same += [str(file.relative_to(out)) for file in out.glob("pictures/*")]
    assert sum(name.endswith(".svg") for name in same) >= 4
    for name in same:
        assert (out / name).read_text() == (folder / name).read_text(), name
    for name in ("index.html", *(f"pairs/{file.name}" for file in out.glob("pairs/*"))):
        texts = [home.joinpath(name).read_text() for home in (folder, out)]
        cells = [re.findall(r"<t[dh][ >].*?</t[dh]>|\[\[.*", text) for text in texts]
        assert cells[0] == cells[1] and len(cells[0]) > 2, name


def test_a_published_comparison_is_made_again_from_its_own_folder(folder, tmp_path):
    out = tmp_path / "published" / "compare" / "try"
    publish.comparison_page.publish(folder, out)
    make_site(out / "index.html")
    for file in out.rglob("*.html"):
        check_links(file)
    assert (tmp_path / "published" / "scripts").is_dir()
    before = {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}
    publish._publish_again(out)
    assert before == {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}
    table = results.without_histories(results.read_table([out / "rows.parquet"]))
    results.write_table(table, out / "rows.parquet")
    (out / "index.html").write_text("with histories")
    publish._publish_again(out)
    assert (out / "index.html").read_text() == "with histories"


def test_a_comparison_says_who_is_best_within_a_budget_and_the_first_page_leads_there(folder):
    text, answers = (folder / "index.html").read_text(), answers_of(folder)
    _, _, table = text.partition('id="within"')
    table, _, _ = table.partition('id="curves"')
    for family in set(answers.family) | {budgets.ALL}:
        assert table.count(f'<th scope="row">{family}') == 2  # by time, and by flops
    for head in (*budgets.HEADS["time"], *budgets.HEADS["work"]):
        assert f">{head}</th>" in table
    results_folder = folder.parents[1]
    (comparison,) = overview_page._comparisons(results_folder, results_folder / "quick")
    assert comparison == {
        "name": "try",
        "path": "../compare/try/index.html",
        "solvers": len(SOLVERS),
        "within": True,
    }


def test_every_answer_is_on_the_page_of_its_problem(folder):
    answers, folder = answers_of(folder), (folder / "pairs")
    pages = {file.name: file.read_text() for file in folder.iterdir()}
    assert len(pages) == answers["item"].nunique()
    for item, part in answers.groupby("item"):
        (text,) = [text for text in pages.values() if f"<h1>{item}:" in text]
        for row in part.itertuples():
            assert f'"{row.solver}"' in text and f'data-drawn="k{row.asked}-"' in text


@browser
def test_the_page_has_six_screens_at_most_and_a_link_opens_what_is_folded(folder, tmp_path):
    question = """found.screens = document.documentElement.scrollHeight / innerHeight;
    found.open = [...document.querySelectorAll("details.more[open]")].map(fold => fold.id);"""
    page_file, wide = (folder / "index.html"), "--window-size=1440,900"
    for anchor, unfolded in (("", []), ("#timing", ["how"]), ("#within", ["within"])):
        state, console = probe(page_file, tmp_path, wide, more=question, anchor=anchor)
        assert not console and state["open"] == unfolded
        assert anchor or state["screens"] <= 6.0


@browser
def test_choices_change_the_picture_and_the_address(folder, tmp_path):
    question = """
    found.begin = { ...plot.dataset }; found.hash = location.hash;
    await click("tpower"); found.without = plot.dataset.shown; found.off = location.hash;
    await click("tpower"); found.again = plot.dataset.shown;
    await set("x", "flops"); await set("xscale", "linear"); await set("yscale", "log");
    found.axes = plot.dataset.axes;
    await set("view", "anytime"); found.one = plot.dataset.axes; found.view = location.hash;
    await set("view", "tradeoff"); found.tradeoff = plot.dataset.axes;
    found.drawn = plot.childElementCount;
    """
    state, console = probe((folder / "index.html"), tmp_path, script=LATER, more=question)
    assert not console and state["hash"] == "" and state["drawn"] == 1
    assert set(state["begin"]["shown"].split(",")) == set(SOLVERS)
    assert set(state["without"].split(",")) == set(SOLVERS) - {"tpower"}
    assert state["off"] == "#curves?off=tpower"
    assert state["again"] == state["begin"]["shown"]
    assert state["axes"] == "flops|linear|share of the best known value, mean|log"
    assert state["one"] == "flops|linear|value so far over the best known|log"
    assert state["view"].startswith("#curves?view=anytime&")
    assert state["tradeoff"].startswith("cardinality|linear|variance")


@browser
def test_an_address_that_was_sent_shows_the_same(folder, tmp_path):
    sent = "#curves?view=reach&target=0.9&x=flops&off=mcol&at=1e9"
    question = """found.shown = plot.dataset; found.said = document.querySelector(".answer").value;
    found.hash = location.hash;"""
    state, console = probe(
        (folder / "index.html"), tmp_path, script=LATER, more=question, anchor=sent
    )
    assert not console and "mcol" not in state["shown"]["shown"]
    assert state["shown"]["axes"].startswith("flops|log|share of pairs solved to 90 %")
    assert state["said"].startswith("Within 1e9 flops: ") and "100.00 %" in state["said"]


@browser
def test_columns_are_chosen_and_what_is_shown_is_a_file(folder, tmp_path):
    question = """
    const boxes = [...document.querySelectorAll(".columns input")];
    for (const box of boxes.slice(2)) box.click();
    window.save = (name, text) => { found.name = name; found.text = text; };
    document.querySelector(".tools button").click();
    """
    state, _ = probe((folder / "index.html"), tmp_path, script=LATER, more=question)
    lines = list(csv.reader(io.StringIO(state["text"])))
    assert state["name"] == "try.csv" and lines[0] == ["Group", "Rank", "Solver"]
    assert {line[2] for line in lines[1:]} == set(SOLVERS)


def test_pages_come_from_the_disk_alone(folder):
    text = (folder / "index.html").read_text()
    assert "http://" not in text and "https://" not in text and "<script src" not in text
    (scripts,) = re.findall('data-scripts="([^"]+)"', text)
    assert all((folder / unquote(place)).is_file() for place in scripts.split())
    for picture in folder.glob("pictures/*.svg"):
        assert f"pictures/{picture.name}" in text
    assert "data:image" not in text


def test_a_page_without_the_library_says_so(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(interactive_curves, "library", list)
    text = page.write(shutil.copytree(folder, tmp_path / "copy")).read_text()
    assert 'pip install ".[pages]"' in text and "data-scripts" not in text
    assert "pictures/performance-profiles.svg" in text


def test_no_text_ends_the_script_and_no_number_is_missing():
    data = {"a": "</script>", "b": [float("nan"), np.float64(1 / 3), np.int64(4)], "c": None}
    text = interactive_curves._text(data)
    assert "</" not in text
    assert json.loads(text) == {"a": "</script>", "b": [None, 0.333333, 4.0], "c": None}


def test_the_ranking_is_a_table_of_latex(folder):
    text = (folder / "ranking.tex").read_text()
    assert text.count(r"\\") == 1 + len(SOLVERS) and r"\toprule" in text
    columns = 1 + len(comparison_tables.LATEX)  # the rank comes before the solver
    assert all(x.count("&") == columns for x in text.splitlines() if x.endswith(r"\\"))
    assert comparison_tables.escaped("a_b & 5 %") == r"a\_b \& 5 \%"
    assert comparison_tables.escaped("é ≥ 漢\n\x07") == r"é $\geq$ ? ?"


def test_no_two_solvers_of_a_picture_look_alike(tmp_path):
    names = registry.names("solver")
    rng = np.random.default_rng(0)
    for _ in range(30):
        order = list(rng.permutation(names))
        looks = style.looks(order)
        eight = order[: len(style.DISTINCT)]
        assert len({looks[name]["color"] for name in eight}) == len(eight)
        assert len({looks[name]["marker"] for name in eight}) == len(eight)
        assert {looks[name]["color"] for name in order[len(eight) :]} == {style.GREY}
    file = tmp_path / "mine.py"
    source = registry.path("solver", "mcol").read_text()
    file.write_text(source.replace(registry.module("solver", "mcol").COLOUR, "#123456"))
    assert style.looks(["mine", "tpower"], {"mine": str(file)})["mine"]["color"] == "#123456"


def test_solvers_of_the_papers_have_a_colour_of_their_own_wherever_they_rank():
    names = sorted(registry.names("solver"), key=lambda name: name in suite.OF_PAPERS)
    named = names[:3]
    looks = comparison_pictures.looks_of(pd.DataFrame({"solver": names, "answered": 1}), named)
    coloured = [name for name, look in looks.items() if look["color"] != style.GREY]
    assert {*named, *suite.OF_PAPERS} <= {*coloured}
    assert len({looks[name]["color"] for name in coloured}) == len(coloured)
    assert len({looks[name]["marker"] for name in coloured}) == len(coloured)


def test_solvers_with_one_line_are_drawn_once_and_the_panel_says_so():
    axis = plt.figure().subplots()
    x, y = np.arange(3), np.array([0.1, 0.5, 0.9])
    lines = {"a": (x, y), "b": (x, y + 0.1), "c": (x, y + 1e-4)}
    assert comparison_drawing._one_line(axis, lines) == ["a", "b"]
    (words,) = axis.texts
    assert "a = c" in words.get_text()
    plt.close(axis.figure)


def test_solvers_beyond_the_eighth_are_grey_until_asked_for(folder):
    answers = answers_of(folder)
    ranks = ranking.ranking(answers)
    looks = comparison_pictures.looks_of(ranks, ["gpower1"])
    assert next(iter(looks)) == "gpower1"
    looks["mcol"]["color"] = style.GREY
    colours = {s["name"]: s["colour"] for s in comparison_curves.data(answers, looks)["solvers"]}
    assert colours["mcol"] is None and colours["gpower1"]
