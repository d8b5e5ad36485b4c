"""Made-up rows for Z3."""

from tests.controls._zhang2011 import topics


def Z3(holds):
    """More coherent than 99 % of random sets of words, or than half of them."""
    return topics("nytimes", 0.99 if holds else 0.5)
