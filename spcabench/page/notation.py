"""The formulas of plain text as HTML: indices, powers, Greek letters; in captions and in claims."""

import re
from collections.abc import Callable

from markupsafe import Markup, escape

GREEK = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "eps": "ε",
    "lambda": "λ",
    "mu": "μ",
    "phi": "φ",
    "rho": "ρ",
    "sigma": "σ",
    "Sigma": "Σ",
}
INNER = r"\{[^{}]+\}|[-+]?\w{1,4}"  # of an index or a power
RULES = (
    (r"`([^`]+)`", r"<code>\1</code>"),
    (r"(?<![\w*])\*(\w[\w -]*)\*(?![\w*])", r"<em>\1</em>"),
    (r"&lt;=", "≤"),
    (r"&gt;=", "≥"),
    (r"(?<=\d) x (?=\d)", " × "),
    (r"(?<![\w.])(\d+(?:\.\d+)?)e[-+]?0+(?!\w)", r"\1"),
    (r"(?<![\w.])(\d+(?:\.\d+)?)e\+?(-?)0*(\d+)(?!\w)", r"\1 × 10<sup>\2\3</sup>"),
)


def marked_up(text: str) -> Markup:
    """A text with its formulas as HTML; everything else is escaped."""
    html = str(escape(text))
    for pattern, replacement in RULES:
        html = re.sub(pattern, replacement, html)
    names = "|".join(GREEK)
    html = re.sub(rf"(?<![A-Za-z])({names})(?![A-Za-z])", lambda m: GREEK[m[1]], html)
    # the base of an index is one letter: names such as greedy_full have none
    html = re.sub(rf"(?<![\w>])(\w)_({INNER})(?!\w)", _element("sub"), html)
    html = re.sub(rf"(?<=[\w)>])()\^({INNER})", _element("sup"), html)
    return Markup(html.replace("<sup>-", "<sup>−"))


def _element(name: str) -> Callable[[re.Match[str]], str]:
    def made(match: re.Match[str]) -> str:
        return f"{match[1]}<{name}>{match[2].strip('{}').replace('-', '−')}</{name}>"

    return made


def parts(measured: str) -> list[tuple[str, str]]:
    """The label and the number of each part of what was measured; none where it is one number.

    Parts are separated by semicolons outside brackets: "0-1 %: 3.2; 1-2 %: 2.7".
    """
    pieces, depth = [""], 0
    for letter in measured:
        depth += (letter in "([") - (letter in ")]")
        if letter == ";" and not depth:
            pieces.append("")
        else:
            pieces[-1] += letter
    if len(pieces) < 3:
        return []
    split = [piece.strip().rpartition(": ") for piece in pieces]
    return [(label, value) for label, _, value in split]
