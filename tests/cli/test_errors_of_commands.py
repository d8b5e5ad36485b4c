"""What the command line does about errors: one line for what a user did wrong, a traceback for a
bug, and a warning where two checkouts are mixed.
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
from spcabench.cli import options, settings, solvers
from spcabench.errors import InputError
from spcabench.running import description, workflow
from spcabench.solving.driver import parameters
from tests.bad_inputs import LONGEST
from tests.system_processes import called, gone

SOLVER = '''"""A solver with a mistake."""

import numpy as np

from spcabench.iterate import Traits

TRAITS = Traits(control="cardinality")
EXAMPLE = dict(k=3)


def solve(problem, *, k):
    A = np.ones((3, 4))
'''


@pytest.fixture
def typed(spcabench):
    """The command line: words -> exit code, output, errors."""

    def run(*arguments):
        completed = spcabench(*arguments)
        return completed.returncode, completed.stdout, completed.stderr

    return run


@pytest.fixture
def own_solver(tmp_path, monkeypatch):
    """A function that writes a solver of one's own, mine.py, into the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(body):
        (tmp_path / "mine.py").write_text(SOLVER + body)
        return "mine.py"

    return write


def test_what_ones_own_solver_prints_is_no_part_of_the_answer(typed, own_solver):
    body = "    print('hello')\n    yield np.eye(problem.n)[0]\n"
    code, output, errors = typed(
        "solve", "pitprops", "--solver", own_solver(body), "-k", "3", "--json"
    )
    assert code == 0 and json.loads(output) and "hello" in errors


def test_a_device_or_a_pipe_is_not_replaced(typed, tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    code, _, errors = typed("solve", "pitprops", "-k", "3", "--out", pipe)
    assert (
        code == 2
        and "cannot be written, because it is a device or a pipe" in errors
        and pipe.is_fifo()
    )


def test_a_file_that_is_no_solver_is_told_so(typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("x = 1\n")
    _, output, _ = typed("check", "mine.py")
    assert "fails        says what it is: the file has no TRAITS" in output


@pytest.mark.parametrize(
    "body", ["raise KeyboardInterrupt\n", SOLVER + "    raise KeyboardInterrupt\n    yield A\n"]
)
def test_an_interruption_inside_ones_own_file_says_where(body, typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(body)
    code, _, errors = typed("solve", "pitprops", "--solver", "mine.py", "-k", "3")
    assert code == 130
    assert re.fullmatch(
        r"spcabench: interrupted \(mine.py, line \d+: raise KeyboardInterrupt\)\n", errors
    )


LOOP = "while True:\n    pass\n"
ENDLESS = {  # a solver that never answers -> what is said
    "import": (LOOP, "mine.py: its import did not end within its limit of 1 s"),
    "solve": (
        SOLVER + "    import time\n    time.sleep(1e6)\n    yield A\n",
        "a step of solve did",
    ),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_solver_that_never_answers_is_one_line_with_its_limit(name, typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(solvers, "IMPORT", 1.0)
    monkeypatch.setattr(solvers, "SILENCE", 1.0)
    monkeypatch.setattr(description, "PATIENCE", 1.0)
    content, message = ENDLESS[name]
    (tmp_path / "mine.py").write_text(content)
    code, _, errors = typed("solve", "pitprops", "--solver", "mine.py", "-k", "3")
    assert code == 2 and message in errors and len(errors.splitlines()) == 1, errors
    code, output, _ = typed("check", "mine.py", "--patience", "1")
    assert code == 1 and "it did not finish within 1 s" in output
    if name == "import":
        code, _, errors = typed("compare", "mine.py")
        assert (code, errors) == (2, "spcabench: mine.py: its import: ended after 1 s\n")


HANG = "any(iter(int, 1))  # no step of Python's"
SOLVE_SOON = """
import sys
from spcabench.cli import application, solvers
from spcabench.running import watchdog
solvers.IMPORT = solvers.SILENCE = watchdog.LATER = 1.0
sys.argv = ["spcabench", "solve", "pitprops", "-k", "3", "--solver", sys.argv[1]]
application.main()
"""


@pytest.mark.parametrize("text", [HANG, f"{SOLVER}    {HANG}\n    yield A\n"])
def test_a_solver_that_stays_in_compiled_code_ends_the_command(text, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(text)
    ended = subprocess.run(
        [sys.executable, "-c", SOLVE_SOON, file], capture_output=True, text=True, timeout=60
    )
    line = f"spcabench: {file}: it did not return within its limit of 1 s\n"
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", line)
    assert gone(called(str(file)))


def test_ctrl_c_in_a_terminal_reaches_the_command_alone(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        f"{SOLVER}    import time\n    print(flush=True)\n    time.sleep(60)\n    yield A\n"
    )
    words = ("-m", "spcabench", "solve", "pitprops", "-k", "3", "--solver", file)
    command = subprocess.Popen(
        [sys.executable, *words], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert command.stderr.readline() == "\n"  # it is at work
    os.killpg(command.pid, signal.SIGINT)
    _, errors = command.communicate(timeout=60)
    assert (command.returncode, errors.count("\n")) == (130, 1) and "mine.py" in errors, errors
    assert gone(called(str(file)))


def test_check_tells_a_failed_import_once(typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("import nosuchmodule\n")
    code, output, _ = typed("check", "mine.py")
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
def test_a_full_disk_is_one_line_before_the_work(
    arguments, typed, data_folder, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))  # no file can grow any more
    try:
        code, output, errors = typed(*arguments)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (code, output) == (2, "") and len(errors.splitlines()) == 1
    assert errors.startswith("spcabench: ") and "cannot be written (" in errors


def test_columns_of_one_name_are_noted(typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("a,a,b\n1,2,4\n2,1,1\n4,4,0\n3,1,1\n")
    code, output, _ = typed("solve", "a.csv", "-k", "2")
    assert code == 0 and "several columns are named 'a'" in output


@pytest.mark.parametrize("place", [0, 1, 6])
def test_debug_shows_the_traceback_wherever_it_stands(place, typed, own_solver):
    arguments = [
        "solve",
        "pitprops",
        "--solver",
        own_solver("    yield A @ np.ones(5)\n"),
        "-k",
        "3",
    ]
    arguments.insert(place, "--debug")
    code, _, errors = typed(*arguments)
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
        solver = own_solver("    yield np.eye(problem.n)[0]\n")
        monkeypatch.setattr(api, "components", broken)
    else:
        monkeypatch.setattr(registry.module("solver", solver), "solve", broken)
    arguments = ["spcabench", "solve", "pitprops", "--solver", solver, "-k", "3"]
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(type(error)) as caught:
        command_line.main()
    assert caught.value is error


def test_an_infeasible_answer_says_why(typed, own_solver):
    body = "    yield np.ones(problem.n)\n"
    code, output, _ = typed("solve", "pitprops", "--solver", own_solver(body), "-k", "3")
    assert code == 0 and "note: no answer: x has norm 3.60555" in output


WRONG_SETTINGS = [
    ("grqi", "J", "write NAME=VALUE"),
    ("grqi", "=3", "write NAME=VALUE"),
    ("grqi", "k=3", "its own option: -k"),
    ("grqi", "seed=3", "its own option: --seed"),
    ("grqi", "nonnegative=maybe", "its own option: --nonnegative"),
    ("grqi", "refit=true", "its own option: --refit"),
    ("grqi", "deflation=schur", "its own option: --deflation"),
    ("amanpg", "components=2", "its own option: --components"),
    ("grqi", "history=3", "give true or false"),
    ("grqi", "fresh=yes", "give true or false"),
    ("grqi", "max_iterations=2.5", "give a whole number"),
    ("grqi", "max_iterations=-1", "give a whole number"),
    ("grqi", "max_iterations=" + "9" * 5000, "give a whole number"),
    ("grqi", "J=nan", "give a number from 0"),
    ("grqi", "J=-2", "give a number from 0"),
    ("grqi", "J=two", "give a number from 0"),
    ("grqi", "mu=", "give a word"),
    ("grqi", "start=1", "give a list of numbers"),
    ("grqi", "start=[true]", "give a list of numbers"),
    ("grqi", "start=[NaN]", "give a list of numbers"),
    ("grqi", "start=" + "[" * 10**5, "give a list of numbers"),
    ("grqi", "max_iteration=3", "did you mean 'max_iterations'"),
    ("mcol", "c=2.5", "give a whole number"),
    ("em", "restarts=many", "give a whole number"),
    ("bca", "eps=inf", "give a finite number"),
    ("grqi", "tol=inf", "give a finite number"),
    ("alternating_deflation", "cardinalities=3", "give a list"),
]
CARDINALITIES = "-k: {!r}; give whole numbers from 1: 10, a list"
WRONG = [
    "''",
    "0",
    "-1",
    "x",
    "3,",
    ",",
    "5:2",
    "5:50:0",
    "50:5:-5",
    "1:2:3:4",
    "2.5",
    ":",
    "1,5:2",
]
LINES = {  # words, in a folder with the files below -> what the one line says
    # files that are not there, are folders, or hold something else
    "grade folder.csv --problem pitprops": "folder.csv: a folder; expected a file",
    "grade none.npy --problem pitprops": "none.npy: no such file",
    "check folder.csv": "'folder.csv' is a folder; give the name of a solver",
    "check folder.py": "'folder.py' is a folder",
    "check good.csv": "does not end in .py",
    "check none.py": "none.py",
    "compare none.py": "none.py",
    "merge nosuch nosuch": "nosuch: no such folder",
    "merge good.csv run": "good.csv: a file; expected the folder",
    "draw kuleshov2013_fig1 out --rows none.parquet": "none.parquet",
    "draw kuleshov2013_fig1 out --rows bytes.parquet": "bytes.parquet",
    "verify none": "none",
    "verify run": "claims.json",
    "verify run --against none": "run",
    "verify run --names none.json": "none.json",
    "verify run --names good.csv": "good.csv",
    "compare-page none.json": "none.json",
    "results-page .": "no figures found; give the folder of a run",
    "solve none.csv -k 3": "none.csv: no such file",
    "solve folder.csv -k 3": "folder.csv: a folder",
    "solve pipe.csv -k 3": "pipe.csv: a device or a pipe",
    f"solve {'x' * 5000}.csv -k 3": "name too long",
    "draw kuleshov2013_fig2 new --rows good.csv": "good.csv",
    "grade x.npy --problem colonn": "did you mean 'colon'?",
    "grade x.npy --problem good.csv --submit p.json": "not a problem of the suites",
    "grade x.npy --problem mll -k 10": "give 'mll genes=300' or 'mll whole'",
    "best-known mll": "give 'mll genes=300' or 'mll whole'",
    "best-known golub": "problems of these data are ['leukemia']",
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
    "solve good.csv -k 1 --key q": "--key: works with .npz files only",
    "solve good.csv": "needs a cardinality",
    "solve good.csv -k 1 --set tol=x": "tol=x",
    "solve named.csv -k 3": "n = 2 (column 't' is a different text in each row: taken as",
    # a file that is read is not replaced
    "solve good.csv -k 2 --out good.csv": "--out: 'good.csv' is read by this command",
    "apply m.npz good.csv --out ./good.csv": "--out: 'good.csv' is read by this command",
    "grade x.npy --problem pitprops --submit x.npy": "--submit: 'x.npy' is read by this command",
    # names and numbers out of range
    "compare grqi --name ../../evil": "--name: '../../evil'",
    "compare grqi --name /tmp/evil": "--name",
    "compare grqi --name ..": "--name",
    "compare grqi --name rows": "but not commands, jobs, rows",
    f"compare grqi --name {'x' * 300}": "at most 150",
    "compare grqi --suite quick -k 100000": "has 150 variables",
    "new solver class": "'class' already has a meaning in Python",
    "new solver numpy": "'numpy' already has a meaning in Python",
    "new solver ../x": "letters, digits and _",
    f"new solver {'x' * 300}": "name too long",
    "new figure x": "write `new solver NAME`",
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
        f"grade x.npy --problem pitprops -k {k}": f"k: {k} is out of range; it must be from 1"
        for k in (14, 10**30)
    },
    # settings
    **{
        f"solve pitprops -k 2 --solver {name} --set {shlex.quote(text)}": message
        for name, text, message in WRONG_SETTINGS
    },
    **{
        f"solve pitprops -k 3 --solver grqi --set stop={rule}": f"stop: {rule!r} needs a solver"
        for rule in ("gap", "objective")
    },
    # options that would do nothing
    **{
        f"solve pitprops -k 3 {option}": f"{option.split()[0]}: works with files only;"
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
def folder(tmp_path, monkeypatch):
    """A current folder of files that are wrong in ordinary ways, and of some that are right."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(options, "ROOT", tmp_path)
    for kind in ("csv", "png", "py"):
        (tmp_path / f"folder.{kind}").mkdir()
    os.mkfifo(tmp_path / "pipe.csv")
    for kind in ("parquet", "txt"):
        (tmp_path / f"bytes.{kind}").write_bytes(bytes(range(256)))
    (tmp_path / "named.csv").write_text("t,a,b\nx,1,2\ny,2,1\nz,4,4\n")
    np.savetxt(tmp_path / "good.csv", np.random.default_rng(0).random((9, 4)), delimiter=",")
    np.save(tmp_path / "x.npy", np.eye(13)[0])
    claims = tmp_path / "run" / "figures" / "kuleshov2013_fig1" / "claims.json"
    claims.parent.mkdir(parents=True)
    claims.write_text('{"schema": 1,\n "claims"')
    return tmp_path


def _shown(folder):
    """The files in a folder, but for locks."""
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
    code, output, errors = typed(
        "solve", "good.csv", "-k", "2", "--out", "x.csv", "--plot", "x.png"
    )
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


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        (None, []),
        ("10", [10]),
        ("5,10,20", [5, 10, 20]),
        ("20,5,10,5", [5, 10, 20]),
        ("5:8", [5, 6, 7, 8]),
        ("5:50:15", [5, 20, 35, 50]),
        ("1:3,10,20:40:10", [1, 2, 3, 10, 20, 30, 40]),
        ("4:4", [4]),
        (" 3, 4 ", [3, 4]),
    ],
)
def test_cardinalities(text, numbers):
    assert options.cardinalities(text) == numbers
    assert sorted(set(options.listed(text))) == numbers


def test_compare_takes_a_range(typed, tmp_path, monkeypatch):
    from spcabench.comparison import jobs

    monkeypatch.setattr(options, "ROOT", tmp_path)
    monkeypatch.setattr(workflow, "workflow", lambda *words: 1)
    words = ("compare", "grqi", "--against", "none", "--suite", "quick", "-k", "2:6:2")
    assert typed(*words)[0] == 1  # as the workflow says
    (file,) = (tmp_path / "results" / "compare" / "jobs").glob("*/*.json")
    assert jobs.Job.read(file).ks == (2, 4, 6)


SETTINGS = [
    ("grqi", "J=2", 2.0),
    ("grqi", "J=inf", np.inf),
    ("grqi", "mu=carried", "carried"),
    ("grqi", "mu_0=0.5", 0.5),
    ("grqi", "start=[1, 0.5]", [1, 0.5]),
    ("grqi", " tol = 1e-3 ", 1e-3),
    ("grqi", "stop=end", "end"),
    ("grqi", "max_iterations=7", 7),
    ("grqi", "history=True", True),
    ("grqi", "blocks=0", 0.0),
    ("em", "restarts=4", 4),
    ("mcol", "c=3", 3),
    ("bca", "screen=false", False),
    ("bca", "eps=0.5", 0.5),
    ("alternating_deflation", "cardinalities=[3, 2]", [3, 2]),
    ("grqi", "time_limit=inf", np.inf),
    ("gpower1", "gamma=0.5", 0.5),
]


@pytest.mark.parametrize(("solver", "text", "value"), SETTINGS)
def test_a_setting_has_the_type_of_the_signature_that_takes_it(solver, text, value):
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
        with pytest.raises(InputError, match="give a whole number"):
            settings.read(["other=4.5"], "mine")


def test_a_setting_given_twice_is_refused():
    with pytest.raises(InputError, match="J is given twice"):
        settings.read(["J=2", "J=3"], "grqi")


def test_scale_and_center_are_applied_to_a_dataset_that_has_them(monkeypatch, typed):
    options_seen = {}
    monkeypatch.setattr(api, "load", lambda name, **how: options_seen.update(how) or sys.exit(0))
    typed("solve", "alon", "-k", "3", "--scale", "--no-center")
    assert options_seen == dict(scale=True, center=False, stand_in=False)


# two checkouts
def copied(folder):
    """The package, its solvers and its datasets, in another folder, as a work tree has them."""
    for name in ("spcabench", "solvers", "datasets"):
        ignored = shutil.ignore_patterns("__pycache__", "figures", "results")
        shutil.copytree(options.ROOT / name, folder / name, ignore=ignored)
    return folder


def spoken(folder, *arguments):
    """What a new process in a folder says on its error stream; the folder is first on its path."""
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
def test_a_trait_that_does_not_exist_fails_the_check(trait, typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd.py").write_text(
        f'"""Odd."""\nfrom spcabench.iterate import Traits\n'
        f"TRAITS = Traits(control='cardinality', {trait})\nEXAMPLE = {{'k': 2}}\n"
        "def solve(problem, *, k):\n    yield None\n"
    )
    code, output, errors = typed("check", "odd.py")
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
