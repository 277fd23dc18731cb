"""A bundle as one file: the judging screen, its style and the documents inside one page that loads nothing.

It holds what an assessor may know (`Bundle.content`) and the documents' texts: no kind, stratum, run or grade.
"""

from __future__ import annotations

import html
import re
from functools import cache
from importlib.resources import files

from germane.errors import GermaneError
from germane.judging.bundle import Bundle
from germane.judging.store.project import rubrics_of
from germane.judging.store.queues import document_of
from germane.output.page.blocks import as_json
from germane.output.page.shell import content_hash
from germane.web.document_view import framed, key_names, scale, shown, visible
from germane.web.site import Site

STATIC = files("germane.web") / "static"


def bundle_page(site: Site, bundle: Bundle) -> str:
    """The file for the assessor."""
    from germane.web.judging_api import fetched, topic_of
    from germane.web.pages import environment

    script, style, inner_style = joined("offline.js"), _text("style.css"), _text("document.css")
    styles = f"style-src {content_hash(style)} {content_hash(inner_style)}"
    sources = f"{styles}; img-src data:; base-uri 'none'; form-action 'none'"
    policy = f"default-src 'none'; script-src {content_hash(script)}; {sources}"
    inner_policy = f"default-src 'none'; script-src 'none'; {sources}"
    tasks = []
    for task in bundle.tasks:
        document = shown(fetched(site, document_of(site.database, bundle.assessor, task.task)[1]), site.documents)
        if "html" in document:
            document["html"] = framed(document["html"], style=f"<style>{inner_style}</style>", policy=inner_policy)
        raw = {"topic": task.topic, "doc": task.label}  # as they must come back, whatever is in them
        known = {"task": task.task, "topic": topic_of(site, task.topic), "label": visible(task.label), "raw": raw}
        tasks.append({**known, "document": document})
    rubric = next(one for one in rubrics_of(site.database) if one.version == bundle.rubric)
    data = {**bundle.content, "scale": scale(rubric), "tasks": tasks}
    body = environment().get_template("offline.html").render(keys=key_names(), here="judge")
    title = html.escape(f"{visible(site.title)} – bundle for {visible(bundle.assessor)}")
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{title}</title>",
            f"<style>{style}</style>",
            "</head>",
            '<body class="judge offline">',
            body,
            f'<script type="application/json" id="data-bundle">{as_json(data)}</script>',
            f"<script>{script}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


@cache
def joined(first: str) -> str:
    """A module and all it imports as one script: imports go, and `export` before a declaration goes."""
    ordered: list[str] = []
    _collect(first, ordered, ())
    bodies = []
    for name in ordered:
        body = re.sub(r"^import [^;]*;\n", "", _text(name), flags=re.M)
        bodies.append(re.sub(r"^export (?=(?:async )?(?:function|const|let|class) )", "", body, flags=re.M))
    script = '"use strict";\n{\n' + "\n".join(bodies) + "}\n"
    return re.sub(r"<(?=/script|!--)", r"\\x3c", script, flags=re.I)


def _collect(name: str, ordered: list[str], above: tuple[str, ...]) -> None:
    if name in above:
        raise GermaneError(f"{name} imports itself, by way of {' and '.join(above)}")
    if name not in ordered:
        for imported in re.findall(r'^import [^;]* from "\./([\w/.-]+)";', _text(name), flags=re.M):
            _collect(imported, ordered, (*above, name))
        ordered.append(name)


@cache
def _text(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")
