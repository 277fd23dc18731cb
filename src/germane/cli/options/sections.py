"""Sections of the help: which option belongs to which section, and in which order, for all commands."""

from __future__ import annotations

import click

SECTIONS = {
    "Evaluation": """
        --task --measure --utility --coefficient --p --missing --protocol --method --learner --C --scaling --features
        --model --feedback --rerank --rerank-feature --space --search --candidates --top --depth --budget --budgets
        --distractors --distractors-from --leave-one-out --teams --repeats --folds --tolerance --judged --rounds
        --error-rate --ask --costs --calibrate --past-topics --past-qrels --past-qrels-format --past-rel --past-shared
        --weights --normalise --similarity --exclude-self --no-relevant --junk-label --approximate --size --uniform
        --runs --with-calibration --policy --undecided --min-grades --pseudonyms --topics --aggregate --slices --against
        --bounds --invert --class --average --prevalence --cost-fp --cost-fn --rule --target-by --threshold
        --at-thresholds --rel --baseline --tutorial --images
    """,
    "Input": """
        --qrels --pool --collection --queries --docs --query-ids --doc-ids --query-labels --doc-labels
        --query-cameras --doc-cameras --dtype --data --group-sizes --feature-names --zero-based --query-texts
        --documents --field --topic-numbers --run-costs --rubric --grades --calibration --truth --predicted
        --score --quantile --vectors --weight --cluster --positive --probabilities --separator --labels --matrix
        --rows --scale --ties --collection-size --score-type --trec-version --qrels-format --run-format
        --folders --layout --from --kind --analyser --stop-list --fields --id-field --decimal --encoding
        --positions --no-texts --add --update --delete --merge --verify --import
    """,
    "Statistics": """
        --test --sides --groups --correction --mcnemar --alpha --interval --bootstrap --stratified --auc-scale --level
        --equivalence --margin --difference --resamples --seed
    """,
    "People": """
        --organiser --assessor --viewer --judgments-per-doc --repeat-share --masked --active --offline --for --count
        --import-bundle --revoke
    """,
    "Execution": """
        --engine --master --stream --device --threads --timeout --template --resume --store --serve --host --port
        --allowed-host --certificate --key
    """,
    "Output": """
        --output --to --tag --name --title --lossy --overwrite --save-features --comment --check --figure --curve
        --curves --solutions --students --sort --per-query --query --counts --shares --reorder --show --format --table
        --all-tables --digits --color --notes
    """,
    "Gates": "--fail-under --gate",
    "Help": "--list --help",
}
OTHER = "Other"
"""Section of options that the table above lacks; a test makes sure that there are none."""

PLACE = {
    name: (section, number)
    for section, names in SECTIONS.items()
    for number, name in enumerate(names.split())
}  # fmt: skip
_ORDER = {section: number for number, section in enumerate((*SECTIONS, OTHER))}


def long_name(option: click.Parameter) -> str:
    """Return the name of an option in the table above: its first long name.

    >>> long_name(click.Option(["-k", "--top"]))
    '--top'
    """
    return next((name for name in option.opts if name.startswith("--")), option.opts[0])


def section_of(option: click.Parameter) -> str:
    """Return the title of the section of an option."""
    return PLACE.get(long_name(option), (OTHER, 0))[0]


def in_order(params: list[click.Parameter]) -> list[click.Parameter]:
    """Sort parameters: arguments as they are declared, then options in the order of the table above."""

    def place(param: click.Parameter) -> tuple[int, int]:
        if not isinstance(param, click.Option):
            return -1, 0
        section, number = PLACE.get(long_name(param), (OTHER, 0))
        return _ORDER[section], number

    return sorted(params, key=place)
