"""Parse trec_eval's command line as getopt_long does: options anywhere, long ones by any unique prefix."""

from __future__ import annotations

import os
from collections.abc import Iterator

from germane.measures.foreign_names import TrecVersion
from germane.trec_eval.c_numbers import atol
from germane.trec_eval.options import DONE, USAGE, EarlyExitError, Options
from germane.trec_eval.table import NICKNAMES, ROWS

TAKES_VALUE = frozenset("mlDNMRTZ")
LONG_OPTIONS = {
    "help": "h",
    "version": "v",
    "query_eval_wanted": "q",
    "measure": "m",
    "complete_rel_info_wanted": "c",
    "level_for_rel": "l",
    "nosummary": "n",
    "Debug_level": "D",
    "Judged_docs_only": "J",
    "Number_docs_in_coll": "N",
    "Max_retrieved_per_topic": "M",
    "Rel_info_format": "R",
    "Results_format": "T",
    "Output_old_results_format": "o",
    "Zscore": "Z",
}
LONG_TAKES_VALUE = TAKES_VALUE | {"o"}
"""Options whose long form takes a value; that of the obsolete -o does, its short form does not."""
SWITCHES = {"q": ("per_topic", True), "n": ("summary", False), "c": ("complete", True), "J": ("judged_only", True)}
"""Options without a value: the field that each one sets, and its value."""

USAGE_TEXT = "Usage: germane trec_eval [-q] [-c] [-m measure[.parameters]]... qrels run\n"
HELP_TEXT = (
    USAGE_TEXT
    + """
  -q        each topic too            -n        no summary
  -m NAME   a measure or a nickname (official, all_trec, set, prefs, all_prefs, qrels_jg), with .parameters
  -c        average over all topics of the qrels
  -l N      lowest grade that counts as relevant      -N N      documents in the collection
  -M N      judge only the first N of each topic      -J        drop unjudged documents first
  -R FORM   qrels, qrels_jg, prefs or qrels_prefs     -T FORM   trec_results
  -Z FILE   print z-scores from these means           -D N[.T]  only topic T
  --trec-version 9|10   whose behaviour to follow

`germane measures NAME` explains a measure.
"""
)


def parse(argv: list[str], version: TrecVersion) -> Options:
    """Parse the arguments; whatever ends trec_eval while parsing ends here too, in the same order."""
    options = Options(version)
    given = set()
    for letter, value in _getopt(argv, options.files):
        given.add(letter)
        _apply(options, letter, value)
    if "h" in given:
        raise EarlyExitError(DONE, HELP_TEXT, on_stdout=True)
    if len(options.files) != 2:
        raise EarlyExitError(USAGE, USAGE_TEXT)
    if not options.requested:
        _request(options, "official")
    return options


def _apply(options: Options, letter: str, value: str) -> None:
    data = os.fsencode(value)
    match letter:
        case "v":
            raise EarlyExitError(DONE, f"germane trec_eval, in the manner of version {options.version}\n")
        case "m":
            _request(options, value)
        case "q" | "n" | "c" | "J":
            setattr(options, *SWITCHES[letter])
        case "l":
            options.rel = atol(data)
        case "N":
            options.collection_size = atol(data)
        case "M":
            options.most_retrieved = max(atol(data), 0)
        case "R":
            options.qrels_format = data
        case "T":
            options.run_format = data
        case "Z":
            options.z_scores = value
        case "D" if b"." in data:
            options.only_topic = data.partition(b".")[2]
        # -o is obsolete, and -D without a topic only requests debug output, which is not printed


def _request(options: Options, text: str) -> None:
    name, dot, parameters = text.partition(".")
    known = {row.name for row in ROWS if row.since <= options.version}
    wanted = NICKNAMES[options.version].get(name, (name,))
    if (dot and not parameters) or not known.issuperset(wanted):
        raise EarlyExitError(USAGE, f"trec_eval: illegal measure '{text}'\n")
    options.requested.update(wanted)
    if dot:
        options.parameters.setdefault(name, os.fsencode(parameters))


def _getopt(argv: list[str], operands: list[str]) -> Iterator[tuple[str, str]]:
    """Yield options one by one, so that -v ends the run before a later error; the rest goes to `operands`."""
    waiting = list(argv)
    while waiting:
        word = waiting.pop(0)
        if word == "--":
            operands.extend(waiting)
            return
        if word.startswith("--"):
            yield _long_option(word[2:], waiting)
        elif word.startswith("-") and word != "-":
            yield from _short_options(word[1:], waiting)
        elif "POSIXLY_CORRECT" in os.environ:
            operands.extend([word, *waiting])
            return
        else:
            operands.append(word)


def _short_options(letters: str, waiting: list[str]) -> Iterator[tuple[str, str]]:
    while letters:
        letter, letters = letters[0], letters[1:]
        if letter not in LONG_OPTIONS.values():
            raise EarlyExitError(USAGE, f"trec_eval: unknown option -{letter}\n{USAGE_TEXT}")
        if letter not in TAKES_VALUE:
            yield letter, ""
        elif letters or waiting:
            yield letter, letters or waiting.pop(0)
            return
        else:
            raise EarlyExitError(USAGE, f"trec_eval: option -{letter} requires a value\n{USAGE_TEXT}")


def _long_option(text: str, waiting: list[str]) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    found = [name] if name in LONG_OPTIONS else [full for full in LONG_OPTIONS if full.startswith(name)]
    if len(found) != 1:
        problem = "unknown option" if not found else "ambiguous option"
        raise EarlyExitError(USAGE, f"trec_eval: {problem} --{name}\n{USAGE_TEXT}")
    letter = LONG_OPTIONS[found[0]]
    if letter not in LONG_TAKES_VALUE:
        if equals:
            raise EarlyExitError(USAGE, f"trec_eval: option --{found[0]} takes no value\n{USAGE_TEXT}")
        return letter, ""
    if not equals:
        if not waiting:
            raise EarlyExitError(USAGE, f"trec_eval: option --{found[0]} requires a value\n{USAGE_TEXT}")
        value = waiting.pop(0)
    return letter, value
