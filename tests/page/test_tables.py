"""Numbers, formulas and tables are the same on a page, in a terminal and in LaTeX, and escaped."""

import re
from html import unescape

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcabench.files import plain as visible
from spcabench.page import generated_block, render
from spcabench.page.math_html import compact, marked_up
from spcabench.page.tables import Column, Link, Strip, Table, escaped, known, percent, whole
from spcabench.showing.words import duration
from tests.page.reading import shown, unpacked

MARKED_UP = {
    "a <b> & c": "a &lt;b&gt; &amp; c",
    "x_i^2 <= 1e-3, 2e0": "x<sub>i</sub><sup>2</sup> ≤ 1 × 10<sup>−3</sup>, 2",
    "5 x 20 `x*y` *new words* 2 * 3 * 4": "5 × 20 <code>x*y</code> <em>new words</em> 2 * 3 * 4",
    "lambda_max alphabet greedy_full": "λ<sub>max</sub> alphabet greedy_full",
    "R^{n x k} A_1^T n^-1": "R<sup>n x k</sup> A<sub>1</sub><sup>T</sup> n<sup>−1</sup>",
}


def test_formulas_are_marked_up_and_all_else_is_escaped():
    assert {text: marked_up(text) for text in MARKED_UP} == MARKED_UP


@given(st.floats(1e-6, 5e4), st.floats(1, 9e14))
def test_a_time_and_a_count_have_three_digits_and_are_below_a_thousand(seconds, count):
    for text, value in ((duration(seconds), seconds), (compact(count), count)):
        assert shown(text) == pytest.approx(value, rel=5.1e-3)
        number = text.partition(" ")[0]
        assert "e" not in number and 1 <= float(number) < 1000


def test_a_table_has_the_same_cells_wherever_it_is_shown():
    columns = [
        Column("Solver", "solver"),
        Column("Words", "words"),
        Column("Share", "share", percent),
    ]
    columns += [Column("Rank", "rank"), Column("Page", "share", "{:.1f}", terminal=False)]
    columns += [Column("Strip", "strip"), Column("None", "none")]
    links = [Link("em", warned=True), Link("a_b", "p")]
    strips = [Strip(1.0, (0.4, 99.6), ()), Strip(2.0, (), ())]
    fields = dict(words=["x", "1, 2"], share=[0.5, np.nan], rank=["–", "1 to 2"], none="")
    table = Table(columns, pd.DataFrame(dict(solver=links, strip=strips) | fields))
    assert table.cells == [
        (links[0], "x", "50.00 %", "–", "0.5", strips[0], ""),
        (links[1], "1, 2", "n/a", "1 to 2", "n/a", strips[1], ""),
    ]
    assert table.classes == ["", "", "number", "number", "number", "", "number"]
    lines = ["solver  words    share    rank     strip", "em†     x      50.00 %       –  [0, 100]"]
    lines.append("a_b     1, 2       n/a  1 to 2          ")
    assert table.lines() == lines
    found = re.findall(r"^(.*) & (.*) & (.*) & (.*) & (.*) \\\\$", table.latex({"em": "key"}), re.M)
    assert found[1:] == [
        (r"em$^\dagger$~\cite{key}", "x", r"50.00 \%", "--", "[0, 100]"),
        (r"a\_b", "1, 2", "n/a", "1 to 2", ""),
    ]
    assert escaped("é ≥ 漢\n\x07{~}") == r"é $\geq$ ? ?\{\textasciitilde{}\}"
    shares = {-1e-9: "0.00 %", 0.12345: "12.35 %", np.nan: "n/a", 1.0: "100.00 %"}
    assert {share: percent(share) for share in shares} == shares
    assert (whole(0.126), known(None, "{}", "-"), known(2.5, "{:.0f}")) == ("13 %", "-", "2")


words = st.text(st.sampled_from("ab</>&|*$\\`_[]\x07é"), max_size=6)


@given(st.lists(st.tuples(words, st.sampled_from(["<b>", "</script>"]), words), min_size=1))
def test_packed_cells_are_unpacked_and_cannot_end_their_script(lines):
    cells = [(a, b, Link(c, "at" * (len(c) % 2))) for a, b, c in lines]
    text = render.packed(cells)
    assert "</" not in text and "\x07" not in text
    whole = [(visible(a), b, [visible(c), "at"] if len(c) % 2 else visible(c)) for a, b, c in lines]
    assert unpacked(f'"application/json">{text}</script>') == whole


@given(words)
def test_a_cell_of_markdown_keeps_its_table_and_its_words(text):
    told = " ".join(text.split())
    assert re.sub(r"\\(.)", r"\1", render.plain(text)) == told
    assert not re.search(r"(?<!\\)(?:\\\\)*[*_\[<>|$`]", render.plain(text))
    (line,) = generated_block.markdown_table([text], []).splitlines()[:1]
    assert line.replace("\\|", "|").replace("\\*", "*") == f"| {told} |"
    assert unescape(marked_up(text.replace("`", "").replace("*", "").replace("_", ""))) == (
        text.replace("`", "").replace("*", "").replace("_", "")
    )


def test_a_block_is_replaced_and_the_rest_of_its_document_is_not(tmp_path):
    marks = "<!-- {}: made by `make docs` -->\n{}<!-- end of {} -->"
    text = "a\n" + "\nb\n".join(marks.format(n, f"old {n}\n", n) for n in ("one", "two")) + "\nc"
    new = generated_block.replaced(text, {"two": "new\n"})
    assert new == text.replace("old two", "new")
    for broken in ("a", text.replace("end of two", "end")):
        with pytest.raises(generated_block.InputError, match="no block"):
            generated_block.replaced(broken, {"two": "new\n"})
    file = tmp_path / "page.md"
    file.write_text(text.replace("`make docs`", "a.script"))
    generated_block.renew(file, {"two": "new\n"}, by="a.script")
    assert file.read_text() == new.replace("`make docs`", "a.script")
