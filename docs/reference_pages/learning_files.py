"""File formats for ``docs/reference/learning.md``: models, agents, journals, splits and rows of features."""

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
Written by `germane learn -o MODEL`, read by `germane retrieve --rerank MODEL` and `germane.learning.read_model`. It is
JSON, and nothing in it is executed.

| key | holds |
| --- | --- |
| `format`, `version` | `{models.FORMAT}`, {models.VERSION}; other versions are rejected |
| `germane` | the version of germane that wrote it |
| `learner` | its [name](#learners) |
| `features` | by feature, the `name` in the data, and the `canonical` name that computes it |
| `scaling` | its [name](#scalings) |
| `first_stage`, `depth`, `analyser` | the first-stage ranker, the number of candidates, and the analyser; \
`null` for a model of rows from a file |
| `weights` | for linear learners: by feature, the weight of its scaled value; `null` for others |
| `model` | the learned model: the `learner`'s class, its `version`, its parameters (`params`), and its numbers. \
Long arrays are bytes in `base64`, with `shape` and `dtype` ({" or ".join(f"`{name}`" for name in TYPES)}) |
| `training` | `sha256` of the rows, the number of `rows` and `queries`, the name of the `data`, the chosen \
`C`, `rel`, `seed`, and `query_fingerprints`, hashes by which training queries are recognised without storing them |
| `held_out` | the performance on held-out queries, as in `germane learn --format \
json` ([keys](json.md#germane-learn---format-json)) |
| `checksum` | BLAKE2b hash of everything else; a damaged or edited file is rejected |
"""


def agent_file() -> str:
    """The keys of an agent."""
    return f"""
Written by `germane agent train -o AGENT`; `germane agent search` and `Agent.save` replace it atomically. A process that
saves it holds `AGENT.lock` and first merges the judgments that other processes have saved since it read the file, so
several processes can use one agent and no judgment is lost. During training, intermediate results are in
`AGENT{JOURNAL}`, from which an interrupted run resumes.

| key | holds |
| --- | --- |
| `germane_agent` | the version of this format, {state.VERSION} |
| `origin` | the training data: a hash of the `index`, its `analyser` and `num_docs`; `num_queries`, a hash of \
each query (`queries`); `folds`, `seed`, `rel`, `tolerance`, `alpha` |
| `utility` | the `measure` (`null`: the costs are the utility), and the `costs` that decide how many documents are \
returned |
| `strategy`, `depth` | the ranking strategy, and the number of candidates |
| `evidence_weight`, `weight_after` | the weight of the evidence from past queries, before and after feedback |
| `indexing` | that evidence: by document, the terms of queries for which it was relevant and of those for which \
it was not ([Binary Independence Indexing](retrieval.md#binary-independence-indexing)) |
| `reranking` | the re-ranking model, or `null` if it is not used: the `features` besides the strategy's own score, \
their `scaling`, the number of re-ranked documents (`depth`), its `weight` before feedback and `weight_after` it, \
`ridge`; XᵀX (`products`) and Xᵀy (`targets`) of all rows so far, with a column of ones first; and the row of each \
judgment since (`told`), by query and document |
| `calibration`, `calibration_after` | P(R\\|d) by range of scores, before feedback and after it: counts of \
documents and of relevant ones |
| `feedback` | the method, or `null` |
| `choice` | the reasons: the trials and the expected performance, as in `germane agent show --format \
json` ([keys](json.md#germane-agent-show---format-json)) |
| `trained`, `since` | its decisions in training (by cross-validation) and since: counts by query and by \
range of P(R\\|d) |
| `marks`, `decided` | by query and document: whether it was judged relevant, and whether the agent decided to \
return it |
| `judgments` | the log of all feedback since training, in the order given: an id (`event`), `query`, `doc`, \
`relevant`, and the agent's estimate before it (`num_terms` of the query, `probability`, `score`, `refined`); entries \
are never removed |
| `notes` | notes on the training |
| `checksum` | BLAKE2b hash of everything else; a damaged or edited file is rejected |
"""


def journal() -> str:
    """The lines of a journal."""
    return f"""
`germane tune --resume FILE` writes JSON lines and resumes from them. The first line has the version of the format
(`germane_tuning`: {journals.VERSION}), `measure`, `k`, `queries`, and a hash of the index, topics and judgments
(`data`); a journal with another hash is rejected. Each further line has a `strategy`, the positions of some queries in
that list (`places`), and their exact `values`. Each line has its own `checksum`, the BLAKE2b hash of the rest of the
line; a damaged or edited line is an error that names it. An unfinished last line is removed.
"""


def split_record() -> str:
    """The keys of a split."""
    return f"""
Written by `germane.learning.data.splits.write_split`, read by `read_split`.

| key | holds |
| --- | --- |
| `germane_split` | the version of this format, {splits.VERSION} |
| `how`, `seed`, `shares` | `shares` or `folds`, the random seed, and the share of each side |
| `stratified`, `grouped` | whether the split is stratified by label, and whether groups are kept together |
| `sides` | by side, its ids |
| `notes` | notes, such as labels that are too rare for all sides |
| `checksum` | BLAKE2b hash of everything else; a damaged or edited file is rejected |
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

The grade comes first, then the query, then features by number, counted from 1; omitted features are 0. The rows of a
query must be adjacent. A comment after `#` may hold the document id.
"""
