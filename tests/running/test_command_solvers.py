"""Solvers in any language: programs are graded like solvers, and faults give one sentence."""

import shlex
import shutil
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from spcabench import api
from spcabench.cli import options
from spcabench.errors import InputError
from spcabench.run import Run
from spcabench.running import command
from spcabench.solving.run_warnings import Flag
from spcabench.vectors import project
from tests.answers import row_of
from tests.problems import some

HONEST = """
    import sys
    import numpy as np
    S, k, out = np.load(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    x = np.zeros(len(S))
    W = np.argsort(-S.diagonal(), kind="stable")[:k]
    x[W] = np.linalg.eigh(S[np.ix_(W, W)])[1][:, -1]
"""
WRITES = "    np.savetxt(out, {})\n"
WRONG = {  # body -> the reason why it has no answer
    "    raise ValueError('no luck')\n": "exit code 1: ValueError: no luck",
    "    import os; os.kill(os.getpid(), 11)\n": "signal SIGSEGV",
    WRITES.format("x[1:]"): "{out} contains 12 numbers; it must contain n = 13",
    "    open(out, 'w').write('one two')\n": "not a vector of numbers: could not",
    "    pass\n": "the command succeeded but did not write {out}",
}
ONLY_LARGE = "    if len(S) == 2:\n        np.savetxt(out, x); sys.exit()\n"


@pytest.fixture
def file_of(here):
    """Return a function that writes a Python program and the solver file that calls it."""

    def write(body, words="{covariance} {k} {out}"):
        (here / "program.py").write_text(textwrap.dedent(HONEST + body))
        file = here / "mine.py"
        typed = f"{shlex.quote(sys.executable)} program.py {words}"
        file.write_text(command.text_of(typed, here))
        return str(file)

    return write


def answered(file, seconds=20.0, limit=2.0):
    """Return the row that a comparison computes for a solver file on one problem."""
    settings, kept = dict(k=3, time_limit=limit), dict(memory=True, vectors=True)
    task = Run(dataset="pitprops", solver=file, settings=settings, timeout=seconds, **kept)
    return row_of(task)


def test_a_program_is_graded_like_any_other_solver(file_of):
    answer = answered(file_of(WRITES.format("x")), seconds=120.0, limit=60.0)  # it starts Python
    assert answer.status == "finished", answer.reason
    assert answer.cardinality == 3
    assert answer.variance <= answer.variance_refit <= answer.bound
    assert answer.flops is None
    assert not answer.own
    assert answer.setup_time == 0.0
    assert answer.solve_time == answer.extra["process_seconds"] > 0.0
    assert answer.peak_memory > 1e6 and answer.memory_before == 0.0  # of another process


@pytest.mark.parametrize("body", some(2, [*WRONG]))
def test_a_wrong_program_gets_one_sentence(file_of, body):
    answer = answered(file_of(ONLY_LARGE + body))
    assert answer.status == "error" and WRONG[body] in answer.reason
    assert len(answer.reason.splitlines()) == 1
    assert "spcabench.vectors" not in answer.reason  # advice for a solver in Python


@pytest.mark.parametrize(("seconds", "flagged"), [(0.9, False), (1.8, True)])
def test_a_command_that_uses_several_processors_is_flagged(seconds, flagged):
    result = api.solve(api.load("pitprops"), "grqi", k=3)
    extra = {"process_seconds": 1.0, "process_cpu_seconds": seconds}
    measured = command.measured(replace(result, extra=extra)).cost
    assert (Flag.threads in measured.flags) == flagged
    assert (measured.solve_time, measured.cpu_time) == (1.0, seconds)


@pytest.mark.parametrize(
    ("kind", "read"),
    [("npy", "np.load(sys.argv[1])"), ("csv", "np.loadtxt(sys.argv[1], delimiter=',')")],
)
def test_every_format_holds_the_matrix_to_its_last_digit(here, kind, read):
    program = f"import sys\nimport numpy as np\nA = {read}\nx = np.eye(A.shape[1])[0]\n"
    program += "np.save('seen.npy', A)\nwith open(sys.argv[3], 'wb') as out: np.save(out, x)\n"
    (here / "any.py").write_text(program)
    command_line = f"{shlex.quote(sys.executable)} any.py {{data:{kind}}} {{k}} {{out:npy}}"
    problem = api.load("gaussian", m=7, n=5)
    x, _ = command._answer(problem, 1, command_line, str(here))
    assert x.tolist() == [1, 0, 0, 0, 0]
    assert np.array_equal(np.load("seen.npy"), problem.data.dense())


REFUSED = {
    "cat {data} {k} {out:txt}": "{out:txt}: unknown format; choose npy or csv",
    "cat {data} {covariance} {k} {out}": "it must contain",
    "cat {data} {out}": "it must contain",
    "cat {data} {k}": "it must contain",
    "no_such_program {data} {k} {out}": "program 'no_such_program' not found",
    "cat '{data} {k} {out}": "No closing quotation",
}


def test_a_wrong_command_is_one_line(tmp_path):
    for arguments, sentence in REFUSED.items():
        with pytest.raises(InputError, match=sentence) as error:
            command.text_of(arguments, tmp_path)
        assert "\n" not in str(error.value)


def test_a_changed_program_is_run_again(file_of):
    first = Path(file_of("    pass\n")).read_text()
    assert Path(file_of("    pass\n")).read_text() == first
    assert Path(file_of("    x = 1\n")).read_text() != first


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_the_example_in_c_is_the_truncated_power_method(tmp_path):
    source = options.ROOT / "examples" / "tpower.c"
    words = ["gcc", "-O2", "-Wall", "-Werror", "-o", tmp_path / "tpower", source, "-lm"]
    subprocess.run(words, check=True)
    for dataset, k in (("pitprops", 6), ("blocks", 10)):
        problem = api.load_or_stand_in(dataset)
        program = "./tpower {covariance:csv} {k} {out}"
        (iterate,) = command.iterates(problem, k, program, str(tmp_path))
        x = iterate.x
        assert np.count_nonzero(x) == k
        assert np.allclose(project(problem.covariance @ x, k), x, atol=1e-5)  # a fixed point
        assert problem.variance(x) >= 0.95 * api.solve(problem, "tpower", k=k).variance
