"""A trial figure, a run of it, and a check of the pages that the run makes."""

import json
import re
from urllib.parse import unquote

import pandas as pd

from spcabench.page import draw
from spcabench.page.results_page import write_page
from spcabench.run import Run
from spcabench.running import rows, runner, worker
from spcabench.running.schema import COLUMNS, Answer, Row
from spcabench.solving.status import Status

NAME = "trial2013_fig1"
FIGURE = '''"""Trial figure.

A caption with <angles> & more.
"""
from spcabench.claims import PaperNumber, Place, Reading, Statement, above, at_most, exact
from spcabench.run import Run
PANELS, SIZE = (1, 1), (3, 2)
T1 = Statement(id="T1", where="section 1", quote="it <works> & more", kind="comparison",
    measures="cardinality", unit="nonzeros", rule=at_most(3), paper=[PaperNumber(3)],
    primary="as run", why="there is no other", changed="an older test",
    headline=dict(holds="The trial has {value}."))
@T1.measured
def _cardinality(data):
    yield Reading("as run", [Place("pitprops", exact(data.cardinality.max()))], data)
@T1.because
def _it_is_so(data, judged):
    return "It is a trial."
T2 = Statement(id="T2", where="section 2", quote="shapes only", kind="number", measures="n",
    unit="", rule=above(1), primary="as run", why="there is no other", any_data=True)
@T2.measured
def _shape(data):
    yield Reading("as run", [Place("pitprops", exact(data.n.max()))], data)
def runs(scale):
    yield Run(dataset="pitprops", solver="grqi", settings=dict(k=3))
def draw(data, axes):
    axes.flat[0].plot(data.cardinality, data.variance, "o")
'''


ASKED = Run(dataset="pitprops", solver="grqi", settings={"k": 3})
LABELS = dict(experiment=NAME, scale="quick", group="grqi", chain="0-0")


def row(**changes):
    """A row as a run of the trial figure gives it, made without one, with some columns changed."""
    answer = Answer(
        status=Status.CONVERGED,
        problem="pitprops",
        n=13,
        nnz=169,
        k=3,
        cardinality=3,
        variance=2.5,
        flops=100,
        setup_flops=13,
        solve_time=1e-3,
        setup_time=1e-4,
    )
    return Row(**vars(answer) | LABELS | ASKED.asked | runner.stamp() | changes)


def made_row(**changes):
    """The row that a run gives, with some columns changed."""
    return Row(**vars(worker.answered(ASKED)) | LABELS | ASKED.asked | runner.stamp() | changes)


def table(rows):
    """A table of rows with all columns of the schema, out of dicts of what a test needs."""
    frame = pd.DataFrame(rows)
    return frame.reindex(columns=[*COLUMNS, *(name for name in frame if name not in COLUMNS)])


def judged_run(folder, **changes):
    """Rows of one run and their verdicts; returns the folder of the figure."""
    file = folder / "rows" / NAME / "grqi.parquet"
    file.parent.mkdir(parents=True)
    rows.write([made_row(**changes)], file)
    out = folder / "figures" / NAME
    draw.judge_figure(NAME, "quick", [file], out / "claims.json")
    return out


def make_run(folder, **changes):
    """Rows of one run, their verdicts, then picture and pages; the verdicts and the page of all."""
    out = judged_run(folder, **changes)
    draw.draw_figure(NAME, [folder / "rows" / NAME / "grqi.parquet"], out)
    page = write_page(folder)
    assert not [p for p in folder.rglob(".*")]
    return json.loads((out / "claims.json").read_text()), page.with_name("claims.html").read_text()


def make_site(page):
    """Make, empty, the pages of a whole run to which the bar of a comparison's page leads."""
    for address in re.findall(r'href="(\.\./\.\./[^"]+)"', page.read_text()):
        (page.parent / address).parent.mkdir(parents=True, exist_ok=True)
        (page.parent / address).touch()


def check_links(file):
    """Every file and every anchor that a page names is there."""
    for link in re.findall(r'(?:href|src)="([^"]+)"', file.read_text()):
        target, _, anchor = link.partition("#")
        other = file.parent / unquote(target) if target else file
        if not link.startswith(("data:", "https:")):
            assert other.exists(), link
            place = anchor.partition("?")[0]  # what follows is a choice within it
            if other.suffix == ".py" and anchor:
                assert 0 < int(anchor.removeprefix("L")) <= len(other.read_text().splitlines())
            else:
                assert not anchor or f'id="{place}"' in other.read_text(), link
