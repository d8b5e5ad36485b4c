"""Shorten the text of an SVG, so that a page with many pictures opens quickly."""

import re

# parts that browsers do not draw, and names of groups without a reference
UNUSED = re.compile(r'\s*<!--.*?-->|<metadata>.*?</metadata>|(?<=<g) id="[^"]*"', re.DOTALL)
# the scales of glyphs are small numbers in which every digit matters
NUMBER = re.compile(r"scale\([^)]*\)|-?\d+\.\d{2,}")
SMALL = 10.0  # smaller numbers, such as widths of lines and shapes of markers, have two digits
BREAK = re.compile(r"\s*\n\s*")
STRAIGHT = re.compile(r'(?<= d=")M[^QCAHV"]*(?=")')  # in a path of straight lines, L can be omitted
LETTER = re.compile(r'(<use [^>]*)transform="translate\(([-\d.]+) ([-\d.]+)\)"/>')
GROUP = re.compile(r"<g( ?)[^>]*(?<!/)>\n|</g>\n")  # a group can also be empty: <g ... />
# all markers of a line repeat its style, which their group can state once
MARKERS = re.compile(
    r'<g( [^>]*)?>\n(?:<use [^>]*( style="[^"]*")/>\n)(?:<use [^>]*\2/>\n)*</g>', re.DOTALL
)
LETTERS = "DejaVuSans-"  # prefix of glyph names, which is repeated for each letter in the picture


def light(text: str) -> str:
    """Return the same picture in fewer characters, with coordinates to a tenth of a point."""
    text = BREAK.sub("\n", NUMBER.sub(_short, UNUSED.sub("", text)))
    text = STRAIGHT.sub(lambda path: path[0].replace("\nL ", "\n"), text)
    text = text.replace(f'"#{LETTERS}', '"#g').replace(f'id="{LETTERS}', 'id="g')
    text = LETTER.sub(r'\1x="\2" y="\3"/>', text).replace(' y="0"/>', "/>")
    text = text.replace("xlink:href", "href")
    text = MARKERS.sub(lambda group: _styled(*group.group(0, 1, 2)), text)
    opened: list[str] = []
    return GROUP.sub(lambda mark: _needed(mark, opened), text)


def _short(match: re.Match[str]) -> str:
    word = match[0]
    if word.startswith("scale"):
        return word
    digits = 1 if abs(float(word)) >= SMALL else 2
    return f"{float(word):.{digits}f}".rstrip("0").rstrip(".")


def _styled(group: str, about: str | None, style: str) -> str:
    """Move the style that all markers of a group share to the group."""
    first, _, rest = group.partition("\n")
    return (
        f"<g{about or ''}{style}>\n{rest.replace(style, '')}" if " style=" not in first else group
    )


def _needed(mark: re.Match[str], opened: list[str]) -> str:
    """Omit the opening and closing tags of groups without attributes. opened : enclosing groups."""
    if mark[1] is None:
        return mark[0] if opened.pop() else ""
    opened.append(mark[1])
    return mark[0] if mark[1] else ""
