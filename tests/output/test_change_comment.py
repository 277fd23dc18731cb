"""The comment on what changed: as it looks, the numbers in it, its length, and what names cannot do to it."""

import html
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from germane.api.comparisons.changes import changes_by_query
from germane.api.comparisons.comparison import compare
from germane.api.rankings.evaluation import evaluate
from germane.cli import group
from germane.formats.truth.pool_file import read_pool
from germane.output.rendering.markdown_text import code, fenced, html_code, plain
from germane.output.texts.change_comment import LONGEST, MARK, Room, change_comment

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\nq2 0 d3 2\nq3 0 d4 1\n"
OLD = "q1 Q0 d2 1 3 t\nq1 Q0 d1 2 2 t\nq1 Q0 d9 3 1 t\nq2 Q0 d3 1 2 t\nq2 Q0 d1 2 1 t\nq3 Q0 d4 1 1 t\n"
NEW = "q1 Q0 d1 1 3 t\nq1 Q0 d9 2 2 t\nq1 Q0 d2 3 1 t\nq2 Q0 d8 1 3 t\nq2 Q0 d3 2 2 t\nq2 Q0 d1 3 1 t\nq3 Q0 d4 1 1 t\n"
QUESTIONS = "q1\twash a *wool* jumper\nq2\treturn within 30 days\nq3\tgift card\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in {"qrels.txt": QRELS, "old.run": OLD, "new.run": NEW, "topics.tsv": QUESTIONS}.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(*options: str) -> str:
    result = CliRunner().invoke(group, ["compare", "qrels.txt", "old.run", "new.run", "--comment", "c.md", *options])
    assert not isinstance(result.exception, Exception), result.exception  # a gate that fails is a SystemExit
    return Path("c.md").read_text()


GOLDEN = """\
<!-- germane compare -->

**Failed** (`new` against `old`, 3 queries): `RR@2` +0.00 (-1.24 to +1.24), limit -0.5 missed: the lower end is below it.

| measure | mean before | mean after | difference | 95% t interval | limit           | adjusted p | wins | ties | losses |
| ------- | ----------: | ---------: | ---------: | -------------- | --------------- | ---------: | ---: | ---: | -----: |
| `RR@2`  |        0.83 |       0.83 |      +0.00 | -1.24 to +1.24 | -0.5 **missed** |       1.00 |    1 |    1 |      1 |

p of one test (1 pair of systems × 1 measure).

### Changes by query

By `RR@2`, 1 query got worse, 1 got better, 1 did not change.

**Largest losses**

<details><summary><code>q2</code> return within 30 days: 1.00 → 0.50 (-0.50)</summary>

| document | grade    | rank before      | rank after |
| -------- | -------- | ---------------- | ---------: |
| `d3`     | 2        | 1                |          2 |
| `d8`     | unjudged | not in the top 2 |          1 |
| `d1`     | 1        | 2                |          3 |

</details>

**Largest gains**

<details><summary><code>q1</code> wash a &#42;wool&#42; jumper: 0.50 → 1.00 (+0.50)</summary>

| document | grade    | rank before      | rank after       |
| -------- | -------- | ---------------- | ---------------- |
| `d2`     | 0        | 1                | not in the top 2 |
| `d1`     | 1        | 2                | 1                |
| `d9`     | unjudged | not in the top 2 | 2                |

</details>

### Judge these first

2 unjudged documents entered the top 2. Unjudged documents count as non-relevant, so they may hide a gain.

<details><summary>Documents to judge</summary>

Save the lines as `new.pool`, then `germane judge new.pool --documents DOCUMENTS --query-texts TOPICS --store YOUR.judging.db`.

```
q2 d8
q1 d9
```

</details>

<details><summary>3 notes</summary>

- new: 40.0% unjudged in the top 2 (counted as non-relevant)
- p-value of one test (1 pair of systems × 1 measure), α = 0.05
- detectable: smallest true difference found with 80% power (t-test, α = 0.05)

</details>

<details><summary>How to reproduce these numbers</summary>

```sh
germane compare qrels.txt old.run new.run --comment c.md --fail-under RR@2=-.5 --query-texts topics.tsv --digits 2
```

</details>
"""  # noqa: E501, RUF100 - as it is written


@pytest.mark.usefixtures("folder")
def test_a_comment_as_it_looks() -> None:
    assert written("--fail-under", "RR@2=-.5", "--query-texts", "topics.tsv", "--digits", "2") == GOLDEN


def test_tables_are_tables_inside_of_what_is_folded() -> None:
    rendered = MarkdownIt("commonmark", {"html": True}).enable("table").render(GOLDEN)
    folded = re.findall(r"<details>(.*?)</details>", rendered, re.S)
    assert [part.count("<table>") for part in folded] == [1, 1, 0, 0, 0]
    assert rendered.count("<table>") == 3
    assert "<strong>missed</strong>" in rendered


@pytest.mark.usefixtures("folder")
def test_questions_of_other_queries_are_refused() -> None:
    Path("others.tsv").write_text("x1\tsomething else\n")
    arguments = ["compare", "qrels.txt", "old.run", "new.run", "--comment", "c.md", "--query-texts", "others.tsv"]
    assert "query texts have x1, judgments have q1, q2, q3" in str(CliRunner().invoke(group, arguments).exception)
    assert not Path("c.md").exists()


def test_where_a_ranking_is_short_all_that_is_missing_was_not_retrieved(folder: Path) -> None:
    """q1 has three documents before and none after: a grade of 0 makes no difference to that."""
    (folder / "new.run").write_text("".join(line for line in NEW.splitlines(keepends=True) if "q1" not in line))
    comment = written("-m", "RR@3")
    lost = comment[comment.index("<code>q1</code>") :].partition("</details>")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lost.splitlines() if line.startswith("| `")]
    assert rows == [
        ["`d2`", "0", "1", "not retrieved"],
        ["`d1`", "1", "2", "not retrieved"],
        ["`d9`", "unjudged", "3", "not retrieved"],
    ]


def test_a_query_shows_what_took_the_place_of_a_relevant_document(folder: Path) -> None:
    (folder / "new.run").write_text(OLD.replace("q1 Q0 d2 1 3 t", "q1 Q0 d2 1 1.5 t"))  # d1 passes d2; d9 stays
    comment = written("-m", "RR@3")
    gained = comment[comment.index("<code>q1</code>") :].partition("</details>")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in gained.splitlines() if line.startswith("| `")]
    assert rows == [["`d2`", "0", "1", "2"], ["`d1`", "1", "2", "1"]]


NOT_ANSWERED = [
    # queries left  the line below the verdict
    ("q1 q2 q3",    ""),
    ("q1 q2",  "**Missing queries:** `new`: 1 judged query missing from the run; scored as empty rankings (`q3`)."),
    ("q3", "**Missing queries:** `new`: 2 judged queries missing from the run; scored as empty rankings (`q1`, `q2`)."),
]  # fmt: skip


@pytest.mark.parametrize(("queries", "line"), NOT_ANSWERED)
def test_topics_that_a_run_does_not_have_are_told_in_the_first_lines(folder: Path, queries: str, line: str) -> None:
    kept = [row for row in NEW.splitlines(keepends=True) if row.split()[0] in queries.split()]
    (folder / "new.run").write_text("".join(kept))
    comment = written("-m", "RR@2")
    told = [each for each in comment.splitlines()[:5] if each.startswith("**Missing queries")]
    assert told == ([line] if line else [])
    noted = [f"- {plain(each, 400)}" for each in re.findall(r"Missing queries:\*\* (.*)\.", line.replace("`", ""))]
    assert [each for each in comment.splitlines() if "missing from the run" in each and each.startswith("- ")] == noted


def test_of_many_topics_and_many_runs_the_first_are_named() -> None:
    qrels = {f"q{q}": {"d": 1} for q in range(10, 30)}
    full = {query: {"d": 1.0} for query in qrels}
    runs = {"base": full, **{f"half{s}": {q: full[q] for q in list(full)[: 9 + s]} for s in range(8)}}
    comparison = compare(evaluate(qrels, runs, "RR"), baseline="base")
    changes = changes_by_query(comparison)
    line = change_comment(comparison, changes, {}, command="germane compare").splitlines()[4]
    first = "`half0`: 11 judged queries missing from the run; scored as empty rankings"
    assert line.startswith(f"**Missing queries:** {first} (`q19`, `q20`, `q21`, `q22`, `q23`, …); ")
    assert line.endswith("; and 3 more runs.")


def test_where_there_is_no_room_relevant_documents_are_shown_first(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("germane.output.texts.change_comment.ROOMS", [Room(5, 60, 10, 1, 100)])
    (folder / "new.run").write_text(OLD.replace("q1 Q0 d2 1 3 t", "q1 Q0 d2 1 1.5 t"))
    comment = written("-m", "RR@3")
    assert re.findall(r"^\| `(d\d)`", comment, re.M) == ["d1"]
    assert "(1 more document omitted.)" in comment


def test_what_is_to_be_judged_is_a_pool(folder: Path) -> None:
    listed = re.search(r"^```\n(.*?)^```$", GOLDEN, re.M | re.S)
    assert listed is not None
    (folder / "new.pool").write_text(listed[1])
    assert [(item.topic, item.doc) for item in read_pool(folder / "new.pool").items] == [("q1", "d9"), ("q2", "d8")]


VERDICTS = [
    # options                      begins with
    (["--fail-under", "RR@2=-2"],  "**Passed** (`new` against `old`, 3 queries): `RR@2` +0.0000"),
    (["--fail-under", "RR@2=-1"],  "**Failed** (`new` against `old`, 3 queries): `RR@2` +0.0000"),
    (["-m", "AP"],                 "**No clear change** (`new` against `old`, 3 queries): `AP` +0.0278"),
]  # fmt: skip


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("options", "verdict"), VERDICTS)
def test_the_verdict_is_one_line(options: list[str], verdict: str) -> None:
    assert written(*options).splitlines()[2].startswith(verdict)


CLEAR = [
    # base, new          measures  word
    (("good", "bad"),    "AP",     "Worse"),
    (("bad", "good"),    "AP",     "Better"),
    (("bad", "good"),    "E@1",    "Better"),
    (("bad", "good"),    "AP P@9", "Better"),
    (("bad", "good"),    "AP E",   "Better"),
    (("bad", "late"),    "P@1 R",  "Better and worse"),
]  # fmt: skip


@pytest.mark.parametrize(("pair", "measures", "word"), CLEAR)
def test_a_clear_change_is_called_what_it_is(pair: tuple[str, str], measures: str, word: str) -> None:
    queries = [f"q{i}" for i in range(20)]
    qrels = {query: {"d": 1, "e": 1} for query in queries}
    rankings = {"good": "d e", "bad": "x d e", "late": "d"}
    runs = {name: {query: {doc: -float(i) for i, doc in enumerate(rankings[name].split())} for query in queries}
            for name in pair}  # fmt: skip
    runs[pair[1]]["q0"] = {"x": 2.0, "y": 1.0}  # so that differences vary
    comparison = compare(evaluate(qrels, runs, measures.split()))
    text = change_comment(comparison, changes_by_query(comparison), {}, command="germane compare")
    assert text.splitlines()[2].startswith(f"**{word}** (`{pair[1]}` against `{pair[0]}`, 20 queries): ")


@pytest.mark.usefixtures("folder")
def test_of_several_systems_those_that_failed_come_first() -> None:
    Path("same.run").write_text(OLD)
    text = written("same.run", "--baseline", "old", "--fail-under", "RR@2=-.5")
    assert text.splitlines()[2].startswith("**Failed** (2 systems against `old`, 3 queries): `new` `RR@2` +0.0000")
    again = ["compare", "qrels.txt", "old.run", "same.run", "new.run", "--comment", "c.md", "--fail-under", "RR@2=-.5"]
    CliRunner().invoke(group, [*again, "--baseline", "old"])
    for comment in (text, Path("c.md").read_text()):
        assert re.findall(r"^### Changes .*", comment, re.M) == [
            "### Changes by query of `new`", "### Changes by query of `same`",
        ]  # fmt: skip


@pytest.mark.usefixtures("folder")
def test_the_command_in_the_comment_writes_the_same_comment() -> None:
    first = written("-m", "AP RR@2", "--fail-under", "RR@2=-2")
    again = re.search(r"```sh\n(.*)\n```", first)
    assert again is not None
    Path("c.md").unlink()
    CliRunner().invoke(group, shlex.split(again[1])[1:])
    assert Path("c.md").read_text() == first


def numbers_of(text: str) -> list[list[str]]:
    """The table of measures: means, difference, ends, p, wins, ties, losses."""
    lines = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| `") and " to " in line]
    cells = [[cell.strip() for cell in line] for line in lines]
    return [[*row[1:4], *row[4].split(" to "), *row[-4:]] for row in cells]


def differs_from_json(text: str, answer: dict[str, Any]) -> bool:
    expected = [
        [*(f"{pair[key]:.4f}" for key in ("mean_a", "mean_b")),
         *(f"{x + 0.0:+.4f}" for x in (pair["difference"], *pair["interval"])),
         f"{pair['p_adjusted']:.4f}", *(str(pair[key]) for key in ("wins", "ties", "losses"))]
        for pair in answer["pairs"]
    ]  # fmt: skip
    return numbers_of(text) != expected


@pytest.mark.usefixtures("folder")
def test_the_numbers_are_those_of_the_json() -> None:
    options = ["-m", "AP nDCG@2 E@2 RR@2"]
    text = written(*options)
    answer = json.loads(
        CliRunner().invoke(group, ["compare", "qrels.txt", "old.run", "new.run", *options, "--format", "json"]).stdout
    )
    assert len(numbers_of(text)) == 4
    assert not differs_from_json(text, answer)
    answer["pairs"][1]["p_adjusted"] += 0.0002
    assert differs_from_json(text, answer), "the law must see a digit that differs"


def big(name: str, queries: int, documents: int, systems: int) -> str:
    qrels = {f"{name}{q}": {f"{name}{d}": 1 for d in range(3)} for q in range(queries)}
    forwards = {query: {f"{name}{d}": float(d) for d in range(documents)} for query in qrels}
    backwards = {query: {f"{name}{d}": float(q - d) for d in range(documents)} for q, query in enumerate(qrels)}
    runs = {"base": forwards, **{f"{s}{name}": backwards for s in range(systems)}}
    comparison = compare(evaluate(qrels, runs, ["AP", "P@5"]), baseline="base")
    changes = changes_by_query(comparison)
    return change_comment(comparison, changes, {"AP": -0.1}, command="germane " + "x" * 9_000)


LEFT_OUT = [
    # name               queries, documents, systems  what is said of it
    ("d",                (30, 40, 1),                 ["Largest gains, first 10 of 30", "(first 100 of 210)"]),
    ("|" * 99,           (30, 40, 2),                 ["Largest gains, first 3 of 30", "15 more documents omitted"]),
    ("d",                (3, 9, 40),                  ["(20 more lines omitted.)", "for 35 of 40 systems"]),
    ("\U0010fffd" * 70,  (9, 9, 40),                  ["(60 more lines omitted.)", "for 39 of 40 systems"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "size", "said"), LEFT_OUT, ids=["short", "escaped", "many", "hostile"])
def test_it_stays_within_what_github_takes_and_says_what_it_left_out(
    name: str, size: tuple[int, int, int], said: list[str]
) -> None:
    text = big(name, *size)
    assert len(text) <= LONGEST
    assert text.startswith(MARK)
    assert [words for words in said if words not in text] == []
    assert text.count("<details>") == text.count("</details>")


def test_where_nothing_else_fits_there_is_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("germane.output.texts.change_comment.LONGEST", 500)
    mark, verdict, rest = big("d", 9, 9, 1).strip().split("\n\n")
    assert (mark, rest) == (MARK, "The rest is too long for a comment and was omitted.")
    assert verdict.startswith("**Passed** (`0d` against `base`, 9 queries): `AP` +")


names = st.text(st.characters(), min_size=1, max_size=30)


def text_of(rendered: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", rendered))


@given(names)
@example("@ann")
@example("**bold** _it_ [a](b) <b>x</b> & &amp; `x` | #12 !3 ~l $s ![](x)")
@example("www.example.org http://example.org a@b.org :smile: %v1")
@example("a\nb\udcff\u202e")
@example("\\|")
def test_a_name_is_read_as_itself(name: str) -> None:
    """In a cell of a table, in running text and in a summary: one cell, no markup, no link, the same characters."""
    seen = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in name)
    page = f"| a | b |\n| --- | --- |\n| {code(name, 99)} | x {plain(name, 99)} x |\n"
    rendered = MarkdownIt("commonmark").enable("table").render(page)
    cells = re.findall(r"<td>(.*?)</td>", rendered, re.S)
    assert [text_of(cell) for cell in cells] == [seen, f"x {seen} x".strip()]
    assert set(re.findall(r"<(\w+)", "".join(cells))) <= {"code"}
    assert html.unescape(re.sub("</?code>", "", html_code(name, 99))) == seen
    written_out = plain(name, 99)
    assert "@" not in written_out
    assert "://" not in written_out
    written_out.encode()


def test_the_law_catches_a_name_that_is_not_escaped() -> None:
    rendered = MarkdownIt("commonmark").enable("table").render("| a |\n| --- |\n| *bold* |\n")
    assert "<em>" in rendered


@pytest.mark.parametrize("text", ["a", "```", "a\n````\nb", "`"])
def test_a_fence_is_longer_than_what_it_holds(text: str) -> None:
    [block] = [token for token in MarkdownIt().parse(fenced(text)) if token.type == "fence"]
    assert block.content == f"{text}\n"
