"""Functions that sound like readers, or modules that read files, and are not in the registry; each with the reason."""

from __future__ import annotations

FUNCTIONS: dict[str, str] = {
    "germane.retrieval.engines.opening:open_engine": "opens servers and folders; folders are read by Index.open",
    "germane.api.agent:Agent.open": "read_state, and the index",
    "germane.api.evaluating:load_qrels": "read_qrels or qrels_from, whichever the input needs",
    "germane.api.past_queries:load_past": "read_topics and read_qrels",
    "germane.api.score_tables:read_scores": "read_score_table of each file, or its rows of each data frame",
    "germane.api.pooling:load_runs": "read_run or run_from, whichever the input needs",
    "germane.judging.store.project:load_pool": "takes a pool that was read",
    "germane.web.serving:open_site": "read_pool, read_topics and open_documents",
    "germane.formats.entry:scan_lines": "the lines of `check`",
    "germane.formats.objects:scan_objects": "the objects of jsonl and Parquet, inside `check`",
    "germane.formats.json_text:parse_json": "under the readers of JSON",
    "germane.formats.targets:open_target": "writes",
    "germane.learning.features:parse_features": "parse_feature, several times",
    "germane.learning.kernel_functions:KernelFunction.from_json": "inside a model of svm",
    "germane.learning.lambdamart:LambdaMART.from_json": "LightGBM reads its own text; an optional library",
    "germane.learning.svm:SVMClassifier.from_json": "scikit-learn makes it, whose import takes seconds",
    "germane.learning.naive_bayes:NaiveBayes.from_json": "no file holds one",
    "germane.retrieval.engines.past:learned_from": "learns; it only sounds like reading",
    "germane.learning.agent.judgment_log:missing_from": "compares two logs; it only sounds like reading",
}

MODULES: dict[str, str] = {
    "germane.formats.sources": "the file itself: under every reader of files",
    "germane.formats.json_text": "under the readers of JSON",
    "germane.formats.document_folders": "under read_documents",
    "germane.formats.document_records": "under read_documents",
    "germane.judging.store.keeping": "the lock of a database, and the mounts of the system",
    "germane.judging.store.project": "JSON that a database of ours holds",
    "germane.web.offline": "files of the package",
    "germane.report.page.shell": "files of the package",
    "germane.demo.questions": "files of the package",
    "germane.demo.tutorials": "files of the package",
    "germane.cli.vectors_nearest": "JSON that germane has just written",
    "germane.cli.exercise": "a file of its own, which it is about to write again",
    "germane.cli.index": "ids to delete, a line each",
    "germane.cli.judge": "lines for import_answers",
    "germane.cli.pool": "lines of a run and its team",
    "germane.cli.topics": "lines for sample_queries",
    "germane.retrieval.engines.rest": "the answers of a server, tested with a server that answers anything",
    "germane.retrieval.engines.queries": "the hash of a file that read_topics reads",
    "germane.retrieval.engines.writing": "the hash of a file that was just written",
    "germane.api.past_queries": "the hash of a file that read_qrels reads",
}
