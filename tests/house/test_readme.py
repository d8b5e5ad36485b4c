"""The README's Python code runs as it is, and its commands exist."""

import re
import shlex
from pathlib import Path

import pytest

from spcabench import api
from spcabench.cli import application as command_line
from spcabench.cli import options

README = (options.ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", README, re.S)
SHELL = re.findall(r"```sh\n(.*?)```", README, re.S)


def test_the_examples_of_the_readme_run(capsys):
    first, estimator = [block for block in PYTHON if "TRAITS" not in block]
    exec(compile(first, "README.md", "exec"), {})
    assert "(30, 3)" in capsys.readouterr().out
    exec(compile(estimator, "README.md", "exec"), {})
    assert "(569, 3)" in capsys.readouterr().out


def test_the_solver_of_the_readme_is_a_solver(tmp_path):
    (solver,) = [block for block in PYTHON if "TRAITS" in block]
    path = tmp_path / "mine.py"
    path.write_text(solver)
    result = api.solve(api.load("pitprops"), str(path), k=4)
    assert result.status == "converged" and result.cardinality == 4


@pytest.mark.parametrize("line", [line for block in SHELL for line in block.splitlines()])
def test_the_commands_of_the_readme_exist(line):
    program, *arguments = line.partition("#")[0].split()
    if program == "make":
        assert re.search(rf"^{arguments[0]}:", (options.ROOT / "Makefile").read_text(), re.M)
    elif program != "python":
        assert program == "spcabench"
        names = {
            command.name or command.callback.__name__.replace("_", "-")
            for command in command_line.app.registered_commands
        }
        assert arguments[0] in names


def test_the_lines_for_an_analyst_can_be_typed_in_an_empty_folder(here, capsys):
    (block,) = [block for block in SHELL if "wine.csv" in block]
    for line in block.splitlines():
        program, *arguments = shlex.split(line, comments=True)
        if program == "python":
            exec(compile(arguments[1], "README.md", "exec"), {})
        else:
            command_line.app(arguments, standalone_mode=False)
    capsys.readouterr()
    files = {"wine.csv", "loadings.png", "path.csv", "model.npz", "scores.csv", "wine_report.html"}
    assert {file.name for file in here.iterdir()} == files


def test_links_resolve():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert "://" in target or Path(options.ROOT, target).exists(), target
