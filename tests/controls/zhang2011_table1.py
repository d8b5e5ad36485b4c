"""Made-up rows for Z3."""

from tests.controls._zhang2011 import topics, words_in_order_of_variance


def Z3(value):
    """A share of the random sets of words is as coherent as each component."""
    return topics("nytimes", value)


def Z3_words(value):
    """Each component has ``value`` words."""
    return topics("nytimes", words=value)


Z3_words.values = [(4, 3), (6, 7)]


def trivial_Z3():
    """Words in order of their variance, five at a time."""
    return words_in_order_of_variance("nytimes")
