"""Files of the lecturer's tutorial: worked examples of the lectures in formats that germane reads."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from importlib.resources import as_file, files
from pathlib import Path

RECALL_PRECISION = "1101010000001"
"""Lecture 004: the relevant documents of a ranking; one more was not retrieved."""

GRADES = (0, 2, 1, 3, 0, 2, 0, 3, 1, 3)
"""Lecture 001, section 2.4: grades of ten results; the collection has five documents of grade 3 and ten of grade 2."""
IN_ALL = {3: 5, 2: 10}

CANCER = ",no,yes\nno,1820,180\nyes,10,20\n"
ANIMALS = ",Cat,Dog,Rabbit\nCat,5,3,0\nDog,2,3,1\nRabbit,0,2,11\n"

ROC = "P.90 P.80 N.70 P.60 P.55 P.54 N.53 N.52 P.51 N.50 P.40 N.39 P.38 N.37 N.36 N.35 P.34 N.33 P.30 N.10"
"""Lecture 001, section 2.6: twenty items with their classes and scores."""

ASSESSMENTS = ((1, 1, 300), (0, 0, 70), (1, 0, 20), (0, 1, 10))
"""Lecture 004: the grades of two assessors, and the number of documents with each combination."""

IDEAL, SYSTEM = "BDAGEIFCH", "ABDEGFCIH"
"""Lecture 003: two rankings of the same nine documents."""

DOCUMENTS = {
    "d1": "Red wine keeps well in a cold cellar.",
    "d2": "Red roses and white roses in the garden.",
    "d3": "Wine from oak barrels: white, or a merlot.",
    "d4": "A cellar of oak keeps barrels of merlot cold.",
    "d5": "The garden has roses, and red apples.",
    "d6": "Merlot is a red grape.",
}

TOPICS = {
    "1": ("red wine", "d1 d3"),
    "2": ("white roses", "d2 d5"),
    "3": ("oak barrels", "d3 d4"),
    "4": ("grapes", "d6 d3"),
}
"""Queries with their relevant documents; all other documents are judged non-relevant."""


ANSWERS = """student,1,2,3,4
ann,(1/3 + 2/6 + 3/7) / 4,0.411,0.524,40/61
bob,0.365,0.475,0.524,0.889
cid,0.365,0.411,0.800,0.66
dora,23/84,0.605,,0.656
"""
"""Answers of four students to the sheet of the tutorial: AP, nDCG@5, kappa_pooled and TPR, seed 7."""


def make(folder: Path) -> None:
    """Write the files to a folder."""
    with as_file(files("germane") / "data" / "lecture003") as shipped:
        shutil.copytree(shipped, folder, dirs_exist_ok=True)
    curve, graded = _ranked(RECALL_PRECISION), _ranked(GRADES)
    # Add documents that were not retrieved, up to the numbers in the lecture.
    missed = {f"M{grade}{i}": grade for grade, total in IN_ALL.items() for i in range(total - GRADES.count(grade))}
    texts = {
        "curve.qrels": _qrels(curve | {"missed": 1}),
        "curve.run": _run(list(curve), "lecture004"),
        "graded.qrels": _qrels(graded | missed),
        "graded.run": _run(list(graded), "lecture001"),
        "ideal.run": _run(list(IDEAL), "ideal"),
        "system.run": _run(list(SYSTEM), "system"),
        "cancer.csv": CANCER,
        "animals.csv": ANIMALS,
        "roc.csv": "class,score\n" + "".join(f"{item[0]},0{item[1:]}\n" for item in ROC.split()),
        "judges.csv": _judgments(),
        "docs.jsonl": "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in DOCUMENTS.items()),
        "topics.tsv": "".join(f"{number}\t{query}\n" for number, (query, _) in TOPICS.items()),
        "judged.txt": "".join(
            f"{number} 0 {doc} {int(doc in relevant.split())}\n"
            for number, (_, relevant) in TOPICS.items()
            for doc in DOCUMENTS
        ),
        "better.run": _run(["Im38", "Im09", "Im94", "Im73", "Im74", "Im48"], "better"),
        "answers.csv": ANSWERS,
        "names.txt": "ann\nbob\ncid\ndora\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def _ranked(grades: Iterable[str | int]) -> dict[str, int]:
    return {f"D{rank}": int(grade) for rank, grade in enumerate(grades, start=1)}


def _qrels(grades: dict[str, int]) -> str:
    return "".join(f"Q1 0 {doc} {grade}\n" for doc, grade in grades.items())


def _run(docs: list[str], tag: str) -> str:
    return "".join(f"Q1 Q0 {doc} {rank} {len(docs) - rank + 1} {tag}\n" for rank, doc in enumerate(docs, start=1))


def _judgments() -> str:
    documents = [grades for *grades, count in ASSESSMENTS for _ in range(count)]
    return "assessor,query,docid,rating\n" + "".join(
        f"judge1,Q1,D{number:03},{one}\njudge2,Q1,D{number:03},{other}\n"
        for number, (one, other) in enumerate(documents, start=1)
    )
