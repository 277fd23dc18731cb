"""The documents of the demonstration: known ones are there, under the name that people use, and nothing else is."""

import subprocess
import sys
import warnings
from types import ModuleType

import pytest

from germane.demo.library_documents import Library, read_library
from germane.demo.standard_library import offered
from germane.errors import GermaneError


@pytest.fixture(scope="module")
def library() -> Library:
    return read_library()


@pytest.fixture(scope="module")
def texts(library: Library) -> dict[str, str]:
    return {document.id: document.text for document in library.documents}


def test_a_document_is_name_with_signature_and_docstring(texts: dict[str, str]) -> None:
    heading, blank, first_line, *_ = texts["textwrap.dedent"].split("\n")
    assert (heading, blank) == ("textwrap.dedent(text)", "")
    assert first_line == "Remove any common leading whitespace from every line in `text`."


NAMES_OF_THINGS_WITH_SEVERAL = [
    # the name              another name of the same thing         why
    ("open", "io.open", "a builtin goes without its module"),
    ("OSError", "IOError", "what it calls itself"),
    ("os.stat", "posix.stat", "posix is how os is made on some systems"),
    ("os.path.join", "posixpath.join", "and posixpath is how os.path is made there"),
    ("io.StringIO", "_io.StringIO", "a private module is never named"),
    ("collections.OrderedDict", "typing.OrderedDict", "an alias in typing has no docstring of its own"),
    ("asyncio.run", "asyncio.runners.run", "a package goes before its parts, if it offers the thing"),
    ("unittest.TestCase", "unittest.case.TestCase", "likewise"),
    ("re.Pattern.match", "re._compiler.Pattern.match", "likewise, with a private part"),
    ("random.choice", "random.Random.choice", "a function goes before the method that it is"),
    ("socket.socket.connect", "socket.SocketType.connect", "methods from a private base are the public class's"),
    ("io.IOBase.readline", "_io._IOBase.readline", "likewise"),
    ("zlib.crc32", "gzip.zlib.crc32", "a module inside a module is not a name"),
]


@pytest.mark.parametrize(("name", "other", "why"), NAMES_OF_THINGS_WITH_SEVERAL)
def test_a_thing_has_one_document(texts: dict[str, str], name: str, other: str, why: str) -> None:
    assert name in texts, why
    assert other not in texts, why


def test_a_package_offers_what_it_forgot_to_list_and_its_submodule_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.11 has asyncio.TaskGroup and asyncio.taskgroups.__all__, but not TaskGroup in asyncio.__all__."""
    package, submodule = ModuleType("spam"), ModuleType("spam.eggs")
    monkeypatch.setitem(sys.modules, "spam.eggs", submodule)
    package.__path__ = []
    for name in ("Listed", "ListedBelow", "Internal"):
        setattr(package, name, type(name, (), {"__module__": "spam.eggs"}))
    vars(package)["__all__"], vars(submodule)["__all__"] = ["Listed"], ["ListedBelow"]
    assert [name for name, _, _ in offered(package, "spam")] == ["Listed", "ListedBelow"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("textwrap", "module"),
        ("xml.etree.ElementTree", "module"),
        ("collections.Counter", "class"),
        ("os.path.splitext", "function"),
        ("typing.Optional", "function"),
        ("str.removeprefix", "method"),
        ("pathlib.Path.rglob", "method"),
        ("collections.Counter.most_common", "method"),
        ("itertools.chain.from_iterable", "method"),
        ("pathlib.PurePath.suffix", "attribute"),
    ],
)
def test_kinds(library: Library, name: str, kind: str) -> None:
    assert [document.kind for document in library.documents if document.id == name] == [kind]


def test_a_class_without_a_docstring_speaks_through_its_constructor(texts: dict[str, str]) -> None:
    assert "Initializes a new ThreadPoolExecutor instance." in texts["concurrent.futures.ThreadPoolExecutor"]


def test_a_class_without_any_has_no_document(library: Library, texts: dict[str, str]) -> None:
    """Python 3.11 gives an enumeration without a docstring one of its own."""
    assert [name for name, text in texts.items() if text.endswith("\n\nAn enumeration.")] == []
    assert "uuid.SafeUUID" not in library.ids


def test_what_a_class_redefines_is_its_own(texts: dict[str, str]) -> None:
    """The parser's private base has a `reset` without a docstring."""
    assert texts["html.parser.HTMLParser.reset"].startswith("html.parser.HTMLParser.reset()\n\nReset this instance.")


def test_the_object_is_left_out_of_the_signature_of_a_method(texts: dict[str, str]) -> None:
    assert texts["str.split"].startswith("str.split(sep=None, maxsplit=-1)\n")
    assert texts["collections.Counter.most_common"].startswith("collections.Counter.most_common(n=None)\n")


def test_a_choice_for_secrets_is_not_the_choice_for_games(texts: dict[str, str]) -> None:
    assert {"secrets.choice", "random.choice"} <= set(texts)


def test_ids_are_unique_public_and_in_order(library: Library) -> None:
    ids = [document.id for document in library.documents]
    assert ids == sorted(set(ids))
    assert [name for name in ids if any(part.startswith("_") for part in name.split("."))] == []
    assert {document.kind for document in library.documents} == {"module", "class", "function", "method", "attribute"}


def test_no_text_is_empty_or_differs_from_machine_to_machine(texts: dict[str, str]) -> None:
    assert [name for name, text in texts.items() if not text.partition("\n\n")[2].strip()] == []
    headings = {name: text.partition("\n")[0] for name, text in texts.items()}
    assert [name for name, heading in headings.items() if " at 0x" in heading or sys.prefix in heading] == []


def test_what_shows_something_when_imported_is_left_out(library: Library) -> None:
    first_parts = {name.partition(".")[0] for name in library.ids}
    assert first_parts & {"this", "antigravity", "tkinter", "turtle", "idlelib", "test", "distutils"} == set()


def test_the_same_each_time_whatever_the_settings_of_python(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """PYTHONOPTIMIZE=2 would take the docstrings away, another seed of hashes change the order of sets."""
    monkeypatch.setenv("PYTHONOPTIMIZE", "2")
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    assert read_library() == library


def test_reading_imports_nothing_here_and_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    before = set(sys.modules)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_library()
    assert set(sys.modules) - before == set()
    assert capfd.readouterr() == ("", "")


def test_the_version_is_that_of_this_python(library: Library) -> None:
    assert library.python == sys.version.split()[0]


def test_a_python_that_cannot_be_started_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "no-such-python")
    with pytest.raises(GermaneError, match="could not start Python"):
        read_library()


def test_a_python_that_fails_is_an_error_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = subprocess.CompletedProcess([], 1, stdout="", stderr="Traceback …\nMemoryError\n\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(GermaneError, match="could not read the documentation of this Python: MemoryError"):
        read_library()
