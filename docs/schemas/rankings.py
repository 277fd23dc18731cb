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
    "?micro": by("measure", measured("the sum of the numerators divided by the sum of the denominators")),
    "?median": by("measure", measured("the median over queries")),
    "?gm": by("measure", measured("the geometric mean over queries")),
    "?min": by("measure", measured("the lowest value")),
    "?max": by("measure", measured("the highest value")),
    "?interval": by("measure", interval("the interval of the mean")),
}
NUM_QUERIES = whole("number of queries")
RUN = record(
    "a run",
    {
        "name": text("its name"),
        "path": nullable(text("the file it came from")),
        "num_queries": NUM_QUERIES,
        **AGGREGATES,
        "?slices": by("slice", record("a slice of the queries", {"num_queries": NUM_QUERIES, **AGGREGATES})),
        "?bounds": by("measure", interval("the mean of the lowest and of the highest possible values")),
        "?queries": by("query", BY_MEASURE, "its values"),
    },
)
EVAL = document(
    "output of `germane eval --format json`",
    "eval",
    {
        "ties": text("how score ties were broken"),
        "topics": text("the queries that were averaged over"),
        "score_type": text("the precision of the scores", "float64", "float32"),
        "?interval": record(
            "how the intervals of the means were computed", {"method": text("the method"), "level": LEVEL, "seed": SEED}
        ),
        "asked": by("name", text("the measure's own name"), "the measure requested under this name"),
        "runs": listed("one entry per run, in the order of the command line", RUN),
    },
)
LINE: Schema = {
    "description": "one line of the output of `germane eval --format jsonl`: a query, an aggregate or a note",
    "anyOf": [
        record("a note", {"note": NOTE}),
        {
            **record(
                "a query or an aggregate; all other keys are measures",
                {
                    "run": text("the run's name"),
                    "?query": text("the query"),
                    "?slice": text("the slice that is aggregated"),
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
WHERE = {"measure": text("the measure"), "slice": text("the slice; empty for all queries")}
PAIR = record(
    "two systems and a measure",
    {
        **WHERE,
        "a": text("the first"),
        "b": text("the second"),
        "num_queries": NUM_QUERIES,
        "mean_a": measured("the mean of a"),
        "mean_b": measured("the mean of b"),
        "difference": measured("the mean of b − that of a"),
        "interval": interval("the interval of the difference"),
        "p": measured("the unadjusted p-value"),
        "p_adjusted": measured("the p-value adjusted for the whole family of tests"),
        "effect": by("effect size", measured("the size of the difference")),
        "wins": nullable(whole("number of queries on which b is better")),
        "ties": nullable(whole("number of queries on which they are equal")),
        "losses": nullable(whole("number of queries on which b is worse")),
        "gained": listed("queries on which b improved most", CHANGE),
        "lost": listed("queries on which b got worse most", CHANGE),
        "?p_equivalent": measured("p-value of the equivalence test: small means that they differ by less than δ"),
        "?p_noninferior": measured(
            "p-value of the non-inferiority test: small means that b is not worse by more than δ"
        ),
        "?minimum_detectable": measured("the smallest true difference found with 80% power"),
        "?queries_needed": whole("number of queries needed to find the planned difference with 80% power"),
    },
)
COMPARE = document(
    "output of `germane compare --format json`",
    "compare",
    {
        "test": text("the test"),
        "sides": text("the alternative hypothesis", "two", "greater", "less"),
        "correction": text("the correction for multiple tests"),
        "family": text("the family of tests that p-values are adjusted for, in words"),
        "num_tests": whole("number of tests in the family"),
        "alpha": number("the significance level α"),
        "interval": INTERVALS,
        "seed": SEED,
        "baseline": nullable(text("the baseline run; null for all pairs")),
        "equivalence": measured("the δ of the equivalence test; null if not requested"),
        "margin": measured("the δ of the non-inferiority test; null if not requested"),
        "planned_difference": measured("the planned difference; null if not requested"),
        "?means": by("run", BY_MEASURE, "its means; omitted with --groups"),
        "pairs": listed("one entry per slice, measure and pair of systems", PAIR),
        "variance": listed(
            "two-way analysis of variance",
            record(
                "the results for a measure",
                {
                    **WHERE,
                    "f_systems": measured("F of the systems"),
                    "p_systems": measured("p of the systems"),
                    "f_queries": measured("F of the queries"),
                    "p_queries": measured("p of the queries"),
                    "residual_sd": measured("the residual standard deviation"),
                },
            ),
        ),
        "friedman": listed(
            "Friedman's test",
            record(
                "the results for a measure",
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
            "groups of systems without a significant difference",
            record(
                "the results for a measure",
                {
                    **WHERE,
                    "letters": by("run", text("its letters; systems that share a letter do not differ significantly")),
                },
            ),
        ),
        "?ranks": listed(
            "bootstrap intervals of the ranks, for more than 20 systems",
            record("of one measure", {**WHERE, "ranks": by("run", listed("its first and last rank", whole("a rank")))}),
        ),
    },
)
COUNTED = {
    "?num_docs": whole("number of documents in either ranking"),
    "?num_systems": whole("number of systems in either ranking"),
    "num_common": whole("number of items in both rankings"),
}
ROW: Schema = {
    **record("a pair of rankings; all other keys are coefficients", COUNTED),
    "additionalProperties": measured("the value of a coefficient"),
}
CORRELATE = document(
    "output of `germane correlate --format json`",
    "correlate",
    {
        "between": text("what is correlated", "runs", "leaderboards", "measures"),
        "p": number("the persistence of rank-biased overlap"),
        "depth": nullable(whole("the ranking depth; null for all")),
        "?first": text("the first run or leaderboard"),
        "?second": text("the second run or leaderboard"),
        "?missing": text("how documents in only one ranking were handled"),
        "coefficients": listed("the coefficients, which are keys below", text("a coefficient")),
        "?num_queries": NUM_QUERIES,
        "?mean": by("coefficient", measured("the mean over queries")),
        "?queries": by("query", ROW),
        "?num_measures": whole("number of measures"),
        "?measures": {
            "description": "of leaderboards: the rows by measure; of measures: their names",
            "anyOf": [by("measure", ROW), listed("the measures", text("a measure"))],
        },
        "?systems": listed("of measures: the systems", text("a system")),
        "?correlations": by(
            "coefficient", by("measure", by("measure", measured("the correlation of the two rankings of systems")))
        ),
    },
)
EXPLAIN = document(
    "output of `germane explain --format json` for a ranking",
    "explain",
    {
        "measure": text("the measure"),
        "run": text("the run"),
        "query": text("the query"),
        "value": measured("the value that is explained"),
        "formula": text("the definition of the measure"),
        "rows": listed(
            "the breakdown",
            {
                **record("a rank that contributes", {"?document": text("the document")}),
                "additionalProperties": {
                    "description": "a column of the table, such as rank, grade, precision or term",
                    "type": ["number", "string", "boolean", "null"],
                },
            },
        ),
        "base": number("the start value of the sum"),
        "denominator": number("the denominator of the sum"),
        "denominator_is": text("the name of the denominator"),
        "last_line": text("the sum written out"),
        "notes": SENTENCES,
    },
)
MEASURES = document(
    "output of `germane measures --format json`",
    "measures",
    {
        "measures": listed(
            "the measures, or those of one name",
            record(
                "a measure",
                {
                    "name": text("its name"),
                    "family": text("its family"),
                    "summary": text("a one-line summary"),
                    "facts": by("title", text("formula, reference, parameters and other facts")),
                },
            ),
        ),
    },
)
APPROXIMATE = document(
    "output of `germane vectors --approximate --format json`",
    "vectors-approximate",
    {
        "recall": {**EVAL, "description": "the share of the exact top K that each index found, as in `eval`"},
        "comparison": nullable(
            {**COMPARE, "description": "the effect of the approximation on quality, as in `compare`"}
        ),
    },
)

SCHEMAS: dict[str, Schema] = {
    "eval": EVAL,
    "eval-line": LINE,
    "vectors": {**EVAL, "description": "output of `germane vectors --format json`"},
    "vectors-approximate": APPROXIMATE,
    "compare": COMPARE,
    "correlate": CORRELATE,
    "explain": EXPLAIN,
    "measures": MEASURES,
}
