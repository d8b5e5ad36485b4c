"""Where real data come from: a local folder, the cache of downloads, or the public address.

They are tried in this order. ``SPCABENCH_DATA`` names the local folder, and ``SPCABENCH_OFFLINE=1``
forbids downloads. Files are not trusted: each has a checksum, and no reader runs code from a file.
"""

import hashlib
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from spcabench.errors import InputError, using_file

TIMEOUT = 10.0  # seconds without an answer from a public address
CHUNK = 1 << 16  # bytes that an interruption loses at most


@dataclass(frozen=True)
class File:
    """A file that a dataset reads, listed in its ``FILES``.

    path : below the data folder. sha256 : of the published file, None where it is not known. url :
        its public address.
    size : bytes. licence : as far as it is stated.
    """

    path: str
    sha256: str | None = None
    url: str | None = None
    size: int | None = None
    licence: str = "none stated"


def find(file: str, sha256: str | None, url: str | None = None) -> Path | None:
    """The path of a data file, or None where it is neither at hand nor to be had.

    file : path below the data folder.
    sha256 : the published file's; None where it is not known: such a file is taken from the local
        folder only.

    Raises ValueError for a local file whose checksum is wrong.
    """
    local = at_hand(file)
    if local is not None:
        if sha256 and checksum(local) != sha256:
            raise InputError(
                f"{local}: checksum differs from the published file's (sha256 {sha256[:12]}...): "
                "replace it"
            )
        return local
    return _downloaded(file, sha256, url) if sha256 else None


def at_hand(file: str) -> Path | None:
    """The file in the local folder, unchecked, or None."""
    folder = os.environ.get("SPCABENCH_DATA")
    local = Path(folder, file) if folder else None
    return local if local is not None and local.is_file() else None


def cached(file: str, sha256: str | None) -> Path | None:
    """An earlier download, or None; one with a wrong checksum is none."""
    target = _target(file)
    return target if target.is_file() and checksum(target) == sha256 else None


def _target(file: str) -> Path:
    import pooch

    return Path(pooch.os_cache("spcabench"), file.replace("/", "-"))


@lru_cache
def _checksum(path: Path, size: int, changed: int) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def checksum(path: Path) -> str:
    """sha256 of a file, in hexadecimal."""
    with using_file(path):
        state = path.stat()
        return _checksum(path, state.st_size, state.st_mtime_ns)


@lru_cache
def _downloaded(file: str, sha256: str, url: str | None) -> Path | None:
    found = cached(file, sha256)
    if found or url is None or os.environ.get("SPCABENCH_OFFLINE") == "1":
        return found
    try:
        return fetch(File(file, sha256, url))
    except OSError:
        return None


def fetch(file: File) -> Path:
    """Download a file to the cache; what an interrupted download left is gone on with.

    Raises OSError where the address does not answer, ValueError where there is nothing to check the
    file by, or the check fails: what was there before is kept.
    """
    if file.url is None or file.sha256 is None:
        where = f"get it from {file.url}" if file.url else "it has no public address"
        raise InputError(
            f"{file.path}: no checked download; {where}, and put it below the folder SPCABENCH_DATA"
        )
    target = _target(file.path)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    _append(file, part)
    if checksum(part) != file.sha256:
        part.unlink()
        raise InputError(f"{file.url}: checksum differs from the published file's: not used")
    return part.replace(target)


def _append(file: File, part: Path) -> None:
    """What the address has beyond the part that is there; never more than the file's size."""
    import requests
    from tqdm import tqdm

    have = part.stat().st_size if part.exists() else 0
    headers = {"Range": f"bytes={have}-", "Accept-Encoding": "identity"}
    with requests.get(str(file.url), headers=headers, stream=True, timeout=TIMEOUT) as answer:
        if answer.status_code == 416:  # nothing beyond
            return
        answer.raise_for_status()
        have = have if answer.status_code == 206 else 0
        with (
            part.open("ab" if have else "wb") as stream,
            tqdm(
                desc=file.path,
                total=file.size,
                initial=have,
                unit="B",
                unit_scale=True,
                disable=None,
            ) as bar,
        ):
            for chunk in answer.iter_content(CHUNK):
                stream.write(chunk)
                bar.update(len(chunk))
                if file.size is not None and stream.tell() > file.size:
                    break  # the check will fail


def read_rdata(path: Path) -> Mapping[str, Any]:
    """Return the objects in an RData file as pandas objects; InputError for an unreadable file."""
    import rdata

    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", UserWarning
            )  # an encoding that the file does not name: ASCII
            return rdata.read_rda(path)
    except Exception as error:  # the parser fails in many ways on a damaged file
        raise InputError(f"{path}: not a readable RData file ({error})") from error
