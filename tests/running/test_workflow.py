"""The workflow's plan and its locks."""

import signal
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
from tests.problems import some
from tests.system_processes import below, gone, is_free


@pytest.mark.parametrize("scale", some(1, ["paper", "quick"]))
def test_the_plan_holds_every_figure_and_every_job_that_is_a_step(scale):
    words = "-m snakemake --dry-run --forceall --nolock --cores 1 --quiet host"
    command = [sys.executable, *words.split(), "--", f"results/{scale}/index.html"]
    completed = subprocess.run(
        command, cwd=options.ROOT, capture_output=True, text=True, check=True
    ).stdout
    for figure in registry.names("figure"):
        assert f"results/{scale}/figures/{figure}/claims.json" in completed
        for job in jobs(figure, scale) if scale == "paper" else ():
            assert f"results/{scale}/rows/{figure}/{job}.parquet" in completed


def test_a_profile_is_one_of_ours_or_a_folder_of_one_s_own(here):
    (here / "mine").mkdir()
    for wrong in ("slurn", "mine", ".."):
        with pytest.raises(InputError, match=r"--profile: .*; choose from default, slurm"):
            workflow.profile_folder(wrong)
    (here / "mine" / "config.yaml").touch()
    assert workflow.profile_folder("mine") == here / "mine"


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
COMMAND = """
from pathlib import Path
from spcabench.cli import application
from spcabench.running import workflow
application._raise_on_termination()
folder = Path.cwd()
log = folder / "results" / "quick" / "workflow.log"
workflow.workflow(["done"], log, 1, folder, snakefile=folder / "Snakefile")
"""


@pytest.mark.parametrize("number", some(1, [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
def test_a_command_that_ends_takes_its_workflow_along(tmp_path, number):
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as command:
        end = time.monotonic() + 60
        file = tmp_path / "pid"
        while not (file.exists() and file.read_text().strip()):
            assert time.monotonic() < end and command.poll() is None
            time.sleep(0.05)
        started = below(command.pid)
        assert len(started) >= 4  # the guard, Snakemake, a shell, and what the shell runs
        command.send_signal(number)
        command.wait(20)
        message = command.stderr.read()
    assert gone([*started, int(file.read_text())])
    assert is_free(tmp_path / workflow.LOCK)
    assert number == signal.SIGKILL or "repeat the command" in message


LOG = """Job stats:
job       count
------  -------
draw          1
report        1
total         2

localrule draw:
    output: results/quick/figures/one_fig1/figure.svg
    jobid: 5
    wildcards: scale=quick, figure=one_fig1
"""
ENDED = "Finished jobid: 5 (Rule: draw)\n1 of 2 steps (50%) done\n"


def test_progress_counts_steps_and_names_those_at_work():
    assert workflow.state("") == "looking for what is missing"
    assert workflow.state(LOG) == "0 of 2 steps; in progress: one_fig1"
    assert workflow.state(LOG + ENDED) == "1 of 2 steps"


MESSAGES = """Building DAG of jobs...
Traceback (most recent call last):
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
    assert "warning" not in "".join(messages)
    assert messages[-1].endswith(str(log))
