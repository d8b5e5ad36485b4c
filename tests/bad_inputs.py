"""Hundreds of types of invalid input for the command line: arguments, settings and files.

Each case must end in one clear line and exit code 2, or in a well-formed answer, within a few
seconds and without a traceback. tests/cli/test_bad_inputs.py tries a sample.
"""

import contextlib
import gzip
import io
import os
import re
import shutil
import signal
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import scipy.io
import scipy.sparse as sp
import typer

from spcabench import machine, registry
from spcabench.checking import conformance
from spcabench.cli import application as command_line
from spcabench.cli import options, settings
from spcabench.comparison import making
from spcabench.running import rows, workflow
from spcabench.solving.model import Model

ROOT = Path(__file__).parents[1]
SECONDS, ASLEEP = 60, 200  # of the processor (compiling a kernel takes 18), and of the clock
LONGEST = 200  # characters of the one line


@dataclass(frozen=True)
class Case:
    """A command line, run in a folder that can contain one invalid file.

    special : key of SPECIAL; what is in the folder instead of a regular file.
    """

    group: str
    kind: str
    words: tuple[str, ...]
    file: str = ""
    content: bytes = b""
    special: str = ""


class TooLong(BaseException):
    """Raised when a case exceeds its time limit."""


_rang: list[int] = []


def _ring(number, frame):
    _rang.append(number)  # an error in a callback of compiled code is lost
    raise TooLong


@contextlib.contextmanager
def workplace() -> Iterator[Path]:
    """Create a temporary current folder, which also receives the results."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        folder = Path(name)
        with mock.patch.object(options, "ROOT", folder):
            yield folder


def fault(case: Case, folder: Path) -> str:
    """Return the fault in the outcome of a case, or "" if the outcome is correct."""
    if case.file:
        _lay(folder / case.file, case)
    output, errors = io.StringIO(), io.StringIO()
    signal.signal(signal.SIGALRM, _ring)
    signal.signal(signal.SIGPROF, _ring)
    _rang.clear()
    signal.alarm(ASLEEP)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with (
            _typed(case.words),
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(errors),
        ):
            command_line.main()
        code = 0
    except SystemExit as end:
        code = end.code
    except TooLong:
        return f"no end within {SECONDS} s"
    except BaseException as error:
        text = " ".join(str(error).split())
        return f"traceback: {type(error).__name__}: {text:.200}"
    finally:
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        if case.file:
            _take_away(folder / case.file)
    if _rang:
        return f"no end within {SECONDS} s"
    return _words_fault(case.words[0], code, output.getvalue(), errors.getvalue())


SPECIAL = {
    "a pipe": os.mkfifo,
    "an endless device": lambda path: path.symlink_to("/dev/zero"),
    "memory of the system": lambda path: path.symlink_to("/proc/self/mem"),
    "a folder": Path.mkdir,
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to nothing": lambda path: path.symlink_to("nothing"),
    "a terabyte": lambda path: path.touch() or os.truncate(path, 10**12),
}


def _lay(path: Path, case: Case) -> None:
    """Write the invalid file of a case, and valid files next to it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for name, content in _surroundings().items():
        (path.parents[len(Path(case.file).parts) - 1] / name).parent.mkdir(exist_ok=True)
        (path.parents[len(Path(case.file).parts) - 1] / name).write_bytes(content)
    _take_away(path)
    if case.special:
        SPECIAL[case.special](path)
    else:
        path.write_bytes(case.content)


def _take_away(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)


@cache
def _surroundings() -> dict[str, bytes]:
    """Return the valid files that commands need in addition to the invalid file."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows.write([], folder / "rows.parquet")
        x = np.eye(4)[:, :1]
        Model(x, [*"abcd"], np.zeros(4), np.ones(4), {}).save(folder / "m.npz")
        contents = {file.name: file.read_bytes() for file in folder.iterdir()}
    pages = {
        f"{part}/{name}": content
        for part in "ab"
        for name, content in (
            ("jobs.json", b'{"grqi": %s}' % JOB),
            ("rows.parquet", contents["rows.parquet"]),
        )
    }
    return {"t.csv": b"a,b,c,d\n1,2,3,4\n2,1,5,3\n4,2,2,2\n", "m.npz": contents["m.npz"], **pages}


@contextlib.contextmanager
def _typed(words: tuple[str, ...]) -> Iterator[None]:
    with (
        mock.patch.object(sys, "argv", ["spcabench", *words]),
        mock.patch.object(workflow, "workflow", lambda *given, **more: 1),
        mock.patch.object(making, "compute", mock.Mock(side_effect=typer.Exit(1))),
        mock.patch.object(conformance, "mistakes", lambda *given: iter(())),
        mock.patch.object(command_line, "_raise_on_termination", lambda: None),
        mock.patch.object(machine, "pin_threads", lambda: None),
        mock.patch.object(conformance, "check", lambda *given: iter(())),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("error")
        yield


def _words_fault(command: str, code: object, output: str, errors: str) -> str:
    messages = [line for line in errors.splitlines() if "chosen for" not in line]
    if code in (0, None, 1):
        if "Traceback" in output + errors:
            return f"a traceback is printed: {(output + errors).strip()[-200:]}"
        answered = command == "solve" and re.search(r"\bnan\b", output)
        return "nan in the answer" if answered else ""
    if code != 2:
        return f"exit code {code}"
    if len(messages) != 1 or not messages[0].startswith("spcabench: "):
        return f"{len(messages)} lines: {messages[:3]}"
    line = messages[0].replace(f"{os.getcwd()}/", "")
    if len(line) > LONGEST:
        return f"a line of {len(line)} characters: {line:.80}"
    return ""


# words
GOOD_WORDS = {  # words with which each command would run, cheaply
    "solve": ("pitprops", "-k", "3", "--solver", "grqi"),
    "apply": ("none.npz", "none.csv"),
    "list": ("figures",),
    "new": ("solver", "mine"),
    "check": ("grqi",),
    "compare": ("grqi", "--against", "none", "--suite", "quick"),
    "best-known": (),
    "figure": ("kuleshov2013_fig1",),
    "verify": ("none",),
    "publish": ("none",),
    "explore": (),
    "merge": ("none", "other"),
    "doctor": (),
    "data": (),
    "run": ("out.parquet",),
    "draw": ("kuleshov2013_fig1", "none"),
    "results-page": ("none",),
    "report": ("none.csv",),  # its options are those of `solve`
    "grade": ("none.csv", "--problem", "pitprops"),
    "claim": ("K3", "--run", "none"),
    "advise": ("5,000 x 20,000 text",),
    "rerun": ("standard/none/3/tpower",),
}
LONG = "x" * 5000
WORDS = {
    "empty": "",
    "long": LONG,
    "up": "../../evil",
    "of the system": "/proc/self/mem",
    "an umlaut": "ü",
    "a mark": "\ufeffx",
    "a line end": "x\ny",
    "a surrogate": "\udcff",
    "brackets": "[red]x[/nosuch]",
    "nan": "nan",
    "zero": "0",
    "huge": "9" * 40,
    "a fraction": "2.5",
    "a word": "many",
    "code": "__import__('os')",
}


def word_cases() -> Iterator[Case]:
    """Yield every argument and option of every command with every word that is invalid for it."""
    commands = typer.main.get_group(command_line.app).commands
    for name in commands:
        values = GOOD_WORDS[name]  # a new command is missed here
        for place, good in enumerate(values):
            if good.startswith("-") or (place and values[place - 1].startswith("-")):
                continue
            for kind, word in WORDS.items():
                typed = (*values[:place], word, *values[place + 1 :])
                yield Case(f"arguments of {name}", f"argument {place + 1} {kind}", (name, *typed))
        for parameter in commands[name].params:
            option = parameter.opts[-1]
            if not option.startswith("--") or getattr(parameter, "is_flag", False):
                continue
            for kind, word in WORDS.items():
                yield Case(f"options of {name}", f"{option} {kind}", (name, *values, option, word))
        yield Case(f"options of {name}", "unknown", (name, *values, "--nosuch"))
        yield Case(f"arguments of {name}", "one too many", (name, *values, "a", "b", "c"))
        yield Case(f"arguments of {name}", "none", (name,))
    for kind, word in WORDS.items():
        yield Case("commands", kind, (word,))


CARDINALITIES = (
    *("0", "-1", "x", "3,", ",", "5:2", "5:50:0", "50:5:-5", "1:2:3:4", "2.5", ":", "1,5:2"),
    *("1:99999999999", "100000", "14", "1:14", "1e3", "0x10", "3;4", "3-5", "--3", "+3"),
    *("1:13:1:1", "٣", "½", "∞", "1_0", "1__0", "3.0", "[3]", "{3}", "3k", "k=3", ":5", "5:"),
    *("5::2", "3 4", "3/4", "1:5,", "", " "),
    "9" * 5000,
    "1," * 20000,
    "1:" + "9" * 40,
)


def cardinality_cases() -> Iterator[Case]:
    """Yield cardinalities that are malformed, slightly too large or far too large."""
    for text in CARDINALITIES:
        yield Case("-k", f"{text:.20}", ("solve", "pitprops", "--solver", "grqi", "-k", text))
        arguments = ("compare", "grqi", "--against", "none", "--suite", "quick", "-k", text)
        yield Case("-k of compare", f"{text:.20}", arguments)


VALUES = ("0", "1", "3", "-1", "1e300", "1e-300", "inf", "nan", "", "x", "true", "[1]", "2.5")


def setting_cases() -> Iterator[Case]:
    """Yield every setting of every solver with values of every type and at its limits."""
    for solver in registry.names("solver"):
        traits = registry.module("solver", solver).TRAITS
        for name in settings.kinds(solver):
            control = () if traits.control is None or name == traits.penalty else ("-k", "3")
            for value in VALUES:
                arguments = ("solve", "pitprops", "--solver", solver, *control)
                for limit in ("time_limit=1", "max_iterations=30"):
                    arguments += () if limit.startswith(name) else ("--set", limit)
                arguments += ("--set", f"{name}={value}")
                yield Case(f"settings of {solver}", f"{name}={value}", arguments)


# files
def formats() -> dict[str, bytes]:
    """Return a valid file of each format."""
    rng = np.random.default_rng(3)
    X = np.round(rng.standard_normal((12, 4)) * 3 + 5, 2)
    frame = pd.DataFrame(X, columns=["age", "height", "dose", "pulse"])
    text = frame.to_csv(index=False).encode()
    files = {
        "a.csv": text,
        "a.csv.gz": gzip.compress(text, mtime=0),
        "b.csv": frame.to_csv(index=False, sep=";", decimal=",").encode("utf-16"),
        "a.tsv": frame.to_csv(index=False, sep="\t").encode(),
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.save(folder / "a.npy", X)
        np.savez_compressed(folder / "a.npz", X=X)
        for kind in ("csr", "csc", "coo", "bsr", "dia"):
            sp.save_npz(folder / f"{kind}.npz", sp.csr_array(X).asformat(kind), compressed=False)
        scipy.io.mmwrite(folder / "a.mtx", sp.coo_array(X))
        scipy.io.mmwrite(folder / "dense.mtx", X)
        frame.to_parquet(folder / "a.parquet")
        files |= {file.name: file.read_bytes() for file in folder.iterdir()}
    counts = np.argwhere(X > 0) + 1
    lines = [f"{d} {w} {d + w}" for d, w in counts]
    files["docword.a.txt"] = "\n".join(["12", "4", str(len(lines)), *lines, ""]).encode()
    return files


# doors: every command that opens a file or a folder, at whatever may lie there
JOB = b'{"solver": "grqi", "suite": "quick", "ks": []}'
PLACE = "r/figures/daspremont2007_fig1/claims.json"
DOORS = {  # the file that a command opens, and the words
    "grade": ("v.csv", ("grade", "v.csv", "--problem", "pitprops")),
    "grade npy": ("v.npy", ("grade", "v.npy", "--problem", "pitprops")),
    "grade parquet": ("v.parquet", ("grade", "v.parquet", "--problem", "pitprops")),
    "best-known": ("p.json", ("best-known", "--take", "p.json")),
    "check": ("s.py", ("check", "s.py")),
    "compare": ("s.py", ("compare", "s.py", "--suite", "quick")),
    "names": ("n.txt", ("solve", "t.csv", "-k", "1", "--read", "names=n.txt")),
    "verify": (PLACE, ("verify", "r")),
    "results-page": (PLACE, ("results-page", "r")),
    "claim": (PLACE, ("claim", "K3", "--run", "r")),
    "publish": (PLACE, ("publish", "r")),
    "run": ("compare/jobs/q/j.json", ("run", "compare/rows/q/j.parquet")),
    "merge jobs": ("a/jobs.json", ("merge", "a", "b")),
    "merge plan": ("a/plan.json", ("merge", "a", "b")),
    "merge rows": ("a/rows.parquet", ("merge", "a", "b")),
    "apply": ("m.npz", ("apply", "m.npz", "t.csv")),
    "apply to": ("t.csv", ("apply", "m.npz", "t.csv")),
}
DEEP = 200_000
CONTENTS = {
    "empty": b"",
    "text": b"text",
    "a list": b"[]",
    "an object": b"{}",
    "deep and closed": b"[" * DEEP + b"]" * DEEP,
    "a long number": b"9" * 10_000,
    "a huge exponent": b"1e999999",
    "not UTF-8": b"\xff\xfe\x00a",
    "parquet's head": b"PAR1" + bytes(40) + b"PAR1",
    "a zip's head": b"PK\x03\x04" + bytes(60),
    "numpy's head": b"\x93NUMPY\x01\x00\xff\xff",
    "code": b"__import__('os').system('true')",
}


def door_cases() -> Iterator[Case]:
    """Yield every file that a command opens, with every type of content."""
    for door, (file, arguments) in DOORS.items():
        for kind, content in CONTENTS.items():
            yield Case(f"door {door}", kind, arguments, file, content)
        for kind in SPECIAL:
            yield Case(f"door {door}", kind, arguments, file, special=kind)


def every_case() -> Iterator[Case]:
    """Yield all cases, of which the tests try a sample."""
    yield from word_cases()
    yield from cardinality_cases()
    yield from setting_cases()
    yield from door_cases()
