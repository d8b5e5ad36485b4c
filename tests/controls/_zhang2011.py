"""Made-up topics for the tables."""


def topics(corpus, share=0.01, words=5):
    """Five components of so many words; a share of the random sets is as coherent."""
    rows = [
        dict(
            words=[f"word{i}{j}" for j in range(words)],
            weights=[words**-0.5] * words,
            refitted=1.0,
            bound=1.0,
            beaten=1.0 - share,
            npmi=0.3,
        )
        for i in range(5)
    ]
    for label in ("counts", "tfidf"):
        yield dict(
            dataset="bag_of_words",
            problem=corpus,
            parameters=dict(corpus=corpus),
            label=label,
            extra=dict(topics=rows),
        )


def words_in_order_of_variance(corpus):
    """Words 1 to 5, 6 to 10 and so on by variance: measured on docstrings, components in turn."""
    (counts, _) = topics(corpus)
    ranked = counts["extra"]["topics"]
    beaten = (0.531, 0.971, 0.029, 0.052, 0.508)
    extra = dict(topics=[one | dict(beaten=b) for one, b in zip(ranked, beaten, strict=True)])
    yield counts | dict(extra=extra)
