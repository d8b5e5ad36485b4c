"""The kit for a paper: citations have entries, fonts are embedded, and LaTeX accepts it."""

import re
import shutil
import subprocess

import pandas as pd
import pyarrow as pa
import pytest

from spcabench import registry
from spcabench.comparison import suite
from spcabench.page import comparison_page, paper_kit
from spcabench.page.solver_table import facts_of
from spcabench.running import rows as results
from spcabench.solving.run_warnings import SENTENCES, Flag
from tests.comparisons import compared
from tests.problems import WHOLE

DATA = dict(paper_kit._entries(paper_kit.DATA.read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Compare two solvers on one problem."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("home")
        yield compared(patch, home, "two", ["em", "tpower"], named=["em"])


@WHOLE
def test_a_kit_cites_what_it_has_and_compiles(folder, tmp_path):
    main = paper_kit.write(folder, tmp_path / "kit")
    texts = {file.name: file.read_text() for file in main.parent.glob("*.*") if file.is_file()}
    cited = set(re.findall(r"\\cite\{(\w+)\}", "".join(texts.values())))
    entries = set(re.findall(r"^@\w+\{(\w+),", texts["references.bib"], re.M))
    assert {"jeffers1967", "spcabench"} <= cited == entries
    assert len(cited) == 4
    assert "5 seeds" in texts["main.tex"] and "pit props" in texts["main.tex"]
    for picture in re.findall(r"includegraphics\[.*\]\{(.*)\}", texts["main.tex"]):
        pdf = (main.parent / picture).read_bytes()
        assert b"/FontFile2" in pdf and b"/Type3" not in pdf
    if shutil.which("pdflatex"):
        latex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main"]
        subprocess.run(latex, cwd=main.parent, check=True, capture_output=True, timeout=60)


def test_a_warning_is_shown_wherever_the_ranking_is(folder, tmp_path):
    """On the page, in the terminal and in the tables, of which a kit has the same."""
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
    table = (home / "ranking.tex").read_text()
    assert re.findall(r"& (\w+)\$\^\\dagger\$ &", table) == ["tpower"] and sentence in table
    warnings = pd.read_csv(home / "ranking.csv").set_index("solver").warnings
    assert sentence in warnings["tpower"] and pd.isna(warnings["em"])


def test_every_paper_of_a_solver_has_one_key_and_an_entry_with_balanced_braces():
    keys = {}
    for paper in map(facts_of, registry.names("solver")):
        if paper.title:
            key = paper_kit._key(paper, DATA)
            assert keys.setdefault(key, paper.title) == paper.title
            entry = paper_kit.bibtex(key, paper)
            assert entry.count("{") == entry.count("}")
    assert len(set(keys.values())) == len(keys)


def test_data_that_are_not_generated_by_this_repository_have_a_source():
    for item in suite.ITEMS + suite.SUITES["large"]:
        module = registry.module("dataset", item.dataset)
        if hasattr(module, "FILES") or hasattr(module, "FILE"):
            assert paper_kit._provider(item.dataset, "", DATA), item
