"""Results of a search: for a person at a terminal, and as JSON."""

from __future__ import annotations

import json
import re
import shutil
import textwrap
from typing import Any

import click

import germane
from germane.retrieval.excerpts import Excerpt
from germane.retrieval.explain import Explanation
from germane.retrieval.feedback import Refined
from germane.retrieval.index import Index
from germane.retrieval.rounds import Result, Round
from germane.tables.counted import counted
from germane.tables.grid import aligned

SHOWN_TERMS = 12
WIDEST = 100
NO_TEXTS = "this index keeps no texts: it was made without them"

_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What moves a terminal's cursor, changes its title or turns the direction of what follows, and bytes that are no
characters; not tab and new line."""


def printable(text: str) -> str:
    r"""A document's text as a terminal may get it: characters that would act are written out.

    >>> printable("red\x1b[2J wine\r")
    'red⟦U+001B⟧[2J wine⟦U+000D⟧'
    """
    return _ACTING.sub(lambda found: f"⟦U+{ord(found[0]):04X}⟧", text)


def render_round(found: Round, index: Index, style: str, *, coloured: bool = False) -> str:
    """What was found in one round."""
    if style == "json":
        return json.dumps(round_as_dict(found, index), indent=1, ensure_ascii=False) + "\n"
    parts = [] if found.refined is None else [_changes(found.refined)]
    said = [*found.notes, *messages(found, index)]
    if said:
        parts.append("".join(f"{printable(line)}\n" for line in said))
    moved, scored = found.number > 1, found.matched is None
    parts += [_result(result, coloured=coloured, moved=moved, scored=scored) for result in found.results]
    return "\n".join(parts)


def messages(found: Round, index: Index) -> list[str]:
    """What a person should be told about the results as a whole: why there are none, or not all."""
    said = []
    if found.unknown and found.refined is None:
        said.append(f"in no document: {', '.join(found.unknown)}")
    if found.matched is not None:
        shown = f", {len(found.results)} shown" if found.matched > len(found.results) else ""
        said.append(f"{counted(found.matched, 'document')} match{'es' * (found.matched == 1)}{shown}")
    if not index.collection.num_docs:
        said.append("the index holds no documents")
    elif found.results:
        if not any(result.excerpt.text or result.title.text for result in found.results):
            said.append(NO_TEXTS)
    elif found.refined is not None:
        said.append("the new query finds nothing: none of its terms has any weight left")
    elif not found.query.weights and found.matched is None:
        said.append("nothing is left of the query: it has only stop words, or no words at all")
    elif found.matched is None:
        said.append("no document holds any of these words")
    return said


def round_as_dict(found: Round, index: Index) -> dict[str, Any]:
    """What a program reads."""
    return {
        "germane": germane.__version__,
        "query": found.text,
        "analyser": index.analyser.name,
        "model": str(found.model),
        "round": found.number,
        "terms": dict(found.query.weights),
        "unknown": list(found.unknown),
        "matched": found.matched,
        "notes": list(found.notes),
        "results": [
            {
                "rank": result.rank,
                "id": result.id,
                "score": result.score,
                "title": result.title.text,
                "excerpt": result.excerpt.text,
                "marks": [list(mark) for mark in result.excerpt.marks],
                "relevant": result.relevant,
                "rank_before": result.before,
            }
            for result in found.results
        ],
    }


def movement(result: Result) -> str:
    """How a result moved since the round before."""
    if result.before is None:
        return "new"
    steps = result.before - result.rank
    return "" if steps == 0 else f"{'up' if steps > 0 else 'down'} {abs(steps)}, was {result.before}"


def leading_terms(explanation: Explanation, most: int = SHOWN_TERMS) -> tuple[list[str], list[list[str]]]:
    """The explanation as a table of the terms that matter most; the rest is added up and counted.

    Feedback makes queries of hundreds of terms, and most of them a document does not even hold.
    """
    header, rows = explanation.grid()
    lines = explanation.lines
    num_terms = len(lines) + len(explanation.unknown)
    if num_terms <= most:
        return header, rows
    held = sorted((i for i, line in enumerate(lines) if line.tf), key=lambda i: -abs(lines[i].contribution))
    empty = [""] * (len(header) - 2)
    shown = [rows[i] for i in held[:most]]
    if len(held) > most:
        rest = sum(lines[i].contribution for i in held[most:])
        shown.append([f"{counted(len(held) - most, 'term')} more", *empty, f"{rest:.4f}"])
    if num_terms > len(held):
        shown.append([f"{counted(num_terms - len(held), 'term')} not in it", *empty, f"{0:.4f}"])
    return header, shown + rows[num_terms:]


def render_explanation(explanation: Explanation, most: int = SHOWN_TERMS) -> str:
    """Where a score comes from."""
    return f"{printable(explanation.doc_id)} by {explanation.model}\n{aligned(*leading_terms(explanation, most))}"


def _width() -> int:
    return min(WIDEST, max(40, shutil.get_terminal_size((WIDEST, 24)).columns))


def _result(result: Result, *, coloured: bool, moved: bool, scored: bool) -> str:
    def paint(text: str, **how: Any) -> str:
        return click.style(text, **how) if coloured else text

    mark = {True: "+", False: "-", None: " "}[result.relevant]
    head = f"{mark}{result.rank:3}  {paint(printable(result.id), bold=True)}"
    change = movement(result) if moved else ""
    lines = [head + (f"  {result.score:.4f}" if scored else "") + (f"  ({change})" if change else "")]
    lines += [_painted(part, coloured=coloured) for part in (result.title, result.excerpt) if part.text]
    return "\n".join(lines) + "\n"


def _painted(part: Excerpt, *, coloured: bool) -> str:
    """Lines with the query's words set off; broken before that, or the invisible characters would count."""
    text = "".join(f"\x02{printable(piece)}\x03" if is_word else printable(piece) for piece, is_word in part.pieces())
    indent = " " * 6
    lines = textwrap.fill(text, _width(), initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
    before, after = ("\x1b[1;33m", "\x1b[0m") if coloured else ("[", "]")
    return lines.replace("\x02", before).replace("\x03", after)


def _changes(refined: Refined) -> str:
    """How feedback changed the query: the heaviest terms, and which are new."""
    shown = refined.terms[:SHOWN_TERMS]
    lines = [f"the query now ({refined.model}):\n", str(Refined(refined.query, refined.model, shown))]
    if len(refined.terms) > len(shown):
        lines.append(f"and {counted(len(refined.terms) - len(shown), 'term')} more (:terms shows all)\n")
    return "".join(lines)
