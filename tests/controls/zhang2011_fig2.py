"""Made-up rows for Z2 and Z12."""


def corpora(**extra):
    """Each corpus with the same numbers."""
    for corpus in ("nytimes", "pubmed", "nips"):
        numbers = dict(share=0.01, head=[0.9, 0.8], whole=[0.9, 0.8], variances=[1.0])
        yield dict(dataset="bag_of_words", label=corpus, extra=numbers | extra)


def Z2(holds):
    """A hundredth of the largest variance at rank n/200, or a fifth."""
    return corpora(share=0.01 if holds else 0.2)


def Z12(holds):
    """The log variances are straighter against the rank, or against its logarithm."""
    return corpora(head=[0.9, 0.8] if holds else [0.8, 0.99])
