"""The files that commands are tried on, made once; each try gets a copy of its own."""

from __future__ import annotations

import contextlib
import io
import json
import random
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any
from unittest import mock

import click
import numpy as np

from docs.examples import registry_restored, run_germane
from germane.formats.truth.judgments_file import write_events
from germane.formats.truth.pool_file import write_pool
from germane.judging.store.people import everybody
from germane.judging.store.project import pools_of, settings_of
from germane.tables.truth.judgments import JudgmentEvent
from germane.tables.truth.pool import Pool, PoolItem

WORDS = "red white wine rose oak cellar barrel cold sweet dry old new glass bottle cork grape".split()  # noqa: SIM905
CHANGING = re.compile(
    r'https?://\S+|"measures": \{\s*"time_per_query".*?"notes"'
    r'|("(?:\w*seconds\w*|\w*time\w*|created|date|begun|ended|\w*_ms|ms\w*|when|bytes_read)": )[^,}\]]+'
    r"|\d[\d.,]* (?:ms|s)\b|(?<=, )\d{19}\b|\b(?=\d*[a-f])[0-9a-f]{16,64}\b|\b[0-9a-f-]{36}\b",
    re.S,
)
"""What differs from one call to the next whatever is asked: times, links, hashes and names drawn by chance."""


def make_world(folder: Path) -> None:
    """Put all files into a folder; later ones are made by germane itself."""
    with as_file(files("germane") / "data" / "lecture003") as exercise:
        shutil.copytree(exercise, folder, dirs_exist_ok=True)
    _runs(folder)
    _tables(folder)
    _documents(folder)
    _vectors(folder)
    with contextlib.chdir(folder):
        for command in (
            "index library docs.jsonl --positions",
            "pool make ties.run system1.run -o pool.jsonl --depth 4",
            "learn library topics.tsv judged.txt -o model.json --features cosine,BM25 --folds 2",
            "agent train library topics.tsv judged.txt -o agent.json --space BM25 --space VSM --folds 3",
            "release ann.qrels bob.qrels -o released",
            "learn library topics.tsv judged.txt -o paged.json --features cosine,pages=old/pages.tsv --folds 2",
            "learn library topics.tsv judged.txt --features cosine,BM25 --folds 2 --save-features rows.letor",
            "exercise make AP F1 -o filled.md",
            "index two docs.jsonl",
            "index two other.jsonl --add",
            "retrieve library topics.tsv --model BM25 -o r1.run",
            "retrieve library topics.tsv --model QL -o r2.run",
            "retrieve library topics.tsv --model VSM --field description -o r3.run",
        ):
            printed, status = run_germane(command.split())
            assert status == 0, (command, printed)
        shutil.rmtree("old")
        Path("filled.md").write_text(Path("filled.md").read_text().replace("Answer 1:", "Answer 1: 0.500"))
        rows = [line.split(" qid:") for line in Path("rows.letor").read_text().splitlines() if not line.startswith("#")]
        queries = [rest.split()[0] for _, rest in rows]
        Path("rows.svm").write_text("".join(f"{grade} {rest.partition(' ')[2]}\n" for grade, rest in rows))
        Path("groups.txt").write_text("".join(f"{queries.count(query)}\n" for query in dict.fromkeys(queries)))


def outcome(world: Path, scratch: Path, arguments: list[str]) -> tuple[int, str, dict[str, str]]:
    """What a command does in a copy of the world: its exit status, what it prints, and the files it changes."""
    place = scratch / "place"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(world, place)
    before = _contents(place)
    with contextlib.chdir(place), registry_restored(), _no_input(), _no_server():
        printed, status = run_germane(arguments)
    after = _contents(place)
    return status, _steady(printed), {name: text for name, text in after.items() if before.get(name) != text}


@contextlib.contextmanager
def _no_input() -> Iterator[None]:
    """Standard input at its end."""
    with mock.patch("sys.stdin", io.StringIO("")):
        yield


@contextlib.contextmanager
def _no_server() -> Iterator[None]:
    """In place of a server that answers until it is stopped: what it would serve."""

    def would_serve(site: Any, listening: Any, **files: Any) -> None:
        people = [(person.name, person.role) for person in everybody(site.database)]
        pools = [pool.hash for pool in pools_of(site.database)]
        chosen = settings_of(site.database)
        served = (
            site.title,
            site.addresses,
            people,
            pools,
            site.rubric,
            replace(chosen, mask_key="#"),
            site.ranking is None,
        )
        click.echo(f"{served} {files}")

    def would_search(*what: Any, started: Any, **how: Any) -> None:
        click.echo(f"{what[1:]} {how}")

    with (
        mock.patch("germane.web.serving.serve", would_serve),
        mock.patch("germane.web.search.pages.serve_search", would_search),
    ):
        yield


def _contents(folder: Path) -> dict[str, str]:
    return {
        file.relative_to(folder).as_posix(): _steady(file.read_bytes().decode("latin-1"))
        for file in folder.rglob("*")
        if file.is_file() and not file.name.endswith((".db", ".db-wal", ".db-shm"))
    }


def _steady(text: str) -> str:
    return CHANGING.sub("#", text)


def _runs(folder: Path) -> None:
    # Scores that are equal in pairs, ranks in another order than the lines, one topic missing, and 0.1 + 0.2 beside
    # 0.3: equal in 32 bits, not in 64.
    lines = []
    for query, docs in (("Q1", "Im01 Im38 Im94 Im09 Im02 Im49 Im73"), ("Q2", "Im34 Im03 Im56 Im04 Im01 Im02 Im08")):
        names = docs.split()
        for place, doc in enumerate(names):
            score = 9 - place // 2 + (1e-9 if place % 4 == 1 else 0)
            lines.append(f"{query} Q0 {doc} {len(names) - place} {score!r} ties")
    (folder / "ties.run").write_text("\n".join(lines) + "\n")
    (folder / "halves").mkdir()
    for number, query in enumerate(("Q1", "Q2")):
        part = [line for line in lines if line.startswith(query)]
        (folder / "halves" / f"part-{number}.run").write_text("\n".join(part) + "\n")
    qrels = (folder / "qrels.txt").read_text()
    graded = [" ".join([*line.split()[:3], str(1 + number % 3)]) for number, line in enumerate(qrels.splitlines())]
    graded += ["Q1 0 Im94 0", "Q1 0 Im73 1", "Q2 0 Im03 0", "Q2 0 Im02 2", "Q1 0 Im01 0", "Q3 0 Im01 0"]
    graded += [f"Q{topic} 0 Im8{number} 0" for topic in (1, 2, 3) for number in range(3)]
    unique = {tuple(line.split()[:3]): line for line in graded}
    (folder / "graded.txt").write_text("\n".join(unique.values()) + "\n")
    (folder / "qrels.data").write_text("".join(f"{q}\t{d}\t{g}\n" for q, _, d, g in map(str.split, qrels.splitlines())))
    (folder / "run.data").write_text("query_id,doc_id,score\nQ1,Im38,2\nQ1,Im09,1\nQ2,Im56,3\n")
    (folder / "extra.txt").write_text(qrels + "Q4 0 Im38 1\n")
    (folder / "halves.txt").write_text("".join(f"{q} {'old' if q < 7 else 'new'}\n" for q in range(3, 11)))
    (folder / "slices.txt").write_text("Q1 easy\nQ2 hard\nQ3 hard\n")
    (folder / "own.py").write_text(
        "import germane as ge\n\n\n@ge.measure('Own', bounds=(0, 1))\ndef own(run):\n    '''Mine.'''\n"
        "    hits = run.relevant(1, None)\n"
        "    return ge.measures.Worked(hits, term=1 / hits.rank, over=run.num_relevant(1) + 1)\n"
    )
    (folder / "costs.csv").write_text("run,ms per query\nsystem1,3\nties,5\n")
    (folder / "table1.csv").write_text("qid,AP\nq1,.5\nq2,.4\nq3,.1\n")
    (folder / "table2.csv").write_text("qid,AP\nq1,.6\nq2,.4\nq3,.3\n")
    (folder / "board1.csv").write_text("system,AP,RR\na,.5,.3\nb,.4,.5\nc,.3,.4\nd,.2,.1\n")
    (folder / "board2.csv").write_text("system,AP,RR\na,.5,.3\nb,.45,.1\nc,.6,.4\ne,.1,.9\n")
    (folder / "teams.txt").write_text("system1 one\nsystem2 one\nties two\n")
    (folder / "bad.run").write_text("".join(f"Q1 Q0 Im{n} {n} x{n} tag\n" for n in range(1, 9)))
    (folder / "names.txt").write_text("ann\nbob\n")
    (folder / "feature_names.txt").write_text("angle\nokapi\n")
    (folder / "log.tsv").write_text("".join(f"{word} wine\t{count}\n" for count, word in enumerate(WORDS, 1)))


def _tables(folder: Path) -> None:
    draw = random.Random(3)
    rows, classes = [], []
    for number in range(60):
        spam = number % 3 == 0
        score = min(max(draw.random() * 0.6 + 0.3 * spam, 0.01), 0.99)
        other = min(max(draw.random() * 0.7 + 0.2 * spam, 0.01), 0.99)
        label, guess, late = ("spam" if it else "ham" for it in (spam, score > 0.5, other > 0.5))
        rows.append(f"{label},{guess},{late},{score:.3f},{other:.3f},{1 + number % 2},{number % 7},{number % 2}")
        shares = [draw.random() + (number % 3 == place) for place in range(3)]
        shares = [share / sum(shares) for share in shares]
        best = "abc"[shares.index(max(shares))]
        classes.append(f"{'abc'[number % 3]},{best},{','.join(f'{share:.6f}' for share in shares)}")
    (folder / "items.csv").write_text("label,guess,late,score,other,weight,number,flag\n" + "\n".join(rows) + "\n")
    (folder / "test.csv").write_text("label,score\n" + "\n".join(f"{r.split(',')[0]},{r.split(',')[4]}" for r in rows))
    (folder / "classes.csv").write_text("truth,predicted,p_a,p_b,p_c\n" + "\n".join(classes) + "\n")
    (folder / "shares.csv").write_text(
        "truth,p_a,p_b,p_c\n" + "\n".join(",".join([r[0], *r.split(",")[2:]]) for r in classes)
    )
    (folder / "matrix.csv").write_text(",a,b,c\na,5,1,2\nb,0,7,3\nc,2,2,8\n")
    (folder / "tags.csv").write_text("truth,predicted\na;b,a\nb,b;c\nc,c\n-,a\na,a\n")
    (folder / "two.csv").write_text(",no,yes\nno,80,18\nyes,5,20\n")
    header = "label,guess,late,score,other,weight,number,flag"
    holes = [re.sub(r"0\.\d+", "", row) if n % 9 == 0 else row for n, row in enumerate(rows)]
    (folder / "holes.csv").write_text("\n".join([header, *holes]))
    commas = "\n".join([header, *rows]).replace(",", ";").replace(".", ",")
    (folder / "commas.csv").write_text(commas)
    (folder / "wide.csv").write_text("\n".join([header, *rows]), encoding="utf-16")
    (folder / "numbers.csv").write_text(
        "truth,predicted,other,low,x1,x2\n1,1.5,1,0,0,1\n2,1.5,4,1,1,1\n4,3,9,3,7,8\n5,5,7,4,8,8\n"
    )
    for name, change in (("ann", 0), ("bob", 1)):
        lines = [
            f"Q{topic} 0 Im{doc:02} {(topic * doc + change * (doc % 3 == 0)) % 3}"
            for topic in range(1, 8)
            for doc in range(1, 7)
        ]
        (folder / f"{name}.qrels").write_text("\n".join(lines) + "\n")
    events = []
    for who in ("ann", "bob"):
        for doc in range(1, 6):
            grade = float((doc % 2) == (who == "ann") or doc == 4)
            event = JudgmentEvent(f"{who}{doc}", "grade", who, "Q1", f"Im{doc:02}", grade)
            events.append(event if doc < 4 else replace(event, item_kind="calibration"))
    write_events(events, folder / "events.jsonl")
    write_pool(Pool.of([PoolItem("Q1", "Im38")], method="by hand"), folder / "calibration.jsonl")


def _documents(folder: Path) -> None:
    draw = random.Random(5)
    documents = [
        {
            "id": f"d{number}",
            "code": f"c{number}",
            "title": " ".join(draw.sample(WORDS, 2)),
            "text": " ".join(draw.choices(WORDS, k=12)),
        }
        for number in range(40)
    ]
    captions = [{"id": f"Im{n:02}", "code": f"c{n}", "heading": "red", "text": "wine"} for n in range(1, 40)]
    (folder / "captions.jsonl").write_text("".join(json.dumps(caption) + "\n" for caption in captions))
    (folder / "docs.jsonl").write_text("".join(json.dumps(document) + "\n" for document in documents))
    (folder / "more.jsonl").write_text(json.dumps({"id": "d1", "title": "new", "text": "wine wine wine"}) + "\n")
    topics = [
        (f"{number}", " ".join(draw.sample(WORDS, 2)), " ".join(draw.sample(WORDS, 4))) for number in range(3, 11)
    ]
    (folder / "topics.tsv").write_text("id\ttitle\tdescription\n" + "".join("\t".join(row) + "\n" for row in topics))
    (folder / "past.tsv").write_text(
        "id\ttitle\n" + "".join(f"p{n}\t{' '.join(draw.sample(WORDS, 3))}\n" for n in range(6))
    )
    judged = [
        f"{number} 0 {document['id']} {sum(word in document['text'].split() for word in title.split())}"
        for number, title, _ in topics
        for document in documents[::2]
    ]
    (folder / "judged.txt").write_text("\n".join(judged) + "\n")
    (folder / "judged.data").write_text("".join(f"{q}\t{d}\t{g}\n" for q, _, d, g in map(str.split, judged)))
    past = [f"p{n} 0 d{d} {(n + d) % 3}" for n in range(6) for d in range(0, 40, 2)]
    (folder / "past.txt").write_text("\n".join(past) + "\n")
    (folder / "past.data").write_text("".join(f"{q}\t{d}\t{g}\n" for q, _, d, g in map(str.split, past)))
    for place in (folder, folder / "old"):
        place.mkdir(exist_ok=True)
        (place / "pages.tsv").write_text("".join(f"d{number}\t{number % 7}\n" for number in range(40)))
    (folder / "other.jsonl").write_text(json.dumps({"id": "e1", "title": "new", "text": "wine wine wine"}) + "\n")
    (folder / "stop.txt").write_text("wine\nred\n")
    images = folder / "images"
    images.mkdir()
    for number in range(1, 100):
        (images / f"Im{number:02}.txt").write_text(f"picture {number} of {WORDS[number % 16]}")
    item = {"topic": "Q1", "doc": "Im38"}
    (folder / "rubric.json").write_text(
        json.dumps({"grades": [{"value": v, "label": f"g{v}"} for v in range(3)], "rel": 1})
    )
    (folder / "answers.jsonl").write_text(json.dumps(item) + "\n")
    (folder / "key.pem").write_text("key")
    (folder / "certificate.pem").write_text("certificate")
    (folder / "questions.tsv").write_text("Q1\tred wine\nQ2\twhite wine\nQ3\toak\n")


def _vectors(folder: Path) -> None:
    draw = np.random.default_rng(1)
    np.save(folder / "q.npy", draw.integers(0, 3, (3, 4)).astype(np.float32))
    np.save(folder / "d.npy", draw.integers(0, 3, (9, 4)).astype(np.float32))
    np.save(folder / "bits.npy", draw.integers(0, 255, (9, 4)).astype(np.uint8))
    names = [line.split()[2] for line in (folder / "qrels.txt").read_text().splitlines()]
    docs = list(dict.fromkeys(names))
    docs = (docs + [f"x{n}" for n in range(9)])[:9]
    (folder / "doc_ids.txt").write_text("\n".join(docs) + "\n")
    (folder / "query_ids.txt").write_text("Q1\nQ2\nQ3\n")
    (folder / "doc_labels.txt").write_text("\n".join("aabbccaab") + "\n")
    (folder / "query_labels.txt").write_text("a\nb\nc\n")
    (folder / "doc_cameras.txt").write_text("\n".join("112211221") + "\n")
    (folder / "query_cameras.txt").write_text("1\n2\n1\n")
