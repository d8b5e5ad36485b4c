"""A claim whose setting the paper leaves open: one verdict from several readings."""

from spcabench.claims import Verdict


def readings(verdicts: dict[str, Verdict], texts: dict[str, str]) -> tuple[Verdict, str]:
    """The verdict on which all readings agree, else undecided; each with its own words."""
    agreed = set(verdicts.values())
    words = " | ".join(f"{name}: {verdicts[name]}, {texts[name]}" for name in verdicts)
    return agreed.pop() if len(agreed) == 1 else "undecided", words
