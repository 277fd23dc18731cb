"""Functions that sound like readers, or modules that read files, and are not in the registry; each with the reason."""

from __future__ import annotations

FUNCTIONS: dict[str, str] = {
    "germane.tables.notes.explanations:read_entries": "reads a text of the package",
    "germane.retrieval.engines.open_engine:open_engine": "opens servers and folders; folders are read by Index.open",
    "germane.api.decisions.items:read_items": "read_labelled or labelled_from, whichever the input needs",
    "germane.formats.rows.slices:read_pairs": "under read_slices",
    "germane.api.learning.agent:Agent.open": "read_state, and the index",
    "germane.api.rankings.evaluation:load_qrels": "read_qrels or qrels_from, whichever the input needs",
    "germane.api.retrieval.past_queries:load_past": "read_topics and read_qrels",
    "germane.api.rankings.score_tables:read_scores": "read_score_table of each file, or its rows of each data frame",
    "germane.api.truth.pooling:load_runs": "read_run or run_from, whichever the input needs",
    "germane.judging.store.project:load_pool": "takes a pool that was read",
    "germane.web.serving:open_site": "read_pool, read_topics and open_documents",
    "germane.formats.rankings.entry:scan_lines": "the lines of `check`",
    "germane.formats.rows.columns:scan_objects": "the objects of jsonl and Parquet, inside `check`",
    "germane.formats.files.json_text:parse_json": "under the readers of JSON",
    "germane.formats.files.targets:open_target": "writes",
    "germane.learning.features.feature_set:parse_features": "parse_feature, several times",
    "germane.learning.learners.naive_bayes:NaiveBayes.from_json": "no file holds one",
    "germane.retrieval.engines.past_queries:learned_from": "learns; it only sounds like reading",
    "germane.learning.agent.knowledge.experience:missing_from": "compares two logs; it only sounds like reading",
}

MODULES: dict[str, str] = {
    "germane.tables.notes.explanations": "reads a text of the package",
    "germane.progress": "opens files for `sources`, and counts their bytes",
    "germane.formats.files.sources": "the file itself: under every reader of files",
    "germane.formats.files.json_text": "under the readers of JSON",
    "germane.formats.rankings.survey": "under `check` and `convert`, which the readers of runs call",
    "germane.formats.documents.folders": "under read_documents",
    "germane.formats.documents.records": "under read_documents",
    "germane.judging.store.sqlite": "the lock of a database, and the mounts of the system",
    "germane.judging.store.project": "JSON that a database of ours holds",
    "germane.web.offline": "files of the package",
    "germane.output.page.shell": "files of the package",
    "germane.demo.help_centre": "a file of the package",
    "germane.demo.tutorials": "files of the package",
    "germane.cli.commands.exercise": "a file of its own, which it is about to write again",
    "germane.cli.commands.index": "ids to delete, a line each",
    "germane.cli.commands.judge": "lines for import_answers",
    "germane.cli.commands.topics": "lines for sample_queries",
    "germane.retrieval.engines.servers.rest": "the answers of a server, tested with a server that answers anything",
    "germane.retrieval.engines.queries": "the hash of a file that read_topics reads",
    "germane.retrieval.engines.record": "the hash of a file that was just written",
    "germane.api.retrieval.past_queries": "the hash of a file that read_qrels reads",
}
