"""Made-up rows for Z6, Z7, Z9, Z10 and Z13."""


def corpus(**changes):
    """The paper's two corpora, with the same numbers."""
    numbers = dict(
        search=[1.0, 1.1],
        total=[2.0, 2.1],
        pca=[4.0, 4.1],
        n_hat=300,
        cardinality=5,
        words=["some", "words"],
    )
    for name in ("nytimes", "pubmed"):
        yield dict(
            dataset="bag_of_words", label=name, n=100_000, nnz=10**7, extra=numbers | changes
        )


def instances(**changes):
    """Ten random covariances from which a feature was removed."""
    numbers = dict(
        removed=1, strongest=0.5, unit=1.0, l0=[0.5, 0.5], identity=0.5, l1=[0.5, 0.5, 0.5, 0.5]
    )
    for seed in range(10):
        yield dict(dataset="gaussian", label="instance", seed=seed, extra=numbers | changes)


def Z6(holds):
    """One second, or thirty."""
    return corpus(search=[1.0 if holds else 30.0])


def Z7(holds):
    """300 words of 100,000 are left, or 2000."""
    return corpus(n_hat=300 if holds else 2000)


def Z9(holds):
    """Both optima stay, or both fall by 0.01."""
    left = 0.5 if holds else 0.49
    return instances(l0=[0.5, left], l1=[0.5, 0.5, left, left])


def Z10(holds):
    """PCA takes twice as long as elimination and search, or half."""
    return corpus(total=[2.0 if holds else 8.0])


def Z13(holds):
    """Both sides are the same, or the right one is larger by 0.01."""
    return instances(identity=0.5 if holds else 0.51)
