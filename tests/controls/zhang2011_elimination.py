"""Made-up rows for Z6, Z7, Z9, Z9b, Z10 and Z13."""

ROUNDS = 5


def corpus(n=102_660, label="simulated", **changes):
    """Yield a simulated corpus of the published size, or one with another label."""
    numbers = dict(search=1.0, total=2.0, pca=4.0) | changes
    times = {name: [numbers[name]] * ROUNDS for name in ("search", "total", "pca")}
    rest = dict(seen=512, n_hat=400, cardinality=5, words=["some", "words"]) | changes
    problem = dict(dataset="bag_of_words", label=label, problem=label, n=n, nnz=10**7)
    yield problem | dict(load=1.0, extra=rest | times)


def instances(count=10, lost=0, **changes):
    """Yield random covariances without one feature; the relaxation's optimum falls in ``lost``
    of them.
    """
    numbers = dict(removed=1, strongest=0.5, unit=1.0, l0=[0.5] * 2, identity=0.5, l1=[0.5] * 4)
    for seed in range(count):
        fallen = dict(l1=[0.5, 0.5, 0.4, 0.4]) if seed < lost else {}
        extra = numbers | fallen | changes
        yield dict(dataset="gaussian", label="instance", seed=seed, extra=extra)


def Z6(value):
    """A search takes ``value`` seconds."""
    return corpus(search=value)


def trivial_Z6():
    """No elimination: the search sees all words, and ends at its limit of an hour."""
    return corpus(search=3600.0)


def Z7(value):
    """The dictionary is ``value`` times as large as what is left."""
    return corpus(n=round(400 * value), label="nytimes")


def Z7_order(value):
    """What is left is ``value`` times the paper's order of magnitude."""
    return corpus(n=400_000, label="nytimes", n_hat=round(500 * value))


def trivial_Z7():
    """No elimination: all words are left."""
    return corpus(label="nytimes", n_hat=102_660)


def Z9(value):
    """The l0 optimum falls by a share of the largest variance."""
    return instances(l0=[0.5, 0.5 - value])


def Z9b(value):
    """The optimum of the relaxation falls in ``value`` instances."""
    return instances(lost=value)


Z9b.values = [(0, 1)]


def trivial_Z9b():
    """The feature of largest variance is removed: the optimum falls in every instance."""
    return instances(lost=10)


def Z10(value):
    """PCA takes ``value`` times as long as elimination and search."""
    return corpus(pca=value, total=1.0)


def trivial_Z10():
    """PCA followed by thresholding: the sparse result takes slightly longer."""
    return corpus(pca=1.0, total=1.001)


def Z13(value):
    """Both sides differ by a share of the largest variance."""
    return instances(identity=0.5 + value)
