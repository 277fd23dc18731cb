"""One self-contained page: scripts, style and data inside it, under a policy that forbids everything else."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from germane.errors import GermaneError
from germane.output.page.blocks import block
from germane.output.page.vega import vega_bundle
from germane.output.plots.theme import Spec, config

FOLDER = files("germane.output.page")


def page(
    title: str, body: str, script: str, data: Mapping[str, Any], specs: Mapping[str, Spec], *, pictures: bool = False
) -> str:
    """The whole page. `body` is HTML of ours; `script` names the module that begins; `data` and `specs` are blocks.

    `pictures` lets the page show pictures that are in its data.
    """
    scripts = [_inside_script(vega_bundle()), joined_modules(script)]
    style = _text("style.css")
    blocks = {**data, "specs": specs, "themes": {"light": config(), "dark": config(dark=True)}}
    allowed = f"script-src {' '.join(map(content_hash, scripts))}; style-src {content_hash(style)}"
    policy = (
        f"default-src 'none'; {allowed}{'; img-src data:' if pictures else ''}; base-uri 'none'; form-action 'none'"
    )
    parts = [
        "<!DOCTYPE html>",
        f"<!--\n{_text('licences.txt')}-->",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{html.escape(title)}</title>",
        f"<style>{style}</style>",
        "</head>",
        "<body>",
        body,
        *(block(name, value) for name, value in blocks.items()),
        *(f"<script>{source}</script>" for source in scripts),
        "</body>",
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def skeleton(title: str, sections: Mapping[str, str], controls: str = "") -> str:
    """A page before its script runs: heading, links to the sections, and the sections themselves, empty.

    `sections` are headings of ours by their ids, `controls` is HTML of ours.
    """
    links = "".join(f'<li><a href="#{name}">{heading}</a></li>' for name, heading in sections.items())
    parts = "".join(
        f'<section id="{name}" aria-labelledby="{name}-heading"><h2 id="{name}-heading">{heading}</h2></section>'
        for name, heading in sections.items()
    )
    return (
        '<a class="skip" href="#main">Skip to the report</a>'
        f'<header class="masthead"><h1>{html.escape(title)}</h1><p id="summary"></p>'
        f'<nav aria-label="Sections"><ul>{links}</ul></nav></header>'
        f"{controls}"
        f'<main id="main" tabindex="-1">{parts}</main>'
        '<footer id="footer"></footer>'
        '<noscript><p class="plain">This page needs its own script, which your browser does not run.</p></noscript>'
    )


def content_hash(source: str) -> str:
    """What a policy calls a script or style that stands in the page."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def figure_page(spec: Spec) -> str:
    """A page with one figure and its data."""
    title = str(spec.get("description", "Figure")).partition(":")[0].rstrip(".")
    body = '<main id="main" class="single"><div id="figure"></div></main>'
    # A given size, equal axes, cells of one size or several parts stay as they are; all else takes the width there is.
    fixed = "vconcat" in spec or "usermeta" in spec or spec.get("width") == spec.get("height")
    wide = spec if fixed else {**spec, "width": "container", "autosize": {"type": "fit-x", "contains": "padding"}}
    return page(title, body, "single.js", {}, {"figure": wide})


@cache
def joined_modules(first: str, read: Callable[[str], str] | None = None) -> str:
    """A module and all it imports as one script: imports go, and `export` before a declaration goes.

    `read` gives the text of a module, by default of one that lies here.
    """
    ordered: list[str] = []
    text = read or _text
    _collect(first, text, ordered, [])
    bodies = []
    for name in ordered:
        body = re.sub(r"^import [^;]*;\n", "", text(name), flags=re.M)
        bodies.append(re.sub(r"^export (?=(?:async )?(?:function|const|let|class) )", "", body, flags=re.M))
    return _inside_script('"use strict";\n{\n' + "\n".join(bodies) + "}\n")


def _collect(name: str, text: Callable[[str], str], ordered: list[str], above: list[str]) -> None:
    if name in above:
        raise GermaneError(f"{name} imports itself, by way of {' and '.join(above)}")
    if name in ordered:
        return
    for imported in re.findall(r'^import [^;]* from "\./([\w/.-]+)";', text(name), flags=re.M):
        _collect(imported, text, ordered, [*above, name])
    ordered.append(name)


@cache
def _text(name: str) -> str:
    return FOLDER.joinpath(name).read_text(encoding="utf-8")


def _inside_script(source: str) -> str:
    """Script that no parser of HTML ends early."""
    return re.sub(r"<(?=/script|!--)", r"\\x3c", source, flags=re.I)
