"""``docs/reference/json.md``: the contract of the JSON output, with real output of the commands."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from docs.reference_pages.json_samples import samples
from docs.reference_pages.markdown import GENERATED, ROOT
from docs.reference_pages.notes import codes_table
from docs.schemas.published import schemas_table


def json_page() -> str:
    """Return the page on JSON output, with real output of the commands."""
    template = Path(__file__).with_name("json_contract.txt").read_text(encoding="utf-8")
    for name, sample in json_samples().items():
        template = template.replace(f"@{name}@\n", sample)
    template = re.sub(
        r"^@NOTES (.+?)(?: less (.+))?@\n", lambda of: codes_table(of[1], less_those_of=of[2]), template, flags=re.M
    )
    template = template.replace("@ALL SCHEMAS@\n", schemas_table())
    # The same page from an installed germane and from its source, which does not know its version.
    template = re.sub(r'("germane": )"[^"]*"', rf'\1"{_version()}"', template)
    return "# JSON output\n\n" + GENERATED + template


@cache
def json_samples() -> dict[str, str]:
    """What the commands print as JSON, by its name in the template."""
    return samples()


def _version() -> str:
    version: str = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    return version


def sample_keys() -> set[str]:
    """Every name that occurs as a key of the contract in the samples of `json_page`."""
    page = json_page()
    found: set[str] = set()
    for block in re.findall(r"^```json\n(.*?)^```$", page, flags=re.M | re.S):
        for document in [block] if block.startswith("{\n") else block.splitlines():
            found |= set(_keys(json.loads(document)))
    return found


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(inner)
