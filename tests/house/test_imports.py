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
PRINT = "\nimport json, sys; print(); print(json.dumps([*sys.modules]))"


@pytest.mark.parametrize(
    ("code", "without"),
    [
        ("import spcabench; dir(spcabench)" + COMMAND, NUMERICAL),
        ("from spcabench import Problem, Result, components, load, path, select, solve", SLOW),
    ],
    ids=["import and a command without numbers", "functions"],
)
def test_what_an_import_leaves_alone(code, without):
    completed = subprocess.run(
        [sys.executable, "-c", code + PRINT], capture_output=True, text=True, check=True
    )
    imported = {*json.loads(completed.stdout.splitlines()[-1])}
    assert "spcabench" in imported and not imported & without
