"""What a paper can use: citations have entries, fonts are embedded, and warnings are told."""

import re
import shutil

import pandas as pd
import pyarrow as pa
import pytest

from spcabench import registry
from spcabench.page import comparison_page, comparison_pictures, paper_kit
from spcabench.page.solver_table import facts_of
from spcabench.page.tables import escaped
from spcabench.running import rows as results
from spcabench.solving.run_warnings import SENTENCES, Flag
from tests.comparisons import compared
from tests.problems import WHOLE


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Compare two solvers on one problem."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("home")
        yield compared(patch, home, "two", ["em", "tpower"], named=["em"])


@WHOLE
def test_a_kit_cites_what_it_has_and_embeds_fonts(folder, tmp_path):
    kit = paper_kit.write(folder, tmp_path / "kit")
    cited = re.findall(r"& (\w+)~\\cite\{(\w+)\}", (kit / "table.tex").read_text())
    entries = re.findall(r"^@\w+\{(\w+),", (kit / "references.bib").read_text(), re.M)
    assert {solver for solver, _ in cited} == {"em", "tpower"}
    assert {key for _, key in cited} | {"spcabench", "jeffers1967"} <= {*entries}
    assert len(entries) == len({*entries})
    for picture in kit.glob("figures/*.pdf"):
        pdf = picture.read_bytes()
        assert b"/FontFile2" in pdf and b"/Type3" not in pdf


def test_a_warning_is_shown_wherever_the_ranking_is(folder, tmp_path, monkeypatch):
    """On the page, in the terminal and in the tables."""
    monkeypatch.setattr(comparison_pictures, "pictures", lambda standing: [])
    home = shutil.copytree(folder, tmp_path / "two")
    rows = results.read_table([home / "rows.parquet"])
    place, field = rows.schema.get_field_index("flags"), rows.schema.field("flags")
    flags = [["threads"] if solver == "tpower" else None for solver in rows["solver"].to_pylist()]
    rows = rows.set_column(place, field, pa.array(flags, field.type))
    results.write_table(rows, home / "rows.parquet")
    comparison_page.write(home)
    sentence = SENTENCES[Flag.threads]
    for text in (home / "index.html", home / "ranking.txt"):
        assert sentence in text.read_text()
    table = (paper_kit.write(home, tmp_path / "kit") / "table.tex").read_text()
    assert re.findall(r"& (\w+)\$\^\\dagger\$~", table) == ["tpower"] and sentence in table
    assert table.count(r"\\") == 1 + 2 and r"\toprule" in table
    assert len({line.count("&") for line in table.splitlines() if line.endswith(r"\\")}) == 1
    assert escaped("a_b & 5 %") == r"a\_b \& 5 \%"
    assert escaped("é ≥ 漢\n\x07") == r"é $\geq$ ? ?"
    warnings = pd.read_csv(home / "ranking.csv").set_index("solver").warnings
    assert sentence in warnings["tpower"] and pd.isna(warnings["em"])


def test_every_paper_of_a_solver_has_one_key_and_an_entry_with_balanced_braces():
    keys = {}
    for paper in map(facts_of, registry.names("solver")):
        if paper.title:
            key = paper_kit.key(paper)
            assert keys.setdefault(key, paper.title) == paper.title
            entry = paper_kit.bibtex(paper)
            assert entry.count("{") == entry.count("}")
    assert len(set(keys.values())) == len(keys)
