"""The workflow's plan and its locks."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, wait

import pytest

from spcabench import registry
from spcabench.cli import options
from spcabench.errors import InputError
from spcabench.running import workflow
from spcabench.running.jobs import jobs
from tests.problems import WHOLE
from tests.system_processes import below, gone, is_free


@pytest.mark.parametrize(
    ("target", "figures"),
    [
        ("figures/he2010_fig1/claims.json", ["he2010_fig1"]),
        pytest.param("index.html", registry.names("figure"), marks=WHOLE),
    ],
)
def test_the_plan_holds_every_figure_and_every_job_that_is_a_step(target, figures):
    words = "-m snakemake --dry-run --forceall --nolock --cores 1 --quiet host --"
    command = [sys.executable, *words.split(), f"results/paper/{target}"]
    plan = subprocess.run(command, cwd=options.ROOT, capture_output=True, text=True, check=True)
    for figure in figures:
        assert f"results/paper/figures/{figure}/claims.json" in plan.stdout
        for job in jobs(figure, "paper"):
            assert f"results/paper/rows/{figure}/{job}.parquet" in plan.stdout


def test_a_profile_is_one_of_ours_or_a_folder_of_one_s_own(here):
    (here / "mine").mkdir()
    for wrong in ("slurn", "mine", ".."):
        with pytest.raises(InputError, match=r"--profile: .*; choose from default, slurm"):
            workflow.profile_folder(wrong)
    (here / "mine" / "config.yaml").touch()
    assert workflow.profile_folder("mine") == here / "mine"


def test_an_installation_without_snakemake_is_told_which_extra_has_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "snakemake", None)
    with pytest.raises(InputError, match=r"snakemake is not installed; .*\[bench\]"):
        workflow.workflow(["done"], tmp_path / "log", 1, tmp_path)


def test_a_second_workflow_waits_for_the_first(tmp_path, capsys):
    path = tmp_path / "lock"
    with ThreadPoolExecutor() as pool:
        with workflow._exclusive(path):
            second = pool.submit(lambda: workflow._exclusive(path).__enter__().close())
            assert not wait([second], 0.3).done
        second.result(5)
    assert "waiting for another command to finish" in capsys.readouterr().err


SNAKEFILE = """rule all:
    output: "done"
    shell: "sleep 600 > /dev/null 2>&1 & echo $! > pid; sleep 600"
"""


def test_an_interrupted_command_takes_its_workflow_along(tmp_path, monkeypatch, capsys):
    """Snakemake, a shell of it, and what the shell runs."""
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    file, started = tmp_path / "pid", set()

    def interrupted(seconds):
        started.update(below())
        if file.exists() and file.read_text().strip():
            raise KeyboardInterrupt
        time.sleep(0.05)

    monkeypatch.setattr(workflow, "sleep", interrupted)
    log = tmp_path / "results" / "quick" / "workflow.log"
    with pytest.raises(KeyboardInterrupt):
        workflow.workflow(["done"], log, 1, tmp_path, snakefile=tmp_path / "Snakefile")
    assert len(started) >= 4  # with the guard
    assert gone([*started, int(file.read_text())])
    assert is_free(tmp_path / workflow.LOCK)
    assert "repeat the command" in capsys.readouterr().err


LOG = """total         2

localrule draw:
    jobid: 5
    wildcards: scale=quick, figure=one_fig1
"""
ENDED = "Finished jobid: 5 (Rule: draw)\n1 of 2 steps (50%) done\n"


def test_progress_counts_steps_and_names_those_at_work():
    assert workflow.state("") == "looking for what is missing"
    assert workflow.state(LOG) == "0 of 2 steps; in progress: one_fig1"
    assert workflow.state(LOG + ENDED) == "1 of 2 steps"


MESSAGES = """Traceback (most recent call last):
  File "x.py", line 1, in <module>
    call()
strange.Trouble: the sea is rough
Error in rule draw:
spcabench: warning: two checkouts are mixed
spcabench: plan.json: no such file
Command 'set -euo pipefail;  python -m spcabench draw one_fig1' returned non-zero exit status 137.
Command 'set -euo pipefail;  python -m spcabench draw two_fig1' returned non-zero exit status 2.
Command 'set -euo pipefail;  python -m spcabench run a/b.parquet' died with <Signals.SIGKILL: 9>.
"""


def test_what_a_failed_job_said_comes_first(tmp_path, capsys):
    log = tmp_path / "workflow.log"
    log.write_text("Error in rule run:\n" * 30 + MESSAGES)
    workflow._explain(log)
    messages = capsys.readouterr().err.splitlines()
    last = ["strange.Trouble: the sea is rough", "spcabench: plan.json: no such file"]
    ended = ["draw one_fig1: ended with exit code 137", "run a/b.parquet: ended with SIGKILL"]
    assert messages[:-1] == [*last, *(f"spcabench: {each}" for each in ended)]
    log.write_text("all is well\nan Error of unknown form\n")
    workflow._explain(log)
    assert capsys.readouterr().err.splitlines()[:-1] == ["an Error of unknown form"]
