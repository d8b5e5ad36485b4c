"""Finds the files of datasets in a local folder, in the download cache or at a public address.

These locations are tried in this order. ``SPCABENCH_DATA`` is the local folder, and
``SPCABENCH_DOWNLOADS`` the folder of downloads. ``SPCABENCH_OFFLINE=1`` disables downloads. Files
are not trusted: their checksums are verified, and no reader runs code from a file.
"""

import hashlib
import os
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from spcabench.errors import InputError, using_file
from spcabench.machine import require

DOWNLOADS = "SPCABENCH_DOWNLOADS"  # environment variable with the folder of downloads
TIMEOUT = 10.0  # seconds to wait for a response


@dataclass(frozen=True)
class File:
    """A file of a dataset, listed in the ``FILES`` of the dataset.

    Parameters
    ----------
    path : str
        Path in the data folder.
    sha256 : str, optional
        Checksum of the published file, if known.
    url : str, optional
        Public address of the file.
    size : int, optional
        Size in bytes.
    licence : str
        Licence of the file, if stated.
    """

    path: str
    sha256: str | None = None
    url: str | None = None
    size: int | None = None
    licence: str = "none stated"


def find(file: str, sha256: str | None, url: str | None = None) -> Path | None:
    """Find a data file, and download it if necessary.

    Parameters
    ----------
    file : str
        Path in the data folder.
    sha256 : str or None
        Checksum of the published file, or None if unknown. Without a checksum, only a file in the
        local folder is used.
    url : str, optional
        Public address of the file.

    Returns
    -------
    Path or None
        Path of the file in the local folder or the download cache, or None if the file is not
        available.

    Raises
    ------
    InputError
        If a local file has the wrong checksum.
    """
    local = at_hand(file)
    if local is not None:
        if sha256 and checksum(local) != sha256:
            raise InputError(
                f"{local}: wrong checksum; replace the file with the published one (sha256 "
                f"{sha256[:12]}...)"
            )
        return local
    return _downloaded(file, sha256, url) if sha256 else None


def at_hand(file: str) -> Path | None:
    """Return the path of a file in the local folder, without verifying it, or None."""
    folder = os.environ.get("SPCABENCH_DATA")
    local = Path(folder, file) if folder else None
    return local if local is not None and local.is_file() else None


def cached(file: str, sha256: str | None) -> Path | None:
    """Return the path of an earlier download with the right checksum, or None."""
    target = _target(file)
    return target if target.is_file() and checksum(target) == sha256 else None


def downloads() -> Path:
    """Return the folder with downloaded files and with cached results computed from large files."""
    import pooch

    return Path(os.environ.get(DOWNLOADS) or pooch.os_cache("spcabench"))


def _target(file: str) -> Path:
    return downloads() / file.replace("/", "-")


@lru_cache
def _checksum(path: Path, size: int, changed: int) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def checksum(path: Path) -> str:
    """Return the SHA-256 checksum of a file in hexadecimal."""
    with using_file(path):
        state = path.stat()
        return _checksum(path, state.st_size, state.st_mtime_ns)


@lru_cache
def _downloaded(file: str, sha256: str, url: str | None) -> Path | None:
    earlier = cached(file, sha256)
    if earlier or url is None or os.environ.get("SPCABENCH_OFFLINE") == "1":
        return earlier
    try:
        return fetch(File(file, sha256, url))
    except OSError:
        return None


def fetch(file: File) -> Path:
    """Download a file to the cache, unless it is already there.

    Raises OSError if the address does not respond. Raises InputError if the file has no address or
    no checksum, or if the checksum is wrong. After an error, an earlier download is preserved.
    """
    import pooch

    if file.url is None or file.sha256 is None:
        where = f" from {file.url}" if file.url else ", which has no public address,"
        raise InputError(
            f"{file.path}: cannot be downloaded and verified; put the file{where} into the folder "
            "SPCABENCH_DATA"
        )
    target = _target(file.path)
    pooch.get_logger().setLevel("WARNING")
    get = pooch.HTTPDownloader(timeout=TIMEOUT, progressbar=sys.stderr.isatty())
    try:
        pooch.retrieve(file.url, file.sha256, target.name, target.parent, downloader=get)
    except ValueError:
        raise InputError(f"{file.url}: wrong checksum; the download was deleted") from None
    return target


def read_rdata(path: Path) -> Mapping[str, Any]:
    """Return the objects in an RData file by name; raise InputError if the file is unreadable."""
    rdata = require("rdata")
    try:
        with warnings.catch_warnings():
            # the parser warns that it assumes ASCII if the file states no encoding
            warnings.simplefilter("ignore", UserWarning)
            return rdata.read_rda(path)
    except Exception as error:  # the parser raises many kinds of errors for a damaged file
        raise InputError(f"{path}: not a readable RData file ({error})") from error
