"""The loop of `germane agent search`: questions, answers, and what the agent is told, which it keeps at once."""

from __future__ import annotations

import sys
from typing import TextIO

import click

from germane.api.agent import Agent
from germane.cli.search_loop import LEAVING, require_text
from germane.errors import GermaneError, did_you_mean
from germane.learning.agent import Answer
from germane.report.agent_tables import render_agent, render_answer, render_question
from germane.report.search_tables import printable
from germane.tables.counted import counted

HELP = """\
Type a query. Then:
  + 1 3        these results are relevant        (Enter)       ask again with what was said
  - 2          this one is not                   :ask          which document should be judged?
  :k 20        show so many; :k alone: as many as the costs justify
  :show        all about the agent               :help, :quit
"""


class AgentLoop:
    """One person and an agent; lines come from the keyboard or from a pipe."""

    def __init__(self, agent: Agent, path: str, size: int | None) -> None:
        self.agent = agent
        self.path = path
        self.size = size
        self.answer: Answer | None = None
        self.asked: str | None = None
        """The document that the agent asked about last."""

    def run(self, lines: TextIO) -> None:
        """Read lines until there are no more, or one says to leave; a mistake is told and nothing is lost."""
        while True:
            try:
                line = self._read(lines)
                if line is None or line in LEAVING:
                    return
                click.echo(self.reply(line), nl=False)
            except GermaneError as problem:
                click.echo(printable(str(problem)))
            except KeyboardInterrupt:
                click.echo("\nstopped; :quit leaves")

    def _read(self, lines: TextIO) -> str | None:
        click.echo("agent> ", nl=False)
        line = lines.readline()
        if not line:
            click.echo()
            return None
        if not lines.isatty() or lines is not sys.stdin:
            click.echo(printable(line.rstrip("\n")))
        return require_text(line.strip())

    def reply(self, line: str) -> str:
        """What a line is answered with."""
        if not line:
            return HELP if self.answer is None else self._search(self.answer.query)
        if line[0] in "+-":
            return self._tell(line[1:], relevant=line[0] == "+")
        if line[0] == ":":
            name, _, rest = line[1:].partition(" ")
            commands = {"ask": self._ask, "k": self._resize, "show": self._show, "help": self._help}
            if name not in commands:
                near = did_you_mean(name, commands)
                raise GermaneError(f"no command is called :{name}{near}", hint=":help lists them")
            return commands[name](rest.strip())
        return self._search(line)

    def _search(self, text: str) -> str:
        self.answer = self.agent.search(text, self.size)
        self.asked = None
        return render_answer(self.answer, self.agent, "table")

    def _tell(self, text: str, *, relevant: bool) -> str:
        """Results by rank, or the document that was asked about; the agent learns, and its file has it."""
        answer = self._current()
        try:
            ranks = [int(part) for part in text.replace(",", " ").split()]
        except ValueError:
            raise GermaneError(f"expected ranks, as in + 1 3, found {text.strip()!r}") from None
        if not ranks and self.asked is None:
            raise GermaneError("expected ranks, as in + 1 3, found none", hint="after :ask, + or - alone answers it")
        lines = {line.rank: line.doc for line in answer.results}
        missing = [rank for rank in ranks if rank not in lines]
        if missing:
            raise GermaneError(f"expected ranks from 1 to {len(lines)}, found {missing[0]}")
        docs = [lines[rank] for rank in ranks] or [str(self.asked)]
        lesson = self.agent.learn(answer.query, dict.fromkeys(docs, relevant))
        own = len(self.agent.state.judgments)
        self.agent.save(self.path)
        named = ", ".join(map(printable, docs))
        said = "relevant" if relevant else "not relevant"
        others = len(self.agent.state.judgments) - own
        merged = f"merged {counted(others, 'judgment')} that another process saved\n" if others else ""
        relevant_so_far = sum(self.agent.state.marks[answer.query].values())
        return f"{named}: {said}; {lesson.num_new} new, {relevant_so_far} relevant so far; Enter asks again\n{merged}"

    def _ask(self, _: str) -> str:
        question = self.agent.ask(self._current().query)
        self.asked = question.doc
        number = self.agent.index.doc_number(question.doc)
        stored = None if number is None else self.agent.index.stored(number)
        text = "" if stored is None else " ".join(f"{stored.title} {stored.text}".split())[:500]
        return f"{render_question(question)}\n{printable(text)}\n+ says yes, - says no\n"

    def _resize(self, text: str) -> str:
        if text and (not text.isdigit() or int(text) < 1):
            raise GermaneError(f"expected one number, as in :k 20, found {text!r}")
        self.size = int(text) if text else None
        return f"{self.size or 'as many as the costs justify'}; Enter asks again\n"

    def _show(self, _: str) -> str:
        return render_agent(self.agent.state, "table")

    def _help(self, _: str) -> str:
        return HELP

    def _current(self) -> Answer:
        if self.answer is None:
            raise GermaneError("nothing was asked yet", hint="type a query first")
        return self.answer
