"""A disturbed command, when repeated, ends with the rows of an undisturbed one, in any folder."""

import shutil
import sys
from pathlib import Path

import pytest

from spcabench.running import rows, workflow
from spcabench.running.journal import Journal
from tests import faults
from tests.problems import WHOLE
from tests.trial import row

# one process makes the copy, and takes these tests
whole = pytest.mark.xdist_group("faults")
ODD = "with space & 'quotes' \"ünïcode\" $HOME #1"
# what a step does, and what the terminal shows
BROKEN = {
    'raise ValueError("words of the job itself")': "ValueError: words of the job itself",
    "import os; os._exit(7)": f"draw {faults.NAME}: ended with exit code 7",
    "import os; os.kill(os.getpid(), 9)": f"draw {faults.NAME}: ended with SIGKILL",
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """Copy the repository and an environment into oddly named folders, and make a figure there."""
    folder = tmp_path_factory.mktemp("odd") / ODD
    environment = folder / "an environment"
    (environment / "bin").mkdir(parents=True)
    (environment / "lib").symlink_to(Path(sys.prefix) / "lib")
    shutil.copy(Path(sys.prefix) / "pyvenv.cfg", environment)
    (environment / "bin" / "python").symlink_to(Path(sys.executable).resolve())
    checkout = folder / "a checkout"
    checkout.mkdir()
    copy = faults.Workspace(checkout, environment / "bin" / "python")
    copy.seconds = copy.run()
    copy.expected = copy.rows()
    assert copy.expected[1]
    return copy


@WHOLE
@whole
@pytest.mark.parametrize("fault", faults.FAULTS)
def test_the_same_command_goes_on(workspace, fault):
    workspace.clear()
    faults.disturb(workspace, fault, 0.6 * workspace.seconds)
    assert workspace.rows() == workspace.expected


@WHOLE
@whole
@pytest.mark.parametrize("broken", BROKEN)
def test_what_a_failed_job_said_is_shown(workspace, broken):
    figure = workspace.folder / "spcabench" / "figures" / f"{faults.NAME}.py"
    source = figure.read_text()
    head = source[: source.index("def draw")]
    figure.write_text(f"{head}def draw(data, axes):\n    {broken}\n")
    try:
        process = workspace.start()
        _, message = process.communicate(timeout=faults.LONGEST)
    finally:
        figure.write_text(source)
    assert process.returncode != 0 and BROKEN[broken] in message
    assert "Snakefile" not in message and "RuleException" not in message


def test_rows_of_a_job_with_runs_that_were_not_run_are_made_again(tmp_path):
    home = tmp_path / "quick"
    complete, lacking = (home / "rows" / "trial" / f"{name}.parquet" for name in ("a", "b"))
    for file in (complete, lacking):
        file.parent.mkdir(parents=True, exist_ok=True)
        rows.write([row()], file)
    Journal(lacking, "abc").add("0", row())
    verdicts = home / "figures" / "trial" / "claims.json"
    verdicts.parent.mkdir(parents=True)
    verdicts.touch()
    workflow.remove_incomplete(home)
    assert complete.exists() and not lacking.exists() and not verdicts.exists()
