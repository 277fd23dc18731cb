"""What else people give: exercise sheets and answers, names of students, the search form, files of any kind."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qsl

from germane.api.files.file_types import recognise
from germane.exercises.answers import parse_answer, read_answers
from germane.exercises.mistakes import check_files
from germane.exercises.sheet import read_students, sheet_in, sheets_for
from germane.web.search.pages import Form
from tests.fuzz.readers import READERS, Reader, TypedText, add

ENDINGS = "recognised"


def sheets() -> Iterator[bytes]:
    sheet = sheets_for(["AP"], 1, ["ann"])[0]
    yield f"# A sheet\n\n{sheet.recipe}\n\n1. How much?\n\nAnswer 1: 0.5\n".encode()


def searched(text: str) -> object:
    sent = text.encode("utf-8", "replace").decode()  # as a server hands it on
    form = Form.read(parse_qsl(sent, keep_blank_values=True), Form())
    return form, form.num_results, form.address


def every_kind() -> Iterator[bytes]:
    """The first good file of every other reader of files."""
    for reader in list(READERS.values()):
        if not isinstance(reader, TypedText) and reader.name != ENDINGS and reader.good:
            yield reader.good[0]


add(
    Reader(
        "exercise_sheet", lambda path: check_files([str(path)]), sheets, "sheet.md", (check_files, sheet_in), share=0.3
    )
)
add(
    Reader(
        "exercise_answers",
        lambda path: read_answers(path.read_bytes().decode("utf-8", "replace"), str(path)),
        lambda: [b"1 0.5\n2 3/4\n", b"student,1,2\nann,0.5,3\nbob,1/3,\n"],
        "answers.txt",
        (read_answers,),
        share=0.3,
    )
)
add(Reader("students", read_students, lambda: [b"ann\nbob\n"], "students.txt", (read_students,), share=0.2))
add(Reader(ENDINGS, recognise, every_kind, "file", (recognise,), json=True))
add(
    TypedText(
        "typed_answer", parse_answer, lambda: [b"0.5", b"3/4", b"1,5", b"(0.5 + 0.4) / 2"], covers=(parse_answer,),
        names_source=False, share=0.3,
    )
)  # fmt: skip
add(
    TypedText(
        "typed_search_form",
        searched,
        lambda: [b"q=red+wine&model=BM25&k=10&doc=d1&m1=yes&asked=wine&round=1", b"q=&own_model=QL&topic=2&was=d1"],
        covers=(Form.read,),
        names_source=False,
        share=0.3,
    )
)
