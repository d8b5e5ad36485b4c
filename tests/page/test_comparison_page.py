"""A published comparison has the numbers of its whole rows, and its folder gives it again."""

import json
import re
import shutil

import pandas as pd
import pytest

from spcabench.page import comparison_page as page
from spcabench.running import rows as results
from tests.comparisons import compared
from tests.problems import WHOLE
from tests.trial import check_links, make_site


@WHOLE
def test_a_published_comparison_is_that_of_the_whole_histories(tmp_path):
    """Every table cell, link and picture is the same, and each file if it is written again."""
    with pytest.MonkeyPatch.context() as patch:
        solvers = ["tpower", "gpower1", "mcol"]
        folder = compared(patch, tmp_path, "try", solvers, items=3, named=["gpower1"])
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
    make_site(out / "index.html")
    for file in out.rglob("*.html"):
        check_links(file)
    before = {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}
    page.write(out, published=True)
    assert before == {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}
