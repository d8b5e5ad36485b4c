"""Imports are deferred so the program starts quickly; no time is measured."""

import json
import subprocess
import sys

import pytest

NUMERICAL = {"numpy", "scipy", "pandas", "sklearn", "numba", "matplotlib", "joblib", "pyarrow"}
SLOW = {"numba", "pandas", "sklearn", "matplotlib", "joblib", "scipy.optimize", "scipy.special"}
RUN = "\ntry: runpy.run_module('spcabench', run_name='__main__')\nexcept SystemExit: pass\n"
# what the Snakefile asks for before it knows that there is nothing to do
PLAN = """
from spcabench import registry
from spcabench.running import workflow
from spcabench.running.fingerprint import drawing_fingerprint
from spcabench.running.jobs import jobs, key, shared
for figure in registry.names("figure"):
    shared(figure), drawing_fingerprint(figure)
    for job in jobs(figure, "quick"):
        key(figure, "quick", job)
"""
PRINT = "\nimport json, sys; print(); print(json.dumps([*sys.modules]))"


def _imported(code):
    """Return the modules loaded after some code has run in a new process."""
    completed = subprocess.run(
        [sys.executable, "-c", code + PRINT], capture_output=True, text=True, check=True
    )
    return set(json.loads(completed.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    ("code", "without"),
    [
        ("import spcabench; dir(spcabench)", NUMERICAL),
        ("from spcabench import Problem, Result, components, load, path, select, solve", SLOW),
        (PLAN, {"numba", "sklearn", "matplotlib", "joblib", "scipy.optimize", "scipy.stats"}),
    ],
    ids=["import", "functions", "workflow"],
)
def test_what_an_import_leaves_alone(code, without):
    assert not _imported(code) & without


def test_a_command_without_numbers_imports_nothing_numerical():
    assert (
        not _imported(f"import runpy, sys\nsys.argv = ['spcabench', 'list', 'solvers']{RUN}")
        & NUMERICAL
    )
