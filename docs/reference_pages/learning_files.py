"""What ``docs/reference/learning.md`` says of files: models, agents, journals, splits and rows of features."""

from __future__ import annotations

from germane.api.learning.agent import JOURNAL
from germane.learning import model_file as models
from germane.learning.agent import state
from germane.learning.data import splits
from germane.learning.learners.estimator import TYPES
from germane.learning.tuning import journal as journals


def model_file() -> str:
    """The keys of a learned ranking."""
    return f"""
`germane learn -o MODEL` writes it, `germane retrieve --rerank MODEL` and `germane.learning.read_model` read it. It is
JSON, and nothing in it is executed.

| key | holds |
| --- | --- |
| `format`, `version` | `{models.FORMAT}`, {models.VERSION}; another version is refused |
| `germane` | the version of germane that wrote it |
| `learner` | its [name](#learners) |
| `features` | by feature, the `name` in the data, and its `canonical` name, so that it can be computed again |
| `scaling` | its [name](#scalings) |
| `first_stage`, `depth`, `analyser` | what finds the candidates, how many of them, and how text becomes terms; \
`null` for a model of rows from a file |
| `weights` | of linear learners: by feature, what its scaled value is multiplied by; `null` for others |
| `model` | what was learned: the `learner`'s class, its `version`, its parameters (`params`), and its numbers. \
Long arrays are bytes in `base64`, with `shape` and `dtype` ({" or ".join(f"`{name}`" for name in TYPES)}) |
| `training` | `sha256` of the rows, how many `rows` and `queries`, the name of the `data`, the `C` that was \
chosen, `rel`, `seed`, and `query_fingerprints`, by which a query that was learned from is recognised and not read |
| `held_out` | how good it is on queries that were not learned from, as `germane learn --format json` [has \
it](json.md#germane-learn---format-json) |
| `checksum` | BLAKE2b of all the rest; a file that was damaged or edited is refused |
"""


def agent_file() -> str:
    """The keys of an agent."""
    return f"""
`germane agent train -o AGENT` writes it; `germane agent search` and `Agent.save` replace it in one step, once all of it
is written. Whoever saves holds `AGENT.lock` meanwhile, and first takes over the judgments that somebody else saved
since the file was read: two processes may use one agent, and no judgment is lost. While it is trained, what was
computed is in `AGENT{JOURNAL}`, from which an interrupted run goes on.

| key | holds |
| --- | --- |
| `germane_agent` | the version of this format, {state.VERSION} |
| `origin` | where it was trained: a hash of the `index`, its `analyser` and `num_docs`; `num_queries`, a hash of \
each of the `queries`; `folds`, `seed`, `rel`, `tolerance`, `alpha` |
| `utility` | the `measure` (`null`: the costs are the utility), and the `costs` that decide how many documents are \
returned |
| `strategy`, `depth` | what ranks, and how many documents |
| `evidence_weight`, `weight_after` | how much the evidence of past queries counts, before feedback and after it |
| `indexing` | that evidence: by document, how those asked who found it relevant, and those who did not ([Binary \
Independence Indexing](retrieval.md#binary-independence-indexing)) |
| `reranking` | the re-ranking model, or `null` where it is not used: the `features` beside the strategy's own score, \
their `scaling`, how many documents are scored again (`depth`), its `weight` before feedback and `weight_after` it, \
`ridge`; XᵀX (`products`) and Xᵀy (`targets`) of all rows so far, with a column of ones first; and the row of each \
judgment since (`told`), by query and document |
| `calibration`, `calibration_after` | P(R\\|d) by range of scores, before feedback and after it: counts of \
documents and of relevant ones |
| `feedback` | the method, or `null` |
| `choice` | why: what was tried, and what to expect, as `germane agent show --format json` [has \
it](json.md#germane-agent-show---format-json) |
| `trained`, `since` | its decisions in training, by what the other folds taught, and since: counts by query and by \
range of P(R\\|d) |
| `marks`, `decided` | by query and document: whether somebody said that it is relevant, and whether the agent had \
found it worth returning |
| `judgments` | the log of all feedback since the training, in the order given: an id (`event`), `query`, `doc`, \
`relevant`, and what the agent had made of the document before (`num_terms` of the query, `probability`, `score`, \
`refined`); nothing is ever taken out of it |
| `notes` | what is to be known of the training |
| `checksum` | BLAKE2b of all the rest; a file that was damaged or edited is refused |
"""


def journal() -> str:
    """The lines of a journal."""
    return f"""
`germane tune --resume FILE` writes JSON lines and goes on from them. The first line is of `germane_tuning`
{journals.VERSION}: `measure`, `k`, `queries`, and a hash of the index, topics and judgments (`data`); a journal of
others is refused. Each line after it has a `strategy`, the `places` of some queries in that list, and their `values` to
the last bit. Each line has a `checksum` of its own, BLAKE2b of the rest of it; one that was damaged or edited is an
error that names it. A last line that was not finished is taken out.
"""


def split_record() -> str:
    """The keys of a split."""
    return f"""
`germane.learning.data.splits.write_split` writes it, `read_split` reads it.

| key | holds |
| --- | --- |
| `germane_split` | the version of this format, {splits.VERSION} |
| `how`, `seed`, `shares` | `shares` or `folds`, by which chance, and how much of all each side gets |
| `stratified`, `grouped` | whether labels were kept even, and groups together |
| `sides` | by side, its ids |
| `notes` | labels that are too rare for all sides |
| `checksum` | BLAKE2b of all the rest; a file that was damaged or edited is refused |
"""


def rows() -> str:
    """The form of LETOR and SVMlight files."""
    return """
`germane learn --data FILE` and `germane.learning.read_letor` read rows of features, `--save-features FILE` and
`germane.learning.write_letor` write them: the form of SVMlight and of LETOR.

```text
# feature 1 = BM25
# feature 2 = length
1 qid:7 1:0.5 2:31 # docid = d1
0 qid:7 1:0.25
```

The grade comes first, then the query, then features by number, counted from 1; one that is not named is
0. The rows of a query stand together. After `#` may stand the document's id.
"""
