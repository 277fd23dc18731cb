"""A bundle as one file: the judging screen, its style and the documents in one page that loads nothing else.

It holds what an assessor may know (`Bundle.content`) and the documents' texts: no kind, stratum, run or grade.
"""

from __future__ import annotations

import html
from functools import cache
from importlib.resources import files

from germane.judging.bundle import Bundle
from germane.judging.store.project import rubrics_of
from germane.judging.store.queues import document_of
from germane.output.page.blocks import as_json
from germane.output.page.shell import content_hash, joined_modules
from germane.web.document_view import KEY_NAMES, framed, scale, shown, visible
from germane.web.site import Site

STATIC = files("germane.web") / "static"


def bundle_page(site: Site, bundle: Bundle) -> str:
    """Return the file for the assessor."""
    from germane.web.judging_api import fetched, topic_of
    from germane.web.pages import environment

    script, style, inner_style = joined_modules("offline.js", _text), _text("style.css"), _text("document.css")
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
    body = environment().get_template("offline.html").render(keys=KEY_NAMES, here="judge")
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
def _text(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")
