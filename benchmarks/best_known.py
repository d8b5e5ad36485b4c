"""The best known variance on each standard problem; running this module updates it."""

import json
from pathlib import Path

from .commits import full_hash, package_of
from .problems import PROBLEMS
from .solver_processes import checked, collect

FILE = Path(__file__).with_name("best_known.json")


def read():
    """Return problem -> best known variance with its cardinality, from any solver."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def renew():
    """Replace the best known variances that the solvers at HEAD exceed."""
    best = read()
    for entries in checked(collect(PROBLEMS, package_of(full_hash("HEAD")))).values():
        for name, entry in entries.items():
            best[name] = max(best.get(name, 0.0), entry.get("variance") or 0.0)
    FILE.write_text(json.dumps(best, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    renew()
