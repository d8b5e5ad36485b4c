"""Convert formulas in plain text to HTML, for captions and claims."""

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
INNER = r"\{[^{}]+\}|[-+]?\w{1,4}"  # the text of an index or a power
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
    """Return a text with its formulas as HTML; everything else is escaped."""
    html = str(escape(text))
    for pattern, replacement in RULES:
        html = re.sub(pattern, replacement, html)
    names = "|".join(GREEK)
    html = re.sub(rf"(?<![A-Za-z])({names})(?![A-Za-z])", lambda m: GREEK[m[1]], html)
    # the base of an index is one letter, so names such as greedy_full are not formulas
    html = re.sub(rf"(?<![\w>])(\w)_({INNER})(?!\w)", _element("sub"), html)
    html = re.sub(rf"(?<=[\w)>])()\^({INNER})", _element("sup"), html)
    return Markup(html.replace("<sup>-", "<sup>−"))


def _element(name: str) -> Callable[[re.Match[str]], str]:
    def element(match: re.Match[str]) -> str:
        return f"{match[1]}<{name}>{match[2].strip('{}').replace('-', '−')}</{name}>"

    return element


def compact(number: float) -> str:
    """Format a large number with three digits, in thousands (k), millions (M), billions (G)."""
    for unit in ("", "k", "M", "G", "T"):
        if abs(number) < 999.5 or unit == "T":
            break
        number /= 1000.0
    digits = f"{float(f'{number:.3g}'):g}"  # without a power of ten
    return f"{digits} {unit}".rstrip()
