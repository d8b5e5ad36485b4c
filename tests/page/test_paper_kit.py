"""What a paper can use of a comparison: citations have entries, and warnings are told."""

import re
from dataclasses import replace

import pandas as pd

from spcabench.iterate import Facts
from spcabench.page import comparison_page, comparison_pictures, paper_kit
from spcabench.running import rows as results
from spcabench.solving.run_warnings import SENTENCES, Flag
from tests.comparisons import compared


def test_a_kit_has_the_ranking_its_warnings_and_the_papers_that_it_cites(tmp_path, monkeypatch):
    """A warning is shown wherever the ranking is: on the page, in the terminal, in the tables."""
    monkeypatch.setattr(comparison_pictures, "pictures", lambda standing: [])
    home = compared(monkeypatch, tmp_path, "two", ["em", "tpower"], named=["em"])
    rows = results.read_table([home / "rows.parquet"])
    flags = [["threads"] if solver == "tpower" else None for solver in rows["solver"].to_pylist()]
    results.write_table(results.replaced(rows, flags=flags), home / "rows.parquet")
    comparison_page.write(home)
    kit = paper_kit.write(home, tmp_path / "kit")
    table = (kit / "table.tex").read_text()
    sentence = SENTENCES[Flag.threads]
    for text in (home / "index.html", home / "ranking.txt", kit / "table.tex"):
        assert sentence in text.read_text()
        assert "../../" not in text.read_text()  # it is no part of a site
    assert re.findall(r"& (\w+)\$\^\\dagger\$~", table) == ["tpower"]
    cited = re.findall(r"& (\w+)\S*~\\cite\{(\w+)\}", table)
    entries = re.findall(r"^@\w+\{(\w+),", (kit / "references.bib").read_text(), re.M)
    assert {solver for solver, _ in cited} == {"em", "tpower"}
    assert {key for _, key in cited} | {"spcabench", "jeffers1967"} <= {*entries}
    assert len(entries) == len({*entries})
    assert len({line.count("&") for line in table.splitlines() if line.endswith(r"\\")}) == 1
    ranking = pd.read_csv(home / "ranking.csv").set_index("solver").warnings
    assert sentence in ranking["tpower"] and pd.isna(ranking["em"])


FIELDS = {  # venue of a paper -> fields of its entry
    "Journal of Trials 12": ("article", dict(journal="Journal of Trials", volume="12")),
    "NeurIPS 3": ("inproceedings", dict(booktitle="NeurIPS 3")),
    "a & b": ("misc", dict(howpublished=r"a \& b")),
}


def test_a_paper_has_an_entry_with_its_facts():
    for venue, (kind, fields) in FIELDS.items():
        paper = Facts(
            venue=venue, authors="Ann O'Nym, B. Two and C.", year=2001, title="The 1st {x}"
        )
        entry = paper_kit.bibtex(replace(paper, address="https://a.org/b"))
        assert entry.startswith(f"@{kind}{{annonym2001the,\n")
        assert dict(re.findall(r"^  (\w+) = \{(.*)\},?$", entry, re.M)) == fields | {
            "author": "Ann O'Nym and B. Two and C.", "title": r"{The 1st \{x\}}", "year": "2001",
            "note": r"\url{https://a.org/b}",
        }  # fmt: skip
        assert "url" not in paper_kit.bibtex(replace(paper, address="a b"))
