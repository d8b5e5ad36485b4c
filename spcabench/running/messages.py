"""Messages between processes, as lines of JSON that are read with limits on time and size.

Messages of a worker can come from third-party code, so they are never unpickled. A line must
contain only numbers, strings, lists and dicts, and is rejected otherwise.
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
    """A message is invalid; the text states the reason."""


def send(pipe: int, value: Any) -> None:
    """Write a complete message to a file descriptor."""
    text = json.dumps(value, default=plain).encode() + b"\n"
    while text:
        text = text[os.write(pipe, text[:CHUNK]) :]


def plain(value: Any) -> Any:
    """Convert NumPy types, sets and mappings to types that JSON can represent."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (np.ndarray, set, frozenset)):
        return value.tolist() if isinstance(value, np.ndarray) else sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not a plain value")


class Reader:
    """A reader of the messages that arrive at a file descriptor."""

    def __init__(self, pipe: int) -> None:
        self.pipe, self.waiting = pipe, bytearray()

    def message(self, seconds: float | None = None) -> Any:
        """Return the next message.

        Raises TimeoutError if no complete message arrives within ``seconds``, EOFError if the other
        end of the pipe is closed, and Garbled if the message is too large or not JSON.
        """
        deadline = None if seconds is None else monotonic() + seconds
        looked = 0  # number of bytes that were already searched for the end of the line
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
            raise Garbled("it sent an invalid message") from None
