"""The commands `data`, for the files of datasets, and `doctor`, which checks the installation."""

import os
import shutil
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Annotated

import typer

from spcabench import files, machine, registry
from spcabench.errors import InputError, nearest
from spcabench.files import say
from spcabench.readers import sources

ROOM = 2e9  # bytes of disk space and memory for a run at paper scale


def data(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...", help="Datasets, folders of data, or files to download."
        ),
    ] = None,
) -> None:
    """List the files of real datasets, or download them.

    The list shows the size and licence of each file, and where to get missing files. Named files
    are downloaded first. In figures and suites, missing data are replaced by stand-ins, which are
    labelled as such.

    For example:

    `spcabench data`

    `spcabench data kos`
    """
    for name in names or []:
        _fetch(name)
    held = list(_files())
    width = max(len(file.path) for _, file in held)
    for dataset, file in held:
        state = _state(file)
        size = "" if file.size is None else f"{file.size / 1e6:.1f} MB"
        about = f"{size:>8}  {dataset}; licence: {file.licence}"
        say(f"{state:14}  {file.path:{width}}  {about}")
        if state != "here":
            say(f"{'':14}  {_advice(file)}")
    folder = os.environ.get("SPCABENCH_DATA") or "not set"
    say(f"\nfolder (SPCABENCH_DATA): {folder}; downloads: {sources.downloads()}")
    say("in figures and suites, missing data are replaced by stand-ins, which are labelled as such")


def _state(file: sources.File) -> str:
    """Return whether a file is here, is missing or has the wrong checksum."""
    if local := sources.at_hand(file.path):
        right = file.sha256 in (None, sources.checksum(local))
        return "here" if right else "wrong checksum"
    return "here" if sources.cached(file.path, file.sha256) else "missing"


def _advice(file: sources.File) -> str:
    """Return how to get a file."""
    if file.sha256 and file.url:
        return f"spcabench data {file.path}; from {file.url}"
    source = file.url or "the source in the docstring of the dataset"
    return f"put it into the folder SPCABENCH_DATA; from {source}"


def _files() -> Iterator[tuple[str, sources.File]]:
    """Yield each file that a dataset can read, with the name of the dataset."""
    for name in registry.names("dataset"):
        for file in getattr(registry.module("dataset", name), "FILES", ()):
            yield name, file


def _fetch(name: str) -> None:
    """Download the files of a dataset.

    Raises InputError if the name is unknown or if no file can be downloaded and verified.
    """
    by_name: dict[str, list[sources.File]] = {word: [] for word in registry.names("dataset")}
    for dataset, file in _files():
        for word in {dataset, file.path, file.path.partition("/")[0]}:
            by_name.setdefault(word, []).append(file)
    if name not in by_name:
        raise InputError(f"data: {nearest('dataset or file', name, by_name)}")
    chosen = by_name[name]
    if not chosen:
        say(f"{name}: needs no files")
    # if no file can be downloaded, the error for the first file explains where to get it
    for file in [file for file in chosen if file.url and file.sha256] or chosen[:1]:
        if sources.cached(file.path, file.sha256):
            say(f"{file.path}: already downloaded")
            continue
        files.check_room(sources.downloads())
        try:
            say(f"{file.path}: downloaded to {sources.fetch(file)}")
        except OSError as error:
            if error.errno:  # a disk error, because network errors have no error number
                raise
            reason = " ".join(str(error).split())[:120]
            raise InputError(
                f"{file.url}: download failed ({reason}); repeat the command"
            ) from None


Finding = tuple[bool, str, str]  # whether the check passed, the subject, the finding


def doctor() -> None:
    """Check the installation, and run a short self-check.

    Checks versions, checkout, processor, BLAS and threads, memory, disks and data. The exit code is
    1 if there is a problem.
    """
    problems = 0
    for good, subject, finding in _findings():
        problems += not good
        say(f"{'ok' if good else 'PROBLEM':8} {subject}: {finding}", flush=True)
    raise typer.Exit(int(problems > 0))


def _findings() -> Iterator[Finding]:
    about = machine.describe()
    versions = {"python": about["python"], **about["versions"]}
    yield True, "versions", ", ".join(f"{name} {number}" for name, number in versions.items())
    yield _checkout()
    load = machine.load_average()
    busy = " (too busy for timing)" if load > 0.5 * about["cores"] else ""
    cores = f"{about['cores']} cores, load {load:.1f}{busy}"
    yield True, "processor", f"{about['cpu']}, {cores}; {about['platform']}"
    threads = f"{about['threads']} threads here, one thread in measured runs"
    yield True, "BLAS", f"{about['blas']}, {threads}"
    memory = machine.free_memory()
    needed = f"some runs at paper scale need {ROOM / 1e9:.0f} GB"
    yield memory > ROOM, "memory", f"{memory / 1e9:.1f} GB free; {needed}"
    yield _disk("disk, here", Path.cwd())
    yield _disk("disk, downloads", sources.downloads())
    yield _data()
    yield _self_check()


def _checkout() -> Finding:
    """Check that solvers and datasets belong to the same checkout as the package."""
    commit, dirty = machine.commit()
    home = Path(machine.__file__).parents[1]
    description = f"{home}, commit {commit}{', with uncommitted changes' if dirty else ''}"
    mixed = machine.mixed_checkouts()
    return not mixed, "checkout", mixed or description


def _disk(subject: str, folder: Path) -> Finding:
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    free, writable = shutil.disk_usage(existing).free, os.access(existing, os.W_OK)
    description = f"{free / 1e9:.1f} GB free{'' if writable else ', not writable'} in {folder}"
    return free > ROOM and writable, subject, description


def _data() -> Finding:
    """List the data folders by the states of their files."""
    by_state: dict[str, set[str]] = {}
    for _, file in _files():
        by_state.setdefault(_state(file), set()).add(file.path.partition("/")[0])
    found = "; ".join(f"{state}: {', '.join(sorted(by_state[state]))}" for state in by_state)
    return "wrong checksum" not in by_state, "data", f"{found} (more: spcabench data)"


def _self_check() -> Finding:
    """Compare the answer to a small problem with brute force."""
    import numpy as np

    from spcabench import api
    from spcabench.problem.problem import Problem

    n, k = 10, 4
    S = np.cov(np.random.default_rng(0).standard_normal((30, n)).T)
    best = max(np.linalg.eigvalsh(S[np.ix_(W, W)])[-1] for W in combinations(range(n), k))
    result = api.solve(Problem.from_covariance(S), k=k)
    good = bool(np.isclose(result.variance, best, rtol=1e-9))
    words = "finds the optimum of a small problem" if good else "is not optimal; reinstall"
    return good, "self-check", f"{result.solver} {words}"
