"""Messages between processes: one line of JSON each, read with a limit of time and of size.

What a worker says may be said by a stranger's code. So nothing is unpickled: a line is numbers,
strings, lists and dicts, or it is no message.
"""

import json
import os
import select
from collections.abc import Mapping
from time import monotonic
from typing import Any

import numpy as np

LARGEST = 1 << 28  # bytes of a message
CHUNK = 1 << 20


class Garbled(Exception):
    """A message that is not valid; the text says why."""


def send(pipe: int, value: Any) -> None:
    """Write a message to a file descriptor, whole."""
    text = json.dumps(value, default=plain).encode() + b"\n"
    while text:
        text = text[os.write(pipe, text[:CHUNK]) :]


def plain(value: Any) -> Any:
    """Types that JSON lacks, in the form in which they are sent: NumPy's, sets, mappings."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (np.ndarray, set, frozenset)):
        return value.tolist() if isinstance(value, np.ndarray) else sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no plain value")


class Reader:
    """The messages that come from a file descriptor."""

    def __init__(self, pipe: int) -> None:
        self.pipe, self.waiting = pipe, bytearray()

    def message(self, seconds: float | None = None) -> Any:
        """The next message.

        Raises TimeoutError if none is whole within some seconds, EOFError where the other end is
        closed, Garbled where it is no JSON or too large.
        """
        deadline = None if seconds is None else monotonic() + seconds
        looked = 0  # bytes in which there is no end of a line
        while (end := self.waiting.find(b"\n", looked)) < 0:
            looked = len(self.waiting)
            left = None if deadline is None else max(deadline - monotonic(), 0.0)
            if not select.select([self.pipe], [], [], left)[0]:
                raise TimeoutError
            chunk = os.read(self.pipe, CHUNK)
            if not chunk:
                raise EOFError
            self.waiting += chunk
            if len(self.waiting) > LARGEST:
                raise Garbled(f"it sent more than {LARGEST:,} bytes")
        line = bytes(self.waiting[:end])
        del self.waiting[: end + 1]
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            raise Garbled("what it sent is no message") from None
