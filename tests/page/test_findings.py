"""The published values beside proven optima."""

from spcabench.comparison import best_known
from spcabench.comparison.suite import SUITES
from spcabench.page import certified_page


def test_every_published_answer_is_of_an_instance_and_near_our_value():
    published = certified_page.published()
    names = {item.name for item in SUITES["certified"]}
    entries = {(e.item, e.k): e for e in best_known.read().values()}
    for answer in published["answers"]:
        assert answer["instance"] in names
        assert answer["source"] in published["sources"]
        entry = entries.get((answer["instance"], answer["k"]))
        if entry and "value" in answer:
            assert abs(float(answer["value"]) - entry.value) < 1e-3 * entry.value
