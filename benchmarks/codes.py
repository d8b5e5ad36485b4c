"""What decides the numbers of a solver at a commit: a hash of its code, with all that it imports.

Two commits at which a solver has the same hash give the same counts: the gate does not count it
again, and the history takes over its numbers. The files are read by the reader of this checkout,
which needs nothing from the commit, so that early commits have hashes too.
"""

import ast
import importlib.util
import sys
from functools import lru_cache
from pathlib import Path

from .problems import DATASETS

ROOT = Path(__file__).resolve().parents[1]
# what runs every solver: the first of these that is there
ENTRIES = ("api.py", "__init__.py")


def codes(tree):
    """Solver -> hash of its code, of what runs it, of the problems' datasets, and of their imports.

    tree : the folder that holds the package ``spcabench``.
    """
    package = Path(tree).resolve() / "spcabench"
    return of_package(package, reader(package))


def of_package(package, source):
    """The hashes of `codes`."""
    entry = next(package / name for name in ENTRIES if (package / name).is_file())
    code, files = used_by(source, entry, ("solve", "load"))
    files |= {package / "datasets" / f"{name}.py" for name in DATASETS}
    return {
        file.stem: source.digest([code, of_files(source, files | {file})])
        for file in named(package / "solvers")
    }


def used_by(source, file, names):
    """Return what some functions of a file use in it, as text, and the files that it is from.

    So what the file has for other functions, and imports for them, does not count.
    """
    tree = source.syntax_tree(file)
    if tree is None:
        raise ValueError(f"the syntax of {file.name} is wrong")
    statements, used, taken, files = tree.body, set(names), {}, set()
    while True:
        new = [s for s in statements if id(s) not in taken and names_set(s) & used]
        if not new:
            return sorted(ast.dump(s) for s in taken.values() if not is_import(s)), files
        for statement in new:
            taken[id(statement)] = statement
            used |= {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
            if not is_import(statement):  # a function may import by itself
                files |= set(source.imported(ast.Module([statement], []), file))
        # an import is looked at again when a further one of its names is used
        for statement in filter(is_import, statements):
            if names_set(statement) & used:
                files |= set(source.imported(only(statement, used), file))


def names_set(statement):
    """The names that a statement of a module gives a meaning."""
    if is_import(statement):
        return {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    return {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def is_import(statement):
    """Whether a statement imports."""
    return isinstance(statement, ast.Import | ast.ImportFrom)


def only(statement, used):
    """A module with an import statement, and of its names with those that are used."""
    kept = [a for a in statement.names if (a.asname or a.name).partition(".")[0] in used]
    if isinstance(statement, ast.Import):
        return ast.Module([ast.Import(kept)], [])
    return ast.Module([ast.ImportFrom(statement.module, kept, statement.level)], [])


def of_files(source, files):
    """Hash of some files of a package, and of all that they import."""
    used = {inner for file in files if file.is_file() for inner in source.closure(file)}
    return source.digest(sorted({source.tree_hash(file) for file in used}))


def named(folder):
    """The files of a folder that are a solver or a dataset each."""
    return sorted(folder.glob("[!_]*.py"))


def reader(package):
    """Today's ``spcabench.running.code_hash``, for the files of a package."""
    file = ROOT / "spcabench" / "running" / "code_hash.py"
    spec = importlib.util.spec_from_file_location("reader_of_a_commit", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.PACKAGE = package
    return module


@lru_cache
def circumstances():
    """Hash of what decides numbers beside the code of a commit.

    That is the standard problems, how they are measured, the libraries of the lock and the Python.
    """
    source = reader(ROOT / "spcabench")
    here = Path(__file__).parent
    files = [here / name for name in ("problems.py", "counts.py", "passes.py")]
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    return source.digest([*map(source.tree_hash, files), lock, sys.version_info[:2]])
