"""Options that were removed in version 1.0, and what to type instead.

The messages are removed in the next release.
"""

from collections.abc import Sequence

CHECKS = "--checks with a list of bound, null and stability, or all, or none"
NOTHING = "no option, because columns are found by name"
INSTEAD = {  # an option, or a command and its option -> what to type instead
    "--criterion": "-k auto:CRITERION",
    "--deflation": "--set deflation=NAME",
    "--seed": "--set seed=NUMBER",
    "--refit": "--set refit=true",
    "--no-center": "Problem.from_data(X, center=False) in Python",
    "--drop-text": "--drop text",
    "--names": "--read names=FILE",
    "--key": "--read key=NAME",
    "--stand-in": "spcabench.load(NAME, stand_in=True) in Python",
    "--picture": "--plot KIND:FILE",
    "--substitutes": "`report`, or Result.substitutes() in Python",
    **dict.fromkeys(("--bound", "--null", "--stability"), CHECKS),
    **dict.fromkeys(("--no-bound", "--no-null", "--no-stability"), CHECKS),
    "--work": "--time SECONDS",
    "--thorough": "--time 60, or more seconds",
    "apply --label": NOTHING,
    "apply --drop": NOTHING,
    "apply --drop-text": NOTHING,
    "claim --run": "the page of the paper in the folder of the run",
    "advise --budget": "--time SECONDS",
    "advise --density": "`sparse data` or `dense data` as the kind of data",
    "advise --nonnegative": "the word nonnegative",
    "advise --components": "the word deflation, orthonormal or disjoint",
    "advise --run": "spcabench.comparison.advice.read(FOLDER) in Python",
    "list --long": "docs/solvers.md",
    "list --json": "spcabench.list_solvers() or list_datasets() in Python",
    "check --patience": "--time SECONDS",
    "compare --jobs": "the profile of the cluster, which limits its jobs",
    "compare --public": "no option, because this is the default",
    "compare --keep-times": "no option, because this is the default",
    "grade --full": "spcabench.solving.bounds.upper_bound(problem, k, full=True) in Python",
    "--who": "your name into the file",
    "merge --name": "the names of the folders",
    "best-known --take": "--update FILE",
    "best-known --search": "--update FACTOR",
    "best-known --suite": "the name of a problem",
    "--width": "--size WIDTHxHEIGHT",
    "--height": "--size WIDTHxHEIGHT",
    "--fontsize": "--size WIDTHxHEIGHT,POINTS",
    "--no-title": "spcabench.page.draw.draw_to(..., title=False) in Python",
    "--long": "--scale long",
    "publish --comparison": "the folder after that of the run",
    "data --fetch": "data NAME",
    "data --json": "FILES in the file of a dataset",
}


def instead(arguments: Sequence[str]) -> str:
    """Return what to type instead of a removed option in the arguments, or ""."""
    options = [word.partition("=")[0] for word in arguments if word.startswith("--")]
    command = next((word for word in arguments if not word.startswith("-")), "")
    for option in options:
        if text := INSTEAD.get(f"{command} {option}", INSTEAD.get(option, "")):
            return f"{option} was removed; use {text}"
    return ""
