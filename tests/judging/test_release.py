"""A release: its files, its manifest, the same bytes for the same events, and the numbers that it gives."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from germane.api.rankings.evaluation import evaluate
from germane.api.truth.release import release
from germane.cli import group
from germane.errors import InputError
from germane.formats.rankings.ranking_files import read_qrels
from germane.formats.truth.judgments_file import read_events, write_events
from germane.formats.truth.pool_file import write_pool
from germane.judging.release import check_release, under_pseudonyms, write_release
from germane.tables.truth.judgments import JudgmentEvent, standing
from germane.tables.truth.pool import Pool, PooledRun, PoolItem


def event(number: int, who: str, doc: str, grade: float | None, **more: object) -> JudgmentEvent:
    kind = more.pop("kind", "cannot" if grade is None else "grade")
    full = {"rubric": "1", "time": f"2026-01-01T09:{number:02d}:00Z", **more}
    return JudgmentEvent(f"e{number:02d}", kind, who, "q1", doc, grade, **full)  # type: ignore[arg-type]


EVENTS = [
    event(1, "ann", "d1", 2),
    event(2, "bob", "d1", 1),
    event(3, "carl", "d1", 2),
    event(4, "ann", "d2", 0),
    event(5, "bob", "d2", 1),
    event(6, "ann", "d3", None),
    event(7, "ann", "trap", 1, item_kind="distractor"),
    event(8, "ann", "warm", 1, item_kind="calibration"),
    event(9, "ann", "d1", 1, item_kind="repeat"),
    event(10, "bob", "d4", 1),
    event(11, "bob", "d4", None, kind="undo", supersedes="e10"),
    event(12, "bob", "trap", 1, item_kind="distractor"),
    event(13, "bob", "trap", None, kind="undo", supersedes="e12", item_kind="distractor"),
    event(14, "ann", "d5", 0),
    event(15, "chair", "d5", 2, kind="adjudicate"),
]
POOL = Pool.of(
    [PoolItem("q1", doc) for doc in ("d1", "d2", "d3", "d4", "d5", "d6")]
    + [PoolItem("q1", "trap", kind="distractor"), PoolItem("q1", "warm", kind="calibration")],
    method="depth",
    parameters={"depth": 3},
    seed=7,
    runs=(PooledRun("bm25", "0" * 64),),
    unsampled=[PoolItem("q1", "d7", inclusion=0.5)],
)


def test_the_files_of_a_release(tmp_path: Path) -> None:
    release(EVENTS, tmp_path / "made", pool=POOL)
    assert (tmp_path / "made" / "qrels.txt").read_text().split("\n") == [
        "q1 0 d1 2",
        "q1 0 d2 0",
        "q1 0 d3 -1",
        "q1 0 d4 -1",
        "q1 0 d5 2",
        "q1 0 d6 -1",
        "q1 0 d7 -1",
        "",
    ]
    assert (tmp_path / "made" / "qrels_jg.txt").read_text().split("\n") == [
        "q1 ann d1 2",
        "q1 bob d1 1",
        "q1 carl d1 2",
        "q1 ann d2 0",
        "q1 bob d2 1",
        "q1 ann d3 -1",
        "q1 ann d5 0",
        "",
    ]
    assert (tmp_path / "made" / "unjudged.tsv").read_text().split("\n")[1:-1] == [
        "q1\td3\tnot judgeable",
        "q1\td4\tunjudged",
        "q1\td6\tunjudged",
        "q1\td7\tunjudged",
    ]
    assert "q1\td1\t2\tmajority\t1 2 2\t0" in (tmp_path / "made" / "decisions.tsv").read_text()
    assert read_events(tmp_path / "made" / "events.jsonl") == EVENTS


def test_the_manifest_says_how(tmp_path: Path) -> None:
    made = release(EVENTS, tmp_path / "made", pool=POOL)
    manifest = json.loads((tmp_path / "made" / "manifest.json").read_text())
    assert manifest == json.loads(json.dumps(made.manifest))
    assert manifest["policy"] == {
        "name": "majority",
        "rule": "Use the grade that more than half of the assessors gave.",
        "adjudicated": "an adjudicated grade wins",
        "undecided": "lowest",
        "undecided_description": "the lowest grade given",
        "min_grades": 1,
    }
    assert {entry["kind"]: entry["count"] for entry in manifest["excluded"]} == {
        "calibration": 1,
        "distractor": 1,
        "repeat": 1,
        "withdrawn": 2,
    }
    assert manifest["counts"]["decided"] == {
        "adjudicated": 1,
        "lowest, undecided": 1,
        "majority": 1,
        "not judgeable": 1,
        "unjudged": 3,
    }
    [pool] = manifest["pools"]
    assert (pool["hash"], pool["method"], pool["seed"]) == (POOL.hash, "depth", 7)
    assert manifest["rubrics_of_events"] == {"1": len(EVENTS)}
    assert {note.code for note in made.notes} >= {"undecided", "unjudged", "not-judgeable", "excluded-judgments"}


def test_the_same_events_give_the_same_bytes_in_any_order_and_place(tmp_path: Path) -> None:
    release(EVENTS, tmp_path / "a", pool=POOL)
    release([*reversed(EVENTS), EVENTS[0]], tmp_path / "far" / "b", pool=POOL)
    first, second = (
        {path.name: path.read_bytes() for path in folder.iterdir()}
        for folder in (tmp_path / "a", tmp_path / "far" / "b")
    )
    assert first == second
    release([*EVENTS, event(16, "carl", "d2", 1)], tmp_path / "c", pool=POOL)
    assert (tmp_path / "c" / "qrels.txt").read_bytes() != first["qrels.txt"]


def test_a_release_of_a_release_is_the_same(tmp_path: Path) -> None:
    release(EVENTS, tmp_path / "a", pool=POOL)
    release(tmp_path / "a" / "events.jsonl", tmp_path / "b", pool=tmp_path / "a" / "pool.jsonl")
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_without_a_pool_controls_do_not_leak_into_the_qrels(tmp_path: Path) -> None:
    release(EVENTS, tmp_path / "made")
    docs = {line.split()[2] for line in (tmp_path / "made" / "qrels.txt").read_text().splitlines()}
    assert docs == {"d1", "d2", "d3", "d4", "d5"}


def test_what_is_not_in_the_pool_is_left_out_and_counted(tmp_path: Path) -> None:
    small = Pool.of([PoolItem("q1", "d1")], method="given")
    made = release(EVENTS, tmp_path / "made", pool=small)
    assert list(made.qrels.docs) == ["d1"]
    assert {entry["kind"]: entry["count"] for entry in made.manifest["excluded"]}["not in the pool"] == 5


def test_a_changed_release_is_caught(tmp_path: Path) -> None:
    release(EVENTS, tmp_path / "made")
    assert check_release(tmp_path / "made") == []
    qrels = tmp_path / "made" / "qrels.txt"
    qrels.write_text(qrels.read_text().replace("d2 0", "d2 1"))
    (tmp_path / "made" / "more.txt").write_text("")
    (tmp_path / "made" / "unjudged.tsv").unlink()
    assert check_release(tmp_path / "made") == [
        "unjudged.tsv is missing",
        "more.txt is not in the manifest",
        "qrels.txt was changed",
    ]


def test_a_release_is_never_written_over_and_nothing_is_left_after_a_failure(tmp_path: Path) -> None:
    release(EVENTS, tmp_path / "made")
    with pytest.raises(InputError, match="expected a new or empty folder"):
        release(EVENTS, tmp_path / "made")
    with pytest.raises(InputError, match="cannot store the document id 'd 1'"):
        release([replace(EVENTS[0], doc="d 1")], tmp_path / "bad")
    assert [path.name for path in tmp_path.iterdir()] == ["made"]


def test_pseudonyms_replace_the_names_everywhere(tmp_path: Path) -> None:
    spaced = [replace(entry, assessor=entry.assessor.title() + " Doe") for entry in EVENTS]
    with pytest.raises(InputError, match="cannot contain white space"):
        release(spaced, tmp_path / "names")
    release(spaced, tmp_path / "made", pseudonyms=True)
    for path in (tmp_path / "made").iterdir():
        assert b"Doe" not in path.read_bytes()
    assert standing(under_pseudonyms(spaced)).assessors == ("A1", "A2", "A3")


def test_several_rubrics_a_strange_pool_and_comments_are_told(tmp_path: Path) -> None:
    mixed = [*EVENTS, event(20, "dora", "d2", 1, rubric="2", pool="abc", text="ann was wrong")]
    made = release(mixed, tmp_path / "made", pool=POOL)
    assert {"several-rubrics", "missing-pools", "comments"} <= {note.code for note in made.notes}


# Evaluation


def made_judgments(folder: Path) -> tuple[Path, list[Path]]:
    """Three assessors over 6 topics with a pool that is only partly judged, and two runs."""
    random = np.random.default_rng(3)
    events, items, runs = [], [], {"a": "", "b": ""}
    for topic in range(6):
        for doc in range(30):
            items.append(PoolItem(f"t{topic}", f"d{doc}"))
            for who in "xyz":
                if random.random() < 0.6:
                    grade = None if random.random() < 0.1 else float(random.integers(0, 3))
                    kind = "cannot" if grade is None else "grade"
                    events.append(JudgmentEvent(f"{who}-{topic}-{doc}", kind, who, f"t{topic}", f"d{doc}", grade))  # type: ignore[arg-type]
        for run in runs:
            for rank, doc in enumerate(random.permutation(40)[:25]):
                runs[run] += f"t{topic} Q0 d{doc} {rank} {25 - rank} {run}\n"
    write_events(events, folder / "events.jsonl")
    write_pool(Pool.of(items, method="given"), folder / "pool.jsonl")
    for name, text in runs.items():
        (folder / f"{name}.run").write_text(text)
    return folder / "events.jsonl", [folder / f"{name}.run" for name in runs]


def test_trec_eval_and_eval_say_the_same_of_a_release(tmp_path: Path) -> None:
    events, runs = made_judgments(tmp_path)
    release(events, tmp_path / "made", "median", pool=tmp_path / "pool.jsonl")
    qrels = tmp_path / "made" / "qrels.txt"
    pairs = {
        "AP": "map",
        "RR": "recip_rank",
        "Rprec": "Rprec",
        "Bpref": "bpref",
        "nDCG": "ndcg",
        "InfAP": "infAP",
        "P@10": "P_10",
    }
    scores = evaluate(qrels, runs, list(pairs)).mean()
    for run in runs:
        found = CliRunner().invoke(group, ["trec_eval", "-m", "all_trec", str(qrels), str(run)])
        printed = dict(re.findall(r"^(\S+)\s+all\s+(\S+)$", found.stdout, flags=re.M))
        for ours, theirs in pairs.items():
            assert f"{scores[run.stem][ours]:.4f}" == printed[theirs], ours


def test_trec_eval_averages_over_the_assessors_of_a_release(tmp_path: Path) -> None:
    events, runs = made_judgments(tmp_path)
    release(events, tmp_path / "made")
    by_assessor = tmp_path / "made" / "qrels_jg.txt"
    found = CliRunner().invoke(
        group, ["trec_eval", "-R", "qrels_jg", "-m", "map_avgjg", str(by_assessor), str(runs[0])]
    )
    assert found.exit_code == 0
    assert re.match(r"map_avgjg\s+all\s+0\.\d{4}", found.stdout)
    assert list(read_qrels(by_assessor).groups.labels) == ["x", "y", "z"]  # type: ignore[union-attr]


def test_the_command(tmp_path: Path) -> None:
    events, _ = made_judgments(tmp_path)
    folder = str(tmp_path / "made")
    made = CliRunner().invoke(group, ["release", str(events), "-o", folder, "--pool", str(tmp_path / "pool.jsonl")])
    assert made.exit_code == 0, made.output
    assert "policy majority: Use the grade that more than half" in made.stdout
    assert "undecided documents got the lowest grade given" in made.stderr
    assert CliRunner().invoke(group, ["release", "--check", folder]).exit_code == 0
    (tmp_path / "made" / "qrels.txt").write_text("")
    checked = CliRunner().invoke(group, ["release", "--check", folder])
    assert (checked.exit_code, checked.stdout) == (
        1,
        f"{folder}: a release\n  {folder}: qrels.txt was changed\n  1 problem\n",
    )


SCALES = [
    # grades     highest grade of the scale, or what is wrong
    (None,      2),
    ("0,1,2,3", 3),
    ("0=no,1=so,2=yes", 2),
    ("0,1",     "expected the grades 0, 1, found 2"),
    ("no,yes",  "expected VALUE or VALUE=LABEL"),
]  # fmt: skip


@pytest.mark.parametrize(("grades", "expected"), SCALES)
def test_the_scale_is_named_as_for_judge_and_agree(tmp_path: Path, grades: str | None, expected: float | str) -> None:
    qrels = tmp_path / "ann.qrels"
    qrels.write_text("q1 0 d1 2\nq1 0 d2 1\n")
    words = ["release", str(qrels), "-o", str(tmp_path / "made"), *(["--grades", grades] if grades else [])]
    made = CliRunner().invoke(group, words)
    if isinstance(expected, str):
        assert expected in str(made.exception)
    else:
        assert made.stdout.startswith(
            f"{tmp_path / 'made'}: 2 of 2 documents graded, 1 topic, 2 judgments by 1 assessor\n"
        )
        manifest = json.loads((tmp_path / "made" / "manifest.json").read_text())
        assert manifest["counts"]["scale"] == expected


def test_a_plain_list_of_documents_is_a_pool(tmp_path: Path) -> None:
    (tmp_path / "pool.txt").write_text("q1 d1\nq1 d9\n")
    made = release(EVENTS[:3], tmp_path / "made", pool=tmp_path / "pool.txt")
    assert dict(zip(made.qrels.docs, made.qrels.grade.tolist(), strict=True)) == {"d1": 2, "d9": -1}


def test_a_release_of_a_sample_keeps_strata_and_inclusion(tmp_path: Path) -> None:
    drawn = [PoolItem("q1", "d1", "1-1"), PoolItem("q1", "d2", "2-3", 0.5)]
    pool = Pool.of(drawn, method="stratified", unsampled=[PoolItem("q1", "d3", "2-3", 0.5)])
    said = [JudgmentEvent(f"e{n}", "grade", "ann", "q1", f"d{n}", float(n - 1)) for n in (1, 2)]
    write_release(said, tmp_path / "r", pools=[pool])
    sampling = read_qrels(tmp_path / "r" / "qrels_sampled.jsonl").sampling
    assert sampling is not None
    assert sampling.inclusion.tolist() == [1.0, 0.5, 0.5]
    assert check_release(tmp_path / "r") == []
    write_release(said, tmp_path / "plain", pools=[Pool.of([PoolItem("q1", f"d{n}") for n in (1, 2)], method="depth")])
    assert not (tmp_path / "plain" / "qrels_sampled.jsonl").exists()
