"""Drop-in replacement for trec_eval: its arguments, files, numbers and output, by version.

Only measures that trec_eval alone has are computed here; all others are computed by germane's own measures. What
is not reproduced is listed in docs/how_to/trec_eval.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO, TextIO

from germane.measures.foreign_names import TrecVersion
from germane.trec_eval import reader
from germane.trec_eval.arguments import parse
from germane.trec_eval.evaluation import Judgments, Preferences, without_judging
from germane.trec_eval.options import ABORTED, BAD_INPUT, EarlyExitError, Options
from germane.trec_eval.printer import columns, requested, summary_lines, topic_lines

__all__ = ["main"]


def main(argv: Sequence[str], stdout: BinaryIO, stderr: TextIO, *, version: TrecVersion = 10) -> int:
    """Do what ``trec_eval ARGV`` does, and return its exit status."""
    try:
        return _print(parse(list(argv), version), stdout)
    except EarlyExitError as end:
        if end.on_stdout:
            stdout.write(end.message.encode())
        else:
            stderr.write(end.message)
        return end.status


def _print(options: Options, stdout: BinaryIO) -> int:
    """Read, evaluate and print, in trec_eval's order: the first error decides the exit status."""
    qrels, run = options.files
    judged = _read_judged(options, qrels)
    if options.run_format != b"trec_results":
        raise EarlyExitError(BAD_INPUT, "trec_eval: expected the results format trec_results\n")
    results = reader.read_results(run, options.version)
    z_scores = None if options.z_scores is None else reader.read_z_scores(options.z_scores)
    wanted = requested(options)

    needs = {request.row.needs for request in wanted} - {"nothing"}
    odd = any(request.row.name == "utility" and len(request.values) != 4 for request in wanted)
    fails = odd or not needs <= {judged.form}
    if fails or not needs:
        evaluation = without_judging(options, list(judged.table), results, fails=fails)
    else:
        evaluation = judged.match(options, results)
    if evaluation.topics and evaluation.status != ABORTED:
        table = columns(evaluation, wanted, z_scores)
        if options.per_topic:
            stdout.writelines(topic_lines(evaluation, table))
        if options.summary and not evaluation.status:
            stdout.writelines(summary_lines(evaluation, table))
    return evaluation.status


def _read_judged(options: Options, path: str) -> Judgments | Preferences:
    match options.qrels_format:
        case b"qrels":
            return Judgments("qrels", reader.read_judgments(path, options.version))
        case b"qrels_jg":
            return Judgments("qrels_jg", reader.read_judgment_groups(path, options.version))
        case b"prefs":
            return Preferences(reader.read_preferences(path, options.version))
        case b"qrels_prefs":
            return Preferences(reader.read_qrels_as_preferences(path, options.version))
    raise EarlyExitError(BAD_INPUT, "trec_eval: expected the format qrels, qrels_jg, prefs or qrels_prefs\n")
