"""What a command cannot do is refused in one line that names the reason, and nothing is written.

A bug shows its traceback.
"""

import json
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from spcabench import api
from spcabench.cli import gone, options
from tests.own_solver import text_of

WRONG_K = "'' 0 -1 x 3, , 5:2 5:50:0 50:5:-5 1:2:3:4 2.5 : 1_0 ٣"
WRONG_SETTINGS = "J =3 history=3 max_iterations=2.5 max_iterations=-1 J=nan J=-2 J=two tol=inf mu= "
WRONG_SETTINGS += "start=1 start=[true] start=[NaN] j=2 k=3 refit=maybe nonnegative=true seed=-1 "
WRONG_SETTINGS += "stop=gap deflation=schur time_limit=x start=" + "[" * 10**5
WRONG_SETTINGS += " max_iterations=" + "9" * 5000
LONGEST = 200  # characters of a message
LONG = "x" * 5000
# A word in the line, and what is typed in the folder below.
TABLE = r"""
folder.csv :: check folder.csv | solve folder.csv -k 3 | grade folder.csv --problem pitprops
none. :: grade none.npy --problem pitprops | compare none.py | solve none.csv -k 3 |
    solve good.csv -k 2 --read names=none.txt | apply none.npz good.csv |
    best-known --update none.json
nosuch :: merge nosuch nosuch | verify nosuch | publish nosuch
good.csv :: merge good.csv run | check good.csv | solve good.csv -k 1 --covariance |
    grade x.npy --problem good.csv --submit p.json |
    solve good.csv -k 2 --out good.csv | apply m.npz good.csv --out ./good.csv
run :: results-page . | verify run | verify run good.csv
pipe.csv :: solve pipe.csv -k 3
name :: new solver class | new solver numpy
NAME :: new solver ../x | new figure x
bytes.txt :: solve good.csv -k 2 --read names=bytes.txt | solve bytes.txt -k 1
--out :: solve good.csv -k 2 --out folder.csv | solve good.csv -k 2 --out x.xlsx |
    solve good.csv -k 2 --out none/x.csv | figure --out x.pdf | report good.csv --out x.csv
--plot :: solve good.csv -k 2 --plot none/out.png | solve good.csv -k 2 --plot x.gif |
    solve pitprops -k 3 --plot scores:x.png | solve pitprops -k 3 --plot biplt:x.png |
    solve pitprops -k 2:4 --plot scree:x.png
'x.npy' :: grade x.npy --problem pitprops --submit x.npy
1 to 4 :: solve good.csv -k 9 | solve good.csv -k 2 --components 5
'alpha' :: solve named.csv -k 2 --label alpa | solve named.csv -k 2 --drop alpa
--missing :: solve good.csv -k 2 --missing zero
--read :: solve good.csv -k 2 --read header=maybe | solve good.csv -k 2 --read x=3 |
    solve good.csv -k 2 --read sep | solve good.csv -k 2 --read = | solve x.npy -k 2 --read na=7 |
    solve good.csv -k 2 --read 'sep=;' --read sep=,
'grqi' :: solve pitprops -k 3 --solver grqy | check grqy | compare grqy
solver '' :: solve good.csv -k 2 --solver '' | check ''
suite :: compare grqi --suite ''
--against none :: compare --against none
'pitprops' :: solve pitprop -k 3
'colon' :: grade x.npy --problem colonn
'mll whole' :: grade x.npy --problem mll -k 10 | best-known mll
'leukemia' :: best-known golub
hotelling :: solve pitprops -k 3 --components 2 --set deflation=hoteling
kuleshov2013_fig1 :: figure kuleshov2013_fi1
kind :: advise texts
at least 1 :: advise 0 x 5 | advise 5 x 0
k: 50 :: advise 100 x 20 -k 50
-k :: solve good.csv
k:  :: solve pitprops --solver grqi | grade x.npy --problem pitprops -k 14
3 cardinalities :: solve good.csv -k 1,2,3 --components 2
criterion :: solve good.csv -k auto:x
--jobs :: solve pitprops -k 3 --solver grqi --jobs 2 | figure --jobs -3
--time :: check grqi --time -1 | solve good.csv -k 2 --time inf | compare --time-limit nan |
    solve good.csv -k 2 --solver grqi --time 1 --set time_limit=2
--checks :: solve good.csv -k 2 --checks all,bound | report good.csv --checks bound, |
    report good.csv --checks ''
--size :: figure daspremont2007_gap --size 5x3 | figure daspremont2007_gap --out x.pdf --size 5x41
--scale long :: figure --scale long | figure zhang2011_fig1 --scale long --seeds 1:2
--seeds :: figure --seeds 1:2 | figure kuleshov2013_fig1 --seeds x
--name :: compare grqi --name ../../evil | compare grqi --name .. | compare grqi --name rows
--draft :: compare grqi tpower --draft | compare em --suite components --draft |
    compare em --suite components -k 3 | compare em --suite components --settings paper
--fresh :: compare grqi --fresh=x | compare grqi --fresh=7,8
--update :: best-known --update -1 | best-known --update nan
files :: solve pitprops -k 3 --scale | solve pitprops -k 3 --read key=x |
    grade x.npy --problem pitprops --covariance
--set :: solve pitprops --solver em -k 2 --set restarts=many | solve pitprops -k 2 --set gamma=1
"""
LINES = [
    (word.strip(), typed.strip())
    for word, _, commands in (
        line.partition(" :: ") for line in TABLE.replace("\n    ", " ").strip().splitlines()
    )
    for typed in commands.split(" | ")
]
LINES += [("-k", f"solve pitprops -k {text}") for text in WRONG_K.split()]
LINES += [
    (s.partition("=")[0], f"solve good.csv -k 2 --solver grqi --set {shlex.quote(s)}")
    for s in WRONG_SETTINGS.split()
]
LINES += [("xxx", f"solve {LONG}.csv -k 3"), ("name", f"new solver {LONG}")]
LINES += [("--name", f"compare grqi --name {'x' * 300}")]
LINES += [("solver", f"solve pitprops -k 2 --solver {s}") for s in (LONG, f"{LONG}.py", "a\0.py")]


@pytest.fixture
def folder(here, monkeypatch):
    """Create a current folder with files that are wrong in common ways, and with some good ones."""
    monkeypatch.setattr(options, "ROOT", here)
    for kind in ("csv", "png"):
        (here / f"folder.{kind}").mkdir()
    os.mkfifo(here / "pipe.csv")
    (here / "bytes.txt").write_bytes(bytes(range(256)))
    (here / "named.csv").write_text("town,alpha,b\nx,1,2\ny,2,1\nz,4,4\n")
    np.savetxt(here / "good.csv", np.random.default_rng(0).random((9, 4)), delimiter=",")
    api.solve(np.random.default_rng(0).random((9, 4)), k=2)
    np.save(here / "x.npy", np.eye(13)[0])
    shutil.copy(here / "x.npy", here / "m.npz")
    claims = here / "run" / "figures" / "kuleshov2013_fig1" / "claims.json"
    claims.parent.mkdir(parents=True)
    claims.write_text('{"schema": 1,\n "claims"')
    return here


def _files(folder):
    """Return the files in a folder except locks."""
    return {file for file in folder.rglob("*") if not file.name.startswith(".")}


def refused(completed):
    """Return the line of a command that was refused."""
    assert (completed.returncode, completed.stdout) == (2, ""), completed
    assert completed.stderr.startswith("spcabench: ") and completed.stderr.count("\n") == 1
    assert len(completed.stderr) <= LONGEST + 1, completed.stderr
    return completed.stderr


@pytest.mark.parametrize(("word", "typed"), LINES, ids=[typed[:70] for _, typed in LINES])
def test_what_cannot_be_done_is_one_line_and_writes_nothing(word, typed, spcabench, folder):
    before = _files(folder)
    assert word in refused(spcabench(*shlex.split(typed)))
    assert _files(folder) == before


def test_a_removed_option_says_what_to_type_instead(spcabench):
    for known, instead in gone.INSTEAD.items():
        command, _, option = known.rpartition(" ")
        typed = f"{command or 'solve'} {option}" if option.startswith("-") else known
        assert instead in refused(spcabench(*typed.split()))


PROPOSAL = dict(item="pit props", problem="pitprops", k=2, nonnegative=False, value=9.0, bound=9.0)
PROPOSAL |= dict(proven=True, support=[0, 1], loadings=[0.6, 0.8], who="me", when="2026-01-01")
PROPOSAL |= dict(bound_by="", seconds=0.0, bound_when="")
SOLVER = "solve pitprops -k 3 --solver mine.py"
WEIGHT = text_of("yield np.eye(problem.n)[0]", "def solve(problem, *, weight):")
PENALTY = "control='penalty', penalty='weight'"
FILES = {  # what is typed, and the texts of a file that are wrong for it
    "grade x.csv --problem pitprops": ["1,2\n3\n", "", "variable,x,y\ntopdiam,0.6,1\n"],
    "best-known --update p.json": [
        json.dumps(PROPOSAL | changed)
        for changed in (
            *({"loadings": [2.0, 2.0]}, {"support": [0]}, {"k": 1}, {"item": "no such problem"}),
            *({"problem": "another one"}, {"support": "x"}),
        )
    ],
    SOLVER: [
        *("x = 1\n", "TRAITS = 5\nsolve = 3\n", text_of("", "if True:")),
        *(text_of("solve = 3", "if True:"), text_of("yield A", "def solve(problem, kk=3):")),
        *(text_of("return A"), text_of("yield np.ones(5)"), text_of("yield 1j * np.ones(13)")),
        text_of("yield np.broadcast_to(1.0, (10**9,))"),
        text_of("yield np.eye(13)[0]\nyield next(iter(()))"),
        text_of("yield np.eye(13)[0]", "def solve(problem, *, k, width, seed):"),  # what is width?
        *(WEIGHT.replace('control="cardinality"', words) for words in (PENALTY, PENALTY[:17])),
    ],
    "compare mine.py": [text_of("yield ("), "x = 1\n", "import os\nos._exit(3)\n"],
}
CASES = [(typed, text) for typed, texts in FILES.items() for text in texts]


@pytest.mark.parametrize(("typed", "text"), CASES)
def test_a_file_that_is_wrong_for_its_command_is_one_line(typed, text, spcabench, here):
    (name,) = re.findall(r"\w+\.\w+", typed)
    (here / name).write_text(text)
    assert name.partition(".")[0] in refused(spcabench(*typed.split()))


@pytest.mark.parametrize(("command", "components"), [("solve", "2"), ("report", "1")])
def test_an_infeasible_answer_is_not_written(components, command, spcabench, here):
    body = "yield np.repeat([1.0, 0.0], [k + 1, problem.n - k - 1]) / np.sqrt(k + 1.0)"
    (here / "mine.py").write_text(text_of(body))
    np.savetxt("t.csv", np.random.default_rng(0).standard_normal((20, 5)), delimiter=",")
    out = "x.html" if command == "report" else "x.csv"
    words = ("t.csv", "--solver", "mine.py", "-k", "2", "--components", components, "--out", out)
    run = spcabench(command, *words)
    assert run.returncode == 2 and "3 nonzeros" in run.stderr and not (here / out).exists()


FULL = [
    *("solve none.csv -k 1 --out b.csv", "solve none.csv -k 1 --plot b.pdf", "data kos"),
    *("apply none.npz none.csv --out b.csv", "grade none.csv --problem pitprops --submit b.json"),
    *("figure kuleshov2013_fig1 --out b.pdf", "best-known --update 1"),
]


@pytest.mark.parametrize("typed", FULL)
def test_a_full_disk_is_one_line_before_the_work(typed, spcabench, data_folder, here):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))  # no file can grow any more
    try:
        line = refused(spcabench(*typed.split()))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "cannot be written (" in line


def test_debug_shows_the_traceback_wherever_it_stands(spcabench):
    words = ("solve", "pitprop", "-k", "3")
    for place in (0, 2, 4):
        run = spcabench(*words[:place], "--debug", *words[place:])
        assert run.returncode == 2 and "Traceback" in run.stderr and "'pitprops'" in run.stderr


BUGS = {"yield A @ np.ones(5)": ValueError, "yield {}[0]": KeyError}
BUGS["raise FileNotFoundError('x')\nyield A"] = FileNotFoundError  # not of a file of the command


@pytest.mark.parametrize("body", BUGS)
def test_an_error_of_a_solver_has_the_authors_traceback(body, spcabench, here):

    (here / "mine.py").write_text(text_of(body))
    with pytest.raises(BUGS[body]) as caught:  # and not an end with status 2
        spcabench(*SOLVER.split())
    assert "mine.py" in [Path(entry.path).name for entry in caught.traceback]


@pytest.mark.parametrize(("signal", "code", "shown"), [("SEGV", -11, True), ("INT", 130, False)])
def test_a_crash_shows_the_authors_line_and_ctrl_c_nothing(signal, code, shown, tmp_path):
    (tmp_path / "mine.py").write_text(
        text_of(f"import os, signal\nos.kill(os.getpid(), signal.SIG{signal})\nyield A")
    )
    words = (sys.executable, "-m", "spcabench", *SOLVER.split())
    run = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == code and ('mine.py", line 14' in run.stderr) == shown, run.stderr
