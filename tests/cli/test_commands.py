"""The commands, typed as a user would: what they answer, and how their options are read."""

import json
import re
import sys

import numpy as np
import pandas as pd
import pytest
import typer

from spcabench import api
from spcabench.cli import application as command_line
from spcabench.cli import groups, options, settings
from spcabench.errors import InputError
from spcabench.solving.call import arguments
from tests.own_solver import text_of

COMMANDS = vars(typer.main.get_command(command_line.app))["commands"]
EXAMPLES = re.findall("`spcabench (.+?)`", "".join(c.help or "" for c in COMMANDS.values()))


@pytest.mark.parametrize("arguments", EXAMPLES)
def test_the_examples_of_the_help_can_be_parsed(arguments):
    name, *typed = arguments.split()
    COMMANDS[name].make_context(name, typed)  # raises if a word is wrong


def test_the_table_of_commands_lists_their_options():
    text = (options.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| [^|]+ \| ([^|]+) \|$", text, re.MULTILINE)
    listed = {name: re.findall("`(.+?)`", words) for name, words in rows}
    typed = {
        name: [p.opts[0] for p in command.params if p.param_type_name == "option"]
        for name, command in COMMANDS.items()
    }
    assert listed == typed
    assert sum(map(len, typed.values())) <= 80 and len(typed["solve"]) <= 20


def test_solve_prints_the_same_as_a_table_and_as_json(spcabench):
    arguments = ("solve", "pitprops", "--solver", "grqi", "-k", "4", "--components", "2")
    table, as_json = spcabench(*arguments), spcabench(*arguments, "--json")
    assert table.returncode == as_json.returncode == 0
    first, second = json.loads(as_json.stdout)["components"]
    assert all(name in table.stdout for name in first["features"] + second["features"])
    assert first["cardinality"] == second["cardinality"] == 4
    assert first["variance"] <= first["bound"]


def answered(spcabench, *words):
    """Return the components, or the path, that `solve` prints as JSON."""
    completed = spcabench("solve", *words, "--json")
    assert completed.returncode == 0, completed.stderr
    found = json.loads(completed.stdout)
    return found.get("components") or found["path"]


def test_every_setting_of_a_run_reaches_it(spcabench):
    words = ("pitprops", "--solver", "tpower", "-k", "4", "--components", "2")
    problem = api.load("pitprops")
    for setting in (dict(deflation="drop_features"), dict(refit=True), dict(max_iterations=1)):
        typed = [word for key, value in setting.items() for word in ("--set", f"{key}={value}")]
        found = answered(spcabench, *words, *typed)
        expected = api.solve(problem, "tpower", n_components=2, k=4, **arguments(setting))
        assert [e["support"] for e in found] == [r.support.tolist() for r in expected]
        assert [e["variance"] for e in found] == pytest.approx(
            [problem.variance(r.x) for r in expected]
        )


def test_the_time_of_an_exact_search_is_an_amount_of_work(spcabench, here):
    np.save("noise.npy", np.random.default_rng(0).standard_normal((60, 60)))
    words = ("noise.npy", "-k", "25", "--solver", "branch_and_bound", "--time", "0.02")
    words += ("--checks", "bound")
    (first,), (again,) = (answered(spcabench, *words) for _ in range(2))
    assert first["status"] == "work_limit"
    assert first["bound"] == again["bound"] and first["support"] == again["support"]


CHECKS = {  # the value of --checks -> what is shown
    "none": (False, False, False),
    "bound": (True, False, False),
    "stability": (False, False, True),
    "null,bound": (True, True, False),
    "all": (True, True, True),
}


@pytest.mark.parametrize("checks", CHECKS)
def test_checks_are_computed_on_request(checks, spcabench, here):
    np.save("X.npy", np.random.default_rng(0).standard_normal((30, 6)))
    completed = spcabench("solve", "X.npy", "-k", "2", "--checks", checks, "--json")
    found = json.loads(completed.stdout)
    (component,) = found["components"]
    assert CHECKS[checks] == (
        component["bound"] is not None,
        bool(found["permutation_tests"]),
        component["chosen"] is not None,
    )


def test_several_components_are_compared_with_chance_by_default(spcabench, here):
    np.save("X.npy", np.random.default_rng(0).standard_normal((30, 6)))
    for count, tested in ((1, False), (2, True)):
        answer = spcabench("solve", "X.npy", "-k", "2", "--components", count, "--json")
        assert bool(json.loads(answer.stdout)["permutation_tests"]) == tested


def test_a_published_row_is_repeated(spcabench):
    again = spcabench("rerun", "standard/gaussian-40/10/tpower")
    last_words = {line.split()[0]: line.split()[-1] for line in again.stdout.splitlines()[2:-1]}
    assert again.returncode == 0, again.stdout
    assert last_words.pop("seconds") == "times" and {*last_words.values()} == {"equal"}


def test_the_criterion_of_auto_is_a_part_of_k(spcabench):
    for typed, criterion in (("auto", None), ("auto:certified", "certified"), ("3", None)):
        run = groups.Run(k=typed)
        assert (run.criterion or None) == criterion
    assert groups.Run(k="auto:certified").cardinalities() == []
    assert spcabench("solve", "pitprops", "-k", "auto:certified").returncode == 0
    assert spcabench("solve", "pitprops", "-k", "auto:heldout").returncode == 2  # a covariance


def test_fewer_variables_or_components_than_requested_are_mentioned(spcabench, here):
    words = ("pitprops", "--solver", "gpower0", "-k", "4", "--checks", "bound", "--json")
    found = json.loads(spcabench("solve", *words).stdout)
    assert found["components"][0]["cardinality"] < 4 and len(found["notes"]) == 1
    np.savetxt("a.csv", np.random.default_rng(0).standard_normal((20, 6)), delimiter=",")
    words = ("-k", "2", "--components", "4", "--set", "deflation=drop_features")
    completed = spcabench("solve", "a.csv", *words, "--checks", "bound")
    assert completed.returncode == 0 and "only 3 of 4 components" in completed.stderr


def test_output_of_a_solver_is_no_part_of_the_answer(spcabench, here, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (here / "mine.py").write_text(text_of("print('hello')\nyield np.eye(problem.n)[0]"))
    completed = spcabench("solve", "pitprops", "--solver", "mine.py", "-k", "3", "--json")
    assert json.loads(completed.stdout) and "hello" in completed.stderr


def test_cardinalities_are_numbers_lists_and_ranges():
    numbers = {None: [], "10": [10], "5,10,20": [5, 10, 20], "20,5,10,5": [5, 10, 20], "4:4": [4]}
    numbers |= {"5:8": [5, 6, 7, 8], "5:50:15": [5, 20, 35, 50], " 3, 4 ": [3, 4]}
    numbers["1:3,10,20:40:10"] = [1, 2, 3, 10, 20, 30, 40]
    for text, expected in numbers.items():
        assert options.cardinalities(text) == sorted(set(options.listed(text))) == expected


SETTINGS: dict[str, dict] = {  # the value of --set, and the setting
    "grqi": {
        **{"J=2": 2.0, "J=inf": np.inf, "mu=carried": "carried", "stop=end": "end"},
        **{"start=[1, 0.5]": [1, 0.5], " tol = 1e-3 ": 1e-3, "max_iterations=7": 7},
        **{"history=True": True, "time_limit=inf": np.inf, "seed=4": 4},
        **{"deflation=schur": "schur", "refit=false": False, "alpha=0.5": 0.5},
    },
    "em": {"restarts=4": 4},
    "bca": {"screen=false": False, "eps=0.5": 0.5},
    "alternating_deflation": {"cardinalities=[3, 2]": [3, 2]},
}


@pytest.mark.parametrize("solver", SETTINGS)
def test_a_setting_has_the_type_of_the_signature_that_takes_it(solver):
    for text, value in SETTINGS[solver].items():
        ((name, setting),) = settings.read([text], solver).items()
        assert name == text.partition("=")[0].strip()
        assert setting == value and type(setting) is type(value)


def test_annotations_of_a_users_solver_are_read_if_they_can_be(add_file):
    text = "from __future__ import annotations\nfrom spcabench.iterate import Traits\n"
    text += 'TRAITS = Traits(control="cardinality")\n'
    text += "def solve(problem, *, k, rate=0.5, other: {} = 3):\n    yield\n"
    for annotation in ("int", "Unknown"):
        add_file("solver", "mine", text.format(annotation))
        values = settings.read(["rate=2", "other=4"], "mine")
        assert values == {"rate": 2.0, "other": 4} and type(values["rate"]) is float
        with pytest.raises(InputError):
            settings.read(["other=4.5"], "mine")


def test_scores_are_those_of_the_variables_with_these_names(spcabench, here):
    X = np.random.default_rng(0).standard_normal((20, 4))
    frame = pd.DataFrame(X, columns=[*"abcd"])
    frame.to_csv("a.csv", index=False)
    frame[[*"dcba"]].to_csv("b.csv", index=False)
    spcabench("solve", "a.csv", "-k", "2", "--out", "m.npz", "--plot", "biplot:p.svg")
    assert b"<svg" in (here / "p.svg").read_bytes()
    first, second = (spcabench("apply", "m.npz", file).stdout for file in ("a.csv", "b.csv"))
    assert first == second and first.count("\n") == 21


def test_a_claim_is_shown_without_the_libraries_of_comparisons(spcabench, monkeypatch, tmp_path):
    from spcabench import page

    monkeypatch.setattr(options, "ROOT", tmp_path)  # which has no results
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    monkeypatch.delitem(sys.modules, "spcabench.page.claims_file", raising=False)
    monkeypatch.delattr(page, "claims_file", raising=False)
    shown = spcabench("claim", "K3")
    assert shown.returncode == 0 and shown.stdout.startswith("K3 "), shown
