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
    (r"(`{1,2})([^`]+)\1", r"<code>\2</code>"),
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


NUMBER = r"\d[\d.]*(?:-\d[\d.]*)?(?: %)?"  # of a band: "0-1 %"
FIRST = re.compile(rf"(.*?)[: ]+({NUMBER})")  # the first of a group: "ratio 0-1 %"


def parts(measured: str) -> list[tuple[str, str]]:
    """The label and the number of each part of what was measured; none where it is one number.

    Parts are separated by semicolons outside brackets, groups of them by bars: "ratio 0-1 %: 3.2;
    1-2 %: 2.7 | V'V given: ratio 0-1 %: 5". What a group begins with is a part without a number.
    """
    found: list[tuple[str, str]] = []
    for group in measured.split(" | "):
        pieces = [piece.strip().rpartition(": ") for piece in _pieces(group)]
        rows = [(label, value) for label, _, value in pieces]
        begin = FIRST.fullmatch(rows[0][0])
        if begin and len(rows) > 1 and re.fullmatch(NUMBER, rows[1][0]):
            rows[:1] = [(begin[1].rstrip(":"), ""), (begin[2], rows[0][1])]
        found += rows
    return found if len(found) > 2 else []


def _pieces(text: str) -> list[str]:
    """What semicolons outside brackets separate."""
    pieces, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == ";" and not depth:
            pieces.append("")
        else:
            pieces[-1] += letter
    return pieces


def span(measured: str) -> str:
    """From where to where the numbers of the bands reach: "0.28 to 4.77 in 10 bands"; else nothing.

    Of each group by itself, with its name, where there are several.
    """
    groups: list[tuple[str, list[str]]] = [("", [])]
    for label, value in parts(measured):
        if not value:
            groups.append((f"{label} ", []))
        elif re.fullmatch(NUMBER, label.rpartition(": ")[2]):
            groups[-1][1].extend(re.findall(r"^[-+]?\d[\d.]*(?:e[-+]?\d+)?", value))
    spans = [(name, numbers) for name, numbers in groups if len(numbers) > 2]
    return "; ".join(
        f"{name if len(spans) > 1 else ''}{min(numbers, key=float)} to {max(numbers, key=float)} "
        f"in {len(numbers)} bands"
        for name, numbers in spans
    )


def duration(seconds: float) -> str:
    """A time in the unit that people use for it, to three digits: 407 µs, 3.59 s, 12.5 min."""
    for unit, size, most in (("µs", 1e-6, 999.5), ("ms", 1e-3, 999.5), ("s", 1.0, 119.5)):
        if seconds < most * size:
            return f"{_three_digits(seconds / size)} {unit}"
    return f"{_three_digits(seconds / 60)} min"


def compact(number: float) -> str:
    """A large number to three digits, in thousands (k), millions (M), billions (G) and so on."""
    for unit in ("", "k", "M", "G", "T"):
        if abs(number) < 999.5 or unit == "T":
            break
        number /= 1000.0
    return f"{_three_digits(number)} {unit}".rstrip()


def percent(share: float) -> str:
    """A share to three digits; what rounding alone can make is zero."""
    return f"{_three_digits(100.0 * round(share, 9) + 0.0)} %"


def _three_digits(number: float) -> str:
    """It has no power of ten: 0.012, 4.21, 42.1, 421."""
    return f"{float(f'{number:.3g}'):g}"
