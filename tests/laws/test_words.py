"""The glossary's banned phrases occur nowhere that a person reads."""

import pytest

from tests.banned_phrases import SAY_INSTEAD, banned_in, findings

SPECIMENS = {
    "there are: t, sign, wilcoxon": "there are: ",
    "a queue is no sample of anything": "is no sample of",
    "between .05 and 0.1": ".05",
    "ids, one a line": "one a line",
    "the format is told from the content": "told from",
    "column 'label' was taken for the truth": "taken for",
    "95 % of queries": "5 %",
    "of the top 10, not judged: 3": "not judged",
}


@pytest.mark.parametrize(("sentence", "phrase"), SPECIMENS.items())
def test_a_banned_phrase_is_found(sentence: str, phrase: str) -> None:
    assert phrase in [found for _, found, _ in banned_in(sentence)]


def test_a_plain_sentence_passes() -> None:
    assert not list(banned_in("unjudged among retrieved documents: 66.7% (0.5 in v1.2.3, [.5]); one id per line"))


def test_the_list_stays_short() -> None:
    assert len(SAY_INSTEAD) < 30


def test_no_banned_phrase_is_written() -> None:
    assert not findings(), "\n" + "\n".join(map(str, findings()))
