"""Made-up topics for the tables."""


def topics(corpus, beaten):
    """Five components of five words, above a share of random sets of words."""
    found = [
        dict(
            words=[f"word{i}{j}" for j in range(5)],
            weights=[0.4] * 5,
            lam=1.0,
            variance=1.0,
            gap=1e-3,
            npmi=0.3,
            beaten=beaten,
        )
        for i in range(5)
    ]
    for label in ("counts", "tfidf"):
        yield dict(dataset="bag_of_words", problem=corpus, label=label, extra=dict(topics=found))
