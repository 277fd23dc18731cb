"""The interactive loop of `germane agent search`: queries, results, and feedback, which is saved immediately."""

from __future__ import annotations

from dataclasses import replace

from germane.api.learning.agent import Agent
from germane.cli.loops.conversation import Conversation, ranks_in, size_in
from germane.errors import GermaneError
from germane.learning.agent.answers import Answer
from germane.output.rendering.terminal import printable
from germane.tables.notes.counts import counted

HELP = """\
Type a query. Then:
  + 1 3        mark results as relevant          (Enter)       search again with this feedback
  - 2          mark a result as non-relevant     :ask          show the document to judge next
  :k 20        show 20 results; :k alone: as many as the costs justify
  :show        describe the agent                :help, :quit
"""


class AgentLoop(Conversation):
    """A session of one person with an agent."""

    prompt = "agent> "

    def __init__(self, agent: Agent, path: str, size: int | None, *, coloured: bool = False) -> None:
        self.agent = agent
        self.path = path
        self.size = size
        self.coloured = coloured
        self.last: Answer | None = None
        self.asked: str | None = None
        """Document that the agent asked about last."""
        self.commands = {
            "ask": lambda _: self._ask(),
            "k": self._resize,
            "show": lambda _: self.as_typed(replace(self.agent.describe(), notes=())),
            "help": lambda _: HELP,
        }

    def answer(self, line: str) -> str:
        if not line:
            return HELP if self.last is None else self._search(self.last.query)
        if line[0] in "+-":
            return self._mark(line[1:], relevant=line[0] == "+")
        return self._search(line)

    def _search(self, text: str) -> str:
        self.last = self.agent.search(text, self.size)
        self.asked = None
        return self.as_typed(replace(self.last, notes=self.last.notes[len(self.agent.notes) :]))

    def _mark(self, text: str, *, relevant: bool) -> str:
        """Mark results by rank, or the document asked about; the agent learns and is saved."""
        answer = self._current()
        hint = "after :ask, type + or - alone"
        ranks = [] if self.asked is not None and not text.strip() else ranks_in(text, "+ 1 3", hint=hint)
        lines = {line.rank: line.doc for line in answer.results}
        missing = [rank for rank in ranks if rank not in lines]
        if missing:
            raise GermaneError(f"expected ranks from 1 to {len(lines)}, found {missing[0]}")
        docs = [lines[rank] for rank in ranks] or [str(self.asked)]
        lesson = self.agent.learn(answer.query, dict.fromkeys(docs, relevant))
        own = len(self.agent.state.judgments)
        self.agent.save(self.path)
        named = ", ".join(map(printable, docs))
        grade = "relevant" if relevant else "non-relevant"
        others = len(self.agent.state.judgments) - own
        merged = f"merged {counted(others, 'judgment')} that another process saved\n" if others else ""
        relevant_so_far = sum(self.agent.state.marks[answer.query].values())
        return (
            f"{named}: {grade}; {lesson.num_new} new, {relevant_so_far} relevant so far; Enter searches again\n{merged}"
        )

    def _ask(self) -> str:
        question = self.agent.ask(self._current().query)
        self.asked = question.doc
        number = self.agent.index.doc_number(question.doc)
        stored = None if number is None else self.agent.index.stored(number)
        text = "" if stored is None else " ".join(f"{stored.title} {stored.text}".split())[:500]
        return printable(f"{question}\n{text}\n+ if relevant, - if not\n")

    def _resize(self, text: str) -> str:
        self.size = size_in(text) if text else None
        return f"{self.size or 'as many as the costs justify'}; Enter searches again\n"

    def _current(self) -> Answer:
        if self.last is None:
            raise GermaneError("no query yet", hint="type a query first")
        return self.last
