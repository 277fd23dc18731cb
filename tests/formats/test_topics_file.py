"""Topics, in the forms in which people have them."""

from pathlib import Path

import pytest

from germane.errors import InputError
from germane.formats.truth.topics_file import Topic, read_topics

TOPICS = [
    (
        "<top>\n<num> Number: 301\n<title> Organized Crime\n\n<desc> Description:\nWhich &amp; where?\n\n"
        "<narr> Narrative:\nA relevant document\nsays so.\n</top>\n<top><num>302</num><title>Polio</title></top>",
        "TREC's, with and without closing tags",
    ),
    (
        '<topics><topic number="301"><query>Organized Crime</query><question>Which &amp; where?</question>'
        '<narrative>A relevant document says so.</narrative></topic>\n<topic number="302"><query>Polio</query></topic>',
        "TREC's newer XML",
    ),
    ("301\tOrganized Crime\tWhich & where?\tA relevant document says so.\n302\tPolio\n", "TSV"),
    (
        "id\ttitle\n301\tOrganized Crime\tWhich & where?\tA relevant document says so.\n302\tPolio\n",
        "TSV with a header",
    ),
    (
        'narrative,id,Title,description\n"A relevant document says so.",301,Organized Crime,Which & where?\n'
        ",302,Polio,\n",
        "CSV, its columns in any order",
    ),
    (
        '{"_id": "301", "title": "Organized Crime", "description": "Which & where?", '
        '"narrative": "A relevant document says so."}\n{"qid": 302, "text": "Polio"}',
        "JSON lines",
    ),
    (
        ".I 301\n.T\nOrganized Crime\n.W\nWhich &\nwhere?\n.N\nleft out\n.I 302\n.W\nPolio\n",
        "SMART's, which has no narrative",
    ),
]


@pytest.mark.parametrize(("content", "why"), TOPICS)
def test_topics(tmp_path: Path, content: str, why: str) -> None:
    (tmp_path / "topics").write_text(content)
    narrative = "A relevant document says so." if "relevant" in content else ""
    assert list(read_topics(tmp_path / "topics").values()) == [
        Topic("301", "Organized Crime", "Which & where?", narrative),
        Topic("302", "Polio"),
    ], why


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1\ta\n1\tb", "2: duplicate topic '1'"),
        ("1 a", "1: expected 2 to 4 tab-separated fields"),
        ("<top><title>x</top>", "1: expected <num> in the topic, found none"),
        ('{"title": "x"}', "1: expected a topic id, found none\nHint: write the id in one of the fields _id, id"),
        ("id,title\n,x", "2: expected a topic id, found none"),
        ("id,title\n1,x,y", "2: expected 2 fields, as in the header, found 3"),
        ("id,title,title\n1,x,y", "1: duplicate column 'title'"),
        ('id,title\n1,"x', "2: invalid CSV"),
        ("id,title\n1,x\n1,y", "3: duplicate topic '1'"),
        ("", "expected topics, found none"),
        ("<html>", "expected topics, found none"),
        ("<top><num>1<title>x</top>\n<top><num>2<title>y", "2: expected a closing tag"),
        ("\n<top><num>1<title>x\n<top><num>2<title>y</top>", "2: expected a closing tag"),
        (".I 1\n.W\nx\n.I\n.W\ny", "4: expected a topic number after .I, found none"),
        (".I 1\n.W\nx\n.I 1\n.W\ny", "4: duplicate topic '1'"),
    ],
)
def test_topics_that_cannot_be_read(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "topics").write_text(content)
    with pytest.raises(InputError, match=message):
        read_topics(tmp_path / "topics")


CALLED_CSV = [
    # content                message
    (
        "1,red wine\n",
        r"1: expected a header with a column for the id \(_id, id.*found 1, red wine\nHint: .*such as id,title",
    ),
    (
        "query,count\nwine,3\n",
        r"1: expected a header with a column for the id .*\nHint: to sample .*`germane topics sample LOG",
    ),
    ("id,note\n1,x\n", r"1: expected a header with a column for the title \(title, text, query\), found id, note"),
    ("", "expected topics, found none"),
]


@pytest.mark.parametrize(("content", "message"), CALLED_CSV)
def test_what_is_called_csv_and_has_no_such_header(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "topics.csv").write_text(content)
    with pytest.raises(InputError, match=message):
        read_topics(tmp_path / "topics.csv")


def test_tabs_are_tabs_whatever_the_name(tmp_path: Path) -> None:
    (tmp_path / "topics.csv").write_text("1\tid,title\n")
    assert read_topics(tmp_path / "topics.csv") == {"1": Topic("1", "id,title")}


@pytest.mark.shared
def test_the_topics_of_cacm(shared: Path) -> None:
    topics = read_topics(shared / "data" / "cacm" / "topics.cacm.txt")
    assert len(topics) == 64
    assert topics["3"].title == "Intermediate languages used in construction of multi-targeted compilers; TCOLL"


def test_numbers_by_position(tmp_path: Path) -> None:
    (tmp_path / "topics").write_text("7\ta\n7\tb\n")
    assert [topic.title for topic in read_topics(tmp_path / "topics", numbers="position").values()] == ["a", "b"]
    assert list(read_topics(tmp_path / "topics", numbers="position")) == ["1", "2"]


def test_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "topics").write_bytes(b"1\tx\n2\tcaf\xe9\n")
    assert read_topics(tmp_path / "topics", encoding="latin-1")["2"].title == "café"
    with pytest.raises(InputError, match=r"topics:2: expected UTF-8, found byte 0xe9 at offset 9"):
        read_topics(tmp_path / "topics")


@pytest.mark.shared
def test_the_judged_topics_of_cacm(shared: Path) -> None:
    topics = read_topics(shared / "data" / "cacm" / "topics.cacm.txt")
    judged = {line.split()[0] for line in (shared / "data" / "cacm" / "qrels.cacm.txt").read_text().splitlines()}
    assert len(judged & set(topics)) == 52


@pytest.mark.shared
def test_the_questions_of_cranfield(shared: Path) -> None:
    place = shared / "data" / "cranfield"
    topics = read_topics(place / "cran.qry", numbers="position")
    assert list(topics) == [str(number) for number in range(1, 226)]
    assert list(read_topics(place / "cran.qry"))[:3] == ["001", "002", "004"]
    judged = {line.split()[0] for line in (place / "cranqrel").read_text().splitlines() if line.strip()}
    assert judged == set(topics)


def test_a_header_of_tabs_says_which_column_is_what(tmp_path: Path) -> None:
    path = tmp_path / "topics.tsv"
    path.write_text("id\tdescription\ttitle\n1\tFind wines.\tWine\n")
    assert read_topics(path)["1"] == Topic("1", "Wine", "Find wines.")
    path.write_text("id\tdescription\n1\tFind wines.\n")
    with pytest.raises(InputError, match="expected a title column"):
        read_topics(path)
