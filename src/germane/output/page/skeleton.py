"""A page before its script runs: heading, links to the sections, and the sections themselves, empty."""

from __future__ import annotations

import html
from collections.abc import Mapping


def skeleton(title: str, sections: Mapping[str, str], controls: str = "") -> str:
    """HTML that the script fills; `sections` are headings of ours by their ids, `controls` is HTML of ours."""
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
