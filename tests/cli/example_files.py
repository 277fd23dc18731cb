"""Small files for the examples in every command's help: the exercise of the lectures, and what it has not."""

from __future__ import annotations

import contextlib
import json
import shutil
from pathlib import Path

import numpy as np

from docs.examples import run_germane
from germane.demo.tutorials import write_tutorial

WORDS = ["red", "white", "wine", "rose", "oak", "cellar", "barrel", "cold", "sweet", "dry", "old", "new", "glass"]


def make_files(folder: Path) -> None:
    """Put all files into a folder; later ones are made by germane itself."""
    write_tutorial("exercise", folder)
    _texts(folder)
    _tables(folder)
    _judgments(folder)
    _vectors(folder)
    with contextlib.chdir(folder):
        for line in (
            "index library docs.jsonl --positions",
            "pool system1.run system2.run -o pool.jsonl --depth 2 --overwrite",
            "learn library topics.tsv judged.txt -o model.json --features cosine,BM25 --folds 2 "
            "--save-features rows.letor",
            "agent train library topics.tsv judged.txt -o agent.json --space BM25 --space VSM --folds 3",
            "release ann.jsonl bob.jsonl -o release",
            "exercise make AP TPR --students names.txt -o sheet.md",
            "exercise make AP nDCG@5 F1 kappa --seed 7 -o sheet.md",
        ):
            printed, status = run_germane(line.split())
            assert status == 0, (line, printed)
    sheet = folder / "sheet.md"
    shutil.copy(sheet, folder / "blank.md")
    sheet.write_text(sheet.read_text().replace("Answer 1:", "Answer 1: 1/2"))


def _texts(folder: Path) -> None:
    numbers = np.random.default_rng(10)
    docs = [" ".join(numbers.choice(WORDS, 12)) for _ in range(40)]
    topics = [" ".join(numbers.choice(WORDS, 2, replace=False)) for _ in range(8)]
    (folder / "docs.jsonl").write_text(
        "".join(json.dumps({"id": f"d{n}", "text": text}) + "\n" for n, text in enumerate(docs, 1))
    )
    (folder / "topics.tsv").write_text("".join(f"{n}\t{text}\n" for n, text in enumerate(topics, 1)))
    judged = [
        f"{t} 0 d{d} {int(numbers.random() < 0.3 + 0.3 * all(word in text.split() for word in topic.split()))}\n"
        for t, topic in enumerate(topics, 1)
        for d, text in enumerate(docs, 1)
        if any(word in text.split() for word in topic.split())
    ]
    (folder / "judged.txt").write_text("".join(judged))
    (folder / "log.tsv").write_text("".join(f"{text}\t{n + 1}\n" for n, text in enumerate(topics)))
    (folder / "names.txt").write_text("Ann\nBob\n")
    (folder / "mine.txt").write_text("1 1/2\n")
    (folder / "class.csv").write_text("student,1,2\nAnn,1/2,1\nBob,1/3,1\n")


def _tables(folder: Path) -> None:
    numbers = np.random.default_rng(11)
    for name in ("scores", "dev", "test"):
        label = numbers.integers(0, 2, 80)
        score = 0.5 * label + numbers.random(80)
        rows = [f"{n},{y},{s:.4f}\n" for n, (y, s) in enumerate(zip(label, score, strict=True))]
        (folder / f"{name}.csv").write_text("id,label,score\n" + "".join(rows))
    label = np.where(numbers.integers(0, 2, 60) == 1, "spam", "ham")
    rows = [f"{y},{numbers.random():.3f},{(y == 'spam') * 0.3 + numbers.random():.3f}\n" for y in label]
    (folder / "items.csv").write_text("label,old,new\n" + "".join(rows))
    (folder / "cancer.csv").write_text(",no,yes\nno,1820,180\nyes,10,20\n")


def _judgments(folder: Path) -> None:
    for name, grades in (("ann", (1, 0, 1, 1)), ("bob", (1, 0, 0, 1))):
        events = [
            {"event": f"{name}{n}", "kind": "grade", "assessor": name, "topic": "Q1", "doc": f"Im{n}", "grade": grade}
            for n, grade in enumerate(grades)
        ]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))


def _vectors(folder: Path) -> None:
    numbers = np.random.default_rng(12)
    queries, docs = [f"Q{n}" for n in (1, 2, 3)], [f"Im{n}" for n in range(60)]
    np.save(folder / "queries.npy", numbers.random((len(queries), 8), dtype=np.float32))
    np.save(folder / "docs.npy", numbers.random((len(docs), 8), dtype=np.float32))
    np.save(folder / "vectors.npy", numbers.random((12, 8), dtype=np.float32))
    (folder / "queries.txt").write_text("\n".join(queries) + "\n")
    (folder / "docs.txt").write_text("\n".join(docs) + "\n")
    (folder / "labels.txt").write_text("a\nb\nc\n" * 4)
