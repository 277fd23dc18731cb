"""The functions that write to a disk: by the race that two of them run, or with the reason why none is needed."""

from __future__ import annotations

RACED = {
    "germane.cli.commands.agent:train": "agent_new",
    "germane.formats.files.file_lock:only_writer": "output_new",
    "germane.formats.files.file_lock:acquire_lock": "output_new",
    "germane.formats.rankings.ranking_files:write_qrels": "saved_marks",
    "germane.formats.rankings.ranking_files:write_run": "retrieved_run_new",
    "germane.formats.files.targets:open_target": "output",
    "germane.judging.release:write_release": "release",
    "germane.judging.store.sqlite:sqlite_engines": "judging_store",
    "germane.judging.store.journal:Journal._append": "judging_journal",
    "germane.judging.store.journal:Journal._remove_torn_line": "judging_journal",
    "germane.judging.store.sqlite:back_up": "judging_server",
    "germane.learning.agent.state:write_state": "agent",
    "germane.learning.tuning.journal:Journal.__init__": "tuning_journal",
    "germane.learning.tuning.journal:Journal._begin": "tuning_journal",
    "germane.retrieval.indexes.array_file:write_array": "index_delete",
    "germane.retrieval.indexes.array_file:ArrayFolder.create": "index_add",
    "germane.retrieval.engines.record:Target.write": "retrieved_run",
    "germane.retrieval.indexes.manifest:writing": "index_new",
    "germane.retrieval.indexes.manifest:_sweep": "index_merge",
    "germane.retrieval.indexes.manifest:write_manifest": "index_open",
}
"""By function, the race in which it runs."""

RESULT = "a result by open_target, which is raced itself: the content does not depend on what the file held"
EXAMPLES = "example files for a folder that a person names: the same bytes each time, whoever writes them"
PRIVATE = "a temporary file or folder of this process alone"
READING = "opened for reading only"

EXCUSED = {
    "germane.cli.shell.help_formatter:HelpFormatter.write_text": "writes help to a buffer, no file",
    "germane.api.files.file_types:_database": READING,
    "germane.cli.commands.compare:command": RESULT,
    "germane.cli.commands.demo:_compare_pictures": RESULT,
    "germane.cli.commands.demo:_run_steps": EXAMPLES,
    "germane.cli.commands.demo:_write_data": EXAMPLES,
    "germane.cli.commands.exercise:_write": RESULT,
    "germane.cli.commands.judge:_write_bundle": RESULT,
    "germane.cli.commands.topics:sample": RESULT,
    "germane.demo.files_for_lecturer:make": EXAMPLES,
    "germane.demo.files_for_ml_engineer:write_payments": EXAMPLES,
    "germane.demo.files_for_researcher:_write": EXAMPLES,
    "germane.demo.files_for_researcher:make": EXAMPLES,
    "germane.demo.files_for_search_engineer:make": EXAMPLES,
    "germane.demo.standard_library:main": "standard output and the null device",
    "germane.demo.tutorials:_make": PRIVATE,
    "germane.demo.tutorials:write_tutorial": EXAMPLES,
    "germane.api.rankings.scoring_process:main": "standard output, a pipe",
    "germane.formats.documents.records:ParquetRows.records": PRIVATE,
    "germane.formats.truth.judgments_file:write_events": RESULT,
    "germane.formats.learning.letor_file:write_letor": RESULT,
    "germane.formats.truth.pool_file:write_pool": RESULT,
    "germane.formats.rankings.arrow_file:_write_parquet": "writes to what open_target has opened",
    "germane.formats.rankings.conversion:_Streamed.write": RESULT,
    "germane.formats.rankings.conversion:_complete": PRIVATE,
    "germane.formats.rankings.scan:plain_copy": PRIVATE,
    "germane.formats.files.targets:_uploaded": "an object store replaces an object as a whole",
    "germane.formats.files.targets:_compressed": "compresses what open_target has opened",
    "germane.judging.store.connection:_postgresql": "a server, which keeps its writers apart; tests/judging has them",
    "germane.learning.model_file:write_model": RESULT,
    "germane.learning.data.splits:write_split": RESULT,
    "germane.output.plots.figures:write_figure": RESULT,
    "germane.output.rendering:write": RESULT,
    "germane.output.reports.writing:report": RESULT,
    "germane.retrieval.indexes.mapped_array:MappedArray.__init__": READING,
}
"""By function, why two of them at once lose nothing."""
