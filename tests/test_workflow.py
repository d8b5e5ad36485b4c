"""The workflow's plan and its locks."""

import fcntl
import os
import subprocess
import sys
import threading

import pytest
import yaml

from spcabench import registry
from spcabench.cli import figures, options
from spcabench.errors import InputError
from spcabench.running import workflow
from spcabench.running.grid import groups


def test_the_plan_holds_every_job_of_every_figure(tmp_path):
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--dry-run",
        "--forceall",
        "--nolock",
        "--cores",
        "1",
    ]
    command += ["--config", "scale=quick", "--quiet", "host", "--", "results/quick/index.html"]
    found = subprocess.run(
        command, cwd=options.ROOT, capture_output=True, text=True, check=True
    ).stdout
    for figure in registry.names("figure"):
        assert f"results/quick/figures/{figure}/claims.json" in found
        for group in groups(figure, "quick"):
            assert f"results/quick/rows/{figure}/{group}.parquet" in found


def test_a_second_workflow_waits_for_the_first(tmp_path, capsys):
    path = tmp_path / "lock"
    entered = threading.Event()

    def second():
        with workflow._exclusive(path):
            entered.set()

    with path.open("w") as first:
        first.write(f"{os.getpid()} 1")
        first.flush()
        fcntl.flock(first, fcntl.LOCK_EX)
        thread = threading.Thread(target=second)
        thread.start()
        assert not entered.wait(0.3)
    thread.join(5)
    assert entered.is_set()
    assert f"waiting for process {os.getpid()} to end" in capsys.readouterr().err


@pytest.mark.parametrize("code", [0, 3])
def test_a_failed_workflow_says_why_and_gives_its_code(tmp_path, monkeypatch, capsys, code):
    (tmp_path / "Snakefile").write_text(
        'rule all:\n    output: "done"\n    shell: "echo some Error: of mine >&2; touch done; '
        f'exit {code}"\n'
    )
    log = tmp_path / "results" / "quick" / "workflow.log"
    assert (workflow.workflow(["done"], log, 1, tmp_path) != 0) == (code != 0)
    assert ("of mine" in capsys.readouterr().err) == (code != 0)
    assert log.exists()


def test_a_cluster_s_profile_names_rules_that_there_are():
    text = (options.ROOT / "Snakefile").read_text(encoding="utf-8")
    rules = {line.split()[1].rstrip(":") for line in text.splitlines() if line.startswith("rule ")}
    profile = yaml.safe_load(
        (options.ROOT / "profiles" / "slurm" / "config.yaml").read_text(encoding="utf-8")
    )
    assert {*profile["set-resources"], *profile["groups"]} <= rules
    assert set(profile["group-components"]) == set(profile["groups"].values())
    assert all({"mem_mb", "runtime"} <= set(of) for of in profile["set-resources"].values())
    with pytest.raises(InputError, match="--profile: 'slurn'; allowed are default, slurm"):
        figures.make_figures([], profile="slurn")
