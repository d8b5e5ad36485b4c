"""What stands in for gene expression data that cannot be had."""

from .problem import Problem


def stand_in(name: str, source: str, divide_by_m: bool = True) -> Problem:
    """scikit-learn's breast-cancer table (569 x 30), features centred and scaled, in place of a named data set."""
    from sklearn.datasets import load_breast_cancer

    table = load_breast_cancer()
    return Problem.from_data(
        table.data,
        f"{name} (stand-in: breast-cancer table 569 x 30)",
        scale=True,
        divide_by_m=divide_by_m,
        features=list(table.feature_names),
        labels=[str(table.target_names[t]) for t in table.target],
        provenance={
            "source": f"scikit-learn's breast-cancer table, in place of {source}",
            "preprocessing": "features centred and scaled (their units differ)",
            "stand_in": True,
        },
    )
