"""What the search page's form says. All state is in its fields, so the server remembers nothing and a page can be kept.

q, model, feedback, k          what to search for, and how; own_model and own_feedback are written out and win
asked, round                   the query that the marks belong to, and how often it was searched for
was …                          the results of the page before, in their order
doc …, m1, m2, …               documents that can be marked, and the mark of each: yes, no or nothing
topic                          what the query is called in qrels
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from germane.errors import GermaneError

MOST_RESULTS = 50
MOST_ADDRESS_CHARACTERS = 6000
"""A longer address may be too much for something on the way; then the form is sent in a request's body."""
MARKS = {"yes": True, "no": False}


@dataclass(frozen=True)
class Form:
    """The fields as they were typed; a page shows them again whatever is wrong with them."""

    query: str = ""
    model: str = "BM25"
    feedback: str = "rocchio"
    size: str = "10"
    asked: str = ""
    round: int = 0
    was: tuple[str, ...] = ()
    marks: dict[str, bool] = field(default_factory=dict)
    topic: str = "1"

    @classmethod
    def read(cls, pairs: Sequence[tuple[str, str]], usual: Form) -> Form:
        """From a request's fields; `usual` has what goes for those that are missing."""
        fields = dict(pairs)
        docs = [value for name, value in pairs if name == "doc"]
        marks = [(doc, fields.get(f"m{place}", "")) for place, doc in enumerate(docs, start=1)]
        return cls(
            query=fields.get("q", usual.query).strip(),
            model=fields.get("own_model", "").strip() or fields.get("model", usual.model),
            feedback=fields.get("own_feedback", "").strip() or fields.get("feedback", usual.feedback),
            size=fields.get("k", usual.size),
            asked=fields.get("asked", ""),
            round=_number(fields.get("round", "")),
            was=tuple(value for name, value in pairs if name == "was"),
            marks={doc: MARKS[mark] for doc, mark in marks if mark in MARKS},
            topic=fields.get("topic", usual.topic).strip(),
        )

    @property
    def is_new_query(self) -> bool:
        """Whether the marks belong to another query than the one that is asked."""
        return self.query != self.asked

    @property
    def num_results(self) -> int:
        """How many results to show."""
        if not self.size.isdecimal() or len(self.size) > 6 or not 1 <= int(self.size) <= MOST_RESULTS:
            raise GermaneError(f"expected 1 to {MOST_RESULTS} results, found {self.size!r}")
        return int(self.size)

    @property
    def address(self) -> str:
        """The address of the page before this one: the same form with the query that its marks belong to."""
        pairs = [
            ("q", self.asked), ("model", self.model), ("feedback", self.feedback), ("k", self.size),
            ("asked", self.asked), ("round", str(self.round)), ("topic", self.topic),
        ]  # fmt: skip
        pairs += [("was", doc) for doc in self.was]
        for place, (doc, good) in enumerate(self.marks.items(), start=1):
            pairs += [("doc", doc), (f"m{place}", "yes" if good else "no")]
        return "./?" + urlencode(pairs)


def _number(text: str) -> int:
    """A number that a page of ours put there; an address that somebody wrote by hand may have anything."""
    return int(text) if text.isdecimal() and len(text) < 7 else 0
