"""Kernels ask for memory in one checked place, and pass on that there is none: an error, never a signal."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import germane as ge
from germane import cli, kernels
from germane.formats.rankings import scan
from germane.kernels import reference
from tests.conftest import ROOT
from tests.kernels.scarce_memory import ENVIRONMENT, SCENARIOS

SOURCES = sorted((ROOT / "src" / "germane" / "kernels").glob("_[!_]*.py"))
CHECKED = {"resize", "zeroed", "out_of_memory"}
"""What memory.pxd has: each raises a MemoryError."""
UNCHECKED = {"malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "strdup", "strndup"}
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

linux = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux says how much memory is in use")
compiled = pytest.mark.skipif(kernels.Matcher is reference.Matcher, reason="no compiled extension")


def unsafe(source: str) -> Iterator[str]:
    """What in a kernel would go on where there is no memory left."""
    tree = ast.parse(source)
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        names = [node.id] if isinstance(node, ast.Name) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []
        yield from (f"{name} is not checked" for name in names if name in UNCHECKED or name.startswith("PyMem_"))
        if isinstance(node, COMPREHENSIONS):
            # Cython 3.3 gives an item back twice where the list cannot grow.
            yield f"line {node.lineno}: a comprehension"
    raising = set(CHECKED)
    while more := {name for name, node in functions.items() if name not in raising and _may_raise(node, raising)}:
        raising |= more
    yield from (f"{name} swallows a MemoryError" for name in sorted(raising - CHECKED) if _swallows(functions[name]))


def _may_raise(function: ast.FunctionDef, raising: set[str]) -> bool:
    """Whether it calls what may raise, or goes back to Python, where anything may."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if name in raising:
                return True
        if isinstance(node, ast.With) and any(ast.unparse(item.context_expr) == "cython.gil" for item in node.items):
            return True
    return False


def _swallows(function: ast.FunctionDef) -> bool:
    """Whether it is declared as one that never raises."""
    return any(ast.unparse(decorator) == "cython.exceptval(check=False)" for decorator in function.decorator_list)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_kernels_mind_that_there_is_no_memory(path: Path) -> None:
    assert list(unsafe(path.read_text(encoding="utf-8"))) == []


# fmt: off
SPECIMENS = [
    # a broken kernel                                                                what the law says of it
    ("from cython.cimports.libc.stdlib import malloc",                               "malloc is not checked"),
    ("def f(p):\n    p = realloc(p, 8)",                                             "realloc is not checked"),
    ("@cython.exceptval(check=False)\ndef f(p):\n    resize(p, 1, 8)",               "f swallows a MemoryError"),
    ("def g(p):\n    return zeroed(1, 8)\n@cython.exceptval(check=False)\ndef f(p):\n    self.g(p)",
                                                                                     "f swallows a MemoryError"),
    ("@cython.exceptval(check=False)\ndef f():\n    with cython.gil:\n        g()",   "f swallows a MemoryError"),
    ("def f(n):\n    return [i for i in range(n)]",                                  "line 2: a comprehension"),
]
# fmt: on


@pytest.mark.parametrize(("source", "problem"), SPECIMENS)
def test_the_law_catches_what_would_go_on_without_memory(source: str, problem: str) -> None:
    assert problem in list(unsafe(source))


def test_the_checked_place_looks_at_what_it_was_given() -> None:
    """It is no Python; each of its two calls of the C library is followed by a comparison."""
    source = (ROOT / "src" / "germane" / "kernels" / "memory.pxd").read_text(encoding="utf-8")
    calls = sum(line.strip().startswith(("block = realloc(", "block = calloc(")) for line in source.splitlines())
    assert calls == source.count("if block == NULL:\n        ") == 2


def test_each_kernel_that_asks_for_memory_is_tried_without() -> None:
    asking = {path.stem for path in SOURCES if "kernels.memory" in path.read_text(encoding="utf-8")}
    assert asking == {kernel for kernel, _ in SCENARIOS.values()}


def run_python(*args: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **ENVIRONMENT, "PYTHONPATH": f"{Path(ge.__file__).parents[1]}{os.pathsep}{ROOT}"}
    return subprocess.run([sys.executable, *args], env=environment, capture_output=True, text=True, check=False)


@linux
@compiled
@pytest.mark.slow
@pytest.mark.parametrize("name", SCENARIOS)
def test_too_little_memory_is_an_error_and_never_a_signal(name: str) -> None:
    done = run_python("-m", "tests.kernels.scarce_memory", name)
    assert done.returncode == 0, done.stderr
    count, *longest = done.stdout.splitlines()
    assert int(count) > 0, "there was always enough"
    if name in ("one large query", "many queries", "interleaved queries"):
        assert "not enough memory to read" in longest[0]


ON_THE_COMMAND_LINE = """
import sys
from germane.cli import main
from tests.fuzz.outcomes import memory_limit
import germane.cli.commands.eval, germane.formats.rankings.ranking_files, germane.formats.rankings.scan
sys.argv = ["germane", "eval", *sys.argv[1:], "-m", "AP"]
with memory_limit(24 << 20):
    main()
"""


@linux
@compiled
def test_the_command_names_the_file_and_the_line(tmp_path: Path) -> None:
    """It died of a segmentation fault: one query of many rows, and not enough address space for them."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q 0 d7 1\n")
    run.write_text("".join(f"q Q0 d{i} {i} {-i} x\n" for i in range(300_000)))
    done = run_python("-c", ON_THE_COMMAND_LINE, str(qrels), str(run))
    assert done.returncode == 2, done.stderr
    message, hint = done.stderr.splitlines()
    where, _, problem = message.partition(": not enough memory")
    assert (problem, hint.startswith("Hint: raise the limit (`ulimit -v unlimited`)")) == (
        " to read beyond this line",
        True,
    )
    line = int(where.removeprefix(f"germane: {run}:"))
    assert 1 < line < 300_000


# The same errors, in this process ------------------------------------------------------------------------------------


class Exhausted(reference.Matcher):
    """A matcher that has memory for so many lines."""

    lines = 3

    def _read(self, line: bytes, layout: reference.Layout) -> None:
        self.lines -= 1
        if self.lines == 0:
            raise MemoryError
        super()._read(line, layout)


def test_an_error_names_the_line_that_there_was_no_memory_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run").write_text("# a comment\n\nq Q0 a 1 3 x\nq Q0 b 2 2 x\nq Q0 c 3 1 x\nq Q0 d 4 0 x\n")
    monkeypatch.setattr(kernels, "Matcher", Exhausted, raising=False)
    with pytest.raises(ge.errors.OutOfMemoryError) as caught:
        ge.evaluate({"q": {"a": 1}}, tmp_path / "run", "AP")
    assert caught.value.line == 5
    assert caught.value.message == f"{tmp_path / 'run'}:5: not enough memory to read beyond this line"
    assert isinstance(caught.value, MemoryError)


@pytest.mark.parametrize("step", ["_index", "_feed_gathered"])
def test_an_error_of_mixed_queries_names_the_line_too(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such a file is read again, to find the lines of each query and then query by query."""
    (tmp_path / "run").write_text("q Q0 a 1 3 x\nr Q0 b 1 3 x\nq Q0 c 2 2 x\nr Q0 d 2 2 x\n")

    def exhausted(*_: object) -> None:
        raise scan._MemoryRanOutError(26)

    monkeypatch.setattr(scan, step, exhausted)
    with pytest.raises(ge.errors.OutOfMemoryError, match="run:3: not enough memory to read beyond this line"):
        ge.evaluate({"q": {"a": 1}, "r": {"b": 1}}, tmp_path / "run", "AP")


def test_a_command_that_no_file_was_too_large_for(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def exhausted(**_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(cli, "group", exhausted)
    with pytest.raises(SystemExit, match="2"):
        cli.main()
    assert capsys.readouterr().err.startswith("germane: not enough memory\nHint: close other programs")


@pytest.mark.parametrize("read", [ge.read_run, ge.read_qrels])
def test_an_error_names_the_file(read: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class NoTable:
        def __init__(self, layout: object) -> None:
            raise MemoryError

    (tmp_path / "file").write_text("q Q0 a 1 3 x\n" if read is ge.read_run else "q 0 a 1\n")
    monkeypatch.setattr(kernels, "TableReader", NoTable, raising=False)
    with pytest.raises(ge.errors.OutOfMemoryError, match="not enough memory to read it"):
        read(tmp_path / "file")  # type: ignore[operator]
