"""The command line, used as a user would."""

import ctypes
import json
import os
import re
import subprocess
import sys
import time
from importlib.metadata import version

import numpy as np
import pytest
import typer

from spcabench import flops
from spcabench.cli import application as command_line
from spcabench.cli import files, options, solvers, terminal
from spcabench.comparison.suite import SETTINGS, SUITES
from spcabench.readers import user_file
from spcabench.solving.deflate import DEFLATIONS

KINDS = [("solvers", "grqi"), ("datasets", "pitprops"), ("figures", "kuleshov2013_fig2")]
COMMANDS = typer.main.get_command(command_line.app).commands


@pytest.mark.parametrize(("kind", "name"), KINDS)
def test_a_list_names_and_describes_everything_as_text_and_as_json(spcabench, kind, name):
    plain, as_json = spcabench("list", kind), spcabench("list", kind, "--json")
    assert plain.returncode == as_json.returncode == 0
    descriptions = json.loads(as_json.stdout)
    assert name in descriptions and all(descriptions.values())
    lines = plain.stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(descriptions)


@pytest.mark.parametrize(("kind", "name"), KINDS)
@pytest.mark.parametrize("columns", [60, 80, 120])
def test_lists_fit_into_the_terminal(kind, name, columns, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(columns))
    solvers.list_names(solvers.Kind(kind))
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= columns
    starts = {re.match(r"\S+ +", line).end() for line in lines}
    assert len(starts) == 1  # a column of names, and one of words
    arguments = dict(line.split(maxsplit=1) for line in lines)
    assert len(arguments[name].removesuffix(" ...")) >= 20


def test_every_command_begins_with_one_short_sentence():
    for name, command in COMMANDS.items():
        first = command.help.partition("\n\n")[0]
        assert "\n" not in first and len(first) <= 80, name
        assert re.fullmatch(r"[A-Z][^;]*\.", first), name


def test_every_option_and_argument_has_a_sentence():
    wrong = [
        f"{name} {parameter.name}: {parameter.help}"
        for name, command in COMMANDS.items()
        for parameter in command.params
        if not re.fullmatch(r"[A-Z].*\.", parameter.help or "")
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("command", "option", "allowed"),
    [
        ("solve", "source", user_file.READERS),
        ("solve", "deflation", [*DEFLATIONS, "joint"]),
        ("solve", "missing", user_file.MISSING),
        ("solve", "out", files.TABLES),
        ("solve", "plot", files.PICTURES),
        ("figure", "out", files.PICTURES),
        ("compare", "suite", SUITES),
        ("compare", "settings", SETTINGS),
    ],
)
def test_help_names_what_is_allowed(command, option, allowed):
    (parameter,) = [p for p in COMMANDS[command].params if p.name == option]
    for word in allowed:
        assert re.search(rf"{re.escape(word)}\b", parameter.help), parameter.help


def test_the_workflow_calls_commands_that_there_are():
    text = (options.ROOT / "Snakefile").read_text(encoding="utf-8")
    assert set(re.findall(r"\{PYTHON\} ([a-z-]+)", text)) <= set(COMMANDS)


def test_solve_as_table_and_as_json(spcabench):
    arguments = ("solve", "pitprops", "--solver", "grqi", "-k", "4", "--components", "2")
    table, as_json = spcabench(*arguments), spcabench(*arguments, "--json")
    assert table.returncode == as_json.returncode == 0
    assert "topdiam" in table.stdout and "certified bounds" in table.stdout
    first, second = json.loads(as_json.stdout)["components"]
    assert all(name in table.stdout for name in first["features"] + second["features"])
    assert first["cardinality"] == second["cardinality"] == 4
    assert first["variance"] <= first["bound"] and first["features"]


def test_kernels_that_take_long_to_compile_are_said(monkeypatch, capsys):
    monkeypatch.setattr(flops, "telling", flops.telling)  # put back at the end
    monkeypatch.setattr(terminal, "PATIENCE", 0.01)
    terminal.tell_of_compilation()
    with flops.telling():
        time.sleep(0.5)
    assert "compiling kernels, once" in capsys.readouterr().err


def test_a_setting_of_a_solver_is_passed_on(spcabench):
    words = "solve pitprops --solver gpower1 --set gamma=0.5 --refit --json"
    completed = spcabench(*words.split())
    assert completed.returncode == 0
    assert json.loads(completed.stdout)["components"][0]["cardinality"] >= 1


def test_a_limit_of_work_is_no_limit_of_time(spcabench, tmp_path):
    file = tmp_path / "noise.npy"
    np.save(file, np.random.default_rng(0).standard_normal((60, 60)))
    words = ("solve", str(file), "-k", "25", "--solver", "branch_and_bound", "--work", "0.1")
    answers = [json.loads(spcabench(*words, "--json").stdout) for _ in range(2)]
    first, again = (answer["components"][0] for answer in answers)
    assert first["status"] == "work_limit"
    assert first["bound"] == again["bound"] and first["support"] == again["support"]
    assert any("spent its work, that of about 0.1 s" in note for note in answers[0]["notes"])


def test_fewer_variables_than_asked_are_said(spcabench):
    arguments = ("solve", "pitprops", "--solver", "gpower0", "-k", "4", "--no-stability")
    completed = spcabench(*arguments, "--json")
    (component,) = json.loads(completed.stdout)["components"]
    notes = json.loads(completed.stdout)["notes"]
    assert component["cardinality"] < 4
    assert notes == [
        f"component 1 has only {component['cardinality']} of 4 requested variables, because "
        "gpower0 found no better answer; try another solver"
    ]


def test_an_answer_that_is_none_shows_no_numbers(spcabench):
    completed = spcabench("solve", "pitprops", "--solver", "nspca", "--set", "beta=1e300")
    assert completed.returncode == 2 and "no answer: x has NaN" in completed.stdout
    assert not re.search(r"\bnan\b", completed.stdout)


def test_the_version_is_that_of_the_package(spcabench):
    completed = spcabench("--version")
    assert completed.stdout == f"spcabench {version('spcabench')}\n" and completed.returncode == 0


EXAMPLES = [words for found in command_line.EXAMPLES.values() for words in found]


@pytest.mark.parametrize("arguments", EXAMPLES)
def test_the_examples_of_the_help_are_commands(arguments):
    name, *typed = arguments.split()
    COMMANDS[name].make_context(name, typed)  # raises where a word is wrong


def test_every_command_for_users_has_examples():
    for panel, commands in command_line.COMMANDS.items():
        if panel in ("Sparse PCA", "Solvers"):
            assert {*commands} - {"best-known"} <= {*command_line.EXAMPLES}


@pytest.mark.parametrize(
    ("arguments", "proposed"),
    [
        ("spcabench sol", {"solve"}),
        ("spcabench solve pit", {"pitprops"}),
        ("spcabench solve pitprops --solver gpower", {"gpower0", "gpower1", "gpower_block"}),
        ("spcabench figure kuleshov2013_fig1", {"kuleshov2013_fig1"}),
        ("spcabench check tpow", {"tpower"}),
    ],
)
def test_shells_complete_commands_and_names(arguments, proposed):
    place = str(len(arguments.split()) - 1)
    variables = {"_SPCABENCH_COMPLETE": "complete_bash"}
    variables |= {"COMP_WORDS": arguments, "COMP_CWORD": place}
    program = [sys.executable, "-c", "from spcabench.__main__ import main; main()"]
    program[2] = "import sys; sys.argv[0] = 'spcabench'; " + program[2]
    completed = subprocess.run(program, env=os.environ | variables, capture_output=True, text=True)
    assert set(completed.stdout.split()) == proposed, completed.stderr


@pytest.mark.parametrize(("earlier", "present"), command_line.RENAMED.items())
def test_earlier_names_work_and_say_the_present_one(earlier, present, spcabench):
    old, new = spcabench(earlier, "--help"), spcabench(*present, "--help")
    assert (old.returncode, old.stdout) == (new.returncode, new.stdout) == (0, new.stdout)
    assert f"`{earlier}` is now `{' '.join(present)}`" in old.stderr


def test_help_fits_one_screen_and_names_where_to_start(spcabench):
    shown = spcabench("--help").stdout
    assert shown.count("\n") <= 50
    for start in ("solve FILE", "compare my_solver.py", "figure NAME"):
        assert start in shown
    assert not [step for step in command_line.STEPS if f"│ {step} " in shown]


@pytest.mark.parametrize("earlier", command_line.RENAMED)
def test_an_error_of_an_earlier_name_is_one_line(earlier, spcabench):
    refused = spcabench(earlier, "--nosuch")
    assert (refused.returncode, refused.stdout) == (2, "") and refused.stderr.count("\n") == 1


def test_an_interruption_that_compiled_code_loses_comes_again():
    @ctypes.CFUNCTYPE(None)
    def callback():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), command_line._no_interruption_is_lost():
        callback()
        for _ in range(200):  # no single sleep: what is raised again does not end one
            time.sleep(0.05)
