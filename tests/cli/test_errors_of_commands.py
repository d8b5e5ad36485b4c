"""How the command line reports errors.

A user's mistake is one line, a bug shows its traceback, and mixed checkouts give a warning.
"""

import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest

from spcabench import api, machine, registry
from spcabench.cli import application as command_line
from spcabench.cli import options, settings
from spcabench.errors import InputError
from spcabench.running import description, jobs, workflow
from spcabench.solving.driver import parameters
from tests.bad_inputs import LONGEST
from tests.own_solver import text_of
from tests.system_processes import called, gone


@pytest.fixture
def own_file(here, monkeypatch):
    """Return a function that writes mine.py into the current folder."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(text):
        (here / "mine.py").write_text(text)
        return "mine.py"

    return write


@pytest.fixture
def own_solver(own_file):
    """Return a function that writes mine.py, a solver whose ``solve`` ends with the given lines."""
    return lambda body: own_file(text_of(body))


def test_what_ones_own_solver_prints_is_no_part_of_the_answer(typed, own_solver):
    body = "print('hello')\nyield np.eye(problem.n)[0]"
    words = ("solve", "pitprops", "--solver", own_solver(body), "-k", "3", "--json")
    code, output, errors = typed(*words)
    assert code == 0 and json.loads(output) and "hello" in errors


def test_a_device_or_a_pipe_is_not_replaced(typed, tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    code, _, errors = typed("solve", "pitprops", "-k", "3", "--out", pipe)
    assert code == 2 and pipe.is_fifo()
    assert "cannot be written, because it is a device or a pipe" in errors


def test_a_file_that_is_no_solver_is_told_so(typed, own_file):
    _, output, _ = typed("check", own_file("x = 1\n"))
    assert "fails        says what it is: the file does not define TRAITS" in output


@pytest.mark.parametrize(
    "body", ["raise KeyboardInterrupt\n", text_of("raise KeyboardInterrupt\nyield A")]
)
def test_an_interruption_inside_ones_own_file_says_where(body, typed, own_file):
    code, _, errors = typed("solve", "pitprops", "--solver", own_file(body), "-k", "3")
    line = r"spcabench: interrupted \(mine.py, line \d+: raise KeyboardInterrupt\)\n"
    assert code == 130 and re.fullmatch(line, errors)


LOOP = "while True:\n    pass\n"


def test_a_file_that_never_answers_is_one_line_with_its_limit(typed, own_file, monkeypatch):
    monkeypatch.setattr(description, "PATIENCE", 1.0)
    own_file(LOOP)
    code, output, _ = typed("check", "mine.py", "--patience", "1")
    assert code == 1 and "it did not finish within 1 s (in mine.py, line " in output
    code, _, errors = typed("compare", "mine.py")
    message = "mine.py: its import: killed after 1 s without an answer (in mine.py, line "
    assert code == 2 and message in errors and errors.count("\n") == 1


def started(file, body):
    """Start `solve` with a file that announces its body; return the command when it is there."""
    file.write_text(text_of(f"print(flush=True)\n{body}\nyield A"))
    words = ("-m", "spcabench", "solve", "pitprops", "-k", "3", "--solver", file)
    command = subprocess.Popen(
        [sys.executable, *words], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert command.stderr.readline() == "\n"  # it is at work
    return command


def test_quitting_ends_a_solver_in_compiled_code_and_says_where_it_is(tmp_path):
    file = tmp_path / "mine.py"
    command = started(file, "any(iter(int, 1))  # no step of Python's")
    os.killpg(command.pid, signal.SIGQUIT)
    _, errors = command.communicate(timeout=60)
    assert command.returncode == -signal.SIGQUIT and f'"{file}", line' in errors
    assert gone(called(str(file)))


def test_a_solver_that_crashes_says_where(tmp_path):
    file = tmp_path / "mine.py"
    command = started(file, "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)")
    errors = command.stderr.read()  # `communicate` would miss what `started` has buffered
    command.communicate(timeout=60)
    assert command.returncode == -signal.SIGSEGV and f'"{file}", line' in errors


def test_ctrl_c_in_a_terminal_reaches_the_command_alone(tmp_path):
    file = tmp_path / "mine.py"
    command = started(file, "import time\ntime.sleep(60)")
    os.killpg(command.pid, signal.SIGINT)
    _, errors = command.communicate(timeout=60)
    assert (command.returncode, errors.count("\n")) == (130, 1) and "mine.py" in errors, errors
    assert gone(called(str(file)))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-k", "3", "--criterion", "heldout"), "--criterion: has no effect without -k auto"),
        (("-k", "3", "--picture", "biplot"), "--picture: has no effect without --plot"),
        (("-k", "3", "--deflation", "schur"), "--deflation: has no effect without --components"),
        ((), "-k: specify a number of variables from 1 to 13, or -k auto"),
        (("-k", "9" * 20), "-k: '99999999999999999999'; specify whole numbers of at least 1, with"),
    ],
)
def test_an_option_without_effect_or_without_sense_is_refused(words, message, typed):
    code, output, errors = typed("solve", "pitprops", *words)
    assert (code, output) == (2, "") and errors.startswith(f"spcabench: {message}")


def test_the_name_of_a_problem_that_is_no_dataset_says_what_it_is(typed):
    code, _, errors = typed("solve", "colon", "-k", "5")
    assert code == 2 and "its data are dataset 'alon', genes=300" in errors


def test_fewer_components_than_requested_are_mentioned(typed, here):
    rng = np.random.default_rng(0)
    np.savetxt("a.csv", rng.standard_normal((20, 6)), delimiter=",")
    words = ("-k", "2", "--components", "4", "--deflation", "drop_features", "--no-null")
    code, _, errors = typed("solve", "a.csv", *words)
    assert code == 0 and "only 3 of 4 components" in errors


def test_check_tells_a_failed_import_once(typed, own_file):
    code, output, _ = typed("check", own_file("import nosuchmodule\n"))
    first, *rest = output.splitlines()
    assert code == 1 and "No module named 'nosuchmodule'" in first
    assert rest and all(line.startswith("not checked") for line in rest)


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", "none.csv", "-k", "1", "--out", "b.csv"),
        ("solve", "none.csv", "-k", "1", "--plot", "b.pdf"),
        ("apply", "none.npz", "none.csv", "--out", "b.csv"),
        ("grade", "none.csv", "--problem", "pitprops", "--submit", "b.json"),
        ("figure", "kuleshov2013_fig1", "--out", "b.pdf"),
        ("data", "--fetch", "kos"),
        ("best-known", "--update", "--search", "1"),
    ],
)
def test_a_full_disk_is_one_line_before_the_work(arguments, typed, data_folder, here):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))  # no file can grow any more
    try:
        code, output, errors = typed(*arguments)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (code, output) == (2, "") and len(errors.splitlines()) == 1
    assert errors.startswith("spcabench: ") and "cannot be written (" in errors


def test_columns_of_one_name_are_noted(typed, here):
    (here / "a.csv").write_text("a,a,b\n1,2,4\n2,1,1\n4,4,0\n3,1,1\n")
    code, output, _ = typed("solve", "a.csv", "-k", "2")
    assert code == 0 and "several columns are named 'a'" in output


@pytest.mark.parametrize("place", [0, 1, 6])
def test_debug_shows_the_traceback_wherever_it_stands(place, typed, own_solver):
    file = own_solver("yield A @ np.ones(5)")
    words = f"solve pitprops --solver {file} -k 3".split()
    code, _, errors = typed(*words[:place], "--debug", *words[place:])
    assert code == 2
    assert "Traceback" in errors and "yield A @ np.ones(5)" in errors


def test_debug_shows_the_traceback_of_a_wrong_argument(typed):
    assert "Traceback" not in typed("solve", "pitprop", "-k", "3")[2]
    code, _, errors = typed("solve", "pitprop", "-k", "3", "--debug")
    assert code == 2 and "Traceback" in errors and "did you mean 'pitprops'" in errors


@pytest.mark.parametrize("error", [ValueError("a shape"), FileNotFoundError("x"), KeyError("x")])
@pytest.mark.parametrize("solver", ["grqi", "mine"])
def test_a_bug_of_the_suite_is_no_error_of_the_user(error, solver, own_solver, monkeypatch):
    def broken(problem, *others, k, **settings):
        raise error

    if solver == "mine":
        solver = own_solver("yield np.eye(problem.n)[0]")
        monkeypatch.setattr(api, "components", broken)
    else:
        monkeypatch.setattr(registry.module("solver", solver), "solve", broken)
    arguments = ["spcabench", "solve", "pitprops", "--solver", solver, "-k", "3"]
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(type(error)) as caught:
        command_line.main()
    assert caught.value is error


def test_an_infeasible_answer_says_why(typed, own_solver):
    body = "yield np.ones(problem.n)"
    code, output, _ = typed("solve", "pitprops", "--solver", own_solver(body), "-k", "3")
    assert code == 2 and "note: no answer: x has norm 3.60555" in output


WRONG_SETTINGS = {  # what the line says -> settings of grqi, or of a solver that is named
    "write NAME=VALUE": ["J", "=3"],
    "must be true or false": ["history=3"],
    "must be a whole number": [
        *("max_iterations=2.5", "max_iterations=-1", "max_iterations=" + "9" * 5000),
        *("mcol c=2.5", "em restarts=many"),
    ],
    "must be a number, at least 0": ["J=nan", "J=-2", "J=two"],
    "must be a finite number": ["bca eps=inf", "tol=inf"],
    "must be a word": ["mu="],
    "must be a list of numbers": ["start=1", "start=[true]", "start=[NaN]", "start=" + "[" * 10**5],
    "must be a list": ["alternating_deflation cardinalities=3"],
    "did you mean 'max_iterations'": ["max_iteration=3"],
}
OPTIONS = ["amanpg components=2", "nonnegative=maybe", "refit=true", "deflation=schur", "seed=3"]
WRONG_SETTINGS |= {f"its own option: --{re.search('[a-z]+(?==)', o)[0]}": [o] for o in OPTIONS}
WRONG_SETTINGS["its own option: -k"] = ["k=3"]
CARDINALITIES = "-k: {!r}; specify whole numbers of at least 1: 10, a list"
WRONG = ["''", "0", "-1", "x", "3,", ",", "5:2", "5:50:0", "50:5:-5", "1:2:3:4", "2.5"]
WRONG += [":", "1,5:2"]
LINES = {  # words, in a folder with the files below -> what the one line says
    # files that are not there, are folders, or hold something else
    "grade folder.csv --problem pitprops": "folder.csv: a folder; expected a file",
    "grade none.npy --problem pitprops": "none.npy: no such file",
    "check folder.csv": "'folder.csv' is a folder; specify the name of a solver",
    "check folder.py": "'folder.py' is a folder",
    "check good.csv": "does not end in .py",
    "check none.py": "none.py",
    "compare none.py": "none.py",
    "merge nosuch nosuch": "nosuch: no such folder",
    "merge good.csv run": "good.csv: a file; expected the folder",
    "verify none": "none",
    "verify run": "claims.json",
    "verify run --against none": "run",
    "verify run --names none.json": "none.json",
    "verify run --names good.csv": "good.csv",
    "results-page .": "no figures found; specify the folder of a run",
    "solve none.csv -k 3": "none.csv: no such file",
    "solve folder.csv -k 3": "folder.csv: a folder",
    "solve pipe.csv -k 3": "pipe.csv: a device or a pipe",
    f"solve {'x' * 5000}.csv -k 3": "name too long",
    "grade x.npy --problem colonn": "did you mean 'colon'?",
    "grade x.npy --problem good.csv --submit p.json": "not a problem of the suites",
    "grade x.npy --problem mll -k 10": "specify 'mll genes=300' or 'mll whole'",
    "best-known mll": "specify 'mll genes=300' or 'mll whole'",
    "best-known golub": "problems of this dataset: ['leukemia']",
    **{
        f"solve good.csv -k 2 {option} {file}": file
        for option, files in {
            "--names": ("none.txt", "bytes.txt", "folder.csv"),
            "--out": ("none/out.csv", "folder.csv"),
            "--plot": ("none/out.png", "folder.png"),
            "--solver": ("none.py", "folder.py"),
        }.items()
        for file in files
    },
    # tables
    "solve good.csv -k 9": "-k: 9; it must be from 1 to n = 4",
    "solve good.csv -k 1 --key q": "--key: only supported for .npz and .mat files",
    "solve good.csv": "specify a number of variables from 1 to",
    "solve good.csv -k 1 --set tol=x": "tol=x",
    "solve named.csv -k 2 --label alpa": "did you mean 'alpha'",
    "solve named.csv -k 2 --label town --covariance": "--covariance",
    "solve good.csv -k 2 --out x.xlsx": "--out",
    "solve good.csv -k 2 --missing zero": "--missing",
    "solve good.csv -k 1,2,3 --components 2": "-k: 3 cardinalities for 2 components",
    "solve named.csv -k 3": "n = 2 (column 'town' contains a different text in each row",
    # a file that is read is not replaced
    "solve good.csv -k 2 --out good.csv": "--out: 'good.csv' is an input of this command",
    "apply m.npz good.csv --out ./good.csv": "--out: 'good.csv' is an input of this",
    "grade x.npy --problem pitprops --submit x.npy": "--submit: 'x.npy' is an input of this",
    # names and numbers out of range
    "compare grqi --name ../../evil": "--name: '../../evil'",
    "compare grqi --name /tmp/evil": "--name",
    "compare grqi --name ..": "--name",
    "compare grqi --name rows": "not the names commands, drafts, jobs, rows",
    f"compare grqi --name {'x' * 300}": "at most 150",
    "compare grqi --suite quick -k 100000": "has 150 variables",
    "compare grqi tpower --draft": "--draft: specify one solver",
    "compare grqi --fresh=x": "--fresh",
    "new solver class": "'class' already has a meaning in Python",
    "new solver numpy": "'numpy' already has a meaning in Python",
    "new solver ../x": "letters, digits and _",
    f"new solver {'x' * 300}": "name too long",
    "new figure x": "use `new solver NAME`",
    "check grqi --patience -1": "--patience",
    "check grqi --patience nan": "--patience",
    "compare --jobs 0": "--jobs",
    "compare --time-limit nan": "--time-limit",
    "compare --time-limit 0": "--time-limit",
    "figure kuleshov2013_fig1 --width nan": "--width",
    "figure --jobs -3": "--jobs",
    "best-known --update --search 1 --suite ,": "unknown suite ''",
    "best-known --update --search -1": "--search",
    "compare grqi --against none --suite components --name ../../evil": "--name: '../../evil'",
    **{f"solve pitprops -k {text}": CARDINALITIES.format(shlex.split(text)[0]) for text in WRONG},
    "compare grqi -k 9:2": CARDINALITIES.format("9:2"),
    **{
        f"grade x.npy --problem pitprops -k {k}": f"k: {k}; it must be a whole number, from 1"
        for k in (14, 10**30)
    },
    # names that are nearly right, and settings
    "solve pitprops -k 3 --solver grqy": "did you mean 'grqi'",
    "solve pitprop -k 3 --solver grqi": "did you mean 'pitprops'",
    "solve pitprops -k 3 --deflation hoteling": "hotelling",
    "solve pitprops --solver grqi": "k:",
    "solve pitprops -k 3 --solver grqi --set j=2": "has no setting 'j'",
    "solve pitprops -k 3 --solver grqi --work 1": "does not count its work",
    "solve pitprops -k 3 --solver grqi --jobs 2": "in a single process",
    "run results/quick/rows/kuleshov2013_fig9/grqi.parquet": "did you mean 'kuleshov2013_fig",
    "figure nope": "unknown figure",
    **{
        f"solve pitprops -k 2 --solver {solver or 'grqi'} --set {shlex.quote(setting)}": message
        for message, settings_of in WRONG_SETTINGS.items()
        for solver, _, setting in (text.rpartition(" ") for text in settings_of)
    },
    **{
        f"solve pitprops -k 3 --solver grqi --set stop={rule}": f"stop: {rule!r} requires a solver"
        for rule in ("gap", "objective")
    },
    # options that would do nothing
    **{
        f"solve pitprops -k 3 {option}": f"{option.split()[0]}: only applies to files,"
        for option in (
            *("--scale", "--no-center", "--covariance", "--drop-text", "--transpose"),
            *("--label x", "--drop x", "--missing mean", "--names x.txt", "--key x"),
        )
    },
    "figure daspremont2007_gap --width 5": "--width: ",
    "figure daspremont2007_gap --no-title": "--no-title: ",
    "best-known --search 1": "--search: ",
    "best-known --suite quick": "--suite: ",
    "best-known pitprops --take p.json": "NAME: ",
    "grade x.npy --problem pitprops --who me": "--who: ",
    "grade x.npy --problem pitprops --covariance": "--covariance: ",
}


@pytest.fixture
def folder(here, monkeypatch):
    """Create a current folder with files that are wrong in common ways, and with some good ones."""
    monkeypatch.setattr(options, "ROOT", here)
    for kind in ("csv", "png", "py"):
        (here / f"folder.{kind}").mkdir()
    os.mkfifo(here / "pipe.csv")
    for kind in ("parquet", "txt"):
        (here / f"bytes.{kind}").write_bytes(bytes(range(256)))
    (here / "named.csv").write_text("town,alpha,b\nx,1,2\ny,2,1\nz,4,4\n")
    np.savetxt(here / "good.csv", np.random.default_rng(0).random((9, 4)), delimiter=",")
    np.save(here / "x.npy", np.eye(13)[0])
    claims = here / "run" / "figures" / "kuleshov2013_fig1" / "claims.json"
    claims.parent.mkdir(parents=True)
    claims.write_text('{"schema": 1,\n "claims"')
    return here


def _shown(folder):
    """Return the files in a folder except locks."""
    return {file for file in folder.rglob("*") if not file.name.startswith(".")}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("words", LINES, ids=lambda words: words[:60])
def test_what_cannot_be_done_is_one_line_and_writes_nothing(words, typed, folder):
    before = _shown(folder)
    code, output, errors = typed(*shlex.split(words))
    assert (code, output) == (2, "") and LINES[words] in errors, errors
    assert errors.startswith("spcabench: ") and len(errors.splitlines()) == 1
    assert len(errors) <= LONGEST + 1
    assert _shown(folder) == before


def test_a_good_file_is_no_error(typed, folder):
    words = "solve good.csv -k 2 --out x.csv --plot x.png"
    code, output, errors = typed(*words.split())
    assert (code, errors.count("\n")) == (0, 1) and "chosen for 4 variables" in errors
    assert "component" in output
    assert (folder / "x.csv").exists() and (folder / "x.png").exists()


def test_a_file_that_the_user_did_not_name_is_a_bug(tmp_path, monkeypatch):
    def broken(*args, **settings):
        (tmp_path / "inner" / "file").read_text()

    monkeypatch.setattr(api, "components", broken)
    monkeypatch.setattr(sys, "argv", ["spcabench", "solve", "pitprops", "--solver", "grqi"])
    with pytest.raises(FileNotFoundError):
        command_line.main()


def test_cardinalities_are_numbers_lists_and_ranges():
    numbers = {None: [], "10": [10], "5,10,20": [5, 10, 20], "20,5,10,5": [5, 10, 20], "4:4": [4]}
    numbers |= {"5:8": [5, 6, 7, 8], "5:50:15": [5, 20, 35, 50], " 3, 4 ": [3, 4]}
    numbers["1:3,10,20:40:10"] = [1, 2, 3, 10, 20, 30, 40]
    for text, expected in numbers.items():
        assert options.cardinalities(text) == sorted(set(options.listed(text))) == expected


def test_compare_takes_a_range(typed, tmp_path, monkeypatch):
    """With a profile, Snakemake computes the rows from the descriptions of the solvers."""
    from spcabench.comparison.entrants import Entrant

    monkeypatch.setattr(options, "ROOT", tmp_path)
    monkeypatch.setattr(workflow, "workflow", lambda *words: 1)
    words = ("compare", "grqi", "--against", "none", "--suite", "quick", "-k", "2:6:2")
    assert typed(*words, "--profile", "slurm")[0] == 1  # as the workflow says
    (file,) = (tmp_path / "results" / "compare" / "jobs").glob("*/*.json")
    assert Entrant.read(file).ks == (2, 4, 6)


SETTINGS = {
    "grqi": {
        **{
            "J=2": 2.0,
            "J=inf": np.inf,
            "mu=carried": "carried",
            "mu_0=0.5": 0.5,
            "stop=end": "end",
        },
        **{"start=[1, 0.5]": [1, 0.5], " tol = 1e-3 ": 1e-3, "max_iterations=7": 7},
        **{"history=True": True, "blocks=0": 0.0, "time_limit=inf": np.inf},
    },
    "em": {"restarts=4": 4},
    "mcol": {"c=3": 3},
    "bca": {"screen=false": False, "eps=0.5": 0.5},
    "alternating_deflation": {"cardinalities=[3, 2]": [3, 2]},
    "gpower1": {"gamma=0.5": 0.5},
}


@pytest.mark.parametrize("solver", SETTINGS)
def test_a_setting_has_the_type_of_the_signature_that_takes_it(solver):
    for text, value in SETTINGS[solver].items():
        ((name, setting),) = settings.read([text], solver).items()
        assert name == text.partition("=")[0].strip()
        assert setting == value and type(setting) is type(value)


def test_settings_of_every_solver_are_annotated():
    bare = {
        (name, setting)
        for name in registry.names("solver")
        for setting, parameter in parameters(registry.module("solver", name).solve).items()
        if parameter.annotation is parameter.empty
    }
    assert bare == set()


def test_annotations_of_a_stranger_are_read_where_they_can_be(add_file):
    text = "from __future__ import annotations\nfrom spcabench.iterate import Traits\n"
    text += 'TRAITS = Traits(control="cardinality")\n'
    text += "def solve(problem, *, k, rate=0.5, other: {} = 3):\n    yield\n"
    for annotation in ("int", "Unknown"):
        add_file("solver", "mine", text.format(annotation))
        values = settings.read(["rate=2", "other=4"], "mine")
        assert values == {"rate": 2.0, "other": 4} and type(values["rate"]) is float
        with pytest.raises(InputError, match="must be a whole number"):
            settings.read(["other=4.5"], "mine")


def test_a_setting_given_twice_is_refused():
    with pytest.raises(InputError, match="J is specified twice"):
        settings.read(["J=2", "J=3"], "grqi")


def test_scale_and_center_are_applied_to_a_dataset_that_has_them(monkeypatch, typed):
    options_seen = {}
    monkeypatch.setattr(api, "load", lambda name, **how: options_seen.update(how) or sys.exit(0))
    typed("solve", "alon", "-k", "3", "--scale", "--no-center")
    assert options_seen == dict(scale=True, center=False, stand_in=False)


# two checkouts
def copied(folder):
    """Copy the package, its solvers and its datasets to another folder, as in a work tree."""
    for name in ("spcabench", "solvers", "datasets"):
        ignored = shutil.ignore_patterns("__pycache__", "figures", "results")
        shutil.copytree(options.ROOT / name, folder / name, ignore=ignored)
    return folder


def spoken(folder, *arguments):
    """Return what a new process prints to stderr; its current folder comes first on its path."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    completed = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert completed.returncode == 0, completed.stderr
    return completed.stderr


LIST = ("-m", "spcabench", "list", "datasets")
IMPORT = ("-c", "from spcabench import registry as r; r.names('solver'); r.names('dataset')")


@pytest.mark.parametrize("arguments", [LIST, IMPORT], ids=["command", "import"])
def test_a_work_tree_in_the_environment_of_another_is_warned_of_once(arguments, tmp_path):
    message = spoken(copied(tmp_path), *arguments)
    assert message.count("two checkouts are mixed") == 1
    assert str(tmp_path / "spcabench") in message
    assert str(options.ROOT / "solvers") in message and str(options.ROOT / "datasets") in message


@pytest.mark.parametrize("arguments", [LIST, IMPORT], ids=["command", "import"])
def test_an_editable_install_is_not_warned_of(arguments, tmp_path):
    assert spoken(tmp_path, *arguments) == ""
    assert machine.mixed_checkouts() == ""


def test_a_wheel_is_not_warned_of(tmp_path):
    copied(tmp_path)
    for name in ("solvers", "datasets"):
        (tmp_path / name).rename(tmp_path / "spcabench" / name)
    assert spoken(tmp_path, *LIST) == ""


def test_a_work_tree_in_its_own_environment_is_not_warned_of(tmp_path):
    copied(tmp_path)
    # what the finder of an editable install does
    code = f"""
import importlib.util, sys
class Finder:
    def find_spec(name, path=None, target=None):
        home, _, part = name.partition(".")
        if home == "spcabench" and part in ("solvers", "datasets"):
            file = "{tmp_path}/" + part + "/__init__.py"
            return importlib.util.spec_from_file_location(name, file)
sys.meta_path.insert(0, Finder)
from spcabench import machine, registry, solvers
assert solvers.__file__.startswith("{tmp_path}"), solvers.__file__
assert registry.names("solver") and machine.mixed_checkouts() == "", machine.mixed_checkouts()
"""
    assert spoken(tmp_path, "-c", code) == ""


def test_a_linked_checkout_is_not_warned_of(tmp_path):
    (tmp_path / "link").symlink_to(options.ROOT)
    assert spoken(tmp_path / "link", *LIST) == ""


def test_the_doctor_tells_of_two_checkouts(monkeypatch):
    from spcabench.cli import doctor

    good, what, text = doctor._checkout()
    assert good and what == "checkout" and str(options.ROOT) in text
    monkeypatch.setattr(machine, "mixed_checkouts", lambda: "two checkouts are mixed")
    assert doctor._checkout() == (False, "checkout", "two checkouts are mixed")


@pytest.mark.parametrize("trait", ["accepts='nothing'", "nonnegative='never'", "exact=1"])
def test_a_trait_that_does_not_exist_fails_the_check(trait, typed, own_file):
    file = own_file(
        f'"""Odd."""\nfrom spcabench.iterate import Traits\n'
        f"TRAITS = Traits(control='cardinality', {trait})\nEXAMPLE = {{'k': 2}}\n"
        "def solve(problem, *, k):\n    yield None\n"
    )
    code, output, errors = typed("check", file)
    assert code != 0 and f"TRAITS has {trait}; it must be one of " in output + errors


def test_a_closed_output_and_a_removed_folder_are_no_tracebacks(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    words = f"{shlex.quote(sys.executable)} -m spcabench"
    closed = subprocess.run(f"{words} list datasets >&-", shell=True, capture_output=True)
    assert (closed.returncode, closed.stderr) == (0, b"")
    script = f"cd '{gone}' && rmdir '{gone}' && PYTHONSAFEPATH=1 {words} list datasets"
    removed = subprocess.run(script, shell=True, capture_output=True, text=True)
    assert removed.returncode == 2
    assert removed.stderr.startswith("spcabench: the current folder no longer exists")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name the figures"),
        (("zhang2011_fig1", "--seeds", "1:2"), "cannot be combined with --seeds"),
        (("zhang2011_fig1", "--out", "a.svg"), "cannot be combined with --out"),
        (("none2013_fig1",), "none2013_fig1"),
    ],
)
def test_long_runs_are_made_for_named_figures_and_draw_nothing(words, said, typed):
    code, output, errors = typed("figure", *words, "--long")
    assert (code, output) == (2, "") and said in errors and len(errors.splitlines()) == 1


def test_long_runs_are_made_one_by_one_the_shortest_first(typed, monkeypatch):
    made = []
    monkeypatch.setattr(workflow, "workflow", lambda files, *_: made.append(files) or 0)
    monkeypatch.setattr(jobs, "unpublished", lambda *_: ["timed-long-b", "timed-long-a"])
    code, output, _ = typed("figure", "zhang2011_fig1", "--scale", "paper", "--long")
    assert code == 0 and "2 long runs have no published row" in output
    folder = "results/paper/rows/zhang2011_fig1"
    assert made == [[f"{folder}/timed-long-b.parquet"], [f"{folder}/timed-long-a.parquet"]]
