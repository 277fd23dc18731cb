"""Suggest complete commands for recognised files, ready to copy."""

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
"""Maximum number of paths in a command; for more, the folder is named if it holds exactly these runs."""


@dataclass(frozen=True)
class Suggestion:
    """A command line, and the question that it answers. A word in capitals stands for a file that was not given."""

    command: str
    answers: str


def suggested(found: Sequence[Recognised]) -> list[Suggestion]:
    """Return commands for these files, the likeliest first.

    >>> files = [Recognised("qrels.txt", "qrels", ""), Recognised("a.run", "run", "")]
    >>> print(suggested(files)[0].command)
    germane eval qrels.txt a.run
    """
    return [Suggestion(f"germane {command}", answers) for command, answers in _Files(found).commands()]


class _Files:
    """Paths by kind, quoted for a shell."""

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
            yield f"report {qrels} {listed} -o report.html", "where does it fail? an HTML report"
        if runs and not self.all("qrels"):
            yield f"pool {listed} -o pool.jsonl", "which documents should be judged?"
        if several:
            yield f"fuse {listed} -o fused.run", "how good are they together?"
        tables = self.all("scores")
        if tables:
            yield f"compare {' '.join(tables)}", "is one really better?"
        boards = self.all("leaderboard")
        if boards:
            yield f"correlate {' '.join((*boards, 'LEADERBOARD')[:2])}", "do two leaderboards agree?"

    def _runs(self) -> list[str]:
        """Return all runs, or their folder if there are many and it holds exactly these."""
        runs = self.all("run", "runs")
        paths = [Path(one.path) for one in self.found if one.thing in ("run", "runs")]
        folders = {path.parent for path in paths}
        if len(paths) <= MOST_RUNS or len(folders) > 1:
            return runs
        [folder] = folders
        try:
            same = {Path(file) for file in files_of(folder)} == set(paths)
        except GermaneError:  # it holds a file that is not a run
            same = False
        return [shlex.quote(str(folder))] if same else runs

    def _decisions(self) -> Iterator[tuple[str, str]]:
        for one in self.found:
            path = shlex.quote(one.path)
            if one.thing == "items":
                yield f"classify {path}", "how good is it, with intervals?"
                if one.scored:
                    yield f"threshold {path} --rule youden", "which threshold is best?"
                yield f"report {path} -o classifier.html", "an HTML report with all rates and curves"
            elif one.thing == "matrix":
                yield f"classify {path} --matrix", "every rate with its interval"

    def _truth(self) -> Iterator[tuple[str, str]]:
        for log in self.all("log"):
            yield f"topics sample {log} -n 50 -o topics.tsv", "which queries should be judged?"
        documents, topics = self.first("documents", "DOCUMENTS"), self.first("topics", "TOPICS")
        for pool in self.all("pool"):
            yield f"judge {pool} --documents {documents} --query-texts {topics}", "let assessors grade them"
        judged = self.all("judgments", "project")
        if judged:
            yield f"agree {' '.join(judged)}", "do the assessors agree?"
            yield f"release {' '.join(judged)} -o release", "one grade per document, as qrels"
        for folder in self.all("release"):
            yield f"release --check {folder}", "do its files match its manifest?"

    def _retrieval(self) -> Iterator[tuple[str, str]]:
        topics, qrels = self.first("topics", "TOPICS"), self.first("qrels", "QRELS")
        documents, indexes = self.all("documents"), self.all("index")
        if documents and not indexes:
            yield f"index library {' '.join(documents)}", "make them searchable"
        for index in indexes or (["library"] if documents else ["INDEX"] if self.all("topics") else []):
            yield f"search {index}", "search, mark relevant documents, search again"
            yield f"retrieve {index} {topics} -o bm25.run", "a run to evaluate"
            if self.all("topics") and self.all("qrels"):
                yield f"feedback {index} {topics} {qrels} --method rm3", "does relevance feedback help?"
                yield f"tune {index} {topics} {qrels}", "which strategy is best?"
        for rows in self.all("features"):
            yield f"learn --data {rows} -o model.json", "learn to rank from them"

    def _learned(self) -> Iterator[tuple[str, str]]:
        index, topics = self.first("index", "INDEX"), self.first("topics", "TOPICS")
        for model in self.all("model"):
            yield f"retrieve {index} {topics} --rerank {model} -o reranked.run", "re-rank with it"
        for agent in self.all("agent"):
            yield f"agent show {agent}", "what does it do, and how good is it?"
            yield f"agent search {agent} {index}", "search, and give it feedback"

    def _vectors(self) -> Iterator[tuple[str, str]]:
        files = self.all("vectors")
        if files:
            queries = next((path for path in files if "quer" in path.lower()), files[0])
            docs = next((path for path in files if path != queries), "DOCS.npy")
            qrels = self.first("qrels", "QRELS")
            yield f"vectors {qrels} --queries {queries} --docs {docs}", "exact scores, without an index"
