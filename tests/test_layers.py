"""Imports point only upward: the order of the layers, and what files may not be called or contain."""

import ast
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

LAYERS = (
    "public",
    "errors",
    "types",
    "progress",
    "temporary",
    "arguments",
    "catalogue",
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
    "output",
    "exercises",
    "web",
    "cli",
)
SOURCES = sorted((ROOT / "src" / "germane").rglob("*.py"))


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(
    source: str, module: str, *, is_package: bool, walk: Callable[[ast.AST], Iterator[ast.AST]] = ast.walk
) -> Iterator[str]:
    """The dotted name of everything imported anywhere in the source, in functions too; `walk` may leave some out."""
    package = module.split(".") if is_package else module.split(".")[:-1]
    for node in walk(ast.parse(source)):
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
    # Types name classes of every layer, for type checkers alone.
    walk = outside_functions if module == "germane.types" else ast.walk
    for imported in imported_modules(source, module, is_package=is_package, walk=walk):
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
    # truth and sklearn hold names of others alone, found when they are used
    assert first_parts - {*LAYERS, "__main__", "truth", "sklearn"} == set()


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("germane.tables.rankings.run", "from germane.measures import registry"),
        ("germane.tables.rankings.run", "import germane.measures.definition as registry"),
        ("germane.tables.rankings.run", "from ...formats import detect"),
        ("germane.tables.rankings.run", "from germane import formats"),
        ("germane.tables.rankings.run", "from germane import evaluate"),
        ("germane.tables.rankings.run", "import germane"),
        ("germane.errors", "def late():\n    from germane.tables import qrels"),
        ("germane.api", "from germane.trec_eval import printer"),
        ("germane.output.page", "from .. import web"),
    ],
)
def test_the_layer_law_catches(module: str, source: str) -> None:
    assert downward_imports(source, module) != []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        (
            "germane.tables.rankings.run",
            "from germane.tables.columns.ids import Ids\nfrom .ids import Ids\nfrom . import ids",
        ),
        ("germane.measures.names", "from germane.errors import InputError\nimport numpy, germane.tables"),
        ("germane.cli.commands.trec_eval", "from germane.trec_eval import printer\nfrom germane import evaluate"),
        ("germane.cli.commands.trec_eval", "import germane"),
        ("germane", "from germane.api import evaluate"),
    ],
)
def test_the_layer_law_allows(module: str, source: str) -> None:
    assert downward_imports(source, module) == []


def test_a_relative_import_in_a_package_starts_at_the_package() -> None:
    assert downward_imports("from . import qrels", "germane.tables", is_package=True) == []
    assert downward_imports("from .. import formats", "germane.tables", is_package=True) != []


# Where one file for each thing is the rule: a kernel and its reference, a command.
WITHOUT_LIMIT = ("kernels", "cli/commands")
MOST_FILES = 16


def crowded(counts: dict[str, int]) -> list[str]:
    """Folders with so many files that nobody finds anything by its name."""
    return [folder for folder, count in counts.items() if count > MOST_FILES and folder not in WITHOUT_LIMIT]


def test_a_folder_holds_few_files() -> None:
    counts: dict[str, int] = {}
    for path in SOURCES:
        if path.name != "__init__.py":
            folder = path.parent.relative_to(ROOT / "src" / "germane").as_posix()
            counts[folder] = counts.get(folder, 0) + 1
    assert crowded(counts) == []


def test_the_law_of_folders_catches_a_specimen() -> None:
    assert crowded({"tables": 17, "kernels": 30, "stats": 16}) == ["tables"]


# Each takes longer to import than a short command takes to run, so a function imports it where it needs it.
HEAVY = ("scipy.stats", "scipy.optimize", "pandas", "rich")


def outside_functions(tree: ast.AST) -> Iterator[ast.AST]:
    """What runs when a module is imported, so neither functions nor what only type checkers read."""
    for node in ast.iter_child_nodes(tree):
        for_types = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        if not for_types and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
            yield from outside_functions(node)


def heavy_at_module_level(source: str, module: str) -> list[str]:
    """Heavy libraries that are imported with the module itself, not by one of its functions."""
    imported = imported_modules(source, module, is_package=False, walk=outside_functions)
    return [name for name in imported if any(f"{name}.".startswith(f"{heavy}.") for heavy in HEAVY)]


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_heavy_libraries_are_imported_by_functions(path: Path) -> None:
    assert heavy_at_module_level(path.read_text(encoding="utf-8"), module_name(path)) == []


@pytest.mark.parametrize(
    "source",
    [
        "from scipy import stats",
        "from scipy.stats import rankdata",
        "import scipy.optimize",
        "import pandas as pd",
        "class Shown:\n    from rich.table import Table",
    ],
)
def test_the_law_of_heavy_libraries_catches(source: str) -> None:
    assert heavy_at_module_level(source, "germane.stats.significance.power") != []


def test_the_law_of_heavy_libraries_allows() -> None:
    late = "def late():\n    from scipy.stats import rankdata"
    typed = "if TYPE_CHECKING:\n    import pandas as pd\nfrom scipy.special import ndtr"
    assert heavy_at_module_level(late, "germane.stats.significance.power") == []
    assert heavy_at_module_level(typed, "germane.stats.significance.power") == []


# What to type at a terminal is for the layers that a person at one meets; tables serve Python and the web as well.
ADVICE = re.compile(r"(?<![\w-])--[a-z]|\bgermane [a-z]")


def advice(source: str) -> list[str]:
    """Texts that name an option or a command of the command line."""
    texts = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
    return [text for text in texts if isinstance(text, str) and ADVICE.search(text) and ">>> " not in text]


@pytest.mark.parametrize("path", sorted((ROOT / "src" / "germane" / "tables").rglob("*.py")), ids=module_name)
def test_tables_give_no_advice_on_the_command_line(path: Path) -> None:
    assert advice(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("text", ["use --topics both", "`germane check` lists them"])
def test_the_law_of_advice_catches(text: str) -> None:
    assert advice(f"raise InputError(name, None, problem, hint={text!r})") != []


# How results become text is said once, in output/rendering; what is written elsewhere is no result.
WRITING = re.compile(r"\bjson\.dumps?\(|\bcsv\.writer\(|^STYLES\b|\.\{digits\}[fg%]", re.MULTILINE)
WRITERS = {
    "output/page": "the data of a page",
    "output/plots": "the spec of a figure",
    "output/texts/comparison_latex.py": "a table for papers, which the rendering asks for",
    "output/texts/change_comment.py": "a comment on a merge request",
    "cli/options/gates.py": "why a gate failed",
    "cli/commands/demo.py": "a file of documents",
    "tables/results/comparison.py": "a sentence on queries",
    "tables/truth/pool.py": "the text that a pool's hash is taken of",
    "tables/decisions/threshold_text.py": "the shortest decimal that decides alike",
}
"""By file or folder that writes numbers, JSON or CSV itself, what it writes."""


def writers(folder: Path) -> set[str]:
    """The modules of tables, output and the command line, rendering apart, that write results themselves."""
    paths = [path for room in ("tables", "output", "cli") for path in (folder / room).rglob("*.py")]
    named = [(path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8")) for path in paths]
    return {name for name, text in named if not name.startswith("output/rendering/") and WRITING.search(text)}


def test_only_rendering_writes_results() -> None:
    found = writers(ROOT / "src" / "germane")
    assert {name for name in found if not name.startswith(tuple(WRITERS))} == set()
    assert [place for place in WRITERS if not any(name.startswith(place) for name in found)] == []


@pytest.mark.parametrize("line", ["import json; json.dumps(x)", 'STYLES = ("table", "csv")', 'f"{value:.{digits}f}"'])
def test_a_module_that_writes_results_is_caught(line: str, tmp_path: Path) -> None:
    (tmp_path / "output").mkdir()
    (tmp_path / "output" / "tables.py").write_text(f"{line}\n", encoding="utf-8")
    assert writers(tmp_path) == {"output/tables.py"}


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
