"""A hash of all code that decides the numbers of a solver at a commit.

Two commits at which a solver has the same hash give the same counts: the gate does not count it
again. The hash is of the solver's file and of all that it imports. This checkout's reader reads the
files and needs nothing from the commit, so early commits have hashes too.
"""

import ast
import importlib.util
from pathlib import Path

from .commits import ROOT
from .problems import DATASETS

# what runs every solver: the first of these that is there
ENTRIES = ("api.py", "__init__.py")


def hashes(tree):
    """Solver -> hash of its code, of what runs it, of the problems' datasets, and of their imports.

    tree : the folder that holds the package ``spcabench``.
    """
    package = Path(tree).resolve() / "spcabench"
    return of_package(package, reader(package))


def of_package(package, source):
    """Return the hashes of `hashes`."""
    entry = next(package / name for name in ENTRIES if (package / name).is_file())
    code, files = used_by(source, entry, ("solve", "load"))
    files |= {package / "datasets" / f"{name}.py" for name in DATASETS}
    return {
        file.stem: source.digest([code, of_files(source, files | {file})])
        for file in modules(package / "solvers")
    }


def used_by(source, file, names):
    """Return what some functions of a file use in it, as text, and the files that it is from.

    So what the file has for other functions, and imports for them, does not count.
    """
    tree = source.syntax_tree(file)
    if tree is None:
        raise ValueError(f"the syntax of {file.name} is wrong")
    statements, used, reached, files = tree.body, set(names), {}, set()
    while True:
        new = [s for s in statements if id(s) not in reached and names_set(s) & used]
        if not new:
            return sorted(ast.dump(s) for s in reached.values() if not is_import(s)), files
        for statement in new:
            reached[id(statement)] = statement
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
    aliases = [a for a in statement.names if (a.asname or a.name).partition(".")[0] in used]
    if isinstance(statement, ast.Import):
        return ast.Module([ast.Import(aliases)], [])
    return ast.Module([ast.ImportFrom(statement.module, aliases, statement.level)], [])


def of_files(source, files):
    """Hash of some files of a package, and of all that they import."""
    used = {inner for file in files if file.is_file() for inner in source.closure(file)}
    return source.digest(sorted({source.tree_hash(file) for file in used}))


def modules(folder):
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
