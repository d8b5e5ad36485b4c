"""A trial figure, a run of this figure, and a check of the pages generated from the run."""

import json
import re
import shutil
from hashlib import sha256
from urllib.parse import unquote

import pandas as pd

from spcabench import registry
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
from spcabench.claims import PaperNumber, above, at_most, claim, numbers
from spcabench.run import Run
PANELS, SIZE = (1, 1), (3, 2)
@claim("T1", "section 1", "it <works> & more", measures="cardinality", unit="nonzeros",
    rule=at_most(3), null=13, paper=[PaperNumber(3)],
    changed="an older test", because="It is a trial.")
def T1(data):
    return numbers(data, {"pitprops": data.cardinality.max()}, reading="as run")
@claim("T2", "section 2", "shapes only", kind="number", measures="n", unit="", rule=above(1),
    null=1, any_data=True)
def T2(data):
    return numbers(data, {"pitprops": data.n.max()}, reading="as run")
def runs(scale):
    yield Run(dataset="pitprops", solver="grqi", settings=dict(k=3))
def draw(data, axes):
    axes.flat[0].plot(data.cardinality, data.variance, "o")
'''


ASKED = Run(dataset="pitprops", solver="grqi", settings={"k": 3})
LABELS = dict(experiment=NAME, scale="quick", group="grqi", chain="0-0")


def row(**changes):
    """Return a row as a run of the trial figure would give it, with some columns changed."""
    answer = dict(status=Status.CONVERGED, problem="pitprops", n=13, nnz=169, k=3, cardinality=3)
    costs = dict(flops=100, setup_flops=13, solve_time=1e-3, setup_time=1e-4)
    answer = Answer(**answer, **costs, variance=2.5)
    return Row(**vars(answer) | LABELS | ASKED.asked | runner.stamp() | changes)


def made_row(**changes):
    """Run the trial figure and return its row with some columns changed."""
    return Row(**answered(ASKED) | LABELS | ASKED.asked | runner.stamp() | changes)


def answered(run):
    """Return the columns of the answer to a run that is executed in this process."""
    assert not worker.ready(run)
    return worker.solved(run) or worker.graded(run)


def table(rows):
    """Return dicts as a table of rows with all columns of the schema, and the names of rows."""
    frame = pd.DataFrame(rows)
    frame = frame.reindex(columns=[*COLUMNS, *(name for name in frame if name not in COLUMNS)])
    return frame.assign(row=frame.index.astype(str))


def change_columns(file, **changes):
    """Change columns of a file of rows: name -> a function of each value, or the new value."""
    stored = rows.read_table([file])
    for name, change in changes.items():
        values = [change(v) if callable(change) else change for v in stored[name].to_pylist()]
        stored = rows.replaced(stored, **{name: values})
    rows.write_table(stored, file)


def judged_run(folder, **changes):
    """Store rows of one run and their verdicts; return the folder of the figure."""
    file = folder / "rows" / NAME / "grqi.parquet"
    file.parent.mkdir(parents=True)
    rows.write([made_row(**changes)], file)
    out = folder / "figures" / NAME
    draw.judge_figure(NAME, "quick", [file], out / "claims.json")
    return out


def make_run(folder, **changes):
    """Store rows of one run, then judge, draw and write pages; return the verdicts and the claims
    page.

    Each run is made once in a process; it is copied if a test wants the same again.
    """
    key = repr((registry.path("figure", NAME).read_text(), changes))
    made = folder.parents[1] / "made" / sha256(key.encode()).hexdigest()
    if made.exists():
        shutil.copytree(made, folder, dirs_exist_ok=True)
    else:
        out = judged_run(folder, **changes)
        draw.draw_figure(NAME, [folder / "rows" / NAME / "grqi.parquet"], out)
        write_page(folder)
        assert not [p for p in folder.rglob(".*")]
        shutil.copytree(folder, made)
    verdicts = json.loads((folder / "figures" / NAME / "claims.json").read_text())
    return verdicts, (folder / "claims.html").read_text()


def make_site(page):
    """Create pages, with nothing but anchors, for the links in the bar of a comparison's page."""
    for link in re.findall(r'(?:href|src)="(\.\./\.\./[^"]+)', page.read_text()):
        address, _, anchor = link.partition("#")
        (page.parent / address).parent.mkdir(parents=True, exist_ok=True)
        with (page.parent / address).open("a") as file:
            file.write(f'<a id="{anchor}"></a>')


def check_links(file):
    """Assert that every file and anchor to which a page links exists."""
    for link in re.findall(r'(?:href|src)="([^"]+)"', file.read_text()):
        target, _, anchor = link.partition("#")
        other = file.parent / unquote(target) if target else file
        if not link.startswith(("data:", "https:")):
            assert other.exists(), link
            place = anchor.partition("?")[0]  # what follows is a choice within it
            if other.suffix == ".md":
                continue  # its headings get their anchors where it is rendered
            if other.suffix == ".py" and anchor:
                assert 0 < int(anchor.removeprefix("L")) <= len(other.read_text().splitlines())
            else:
                assert not anchor or f'id="{place}"' in other.read_text(), link
