"""Made-up topics for the tables."""


def topics(corpus, share=0.01, words=5):
    """Yield five components of ``words`` words; a share of the random sets is as coherent as
    each.
    """
    common = dict(weights=[words**-0.5] * words, refitted=1.0, bound=1.0, npmi=0.3)
    common["beaten"] = 1.0 - share
    rows = [common | dict(words=[f"word{i}{j}" for j in range(words)]) for i in range(5)]
    problem = dict(dataset="bag_of_words", problem=corpus, parameters=dict(corpus=corpus))
    for label in ("counts", "tfidf"):
        yield problem | dict(label=label, extra=dict(topics=rows))


def words_in_order_of_variance(corpus):
    """Take words 1 to 5, 6 to 10 etc. by variance; the values were measured on docstrings."""
    (counts, _) = topics(corpus)
    ranked = counts["extra"]["topics"]
    beaten = (0.531, 0.971, 0.029, 0.052, 0.508)
    extra = dict(topics=[one | dict(beaten=b) for one, b in zip(ranked, beaten, strict=True)])
    yield counts | dict(extra=extra)
