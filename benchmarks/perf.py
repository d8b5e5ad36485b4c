"""Measure commits with asv, and write the history's site and the results page anew."""

import argparse
import subprocess
import sys
import webbrowser
from itertools import product

from asv.machine import Machine, MachineCollection
from asv.results import iter_results_for_machine_and_hash

from . import taken, tally
from .commits import git, listed
from .counts import ROOT
from .history import RESULTS, write
from .passes import environment

ASV = [sys.executable, "-m", "asv"]
PUBLISHED = ROOT / "results" / "published"
MEASURED = "SPCABENCH_MEASURED"  # tells `tracked.solvers` which solvers


def main():
    """``run`` measures, ``count`` counts, then they show; ``site`` and ``publish`` show alone."""
    words = argparse.ArgumentParser(prog="make perf", description=__doc__)
    words.add_argument("action", choices=("run", "count", "site", "publish"))
    words.add_argument(
        "--machine", default="local", help="the name that the results are kept under"
    )
    words.add_argument(
        "--commits", default="", help="a..b, or names; those since the last measured one if none"
    )
    words.add_argument("--solvers", action="store_true", help="measure nothing but the solvers")
    asked = words.parse_args()
    code = 0
    if asked.action == "run":
        code = run(asked.machine, asked.commits, others=not asked.solvers)
    if asked.action == "count":
        tally.write(tally.commits(asked.commits))
    page = write(asked.machine)
    if page is None:
        sys.exit(
            f"perf: nothing is counted, and nothing measured on a machine named "
            f"{asked.machine!r}: make history, or make perf MACHINE={asked.machine}"
        )
    renew_pages()
    if asked.action == "publish":
        words = [sys.executable, "-m", "spcabench", "publish", PUBLISHED]
        sys.exit(subprocess.run(words, cwd=ROOT).returncode)
    print(page)
    if asked.action == "site":
        webbrowser.open(page.as_uri())
    sys.exit(code)


def run(machine, commits, others=True):
    """Measure what is missing of some commits, the oldest first.

    others : with what is measured beside the solvers. Returns asv's exit code (2 : a benchmark
    failed, the others are kept).
    """
    # `asv machine` keeps the name alone
    MachineCollection.save(machine, Machine.get_defaults() | {"machine": machine})
    codes = [one(machine, sha, others) for sha in asked_for(machine, commits)]
    asv("publish", "--no-pull")
    return max(codes, default=0)


def asked_for(machine, commits):
    """The full hashes of the commits to measure."""
    there = [record["commit"] for record in taken.records(RESULTS / machine)]
    new = " ".join(["main", *(f"^{sha}" for sha in there)]) if there else "HEAD^!"
    return [sha for sha in listed(commits or new) if sha not in there]


def one(machine, sha, others=True):
    """Measure a commit: what has the code of a measured commit is taken over. asv's exit code."""
    folder = RESULTS / machine
    try:
        fresh, over = taken.plan(sha, folder, others)
    except RuntimeError as error:  # there is no package
        taken.keep(folder, sha, {}, {}, failed=str(error))
        return 0
    said = git("log", "-1", "--format=%h %s", sha)
    print(f"{said}: {len(fresh)} to measure, {len(over)} taken over", flush=True)
    code = measure(machine, sha, fresh) if fresh else 0
    found = there_are(machine, sha) if fresh else set()
    measured = {name: code for name, code in fresh.items() if name in found}
    failed = "" if measured or over else "the benchmarks cannot be run at this commit"
    taken.keep(folder, sha, measured, over, failed)
    return code


def measure(machine, sha, fresh):
    """Let asv measure some solvers and other benchmarks of a commit; its exit code."""
    others = [name for name in taken.OTHERS if name in fresh]
    solvers = [name for name in fresh if name not in others]
    chosen = rf"^solvers\.Solvers\..*\('({'|'.join(solvers)})'," if solvers else "^$"
    words = [
        word for name in (chosen, *(f"^{name}\\b" for name in others)) for word in ("-b", name)
    ]
    return asv(
        *("run", "--machine", machine, "--launch-method", "forkserver", *words, f"{sha}^!"),
        solvers=solvers,
    )


def there_are(machine, sha):
    """The solvers and other benchmarks that have a number at a commit."""
    found = set()
    for result in iter_results_for_machine_and_hash(RESULTS, machine, sha):
        for key in result.get_all_result_keys():
            params = result.get_result_params(key)
            numbers = zip(
                product(*params), result.get_result_value(key, params) or [], strict=False
            )
            names = {
                cell[0].strip("'") if cell else "" for cell, number in numbers if number is not None
            }
            found |= {name for name in names if name}
            found |= {name for name in taken.OTHERS if key.startswith(name) and "" in names}
    return found


def asv(*words, solvers=()):
    """Run asv with pinned threads; its exit code."""
    env = environment() | {MEASURED: " ".join(solvers)}
    return subprocess.run([*ASV, *words], cwd=ROOT, env=env).returncode


def renew_pages():
    """The results pages of this clone get the new history; the published ones when published."""
    for page in (ROOT / "results").glob("*/figures"):
        if page.parent == PUBLISHED:
            continue
        subprocess.run(
            [sys.executable, "-m", "spcabench", "report", page.parent], cwd=ROOT, check=True
        )


if __name__ == "__main__":
    main()
