"""Laws over all results: every format holds the same values, JSON keeps to its schema, and tables fit a terminal."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docs.schemas.published import SCHEMAS
from germane.output.rendering import DIGITS, STYLES, delimited, render
from germane.output.rendering.cells import OWN_DIGITS, UNDEFINED
from germane.output.rendering.terminal import fitted, shortened, strips_of, width_of
from germane.tables.results.columns import Column, F, Table, for_json, plain, table
from germane.tables.results.result import Result
from tests.conftest import ROOT
from tests.docs.test_json_schemas import problems
from tests.laws.reading_results import found_at, read_delimited, read_html, read_latex, read_markdown
from tests.laws.result_specimens import SPECIMENS, specimen

IN_FULL = 17
WIDTHS = (60, 80, 120)


def all_result_types() -> set[type[Result]]:
    """Every type of result in the source, found by importing the modules that speak of the base."""
    for path in (ROOT / "src" / "germane").rglob("*.py"):
        if re.search(r"^class \w+\(.*(Result|Comparison)\b", path.read_text(encoding="utf-8"), re.MULTILINE):
            import_module(".".join(path.relative_to(ROOT / "src").with_suffix("").parts))
    found, new = set[type[Result]](), [Result]
    while new:
        new = [kind for each in new for kind in each.__subclasses__()]
        # A type with types of its own is what they have in common.
        own = (kind for kind in new if kind.__module__.startswith("germane.") and not kind.__subclasses__())
        found |= set(own)
    return found


def without_declaration(kinds: set[type[Result]]) -> list[str]:
    """The types that lack what a result must declare."""
    lacking = [f"{k.__name__}: no schema" for k in kinds if not re.fullmatch(r"[a-z-]+/\d+", getattr(k, "schema", ""))]
    return lacking + [f"{kind.__name__}: no tables" for kind in kinds if kind.tables is Result.tables]


def test_every_type_declares_itself_and_has_a_specimen() -> None:
    kinds = all_result_types()
    assert without_declaration(kinds) == []
    assert {kind.__name__ for kind in kinds} - {type(specimen(name)).__name__ for name in SPECIMENS} == set()
    assert [name for name in SPECIMENS if not name.startswith(type(specimen(name)).__name__)] == []


def test_a_type_that_declares_nothing_is_caught() -> None:
    class Forgetful(Result):
        pass

    assert without_declaration({Forgetful}) == ["Forgetful: no schema", "Forgetful: no tables"]


def tables_of(name: str) -> list[Table]:
    return list(specimen(name).tables(**SPECIMENS[name][1]))


def written(name: str, style: Any, **how: Any) -> str:
    return render(specimen(name), style, **how, **SPECIMENS[name][1])


def same(value: Any, other: Any) -> bool:
    """Whether two values are one: to the last bit, and what is not defined is so in both."""
    value, other = plain(value), plain(other)
    return value == other or (value in (None, "") and other in (None, ""))


def unlike_in_flat(made: Table, text: str, style: str) -> Iterator[str]:
    """What CSV or TSV does not have as the table does."""
    header, rows = read_delimited(text, style)
    if header != [column.key for column in made.columns if column.flat]:
        yield f"header {header}"
    for key, values in made.flat().items():
        for row, value in zip(rows, values, strict=True):
            cell = row[header.index(key)] if key in header else "no such column"
            read: Any = cell
            if isinstance(value, bool):
                read = {"true": True, "false": False}.get(cell)
            elif isinstance(value, (int, float)):
                read = None if not re.fullmatch(r"-?(\d[\d.]*(e[-+]?\d+)?|inf)", cell) else float(cell)
            elif isinstance(value, (list, tuple)):
                read = json.loads(cell)
            if not same(for_json(value) if isinstance(value, (list, tuple)) else value, read):
                yield f"{key}: {value!r} is written {cell!r}"


@pytest.mark.parametrize("style", ["csv", "tsv"])
@pytest.mark.parametrize("name", SPECIMENS)
def test_delimited_text_holds_every_value_in_full(name: str, style: str) -> None:
    for made in tables_of(name):
        assert list(unlike_in_flat(made, written(name, style, table=made.name), style)) == []


SMALL = table("small", (F("run", "name"), F("AP", "value"), F("p", "p")), [{"run": "a", "AP": 2 / 3, "p": 1e-7}])


def test_a_renderer_that_rounds_is_caught() -> None:
    assert list(unlike_in_flat(SMALL, delimited.render(SMALL, "csv"), "csv")) == []
    assert list(unlike_in_flat(SMALL, delimited.render(SMALL, "csv", digits=4), "csv")) != []


def test_a_column_that_is_dropped_is_caught() -> None:
    fewer = replace(SMALL, columns=SMALL.columns[:2])
    assert list(unlike_in_flat(SMALL, delimited.render(fewer, "csv"), "csv")) != []


def unlike_in_records(made: Table, records: list[dict[str, Any]]) -> Iterator[str]:
    """What records of JSON do not have as the table does."""
    for column in made.columns:
        if column.nested:
            for record, value in zip(records, column.values, strict=True):
                found = found_at(record, column)
                if found != for_json(value):
                    yield f"{column.key}: {value!r} is {found!r}"


@pytest.mark.parametrize("name", SPECIMENS)
def test_json_and_its_lines_hold_every_value_in_full(name: str) -> None:
    for made in tables_of(name):
        records = json.loads(written(name, "json", table=made.name), parse_constant=pytest.fail)
        lines = written(name, "jsonl", table=made.name).splitlines()
        assert list(unlike_in_records(made, records)) == []
        assert list(unlike_in_records(made, [json.loads(line, parse_constant=pytest.fail) for line in lines])) == []


def test_a_record_that_rounds_is_caught() -> None:
    assert list(unlike_in_records(SMALL, [{"run": "a", "AP": 0.6667, "p": 1e-7}])) == [
        "AP: 0.6666666666666666 is 0.6667"
    ]


def numbers_in(document: Any) -> Iterator[float]:
    """Every number of a document, however deep."""
    if isinstance(document, dict):
        document = list(document.values())
    if isinstance(document, list):
        for each in document:
            yield from numbers_in(each)
    elif isinstance(document, (int, float)):
        yield float(document)


@pytest.mark.parametrize("name", SPECIMENS)
def test_the_document_keeps_to_its_schema_and_has_every_number_of_the_main_table(name: str) -> None:
    result, view = specimen(name), SPECIMENS[name][1]
    document = json.loads(written(name, "json"), parse_constant=pytest.fail)
    assert document == json.loads(json.dumps(result.to_dict(**view)))
    assert document["schema"] == result.schema
    assert problems(SCHEMAS[result.schema.partition("/")[0]], document) == []
    there = set(numbers_in(document))
    flat = [value for values in result.table(**view).flat().values() for value in values]
    missing = [v for v in flat if isinstance(v, (int, float)) and math.isfinite(v) and float(v) not in there]
    assert missing == []


def test_a_document_without_its_schema_is_caught() -> None:
    document = specimen("SystemComparison").to_dict()
    del document["schema"]
    assert problems(SCHEMAS["compare"], document) != []


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("name", SPECIMENS)
def test_frames_hold_every_value(name: str, backend: Any) -> None:
    frames = specimen(name).to_frames(backend=backend, **SPECIMENS[name][1])
    for made in tables_of(name):
        frame, columns = frames[made.name], made.flat()
        assert list(frame.column_names if backend == "pyarrow" else frame.columns) == list(columns)
        for key, values in columns.items():
            found = (
                list(frame[key])
                if backend == "pandas"
                else frame[key].to_pylist()
                if backend == "pyarrow"
                else frame[key].to_list()
            )
            found = [None if str(value) == "<NA>" else value for value in found]
            assert [(a, b) for a, b in zip(values, found, strict=True) if not same(a, b)] == []


@pytest.mark.parametrize("name", SPECIMENS)
def test_tables_are_arrow_streams(name: str) -> None:
    pyarrow, polars = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    for made in tables_of(name):
        assert pyarrow.table(made).column_names == polars.DataFrame(made).columns == list(made.flat())


def unlike_for_people(made: Table, header: list[str], rows: list[list[str]], digits: int) -> Iterator[str]:
    """What people do not read as the table has it, to so many digits."""
    columns = made.for_people()
    if header != [column.label for column in columns]:
        yield f"header {header}"
        return
    for row, cells in enumerate(rows):
        for column, cell in zip(columns, cells, strict=True):
            if not reads_as(column, row, cell, digits):
                yield f"{column.label}: {column.values[row]!r} is written {cell!r}"
    if len(rows) != len(made):
        yield f"{len(rows)} rows of {len(made)}"


def reads_as(column: Column, row: int, cell: str, digits: int) -> bool:
    """Whether a cell says what the column has in a row."""
    value, mark = plain(column.values[row]), column.marks[row] if len(column.marks) else ""
    if mark and not cell.endswith(mark):
        return False
    cell = cell.removesuffix(mark).strip()
    if value is None or value == "":
        return cell == (column.empty if column.empty is not None else UNDEFINED if column.is_number else "")
    if not column.is_number or isinstance(value, str):
        return isinstance(value, (bool, list, tuple)) or cell == str(value).strip()
    own = column.digits if column.digits is not None else 1 if column.kind == "share" else OWN_DIGITS.get(column.kind)
    own = digits if own is None else own
    percent, number = (100, cell.removesuffix("%")) if column.kind == "share" else (1, cell)
    if number.startswith("<"):
        return bool(value < float(number[1:]))
    signs = column.kind in ("difference", "effect")
    close = math.isclose(float(number) / percent, value, rel_tol=1e-14, abs_tol=0.5000001 * 10**-own / percent)
    return (close or float(number) == value) and number.startswith(("+", "-")) == (signs or float(number) < 0)


READERS = {"markdown": read_markdown, "latex": read_latex, "html": read_html}


@pytest.mark.parametrize("digits", [DIGITS, IN_FULL])
@pytest.mark.parametrize("style", READERS)
@pytest.mark.parametrize("name", SPECIMENS)
def test_people_read_every_value(name: str, style: str, digits: int) -> None:
    for made in tables_of(name):
        header, rows = READERS[style](written(name, style, table=made.name, digits=digits))
        assert list(unlike_for_people(made, header, rows, digits)) == []


def test_a_value_that_people_read_wrongly_is_caught() -> None:
    assert list(unlike_for_people(SMALL, ["run", "AP", "p"], [["a", "0.6667", "<0.0001"]], 4)) == []
    for wrong in (["b", "0.6667", "<0.0001"], ["a", "0.6666", "<0.0001"], ["a", "0.6667", "0.0001"]):
        assert list(unlike_for_people(SMALL, ["run", "AP", "p"], [wrong], 4)) != []
    assert list(unlike_for_people(SMALL, ["run", "AP"], [["a", "0.6667"]], 4)) != []


def words_of(text: str) -> set[str]:
    return set(text.split())


def broken_words(narrow: str, wide: str, ids: set[str] = frozenset()) -> list[str]:  # type: ignore[assignment]
    """The words of a narrow rendering that the wide one has not, neither whole nor, of an id, cut in the middle."""
    whole = words_of(wide)

    def is_cut(word: str) -> bool:
        parts = ".+".join(map(re.escape, word.split("…")))
        return "…" in word and any(re.fullmatch(f"(.* )?{parts}( .*)?", other) for other in ids)

    told = words_of("columns not shown: (use --format csv for all) ,") | {f"{word}," for word in whole}
    return [word for word in words_of(narrow) - whole - told if not is_cut(word)]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", SPECIMENS)
def test_tables_fit_a_terminal_and_break_no_word(name: str, width: int) -> None:
    narrow, wide = written(name, "table", width=width), written(name, "table")
    shown = specimen(name).shown(digits=DIGITS, **SPECIMENS[name][1])
    columns = [column for each in shown if isinstance(each, Table) for column in each.columns]
    ids = {str(value) for column in columns if column.kind == "name" for value in column.values}
    assert [line for line in narrow.splitlines() if width_of(line) > width] == []
    assert broken_words(narrow, f"{wide} {' '.join(column.label for column in columns)}", ids) == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", SPECIMENS)
def test_ids_stay_different_and_no_column_goes_without_a_word(name: str, width: int) -> None:
    for made in tables_of(name):
        strips = strips_of(made, DIGITS)
        kept, dropped = fitted(list(strips), width)
        assert sorted([*dropped, *(strip.label for strip in kept)]) == sorted(strip.label for strip in strips)
        names = [[t for strip in each if strip.kind == "name" for t in strip.texts] for each in (strips, kept)]
        if len(names[0]) == len(names[1]):
            assert len(set(names[0])) == len(set(names[1]))


def test_a_word_that_is_broken_is_caught() -> None:
    assert broken_words("measure bm25…pics", "measure bm25-tuned-topics", {"bm25-tuned-topics"}) == []
    assert set(broken_words("mea sure m…e bm25…doc", "measure bm25-tuned-topics", {"bm25-tuned-topics"})) == {
        "mea",
        "sure",
        "m…e",
        "bm25…doc",
    }


@given(st.lists(st.text("ab-", min_size=1, max_size=30), min_size=2, max_size=6, unique=True), st.integers(10, 60))
def test_shortened_ids_never_become_one(ids: list[str], width: int) -> None:
    made = table("ids", (F("a", "name"), F("AP", "value")), [{"a": name, "AP": 0.5} for name in ids])
    kept, _ = fitted(strips_of(made, DIGITS), width)
    assert len(set(kept[0].texts)) == len(ids)


@given(st.text(min_size=1, max_size=40), st.integers(8, 40))
def test_a_shortened_text_has_the_length_asked_for(text: str, limit: int) -> None:
    assert len(shortened(text, limit)) == min(len(text), limit)


@dataclass(frozen=True)
class Mixed(Result):
    """A result with all that is hard to write: nothing, infinity, lists, flags and words of many letters."""

    schema = "mixed/1"

    def tables(self) -> Iterator[Table]:
        nan, inf = float("nan"), float("inf")
        fields = (
            F("id", "name"),
            F("value", "value"),
            F("n", "count"),
            F("ok", "flag"),
            F("why", "text"),
            F("of", "list"),
        )
        rows = [
            {"id": "a,b\t\"c\"", "value": nan, "n": None, "ok": True, "why": "", "of": ["x", 1.5]},
            {"id": "検索 <b>", "value": inf, "n": 3, "ok": False, "why": "a long sentence " * 9, "of": []},
            {"id": "-", "value": -inf, "n": 0, "ok": None, "why": None, "of": ["y"]},
        ]  # fmt: skip
        yield table("mixed", fields, rows, title="What is hard to write, and a title too long for sixty columns")


@pytest.mark.parametrize("style", STYLES)
def test_what_is_hard_to_write_is_written(style: Any) -> None:
    result, made = Mixed(), Mixed().table()
    text = render(result, style, width=60)
    if style in ("csv", "tsv"):
        assert list(unlike_in_flat(made, text, style)) == []
    elif style in ("json", "jsonl"):
        records = json.loads(text)["mixed"] if style == "json" else [json.loads(line) for line in text.splitlines()]
        assert list(unlike_in_records(made, records)) == []
    elif style == "table":
        assert max(map(width_of, text.splitlines())) <= 60
        assert broken_words(text, render(result, style)) == []
    elif style != "latex":
        header, rows = READERS[style](text)
        assert list(unlike_for_people(made, header, rows, DIGITS)) == []
        assert re.search(r"(?<!\\)<b>", text) is None  # no name becomes a tag
