"""A part of a document that is generated, between two marks."""

from spcabench.errors import InputError


def replaced(text: str, begin: str, end: str, inner: str, name: str) -> str:
    """A document with other text between two marks.

    Raises InputError where one of the marks is not there; name : of the document.
    """
    head, opened, rest = text.partition(begin)
    _, closed, tail = rest.partition(end)
    if not opened or not closed:
        raise InputError(f"{name}: no block between {begin.strip()} and {end.strip()}")
    return head + opened + inner + closed + tail
