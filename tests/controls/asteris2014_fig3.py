"""Made-up rows for A1."""


def A1(holds):
    """All six components are parts, or one is no more so than random pixels."""
    image = [[0.0] * 361] * 6
    for label in ("main", "contrast-normalised"):
        yield dict(label=label, dataset="cbcl", extra=dict(images=image))
        for method in ("spannogram", "em"):
            ranks = [0.99] * 5 + [0.99 if holds else 0.5]
            extra = dict(images=image, variances=[0.1] * 6, ranks=ranks, overlap=0)
            settings = dict(method=method)
            yield dict(label=label, dataset="cbcl", lambda_1=1.0, settings=settings, extra=extra)
