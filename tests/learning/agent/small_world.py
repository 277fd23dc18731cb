"""A corpus of three small subjects, with topics and judgments: enough to train an agent in a moment."""

from germane.api.learning.agent import Agent
from germane.retrieval.indexes.index import Index

SUBJECTS = {
    "wine": ("merlot", "grape", "cellar", "bottle", "vineyard"),
    "sea": ("harbour", "sail", "anchor", "tide", "island"),
    "code": ("compiler", "loop", "kernel", "thread", "parser"),
}
WORDS = [word for words in SUBJECTS.values() for word in words]


def documents() -> dict[str, str]:
    """Twelve documents of each subject: its name in most, four of its five words, and some of another subject."""
    texts = {}
    for place, (subject, words) in enumerate(SUBJECTS.items()):
        others = list(SUBJECTS.values())[(place + 1) % len(SUBJECTS)]
        for number in range(12):
            own = [words[(number + step) % 5] for step in range(3)]
            name = [subject] * (number % 3)
            texts[f"{subject}{number}"] = " ".join([*name, *own, others[number % 5], others[(number + 1) % 5]])
    return texts


def topics() -> dict[str, str]:
    """Five topics of each subject: a word of it, and its name in every second."""
    return {
        f"{subject}-{number}": f"{word} {subject}" if number % 2 else word
        for subject, words in SUBJECTS.items()
        for number, word in enumerate(words)
    }


def judgments() -> dict[str, dict[str, int]]:
    """Relevant are the documents of the subject that hold the word."""
    texts = documents()
    return {
        topic: {
            doc: int(doc.startswith(topic.split("-")[0]))
            for doc, text in texts.items()
            if set(asked.split()) & set(text.split())
        }
        for topic, asked in topics().items()
    }


def index() -> Index:
    return Index.of(documents(), "plain")


def trained(**choices: object) -> Agent:
    """An agent for this world."""
    given: dict[str, object] = {"space": ["BM25", "VSM", "BM25+rm3"], "folds": 3, "judged": 3, "depth": 50}
    return Agent.train(index(), topics(), judgments(), **{**given, **choices})  # type: ignore[arg-type]
