"""Imports are deferred so the program starts quickly; no time is measured."""

import json
import subprocess
import sys

import pytest

NUMERICAL = {"numpy", "scipy", "pandas", "sklearn", "numba", "matplotlib", "joblib", "pyarrow"}
SLOW = {"numba", "pandas", "sklearn", "matplotlib", "joblib", "scipy.optimize", "scipy.special"}
COMMAND = """
import runpy, sys
sys.argv = ["spcabench", "list", "solvers"]
try: runpy.run_module("spcabench", run_name="__main__")
except SystemExit: pass
"""
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


@pytest.mark.parametrize(
    ("code", "without"),
    [
        ("import spcabench; dir(spcabench)" + COMMAND, NUMERICAL),
        ("from spcabench import Problem, Result, components, load, path, select, solve", SLOW),
        (PLAN, {"numba", "sklearn", "matplotlib", "joblib", "scipy.optimize", "scipy.stats"}),
    ],
    ids=["import and a command without numbers", "functions", "workflow"],
)
def test_what_an_import_leaves_alone(code, without):
    completed = subprocess.run(
        [sys.executable, "-c", code + PRINT], capture_output=True, text=True, check=True
    )
    imported = {*json.loads(completed.stdout.splitlines()[-1])}
    assert "spcabench" in imported and not imported & without
