"""Which commands take the files that were recognised: complete, with their paths, ready to be copied."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from germane.api.files.column_types import Thing
from germane.api.files.file_types import Recognised
from germane.errors import GermaneError
from germane.formats.files.part_folders import files_of

MOST_RUNS = 12
"""So many paths fit on a line that somebody reads; of more, the folder is named where it holds these and no others."""


@dataclass(frozen=True)
class Suggestion:
    """A command line, and the question that it answers. A word in capitals stands for what was not there."""

    command: str
    answers: str


def suggested(found: Sequence[Recognised]) -> list[Suggestion]:
    """What can be done with these files, the likeliest first.

    >>> files = [Recognised("qrels.txt", "qrels", ""), Recognised("a.run", "run", "")]
    >>> print(suggested(files)[0].command)
    germane eval qrels.txt a.run
    """
    return [Suggestion(f"germane {command}", answers) for command, answers in _Files(found).commands()]


class _Files:
    """The paths by what they are, as a shell takes them."""

    def __init__(self, found: Sequence[Recognised]) -> None:
        self.found = found

    def all(self, *things: Thing) -> list[str]:
        return [shlex.quote(one.path) for one in self.found if one.thing in things]

    def first(self, thing: Thing, otherwise: str) -> str:
        return next(iter(self.all(thing)), otherwise)

    def commands(self) -> Iterator[tuple[str, str]]:
        yield from self._rankings()
        yield from self._decisions()
        yield from self._truth()
        yield from self._retrieval()
        yield from self._learned()
        yield from self._vectors()

    def _rankings(self) -> Iterator[tuple[str, str]]:
        runs = self._runs()
        several = len(self.all("run")) > 1 or bool(self.all("runs"))
        qrels, listed = self.first("qrels", "QRELS"), " ".join(runs) or "RUN"
        if runs or (self.all("qrels") and not self.all("index", "judgments")):
            yield f"eval {qrels} {listed}", "how good is it?"
        if several:
            yield f"compare {qrels} {listed}", "is one really better?"
        if runs and self.all("qrels"):
            yield f"report {qrels} {listed} -o report.html", "where does it fail? one page shows it"
        if runs and not self.all("qrels"):
            yield f"pool {listed} -o pool.jsonl", "which documents should people judge?"
        if several:
            yield f"fuse {listed} -o fused.run", "what do they find together?"
        tables = self.all("scores")
        if tables:
            yield f"compare {' '.join(tables)}", "is one really better?"
        boards = self.all("leaderboard")
        if boards:
            yield f"correlate {' '.join((*boards, 'LEADERBOARD')[:2])}", "do two leaderboards agree?"

    def _runs(self) -> list[str]:
        """All of them, never a part: many as their folder, where that comes to the same."""
        runs = self.all("run", "runs")
        paths = [Path(one.path) for one in self.found if one.thing in ("run", "runs")]
        folders = {path.parent for path in paths}
        if len(paths) <= MOST_RUNS or len(folders) > 1:
            return runs
        [folder] = folders
        try:
            same = {Path(file) for file in files_of(folder)} == set(paths)
        except GermaneError:  # it holds what is no run
            same = False
        return [shlex.quote(str(folder))] if same else runs

    def _decisions(self) -> Iterator[tuple[str, str]]:
        for one in self.found:
            path = shlex.quote(one.path)
            if one.thing == "items":
                yield f"classify {path}", "how good is it, and how sure is that?"
                if one.scored:
                    yield f"threshold {path} --rule youden", "from which score on is it positive?"
                yield f"report {path} -o classifier.html", "one page with all rates and curves"
            elif one.thing == "matrix":
                yield f"classify {path} --matrix", "every rate with its interval"

    def _truth(self) -> Iterator[tuple[str, str]]:
        for log in self.all("log"):
            yield f"topics sample {log} -n 50 -o topics.tsv", "queries to judge, as people ask them"
        documents, topics = self.first("documents", "DOCUMENTS"), self.first("topics", "TOPICS")
        for pool in self.all("pool"):
            yield f"judge {pool} --documents {documents} --query-texts {topics}", "let people grade them"
        judged = self.all("judgments", "project")
        if judged:
            yield f"agree {' '.join(judged)}", "how far do they agree?"
            yield f"release {' '.join(judged)} -o release", "one grade per document: qrels"
        for folder in self.all("release"):
            yield f"release --check {folder}", "are its files as its manifest has them?"

    def _retrieval(self) -> Iterator[tuple[str, str]]:
        topics, qrels = self.first("topics", "TOPICS"), self.first("qrels", "QRELS")
        documents, indexes = self.all("documents"), self.all("index")
        if documents and not indexes:
            yield f"index library {' '.join(documents)}", "make them searchable"
        for index in indexes or (["library"] if documents else ["INDEX"] if self.all("topics") else []):
            yield f"search {index}", "ask it, mark what is relevant, ask again"
            yield f"retrieve {index} {topics} -o bm25.run", "a run to evaluate"
            if self.all("topics") and self.all("qrels"):
                yield f"feedback {index} {topics} {qrels} --method rm3", "what is relevance feedback worth?"
                yield f"tune {index} {topics} {qrels}", "which strategy is best?"
        for rows in self.all("features"):
            yield f"learn --data {rows} -o model.json", "learn to rank from them"

    def _learned(self) -> Iterator[tuple[str, str]]:
        index, topics = self.first("index", "INDEX"), self.first("topics", "TOPICS")
        for model in self.all("model"):
            yield f"retrieve {index} {topics} --rerank {model} -o reranked.run", "let it put rankings into order"
        for agent in self.all("agent"):
            yield f"agent show {agent}", "what does it do, and how good is it?"
            yield f"agent search {agent} {index}", "ask it, and tell it what is relevant"

    def _vectors(self) -> Iterator[tuple[str, str]]:
        files = self.all("vectors")
        if files:
            queries = next((path for path in files if "quer" in path.lower()), files[0])
            docs = next((path for path in files if path != queries), "DOCS.npy")
            qrels = self.first("qrels", "QRELS")
            yield f"vectors {qrels} --queries {queries} --docs {docs}", "exact scores, without an index"
