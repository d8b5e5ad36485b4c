"""The page of proven optima has a line for each instance, with what is published of it."""

import json
import re

from spcabench.comparison import best_known
from spcabench.page import certified_page


def test_every_instance_is_found_with_its_support_and_what_is_published(tmp_path):
    certified_page.write(tmp_path, dict(site={}, cite=None))
    text = (tmp_path / certified_page.NAME).read_text(encoding="utf-8")
    packed = json.loads(re.search(r'"application/json">(.*)</script>', text)[1])
    assert '<th scope="col" class="number"' in text and '<th scope="col">Support' in text
    columns = [[cells[0][i] for i in cells[1]] if len(cells) == 2 else cells[0] for cells in packed]
    lines = {tuple(line[0].split("\n")): line for line in zip(*columns, strict=True)}
    entries = [*best_known.read().values()]
    assert len(lines) == len(entries)
    assert {", ".join(map(str, e.support)) for e in entries} == {line[6] for line in lines.values()}
    (line,) = [x for (name, about), x in lines.items() if name == "pitprops" and x[1] == "5"]
    assert "3.40615495 in 3 to 8 s (li)" in line[3] and "3.406 (bertsimas)" in line[3]
    assert line[4].startswith("proven\nbound by branch_and_bound")
