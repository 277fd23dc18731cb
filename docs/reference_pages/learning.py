"""What the page ``docs/reference/learning.md`` says, read off the registries of the learning side.

Features, learners and strategies are here; `learning_files` has the tables of what is written to files.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterable
from typing import Any, get_args

from docs.reference_pages import learning_files as files
from docs.reference_pages.entries import Entries, Part, page_of_parts
from germane.learning.agent import questions
from germane.learning.agent.knowledge import experience, reranking
from germane.learning.agent.knowledge.reranking import NormalEquations
from germane.learning.agent.training import choices
from germane.learning.agent.utility import DEFAULT_COSTS, costs_text
from germane.learning.data.leakage import find_leaks
from germane.learning.data.splits import k_folds, split_by_share
from germane.learning.features.feature import FEATURES, Feature
from germane.learning.features.feature_set import DEFAULT_FEATURES, parse_feature
from germane.learning.features.label_copies import find_label_copies
from germane.learning.features.own_features import Column, Function
from germane.learning.features.scaling import SAID
from germane.learning.learners.kernel_map import FourierMap, NystroemMap
from germane.learning.learners.learner import LEARNERS
from germane.learning.strategies.space import DEFAULT_SPACE, LARGEST, expand
from germane.learning.strategies.strategy import Simplicity
from germane.learning.tuning import nested_folds as curves
from germane.learning.tuning.cells import Everything, Halving
from germane.learning.tuning.choices import choose_best, choose_by_razor, choose_simplest
from germane.learning.tuning.procedure import DEFAULT_CANDIDATES

LEARNING_INTRO = (
    "What `germane tune`, `learn` and `agent` know by name, and the files that they read and write. [The learning\n"
    "process](../explanation/the_learning_process.md) says why it is done so. `NaiveBayes`,\n"
    "`PartitioningTransduction` and `bias_variance` are on the page of [Python names](python.md).\n"
)


def learning_page() -> str:
    """Every feature, learner, strategy, rule, split, leak and file of the learning side in full."""
    return page_of_parts("Learning", LEARNING_INTRO, parts())


def parts() -> list[Part]:
    """The page, in its order."""
    return [
        Part("Features", _features_text(), _features()),
        Part("Scalings", SCALINGS_TEXT, {name: (f"{said[0].upper()}{said[1:]}.", {}) for name, said in SAID.items()}),
        Part("Learners", LEARNERS_TEXT, _learners()),
        Part("Feature maps", MAPS_TEXT, {cls.__name__: (_doc(cls), {}) for cls in (FourierMap, NystroemMap)}),
        Part("Strategies", _strategies()),
        Part("Searches", SEARCHES_TEXT, _searches()),
        Part("Rules to choose by", RULES_TEXT, _rules()),
        Part("Curves", _curves()),
        Part("Splits", SPLITS_TEXT, {"split_by_share": (_doc(split_by_share), {}), "k_folds": (_doc(k_folds), {})}),
        Part("Leaks", LEAKS_TEXT, _leaks()),
        Part("What an agent chooses by", _agent(), _questions()),
        Part("The file of a model", files.model_file()),
        Part("The file of an agent", files.agent_file()),
        Part("The journal of a tuning", files.journal()),
        Part("The record of a split", files.split_record()),
        Part("Rows of features", files.rows()),
    ]


# Learning to rank


def _features_text() -> str:
    return f"""
For `germane learn --features`, and `features=` in Python; `germane learn --list` prints the same. Upper and lower case
are the same. Without a choice these are taken, as far as the index has what they need:
{textwrap.fill(_wrapped(DEFAULT_FEATURES), width=120)}.

A feature has a finite number for each query and document. How to [learn to rank](../how_to/learn_to_rank.md).
"""


def _features() -> Entries:
    known: list[Feature] = [parse_feature("cosine"), *FEATURES]
    written: Entries = {feature.name: (feature.summary, feature.facts) for feature in known}
    models = (
        "What a ranking model gives to the document. Written as for `germane retrieve --model`: `BM25(k1=0.9)`, `QL`, "
        "`ltc.ltn`."
    )
    link = "[ranking models](retrieval.md#ranking-models)"
    return {
        "cosine": written.pop("cosine"),
        "MODEL": (models, {"Which": link, "Better": "higher"}),
        **written,
        "NAME=FILE": (_first(Column), {"Lines": _plain(_first(Column.read)), "Better": "told from the judgments"}),
        "NAME=module:function": (_first(Function), {"Better": "told from the judgments"}),
    }


SCALINGS_TEXT = """
For `germane learn --scaling`. The first is the default. A feature that is the same for all candidates of a query
becomes 0.
"""
LEARNERS_TEXT = """
For `germane learn --learner`. The first is the default. Each is also a class, with `fit`,
`decision_function`, `get_params` and `set_params` as scikit-learn's users expect them, and `to_json` and `from_json`;
all but the last have `predict`.
"""


def _learners() -> Entries:
    return {
        learner.name: (
            _doc(learner.ranker_class),
            {
                "In short": learner.summary,
                "`--C`": "yes" if learner.takes_c else "no",
                "Class": f"`{learner.ranker_class.__module__}.{learner.ranker_class.__name__}`",
                "Needs": learner.needs,
            },
        )
        for learner in LEARNERS
    }


MAPS_TEXT = """
For `RankingSVM(kernel=…)` in Python: a kernel without its matrix. Both are in `germane.learning.learners.kernel_map`.
"""

# Tuning


def _strategies() -> str:
    patterns = "\n".join(DEFAULT_SPACE)
    return f"""
For `germane tune --space`, `germane agent train --space` and `germane.learning.parse_strategy`.
[Models](retrieval.md#ranking-models), [feedback methods](retrieval.md#feedback-methods) and [fusion
methods](retrieval.md#fusion-methods) are written as everywhere else.

| written | is |
| --- | --- |
| `MODEL` | a ranking |
| `MODEL+FEEDBACK` | the query asked again, with the first documents of its ranking taken for relevant |
| `fuse(METHOD, PART, PART, …)` | rankings made one; each part is one of the above |
| `fuse(…, normalise=NAME)` | with the scores of each part [normalised](retrieval.md#normalisations-of-scores); \
`minmax` where it is not said |
| `fuse(…, weights=2/1)` | with a weight for each part, in their order |
| `{{0.9,1.2}}` | one or the other |
| `{{,+rm3}}` | nothing, or `+rm3` |
| `{{0.5..2..0.5}}` | the numbers from .5 to 2 in steps of .5 |

Braces multiply: each alternative of one with each of the others. A space has {LARGEST:,} strategies at most. In a file,
there is one pattern a line, and `#` begins a comment. Where no space is given, it is this one, which has
{len(expand(DEFAULT_SPACE))} strategies:

```text
{patterns}
```

{_plain(_paragraphs(Simplicity))}
"""


SEARCHES_TEXT = "For `germane tune --search`. The first is the default. How to [tune](../how_to/tune.md)."


def _searches() -> Entries:
    drawn = f"`--candidates` strategies ({DEFAULT_CANDIDATES} by default) are drawn by chance, the simplest among them."
    return {
        "grid": (_first(Everything).replace("Grid and random search: every", "Every"), {"Curves": "yes"}),
        "random": (f"{drawn} Each is evaluated on every query.", {"Curves": "yes"}),
        "halving": (_doc(Halving), {"Curves": "no: too little is evaluated"}),
    }


RULES_TEXT = """
How a strategy is taken by the queries that may be looked at. `germane tune` tries each by holding out the folds in
turn; its held-out score is what to expect of the strategy that the rule takes by all queries.
"""


def _rules() -> Entries:
    rules = {"best": choose_best, "razor": choose_by_razor, "simplest": choose_simplest}
    return {name: (_prose(rule), {}) for name, rule in rules.items()}


def _curves() -> str:
    return f"""
For `germane tune --curves` and `--curve`.

| curve | shows |
| --- | --- |
| `learning` | {_line(_first(curves.learning_curve))} Means over {curves.DRAWS} draws of queries per size and fold |
| `MODEL.PARAMETER` | the score against this parameter, fixed at each value that it has in the space, all else \
chosen by the training queries. In a fusion the part's number stands before it: `1.BM25.k1` |
| `{curves.PARTS}` | the score against the most parts that a strategy may have |

Each point has a tuned score, by which strategies were chosen, and the one on queries held out.
"""


# Splits and leaks

SPLITS_TEXT = """
In Python, in `germane.learning.data.splits`. `rotations()` of the split holds out each side in turn.
"""
LEAKS_TEXT = """
What `germane.learning.find_leaks` and `germane.learning.features.label_copies.find_label_copies` return: a `kind`,
the sides that it is `across`, a `count` and `examples`. `germane learn` refuses to go on with any.
"""


def _leaks() -> Entries:
    sentences = {
        sentence.strip().split("`")[1]: " ".join(f"{sentence.strip()}.".split())
        for sentence in _doc(find_leaks).split("\n\n")[1].split(". ")
        if sentence.startswith("`")
    }
    copies = _doc(find_label_copies).split("\n\n")
    return {
        "same id": ("An id is on two sides.", {}),
        "duplicate text": (f"Ids of the same text are on two sides. {sentences['texts']}", {}),
        "duplicate query": (f"Ids of the same query are on two sides. {sentences['queries']}", {}),
        "group across sides": (f"Ids of one group are on two sides. {sentences['groups']}", {}),
        "label as feature": ("\n\n".join(copies[:2]), {}),
    }


# The agent


def _agent() -> str:
    weights = ", ".join(f"{weight:g}" for weight in choices.WEIGHTS)
    formula = _doc(NormalEquations).partition("Formula:")[2].partition("Edge cases:")[0]
    opinions = ", ".join(f"{weight:g}" for weight in choices.RERANKING_WEIGHTS)
    ranges = ", ".join(f"{end:g}" for end in experience.RANGES)
    return f"""
For `germane agent train` and `germane.learning.Agent`. How to [train an agent](../how_to/train_an_agent.md).

| choice | how it is made |
| --- | --- |
| strategy | {_line(_first(choices.choose_within))} {_line(_doc(choices.choose_within).split(chr(10) * 2)[1])} |
| weight of the evidence of past queries | one of {weights}; above 0 where that is best and significantly better \
than 0 (paired t test at `alpha`). Each query is judged by what the other folds taught |
| weight of the re-ranking model | one of {opinions}; above 0 where that is best and significantly better than 0, \
after the evidence was added, and again after feedback. Its score is w·x, {_line(formula)}; ρ = {reranking.RIDGE:g}. \
Rows are of the best {reranking.DEPTH} documents: the strategy's own score and the usual [features](#features), \
scaled by `{reranking.SCALING}` |
| feedback method | the highest mean on the residual collection, once the top `--judged` were judged; none, where \
doing nothing has it |
| how many documents to return | those whose P(R\\|d) is above the [threshold of the \
costs](retrieval.md#costs-and-probabilities); by default {costs_text(DEFAULT_COSTS)}, so {DEFAULT_COSTS.threshold:g} |

What it knows of its own decisions is {_wrapped(experience.RATES)}, each with an interval, and by range of P(R|d), with
ends at {ranges}. `Agent.ask` names the document whose
judgment is expected to tell it most, by one of these:
"""


def _questions() -> Entries:
    formula = _doc(questions.best_question).partition("where U is")[2].partition("Edge cases")[0]
    pairs = (part.split(":", maxsplit=1) for part in " ".join(formula.split()).split(";"))
    told = {name.strip(): text.strip() for name, text in pairs}
    return {
        name: (told[name] + "." if "U" in told[name] else f"U is {told[name]}.", {"Value": VALUE})
        for name in get_args(questions.By)
    }


VALUE = "`U(now) - P(R|d)·U(if d is relevant) - (1-P(R|d))·U(if it is not)`"


# Words


def _doc(thing: Any) -> str:
    return inspect.cleandoc(thing.__doc__ or "")


def _prose(thing: Any) -> str:
    return _doc(thing).partition(">>>")[0].rstrip()


def _first(thing: Any) -> str:
    return _doc(thing).partition("\n\n")[0]


def _paragraphs(thing: Any) -> str:
    """A docstring without its first paragraph and its examples."""
    return _prose(thing).partition("\n\n")[2]


def _line(text: str) -> str:
    return _plain(" ".join(text.split())).replace("|", "\\|")


def _plain(text: str) -> str:
    return text.replace("``", "`")


def _wrapped(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
