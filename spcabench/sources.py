"""Where real data come from: a local folder, the cache of earlier downloads, the public address, in this order.

``SPCABENCH_DATA`` names the local folder; ``SPCABENCH_OFFLINE=1`` forbids downloads. Files are untrusted: every one
has a checksum, and readers run no code of theirs.
"""

import hashlib
import os
import warnings
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

TIMEOUT = 10.0  # seconds without an answer from a public address


def find(file: str, sha256: str | None, url: str | None = None) -> Path | None:
    """The path of a data file, or None where it is neither at hand nor to be had.

    file : path below the data folder.
    sha256 : the published file's; None where it is not known: such a file is taken from the local folder only.

    Raises ValueError for a local file whose checksum is wrong.
    """
    folder = os.environ.get("SPCABENCH_DATA")
    local = Path(folder, file) if folder else None
    if local is not None and local.is_file():
        if sha256 and checksum(local) != sha256:
            raise ValueError(
                f"{local}: checksum differs from the published file's (sha256 {sha256[:12]}...): replace it"
            )
        return local
    return _downloaded(file, sha256, url) if sha256 else None


@lru_cache
def checksum(path: Path) -> str:
    """sha256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@lru_cache
def _downloaded(file: str, sha256: str, url: str | None) -> Path | None:
    import pooch

    cache = pooch.os_cache("spcabench")
    name = file.replace("/", "-")
    target = Path(cache, name)
    if target.is_file() and checksum(target) == sha256:
        return target
    if url is None or os.environ.get("SPCABENCH_OFFLINE") == "1":
        return None
    pooch.get_logger().setLevel("ERROR")
    fetch = pooch.HTTPDownloader(progressbar=os.isatty(2), timeout=TIMEOUT)
    try:
        return Path(pooch.retrieve(url, f"sha256:{sha256}", fname=name, path=cache, downloader=fetch))
    except (OSError, ValueError) as error:
        if isinstance(error, ValueError) and "hash" in str(error):
            raise ValueError(f"{url}: checksum differs from the published file's: not used") from None
        return None


def read_rdata(path: Path) -> Mapping[str, Any]:
    """The objects in an RData file, as pandas objects. Raises ValueError for a file that cannot be read."""
    import rdata

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # an encoding that the file does not name: ASCII
            return rdata.read_rda(path)
    except Exception as error:  # the parser fails in many ways on a damaged file
        raise ValueError(f"{path}: not a readable RData file ({error})") from None
