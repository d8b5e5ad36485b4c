"""A trial figure, a run of it, and a check of the pages that the run makes."""

import json
import re

import pandas as pd

from spcabench.page import draw
from spcabench.page.results_page import write_page
from spcabench.running import job, worker
from spcabench.running.task import Task

NAME = "trial2013_fig1"
FIGURE = '''"""Trial figure.

A caption with <angles> & more.
"""
from spcabench.claims import Statement, decided
from spcabench.run import Run
PANELS, SIZE = (1, 1), (3, 2)
T1 = Statement("T1", "it <works> & more", "section 1", "cardinality", "at most 3", earlier=(
    dict(verdict="fails", measured="4", reason="an older test"),))
T2 = Statement("T2", "shapes only", "section 2", "n", "above 1", any_data=True)
def runs(scale):
    yield Run(dataset="pitprops", solver="grqi", settings=dict(k=3))
def draw(data, axes):
    axes.flat[0].plot(data.cardinality, data.variance, "o")
def claims(data):
    holds = bool((data.cardinality <= 3).all())
    yield T1.judged(decided(holds), f"{data.cardinality.max()} of {len(data)}")
    yield T2.judged("holds", "13")
'''


def make_run(folder, **changes):
    """Rows of one run, then picture, verdicts and page."""
    task = Task(dataset="pitprops", solver="grqi", settings={"k": 3})
    labels = dict(
        dataset="pitprops", parameters="{}", solver="grqi", settings='{"k": 3}', seed=0, repeat=0
    )
    row = worker.row(task) | labels | changes
    rows = folder / "rows" / NAME / "grqi.parquet"
    rows.parent.mkdir(parents=True)
    job.write_parquet(pd.DataFrame([row]).assign(**job.stamp()), rows)
    out = folder / "figures" / NAME
    draw.draw_figure(NAME, [rows], out)
    draw.judge_figure(NAME, "quick", [rows], out / "claims.json")
    page = write_page(folder)
    assert not [p for p in folder.rglob(".*")]
    return json.loads((out / "claims.json").read_text()), page.read_text()


def check_links(file):
    """Every file and every anchor that a page names is there."""
    for link in re.findall(r'(?:href|src)="([^"]+)"', file.read_text()):
        target, _, anchor = link.partition("#")
        other = file.parent / target if target else file
        if not link.startswith(("data:", "https:")):
            assert other.exists(), link
            assert not anchor or f'id="{anchor}"' in other.read_text(), link
