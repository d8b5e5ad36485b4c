"""Paths of the checkout and the environment may have spaces, quotes and non-ASCII letters."""

import shutil
import sys
from pathlib import Path

import pytest

from tests import faults
from tests.problems import WHOLE

pytestmark = [pytest.mark.xdist_group("odd paths"), WHOLE]
ODD = "with space & 'quotes' \"ünïcode\" $HOME #1"
# what a step does, and what the terminal shows
BROKEN = {
    'raise ValueError("words of the job itself")': "ValueError: words of the job itself",
    "import os; os._exit(7)": f"draw {faults.NAME}: ended with exit code 7",
    "import os; os.kill(os.getpid(), 9)": f"draw {faults.NAME}: ended with SIGKILL",
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """Copy the repository into an oddly named folder, with an environment in another one."""
    folder = tmp_path_factory.mktemp("odd") / ODD
    environment = folder / "an environment"
    (environment / "bin").mkdir(parents=True)
    (environment / "lib").symlink_to(Path(sys.prefix) / "lib")
    shutil.copy(Path(sys.prefix) / "pyvenv.cfg", environment)
    (environment / "bin" / "python").symlink_to(Path(sys.executable).resolve())
    checkout = folder / "a checkout"
    checkout.mkdir()
    return faults.Workspace(checkout, environment / "bin" / "python")


@pytest.mark.parametrize("command", faults.COMMANDS)
def test_every_workflow_ends_well(workspace, command):
    workspace.run(command)
    assert len(workspace.rows()[1]) > 0
    workspace.clear()


@pytest.mark.parametrize("broken", BROKEN)
def test_what_a_failed_job_said_is_shown(workspace, broken):
    figure = workspace.folder / "spcabench" / "figures" / f"{faults.NAME}.py"
    source = figure.read_text()
    head = source[: source.index("def draw")]
    figure.write_text(f"{head}def draw(data, axes):\n    {broken}\n")
    try:
        process = workspace.start("figure")
        _, message = process.communicate(timeout=faults.LONGEST)
    finally:
        figure.write_text(source)
    assert process.returncode != 0 and BROKEN[broken] in message
    assert "Snakefile" not in message and "RuleException" not in message
