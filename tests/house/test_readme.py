"""The README's Python code runs as it is, and its commands exist."""

import os
import re
import shlex
import subprocess
import sys

import numpy as np
import pytest

from spcabench import api
from spcabench.cli import application as command_line
from spcabench.cli import options
from tests.faults import copied
from tests.problems import WHOLE

README = (options.ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", README, re.S)
SHELL = re.findall(r"```sh\n(.*?)```", README, re.S)


def test_the_example_of_the_readme_runs(capsys):
    (example,) = [block for block in PYTHON if "TRAITS" not in block]
    exec(compile(example, "README.md", "exec"), {})
    assert "(569, 3)" in capsys.readouterr().out


def test_the_solver_of_the_readme_is_a_solver(tmp_path):
    (solver,) = [block for block in PYTHON if "TRAITS" in block]
    path = tmp_path / "mine.py"
    path.write_text(solver)
    result = api.solve(api.load("pitprops"), str(path), k=4)
    assert result.status == "converged" and result.cardinality == 4


@WHOLE
def test_the_lines_for_an_analyst_can_be_typed_in_an_empty_folder(here, capsys):
    (block,) = [block for block in SHELL if "wine.csv" in block]
    for line in block.splitlines():
        program, *arguments = shlex.split(line, comments=True)
        if program == "python":
            exec(compile(arguments[1], "README.md", "exec"), {})
        elif program == "spcabench":
            command_line.app(arguments, standalone_mode=False)
    capsys.readouterr()
    files = {"wine.csv", "loadings.png", "model.npz", "scores.csv", "wine_report.html"}
    assert {file.name for file in here.iterdir()} == files


# all in one process of the clone, because each would load the package again
TYPED = """
import shlex, sys
from spcabench.cli.application import main
for line in sys.argv[1:]:
    sys.argv = shlex.split(line, comments=True)
    try:
        main()
    except SystemExit as end:
        # verify has the exit code 1 if statements have changed since the published run
        assert not end.code or (sys.argv[1], end.code) == ("verify", 1), line
"""


@WHOLE
@pytest.mark.xdist_group("house")  # one process makes copies of the repository
def test_every_other_command_of_the_readme_can_be_typed_in_a_clone(tmp_path):
    folder = copied(tmp_path)
    (folder / "results").mkdir(exist_ok=True)
    (folder / "results" / "published").symlink_to(options.ROOT / "results" / "published")
    np.savetxt(folder / "loadings.csv", np.repeat([0.5, 0.0], [4, 9]))  # of the 13 pit props
    environment = os.environ | {"PYTHONPATH": str(folder), "BROWSER": "true"}
    blocks = [block for block in SHELL if "wine.csv" not in block]
    lines = re.findall("^spcabench .*", "\n".join(blocks), re.MULTILINE)
    run = subprocess.run([sys.executable, "-c", TYPED, *lines], cwd=folder, env=environment)
    assert run.returncode == 0 and (folder / "fig2.pdf").exists()
