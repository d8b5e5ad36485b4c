"""The commands, typed as a user would: what they answer, and how their options are read."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import typer

from spcabench import api, registry
from spcabench.cli import application as command_line
from spcabench.cli import compare, figures, options, settings
from spcabench.comparison import plans
from spcabench.comparison.entrants import Entrant
from spcabench.errors import InputError
from spcabench.page import draw
from spcabench.running import jobs, runner, workflow
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


def answered(spcabench, *words):
    """Return the answer that `solve` prints as JSON."""
    completed = spcabench("solve", *words, "--json")
    assert completed.returncode == 0, completed.stderr
    return json.loads(completed.stdout)


def test_every_setting_of_a_run_reaches_it(spcabench):
    words = ("pitprops", "--solver", "tpower", "-k", "4", "--components", "2")
    problem = api.load("pitprops")
    for setting in ({}, dict(deflation="drop_features"), dict(refit=True), dict(max_iterations=1)):
        typed = [word for key, value in setting.items() for word in ("--set", f"{key}={value}")]
        found = answered(spcabench, *words, *typed)["components"]
        expected = api.solve(problem, "tpower", n_components=2, k=4, **arguments(setting))
        shown = spcabench("solve", *words, *typed).stdout
        for entry, result in zip(found, expected, strict=True):
            x, variance = np.zeros(13), problem.variance(result.x)
            x[entry["support"]] = entry["loadings"]
            assert abs(x @ result.x) == pytest.approx(1.0)
            assert entry["variance"] == pytest.approx(variance)
            assert entry["share"] == pytest.approx(variance / 13)  # of a correlation matrix
            assert entry["gap"] == pytest.approx(1 - result.variance / entry["bound"])
            assert f"{variance:.5g}" in shown and all(name in shown for name in entry["features"])


def test_the_time_of_an_exact_search_is_an_amount_of_work(spcabench, here):
    noise = np.random.default_rng(0).standard_normal((60, 60))
    np.save("noise.npy", noise)
    words = ("noise.npy", "-k", "25", "--solver", "branch_and_bound", "--time", "0.02")
    (found,) = answered(spcabench, *words, "--checks", "bound")["components"]
    budget = 0.02 * registry.module("solver", "branch_and_bound").TRAITS.pace
    same = api.solve(noise, "branch_and_bound", k=25, settings={"budget": budget})
    assert (found["status"], found["iterations"]) == ("work_limit", same.iterations)


CHECKS = {  # what is typed -> whether bounds, a comparison with chance and stability are shown
    "--checks none --components 2": (False, False, False),
    "--checks bound": (True, False, False),
    "--checks stability": (False, False, True),
    "--checks null,bound": (True, True, False),
    "--checks all": (True, True, True),
    "": (True, False, True),
    "--components 2": (True, True, True),
}


@pytest.mark.parametrize("typed", CHECKS)
def test_checks_are_computed_on_request(typed, spcabench, here):
    np.save("X.npy", np.random.default_rng(0).standard_normal((30, 6)))
    found = answered(spcabench, "X.npy", "-k", "2", *typed.split())
    component = found["components"][0]
    shown = (component["bound"], found["permutation_tests"] or None, component["chosen"])
    assert CHECKS[typed] == tuple(value is not None for value in shown)


def test_the_criterion_of_auto_is_a_part_of_k(spcabench):
    assert spcabench("solve", "pitprops", "-k", "auto:certified").returncode == 0
    assert spcabench("solve", "pitprops", "-k", "auto:heldout").returncode == 2  # a covariance


def test_fewer_variables_or_components_than_requested_are_mentioned(spcabench, here):
    words = ("pitprops", "--solver", "gpower0", "-k", "4", "--checks", "bound")
    found = answered(spcabench, *words)
    assert found["components"][0]["cardinality"] < 4 and len(found["notes"]) == 1
    np.savetxt("a.csv", np.random.default_rng(0).standard_normal((20, 6)), delimiter=",")
    words = ("-k", "2", "--components", "4", "--set", "deflation=drop_features")
    completed = spcabench("solve", "a.csv", *words, "--checks", "bound")
    assert completed.returncode == 0 and "only 3 of 4 components" in completed.stderr


COMPARED = {  # what is typed -> the solvers, those that are named, and the name of the page
    "grqi --against none": (["grqi"], ["grqi"], "grqi-standard"),
    "grqi,em --against tpower,grqi": (["grqi", "em", "tpower"], ["grqi", "em"], "grqi-em-standard"),
    "--against em,mcol --suite text": (["em", "mcol"], ["em", "mcol"], "em-mcol-text"),
    "a.py em --against none --name x": (["a", "em"], ["a", "em"], "x"),
}


@pytest.mark.parametrize("typed", COMPARED)
def test_a_comparison_has_the_solvers_and_the_name_that_were_typed(
    typed, spcabench, here, monkeypatch
):
    def page(title, entrants, own, profile):
        found.append(([*entrants], [Path(solver).stem for solver in own], title))
        (here / "ranking.txt").write_text("the table\n")
        return here / "index.html"

    found: list[tuple] = []
    (here / "a.py").write_text(text_of("yield np.eye(problem.n)[0]"))
    monkeypatch.setattr(compare, "_page", page)
    shown = spcabench("compare", *typed.split())
    assert (found, shown.returncode) == ([COMPARED[typed]], 0), shown
    assert shown.stdout.splitlines() == ["the table", str(here / "index.html")]


def test_a_figure_is_drawn_in_the_typed_size_with_the_typed_seeds(spcabench, here, monkeypatch):
    name, drawn = "kuleshov2013_fig2", []
    monkeypatch.setattr(options, "ROOT", here)
    monkeypatch.setattr(workflow, "workflow", lambda *called: drawn.append(called) or 0)
    monkeypatch.setattr(figures, "_print_verdicts", lambda *called: None)
    monkeypatch.setattr(draw, "draw_to", lambda *called: drawn.append(called))
    words = ("--seeds", "7:9", "--jobs", "3", "--out", "x.pdf", "--size", "7x3.2,4")
    assert spcabench("figure", name, *words).returncode == 0
    (targets, _, jobs, _, _), (figure, rows, files, *sizes) = drawn
    home = "quick-seeds-7-9"
    expected = [f"results/{home}/figures/{name}/{e}" for e in ("figure.svg", "claims.json")]
    assert (targets, jobs, figure, sizes) == (expected, 3, name, [7, 3.2, 4])
    assert rows and all(home in file.parts for file in rows) and files == [Path("x.pdf")]


def test_a_step_of_the_workflow_runs_the_jobs_of_its_files(spcabench, here, monkeypatch):
    figure, done = "kuleshov2013_fig2", []
    names = [*jobs.jobs(figure, "quick")]
    monkeypatch.setattr(runner, "run_job", done.append)
    rows = [Path("results", "quick", "rows", figure, f"{name}.parquet") for name in names]
    for file in rows:
        assert spcabench("run", here / file).returncode == 0
    assert [job.out for job in done] == [here / file for file in rows]
    assert [job.key for job in done] == [jobs.key(figure, "quick", name) for name in names]
    entrant = Entrant.of("grqi", "quick")
    home = here / "results" / "compare"
    entrant.file(home).parent.mkdir(parents=True)
    entrant.file(home).write_text(entrant.text())
    assert spcabench("run", entrant.rows(home)).returncode == 0
    assert done[-1].out == entrant.rows(home) and done[-1].key == plans.job(entrant, home).key


def test_lists_and_statements_are_those_of_the_results(spcabench):
    for kind in ("solver", "dataset", "figure"):
        lines = spcabench("list", f"{kind}s").stdout.splitlines()
        assert [line.split()[0] for line in lines] == registry.names(kind)
    shown = spcabench("claim", "k3", "H4").stdout
    assert re.findall(r"^[A-Z]\d+(?= )", shown, re.MULTILINE) == ["K3", "H4"]


def test_output_of_a_solver_is_no_part_of_the_answer(spcabench, here):

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


def test_a_picture_of_an_answer_is_drawn(spcabench, here):
    spcabench("solve", "pitprops", "-k", "2", "--plot", "p.svg")
    assert b"<svg" in (here / "p.svg").read_bytes()
