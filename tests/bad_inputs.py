"""Hundreds of types of invalid input for the command line: arguments, settings and files.

Each case must end in one clear line and exit code 2, or in a well-formed answer, within a few
seconds, without a traceback and in bounded memory. ``python -m tests.bad_inputs`` tries all cases
in a process with limited memory and counts the good ones of each group;
tests/cli/test_bad_inputs.py tries some of them.
"""

import contextlib
import faulthandler
import gzip
import io
import json
import os
import random
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
from spcabench.running import rows, workflow
from spcabench.solving.model import Model

ROOT = Path(__file__).parents[1]
SECONDS, ASLEEP = 60, 200  # of the processor (compiling a kernel takes 18), and of the clock
MEMORY = 4e9  # bytes of address space of the whole set
LONGEST = 200  # characters of the one line
SEED = 20  # of the mutations of files


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
    if len(messages[0]) > LONGEST:
        return f"a line of {len(messages[0])} characters: {messages[0]:.80}"
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
    "explore": ("none",),
    "merge": ("none", "other"),
    "doctor": (),
    "data": (),
    "run": ("out.parquet",),
    "draw": ("kuleshov2013_fig1", "--scale", "none"),
    "results-page": ("none",),
    "report": ("none.csv",),  # its options are those of `solve`
    "compare-page": ("none.json",),
    "grade": ("none.csv", "--problem", "pitprops"),
    "claim": ("K3", "--run", "none"),
    "advise": ("5,000 x 20,000 text",),
    "rerun": ("standard/none/3/tpower",),
}
LONG = "x" * 5000
WORDS = {
    "empty": "",
    "a blank": " ",
    "long": LONG,
    "up": "../../evil",
    "a device": "/dev/null",
    "a folder": ".",
    "of the system": "/proc/self/mem",
    "a dash": "-",
    "an umlaut": "ü",
    "a mark": "\ufeffx",
    "a line end": "x\ny",
    "a quote": "'\"",
    "a star": "*",
    "a surrogate": "\udcff",
    "brackets": "[red]x[/nosuch]",
    "nan": "nan",
    "minus": "-1",
    "zero": "0",
    "huge": "9" * 40,
    "infinite": "inf",
    "a fraction": "2.5",
    "a word": "many",
    "none": "None",
    "code": "__import__('os')",
}


def word_cases() -> Iterator[Case]:
    """Yield every argument and option of every command with every word that is invalid for it."""
    commands = typer.main.get_command(command_line.app).commands
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
def _formats() -> dict[str, bytes]:
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


def _mutations(good: bytes, rng: random.Random) -> Iterator[tuple[str, bytes]]:
    """Yield a file with different types of damage at random positions."""
    size = len(good)
    for share in (0.0, 0.02, 0.1, 0.5, 0.9, 0.99):
        yield f"cut at {share:.0%}", good[: int(share * size)]
    yield "twice", good * 2
    yield "of zeros", bytes(size)
    yield "of bytes", rng.randbytes(size)
    yield "of blanks", b" \n" * 30
    yield "with a mark", b"\xef\xbb\xbf" + good
    yield "gzipped", gzip.compress(good, mtime=0)
    for number in (1, 3, 30):
        damaged = bytearray(good)
        for _ in range(number):
            damaged[rng.randrange(size)] = rng.randrange(256)
        yield f"{number} bytes changed", bytes(damaged)
    place = rng.randrange(size)
    yield "bytes left out", good[:place] + good[place + 7 :]
    yield "bytes put in", good[:place] + rng.randbytes(9) + good[place:]
    yield "zeros put in", good[:place] + bytes(40) + good[place:]
    yield "the largest bytes", good[:place] + b"\xff" * 16 + good[place + 16 :]
    head = rng.randrange(min(size, 200))
    yield "a damaged head", good[:head] + b"\xff" * 4 + good[head + 4 :]
    digits = list(re.finditer(rb"\d+", good)) or list(re.finditer(rb".", good, re.DOTALL))
    for what, word in (
        ("a huge number", b"9" * 30),
        ("a negative number", b"-7"),
        ("a word", b"many"),
        ("nan", b"nan"),
        ("inf", b"-inf"),
        ("nothing", b""),
        ("a large exponent", b"1e400"),
    ):
        digit = rng.choice(digits[:12])
        yield f"{what} for a number", good[: digit.start()] + word + good[digit.end() :]


def file_cases(rounds: int = 1) -> Iterator[Case]:
    """Yield damaged files of every format, which `solve` reads with -k 2."""
    for name, good in _formats().items():
        for number in range(rounds):
            rng = random.Random(f"{name} {SEED + number}")
            for what, content in _mutations(good, rng):
                arguments = ("solve", name, "-k", "2", "--solver", "grqi")
                yield Case(f"file {name}", what, arguments, name, content)


TABLE = b"id,group,age,height\n1,a,30,1.5\n2,b,,1.7\n3,a,50,1.6\n4,b,20,1.9\n"
READINGS = (
    *([option] for option in ("--scale", "--no-center", "--covariance", "--transpose")),
    *(["--missing", word] for word in ("rows", "columns", "mean", "zero")),
    *(["--label", word] for word in ("group", "age", "none", "", LONG)),
    *(["--drop", word] for word in ("group", "group,age", "none", ",", "id,group,age,height")),
    *(["--names", word] for word in (".", "none.txt", "t.csv", "/dev/zero", LONG)),
    ["--key", "x"],
    ["--drop-text"],
)


def reading_cases() -> Iterator[Case]:
    """Yield pairs of reading options for a table with text, an id column and a missing value."""
    for first in READINGS:
        for second in ([], *READINGS):
            arguments = ("solve", "t.csv", "-k", "1", *first, *second)
            yield Case(
                "options of a file", " ".join([*first, *second])[:60], arguments, "t.csv", TABLE
            )


# doors: every command that opens a file or a folder, at whatever may lie there
VECTOR = b"".join(b"%d\n" % (j < 2) for j in range(13))
JOB = b'{"solver": "grqi", "suite": "quick", "ks": []}'
PLAN = b'{"name": "x", "named": [], "broken": {}, "jobs": []}'
PROPOSAL = (
    b'{"item": "pitprops", "problem": "pitprops", "k": 2, "nonnegative": false, "value": 1.5,'
    b' "bound": 2.0, "proven": false, "support": [0, 1], "loadings": [0.7, 0.7], "who": "me",'
    b' "when": "2026-01-01", "bound_by": "", "seconds": 0.0, "bound_when": ""}'
)
CLAIMS = (ROOT / "results/published/figures/daspremont2007_fig1/claims.json").read_bytes()
PLACE = "r/figures/daspremont2007_fig1/claims.json"
DOORS = {  # the file that a command opens, what it expects there, and the words
    "grade": ("v.csv", VECTOR, ("grade", "v.csv", "--problem", "pitprops")),
    "grade npy": ("v.npy", VECTOR, ("grade", "v.npy", "--problem", "pitprops")),
    "grade parquet": ("v.parquet", b"PAR1", ("grade", "v.parquet", "--problem", "pitprops")),
    "best-known": ("p.json", PROPOSAL, ("best-known", "--take", "p.json")),
    "check": ("s.py", b"x = 1\n", ("check", "s.py")),
    "compare": ("s.py", b"x = 1\n", ("compare", "s.py", "--suite", "quick")),
    "solve by a file": ("s.py", b"x = 1\n", ("solve", "pitprops", "-k", "3", "--solver", "s.py")),
    "names": ("n.txt", b"a\nb\n", ("solve", "t.csv", "-k", "1", "--names", "n.txt")),
    "verify": (PLACE, CLAIMS, ("verify", "r")),
    "verify --names": ("n.json", b"{}", ("verify", "r", "--names", "n.json")),
    "results-page": (PLACE, CLAIMS, ("results-page", "r")),
    "claim": (PLACE, CLAIMS, ("claim", "K3", "--run", "r")),
    "explore": (PLACE, CLAIMS, ("explore", "r")),
    "advise": ("r/compare/large/rows.parquet", b"PAR1", ("advise", "text", "--run", "r")),
    "publish": (PLACE, CLAIMS, ("publish", "r")),
    "run": ("compare/jobs/q/j.json", JOB, ("run", "compare/rows/q/j.parquet")),
    "compare-page": ("x/plan.json", PLAN, ("compare-page", "x/plan.json")),
    "merge jobs": ("a/jobs.json", b'{"grqi": %s}' % JOB, ("merge", "a", "b")),
    "merge plan": ("a/plan.json", PLAN, ("merge", "a", "b")),
    "merge rows": ("a/rows.parquet", b"PAR1", ("merge", "a", "b")),
    "apply": ("m.npz", b"PK", ("apply", "m.npz", "t.csv")),
    "apply to": ("t.csv", b"a\n1\n", ("apply", "m.npz", "t.csv")),
}
DEEP = 200_000
CONTENTS = {
    "empty": b"",
    "a zero": b"\0",
    "a number": b"5",
    "text": b"text",
    "null": b"null",
    "a list": b"[]",
    "an object": b"{}",
    "deep lists": b"[" * DEEP,
    "deep objects": b'{"a":' * DEEP,
    "deep and closed": b"[" * DEEP + b"]" * DEEP,
    "a deep field": b'{"solver": ' + b"[" * DEEP + b"]" * DEEP + b"}",
    "a long number": b"9" * 10_000,
    "a huge exponent": b"1e999999",
    "not a number": b"[NaN, Infinity]",
    "not UTF-8": b"\xff\xfe\x00a",
    "a mark": b"\xef\xbb\xbf{}",
    "half a character": b'{"a": "\\ud800"}',
    "twice the same key": b'{"name": 1, "name": []}',
    "parquet's head": b"PAR1" + bytes(40) + b"PAR1",
    "a zip's head": b"PK\x03\x04" + bytes(60),
    "numpy's head": b"\x93NUMPY\x01\x00\xff\xff",
    "code": b"__import__('os').system('true')",
    "brackets": b"[/b][red]",
}
VALUES_OF_FIELDS = (b"null", b"-1", b"1e400", b'"x"', b"[]", b"{}", b"true", b"9" * 40, b'[["a"]]')


def door_cases() -> Iterator[Case]:
    """Yield every file that a command opens, with every type of content and with each field
    changed.
    """
    for door, (file, good, arguments) in DOORS.items():
        for kind, content in CONTENTS.items():
            yield Case(f"door {door}", kind, arguments, file, content)
        for kind in SPECIAL:
            yield Case(f"door {door}", kind, arguments, file, special=kind)
        if good[:1] == b"{" and good != b"{}":
            for kind, content in _with_other_fields(good):
                yield Case(f"door {door}", kind, arguments, file, content)


def _with_other_fields(good: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield JSON with a missing field, a field of a different type, or an additional field."""
    model = json.loads(good)
    inner = next(iter(model.values()))
    fields = inner if isinstance(inner, dict) else model
    for name in [*fields]:
        rest = {key: value for key, value in fields.items() if key != name}
        # a job without them is a good one, of the standard suite at its cardinalities
        changed = {} if name in ("suite", "ks") else {"nothing": rest}
        for value in VALUES_OF_FIELDS:
            if json.loads(value) == fields[name]:
                continue  # the good one
            text = json.dumps(fields | {name: "@@"}).encode().replace(b'"@@"', value)
            content = text if fields is model else b'{"grqi": %s}' % text
            yield f"{name} is {value.decode():.12}", content
        for what, other in changed.items():
            content = other if fields is model else {"grqi": other}
            yield f"{name}: {what}", json.dumps(content).encode()
    more = fields | {"more": 1}
    yield "a field too many", json.dumps(more if fields is model else {"grqi": more}).encode()


def every_case() -> Iterator[Case]:
    """Yield all cases, several thousand."""
    yield from word_cases()
    yield from cardinality_cases()
    yield from setting_cases()
    yield from reading_cases()
    yield from file_cases(rounds=3)
    yield from door_cases()


def main() -> None:
    """Try every case and print a line for each group and each fault."""
    pattern = re.compile(sys.argv[1] if len(sys.argv) > 1 else "")
    counts: dict[str, list[int]] = {}
    faulthandler.enable()
    machine.limit_memory(MEMORY)
    with workplace() as folder:
        for case in every_case():
            if pattern.search(case.group):
                wrong = fault(case, folder)
                counts.setdefault(case.group, [0, 0])[bool(wrong)] += 1
                if wrong:
                    print(json.dumps([case.group, case.kind, wrong]), file=sys.stderr, flush=True)
        left = sorted(p.name for p in folder.iterdir())
    for group, (good, bad) in counts.items():
        print(f"{good + bad:5} tried  {good:5} good  {bad:5} not good  {group}")
    total = [sum(column) for column in zip(*counts.values(), strict=True)]
    print(f"{sum(total):5} tried  {total[0]:5} good  {total[1]:5} not good; left: {left}")
    os._exit(int(total[1] > 0))


if __name__ == "__main__":
    main()
