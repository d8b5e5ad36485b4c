"""Format numbers for people: few digits, separated thousands, and a suitable unit."""

import math
from collections.abc import Collection, Sequence

DIGITS, MOST_DIGITS = 3, 7


def number(value: float | None, unit: str = "", apart_from: Collection[float] = ()) -> str:
    """Return a number in words: "16", "10,900", "0.0116", "407 µs", "8.96 GB", "4.7 %".

    Parameters
    ----------
    value : float or None
        The number. None and NaN become "n/a".
    unit : str
        "times", "%", "share" (a fraction of one, shown in percent), "s" (seconds), "B" (bytes), or
        any noun, which is printed after the number.
    apart_from : collection of float
        Thresholds. A number that rounds to one of them gets more digits, for example 9.9996 next to
        10.
    """
    for digits in range(DIGITS, MOST_DIGITS + 1):
        text = _rounded(value, unit, digits)
        if text not in {_rounded(t, unit, digits) for t in apart_from if t != value}:
            break
    return text


def _rounded(value: float | None, unit: str, digits: int) -> str:
    if value is None or math.isnan(value):
        return "n/a"
    if math.isinf(value):
        return "no limit"
    if unit == "s":
        return duration(value, digits)
    if unit == "B":
        return size(value, digits)
    if unit == "share":
        return percent(value, digits)
    return f"{plain(value, digits)} {unit}".rstrip()


def plain(value: float, digits: int = DIGITS) -> str:
    """Format a number with three digits, and without an exponent unless it is tiny."""
    if value == 0 or abs(value) < 1e-300:
        return "0"
    if abs(value) < 1e-5:
        return f"{value:.{digits - 2}e}".replace("e-0", "e-")
    if abs(value) < 1e-4:
        return f"{value:.{digits + 4}f}".rstrip("0")
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    text = f"{round(value, decimals):,.{max(decimals, 0)}f}"
    return text.rstrip("0").rstrip(".") if decimals > 0 else text


def duration(seconds: float, digits: int = DIGITS) -> str:
    """Return a time in its usual unit: "407 µs", "3.59 s", "12.5 min"."""
    for unit, size_of, most in (("µs", 1e-6, 999.5), ("ms", 1e-3, 999.5), ("s", 1.0, 119.5)):
        if abs(seconds) < most * size_of:
            return f"{plain(seconds / size_of, digits)} {unit}"
    return f"{plain(seconds / 60, digits)} min"


def percent(share: float, digits: int = DIGITS) -> str:
    """Return a fraction in percent; a value within rounding of zero is shown as zero."""
    return f"{plain(100.0 * round(share, 9) + 0.0, digits)} %"


def size(count: float, digits: int = DIGITS) -> str:
    """Return a number of bytes: "44 MB", "8.96 GB"."""
    for unit, size_of in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if abs(count) >= 0.9995 * size_of:
            return f"{plain(count / size_of, digits)} {unit}"
    return f"{plain(count, digits)} B"


def span(values: Sequence[float | None], unit: str = "", apart_from: Collection[float] = ()) -> str:
    """Return the range of numbers in words: "16 to 10,900 times", or one number if all are equal.

    Missing values are left out. See `number` for ``apart_from``.
    """
    finite = [value for value in values if value is not None and not math.isnan(value)]
    if not finite:
        return "n/a"
    low, high = (number(end, unit, apart_from) for end in (min(finite), max(finite)))
    if low == high:
        return low
    same_unit = low.rpartition(" ")[2] == high.rpartition(" ")[2] and " " in low
    return f"{low.rpartition(' ')[0] if same_unit else low} to {high}"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: "1 statement", "3 statements"."""
    return f"{count:,} {noun if count != 1 or not noun.endswith('s') else noun[:-1]}"


def listed(words: Sequence[str]) -> str:
    """Return words joined for a sentence: "3 and 6", "1, 2 and 3"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"
