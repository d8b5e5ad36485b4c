"""Safe printing to every terminal and file, with replacements for unsupported characters."""

import codecs
import io
import os
import re
import shutil
import sys
from typing import Any

HANDLER = "spcabench"  # error handler for characters that a stream cannot encode
PLAIN = {
    **dict.fromkeys("─━═╌–−‐", "-"),
    **dict.fromkeys("│┃║", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯╷╵", "+"),
    **{"≤": "<=", "≥": ">=", "µ": "u", "μ": "u", "×": "x", "●": "*", "■": "#", "○": "o"},
    **{"…": "...", "’": "'", "“": '"', "”": '"', "Σ": "Sigma", "é": "e"},
}


# characters that move the cursor or change the text direction, except line breaks and tabs
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> str:
    r"""Replace control characters, except line breaks and tabs, with codes such as \x1b."""
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def one_line(text: str) -> str:
    """Return a text without line breaks, with which it could imitate other lines of a list."""
    return " ".join(text.split())


def say(*words: Any, **how: Any) -> None:
    """Print untrusted text: call `print` with `plain` applied to each argument."""
    print(*(plain(str(word)) for word in words), **how)


def width() -> int:
    """Return the line width in characters: 20 to 100 in a terminal, and 100 in a file."""
    return max(20, min(shutil.get_terminal_size((100, 24)).columns, 100))


def accept_every_character() -> None:
    """Configure the streams of this process to print any text in any encoding."""
    codecs.register_error(HANDLER, _readable)
    # a stream is None if the shell closed it (`>&-`)
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # a forked process inherits configured streams, which cannot be configured again
        if isinstance(stream, io.TextIOWrapper) and stream.errors != HANDLER:
            stream.reconfigure(errors=HANDLER)


def give_up() -> None:
    """Redirect the output to the null device, because flushing the buffer would fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.__stdout__.fileno() if sys.__stdout__ else 1)


def _readable(error: UnicodeError) -> tuple[str | bytes, int]:
    """Replace characters that a stream cannot encode with similar characters or with codes."""
    assert isinstance(error, UnicodeEncodeError)
    part = error.object[error.start : error.end]
    plain_letters = (PLAIN.get(c) or c.encode("ascii", "backslashreplace").decode() for c in part)
    return "".join(plain_letters), error.end
