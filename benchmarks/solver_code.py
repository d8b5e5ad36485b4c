"""Hash all code that affects the numbers of a solver at a commit.

If a solver has the same hash at two commits, its counts are the same, and the gate does not measure
it again. The hash covers the file of the solver and everything that it imports. The code of the
current checkout computes the hashes, so early commits have hashes too.
"""

import ast
import importlib.util
from pathlib import Path

from .commits import ROOT
from .problems import DATASETS

# The file that runs every solver is the first of these that exists.
ENTRIES = ("api.py", "__init__.py")


def hashes(tree):
    """Return solver -> hash of its file, the code that runs it, and the datasets.

    The hash includes everything that these files import.

    tree : the folder that contains the package ``spcabench``.
    """
    package = Path(tree).resolve() / "spcabench"
    return of_package(package, reader(package))


def of_package(package, source):
    """Return the hashes for a package folder; see `hashes`."""
    entry = next(package / name for name in ENTRIES if (package / name).is_file())
    code, files = used_by(source, entry, ("solve", "load"))
    files |= {package / "datasets" / f"{name}.py" for name in DATASETS}
    return {
        file.stem: source.digest([code, of_files(source, files | {file})])
        for file in modules(package / "solvers")
    }


def used_by(source, file, names):
    """Return the code of a file that the named functions use, as text, and the imported files.

    Code and imports that only other functions use are not included.
    """
    tree = source.syntax_tree(file)
    if tree is None:
        raise ValueError(f"{file.name} has a syntax error")
    statements, used, reached, files = tree.body, set(names), {}, set()
    while True:
        new = [s for s in statements if id(s) not in reached and names_set(s) & used]
        if not new:
            return sorted(ast.dump(s) for s in reached.values() if not is_import(s)), files
        for statement in new:
            reached[id(statement)] = statement
            used |= {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
            if not is_import(statement):  # a function can contain imports
                files |= set(source.imported(ast.Module([statement], []), file))
        # an import is visited again if another of its names is used
        for statement in filter(is_import, statements):
            if names_set(statement) & used:
                files |= set(source.imported(only(statement, used), file))


def names_set(statement):
    """Return the names that a statement of a module defines."""
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
    """Return a module with an import statement that is reduced to the used names."""
    aliases = [a for a in statement.names if (a.asname or a.name).partition(".")[0] in used]
    if isinstance(statement, ast.Import):
        return ast.Module([ast.Import(aliases)], [])
    return ast.Module([ast.ImportFrom(statement.module, aliases, statement.level)], [])


def of_files(source, files):
    """Return a hash of some files of a package and everything that they import."""
    used = {inner for file in files if file.is_file() for inner in source.closure(file)}
    return source.digest(sorted({source.tree_hash(file) for file in used}))


def modules(folder):
    """Return the solver or dataset files in a folder."""
    return sorted(folder.glob("[!_]*.py"))


def reader(package):
    """Load the current ``spcabench.running.fingerprint``, applied to the files of a package."""
    file = ROOT / "spcabench" / "running" / "fingerprint.py"
    spec = importlib.util.spec_from_file_location("reader_of_a_commit", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.PACKAGE = package
    return module
