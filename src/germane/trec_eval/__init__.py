"""Drop-in replacement for trec_eval: its arguments, files, numbers and output, by version.

Only measures that trec_eval alone has are computed here; all others are computed by germane's own measures. What
is not reproduced is listed in docs/how_to/trec_eval.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO, TextIO

from germane.measures.foreign_names import TrecVersion
from germane.trec_eval.arguments import parse
from germane.trec_eval.evaluation import evaluate
from germane.trec_eval.judgments import read_judgments
from germane.trec_eval.options import ABORTED, BAD_INPUT, EarlyExitError, Options
from germane.trec_eval.printer import columns, requested, summary_lines, topic_lines
from germane.trec_eval.reader import FORMATS, read_z_scores
from germane.trec_eval.retrieved import read_run

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
    if options.qrels_format not in FORMATS:
        raise EarlyExitError(BAD_INPUT, "trec_eval: expected the format qrels, qrels_jg, prefs or qrels_prefs\n")
    judgments = read_judgments(qrels, FORMATS[options.qrels_format], options.version)
    if options.run_format != b"trec_results":
        raise EarlyExitError(BAD_INPUT, "trec_eval: expected the results format trec_results\n")
    retrieved = read_run(run, judgments, options)
    z_scores = None if options.z_scores is None else read_z_scores(options.z_scores)
    wanted = requested(options)

    needs = {request.row.needs for request in wanted} - {"nothing"}
    odd = any(request.row.name == "utility" and len(request.values) != 4 for request in wanted)
    fails = odd or not needs <= {judgments.form.contains}
    evaluation = evaluate(options, judgments, retrieved, judged=bool(needs), fails=fails)
    if evaluation.topics and evaluation.status != ABORTED:
        table = columns(evaluation, wanted, z_scores)
        if options.per_topic:
            stdout.writelines(topic_lines(evaluation, table))
        if options.summary and not evaluation.status:
            stdout.writelines(summary_lines(evaluation, table))
    return evaluation.status
