"""Write the documentation that follows from the code: ``docs/reference`` and the tables of measures in others.

``make docs`` runs it. It also renews the output under the commands that the other pages show, so that a change of what
a command prints is one command and a look at the difference.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import click

import germane
from germane import api
from germane.api.family import MANY_SYSTEM_TESTS
from germane.cli import COMMANDS, group
from germane.judging.consolidate import POLICIES
from germane.judging.pooling import Method, all_methods
from germane.measures.agreement_registry import all_agreement_measures
from germane.measures.deciding.rates import Rate, all_rates
from germane.measures.deciding.registry import Deciding
from germane.measures.registry import Definition, all_definitions
from germane.report import decision_pages, measure_pages
from germane.report.plots.registry import DECISION_PLOTS, PLOTS
from germane.stats import many_systems
from germane.stats.cell_bootstrap import CELLS_METHODS
from germane.stats.coefficients import all_coefficients
from germane.stats.corrections import CORRECTIONS, max_t
from germane.stats.delong import AUC_INTERVALS
from germane.stats.intervals import INTERVALS
from germane.stats.mcnemar import MCNEMAR, mcnemar
from germane.stats.paired_classifiers import CLASSIFIER_TESTS, ClassifierTest
from germane.stats.paired_tests import PAIRED_TESTS, corrected_resampled_t
from germane.stats.proportions import PROPORTION_INTERVALS, log_ratio, mercaldo, newcombe_difference, weighted_sum
from germane.stats.rate_intervals import RATE_METHODS
from germane.stats.threshold_rules import THRESHOLD_RULES
from germane.stats.unpaired_tests import UNPAIRED_TESTS
from germane.tables.judged_run import Ties

ROOT = Path(__file__).resolve().parents[1]
RATES_PAGE = "docs/explanation/rates_and_intervals.md"
GENERATED = "<!-- Written by docs/generate.py (`make docs`). Change the code, not this page. -->\n\n"


def generate() -> dict[str, str]:
    """Every generated file, by its path from the root of the repository."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, table in (("measures", measures_table()), ("decisions", decisions_table())):
        readme = with_table(readme, name, table)
    rates = (ROOT / RATES_PAGE).read_text(encoding="utf-8")
    return {
        "README.md": readme,
        RATES_PAGE: with_table(rates, "names", names_table()),
        "docs/reference/measures.md": measures_page(),
        "docs/reference/decisions.md": decisions_page(),
        "docs/reference/statistics.md": statistics_page(),
        "docs/reference/ground_truth.md": ground_truth_page(),
        "docs/reference/retrieval.md": retrieval_page(),
        "docs/reference/learning.md": learning_page(),
        "docs/reference/commands.md": commands_page(),
        "docs/reference/json.md": json_page(),
        "docs/reference/python.md": python_page(),
    }


# Measures


def with_table(page: str, name: str, table: str) -> str:
    """The page with a table between the markers of this name."""
    before, start, rest = page.partition(f"<!-- {name} -->")
    _, end, after = rest.partition(f"<!-- /{name} -->")
    if not (start and end):
        raise ValueError(f"found no <!-- {name} --> ... <!-- /{name} -->")
    return f"{before}{start}\n{table}{end}{after}"


def measures_table() -> str:
    """Each measure with what it says and how else it is written, by family."""
    lines = ["| measure | what it says | also read as |", "| --- | --- | --- |"]
    for family, members in measure_pages.by_family(all_definitions()):
        lines.append(f"| **{family}** | | |")
        for definition in members:
            link = f"[`{definition.name}`](docs/reference/measures.md#{_anchor(definition.name)})"
            names = ", ".join(f"`{name}`" for name in _other_names(definition))
            lines.append(f"| {link} | {_escaped(definition.summary)} | {names} |")
    return "\n".join(lines) + "\n"


def measures_page() -> str:
    """Every measure in full."""
    parts = [
        "# Measures\n\n",
        GENERATED,
        "What `germane measures NAME` prints. A measure is written `NAME`, `NAME@10` (a cutoff; a level of recall for\n"
        "those that say so) or `NAME(parameter=value)@10`; every measure also takes `judged_only=true`, which leaves\n"
        "unjudged documents out of the ranking first. R is the number of relevant documents known for the query. A\n"
        "document is relevant if its grade is at least `rel`.\n\n"
        "The examples call a measure's function on a ranking written by hand, which `germane.judged` makes: grades in\n"
        "rank order, `-` for a document that nobody judged, `|` between queries. There is one value for each query.\n\n"
        "These are the measures of rankings. Those of classifiers and detectors are on [a page of their\n"
        "own](decisions.md): a name such as AP means the one with `germane eval`, the other with `germane classify`.\n",
    ]
    for family, members in measure_pages.by_family(all_definitions()):
        module = members[0].function.__module__
        parts.append(f"\n## {family}\n\nThe functions of the examples are in `{module}`.\n")
        parts += [_measure_section(definition) for definition in members]
    return "".join(parts)


def _measure_section(definition: Definition) -> str:
    lines = [f"- {title}: {text}\n" for title, text in _facts(definition).items() if text]
    doc = inspect.cleandoc(definition.function.__doc__ or "")
    example = doc[doc.index(">>>") :] if ">>>" in doc else ""
    shown = f"\n```python\n{example}\n```\n" if example else ""
    return f"\n### {definition.name}\n\n{_escaped(definition.summary)}\n\n{''.join(lines)}{shown}"


def _facts(definition: Definition) -> dict[str, str]:
    sections = definition.sections
    low, high = definition.bounds
    needs = {"collection size": "the collection size (`--collection-size`)", "groups": "judgments by subtopic"}
    return {
        "Formula": f"`{sections['Formula']}`" if "Formula" in sections else "",
        **{title: _escaped(text) for title, text in sections.items() if title != "Formula"},
        "Parameters": f"`{measure_pages.parameters_of(definition)}`",
        "Range": f"{low:g} to {high:g}; {measure_pages.better(definition)}",
        "Needs": ", ".join(needs[need] for need in definition.needs),
        "Also called": ", ".join(f"`{name}`" for name in _other_names(definition)),
        "Expected value over ties": "exact" if definition.expected_ties else "not offered",
        "Bounds under unjudged documents": "tight" if definition.unjudged else "not offered",
    }


def decisions_table() -> str:
    """Each measure of decisions with what it says and how else it is called, by kind."""
    lines = ["| measure | what it says | also called |", "| --- | --- | --- |"]
    for kind, entries in decision_pages.decision_kinds():
        lines.append(f"| **{kind}** | | |")
        for entry in entries:
            link = f"[`{entry.name}`](docs/reference/decisions.md#{_anchor(_decision_heading(entry))})"
            summary = _escaped(decision_pages.summary_of(entry))
            lines.append(f"| {link} | {summary} | {', '.join(f'`{name}`' for name in entry.names)} |")
    return "\n".join(lines) + "\n"


def decisions_page() -> str:
    """Every measure of decisions in full."""
    parts = [
        "# Measures of decisions\n\n",
        GENERATED,
        "What `germane measures NAME` prints about the measures of `germane classify` and `germane threshold`. TP,\n"
        "FP, FN and TN count true positives, false positives, false negatives and true negatives. A rate is written\n"
        "`MCC`, `F2` (a number after F is its beta) or `NAME(parameter=value)`, and under any of its other names:\n"
        "`recall`, `sensitivity` and `hit rate` are TPR. Which interval belongs to which is told in [Rates and their\n"
        "intervals](../explanation/rates_and_intervals.md).\n",
    ]
    for kind, entries in decision_pages.decision_kinds():
        parts.append(f"\n## {kind}\n")
        parts += [_decision_section(entry) for entry in entries]
    return "".join(parts)


def _decision_section(entry: Rate | Deciding) -> str:
    facts = {title: " ".join(text.split()) for title, text in decision_pages.decision_facts(entry).items() if text}
    lines = [f"- {title}: {f'`{text}`' if title in AS_CODE else _escaped(text)}\n" for title, text in facts.items()]
    if isinstance(entry, Rate):
        lines.append(f"- Interval: {INTERVAL_OF[entry.interval]}\n")
    doc = "" if isinstance(entry, Rate) else _doc(entry.function)
    example = f"\n```python\n{doc[doc.index('>>>') :]}\n```\n" if ">>>" in doc else ""
    summary = _escaped(decision_pages.summary_of(entry))
    return f"\n### {_decision_heading(entry)}\n\n{summary}\n\n{''.join(lines)}{example}"


def _decision_heading(entry: Rate | Deciding) -> str:
    """Its name; where a name stands for two classes and for several, the latter says so."""
    return f"{entry.name} of several classes" if isinstance(entry, Deciding) and entry.of == "matrix" else entry.name


def names_table() -> str:
    """Each rate with its formula, the names that people have for it, and how its interval is made."""
    lines = ["| rate | formula | also called | interval |", "| --- | --- | --- | --- |"]
    for rate in all_rates():
        names = ", ".join(dict.fromkeys([rate.title, *rate.names]))
        lines.append(f"| {rate.name} | `{rate.formula}` | {_escaped(names)} | {INTERVAL_OF[rate.interval]} |")
    return "\n".join(lines) + "\n"


AS_CODE = ("Formula", "Parameters")
INTERVAL_OF = {
    "proportion": "wilson, clopper-pearson",
    "two proportions": "newcombe",
    "ratio": "log",
    "cells": "bca, percentile",
    "projected": "mercaldo",
    "cost": "mover",
    "none": "none",
}
"""By what a rate declares, the methods that make its interval."""


def _other_names(definition: Definition) -> list[str]:
    """Names of other tools, less those that differ from ours in upper and lower case only: case never matters."""
    return [name for name in definition.names if name.casefold() != definition.name.casefold()]


def _anchor(heading: str) -> str:
    """The anchor that a heading gets."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _escaped(text: str) -> str:
    """Text as Markdown; what stands between backticks is code already, where only a table minds the bar."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(re.sub(r"([|])" if piece[:1] == "`" else r"([*_|<\[])", r"\\\1", piece) for piece in pieces)


# Statistics

Entries = dict[str, tuple[str, dict[str, str]]]
"""By name, a docstring and facts."""


def statistics() -> dict[str, Entries]:
    """By heading and name, everything that `compare`, `correlate` and `--interval` offer: a docstring and facts."""
    many = {
        "tukey": many_systems.tukey_hsd,
        "randomised-tukey": many_systems.randomised_tukey,
        "nemenyi": many_systems.nemenyi,
    }
    within = "the pairs of systems within one measure; over several measures, or slices, Holm adjusts them further"
    any_false = CORRECTIONS["holm"].controls.partition(",")[0]
    return {
        "Intervals": {name: (_doc(method.function), {}) for name, method in INTERVALS.items()},
        "Tests of two systems on the same queries": {
            name: (_doc(test.function), {"Caution": test.owes}) for name, test in PAIRED_TESTS.items()
        },
        "Tests of many systems on the same queries": {
            name: (_doc(many[name]), {"Covers": within}) for name in MANY_SYSTEM_TESTS
        },
        "Tests of two groups of queries": {
            name: (_doc(test.function), {"Caution": test.owes}) for name, test in UNPAIRED_TESTS.items()
        },
        "Test of folds": {"corrected resampled t": (_doc(corrected_resampled_t), {})},
        "Corrections": {
            **{name: (_doc(entry.adjust), {"Controls": entry.controls}) for name, entry in CORRECTIONS.items()},
            "max-t": (_doc(max_t), {"Controls": f"{any_false}, and takes from the data how the tests depend"}),
        },
        "Rank correlation coefficients": {
            entry.name: (
                _doc(entry.function),
                {
                    "Range": "{:g} to {:g}".format(*entry.bounds),
                    "Order of the two": "of no importance" if entry.symmetric else "the first is the truth",
                },
            )
            for entry in all_coefficients()
        },
        **_statistics_of_decisions(),
    }


def _statistics_of_decisions() -> dict[str, Entries]:
    """The same for `classify` and `threshold`."""
    rates: dict[str, Callable[..., Any]] = {
        "newcombe": newcombe_difference,
        "mover": weighted_sum,
        "log": log_ratio,
        "mercaldo": mercaldo,
    }
    own = {name: ("" if test.function is not mcnemar else _doc(MCNEMAR[name].function)) for name, test in _tests()}
    return {
        "Rates: intervals of proportions": {
            name: (_doc(method.function), {}) for name, method in PROPORTION_INTERVALS.items()
        },
        "Rates: intervals of differences and ratios": {name: (_doc(method), {}) for name, method in rates.items()},
        "Rates: the bootstrap of cells": {
            **{name: (text, {}) for name, text in CELLS_METHODS.items()},
            "degenerate": (RATE_METHODS["degenerate"], {}),
        },
        "AUC: intervals": {name: (text, {}) for name, text in AUC_INTERVALS.items()},
        "Classifiers: tests of two on the same items": {
            name: (
                own[name] or _doc(test.function),
                {"Goes with": ", ".join(test.measures) or "any other measure", "Caution": test.owes},
            )
            for name, test in _tests()
        },
        "Threshold rules": {
            rule.name: (rule.description, {"Written": f"`--rule '{rule.example}'`"})
            for rule in THRESHOLD_RULES.values()
        },
    }


def _tests() -> list[tuple[str, ClassifierTest]]:
    return list(CLASSIFIER_TESTS.items())


STATISTICS_INTRO = {
    "Intervals": "For `germane eval --interval` and `germane compare --interval`, and `interval=` in Python.",
    "Tests of two systems on the same queries": "For `germane compare --test`. The first is the default.",
    "Tests of many systems on the same queries": "For `germane compare --test`. All of them are blocked by query.",
    "Tests of two groups of queries": "For `germane compare --unpaired FILE --test`. The first is the default.",
    "Test of folds": "For `germane.compare(..., folds=(train_size, test_size))`.",
    "Corrections": "For `germane compare --correction`; `none` leaves p as it is. `holm` is the default.",
    "Rank correlation coefficients": "For `germane correlate`.",
    "Rates: intervals of proportions": "For `germane classify --interval`. The first is the default.",
    "Rates: intervals of differences and ratios": "Of balanced accuracy, informedness, cost, likelihood ratios.",
    "Rates: the bootstrap of cells": "For `germane classify --bootstrap`: F, MCC, kappa and averages over classes.",
    "AUC: intervals": "For `germane classify --auc-scale`: `plain` is the first.",
    "Classifiers: tests of two on the same items": "For `germane classify` with several classifiers, and "
    "`germane.compare_classifiers`.",
    "Threshold rules": "For `germane threshold --rule`, and `germane.choose_threshold`.",
}


def statistics_page() -> str:
    """Every interval, test, correction and coefficient in full."""
    parts = [
        "# Statistics\n\n",
        GENERATED,
        "What there is, by the name that an option takes. [Choose a test](../how_to/choose_a_test.md) says which to\n"
        "take; here is what each one computes. n is the number of queries, m a mean or, for corrections, the number\n"
        "of tests, s a standard deviation with n - 1.\n",
    ]
    for heading, entries in statistics().items():
        parts.append(f"\n## {heading}\n\n{STATISTICS_INTRO[heading]}\n")
        parts += [_statistic_section(name, doc, facts) for name, (doc, facts) in entries.items()]
    return "".join(parts)


def _statistic_section(name: str, doc: str, facts: dict[str, str]) -> str:
    prose, arrow, example = doc.partition(">>>")
    text, listed = [], {title: _escaped(fact) for title, fact in facts.items() if fact}
    for paragraph in prose.strip().split("\n\n"):
        titled = re.findall(r"^([A-Z][\w ]*):\s+(.+?)(?=^[A-Z][\w ]*:\s|\Z)", paragraph, flags=re.M | re.S)
        if titled and paragraph.startswith(titled[0][0]) and titled[0][0] in (*TITLES, PARAMETERS):
            listed |= {title: _formula_or_text(title, " ".join(body.split())) for title, body in titled}
        else:
            text.append(_escaped(paragraph.replace("``", "`")))
    order = sorted(listed, key=lambda title: TITLES.index(title) if title in TITLES else len(TITLES))
    bullets = "".join(f"- {title}: {listed[title]}\n" for title in order)
    body = "\n\n".join(text) + "\n" + (f"\n{bullets}" if bullets else "")
    return f"\n### {name}\n\n{body}" + (f"\n```python\n{arrow}{example.rstrip()}\n```\n" if arrow else "")


TITLES = ("Formula", "Reference", "Ties", "Undefined", "Edge cases", "Note")
"""What a docstring may say under a title of its own, in the order in which it is listed."""
PARAMETERS = "Parameters"
"""Another such title, listed after these."""


def _formula_or_text(title: str, text: str) -> str:
    return f"`{text}`" if title == "Formula" else _escaped(text)


def _doc(function: Callable[..., Any]) -> str:
    return inspect.cleandoc(function.__doc__ or "")


# Ground truth


def ground_truth_page() -> str:
    """Every pooling method, measure of agreement and policy in full."""
    parts = ["# Ground truth\n\n", GENERATED, GROUND_TRUTH_INTRO]
    for heading, entries in ground_truth().items():
        parts.append(f"\n## {heading}\n\n{GROUND_TRUTH_USES[heading]}\n")
        parts += [_statistic_section(name, doc, facts) for name, (doc, facts) in entries.items()]
    return "".join(parts)


def ground_truth() -> dict[str, Entries]:
    """By heading and name, everything that `pool`, `agree` and `release` offer: a docstring and facts."""
    return {
        "Pooling methods": {
            method.name: (
                _doc(method.function).partition(">>>")[0],  # its examples call what only the tests should
                {"Kind": METHOD_KINDS[method.kind], "Parameters": _parameters_of(method)},
            )
            for method in all_methods()
        },
        "Measures of agreement": {
            entry.name: (
                _doc(entry.function),
                {
                    "In tables": entry.title,
                    "Judges": "the mean over pairs of judges" if entry.over == "pairs" else "all judges together",
                },
            )
            for entry in all_agreement_measures()
        },
        "Policies": {name: (_doc(policy.decide), {}) for name, policy in POLICIES.items()},
    }


def _parameters_of(method: Method) -> str:
    return ", ".join(f"{name} = {value}" for name, value in method.parameters.items())


GROUND_TRUTH_INTRO = (
    "How documents are chosen, how far those who judge them agree, and how several grades become one. [Choose what\n"
    "to judge](../how_to/pool.md) and [Agree and release](../how_to/agree_and_release.md) say how to use them,\n"
    "[Pools and agreement](../explanation/pools_and_agreement.md) which to take.\n"
)
GROUND_TRUTH_USES = {
    "Pooling methods": "For `germane pool --method` and `germane pool simulate --method`. The first is the default.",
    "Measures of agreement": "What `germane agree` prints; in Python, `germane.agree(...)[name]`. Those that weigh\n"
    "how far apart two grades are need three grades to say something new, and are left out with two.",
    "Policies": "For `germane release --policy`. The first is the default. A policy is asked where grades differ, and\n"
    "chooses one of those that were given, or none; `--otherwise` says what follows then.",
}
METHOD_KINDS = {
    "fixed": "needs no judgments",
    "adaptive": "chooses by the judgments so far",
    "sample": "leaves documents out by chance",
}


# Retrieval


def retrieval_page() -> str:
    """Every model, feedback method, way of fusing, analyser, format and engine in full."""
    return _page_of_parts("Retrieval", RETRIEVAL_INTRO, _sibling("retrieval_reference").parts())


def learning_page() -> str:
    """Every feature, learner, strategy, rule, split, leak and file of the learning side in full."""
    return _page_of_parts("Learning", LEARNING_INTRO, _sibling("learning_reference").parts())


def _page_of_parts(title: str, intro: str, parts: list[Any]) -> str:
    pages = [f"# {title}\n\n", GENERATED, intro]
    for part in parts:
        pages.append(f"\n## {part.heading}\n\n{part.text.strip()}\n")
        pages += [_retrieval_section(name, doc, facts) for name, (doc, facts) in part.entries.items()]
    return "".join(pages)


def _retrieval_section(name: str, doc: str, facts: dict[str, str]) -> str:
    """As `_statistic_section`, with the formula as it stands in the docstring, line by line, and facts as Markdown."""
    prose, arrow, example = doc.partition(">>>")
    about = ""
    if arrow and prose.rstrip().endswith(":") and "\n\n" in prose:  # what introduces the example stays with it
        prose, _, about = prose.rstrip().rpartition("\n\n")
        about = f"\n{_escaped(about)}\n"
    ends = rf"^[A-Z][\w ]*: {{2,}}|^(?:{'|'.join((*TITLES, PARAMETERS))}): |^\s*$|\Z"
    formula = re.search(rf"^Formula: +(.+?)(?={ends})", prose + "\n", flags=re.M | re.S)
    if formula is None:
        section = _statistic_section(name, prose, {})
        shown = ""
    else:
        # The first line begins behind its title; the others are indented to there.
        lines = inspect.cleandoc(formula[1]).rstrip()
        section = _statistic_section(name, (prose + "\n").replace(formula[0], ""), {})
        shown = f"\n```text\n{lines}\n```\n"
    head, dash, rest = section.partition("\n- ")
    bullets = f"\n- {rest}" if dash else ""
    listed = "".join(f"- {title}: {fact}\n" for title, fact in facts.items() if fact)
    gap = "" if dash or not listed else "\n"
    code = f"{about}\n```python\n{arrow}{example.rstrip()}\n```\n" if arrow else ""
    return f"{head.rstrip()}\n{shown}{bullets}{gap}{listed}{code}"


RETRIEVAL_INTRO = (
    "What `germane index`, `search`, `retrieve`, `feedback` and `fuse` know by name, and the files that they read and\n"
    "write. [Retrieval models](../explanation/retrieval_models.md) says what the models assume and how they do.\n"
)


LEARNING_INTRO = (
    "What `germane tune`, `learn` and `agent` know by name, and the files that they read and write. [The learning\n"
    "process](../explanation/the_learning_process.md) says why it is done so. `NaiveBayes`,\n"
    "`PartitioningTransduction` and `bias_variance` are on the page of [Python names](python.md).\n"
)


# Commands


def commands_page() -> str:
    """Every command with every option."""
    intro = (
        "Judgments come first and runs after them. Results go to standard output, all else to standard error. Exit\n"
        "status: 0 done, 1 a gate asked for on the command line failed, 2 the command or its input was wrong\n"
        "(`trec_eval` keeps its own codes).\n"
    )
    context = click.Context(group, info_name="germane")
    parts = ["# Commands\n\n", GENERATED, intro]
    for name in COMMANDS:
        command = group.get_command(context, name)
        assert command is not None
        parts.append(_command_section(command, context, name))
    return "".join(parts)


def _command_section(command: click.Command, parent: click.Context, name: str) -> str:
    context = click.Context(command, info_name=name, parent=parent)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    text = inspect.cleandoc(command.help or "")
    if name == "trec_eval":  # it takes its arguments as they are, and prints its own help
        usage, options = "", f"\n```text\n{_trec_eval_help()}```\n"
    else:
        options = _options_table(command) + (_plots_table() if name == "plot" else "")
    parts = [f"\n## germane {context.command_path.removeprefix('germane ')}\n\n"]
    parts.append(f"```text\n{usage}\n```\n\n" if usage else "")
    parts.append(f"{_as_markdown(text)}\n{options}")
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            assert found is not None
            parts.append(_command_section(found, context, child))
    return "".join(parts)


def _plots_table() -> str:
    """The kinds of figures; two of the same name are drawn of different things."""
    rows = ["", "| kind | of | shows |", "| --- | --- | --- |"]
    for of, plots in (("QRELS RUN...", PLOTS), ("DATA", DECISION_PLOTS)):
        rows += [f"| `{kind}` | {of} | {_escaped(plot.help)} |" for kind, plot in plots.items()]
    return "\n".join(rows) + "\n"


def _options_table(command: click.Command) -> str:
    options = [param for param in command.params if isinstance(param, click.Option)]
    if not options:
        return ""
    rows = ["", "| option | meaning |", "| --- | --- |"]
    for option in options:
        text = _escaped(" ".join((option.help or "").split()))
        text += " Required." if option.required else ""
        if option.show_default and option.default is not None:
            default = option.default if isinstance(option.default, tuple) else (option.default,)
            text += f" Default: `{' '.join(map(str, default))}`."
        spelled = ", ".join([*option.opts, *option.secondary_opts])
        rows.append(f"| `{spelled}{_value_of(option)}` | {text} |")
    return "\n".join(rows) + "\n"


def _value_of(option: click.Option) -> str:
    """What stands after an option's name. Our own words: click's differ between its versions."""
    if option.is_flag:
        return ""
    if isinstance(option.type, click.Choice):
        return " " + "\\|".join(map(str, option.type.choices))
    return " " + (option.metavar or ("TEXT" if option.type is click.STRING else "NUMBER")).replace("|", "\\|")


def _trec_eval_help() -> str:
    text: str = _sibling("examples").run_germane(["trec_eval", "--help"])[0]
    return text


# JSON


def json_page() -> str:
    """The contract of the JSON output, with what the commands really print."""
    template = (ROOT / "docs" / "json_contract.txt").read_text(encoding="utf-8")
    for name, sample in json_samples().items():
        template = template.replace(f"@{name}@\n", sample)
    # The same page from an installed germane and from its source, which does not know its version.
    template = re.sub(r'("germane": )"[^"]*"', rf'\1"{_version()}"', template)
    return "# JSON output\n\n" + GENERATED + template


@cache
def json_samples() -> dict[str, str]:
    """What the commands print as JSON, by its name in the template."""
    found: dict[str, str] = _sibling("json_samples").samples()
    return found


def _version() -> str:
    version: str = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    return version


def sample_keys() -> set[str]:
    """Every name that occurs as a key of the contract in the samples of `json_page`."""
    page = json_page()
    found: set[str] = set()
    for block in re.findall(r"^```json\n(.*?)^```$", page, flags=re.M | re.S):
        for document in [block] if block.startswith("{\n") else block.splitlines():
            found |= set(_keys(json.loads(document)))
    return found


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(inner)


# Python


def python_page() -> str:
    """Every public name, with its signature and what its docstring says."""
    names = sorted(germane.__all__, key=str.casefold)
    objects = {name: getattr(germane, name) for name in names}
    functions = [name for name, value in objects.items() if not inspect.isclass(value)]
    errors = [name for name, value in objects.items() if inspect.isclass(value) and issubclass(value, Exception)]
    classes = [name for name in names if name not in functions and name not in errors]
    choices = {"Ties": Ties, "Topics": api.Topics, "ScoreType": api.ScoreType}
    listed = "".join(
        f"- `{name}`: {', '.join(f'`{choice!r}`' for choice in get_args(kind))}\n" for name, kind in choices.items()
    )
    intro = (
        "All of these are names of the module `germane`: `import germane as ge`. Types that are one of a few words:\n\n"
    )
    parts = ["# Python\n\n", GENERATED, intro, listed]
    for title, chosen in (("Functions", functions), ("Classes", classes), ("Errors", errors)):
        parts.append(f"\n## {title}\n")
        parts += [_python_section(name, objects[name]) for name in chosen]
    return "".join(parts)


def _python_section(name: str, value: Any) -> str:
    text = _as_markdown(inspect.cleandoc(value.__doc__ or ""))
    if not inspect.isclass(value):
        return f"\n### {name}\n\n```text\n{_signature(name, value)}\n```\n\n{text}\n"
    fields = "" if issubclass(value, Exception) else _fields(value)
    return f"\n### {name}\n\n{text}\n{fields}{'' if issubclass(value, Exception) else _methods(value)}"


def _fields(cls: type) -> str:
    hints = {name: hint for name, hint in cls.__annotations__.items() if not name.startswith("_")}
    listed = "".join(f"- `{name}: {hint}`\n" for name, hint in hints.items())
    return f"\nHolds:\n\n{listed}" if hints else ""


def _methods(cls: type) -> str:
    lines = []
    of_ours = [base for base in cls.__mro__ if base.__module__.startswith("germane.")]
    members = {name: member for base in reversed(of_ours) for name, member in vars(base).items()}
    own_first = {name: members[name] for base in of_ours for name in vars(base)}
    for name, member in own_first.items():
        if name.startswith("_") and name != "__getitem__":
            continue
        function = member.__func__ if isinstance(member, classmethod) else member
        if inspect.isfunction(function):
            call = "scores[run, measure]" if name == "__getitem__" else _signature(name, function, method=True)
        else:
            function, call = getattr(member, "fget", None) or getattr(member, "func", None), name
        doc = inspect.cleandoc(getattr(function, "__doc__", None) or "").partition("\n\n")[0]
        if function is not None and doc:
            lines.append(f"- `{call}`: {_as_markdown(' '.join(doc.split()))}\n")
    return "\nOffers:\n\n" + "".join(lines) if lines else ""


def _signature(name: str, function: Callable[..., Any], *, method: bool = False) -> str:
    """As it is written in the source, so that it is the same under every version of Python."""
    parameters = list(inspect.signature(function).parameters.values())[1 if method else 0 :]
    parts, keyword_only = [], False
    for parameter in parameters:
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            parts.append("*")
        stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(parameter.kind.name, "")
        hint = "" if parameter.annotation is inspect.Parameter.empty else f": {parameter.annotation}"
        default = "" if parameter.default is inspect.Parameter.empty else f" = {parameter.default!r}"
        parts.append(f"{stars}{parameter.name}{hint}{default}")
    returns = f" -> {function.__annotations__['return']}" if "return" in function.__annotations__ else ""
    inside = ", ".join(parts)
    if not method and len(name) + len(inside) + len(returns) > 110:
        inside = "\n" + "".join(f"    {part},\n" for part in parts)
    return f"{name}({inside}){returns}"


def _as_markdown(docstring: str) -> str:
    """A docstring's text as Markdown: examples fenced, double backticks single."""
    parts = []
    for paragraph in docstring.split("\n\n"):
        if paragraph.startswith(">>>"):
            parts.append(f"```python\n{paragraph}\n```")
        else:
            parts.append(paragraph.replace("``", "`"))
    return "\n\n".join(parts)


def _sibling(name: str) -> Any:
    """Another file of this folder, whether this one is run or imported."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    return import_module(f"docs.{name}")


def main() -> None:
    """Write what has changed, and say what that was."""
    os.environ["COLUMNS"] = "100"
    fresh = generate()
    examples = _sibling("examples")
    for page in examples.pages():
        name = page.relative_to(ROOT).as_posix()
        text = fresh.get(name) or page.read_text(encoding="utf-8")
        fresh[name] = examples.rerun(text, name).text
    for name, text in fresh.items():
        path = ROOT / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")


if __name__ == "__main__":
    main()
