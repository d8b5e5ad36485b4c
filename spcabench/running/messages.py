"""Messages between processes: one line of JSON each, read within limits of time and size.

A worker's messages may come from a stranger's code, so nothing is unpickled: a line contains only
numbers, strings, lists and dicts, or it is refused.
"""

import json
import os
import select
from collections.abc import Mapping
from time import monotonic
from typing import Any

import numpy as np

LARGEST = 1 << 28  # maximum size of a message in bytes
CHUNK = 1 << 20


class Garbled(Exception):
    """An invalid message; the text says why."""


def send(pipe: int, value: Any) -> None:
    """Write a complete message to a file descriptor."""
    text = json.dumps(value, default=plain).encode() + b"\n"
    while text:
        text = text[os.write(pipe, text[:CHUNK]) :]


def plain(value: Any) -> Any:
    """Convert types that JSON does not have for sending: NumPy's, sets and mappings."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (np.ndarray, set, frozenset)):
        return value.tolist() if isinstance(value, np.ndarray) else sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no plain value")


class Reader:
    """Reads the messages that arrive at a file descriptor."""

    def __init__(self, pipe: int) -> None:
        self.pipe, self.waiting = pipe, bytearray()

    def message(self, seconds: float | None = None) -> Any:
        """Return the next message.

        Raises TimeoutError if no complete message arrives within ``seconds``, EOFError if the other
        end is closed, and Garbled if the message is not JSON or too large.
        """
        deadline = None if seconds is None else monotonic() + seconds
        looked = 0  # number of bytes already searched for the end of the line
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
