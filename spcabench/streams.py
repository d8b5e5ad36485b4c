"""What is printed reaches every terminal and file: what these cannot show has other words."""

import codecs
import io
import os
import sys

HANDLER = "spcabench"  # of characters that a stream cannot hold
PLAIN = {
    **dict.fromkeys("─━═╌–−‐", "-"),
    **dict.fromkeys("│┃║", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯╷╵", "+"),
    **{"≤": "<=", "≥": ">=", "µ": "u", "μ": "u", "×": "x", "●": "*", "■": "#", "○": "o"},
    **{"…": "...", "’": "'", "“": '"', "”": '"', "Σ": "Sigma", "é": "e"},
}


def accept_every_character() -> None:
    """Let this process print all texts, whatever the encoding of the terminal or file."""
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
