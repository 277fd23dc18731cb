"""Every place in a source that writes to a disk: found by the calls that open, rename or remove files."""

from __future__ import annotations

import ast
from collections.abc import Iterator

NAMES = frozenset({"open_target", "create_engine", "ParquetWriter", "rmtree", "copyfile", "copytree", "memmap"})
"""Calls that write, as a name or as an attribute."""
METHODS = frozenset(
    {
        "write_text", "write_bytes", "unlink", "rename", "rmdir", "touch", "truncate", "ftruncate", "symlink_to",
        "hardlink_to", "copy2", "move", "tofile", "savetxt", "savez", "savez_compressed", "savefig", "to_csv",
        "to_parquet", "to_feather", "write_feather", "saveAsTable", "saveAsTextFile", "mkstemp", "NamedTemporaryFile",
    }
)  # fmt: skip
"""Attributes that write, whatever they belong to."""
OF_MODULES = {
    "os": {"replace", "remove", "open", "link", "symlink", "removedirs", "renames"},
    "shutil": {"copy", "copyfileobj"},
    "np": {"save"},
    "numpy": {"save"},
    "sqlite3": {"connect"},
    "shelve": {"open"},
    "dbm": {"open"},
}
"""Attributes that write when they are those of a module: elsewhere the same names mean something else."""
OPENING = frozenset({"open", "fdopen", "GzipFile", "BZ2File", "LZMAFile", "ZstdFile", "ZipFile", "TarFile"})


def writing_functions(source: str) -> Iterator[str]:
    """The functions that write, each once, as ``Class.method`` or ``function``; ``<module>`` for what is in none."""
    found: dict[str, None] = {}

    def visit(node: ast.AST, inside: tuple[str, ...]) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inside = (*inside, node.name)
        if isinstance(node, ast.Call) and _writes(node):
            found[".".join(inside) or "<module>"] = None
        for child in ast.iter_child_nodes(node):
            visit(child, inside)

    visit(ast.parse(source), ())
    yield from found


def _writes(call: ast.Call) -> bool:
    function = call.func
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    owner = function.value.id if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) else ""
    if name in NAMES or (isinstance(function, ast.Attribute) and name in METHODS):
        return True
    if name in OF_MODULES.get(owner, ()):
        return True
    if isinstance(function, ast.Attribute) and name == "replace":  # of text it has two arguments, of a path one
        return len(call.args) == 1 and not call.keywords and owner != "dataclasses"
    return name in OPENING and _is_for_writing(call)


def _is_for_writing(call: ast.Call) -> bool:
    """Whether a mode among the arguments, however it is chosen, has one of w, a, x and +."""
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    texts = [node.value for one in given for node in ast.walk(one) if isinstance(node, ast.Constant)]
    return any(
        isinstance(text, str) and len(text) <= 4 and set(text) <= set("rwaxbt+|:*gz") and set(text) & set("wax+")
        for text in texts
    )
