"""A release: a folder with the qrels, their sources, and a manifest that documents them.

=====================  =================================================================================================
qrels.txt              topic 0 document grade; −1 is "pooled and without a grade", as trec_eval has it
qrels_sampled.jsonl    the same with stratum and inclusion probability, for XinfAP; only where a pool is a sample
qrels_jg.txt           topic assessor document grade: each assessor's own (trec_eval -R qrels_jg)
decisions.tsv          each document of the qrels with how its grade came about and the grades that were given
unjudged.tsv           the documents of the qrels without a grade, and why: the states that −1 cannot tell apart
events.jsonl           everything that assessors did, in the order of time
pool.jsonl             the pool, where one is given (pool-1.jsonl, pool-2.jsonl … where several are)
manifest.json          policy, counts, what was left out and why, the pools' record, the sha256 of each file
=====================  =================================================================================================

The same events, pool and policy give the same bytes: nothing in a release depends on when or where it is written.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from germane.errors import InputError
from germane.formats.files.addresses import local_path
from germane.formats.files.file_lock import only_writer
from germane.formats.files.json_text import require_checksum, with_checksum
from germane.formats.rankings import json_files, trec
from germane.formats.rows.number_text import whole_or_repr
from germane.formats.truth.judgments_file import events_as_bytes
from germane.formats.truth.pool_file import write_pool
from germane.judging.consolidate import NOT_JUDGED, Consolidated, Undecided, consolidate
from germane.judging.release_manifest import WHY_LEFT_OUT, counts_record, notes_on_release, policy_record, values_named
from germane.judging.rubric import Rubric, under_last_rubric
from germane.tables.columns.ids import to_bytes
from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note
from germane.tables.rankings.qrels import Qrels
from germane.tables.results.columns import F, Table, table
from germane.tables.results.result import Result
from germane.tables.truth.judgments import ITEM_KINDS, JudgmentEvent, Judgments, standing, unique
from germane.tables.truth.pool import Pool

VERSION = 2
MANIFEST = "manifest.json"
MEND = "release the judgments again, or restore the file from a copy"
CONTROLS = ITEM_KINDS[1:]

DECIDED = (F("how", "name", "decided by"), F("num_docs", "count", "documents"))
GRADES = (F("grade", "parameter"), F("num_docs", "count", "documents"))
DECISIONS = (
    F("topic", "name"),
    F("doc", "name", "document"),
    F("grade", "parameter"),
    F("how", "text", "decided by"),
    F("given", "list"),
    F("cannot", "count", "cannot judge"),
)


@dataclass(frozen=True, eq=False)
class Release(Result):
    """A release: the qrels, the decision on each document, the manifest, and notes."""

    folder: Path
    consolidated: Consolidated
    qrels: Qrels
    manifest: Mapping[str, Any]
    notes: tuple[Note, ...] = ()

    schema: ClassVar[str] = "release/1"

    def tables(self) -> Iterator[Table]:
        """Return tables of counts by decision and grade, and the decision on each document."""
        counts = self.manifest["counts"]
        yield table("decided", DECIDED, [{"how": how, "num_docs": n} for how, n in counts["decided"].items()])
        yield table("grades", GRADES, [{"grade": grade, "num_docs": n} for grade, n in counts["grades"].items()])
        yield table("decisions", DECISIONS, self.consolidated.decisions)

    def shown(self, *, digits: int = 4) -> Iterator[Table | str]:
        """Return a summary: folder, policy and counts."""
        counts, policy = self.manifest["counts"], self.manifest["policy"]
        documents, topics = counted(counts["documents"], "document"), counted(counts["topics"], "topic")
        judgments, assessors = counted(counts["judgments"], "judgment"), counted(counts["assessors"], "assessor")
        yield (
            f"{self.folder}: {counts['graded']:,} of {documents} graded, {topics}, {judgments} by {assessors}\n"
            f"policy {policy['name']}: {policy['rule']}\n"
            f"undecided documents: {policy['undecided_description']}; {policy['adjudicated']}\n"
        )
        yield self.table("decided")
        yield self.table("grades")

    def document(self) -> dict[str, Any]:
        """The folder, and the manifest in it."""
        return {"folder": str(self.folder), "manifest": dict(self.manifest)}


def write_release(
    events: Iterable[JudgmentEvent],
    folder: str | Path,
    policy: str = "majority",
    *,
    pools: Sequence[Pool] = (),
    listed: Iterable[tuple[str, str]] = (),
    rubrics: Sequence[Rubric] = (),
    undecided: Undecided = "lowest",
    min_grades: int = 1,
    scale: float | None = None,
    rel: float | None = None,
    pseudonyms: bool = False,
    name: str = "release",
    record: Mapping[str, Any] | None = None,
    version: str = "",
) -> Release:
    """Consolidate the standing judgments of these events and write a release to a new folder.

    With `pools`, the qrels list their ordinary documents, drawn or not; without, what was shown to somebody and what is
    `listed`. Grades are those of the last of the `rubrics`. The manifest has `rel`, the minimum relevant grade,
    and `record`, the settings of the project. `pseudonyms` replaces assessor names by A1, A2 ….
    """
    target = local_path(folder)
    _require_room(target)
    history = unique(events)
    if not history:
        raise InputError(str(folder), None, "expected judgments to release, found none")
    if pseudonyms:
        history = under_pseudonyms(history)
    for assessor in sorted({event.assessor for event in history}):
        if assessor.split() != [assessor]:
            problem = f"assessor names in qrels cannot contain white space, found {assessor!r}"
            raise InputError("qrels_jg.txt", None, problem, hint="use `pseudonyms=True`")
    said = standing(under_last_rubric(history, rubrics))
    kept, known = said, said.listed | frozenset(listed)
    if pools:
        known = frozenset((item.topic, item.doc) for pool in pools for item in _ordinary(pool))
        rows = zip(said.topic, said.doc, said.kind, strict=True)
        kept = said.take([i for i, (*pair, kind) in enumerate(rows) if kind in CONTROLS or tuple(pair) in known])
    found = consolidate(kept, policy, undecided=undecided, min_grades=min_grades, scale=scale, listed=known)
    qrels = found.qrels(name=name)
    own = kept.of_kind("ordinary")
    left_out = {**found.left_out, **said.left_behind}
    if len(kept) < len(said):
        left_out["not in the pool"] = len(said) - len(kept)
    contents = {
        "qrels.txt": _written(trec.write_qrels, qrels),
        "qrels_jg.txt": _qrels_by_assessor(own),
        "decisions.tsv": _decisions(found),
        "unjudged.tsv": _unjudged(found),
        "events.jsonl": events_as_bytes(history),
    }
    sampled = _sampled(found, pools)
    if sampled is not None:
        contents["qrels_sampled.jsonl"] = _written(json_files.write_qrels_lines, sampled)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    partial.mkdir()
    try:
        for file, data in contents.items():
            (partial / file).write_bytes(data)
        for place, pool in enumerate(pools, start=1):
            write_pool(pool, partial / ("pool.jsonl" if len(pools) == 1 else f"pool-{place}.jsonl"))
        manifest = {
            "germane_release": VERSION,
            "germane": version,
            "name": name,
            "policy": policy_record(found),
            "counts": counts_record(found, qrels, own, len(history)),
            "excluded": [
                {"kind": kind, "count": count, "reason": WHY_LEFT_OUT[kind]} for kind, count in left_out.items()
            ],
            "pools": [pool.facts() for pool in pools],
            "pools_of_events": values_named(history, "pool"),
            "rubrics": [json.loads(rubric.as_json()) for rubric in rubrics],
            "rubrics_of_events": values_named(history, "rubric"),
            "rel": rel,
            "project": record,
            "assessors": list(own.assessors),
            "pseudonyms": pseudonyms,
            "files": {path.name: _fingerprint(path) for path in sorted(partial.iterdir())},
        }
        manifest = with_checksum(manifest)
        text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
        (partial / MANIFEST).write_bytes(text.encode("utf-8", "surrogateescape"))
        with only_writer(target):
            _require_room(target)  # another process may have released something there since
            if target.exists():
                target.rmdir()
            partial.rename(target)
    finally:
        if partial.is_dir():
            shutil.rmtree(partial)
    return Release(target, found, qrels, manifest, tuple(notes_on_release(found, left_out, history, pools, rubrics)))


def check_release(folder: str | Path) -> list[str]:
    """List problems of a release: files that are missing, changed, or not in the manifest."""
    folder = local_path(folder)
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_bytes().decode("utf-8", "surrogateescape"))
        version, files = manifest["germane_release"], dict(manifest["files"].items())
    except FileNotFoundError:
        raise InputError(
            path, None, "no such file", hint="use the folder of a release, which contains manifest.json"
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(path, None, "this is not the manifest of a release", hint=MEND) from None
    if version != VERSION:
        raise InputError(path, None, f"expected a release of version {VERSION}, found {version!r}", hint=MEND)
    require_checksum(manifest, path, "the manifest of a release", hint=MEND)
    there = {entry.name for entry in folder.iterdir()} - {MANIFEST}
    wrong = [f"{name} is missing" for name in files if name not in there]
    wrong += [f"{name} is not in the manifest" for name in sorted(there - files.keys())]
    kept = {name: path.parent / name for name in files if name in there}
    changed = [name for name, file in kept.items() if file.is_dir() or _fingerprint(file) != files[name]]
    return [*wrong, *(f"{name} was changed" for name in changed)]


def under_pseudonyms(events: Sequence[JudgmentEvent]) -> list[JudgmentEvent]:
    """Replace assessor names in events by A1, A2 …, in the byte order of the names; event ids stay."""
    names = sorted({event.assessor for event in events}, key=to_bytes)
    width = len(str(len(names)))
    called = {name: f"A{place:0{width}d}" for place, name in enumerate(names, start=1)}
    return [replace(event, assessor=called[event.assessor]) for event in events]


def _ordinary(pool: Pool) -> list[Any]:
    return [item for item in (*pool.items, *pool.unsampled) if item.kind == "ordinary"]


def _sampled(found: Consolidated, pools: Sequence[Pool]) -> Qrels | None:
    """Return the qrels with the sampling of each document; None if the pools are not samples."""
    items = {(item.topic, item.doc): item for pool in reversed(pools) for item in _ordinary(pool)}
    if all(not item.stratum and item.inclusion == 1 for item in items.values()):
        return None
    rows = [items[decision.topic, decision.doc] for decision in found.decisions]
    stratum, inclusion = [item.stratum for item in rows], [item.inclusion for item in rows]
    topics, docs = [item.topic for item in rows], [item.doc for item in rows]
    return Qrels.from_columns(topics, docs, found.grades, stratum=stratum, inclusion=inclusion)


def _written(write: Callable[[Qrels, Any], None], qrels: Qrels) -> bytes:
    out = io.BytesIO()
    write(qrels, out)
    return out.getvalue()


def _qrels_by_assessor(own: Judgments) -> bytes:
    if not len(own):
        return b""
    grades = [NOT_JUDGED if math.isnan(grade) else grade for grade in own.grade.tolist()]
    return _written(trec.write_qrels, Qrels.from_columns(own.topic, own.doc, grades, own.assessor))


def _decisions(found: Consolidated) -> bytes:
    lines = ["topic\tdoc\tgrade\thow\tgiven\tcannot\n"]
    for decision in found.decisions:
        grade = "" if math.isnan(decision.grade) else whole_or_repr(decision.grade)
        given = " ".join(map(whole_or_repr, decision.given))
        lines.append(f"{decision.topic}\t{decision.doc}\t{grade}\t{decision.how}\t{given}\t{decision.cannot}\n")
    return to_bytes("".join(lines))


def _unjudged(found: Consolidated) -> bytes:
    without = [decision for decision in found.decisions if math.isnan(decision.grade)]
    lines = [f"{decision.topic}\t{decision.doc}\t{decision.how}\n" for decision in without]
    return to_bytes("topic\tdoc\tstate\n" + "".join(lines))


def _fingerprint(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def _require_room(target: Path) -> None:
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        problem = f"expected a new or empty folder, found {'one with files' if target.is_dir() else 'a file'}"
        raise InputError(target, None, problem, hint="choose a new folder; a release is never changed")
