"""Documents prepared for display: HTML without scripts or external content, deceptive characters made visible.

Text leaves here as text, and the page makes text nodes of it. HTML leaves here as a whole page of its own for a
sandboxed iframe, with a policy that allows no script; pictures in it that are files of the collection are put inside.
"""

from __future__ import annotations

import base64
import html
import posixpath
import re
import unicodedata
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

import nh3

from germane.errors import GermaneError
from germane.formats.documents.html_text import read_html
from germane.formats.documents.reading import Document
from germane.judging.documents import Documents
from germane.judging.rubric import Rubric
from germane.web.security import DOCUMENT_POLICY

MOST_PICTURE_BYTES = 8_000_000
"""Maximum bytes of all pictures inside one HTML document."""

DECEIVING = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # control characters, but not tab and ends of lines
    "\u202a-\u202e\u2066-\u2069"  # they turn the direction of what follows
    "\u2060-\u2064\ufeff\ufff9-\ufffb"  # of no width, and not for spacing
    "\U000e0000-\U000e007f]"  # tags: a second text that nobody sees
)
TAGS = nh3.ALLOWED_TAGS - {"bdo", "map", "area"}
"""Allowed HTML elements: no `bdo`, which reverses text, and no image maps."""

ATTRIBUTES = {
    **{tag: names - {"cite", "href", "hreflang"} for tag, names in nh3.ALLOWED_ATTRIBUTES.items() if tag in TAGS},
    "*": {"lang", "title"},
}
"""Allowed HTML attributes: no addresses, so links in a document lead nowhere."""


def visible(text: str) -> str:
    """Return the text with deceptive characters written out.

    >>> visible("pay \u202eeulb\u202c \\x07")
    'pay ⟦U+202E⟧eulb⟦U+202C⟧ ⟦U+0007⟧'
    """
    return DECEIVING.sub(lambda found: f"⟦U+{ord(found[0]):04X}⟧", text)


def deceiving_names(text: str) -> list[str]:
    """Name the characters that `visible` writes out, each once."""
    found = dict.fromkeys(DECEIVING.findall(text))
    return [f"U+{ord(one):04X} {unicodedata.name(one, 'a control character')}" for one in found]


def shown(document: Document | None, documents: Documents, *, image: str = "") -> dict[str, Any]:
    """Return a document as the page receives it; a picture without an `image` address is embedded."""
    if document is None:
        return {"kind": "missing", "title": "", "text": "", "remarks": ["This document is not in the collection."]}
    remarks = list(document.remarks)
    if names := deceiving_names(document.title + document.text):
        remarks.append(f"Invisible characters are written out: {', '.join(names[:5])}")
    body: dict[str, Any] = {"kind": document.kind, "title": visible(document.title), "text": "", "remarks": remarks}
    if document.kind == "image":
        return body | {"image": image or data_address(document), "text": visible(document.text)}
    if document.kind == "text":
        return body | {"text": visible(document.text)}
    cleaned, left_out = clean(document, documents)
    if left_out:
        pictures = f"{left_out} picture{'s are' if left_out != 1 else ' is'}"
        remarks.append(f"{pictures} not shown, because only files of the collection are shown")
    return body | {"html": cleaned, "text": read_html(cleaned).text}


def clean(document: Document, documents: Documents) -> tuple[str, int]:
    """Return the sanitised body of an HTML document and the number of pictures removed."""
    room = MOST_PICTURE_BYTES

    def keep(tag: str, attribute: str, value: str) -> str | None:
        nonlocal room
        if (tag, attribute) != ("img", "src"):
            return value
        picture = picture_beside(document.id, value, documents)
        if picture is None or len(picture.data) > room:
            return None
        room -= len(picture.data)
        return data_address(picture)

    # nh3 asks `keep` last, about what its own rules left: an address with any scheme is gone by then.
    cleaned = nh3.clean(
        document.text, tags=TAGS, attributes=ATTRIBUTES, attribute_filter=keep, url_schemes=set(), link_rel=None
    )
    return visible(cleaned), len(re.findall(r"<img(?![^>]* src=)", cleaned))


def picture_beside(doc: str, address: str, documents: Documents) -> Document | None:
    """Return the picture at a relative address of an HTML document, if it is a file of the collection."""
    name = posixpath.normpath(posixpath.join(posixpath.dirname(doc), unquote(address.partition("?")[0])))
    if address.startswith(("/", "\\")) or ":" in address or name.startswith(".."):
        return None
    try:
        found = documents.get(name)
    except (GermaneError, OSError):
        return None
    return found if found is not None and found.kind == "image" else None


def data_address(picture: Document) -> str:
    """Return a picture as a data URL."""
    return f"data:{picture.media_type};base64,{base64.b64encode(picture.data).decode()}"


def framed(cleaned: str, *, style: str, policy: str = DOCUMENT_POLICY) -> str:
    """Return the whole page for the iframe. `style` is an element of our own."""
    head = f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{html.escape(policy)}">{style}'
    return f'<!DOCTYPE html><html><head>{head}</head><body dir="auto">{cleaned}</body></html>'


def scale(rubric: Rubric) -> dict[str, Any]:
    """Return a rubric in the form that the screen receives."""
    grades = [
        {"value": one.value, "label": visible(one.label), "key": one.key, "text": visible(one.text)}
        for one in rubric.grades
    ]
    return {"version": rubric.version, "text": visible(rubric.text), "rel": rubric.rel, "grades": grades}


KEY_NAMES: Mapping[str, str] = {
    "B": "previous document (or ←; → to go forward)",
    "U": "undo the last judgment",
    "L": "skip for now; it comes back later",
    "X": "cannot judge (broken, wrong language, …)",
    "C": "comment",
    "E": "excerpt or whole text (or M)",
    "N": "next highlighted word (⇧N: previous)",
    "F": "highlight other words",
    "T": "show or hide the topic description",
    "Space": "scroll down (⇧Space: up)",
    "?": "this help",
}
"""The keys of the judging screen, for its help; a grade's own keys come from the rubric."""
