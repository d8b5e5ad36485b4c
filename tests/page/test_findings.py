"""The numbers of the article on what was found, and the published values beside proven optima."""

import numpy as np
import pandas as pd

from spcabench.comparison import best_known
from spcabench.comparison.suite import SUITES
from spcabench.page import certified_page, findings


def test_the_best_within_a_budget_is_the_best_of_those_in_time():
    part = pd.DataFrame(
        {
            "solver": ["slow", "quick", "lucky", "slow", "quick", "lucky"],
            "share": [1.0, 0.9, 1.0, 1.0, 0.9, np.nan],
            "time": [0.5, 1e-4, 1e-4, 0.5, 2e-4, np.nan],
        }
    )
    assert findings._best_within(part, 1e-5) == "none"
    assert findings._best_within(part, 1e-2) == "quick 90.0 % (90.0 to 90.0)"
    assert findings._best_within(part, 1.0) == "slow 100.0 % (100.0 to 100.0)"


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
