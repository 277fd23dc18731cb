"""Schemas of `eval`, `compare`, `correlate`, `explain` and `vectors`."""

from __future__ import annotations

from docs.schemas.building import (
    BY_MEASURE,
    INTERVALS,
    LEVEL,
    NOTE,
    SEED,
    SENTENCES,
    Schema,
    by,
    document,
    interval,
    listed,
    measured,
    nullable,
    number,
    record,
    text,
    whole,
)

AGGREGATES: dict[str, Schema] = {
    "?mean": by("measure", measured("the mean over queries, or the sum of a count")),
    "?micro": by("measure", measured("the sum of the numerators over that of the denominators")),
    "?median": by("measure", measured("the median over queries")),
    "?gm": by("measure", measured("the geometric mean over queries")),
    "?min": by("measure", measured("the lowest value")),
    "?max": by("measure", measured("the highest value")),
    "?interval": by("measure", interval("the interval of the mean")),
}
NUM_QUERIES = whole("over how many queries")
RUN = record(
    "a run",
    {
        "name": text("what it is called"),
        "path": nullable(text("the file it came from")),
        "num_queries": NUM_QUERIES,
        **AGGREGATES,
        "?slices": by("slice", record("a group of queries", {"num_queries": NUM_QUERIES, **AGGREGATES})),
        "?bounds": by("measure", interval("the mean of the lowest and of the highest possible values")),
        "?queries": by("query", BY_MEASURE, "its values"),
    },
)
EVAL = document(
    "what `germane eval --format json` prints",
    "eval",
    {
        "ties": text("how documents of equal score were ordered"),
        "topics": text("which queries count"),
        "score_type": text("how scores were held", "float64", "float32"),
        "?interval": record(
            "how the intervals of means were made", {"method": text("the method"), "level": LEVEL, "seed": SEED}
        ),
        "asked": by("name", text("the measure's own name"), "the measure that was asked for by this name"),
        "runs": listed("one entry per run, in the order of the command line", RUN),
    },
)
LINE: Schema = {
    "description": "one line of what `germane eval --format jsonl` prints: a query, an aggregate or a note",
    "anyOf": [
        record("a note", {"note": NOTE}),
        {
            **record(
                "a query or an aggregate; all other keys are measures",
                {
                    "run": text("the run's name"),
                    "?query": text("the query"),
                    "?slice": text("the group of queries that is aggregated"),
                    "?aggregate": text("mean, micro …"),
                    "?num_queries": NUM_QUERIES,
                },
            ),
            "additionalProperties": measured("the value of a measure"),
        },
    ],
}
CHANGE: Schema = {
    "description": "a query and its difference",
    "type": "array",
    "prefixItems": [text("the query"), number("its difference")],
    "minItems": 2,
    "maxItems": 2,
}
WHERE = {"measure": text("the measure"), "slice": text("the group of queries; empty for all")}
PAIR = record(
    "two systems and a measure",
    {
        **WHERE,
        "a": text("the one"),
        "b": text("the other"),
        "num_queries": NUM_QUERIES,
        "mean_a": measured("the mean of a"),
        "mean_b": measured("the mean of b"),
        "difference": measured("the mean of b less that of a"),
        "interval": interval("the interval of the difference"),
        "p": measured("the test's own p-value"),
        "p_adjusted": measured("the p-value for the whole family of tests"),
        "effect": by("effect size", measured("how large the difference is")),
        "wins": nullable(whole("queries on which b is better")),
        "ties": nullable(whole("queries on which they are equal")),
        "losses": nullable(whole("queries on which b is worse")),
        "gained": listed("where b gained most", CHANGE),
        "lost": listed("where b lost most", CHANGE),
        "?p_equivalent": measured("small says that they differ by less than δ either way"),
        "?p_noninferior": measured("small says that b is not worse by more than δ"),
        "?minimum_detectable": measured("the true difference that so many queries show with a probability of 0.8"),
        "?queries_needed": whole("how many queries it takes to show the wanted difference"),
    },
)
COMPARE = document(
    "what `germane compare --format json` prints",
    "compare",
    {
        "test": text("the test"),
        "sides": text("its sides", "two", "greater", "less"),
        "correction": text("how p is adjusted"),
        "family": text("what p is adjusted for, in words"),
        "num_tests": whole("how many tests the family has"),
        "alpha": number("the error rate that is accepted"),
        "interval": INTERVALS,
        "seed": SEED,
        "baseline": nullable(text("the run that all others are compared with; null for all pairs")),
        "equivalence": measured("the δ of equivalence, if asked for"),
        "margin": measured("the δ of not being worse, if asked for"),
        "planned_difference": measured("the difference to plan for, if asked for"),
        "?means": by("run", BY_MEASURE, "its means; none of groups of queries"),
        "pairs": listed("one entry per slice, measure and pair of systems", PAIR),
        "variance": listed(
            "two-way analysis of variance",
            record(
                "of one measure",
                {
                    **WHERE,
                    "f_systems": measured("F of the systems"),
                    "p_systems": measured("p of the systems"),
                    "f_queries": measured("F of the queries"),
                    "p_queries": measured("p of the queries"),
                    "residual_sd": measured("the standard deviation that neither explains"),
                },
            ),
        ),
        "friedman": listed(
            "Friedman's test",
            record(
                "of one measure",
                {
                    **WHERE,
                    "chi_squared": measured("the statistic"),
                    "df": whole("its degrees of freedom"),
                    "p": measured("its p-value"),
                    "mean_ranks": by("run", number("its mean rank; 1 is the highest value")),
                },
            ),
        ),
        "letters": listed(
            "which systems cannot be told apart",
            record("of one measure", {**WHERE, "letters": by("run", text("its letters; who shares one is alike"))}),
        ),
    },
)
COUNTED = {
    "?num_docs": whole("documents in either ranking"),
    "?num_systems": whole("systems in either ranking"),
    "num_common": whole("what both have"),
}
ROW: Schema = {
    **record("a pair of rankings; all other keys are coefficients", COUNTED),
    "additionalProperties": measured("the value of a coefficient"),
}
CORRELATE = document(
    "what `germane correlate --format json` prints",
    "correlate",
    {
        "between": text("what is correlated", "runs", "leaderboards", "measures"),
        "p": number("the persistence of rank-biased overlap"),
        "depth": nullable(whole("how far down rankings were read; null for all")),
        "?first": text("the one run or leaderboard"),
        "?second": text("the other"),
        "?missing": text("what was done about documents in one ranking only"),
        "coefficients": listed("their names, which are keys below", text("a coefficient")),
        "?num_queries": NUM_QUERIES,
        "?mean": by("coefficient", measured("the mean over queries")),
        "?queries": by("query", ROW),
        "?num_measures": whole("how many measures"),
        "?measures": {
            "description": "of leaderboards: the rows by measure; of measures: their names",
            "anyOf": [by("measure", ROW), listed("the measures", text("a measure"))],
        },
        "?systems": listed("of measures: the systems", text("a system")),
        "?correlations": by("coefficient", by("measure", by("measure", measured("how alike they order the systems")))),
    },
)
EXPLAIN = document(
    "what `germane explain --format json` prints of a ranking",
    "explain",
    {
        "measure": text("the measure"),
        "run": text("the run"),
        "query": text("the query"),
        "value": measured("the number that is explained"),
        "formula": text("how the measure is defined"),
        "rows": listed(
            "the worked table",
            {
                **record("a rank that contributes", {"?document": text("the document")}),
                "additionalProperties": {
                    "description": "a column of the table, such as rank, grade, precision or term",
                    "type": ["number", "string", "boolean", "null"],
                },
            },
        ),
        "base": number("what the sum begins with"),
        "denominator": number("what the sum is divided by"),
        "denominator_is": text("what that is, in a word"),
        "last_line": text("the sum written out"),
        "notes": SENTENCES,
    },
)
MEASURES = document(
    "what `germane measures --format json` prints",
    "measures",
    {
        "measures": listed(
            "the measures, or those of one name",
            record(
                "a measure",
                {
                    "name": text("its name"),
                    "family": text("the group that it is listed in"),
                    "summary": text("a line on it"),
                    "facts": by("title", text("formula, reference, parameters and what else is declared")),
                },
            ),
        ),
    },
)
APPROXIMATE = document(
    "what `germane vectors --approximate --format json` prints",
    "vectors-approximate",
    {
        "recall": {**EVAL, "description": "the share of the exact top K that each index found, as `eval` has it"},
        "comparison": nullable({**COMPARE, "description": "what the approximation costs, as `compare` has it"}),
    },
)

SCHEMAS: dict[str, Schema] = {
    "eval": EVAL,
    "eval-line": LINE,
    "vectors": {**EVAL, "description": "what `germane vectors --format json` prints"},
    "vectors-approximate": APPROXIMATE,
    "compare": COMPARE,
    "correlate": CORRELATE,
    "explain": EXPLAIN,
    "measures": MEASURES,
}
