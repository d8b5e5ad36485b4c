"""What is at hand: the commands ``data`` (files, their origin, downloads) and ``doctor`` (the
installation).
"""

import json
import os
import shutil
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from spcabench.errors import InputError

ROOM = 2e9  # bytes of disk that a run at paper scale may need
PATIENCE = 5.0  # seconds of the self-check


def data(
    fetch: Annotated[
        list[str] | None, typer.Option(help="Download a dataset, a folder of it, or a file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Real data: what is there, what is missing, where it comes from, licence, size; --fetch NAME
    downloads.
    """
    for name in fetch or []:
        _fetch(name)
    found = list(holdings())
    if as_json:
        print(json.dumps(found, indent=1))
        return
    width = max(len(entry["file"]) for entry in found)
    for entry in found:
        size = "" if entry["size"] is None else f"{entry['size'] / 1e6:.1f} MB"
        print(
            f"{entry['state']:14}  {entry['file']:{width}}  {size:>8}  {entry['dataset']}; "
            f"licence: {entry['licence']}"
        )
        if entry["state"] != "here":
            print(f"{'':14}  {entry['advice']}")
    print(
        f"\nfolder (SPCABENCH_DATA): {os.environ.get('SPCABENCH_DATA') or 'not set'}; downloads: "
        f"{_cache()}"
    )
    print(
        "a dataset whose files are missing is stood in for by other data, and said so wherever it "
        "is shown"
    )


def holdings() -> Iterator[dict[str, Any]]:
    """One entry for each file that a dataset can read: dataset, file, state, size, licence, url,
    advice.
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
        advice = f"spcabench data --fetch {file.path}; from {file.url}"
        if file.sha256 is None or file.url is None:
            advice = (
                "put it below SPCABENCH_DATA; from "
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
    """Download the files of a name. Raises ValueError for an unknown one, and where none can be had
    or checked.
    """
    from spcabench import validate
    from spcabench.readers import sources

    chosen = [
        file
        for dataset, file in _files()
        if name in (dataset, file.path, file.path.partition("/")[0])
    ]
    if not chosen:
        known = {
            word for dataset, file in _files() for word in (dataset, file.path.partition("/")[0])
        }
        raise InputError(f"--fetch: {validate.nearest('dataset or file', name, sorted(known))}")
    wanted = [file for file in chosen if file.url and file.sha256] or chosen[:1]
    for file in wanted:
        if sources.cached(file.path, file.sha256):
            print(f"{file.path}: here already")
            continue
        try:
            print(f"{file.path}: downloaded to {sources.fetch(file)}")
        except OSError as error:
            reason = " ".join(str(error).split())[:120]
            raise InputError(
                f"{file.url}: no download ({reason}); the same command goes on from there"
            ) from None


def _cache() -> Path:
    import pooch

    return Path(pooch.os_cache("spcabench"))


def doctor() -> None:
    """Examine the installation: versions, BLAS and threads, processor, memory, disk, data, and a
    short self-check.
    """
    problems = 0
    for good, what, said in _examined():
        problems += not good
        print(f"{'ok' if good else 'PROBLEM':8} {what}: {said}", flush=True)
    raise typer.Exit(int(problems > 0))


def _examined() -> Iterator[tuple[bool, str, str]]:
    from spcabench import machine

    about, (commit, dirty) = machine.describe(), machine.commit()
    yield (
        True,
        "versions",
        ", ".join(f"{k} {v}" for k, v in {"python": about["python"], **about["versions"]}.items()),
    )
    yield True, "commit", f"{commit}{', with uncommitted changes' if dirty else ''}"
    load = machine.load_average()
    busy = ": times will be disturbed" if load > 0.5 * about["cores"] else ""
    yield (
        True,
        "processor",
        f"{about['cpu']}, {about['cores']} cores, load {load:.1f}{busy}; {about['platform']}",
    )
    yield (
        True,
        "BLAS",
        f"{about['blas']}, {about['threads']} threads here, pinned to one in every run that is "
        "measured",
    )
    memory = machine.free_memory()
    yield (
        memory > ROOM,
        "memory",
        f"{memory / 1e9:.1f} GB free; some runs at paper scale take {ROOM / 1e9:.0f} GB",
    )
    for what, folder in (("disk, here", Path.cwd()), ("disk, downloads", _cache())):
        there = next(p for p in (folder, *folder.parents) if p.exists())
        free, writable = shutil.disk_usage(there).free, os.access(there, os.W_OK)
        yield (
            free > ROOM and writable,
            what,
            f"{free / 1e9:.1f} GB free{'' if writable else ', not writable'} in {folder}",
        )
    missing = [tool for tool in ("make", "git") if shutil.which(tool) is None]
    yield (
        not missing,
        "tools",
        f"not found: {', '.join(missing)}; install them" if missing else "make, git",
    )
    yield _data()
    yield _self_check()


def _data() -> tuple[bool, str, str]:
    """A folder of which no file is here is stood in for."""
    states: dict[str, set[str]] = {}
    for entry in holdings():
        states.setdefault(entry["file"].partition("/")[0], set()).add(entry["state"])
    by_state = {
        state: sorted(f for f, found in states.items() if state in found)
        for state in ("here", "wrong checksum")
    }
    by_state["stood in for"] = sorted(f for f, found in states.items() if found == {"missing"})
    said = "; ".join(
        f"{state}: {', '.join(folders)}" for state, folders in by_state.items() if folders
    )
    return not by_state["wrong checksum"], "data", f"{said} (more: spcabench data)"


def _self_check() -> tuple[bool, str, str]:
    """A proven optimum against every support of a small problem, flops that repeat, and a fixed
    kernel's time.
    """
    import numpy as np

    from spcabench import api, machine, registry
    from spcabench.problem.problem import Problem

    start, n, k = perf_counter(), 10, 4
    S = np.cov(np.random.default_rng(0).standard_normal((30, n)).T)
    best = max(np.linalg.eigvalsh(S[np.ix_(W, W)])[-1] for W in combinations(range(n), k))
    problem = Problem.from_covariance(S)
    first, second = (api.solve(problem, registry.solver_for(n), k=k) for _ in range(2))
    wrong = (
        []
        if np.isclose(first.variance, best, rtol=1e-9)
        else [f"{first.solver} is not optimal: reinstall"]
    )
    wrong += [] if best <= first.bound * (1 + 1e-9) else ["a bound is below the optimum: reinstall"]
    wrong += [] if first.flops == second.flops else ["flops do not repeat: reinstall"]
    seconds = perf_counter() - start
    wrong += [f"took {seconds:.0f} s: busy or slow machine"] if seconds > PATIENCE else []
    kernel = f"200 x 200 product in {1e3 * machine.calibration():.2f} ms"
    return (
        not wrong,
        "self-check",
        "; ".join(wrong) or f"optimum proven, flops repeat, {kernel}; {seconds:.1f} s",
    )
