"""Write the documentation that follows from the code: ``docs/reference`` and the tables of measures in others.

``make docs`` runs it. It also renews the output under the commands that the other pages show, so that a change of what
a command prints is one command and a look at the difference. Each page has a maker of its name in `reference_pages`.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
MAKERS = {
    "docs/reference/measures.md": "measures:measures_page",
    "docs/reference/decisions.md": "decisions:decisions_page",
    "docs/reference/statistics.md": "statistics:statistics_page",
    "docs/reference/ground_truth.md": "ground_truth:ground_truth_page",
    "docs/reference/retrieval.md": "retrieval:retrieval_page",
    "docs/reference/learning.md": "learning:learning_page",
    "docs/reference/commands.md": "commands:commands_page",
    "docs/reference/formats.md": "formats:formats_page",
    "docs/reference/notes.md": "notes:notes_page",
    "docs/reference/json.md": "json_output:json_page",
}
"""By page, the file of `reference_pages` and the function in it that makes the page."""
TABLES = {
    "docs/reference/at_a_glance.md": {"measures": "measures:measures_table", "decisions": "decisions:decisions_table"},
    "docs/explanation/rates_and_intervals.md": {"names": "decisions:names_table"},
    "docs/how_to/fuse_runs.md": {
        "methods": "retrieval:fusion_table",
        "normalisations": "retrieval:normalisations_table",
    },
    "docs/how_to/pool.md": {"methods": "ground_truth:pooling_table"},
}
"""By page, the tables in it that are made, by the name of their markers."""


def generate() -> dict[str, str]:
    """Every generated file, by its path from the root of the repository."""
    with_table = _maker("markdown:with_table")
    fresh = {}
    for page, tables in TABLES.items():
        fresh[page] = (ROOT / page).read_text(encoding="utf-8")
        for name, maker in tables.items():
            fresh[page] = with_table(fresh[page], name, _maker(maker)())
    pages = {page: _maker(maker)() for page, maker in MAKERS.items()}
    schemas: dict[str, str] = import_module("docs.schemas.published").published()
    stubs: dict[str, str] = _maker("stubs:stubs")()
    frozen: dict[str, str] = import_module("tests.golden.contract").with_new_names()
    python: dict[str, str] = _maker("python_names:python_pages")()
    return fresh | pages | python | schemas | stubs | frozen


def forgotten_pages(fresh: dict[str, str]) -> list[Path]:
    """Pages of Python names that are no longer public."""
    pages = (ROOT / "docs" / "reference" / "python").glob("*.md")
    return [page for page in pages if page.relative_to(ROOT).as_posix() not in fresh]


def _maker(name: str) -> Any:
    """A function of `reference_pages`, whether this file is run or imported."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    room, _, function = name.partition(":")
    return getattr(import_module(f"docs.reference_pages.{room}"), function)


def main() -> None:
    """Write what has changed, and say what that was."""
    os.environ["COLUMNS"] = "100"
    fresh = generate()
    examples, pictures = import_module("docs.examples"), import_module("docs.pictures")
    for page in examples.pages():
        name = page.relative_to(ROOT).as_posix()
        text = fresh.get(name) or page.read_text(encoding="utf-8")
        fresh[name] = examples.rerun(text, name, after=partial(pictures.renew_of_page, name)).text
    pictures.renew_others()
    for page in forgotten_pages(fresh):
        page.unlink()
        print(f"removed {page.relative_to(ROOT).as_posix()}")
    for name, text in fresh.items():
        path = ROOT / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")


if __name__ == "__main__":
    main()
