"""Make the text of an SVG shorter, so that a page of many pictures opens fast."""

import re

COMMENT = re.compile(r"\s*<!--.*?-->", re.DOTALL)
# glyphs are scaled to the size of a font: these numbers are small, and every digit counts
NUMBER = re.compile(r"scale\([^)]*\)|-?\d+\.\d{2,}")
SMALL = 10.0  # widths of lines and shapes of markers, which have two digits
BREAK = re.compile(r"\s*\n\s*")
STRAIGHT = re.compile(r'(?<= d=")M[^QCAHV"]*(?=")')  # a path of lines alone: no L is needed
LETTERS = "DejaVuSans-"  # of the names of glyphs, which every number of a table repeats


def light(text: str) -> str:
    """Return the same picture in fewer characters: coordinates to a tenth of a point."""
    text = BREAK.sub("\n", NUMBER.sub(_short, COMMENT.sub("", text)))
    text = STRAIGHT.sub(lambda path: path[0].replace("\nL ", "\n"), text)
    return text.replace(f'"#{LETTERS}', '"#g').replace(f'id="{LETTERS}', 'id="g')


def _short(match: re.Match[str]) -> str:
    word = match[0]
    if word.startswith("scale"):
        return word
    digits = 1 if abs(float(word)) >= SMALL else 2
    return f"{float(word):.{digits}f}".rstrip("0").rstrip(".")
