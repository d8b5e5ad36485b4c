"""The workflow on a SLURM cluster of one node: ``pytest -m slurm``; skipped, with the reason, where
none can run.
"""

import json
import subprocess
import threading
from pathlib import Path

import pytest

from spcabench.running import workflow
from spcabench.running.grid import jobs

ROOT = Path(__file__).parents[1]
CLUSTER = ROOT / "tests" / "slurm_cluster.sh"
FIGURE, CORES = "kuleshov2013_table1", 4
pytestmark = pytest.mark.slurm


@pytest.fixture(scope="module")
def cluster():
    """One node, whose processors are as many as SLURM is told."""
    pytest.importorskip(
        "snakemake_executor_plugin_slurm",
        reason="plugin not installed: pip install 'spcabench[slurm]'",
    )
    found = subprocess.run(
        [CLUSTER, "start", str(CORES)], capture_output=True, text=True, check=False
    )
    if found.returncode == 77:
        pytest.skip(found.stdout.strip())
    assert found.returncode == 0, found.stdout + found.stderr
    yield
    subprocess.run([CLUSTER, "stop"], check=False)


def watch(seen, done):
    """What runs on the cluster, every half second: comments (rule and wildcards) by job, and
    processors.
    """
    while not done.wait(0.5):
        found = subprocess.run(
            ["squeue", "-h", "-t", "R", "-o", "%k|%C"], capture_output=True, text=True, check=False
        )
        seen.append([tuple(line.split("|")) for line in found.stdout.split()])


def test_a_figure_is_made_through_sbatch_and_what_is_timed_runs_alone(cluster, tmp_path):
    seen, done, home = [], threading.Event(), f"results/quick/figures/{FIGURE}"
    watcher = threading.Thread(target=watch, args=(seen, done))
    log = tmp_path / "results" / "quick" / "workflow.log"
    watcher.start()
    try:
        code = workflow.workflow([f"{home}/claims.json"], log, 4, tmp_path, "slurm")
    finally:
        done.set()
        watcher.join()
    said = log.read_text()
    assert code == 0, said[-3000:]
    assert (tmp_path / home / "figure.svg").exists() and json.loads(
        (tmp_path / home / "claims.json").read_text()
    )
    assert said.count("submitted with SLURM jobid") == len(jobs(FIGURE, "quick")) + 1
    timed = [running for running in seen if any("timed" in comment for comment, _ in running)]
    assert timed and all(len(running) == 1 and running[0][1] == str(CORES) for running in timed)
    assert workflow.workflow([f"{home}/claims.json"], log, 4, tmp_path, "slurm") == 0
    assert "submitted" not in log.read_text()
