"""The shell of a page: data that stay data, modules that become one script, and a policy that fits them."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from germane.errors import GermaneError
from germane.output.page import shell, vega
from germane.output.page.blocks import LARGE, ColumnPool, Ragged, Rows, as_json, block, plain

HOSTILE = ["</script>", "<!--", "&lt;", "\u2028", "\u202e", "\ud800", '"', "x" * 10]
FIRST_MODULES = ("retrieval.js", "single.js")


def test_hostile_text_comes_back_and_is_no_markup() -> None:
    text = as_json(HOSTILE)
    assert text.isascii()
    assert not re.search("[<>&]", text)
    assert json.loads(text) == HOSTILE


def restored(text: str) -> Any:
    """The value of a packed block, put together as blocks.js does it."""
    packed = re.fullmatch(r'<script type="application/json" id="data-v" data-packed="gzip">(.*)</script>', text)
    assert packed is not None
    data = gzip.decompress(base64.b64decode(packed[1]))
    at = 4 + int.from_bytes(data[:4], "little")
    root = json.loads(data[4:at])
    for kind, (*path, key), *shape in root["steps"]:
        parent = root
        for step in path:
            parent = parent[step]
        if kind == "codes":
            parent[key] = plain(np.asarray(parent[key]["values"], dtype=float)[parent[key]["codes"]])
        elif kind == "ragged":
            parent[key] = Ragged(np.asarray(parent[key]["values"]), np.asarray(parent[key]["counts"])).lists()
        elif kind == "rows":
            parent[key] = Rows(parent[key]).objects()
        else:
            size = np.dtype(kind).itemsize * int(np.prod(shape[0]))
            in_order = np.frombuffer(data[at : at + size], np.uint8).reshape(np.dtype(kind).itemsize, -1).T.tobytes()
            parent[key] = plain(np.frombuffer(in_order, f"<{kind}").reshape(shape[0]))
            at += size
    assert at == len(data)
    return root["value"]


RANDOM = np.random.default_rng(1)
LARGE_VALUES = [
    [float(i) / 7 for i in range(LARGE)],
    {"names": ["a"] * LARGE, "empty": np.zeros(0), "few": np.arange(3), "deep": [{"x": RANDOM.random((50, 20))}]},
    {"undefined": np.where(np.arange(900) % 7 == 0, np.nan, RANDOM.random(900)), "pad": "x" * LARGE},
    {"often": RANDOM.integers(0, 3, 5_000) / 3, "whole": RANDOM.integers(-300, 300, 500), "pad": "x" * LARGE},
    {"large": 2 ** RANDOM.integers(0, 50, 100), "larger": 2 ** RANDOM.integers(54, 60, 100), "pad": "x" * LARGE},
    {"flags": RANDOM.random(5_000) < 0.5, "pad": "x" * LARGE},
    Rows(
        {
            "name": [f"q{i}" for i in range(90)],
            "lists": Ragged(RANDOM.random(900), np.full((90, 2), 5)),
            "none": Ragged(np.zeros(0), np.zeros(90, dtype=int)),
        }
    ),
]


@pytest.mark.parametrize("value", LARGE_VALUES, ids=range(len(LARGE_VALUES)))
def test_what_is_large_is_packed_and_comes_back(value: Any) -> None:
    assert restored(block("v", value)) == plain(value)
    assert block("v", value) == block("v", value)


def test_nan_and_infinity_are_null() -> None:
    assert json.loads(as_json({"a": np.array([[np.nan, 1.5]]), "b": float("inf"), "c": np.int64(3)})) == {
        "a": [[None, 1.5]],
        "b": None,
        "c": 3,
    }


def test_a_column_is_kept_once_and_in_full() -> None:
    pool = ColumnPool()
    often, seldom = np.array([0.1, 0.2, 0.1, 0.1, 0.2]), np.array([1 / 3, 2 / 3])
    assert [pool.add(often), pool.add(seldom), pool.add(often.copy())] == [0, 1, 0]
    assert plain(pool.columns) == [often.tolist(), seldom.tolist()]


def test_an_infinite_value_is_null_and_not_a_number() -> None:
    pool = ColumnPool()
    pool.add(np.array([1.0, np.inf]))
    assert json.loads(as_json(pool.columns)) == [[1.0, None]]


@pytest.mark.parametrize("first", FIRST_MODULES)
def test_joined_modules_import_nothing_and_declare_each_name_once(first: str) -> None:
    script = shell.joined_modules(first)
    assert not re.search(r"^\s*(import|export)\b", script, flags=re.M)
    names = re.findall(r"^(?:async )?(?:function|const|let|class) (\w+)", script, flags=re.M)
    assert len(names) > 5
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("first", FIRST_MODULES)
def test_our_script_makes_no_markup_and_no_code_of_data(first: str) -> None:
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", shell.joined_modules(first)
    )


def test_a_module_that_imports_itself_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    sources = {"a.js": 'import { b } from "./b.js";\n', "b.js": 'import { a } from "./a.js";\n'}
    monkeypatch.setattr(shell, "_text", sources.__getitem__)
    shell.joined_modules.cache_clear()
    with pytest.raises(GermaneError, match="imports itself"):
        shell.joined_modules("a.js")


def test_the_policy_names_the_hash_of_what_stands_in_the_page() -> None:
    pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    page = shell.page("t", "<main></main>", "single.js", {}, {})
    scripts = re.findall(r"<script>(.*?)</script>", page, flags=re.S)
    [style] = re.findall(r"<style>(.*?)</style>", page, flags=re.S)
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert [shell.content_hash(script) in policy for script in scripts] == [True, True]
    assert shell.content_hash(style) in policy
    assert "University of Washington" in page.partition("<html")[0]


def test_the_function_can_be_called_whatever_was_imported_first() -> None:
    import germane

    with pytest.raises(GermaneError, match="expected a result alone, found runs beside it"):
        germane.report(germane.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "AP"), [], output="never.html")


@pytest.fixture
def another_core(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A free core, and no script bundled so far."""
    monkeypatch.setattr(vega, "num_threads", lambda: 2)
    vega.vega_bundle.cache_clear()
    yield
    vega.vega_bundle.cache_clear()


@pytest.mark.parametrize("end", [vega.END, "b''", "v.no_such_function()"])
def test_a_bundle_made_ahead_is_the_one_made_here(
    another_core: None, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    monkeypatch.setattr(vega, "END", end)
    with vega.bundling_ahead():
        ahead = vega.vega_bundle()
    vega.vega_bundle.cache_clear()
    assert ahead == vega.vega_bundle()
    with vega.bundling_ahead():
        assert not vega._ahead, "it is known already"


def test_a_bundle_that_nobody_needs_is_given_up(another_core: None) -> None:
    with vega.bundling_ahead():
        (process,) = vega._ahead
    assert process.returncode is not None
    assert not vega._ahead
