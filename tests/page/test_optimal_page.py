"""The page of proven optima has a row for each instance, with what is published of it."""

import re

from spcabench.comparison import best_known
from spcabench.page import certified_page

OPEN = {"problem": "gaussian 1000 x 1000", "figure": "kuleshov2013_fig3", "k": 5.0, "best": 1388.0}
OPEN |= {"bound": 1463.0, "proven": False, "seconds": None}


def test_every_instance_is_found_with_its_support_and_what_is_published(tmp_path):
    certified_page.write(tmp_path, [OPEN], dict(site={}, cite=None))
    text = (tmp_path / certified_page.NAME).read_text(encoding="utf-8")
    rows = dict(re.findall(r'<tr data-words="([^"]+)"(.+)</tr>', text))
    entries = [*best_known.read().values()]
    assert len(rows) == len(entries) + 1
    for entry in entries:
        assert f">{', '.join(map(str, entry.support))}<" in text
    (row,) = [
        row for words, row in rows.items() if words.startswith("pitprops") and "k=5 " in words
    ]
    assert "3.40615495 in 3 to 8 s (li); 3.406 (bertsimas)" in row
    assert "branch_and_bound" in row and "proven</span>" in row
    (row,) = [row for words, row in rows.items() if words.startswith("gaussian 1000 x")]
    assert "at most 5.4 % more" in row and "kuleshov2013.html#kuleshov2013_fig3" in row
