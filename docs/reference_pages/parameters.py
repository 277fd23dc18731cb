"""Say what each parameter of a public function means, in the words of the matching command where there is one."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module

import click

from germane.cli import COMMANDS

COMMANDS_OF = {
    "evaluate": "eval",
    "compare": "compare classify",
    "plot": "plot report classify compare",
    "report": "report classify compare",
    "explain": "explain search",
    "index": "index",
    "learn": "learn retrieve",
    "search": "search retrieve",
    "pool": "pool+make",
    "read_qrels": "eval convert check",
    "read_run": "eval convert check",
    "read_scores": "compare eval",
    "write_qrels": "convert",
    "write_run": "convert",
    "measure": "measures",
    "vectors.evaluate": "vectors",
    "vectors.nearest": "vectors",
    "vectors.approximation": "vectors",
    "retrieval.evaluate_feedback": "feedback",
    "retrieval.score_feedback": "feedback",
    "retrieval.read_record": "retrieve",
    "retrieval.calibrate": "retrieve",
    "retrieval.decide": "retrieve",
    "truth.simulate_pools": "pool+simulate",
    "measures.load_qrels": "eval",
    "sklearn.scorer": "classify",
    "sklearn.compare_cross_validated": "compare",
    "sklearn.compare_folds": "compare",
    "measures.judge_run": "eval",
}
"""By function, the commands that do the same, the one that matches first; a space inside of a command is a plus. Any
other function has the command of its own name, if there is one."""

SPECIAL = {
    "explain:data": "Judgments, labelled items, a confusion matrix, or a query of an index.",
    "find_leaks:texts": "Texts by id, to find near duplicates.",
    "find_leaks:queries": "Query texts by id, to find repeated queries.",
    "index:path": "Folder of the index.",
    "index:texts": "Whether to keep the texts, to show them in results.",
    "judge_run:format": "Format of the run; inferred from content by default.",
    "load_qrels:format": "Format of the judgments; inferred from content by default.",
    "read_qrels:format": "Format of the judgments; inferred from content by default.",
    "read_run:format": "Format of the run; inferred from content by default.",
    "plot:data": "Judgments, a table of labelled items, or a result.",
    "report:data": "Judgments, a table of labelled items, or a result.",
    "read_scores:measures": "Measures to keep; by default the one that all tables have, or AP of several.",
    "read_scores:topics": "Queries to keep: those of every table, which must agree, or those in both.",
    "score_feedback:before": "The run before feedback.",
    "score_feedback:after": "The run after feedback.",
    "write_letor:data": "Rows of features with their queries.",
    "bias_variance:y": "Label of each training row.",
    "bias_variance:X": "Features of the training rows.",
    "bias_variance:y_test": "Label of each test row.",
    "bias_variance:X_test": "Features of the test rows.",
    "compare_cross_validated:groups": "Group of each row, for a splitter that keeps groups together.",
    "compare_cross_validated:measures": "Measures by name, as `scorer` takes them.",
    "compare_cross_validated:runs": "Folds of repeated runs: `pooled`, or `clusters`.",
    "compare_cross_validated:X": "Features of the rows.",
    "compare_cross_validated:y": "Label, or number, of each row.",
    "compare_folds:folds": "Sizes of training and test part, for results without indices.",
    "compare_folds:runs": "Folds of repeated runs: `pooled`, or `clusters`.",
    "scorer:average": "Average over classes, unless the name of the measure ends with one.",
    "scorer:measure": "Any measure by name, with its parameters and average.",
    "measure:name": "Name of the measure, as people write it.",
    "model:name": "Name of the model, as people write it.",
}
"""Parameters whose name means something else in this function."""

PLAIN = ("judgments", "qrels", "run", "runs", "tables", "topics")
"""Parameters that their type describes better."""

MEANINGS = {
    "a": "The first ranking, run or leaderboard.",
    "are_probabilities": "Whether scores are probabilities; `None` infers it from their range.",
    "b": "The second ranking, run or leaderboard.",
    "bounds": "Lowest and highest possible value.",
    "collection_size": "Number of documents in the collection.",
    "cv": "Number of folds, a splitter of scikit-learn, or its splits.",
    "estimators": "Estimators by name.",
    "greater_is_better": "Direction of a measure that has none.",
    "n_jobs": "Number of processes, as in scikit-learn.",
    "results": "Results of `cross_validate`, or values by measure and fold, by estimator.",
    "control": 'Documents of the control half, for `protocol="control"`.',
    "data": "Scores, values by system and query, or labelled items.",
    "declared": "Facts about the measure, such as its name in trec_eval.",
    "documents": "Texts of documents, or a collection.",
    "feature_names": "File with one feature name per line.",
    "feedback": "Feedback methods, by name.",
    "folds": "Values by fold instead of by query, for a corrected resampled test.",
    "format": "File format; inferred from content or file extension by default.",
    "group_sizes": "File with the number of rows of each query, one per line.",
    "groups": "Group of each id; a group is never divided.",
    "ids": "Ids of queries or items.",
    "index": "The index to search.",
    "k": "Number of folds.",
    "kind": "Kind of figure; `germane plot --list` describes them.",
    "labels": "True labels; `None` where unknown.",
    "learner": "The learner to fit.",
    "loss": "Loss function.",
    "method": "Calibration method.",
    "name": "Name shown in results.",
    "names": "Names of the two rankings in results.",
    "normalise": "How scores are normalised first.",
    "other_names": "Other names of the model.",
    "overwrite": "Replace an existing file.",
    "path": "Path of the file.",
    "probabilities": "Probability of relevance of each document.",
    "progress": "Called with the number of steps done and the total.",
    "qrels": "Judgments.",
    "queries": "Queries by id, or one query.",
    "ranking": "Grades in rank order, separated by spaces; `-` is unjudged.",
    "rel": "Minimum grade that counts as relevant.",
    "resamples": "Number of resamples.",
    "resampling": "How training sets are made: `bootstrap` or `disjoint`.",
    "run": "The run.",
    "run_path": "Path of the run whose record is read.",
    "runs": "Runs.",
    "sample_weight": "One weight per item; integers mean repetitions.",
    "scale": "Highest grade of the scale.",
    "score_type": "Score precision; `float32` reproduces ties of older tools.",
    "seed": "Random seed.",
    "seen": "Documents seen by query, or how many at the top.",
    "shares": "Share of each part, by name.",
    "sides": "A split, or ids by part.",
    "source": "An index, or rows of features.",
    "sparse": "Omit features that are 0.",
    "split": "The split to write.",
    "test": "Significance test.",
    "text": "Text to parse.",
    "ties": "How to break score ties.",
    "topics": "Query texts: a file, or texts by id.",
    "unjudged": "How unjudged documents are treated.",
    "unretrieved": "Grades of relevant documents that were not retrieved.",
    "what": "A measure by name, a result, or an index.",
    "words": "How messages call the groups.",
    "y_pred": "Predicted label of each item.",
    "y_proba": "Predicted probabilities: one column per class.",
    "y_score": "Score of each item; higher means more likely positive.",
    "y_true": "True label of each item.",
    "zero_based": "Whether feature numbers start at 0.",
    "zero_division": "Value of a rate whose denominator is 0.",
}
"""Parameters that no option of the matching command explains."""


def commands_of(function: str) -> list[str]:
    """Return the commands that do what a function does, the one that matches first."""
    listed = COMMANDS_OF.get(function, function if function in COMMANDS else "")
    return [name.replace("+", " ") for name in listed.split()]


def command_called(name: str) -> click.Command:
    """Return a command by its full name, such as ``pool make``."""
    first, _, inner = name.partition(" ")
    command: click.Command = import_module(f"germane.cli.commands.{first}").command
    return command.commands[inner] if isinstance(command, click.Group) and inner else command


@cache
def _option_helps(command: str) -> dict[str, str]:
    """Return the help of a command's options by the names that a parameter may have."""
    options = [option for option in command_called(command).params if isinstance(option, click.Option)]
    return {
        name: " ".join(option.help.split())
        for option in options
        if option.help
        for name in (*(spelling.lstrip("-").replace("-", "_") for spelling in option.opts), option.name or "")
    }


def meaning_of(function: str, parameter: str, of_type: str = "") -> str:
    """Return what a parameter of a function means, or nothing where nobody says it.

    `of_type` is what its type says, which is more than a name such as `qrels` does, and less than `y_pred`.
    """
    special = SPECIAL.get(f"{function.rpartition('.')[2]}:{parameter}")
    helps = (_option_helps(command).get(parameter) for command in commands_of(function))
    found: str = special or next(filter(None, helps), "")
    general = MEANINGS.get(parameter, "")
    return _in_python(found) or (of_type if parameter in PLAIN and of_type else general or of_type)


def _in_python(text: str) -> str:
    """Return the help of an option as a sentence about a parameter."""
    text = re.sub(r"; may be repeated\b", "", text)
    text = re.sub(r"(?<!`)--([a-z][a-z-]+)", lambda option: f"`{option[1].replace('-', '_')}`", text)
    return re.sub(r" \[default: (.*)\]$", r" Default: \1.", text)
