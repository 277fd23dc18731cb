"""The interactive loop of `germane search`: queries, marks, and rounds of relevance feedback."""

from __future__ import annotations

import shlex
import textwrap
from collections import Counter
from collections.abc import Iterable

from germane.cli.loops.conversation import WIDEST, Conversation, one_number, ranks_in, size_in
from germane.errors import GermaneError
from germane.formats.files.targets import require_new
from germane.formats.rankings.ranking_files import write_qrels
from germane.output.rendering.terminal import printable
from germane.retrieval.engines.rankers import Boolean
from germane.retrieval.feedback import FEEDBACK
from germane.retrieval.rounds import NO_TEXTS, SHOWN_TERMS, Round, asked_model
from germane.retrieval.session import Session
from germane.retrieval.texts.analysis import Analyser
from germane.tables.notes.counts import counted
from germane.tables.rankings.qrels import Qrels

HELP = """\
Type a query. Then:
  + 1 3        mark results as relevant          ? 1           unmark a result
  - 2          mark a result as non-relevant     (Enter)       search again with these marks
  :why 3       explain a result's score          :show 3       read the document
  :terms       list the terms of the query       :steps        show the steps of an iterated estimate
  :marks       list the marks                    :unmark ID    unmark any document
  :model NAME  rank with another model           :feedback M   use another feedback method
  :k 20        show 20 results                   :save FILE    save all marks as qrels; :save FILE t3 saves
                                                               this query only, with the id t3
  :help, :quit
"""
CHARACTERS_SHOWN = 10_000
MOST_WORDS = 3
"""Maximum number of words listed for a stem that is not a word itself."""


class Loop(Conversation):
    """A search session of one person."""

    def __init__(self, session: Session, *, coloured: bool = False) -> None:
        self.session = session
        self.coloured = coloured
        self.commands = {
            "why": self.why,
            "show": self.document,
            "terms": lambda _: self.terms(),
            "steps": lambda _: self.steps(),
            "marks": lambda _: self.marks(),
            "unmark": self.unmark,
            "model": self.use_model,
            "feedback": self.use_feedback,
            "k": self.use_size,
            "save": self.save,
            "help": lambda _: HELP,
        }

    @property
    def prompt(self) -> str:
        return f"round {len(self.session.rounds)}> " if self.session.rounds else "query> "

    def answer(self, line: str) -> str:
        if not line and not self.session.rounds:
            return HELP
        if not line and not self.session.marks and self.session.current.model == self.session.model:
            return "no marks yet: + 1 3 marks results as relevant, - 2 marks one as non-relevant\n"
        if not line:
            return self.shown(self.session.again())
        if line[0] in "+-?":
            return self.mark(line[0], line[1:])
        before = self.session.rounds[0].text if self.session.rounds else line
        answer = self.shown(self.session.ask(line))
        if before != line and self.session.marks_by_query[before]:
            answer = f"(marks for {before!r} are kept; search for it again to use them, or :save them)\n\n{answer}"
        return answer

    def mark(self, sign: str, text: str) -> str:
        """Mark results, and report the marks."""
        kinds: dict[str, bool | None] = {"+": True, "-": False, "?": None}
        hint = f"type ranks after {sign}; a query cannot start with it"
        ranks = list(dict.fromkeys(ranks_in(text, f"{sign} 1 3", hint=hint)))
        self.session.mark(ranks, relevant=kinds[sign])
        done = {"+": "relevant", "-": "non-relevant", "?": "unmarked"}[sign]
        named = ", ".join(printable(self.session.result(rank).doc) for rank in ranks)
        return f"{named}: {done}; {self._count()}; {self._next()}\n"

    def shown(self, found: Round) -> str:
        refined = [] if found.refined is None else [change.term for change in found.refined.terms[:SHOWN_TERMS]]
        stems = legend(refined, self.session)
        return self.as_typed(found) + (f"\n{stems}" if stems else "")

    def why(self, text: str) -> str:
        first, _, rest = text.partition(" ")
        explanation = self.session.why(one_number(first, ":why 3"))
        if rest not in ("", "all"):
            raise GermaneError(f"expected :why RANK or :why RANK all, found :why {text}")
        everything = len(explanation.lines) + len(explanation.unknown)
        most = everything if rest else SHOWN_TERMS
        more = f":why {first} all shows every term\n" if everything > most else ""
        stems = legend([line.term for line in explanation.lines[:most]], self.session)
        return self.as_typed(explanation, most=most) + more + stems

    def document(self, text: str) -> str:
        first, _, rest = text.partition(" ")
        if rest not in ("", "all"):
            raise GermaneError(f"expected :show RANK or :show RANK all, found :show {text}")
        stored = self.session.index.stored(self.session.result(one_number(first, ":show 3")).number)
        head = stored.id if stored.text.startswith(stored.title) else f"{stored.id}  {stored.title}"
        if not stored.text:
            return f"{printable(head)}\n{NO_TEXTS}\n"
        body = stored.text if rest else stored.text[:CHARACTERS_SHOWN]
        left = len(stored.text) - len(body)
        more = f"… {left:,} more characters: :show {first} all\n" if left else ""
        return f"{printable(head)}\n{printable(body.rstrip())}\n{more}"

    def terms(self) -> str:
        found = self.session.current
        weights = found.query.weights
        plain = "".join(f"{term}  {weight:g}\n" for term, weight in weights.items())
        terms = [change.term for change in found.refined.terms] if found.refined else list(weights)
        listed = str(found.refined) if found.refined else plain or "the query has no terms\n"
        return listed + legend(terms, self.session)

    def steps(self) -> str:
        refined = self.session.current.refined
        steps = refined.convergence() if refined else ""
        return steps or "this round has no steps: type :feedback iterated, mark results, and press Enter\n"

    def marks(self) -> str:
        lines = []
        for doc, good in self.session.marks.items():
            stored = self.session.index.stored(doc)
            lines.append(printable(f"{'+' if good else '-'} {stored.id}  {stored.title}".rstrip()) + "\n")
        return "".join(lines) or "no marks for this query\n"

    def unmark(self, text: str) -> str:
        ids = _words(text)
        if not ids:
            raise GermaneError("expected ids of marked documents, found none", hint="type :marks for a list")
        self.session.unmark(ids)
        return f"{self._count()}; {self._next()}\n"

    def use_model(self, name: str) -> str:
        self.session.model = asked_model(name)
        return f"model {self.session.model}{self._then()}\n"

    def use_feedback(self, name: str) -> str:
        self.session.method = FEEDBACK.parse(name)
        return f"feedback {self.session.method}{self._then()}\n"

    def use_size(self, text: str) -> str:
        self.session.size = size_in(text)
        return f"{counted(self.session.size, 'result')}{self._then()}\n"

    def save(self, text: str) -> str:
        words = _words(text)
        if len(words) not in (1, 2):
            hint = "type :save qrels.txt, or :save qrels.txt t3 for this query only, with the id t3"
            found = f":save {text}".strip()
            raise GermaneError(f"expected :save FILE or :save FILE ID, found {found}", hint=hint)
        path = words[0]
        require_new(path, hint="choose another name")
        judgments = self.session.judgments()
        if not judgments or (len(words) > 1 and not self.session.marks):
            raise GermaneError("no marks yet", hint="type + 1 to mark the first result as relevant")
        if len(words) > 1:
            return self._save_one(path, words[1])
        write_qrels(Qrels.from_dict(judgments), path, overwrite=False)
        queries = list(self.session.marks_by_query)
        lines = [
            f"  query {number}: {len(judgments[number])} of {queries[int(number) - 1]!r}\n" for number in judgments
        ]
        count = sum(map(len, judgments.values()))
        return f"{path}: {counted(count, 'judgment')}\n{''.join(lines)}"

    def _save_one(self, path: str, query: str) -> str:
        """Save the marks of the current query, under its id in a topic file."""
        marks = {self.session.index.doc_id(doc): int(good) for doc, good in self.session.marks.items()}
        write_qrels(Qrels.from_dict({query: marks}), path, overwrite=False)
        return f"{path}: {counted(len(marks), 'judgment')} of {query}, {self.session.rounds[0].text!r}\n"

    def _count(self) -> str:
        marks = self.session.marks
        good = sum(marks.values())
        return f"{good} relevant, {len(marks) - good} non-relevant"

    def _then(self) -> str:
        return "; Enter searches again" if self.session.rounds else ""

    def _next(self) -> str:
        if isinstance(self.session.model, Boolean):
            return "a Boolean query does not use marks; type :model BM25, then press Enter"
        return "Enter searches again"


def _words(text: str) -> list[str]:
    """Split at spaces; quotes keep a name with spaces together."""
    try:
        return shlex.split(text)
    except ValueError:
        raise GermaneError(f"expected a closing quotation mark in {text!r}") from None


def words_behind(terms: Iterable[str], texts: Iterable[str], analyser: Analyser) -> dict[str, list[str]]:
    """Return, for each stem that is not a word itself, its words in the texts, the most frequent first.

    >>> words_behind(["librari", "wine"], ["Libraries and wine", "the library", "libraries"], Analyser.parse("english"))
    {'librari': ['libraries', 'library']}
    """
    found: dict[str, Counter[str]] = {term: Counter() for term in terms}
    for text in texts:
        for start, end, term in analyser.spans(text):
            if term in found:
                found[term][text[start:end].casefold()] += 1
    return {
        term: [word for word, _ in sorted(words.items(), key=lambda one: (-one[1], one[0]))[:MOST_WORDS]]
        for term, words in found.items()
        if words and term not in words
    }


def legend(terms: Iterable[str], session: Session) -> str:
    """Return a line that explains the stems among these terms by words of the query and of the documents shown."""
    current = session.current
    docs = [*(hit.number for hit in current.results), *session.marks]
    stored = (session.index.stored(doc) for doc in dict.fromkeys(docs))
    texts = [current.text, *(f"{one.title} {one.text}" for one in stored)]
    found = words_behind(terms, texts, session.index.analyser)
    if not found:
        return ""
    listed = "; ".join(f"{term} = {', '.join(words)}" for term, words in found.items())
    return printable(textwrap.fill(f"stems: {listed}", WIDEST, break_long_words=False)) + "\n"
