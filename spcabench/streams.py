"""Makes printed text safe for every terminal and file: unsupported characters are replaced."""

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


# characters that move the cursor or change the direction of writing, except line breaks and tabs
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> str:
    r"""Return text from any source, with its control characters as codes such as \x1b.

    Line breaks and tabs are preserved.
    """
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def say(*words: Any, **how: Any) -> None:
    """Print words that may come from a stranger: like `print`, with `plain` applied to each."""
    print(*(plain(str(word)) for word in words), **how)


def width() -> int:
    """How many characters of text fit on a line: of the terminal, 20 to 100, and 100 in a file."""
    return max(20, min(shutil.get_terminal_size((100, 24)).columns, 100))


def accept_every_character() -> None:
    """Let this process print any text, whatever the encoding of the terminal or file."""
    codecs.register_error(HANDLER, _readable)
    # Python has no stream if the shell closed it (`>&-`)
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # a forked process shares its parent's streams, and cannot configure them again
        if isinstance(stream, io.TextIOWrapper) and stream.errors != HANDLER:
            stream.reconfigure(errors=HANDLER)


def give_up() -> None:
    """Stop all printing: text that is still buffered would fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.__stdout__.fileno() if sys.__stdout__ else 1)


def _readable(error: UnicodeError) -> tuple[str | bytes, int]:
    """A replacement for what a stream cannot encode; characters without one become their codes."""
    assert isinstance(error, UnicodeEncodeError)
    part = error.object[error.start : error.end]
    plain_letters = (PLAIN.get(c) or c.encode("ascii", "backslashreplace").decode() for c in part)
    return "".join(plain_letters), error.end
