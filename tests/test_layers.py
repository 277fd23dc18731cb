"""Imports point only upward: the order of the layers, and what files may not be called or contain."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

LAYERS = (
    "errors",
    "arguments",
    "docstrings",
    "kernels",
    "tables",
    "formats",
    "measures",
    "trec_eval",
    "stats",
    "retrieval",
    "learning",
    "judging",
    "vectors",
    "distributed",
    "api",
    "demo",
    "report",
    "exercises",
    "web",
    "cli",
)
SOURCES = sorted((ROOT / "src" / "germane").rglob("*.py"))


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(source: str, module: str, *, is_package: bool) -> Iterator[str]:
    """The dotted name of everything imported anywhere in the source, in functions too."""
    package = module.split(".") if is_package else module.split(".")[:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = [*base, *(node.module or "").split(".")] if node.module else base
            # `from germane import tables` imports a layer, `from germane import evaluate` a name that api offers
            yield from (".".join([*origin, alias.name]) for alias in node.names)


def layer_of(module: str) -> str:
    """The layer of a module of germane. The package itself and its public names stand for api, which offers them."""
    parts = module.split(".")
    if len(parts) > 1 and parts[1] == "__main__":
        return "cli"
    return parts[1] if len(parts) > 1 and parts[1] in LAYERS else "api"


def downward_imports(source: str, module: str, *, is_package: bool = False) -> list[str]:
    """What the module imports against the order, as sentences."""
    if module == "germane":
        return []  # it gathers the public names, so it may reach anywhere
    own = layer_of(module)
    found = []
    for imported in imported_modules(source, module, is_package=is_package):
        if imported.split(".")[0] != "germane" or layer_of(imported) == own:
            continue
        layer = layer_of(imported)
        if LAYERS.index(layer) > LAYERS.index(own):
            found.append(f"{module} ({own}) imports {imported} ({layer}), a layer below its own")
        elif layer == "trec_eval" and own != "cli":
            found.append(f"{module} imports {imported}, which only cli may")
    return found


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_imports_point_upward(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert downward_imports(source, module_name(path), is_package=path.name == "__init__.py") == []


def test_every_module_belongs_to_a_layer() -> None:
    first_parts = {module_name(path).split(".")[1] for path in SOURCES if "." in module_name(path)}
    assert first_parts - {*LAYERS, "__main__"} == set()


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("germane.tables.run", "from germane.measures import registry"),
        ("germane.tables.run", "import germane.measures.registry as registry"),
        ("germane.tables.run", "from ..formats import detect"),
        ("germane.tables.run", "from germane import formats"),
        ("germane.tables.run", "from germane import evaluate"),
        ("germane.tables.run", "import germane"),
        ("germane.errors", "def late():\n    from germane.tables import qrels"),
        ("germane.api", "from germane.trec_eval import printer"),
        ("germane.report.page", "from .. import web"),
    ],
)
def test_the_layer_law_catches(module: str, source: str) -> None:
    assert downward_imports(source, module) != []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("germane.tables.run", "from germane.tables.ids import Ids\nfrom .ids import Ids\nfrom . import ids"),
        ("germane.measures.names", "from germane.errors import InputError\nimport numpy, germane.tables"),
        ("germane.cli.trec_eval", "from germane.trec_eval import printer\nfrom germane import evaluate"),
        ("germane.cli.trec_eval", "import germane"),
        ("germane", "from germane.api import evaluate"),
    ],
)
def test_the_layer_law_allows(module: str, source: str) -> None:
    assert downward_imports(source, module) == []


def test_a_relative_import_in_a_package_starts_at_the_package() -> None:
    assert downward_imports("from . import qrels", "germane.tables", is_package=True) == []
    assert downward_imports("from .. import formats", "germane.tables", is_package=True) != []


# A file with such a name holds whatever nobody found a place for.
NAMES_THAT_SAY_NOTHING = {"utils", "util", "common", "helpers", "helper", "core", "misc"}


def says_nothing(path: Path) -> bool:
    return path.stem.strip("_") in NAMES_THAT_SAY_NOTHING


def test_file_names_say_something() -> None:
    paths = [path for folder in ("src", "tests") for path in (ROOT / folder).rglob("*.py")]
    assert [str(path) for path in paths if says_nothing(path)] == []


def test_the_law_of_names_catches_a_specimen() -> None:
    assert says_nothing(Path("src/germane/measures/_utils.py"))


# Folders of the machine somebody happened to work on.
MACHINE_PATH = re.compile(r"(?<![\w.~$}/])/(?:work|root|home/\w+)/")


def text_files() -> Iterator[tuple[str, str]]:
    """Each text file that belongs to the repository, with its text."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode != 0:
        pytest.skip("not a git repository, so what belongs to it is not known")
    for name in filter(None, listing.stdout.split("\0")):
        if (ROOT / name).is_file():  # a file may be deleted and still be listed
            try:
                yield name, (ROOT / name).read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


def test_no_file_names_a_folder_of_some_machine() -> None:
    assert [name for name, text in text_files() if MACHINE_PATH.search(text)] == []


def test_the_law_of_machine_paths_catches_a_specimen() -> None:
    assert MACHINE_PATH.search("qrels = '" + "/".join(["", "work", "main", "qrels.txt"]) + "'")
    assert not MACHINE_PATH.search("https://example.org/work/2020")
