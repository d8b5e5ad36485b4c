"""Measure commits with asv, and write the history's site and the results page anew."""

import argparse
import subprocess
import sys
import webbrowser

from asv.machine import Machine, MachineCollection

from . import tally
from .counts import ROOT, THREADS, environment
from .history import RESULTS, write

ASV = [sys.executable, "-m", "asv"]


def main():
    """``run`` measures, ``count`` counts, then they show; ``site`` shows what there is."""
    words = argparse.ArgumentParser(prog="make perf", description=__doc__)
    words.add_argument("action", choices=("run", "count", "site"))
    words.add_argument(
        "--machine", default="local", help="the name that the results are kept under"
    )
    words.add_argument(
        "--commits", default="", help="a range a..b; those since the last measured one if none"
    )
    asked = words.parse_args()
    code = run(asked.machine, asked.commits) if asked.action == "run" else 0
    if asked.action == "count":
        tally.write(tally.commits(asked.commits))
    page = write(asked.machine)
    if page is None:
        sys.exit(
            f"perf: nothing is counted, and nothing measured on a machine named "
            f"{asked.machine!r}: make history, or make perf MACHINE={asked.machine}"
        )
    renew_pages()
    print(page)
    if asked.action == "site":
        webbrowser.open(page.as_uri())
    sys.exit(code)


def run(machine, commits):
    """Measure what is missing; asv's exit code (2 : a benchmark failed, the others are kept)."""
    known = [file for file in (RESULTS / machine).glob("*.json") if file.name != "machine.json"]
    asked = commits or ("NEW" if known else "HEAD^!")
    # `asv machine` keeps the name alone
    MachineCollection.save(machine, Machine.get_defaults() | {"machine": machine})
    code = asv(
        "run",
        "--machine",
        machine,
        "--launch-method",
        "forkserver",
        "--skip-existing-successful",
        asked,
    )
    asv("publish", "--no-pull")
    return code


def asv(*words):
    """Run asv with pinned threads; its exit code."""
    return subprocess.run(
        [*ASV, *words], cwd=ROOT, env=environment() | dict.fromkeys(THREADS, "1")
    ).returncode


def renew_pages():
    """The results pages that exist get the new history."""
    for page in (ROOT / "results").glob("*/figures"):
        subprocess.run(
            [sys.executable, "-m", "spcabench", "report", page.parent], cwd=ROOT, check=True
        )


if __name__ == "__main__":
    main()
