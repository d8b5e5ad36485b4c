"""The workflow on a SLURM cluster of one node: ``make test TESTS=slurm``, if one can be started."""

import json
import re
import subprocess
import threading
from pathlib import Path

import pytest

from spcabench.running import rows, workflow
from spcabench.running.jobs import jobs
from tests.faults import DECIDED

ROOT = Path(__file__).parents[2]
CLUSTER = ROOT / "tests" / "slurm_cluster.sh"
FIGURE, CORES = "he2010_fig1", 4
ROWS = f"results/quick/rows/{FIGURE}/others.parquet"
HOME, LOG = f"results/quick/figures/{FIGURE}", "results/quick/workflow.log"
SUBMITTED = "submitted with SLURM jobid"
pytestmark = pytest.mark.slurm


@pytest.fixture(scope="module")
def cluster():
    """Start a cluster of one node with a given number of processors."""
    pytest.importorskip(
        "snakemake_executor_plugin_slurm",
        reason="plugin not installed: pip install '.[slurm]'",
    )
    completed = subprocess.run(
        [CLUSTER, "start", str(CORES)], capture_output=True, text=True, check=False
    )
    if completed.returncode == 77:
        pytest.skip(completed.stdout.strip())
    assert completed.returncode == 0, completed.stdout + completed.stderr
    yield
    subprocess.run([CLUSTER, "stop"], check=False)


@pytest.fixture(scope="module")
def profile(tmp_path_factory):
    """Return the SLURM profile with more frequent polling, since no other user waits."""
    text = (workflow.profile_folder("slurm") / "config.yaml").read_text(encoding="utf-8")
    often = re.sub(r"(slurm-init-seconds-before-status-checks): \d+", r"\1: 2", text)
    assert often != text
    folder = tmp_path_factory.mktemp("profile")
    (folder / "config.yaml").write_text(often, encoding="utf-8")
    return str(folder)


@pytest.fixture(scope="module")
def undisturbed(cluster, profile, tmp_path_factory):
    """Make a figure on the cluster; return its folder and the jobs seen running at each look."""
    folder, seen = tmp_path_factory.mktemp("undisturbed"), []
    assert made(f"{HOME}/claims.json", folder, profile, seen.append) == 0, said(folder)[-3000:]
    return folder, seen


def made(target, folder, profile, look):
    """Make a file in a folder and return the exit code; ``look`` gets the running jobs twice a
    second.
    """
    finished = threading.Event()
    watcher = threading.Thread(target=watch, args=(look, finished))
    watcher.start()
    try:
        return workflow.workflow([target], folder / LOG, 4, folder, profile)
    finally:
        finished.set()
        watcher.join()


def watch(look, done):
    """Report the jobs that run on the cluster: rule and wildcards, processors and id."""
    while not done.wait(0.5):
        completed = subprocess.run(
            ["squeue", "-h", "-t", "R", "-o", "%k|%C|%i"],
            capture_output=True,
            text=True,
            check=False,
        )
        look([tuple(line.split("|")) for line in completed.stdout.split()])


def said(folder):
    return (folder / LOG).read_text(encoding="utf-8")


def test_a_figure_is_made_through_sbatch_and_what_is_timed_runs_alone(undisturbed, profile):
    folder, seen = undisturbed
    assert (folder / HOME / "figure.svg").exists()
    assert json.loads((folder / HOME / "claims.json").read_text())
    assert said(folder).count(SUBMITTED) == len(jobs(FIGURE, "quick")) + 1
    timed = [running for running in seen if any("timed" in comment for comment, *_ in running)]
    assert timed and all(len(running) == 1 and running[0][1] == str(CORES) for running in timed)
    assert made(f"{HOME}/claims.json", folder, profile, seen.append) == 0
    assert SUBMITTED not in said(folder)


def test_what_is_cancelled_and_what_a_node_takes_along_is_submitted_again(
    undisturbed, profile, tmp_path
):
    disturbed = []

    def disturb(running):
        """Cancel the job once it has made a row, and crash the node under its successor."""
        new = [job for *_, job in running if job not in disturbed]
        if not new or len(disturbed) == 2 or not any(tmp_path.rglob("*.journal")):
            return
        fault = ["scancel", new[0]] if not disturbed else [CLUSTER, "crash"]
        subprocess.run(fault, check=True)
        disturbed.append(new[0])

    assert made(ROWS, tmp_path, profile, disturb) == 0, said(tmp_path)[-3000:]
    assert len(disturbed) == 2
    assert said(tmp_path).count(SUBMITTED) == 1 + len(disturbed)
    one, other = (rows.read_table([f / ROWS], DECIDED) for f in (tmp_path, undisturbed[0]))
    assert one == other and len(one)
