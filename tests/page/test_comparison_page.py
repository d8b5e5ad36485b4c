"""The page of a comparison shows the numbers of its tables, and can be written again from rows."""

import json
import re
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from spcabench import registry
from spcabench.comparison.stored import Comparison
from spcabench.page import comparison_page as page
from spcabench.page import comparison_pictures
from spcabench.page.standing import Standing
from spcabench.running import rows as results
from spcabench.showing import style
from tests.comparisons import compared
from tests.page.test_browser import CHROMIUM, probe
from tests.problems import WHOLE
from tests.trial import check_links, make_site

# one process makes the comparison, and takes these tests
pytestmark = [pytest.mark.xdist_group("curves"), WHOLE]

SOLVERS = ("tpower", "gpower1", "mcol")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Compare three solvers on three problems."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("home")
        yield compared(patch, home, "try", SOLVERS, items=3, named=["gpower1"])


def test_a_published_comparison_shows_what_the_whole_histories_show(folder, tmp_path):
    """Every table cell and picture is the same."""
    out = tmp_path / "published" / "compare" / "try"
    page.publish(folder, out)
    folder = shutil.copytree(folder, tmp_path / "whole" / "compare" / "try")
    page.write(folder, published=True)  # with the links of a published page
    whole, kept = (results.read_text([home / "rows.parquet"]) for home in (folder, out))
    entries = [table.history.dropna().map(json.loads).map(len) for table in (whole, kept)]
    assert entries[0].sum() > entries[1].sum() > 0
    tables = [pd.read_parquet(home / "table.parquet") for home in (folder, out)]
    pd.testing.assert_frame_equal(*tables)
    same = ["ranking.csv", *(str(file.relative_to(out)) for file in out.glob("pictures/*"))]
    assert sum(name.endswith(".svg") for name in same) >= 4
    for name in same:
        assert (out / name).read_text() == (folder / name).read_text(), name
    for name in ("index.html", "answers.html"):
        texts = [home.joinpath(name).read_text() for home in (folder, out)]
        cells = [re.findall(r"<t[dh][ >].*?</t[dh]>|\[\[.*", text) for text in texts]
        assert cells[0] == cells[1] and len(cells[0]) > 2, name


def test_a_published_comparison_is_made_again_from_its_own_folder(folder, tmp_path):
    out = tmp_path / "published" / "compare" / "try"
    page.publish(folder, out)
    make_site(out / "index.html")
    for file in out.rglob("*.html"):
        check_links(file)
    before = {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}
    page.write(out, published=True)
    assert before == {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}


def test_a_problem_that_no_solver_answered_stops_no_picture(folder, tmp_path):
    """A large problem may have no answers within a short limit, and then nothing is known of it."""
    standing = Standing.of(Comparison.read(folder))
    few = standing.answers.copy()
    lost = few["item"] == few["item"].iloc[0]
    few["shares"] = [[0.0] if no else shares for no, shares in zip(lost, few.shares, strict=True)]
    few.loc[lost, ["value", "share", "gap", "work", "time", "bound", "unit"]] = np.nan
    few.loc[lost, "best"], few.loc[lost, "answered"] = 0.0, False
    few.loc[lost, ["history", "status"]] = None, "time_limit"
    pictures = [*comparison_pictures.pictures(replace(standing, answers=few))]
    for picture in pictures:
        picture.write(tmp_path / f"{picture.name}.svg")
    assert "Anytime curves" in {p.title for p in pictures} and len(pictures) >= 4


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_a_link_opens_what_is_folded(folder, tmp_path):
    question = (
        'found.open = [...document.querySelectorAll("details.more[open]")].map(fold => fold.id);'
    )
    for anchor, unfolded in (("", []), ("#how", ["how"]), ("#within", ["within"])):
        state, console = probe(folder / "index.html", tmp_path, more=question, anchor=anchor)
        assert not console and state["open"] == unfolded and state["wide"] <= 0
    place = "#answers?problem=pit%20props&asked=3"
    question = 'found.said = document.querySelector(".filters output").value;'
    state, console = probe(folder / "answers.html", tmp_path, more=question, anchor=place)
    assert not console and state["said"].startswith(f"{len(SOLVERS)} of ")


def test_no_two_solvers_of_a_picture_look_alike():
    names = registry.names("solver")
    rng = np.random.default_rng(0)
    for _ in range(30):
        order = list(rng.permutation(names))
        looks = style.looks(order)
        eight = order[: len(style.DISTINCT)]
        assert len({looks[name]["color"] for name in eight}) == len(eight)
        assert len({looks[name]["marker"] for name in eight}) == len(eight)
        assert {looks[name]["color"] for name in order[len(eight) :]} == {style.GREY}
