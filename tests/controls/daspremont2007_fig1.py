"""Made-up rows for D1 and D3."""


def sets(nonzeros, accuracy):
    """Each set of genes with DSPCA's nonzeros and accuracy; PCA's is 0.9."""
    numbers = dict(silhouette=0.1, explained=0.3)
    for name in ("alon", "golub", "mll"):
        yield dict(
            dataset=name,
            label="main",
            extra=dict(
                pca=dict(nonzeros=1500, accuracy=0.9) | numbers,
                dspca=dict(nonzeros=nonzeros, accuracy=accuracy) | numbers,
            ),
        )


def D1(holds):
    """14 nonzeros, or 40."""
    return sets(14 if holds else 40, 0.88)


def D3(holds):
    """Nearly as accurate as PCA, or by far less."""
    return sets(14, 0.88 if holds else 0.5)
