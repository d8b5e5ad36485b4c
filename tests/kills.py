"""Interrupt commands that change the user's files: each file is either unchanged or fully updated.

``python -m tests.kills --moments 40`` tries 40 moments for each command.
"""

import argparse
import hashlib
import json
import random
import subprocess
import sys
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

from spcabench.comparison import best_known
from spcabench.running import workflow
from tests import faults

CONTENT = bytes(range(256)) * 8000
IDENTITY = ("-c", "user.name=a", "-c", "user.email=b")
MOVED = 0.3  # seconds in which a file is downloaded


class Slow(BaseHTTPRequestHandler):
    """Serve one file in pieces, from any position."""

    def do_GET(self):
        start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").removesuffix("-"))
        remaining = CONTENT[start:]
        self.send_response((206 if start else 200) if remaining else 416)
        self.send_header("Content-Length", str(len(remaining)))
        self.end_headers()
        for place in range(0, len(remaining), 1 << 16):
            with suppress(OSError):  # the other end was killed
                self.wfile.write(remaining[place : place + (1 << 16)])
            time.sleep(MOVED * (1 << 16) / len(CONTENT))

    def log_message(self, *args):
        pass


class Publish:
    """Publish the run of one figure again."""

    words = ("publish", "results/quick")

    def prepare(self, workspace):
        workspace.run("figures")
        (workspace.folder / ".gitignore").write_text(
            "/results/*\n!/results/published/\n__pycache__/\n.*.lock\n.snakemake/\nballast\ncache/\n"
        )
        (workspace.folder / "README.md").write_text(
            "<!-- published: made by `make publish` -->\n<!-- end of published -->"
        )
        _git(workspace, "init", "--quiet")
        self.reset(workspace)

    def reset(self, workspace):
        _git(workspace, "add", "--all")
        _git(
            workspace,
            *["-c", "user.name=a", "-c", "user.email=b", "commit", "-qm", "x", "--allow-empty"],
        )

    def whole(self, workspace):
        home = workspace.folder / "results" / "published"
        if not home.exists():
            return  # published for the first time
        stored = json.loads((home / "about.json").read_text())["sha256"]
        files = {f.relative_to(home).as_posix() for f in home.rglob("*") if f.is_file()}
        assert files == {*stored, "about.json"}
        for name, checksum in stored.items():
            assert hashlib.sha256((home / name).read_bytes()).hexdigest() == checksum, name


class Merge:
    """Merge two comparisons."""

    words = ("merge", "results/compare/a", "results/compare/b", "--name", "both")

    def prepare(self, workspace):
        for name, solver in dict(a="grqi", b="tpower").items():
            options = ("--against", "none", "--suite", "trial", "--name", name)
            faults.COMMANDS[f"compare {name}"] = ["compare", solver, *options]
            workspace.run(f"compare {name}")

    def reset(self, workspace):
        pass

    def whole(self, workspace):
        home = workspace.folder / "results" / "compare" / "both"
        for file in home.rglob("*") if home.exists() else ():
            if file.suffix == ".json":
                json.loads(file.read_text())
            elif file.suffix == ".parquet":
                assert not workflow.fault_of(file), file
            elif file.suffix == ".html":
                assert file.read_text().rstrip().endswith("</html>"), file


class Update:
    """Update the table of best known answers from comparisons."""

    words = ("best-known", "--update", "0")

    def prepare(self, workspace):
        Merge().prepare(workspace)
        self.reset(workspace)

    def reset(self, workspace):
        """Remove the entries for the compared problem from the table of best known answers."""
        table = self._table(workspace)
        entries = [e for e in best_known.read(table).values() if e.item != "pit props"]
        best_known.write(entries, table)

    def whole(self, workspace):
        assert len(best_known.read(self._table(workspace))) > 100

    def _table(self, workspace):
        return workspace.folder / "spcabench" / "comparison" / "best_known.json"


class Fetch:
    """Download a file from a server on this machine."""

    words = ("data", "alon")

    def prepare(self, workspace):
        server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        dataset = workspace.folder / "spcabench" / "datasets" / "alon.py"
        address = f"http://127.0.0.1:{server.server_port}/a"
        line = f'FILES = [sources.File(FILE, "{_checksum(CONTENT)}", "{address}", {len(CONTENT)})]'
        dataset.write_text(f"{dataset.read_text()}\n{line}\n")

    def reset(self, workspace):
        for file in self._files(workspace):
            file.unlink()

    def whole(self, workspace):
        files = [file for file in self._files(workspace) if file.suffix != ".part"]
        assert all(_checksum(file.read_bytes()) == _checksum(CONTENT) for file in files)

    def _files(self, workspace):
        return [f for f in (workspace.folder / "cache").rglob("*alon*") if f.is_file()]


def _checksum(content):
    return hashlib.sha256(content).hexdigest()


def _git(workspace, *arguments):
    subprocess.run(["git", "-C", workspace.folder, *arguments], check=True, capture_output=True)


COMMANDS = {made.__name__.lower(): made for made in (Publish, Merge, Update, Fetch)}


def trials(folder, name, moments, choice, kinds=tuple(faults.FAULTS)):
    """Disturb a command several times; yield each fault and the command's output."""
    command, workspace = COMMANDS[name](), faults.Workspace(folder)
    faults.COMMANDS[name] = [*command.words]
    command.prepare(workspace)
    seconds = workspace.run(name)
    command.whole(workspace)
    for number in range(moments):
        command.reset(workspace)
        moment, limit = choice.uniform(0.0, seconds), choice.randint(5_000, 200_000)
        kind = kinds[number % len(kinds)]
        message = faults.disturb(workspace, name, kind, moment, limit, command.whole)
        yield f"{kind} after {moment:.2f} of {seconds:.2f} s: {message[:1] or ''}"


def main():
    """Interrupt each command at many moments; the exit code is 0 if every trial succeeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moments", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault", action="append", choices=[*faults.FAULTS], help="by default all")
    parser.add_argument("commands", nargs="*", default=[*COMMANDS])
    options = parser.parse_args()
    failures = 0
    for name in options.commands:
        with TemporaryDirectory() as folder, faults.disk(folder, "96m") as mounted:
            asked = options.fault or faults.FAULTS
            kinds = [kind for kind in asked if mounted or kind != "disk full"]
            choice = random.Random(f"{name} {options.seed}")
            try:
                outcomes = trials(Path(folder), name, options.moments, choice, kinds)
                for number, line in enumerate(outcomes, 1):
                    print(f"{name} {number}: {line}", flush=True)
            except Exception as error:
                failures += 1
                print(f"{name}: FAILED: {type(error).__name__}: {error}", flush=True)
    sys.exit(int(failures > 0))


if __name__ == "__main__":
    main()
