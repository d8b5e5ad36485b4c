"""Lets every terminal and file show what is printed: missing characters are replaced."""

import codecs
import io
import os
import re
import sys
from typing import Any

HANDLER = "spcabench"  # of characters that a stream cannot hold
PLAIN = {
    **dict.fromkeys("─━═╌–−‐", "-"),
    **dict.fromkeys("│┃║", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯╷╵", "+"),
    **{"≤": "<=", "≥": ">=", "µ": "u", "μ": "u", "×": "x", "●": "*", "■": "#", "○": "o"},
    **{"…": "...", "’": "'", "“": '"', "”": '"', "Σ": "Sigma", "é": "e"},
}


# characters that move the cursor, or turn the direction of writing: all but lines and tabs
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> str:
    r"""A text from anywhere, with codes such as \x1b in place of its control characters.

    Lines and tabs stay.
    """
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def say(*words: Any, **how: Any) -> None:
    """Print words that may be a stranger's: as `print`, each by `plain`."""
    print(*(plain(str(word)) for word in words), **how)


def accept_every_character() -> None:
    """Let this process print any text, whatever the encoding of the terminal or file."""
    codecs.register_error(HANDLER, _readable)
    # Python has no stream where the shell closed it (`>&-`)
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # a forked process has those of its parent, which it cannot configure again
        if isinstance(stream, io.TextIOWrapper) and stream.errors != HANDLER:
            stream.reconfigure(errors=HANDLER)


def give_up() -> None:
    """Let nothing more be printed: what is still waiting to be written would fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.__stdout__.fileno() if sys.__stdout__ else 1)


def _readable(error: UnicodeError) -> tuple[str | bytes, int]:
    """Other words for what a stream cannot hold; a character that has none becomes its code."""
    assert isinstance(error, UnicodeEncodeError)
    part = error.object[error.start : error.end]
    return "".join(map(_in_plain_letters, part)), error.end


def _in_plain_letters(character: str) -> str:
    return PLAIN.get(character) or character.encode("ascii", "backslashreplace").decode()
