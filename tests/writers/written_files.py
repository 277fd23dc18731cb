"""The functions that write to a disk: by the race that two of them run, or with the reason why none is needed."""

from __future__ import annotations

RACED = {
    "germane.cli.agent:train": "agent_new",
    "germane.formats.file_lock:only_writer": "output_new",
    "germane.formats.file_lock:acquire_lock": "output_new",
    "germane.formats.registry:write_qrels": "saved_marks",
    "germane.formats.registry:write_run": "retrieved_run_new",
    "germane.formats.targets:open_target": "output",
    "germane.judging.release:_clear": "release",
    "germane.judging.release:write_release": "release",
    "germane.judging.store.connection:_sqlite": "judging_store",
    "germane.judging.store.journal:Journal._append": "judging_journal",
    "germane.judging.store.journal:Journal._remove_torn_line": "judging_journal",
    "germane.judging.store.keeping:back_up": "judging_server",
    "germane.learning.agent.state:write_state": "agent",
    "germane.learning.tuning.journal:Journal.__init__": "tuning_journal",
    "germane.learning.tuning.journal:Journal._begin": "tuning_journal",
    "germane.retrieval.array_file:write_array": "index_delete",
    "germane.retrieval.array_file:writing_arrays": "index_add",
    "germane.retrieval.engines.writing:Target.write": "retrieved_run",
    "germane.retrieval.manifest:_only_writer": "index_new",
    "germane.retrieval.manifest:_sweep": "index_merge",
    "germane.retrieval.manifest:write_manifest": "index_open",
}
"""By function, the race in which it runs."""

RESULT = "a result by open_target, which is raced itself: the content does not depend on what the file held"
EXAMPLES = "example files for a folder that a person names: the same bytes each time, whoever writes them"
PRIVATE = "a temporary file or folder of this process alone"
READING = "opened for reading only"

EXCUSED = {
    "germane.api.recognising:_database": READING,
    "germane.cli.compare:command": RESULT,
    "germane.cli.demo:_compare_pictures": RESULT,
    "germane.cli.demo:_tell": EXAMPLES,
    "germane.cli.demo:_write_data": EXAMPLES,
    "germane.cli.exercise:_write": RESULT,
    "germane.cli.judge:_write_bundle": RESULT,
    "germane.cli.topics:sample": RESULT,
    "germane.demo.files_for_lecturer:make": EXAMPLES,
    "germane.demo.files_for_ml_engineer:write_payments": EXAMPLES,
    "germane.demo.files_for_researcher:_write": EXAMPLES,
    "germane.demo.files_for_researcher:make": EXAMPLES,
    "germane.demo.files_for_search_engineer:make": EXAMPLES,
    "germane.demo.standard_library:main": "standard output and the null device",
    "germane.demo.tutorials:_make": PRIVATE,
    "germane.demo.tutorials:write_tutorial": EXAMPLES,
    "germane.api.scoring_process:main": "standard output, a pipe",
    "germane.formats.document_parquet:ParquetRows.records": PRIVATE,
    "germane.formats.judgments_file:write_events": RESULT,
    "germane.formats.letor_file:write_groups": RESULT,
    "germane.formats.letor_file:write_letor": RESULT,
    "germane.formats.pool_file:write_pool": RESULT,
    "germane.formats.scan:_spooled": PRIVATE,
    "germane.formats.targets:_compressed": "compresses what open_target has opened",
    "germane.judging.store.connection:_postgresql": "a server, which keeps its writers apart; tests/judging has them",
    "germane.learning.model_file:write_model": RESULT,
    "germane.learning.splits:write_split": RESULT,
    "germane.report.decision_writing:report_decisions": RESULT,
    "germane.report.figures:write_figure": RESULT,
    "germane.report.writing:report": RESULT,
    "germane.retrieval.mapped_array:MappedArray.__init__": READING,
}
"""By function, why two of them at once lose nothing."""
