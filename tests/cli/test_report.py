"""`spcabench report` writes a page about a user's own data that agrees with `solve`."""

import re
import shlex
from html import unescape

import numpy as np
import pandas as pd
import pytest

NAMES = ["<b>a</b> & 'b'", *(f"v{j}" for j in range(1, 10)), "same"]


@pytest.fixture
def table(here):
    """Write samples of eleven variables: three correlated, one constant, one with a missing
    value.
    """
    X = np.random.default_rng(0).standard_normal((40, 11))
    X[:, :3] += 3.0 * np.random.default_rng(1).standard_normal((40, 1))
    X[:, 10], X[3, 4] = 1.0, np.nan
    frame = pd.DataFrame(X, columns=NAMES)
    frame.insert(0, "town", np.where(X[:, 0] > 0, "Ghent", "Oulu"))
    frame.to_csv(here / "t.csv", index=False)
    return "t.csv"


def commands(page):
    """Return the commands on a page, each as a list of words."""
    blocks = re.findall("<pre>(.*?)</pre>", page, re.DOTALL)
    return [shlex.split(unescape(line)) for block in blocks for line in block.splitlines()]


def test_the_page_is_one_file_that_says_what_was_read_and_found(table, tmp_path, spcabench):
    typed = ("report", table, "--label", "town", "--missing", "mean", "-k", "auto")
    assert spcabench(*typed).stdout.strip() == "t_report.html"
    page = (tmp_path / "t_report.html").read_text()
    assert not re.search(r"""(src|href)=["'](?!#|data:)|url\((?!#)|@import""", page)
    assert "missing values: 1" in page and "columns are constant" in page
    assert "<b>a</b>" not in page and "&lt;b&gt;a&lt;/b&gt; &amp;" in page
    assert all(word in page for word in ("99 tables", "certified bound", "random halves", "Oulu"))
    again, loadings, model, scores = commands(page)
    assert again == ["spcabench", *typed[:2], *again[3:]] and "mean" in again
    for command in (loadings, model, scores):
        assert spcabench(*command[1:]).returncode == 0
    answer = pd.read_csv("loadings.csv", index_col="variable").iloc[:, :2]
    rows = re.findall(r'<th scope="row">(?!Comp)(.*?)(?:<|$)', page)
    assert {unescape(name) for name in rows} == set(answer.index[(answer != 0).any(axis=1)])
