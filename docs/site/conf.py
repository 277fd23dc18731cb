"""How Sphinx makes the site of the pages that a reader of the repository sees: the same files, as they are.

``make docs`` runs it from the root of the repository. It opens with ``templates/landing.html``; what stands beside the
text comes from the tables of ``docs/README.md``, so a page is listed once and the site fails to build if one is not.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

WITHOUT_TEXT = ("section", "title", "comment", "raw", "target", "image", "toctree")
"""Parts of a section that are not its own text."""

project = "germane"
project_copyright = "the authors of germane; Apache-2.0"
release = version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

root_doc = "README"
extensions = ["myst_parser"]
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/**.md"]
# Folders that hold no page: Sphinx would look through all of them.
exclude_patterns = [".*", "benchmarks", "build", "dist", "src", "tests"]
myst_heading_anchors = 4
smartquotes = False  # two hyphens begin an option
# The language of a block chooses its colours. An example may leave something out ("..."), which is no Python or JSON.
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_title = f"germane {version}"
html_static_path = ["static"]
html_css_files = ["germane.css"]
html_js_files = ["reachable.js"]
templates_path = ["templates"]
html_additional_pages = {"index": "landing.html"}
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_use_index = False
html_permalinks_icon = "#"
# Sphinx would fetch a summary from the page that was found, and a browser fetches nothing from a disk: snippets.js
# takes it from `texts.js`.
html_show_search_summary = False
html_search_scorer = str(Path(__file__).with_name("scorer.js"))
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"


def contents(index: str) -> str:
    """The tables of the index as Sphinx's lists of pages, which the theme shows beside the text."""
    lists: dict[str, list[str]] = {}
    caption = ""
    for row in re.finditer(r"^\| *(?:\*\*(?P<caption>[^*|]+)\*\*)?[^|]*\|(?P<cells>.*)\|$", index, flags=re.M):
        caption = row["caption"] or caption
        for title, page in re.findall(r"\[([^\]]+)\]\(([\w/.-]+)\.md\)", row["cells"]):
            lists.setdefault(caption, []).append(f"{title} <docs/{page}>")
    lists["More"] = [
        "README <self>",
        "All pages <docs/README>",
        "What is new <CHANGELOG>",
        "How to contribute <CONTRIBUTING>",
    ]
    blocks = [
        "\n".join(["```{toctree}", ":hidden:", f":caption: {caption}", "", *entries, "```"])
        for caption, entries in lists.items()
    ]
    return "\n\n".join(blocks)


def add_contents(app: Any, name: str, source: list[str]) -> None:
    """Give the start page the contents of the site. On a page of the repository they would be in the way."""
    if name == app.config.root_doc:
        source[0] += "\n\n" + contents((ROOT / "docs" / "README.md").read_text(encoding="utf-8")) + "\n"


def add_python_pages(app: Any, name: str, source: list[str]) -> None:
    """List the pages of Python names below their index."""
    if name == "docs/reference/python":
        source[0] += "\n\n```{toctree}\n:hidden:\n:glob:\n\npython/*\n```\n"


def start_at_landing(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Let the name of the site lead to the landing page, which is not a page of the repository."""
    context["master_doc"] = "index"


def write_texts(app: Any, failure: Exception | None) -> None:
    """Write the text of every section into a script, for the snippets of the search."""
    if failure is None:
        texts = {name: list(_sections(app.env.get_doctree(name))) for name in sorted(app.env.found_docs)}
        script = f"window.siteTexts = {json.dumps(texts, ensure_ascii=False, separators=(',', ':'))};\n"
        (Path(app.outdir) / "_static" / "texts.js").write_text(script, encoding="utf-8")


def _sections(doctree: Any) -> Iterator[tuple[str, str]]:
    """Yield the anchor of each section and its text, without its heading and the sections inside."""
    for section in doctree.findall(lambda node: node.tagname == "section"):
        parts = (part.astext() for part in section.children if part.tagname not in WITHOUT_TEXT)
        if text := " ".join(" ".join(parts).split()):
            yield section["ids"][0], text


def add_other_names(app: Any, name: str, source: list[str]) -> None:
    """Let the search find a section of the reference by its other names: `specificity` leads to TNR."""
    if name.startswith("docs/reference/"):
        source[0] = "\n".join(_with_entries(source[0].split("\n")))


def _with_entries(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if line.startswith("- Also called: "):
            names = ["! " + one.strip(" `") for one in line.removeprefix("- Also called: ").split(",")]
            yield from ("", "```{index} " + ", ".join(names), "```", "")
        yield line


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", add_contents)
    app.connect("source-read", add_other_names)
    app.connect("source-read", add_python_pages)
    app.connect("html-page-context", start_at_landing)
    app.connect("build-finished", write_texts)
