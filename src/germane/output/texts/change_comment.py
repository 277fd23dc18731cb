"""A comment on a merge request: a verdict, the measures, and the changes query by query.

GitHub and GitLab render it. Its length is limited, since GitHub refuses more than 65,536 characters, and it states what
was omitted. The same comparison gives the same text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from germane.api.comparisons.changes import Changes, MovedDocument, QueryChange
from germane.errors import GermaneError
from germane.formats.truth.topics_file import Topic
from germane.output.rendering.cells import p_text, signed
from germane.output.rendering.markdown import markdown_table
from germane.output.rendering.markdown_text import code, fenced, folded, html_code, plain
from germane.output.rendering.notes import notes_in_words
from germane.output.texts.change_verdict import not_answered, verdict
from germane.tables.notes.counts import counted
from germane.tables.results.columns import table_of_texts
from germane.tables.results.comparison import HeldDifference, SystemComparison

LONGEST = 65_536
"""Maximum length of a comment on GitHub, in characters; GitLab allows more."""

LONGEST_COMMAND = 2_000
MARK = "<!-- germane compare -->"
"""First line of the comment, by which a job finds and replaces its previous comment."""


@dataclass(frozen=True)
class Room:
    """Limits on what is shown: systems, table lines, queries each way, documents per query, documents to judge."""

    systems: int
    lines: int
    queries: int
    documents: int
    to_judge: int


ROOMS = [
    Room(5, 60, 10, 20, 100),
    Room(3, 60, 5, 10, 50),
    Room(2, 40, 3, 5, 20),
    Room(1, 20, 3, 0, 10),
    Room(0, 20, 0, 0, 0),
]


def change_comment(
    comparison: SystemComparison,
    changes: Sequence[Changes],
    limits: Mapping[str, float],
    *,
    command: str,
    questions: Mapping[str, Topic] | None = None,
    digits: int = 4,
) -> str:
    """Write the comment, with as many changes as fit."""
    held = comparison.hold(limits)
    _require_questions(comparison, questions)
    failed = {each.pair.b for each in held if not each.kept}
    changes = sorted(changes, key=lambda change: change.new not in failed)  # failed systems first
    for room in ROOMS:
        parts = [
            MARK,
            verdict(comparison, held, digits),
            not_answered(comparison),
            _measures(comparison, held, room, digits),
            *_by_query(changes, questions or {}, room, digits),
            *_to_judge(changes, room),
            _notes(comparison),
            _reproduce(command),
        ]
        text = "\n\n".join(part for part in parts if part) + "\n"
        if len(text) <= LONGEST:
            return text
    first = [MARK, verdict(comparison, held, digits), not_answered(comparison)]
    return "\n\n".join([*filter(None, first), "The rest is too long for a comment and was omitted."]) + "\n"


def _require_questions(comparison: SystemComparison, questions: Mapping[str, Topic] | None) -> None:
    """Refuse query texts that match no query of the comparison: they belong to other queries."""
    queries = comparison.scores.queries
    if questions is not None and not any(query in questions for query in queries):
        theirs, ours = (", ".join(list(ids)[:3]) for ids in (questions, queries))
        raise GermaneError(
            f"query texts and judgments share no query: query texts have {theirs}, judgments have {ours}",
            hint="check that both use the same query ids",
        )


def _measures(comparison: SystemComparison, held: Sequence[HeldDifference], room: Room, digits: int) -> str:
    """Return a table with one line for each measure and system, on all queries."""
    pairs = [pair for pair in comparison.pairs if not pair.slice]
    limits = {(each.pair.measure, each.pair.b): each for each in held}
    columns = {"measure": [code(pair.measure) for pair in pairs]}
    if len({pair.b for pair in pairs}) > 1:
        columns["new"] = [code(pair.b) for pair in pairs]
    columns["mean before"] = [f"{pair.mean_a:.{digits}f}" for pair in pairs]
    columns["mean after"] = [f"{pair.mean_b:.{digits}f}" for pair in pairs]
    columns["difference"] = [signed(pair.difference, digits) for pair in pairs]
    columns[comparison.intervals_in_words] = [
        f"{signed(pair.low, digits)} to {signed(pair.high, digits)}" for pair in pairs
    ]
    if held:
        columns["limit"] = [_limit(limits.get((pair.measure, pair.b))) for pair in pairs]
    columns["adjusted p"] = [p_text(pair.p_adjusted, digits).replace("<", "below ") for pair in pairs]
    columns |= {name: [str(getattr(pair, name)) for pair in pairs] for name in ("wins", "ties", "losses")}
    rows = list(zip(*columns.values(), strict=True))
    shown = _grid(list(columns), rows[: room.lines], len(rows) - room.lines, "line")
    return f"{shown}\n\np {plain(comparison.family_in_words, 400)}."


def _grid(header: Sequence[str], rows: Sequence[Sequence[str]], left: int, noun: str) -> str:
    """Return a table of texts, with the number of lines or documents that were omitted."""
    grid = markdown_table(table_of_texts(header, rows), 0).rstrip("\n")
    return f"{grid}\n\n({left} more {noun}{'' if left == 1 else 's'} omitted.)" if left > 0 else grid


def _limit(held: HeldDifference | None) -> str:
    return "" if held is None else f"{held.limit:+g} {'met' if held.kept else '**missed**'}"


def _by_query(changes: Sequence[Changes], questions: Mapping[str, Topic], room: Room, digits: int) -> list[str]:
    parts = []
    for change in changes[: room.systems]:
        whose = f" of {code(change.new)}" if len(changes) > 1 else ""
        worse = f"{counted(len(change.worse), 'query')} got worse"
        counts = f"{worse}, {len(change.better)} got better, {change.num_same} did not change"
        parts.append(f"### Changes by query{whose}\n\nBy {code(change.measure)}, {counts}.")
        for word, queries in (("Largest losses", change.worse), ("Largest gains", change.better)):
            if queries:
                shown = queries[: room.queries]
                most = "" if len(shown) == len(queries) else f", first {len(shown)} of {len(queries)}"
                parts.append(f"**{word}{most}**")
                parts += [_query(query, change.depth, questions, room, digits) for query in shown]
    if len(changes) > room.systems:
        parts.append(f"Changes by query are omitted for {len(changes) - room.systems} of {len(changes)} systems.")
    return parts


def _query(change: QueryChange, depth: int, questions: Mapping[str, Topic], room: Room, digits: int) -> str:
    asked = f" {plain(questions[change.query].title, 100)}" if change.query in questions else ""
    values = f"{change.before:.{digits}f} → {change.after:.{digits}f}"
    difference = signed(change.after - change.before, digits)
    if not room.documents:
        return f"- {code(change.query)}{asked}: {values} ({difference})"
    summary = f"{html_code(change.query)}{asked}: {values} ({difference})"
    if not change.moved:
        return folded(
            summary, f"No document entered or left the top {depth}, and no relevant document moved within it."
        )
    rows = []
    for each in _most_informative(change.moved, room.documents):
        grade = "unjudged" if each.grade is None else f"{each.grade:g}"
        rows.append([code(each.document), grade, *(_rank(each, change, side, depth) for side in (0, 1))])
    header = ["document", "grade", "rank before", "rank after"]
    return folded(summary, _grid(header, rows, len(change.moved) - room.documents, "document"))


def _most_informative(moved: Sequence[MovedDocument], most: int) -> list[MovedDocument]:
    """Return up to `most` documents, relevant ones first choice, in their original order."""
    by_relevance = sorted(range(len(moved)), key=lambda place: not moved[place].relevant)
    return [moved[place] for place in sorted(by_relevance[:most])]


def _rank(moved: MovedDocument, change: QueryChange, side: int, depth: int) -> str:
    """Return the rank before (side 0) or after (side 1), or why there is none."""
    rank = (moved.before, moved.after)[side]
    if rank is not None:
        return str(rank)
    return "not retrieved" if moved.relevant or change.lengths[side] < depth else f"not in the top {depth}"


def _to_judge(changes: Sequence[Changes], room: Room) -> list[str]:
    """List the unjudged documents that the new systems retrieve, in a format that `germane judge` reads."""
    found = list(dict.fromkeys((query, doc) for change in changes for query, doc, _ in change.unjudged))
    if not found:
        return []
    depth = changes[0].depth
    count = f"{len(found)} unjudged document{'' if len(found) == 1 else 's'} entered the top {depth}"
    intro = f"### Judge these first\n\n{count}. Unjudged documents count as non-relevant, so they may hide a gain."
    listed = [f"{query} {doc}" for query, doc in found if _is_word(query) and _is_word(doc)][: room.to_judge]
    if not listed:
        return [f"{intro} None of them is listed here."]
    some = "" if len(listed) == len(found) else f" (first {len(listed)} of {len(found)})"
    command = "germane judge new.pool --documents DOCUMENTS --query-texts TOPICS --store YOUR.judging.db"
    how = f"Save the lines as `new.pool`, then `{command}`."
    return [intro, folded(f"Documents to judge{some}", f"{how}\n\n{fenced(chr(10).join(listed))}")]


def _is_word(text: str) -> bool:
    return len(text) <= 200 and text.isprintable() and not any(character.isspace() for character in text)


def _notes(comparison: SystemComparison) -> str:
    lines = [f"- {plain(line, 400)}" for line in notes_in_words(comparison.notes)]
    left = [f"- {len(lines) - 20} more notes omitted"] if len(lines) > 20 else []
    return folded(f"{len(lines)} notes", "\n".join([*lines[:20], *left])) if lines else ""


def _reproduce(command: str) -> str:
    if len(command) > LONGEST_COMMAND:
        command = f"{command[: LONGEST_COMMAND - 1]}…"
    return folded("How to reproduce these numbers", fenced(command, "sh"))
