"""``docs/reference/learning.md``, generated from the registries of `germane.learning`.

Features, learners and strategies are here; `learning_files` has the tables of what is written to files.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any, get_args

from docs.reference_pages import learning_files as files
from docs.reference_pages.entries import Entries, Part, page_of_parts
from docs.reference_pages.markdown import docstring
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
from germane.learning.features.scaling import DESCRIPTIONS
from germane.learning.learners.kernel_map import FourierMap, NystroemMap
from germane.learning.learners.learner import LEARNERS
from germane.learning.strategies.space import DEFAULT_SPACE, LARGEST, expand
from germane.learning.strategies.strategy import Simplicity
from germane.learning.tuning import nested_folds as curves
from germane.learning.tuning.cells import Everything, Halving
from germane.learning.tuning.choices import choose_best, choose_by_razor, choose_simplest
from germane.learning.tuning.procedure import DEFAULT_CANDIDATES

LEARNING_INTRO = (
    "Features, learners, strategies and rules that `germane tune`, `learn` and `agent` accept by name, and the files\n"
    "that they read and write. [The learning process](../explanation/the_learning_process.md) gives the reasons. For\n"
    "`NaiveBayes`, `PartitioningTransduction` and `bias_variance` see [Python](python.md).\n"
)


def learning_page() -> str:
    """Every feature, learner, strategy, rule, split, leak and file of the learning side in full."""
    return page_of_parts("Learning", LEARNING_INTRO, parts())


def parts() -> list[Part]:
    """The page, in its order."""
    return [
        Part("Features", _features_text(), _features()),
        Part(
            "Scalings",
            SCALINGS_TEXT,
            {name: (f"{said[0].upper()}{said[1:]}.", {}) for name, said in DESCRIPTIONS.items()},
        ),
        Part("Learners", LEARNERS_TEXT, _learners()),
        Part("Feature maps", MAPS_TEXT, {cls.__name__: (docstring(cls), {}) for cls in (FourierMap, NystroemMap)}),
        Part("Strategies", _strategies()),
        Part("Searches", SEARCHES_TEXT, _searches()),
        Part("Selection rules", RULES_TEXT, _rules()),
        Part("Curves", _curves()),
        Part(
            "Splits",
            SPLITS_TEXT,
            {"split_by_share": (docstring(split_by_share), {}), "k_folds": (docstring(k_folds), {})},
        ),
        Part("Leaks", LEAKS_TEXT, _leaks()),
        Part("Choices of an agent", _agent(), _questions()),
        Part("The file of a model", files.model_file()),
        Part("The file of an agent", files.agent_file()),
        Part("The journal of a tuning", files.journal()),
        Part("The record of a split", files.split_record()),
        Part("Rows of features", files.rows()),
    ]


# Learning to rank


def _features_text() -> str:
    return f"""
For `germane learn --features`, and `features=` in Python; `germane learn --list` prints the same list. Case does not
matter. The default features, as far as the index supports them, are:
{textwrap.fill(_wrapped(DEFAULT_FEATURES), width=120)}.

A feature is a finite number for each query and document. How to [learn to rank](../how_to/learn_to_rank.md).
"""


def _features() -> Entries:
    known: list[Feature] = [parse_feature("cosine"), *FEATURES]
    written: Entries = {feature.name: (feature.summary, feature.facts) for feature in known}
    models = "The score of a ranking model. Written as for `germane retrieve --model`: `BM25(k1=0.9)`, `QL`, `ltc.ltn`."
    link = "[ranking models](retrieval.md#ranking-models)"
    return {
        "cosine": written.pop("cosine"),
        "MODEL": (models, {"Which": link, "Better": "higher"}),
        **written,
        "NAME=FILE": (_first(Column), {"Lines": _plain(_first(Column.read)), "Better": "inferred from the judgments"}),
        "NAME=module:function": (_first(Function), {"Better": "inferred from the judgments"}),
    }


SCALINGS_TEXT = """
For `germane learn --scaling`. The first is the default. A feature that is constant over all candidates of a query
becomes 0.
"""
LEARNERS_TEXT = """
For `germane learn --learner`. The first is the default. Each is also a class, with `fit`,
`decision_function`, `get_params` and `set_params` as in scikit-learn, and `to_json` and `from_json`;
all but the last have `predict`.
"""


def _learners() -> Entries:
    return {
        learner.name: (
            docstring(learner.ranker_class),
            {
                "In short": learner.summary,
                "`--C`": "yes" if learner.takes_c else "no",
                "Class": f"`{learner.ranker_class.__module__}.{learner.ranker_class.__name__}`",
                "Requires": learner.needs,
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
methods](retrieval.md#fusion-methods) are written as usual.

| written | meaning |
| --- | --- |
| `MODEL` | a ranking |
| `MODEL+FEEDBACK` | pseudo relevance feedback: the first documents of the ranking are treated as relevant |
| `fuse(METHOD, PART, PART, …)` | a fusion of rankings; each part is one of the above |
| `fuse(…, normalise=NAME)` | with the scores of each part [normalised](retrieval.md#score-normalisations); \
default `minmax` |
| `fuse(…, weights=2/1)` | with a weight for each part, in their order |
| `{{0.9,1.2}}` | one or the other |
| `{{,+rm3}}` | nothing, or `+rm3` |
| `{{0.5..2..0.5}}` | the numbers from 0.5 to 2 in steps of 0.5 |

Braces multiply: each alternative of one is combined with each of the others. A space has at most {LARGEST:,}
strategies. A file has one pattern per line, and `#` starts a comment. The default space has
{len(expand(DEFAULT_SPACE))} strategies:

```text
{patterns}
```

{_plain(_paragraphs(Simplicity))}
"""


SEARCHES_TEXT = "For `germane tune --search`. The first is the default. How to [tune](../how_to/tune.md)."


def _searches() -> Entries:
    drawn = f"`--candidates` strategies ({DEFAULT_CANDIDATES} by default) are drawn at random, including the simplest."
    return {
        "grid": (_first(Everything).replace("Grid and random search: every", "Every"), {"Curves": "yes"}),
        "random": (f"{drawn} Each is evaluated on every query.", {"Curves": "yes"}),
        "halving": (docstring(Halving), {"Curves": "no: too few strategies are evaluated on all queries"}),
    }


RULES_TEXT = """
How a strategy is selected on the training queries. `germane tune` cross-validates each rule; its held-out score is the
expected performance of the strategy that the rule selects on all queries.
"""


def _rules() -> Entries:
    rules = {"best": choose_best, "razor": choose_by_razor, "simplest": choose_simplest}
    return {name: (_prose(rule), {}) for name, rule in rules.items()}


def _curves() -> str:
    return f"""
For `germane tune --curves` and `--curve`.

| curve | shows |
| --- | --- |
| `learning` | {_line(_first(curves.learning_curve))} Means over {curves.DRAWS} random samples of \
queries per size and fold |
| `MODEL.PARAMETER` | the score against this parameter, fixed at each of its values in the space, while all else is \
tuned on the training queries. In a fusion, put the number of the part first: `1.BM25.k1` |
| `{curves.PARTS}` | the score against the maximum number of parts of a strategy |

Each point has the score on the training queries (`tuned`) and the score on the held-out queries.
"""


# Splits and leaks

SPLITS_TEXT = """
In Python, in `germane.learning.data.splits`. The method `rotations()` of a split holds out each side in turn.
"""
LEAKS_TEXT = """
Returned by `germane.learning.find_leaks` and `germane.learning.features.label_copies.find_label_copies`: a `kind`, the
sides that it is `across`, a `count` and `examples`. `germane learn` stops with an error if there is any.
"""


def _leaks() -> Entries:
    sentences = {
        sentence.strip().split("`")[1]: " ".join(f"{sentence.strip()}.".split())
        for sentence in docstring(find_leaks).split("\n\n")[1].split(". ")
        if sentence.startswith("`")
    }
    copies = docstring(find_label_copies).split("\n\n")
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
    formula = docstring(NormalEquations).partition("Formula:")[2].partition("Edge cases:")[0]
    opinions = ", ".join(f"{weight:g}" for weight in choices.RERANKING_WEIGHTS)
    ranges = ", ".join(f"{end:g}" for end in experience.RANGES)
    return f"""
For `germane agent train` and `germane.learning.Agent`. How to [train an agent](../how_to/train_an_agent.md).

| choice | selection |
| --- | --- |
| strategy | {_line(_first(choices.choose_within))} {_line(docstring(choices.choose_within).split(chr(10) * 2)[1])} |
| weight of the evidence of past queries | one of {weights}; above 0 if that is best and significantly better \
than 0 (paired t-test at `alpha`). Each query is evaluated with what was learned from the other folds |
| weight of the re-ranking model | one of {opinions}; above 0 if that is best and significantly better than 0, \
after adding the evidence, and again after feedback. Its score is w·x, {_line(formula)}; ρ = {reranking.RIDGE:g}. \
Rows are the top {reranking.DEPTH} documents: the strategy's own score and the default [features](#features), \
scaled by `{reranking.SCALING}` |
| feedback method | the highest mean on the residual collection after judging the top `--judged` documents; none, if \
no feedback has the highest mean |
| number of documents to return | those whose P(R\\|d) is above the [threshold of the \
costs](retrieval.md#costs-and-probabilities); by default {costs_text(DEFAULT_COSTS)}, so {DEFAULT_COSTS.threshold:g} |

The agent reports {_wrapped(experience.RATES)} of its own decisions, each with an interval, and by range of P(R|d), with
limits at {ranges}. `Agent.ask` names the document whose
judgment is expected to be most informative, by one of these criteria:
"""


def _questions() -> Entries:
    formula = docstring(questions.best_question).partition("where U is")[2].partition("Edge cases")[0]
    pairs = (part.split(":", maxsplit=1) for part in " ".join(formula.split()).split(";"))
    told = {name.strip().removeprefix("for "): text.strip() for name, text in pairs}
    return {
        name: (told[name] + "." if "U" in told[name] else f"U is {told[name]}.", {"Value": VALUE})
        for name in get_args(questions.By)
    }


VALUE = "`U(now) - P(R|d)·U(if d is relevant) - (1-P(R|d))·U(if it is not)`"


# Words


def _prose(thing: Any) -> str:
    return docstring(thing).partition(">>>")[0].rstrip()


def _first(thing: Any) -> str:
    return docstring(thing).partition("\n\n")[0]


def _paragraphs(thing: Any) -> str:
    """A docstring without its first paragraph and its examples."""
    return _prose(thing).partition("\n\n")[2]


def _line(text: str) -> str:
    return _plain(" ".join(text.split())).replace("|", "\\|")


def _plain(text: str) -> str:
    return text.replace("``", "`")


def _wrapped(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
