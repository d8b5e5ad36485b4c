"""The commands `data`, for the files of datasets, and `doctor`, which checks the installation."""

import os
import shutil
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from spcabench.errors import InputError
from spcabench.files import say

ROOM = 2e9  # bytes of disk space and memory for a run at paper scale
PATIENCE = 5.0  # seconds after which the self-check is slow


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
    held = list(holdings())
    width = max(len(entry["file"]) for entry in held)
    for entry in held:
        size = "" if entry["size"] is None else f"{entry['size'] / 1e6:.1f} MB"
        say(
            f"{entry['state']:14}  {entry['file']:{width}}  {size:>8}  {entry['dataset']}; "
            f"licence: {entry['licence']}"
        )
        if entry["state"] != "here":
            say(f"{'':14}  {entry['advice']}")
    folder = os.environ.get("SPCABENCH_DATA") or "not set"
    say(f"\nfolder (SPCABENCH_DATA): {folder}; downloads: {_cache()}")
    say("in figures and suites, missing data are replaced by stand-ins, which are labelled as such")


def holdings() -> Iterator[dict[str, Any]]:
    """Yield an entry for each file that a dataset can read.

    An entry contains the dataset, the file, its state, size, licence and address, and advice on how
    to get it.
    """
    from spcabench.readers import sources

    for name, file in _files():
        local = sources.at_hand(file.path)
        state = "missing"
        if local is not None:
            state = "here" if file.sha256 in (None, sources.checksum(local)) else "wrong checksum"
        elif sources.cached(file.path, file.sha256):
            state = "here"
        entry = {"dataset": name, "file": file.path, "state": state, "size": file.size}
        advice = f"spcabench data {file.path}; from {file.url}"
        if file.sha256 is None or file.url is None:
            advice = (
                "put it into the folder SPCABENCH_DATA; from "
                f"{file.url or 'the source in the docstring of the dataset'}"
            )
        yield entry | {
            "licence": file.licence,
            "url": file.url,
            "sha256": file.sha256,
            "advice": advice,
        }


def _files() -> Iterator[tuple[str, Any]]:
    from spcabench import registry

    for name in registry.names("dataset"):
        for file in getattr(registry.module("dataset", name), "FILES", ()):
            yield name, file


def _fetch(name: str) -> None:
    """Download the files of a dataset.

    Raises InputError if the name is unknown or if no file can be downloaded and verified.
    """
    from spcabench import files, registry, validate
    from spcabench.readers import sources

    chosen = [
        file
        for dataset, file in _files()
        if name in (dataset, file.path, file.path.partition("/")[0])
    ]
    if not chosen and name in registry.names("dataset"):
        say(f"{name}: needs no files")
        return
    if not chosen:
        names = {
            word for dataset, file in _files() for word in (dataset, file.path.partition("/")[0])
        }
        raise InputError(f"data: {validate.nearest('dataset or file', name, sorted(names))}")
    # if no file can be downloaded, the error for the first file explains where to get it
    missing = [file for file in chosen if file.url and file.sha256] or chosen[:1]
    for file in missing:
        if sources.cached(file.path, file.sha256):
            say(f"{file.path}: already downloaded")
            continue
        files.check_room(_cache())
        try:
            say(f"{file.path}: downloaded to {sources.fetch(file)}")
        except OSError as error:
            if error.errno:  # a disk error, because network errors have no error number
                raise InputError(f"{_cache()}: cannot be written ({error.strerror})") from None
            reason = " ".join(str(error).split())[:120]
            raise InputError(
                f"{file.url}: download failed ({reason}); repeat the command"
            ) from None


def _cache() -> Path:
    from spcabench.readers import sources

    return sources.downloads()


Finding = tuple[bool, str, str]  # whether the check passed, the subject, the finding


def doctor() -> None:
    """Check the installation, and run a short self-check.

    Checks versions, checkout, processor, BLAS and threads, memory, disks, tools and data. The exit
    code is 1 if there is a problem.
    """
    problems = 0
    for good, subject, finding in _findings():
        problems += not good
        say(f"{'ok' if good else 'PROBLEM':8} {subject}: {finding}", flush=True)
    raise typer.Exit(int(problems > 0))


def _findings() -> Iterator[Finding]:
    from spcabench import machine

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
    yield _disk("disk, downloads", _cache())
    missing = [tool for tool in ("make", "git") if shutil.which(tool) is None]
    advice = f"not found: {', '.join(missing)}; install them"
    yield not missing, "tools", advice if missing else "make, git"
    yield _data()
    yield _self_check()


def _checkout() -> Finding:
    """Check that solvers and datasets belong to the same checkout as the package."""
    from spcabench import machine

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
    """List the data folders by state; the data of empty folders are replaced by stand-ins."""
    states: dict[str, set[str]] = {}
    for entry in holdings():
        states.setdefault(entry["file"].partition("/")[0], set()).add(entry["state"])
    by_state = {
        state: sorted(f for f, found in states.items() if state in found)
        for state in ("here", "wrong checksum")
    }
    by_state["replaced by stand-in data"] = sorted(
        folder for folder, found in states.items() if found == {"missing"}
    )
    description = "; ".join(
        f"{state}: {', '.join(folders)}" for state, folders in by_state.items() if folders
    )
    return not by_state["wrong checksum"], "data", f"{description} (more: spcabench data)"


def _self_check() -> Finding:
    """Verify an optimum by brute force, check that flops are reproducible, and time a product."""
    import numpy as np

    from spcabench import api, machine
    from spcabench.problem.problem import Problem

    start, n, k = perf_counter(), 10, 4
    S = np.cov(np.random.default_rng(0).standard_normal((30, n)).T)
    best = max(np.linalg.eigvalsh(S[np.ix_(W, W)])[-1] for W in combinations(range(n), k))
    problem = Problem.from_covariance(S)
    first, second = (api.solve(problem, k=k) for _ in range(2))
    wrong = (
        []
        if np.isclose(first.variance, best, rtol=1e-9)
        else [f"{first.solver} is not optimal; reinstall"]
    )
    wrong += [] if best <= first.bound * (1 + 1e-9) else ["a bound is below the optimum; reinstall"]
    wrong += (
        [] if first.cost.flops == second.cost.flops else ["flops are not reproducible; reinstall"]
    )
    seconds = perf_counter() - start
    slow = " (busy or slow machine, or kernels were compiled)" if seconds > PATIENCE else ""
    kernel = f"200 x 200 product in {1e3 * machine.calibration():.2f} ms"
    return (
        not wrong,
        "self-check",
        "; ".join(wrong) or f"optimum proven, flops reproducible, {kernel}; {seconds:.1f} s{slow}",
    )
