"""Assign columns of a table to roles (true labels, predictions, scores, weights), by request or inferred from names.

Every inference is reported in `Chosen.guessed`. Only what is needed is inferred: if a prediction or a score is named,
no other is used. Weights are never inferred: a column that looks like weights is reported but not used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict, Unpack

from germane.errors import InputError, did_you_mean
from germane.formats.rows.column_names import plain_name
from germane.formats.rows.number_text import number_of

GUESSES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    role: tuple(tuple(group.split()) for group in names.split(";"))
    for role, names in {
        "truth": "truth y_true gold actual true ytrue true_label true_class ground_truth groundtruth gold_label "
        "actual_label actual_class; label labels target class y expected reference annotation is_positive",
        "predicted": "predicted prediction pred y_pred predictions preds ypred predicted_label predicted_class "
        "pred_label pred_class y_hat yhat; output decision guess response answer system cluster clusters cluster_id "
        "cluster_label",
        "score": "score y_score probability prob proba p scores yscore y_prob y_proba p_1 prob_1 proba_1 score_1 "
        "predicted_probability pred_proba pred_prob; confidence logit llr decision_function likelihood similarity "
        "log_likelihood log_density",
        "weight": "weight sample_weight w weights",
    }.items()
}
"""Usual column names of each role. Names of the second group are considered only if no name of the first is present.
Case does not matter; ``-``, ``_`` and space are equivalent."""
THINGS = frozenset(
    {
        *(
            "image",
            "item",
            "patient",
            "subject",
            "case",
            "person",
            "user",
            "customer",
            "participant",
            "speaker",
            "video",
        ),
        *("session", "doc", "document"),
    }
)
"""Things that several items may belong to, in usual names of columns, with or without ``_id``."""
Name = str | int
"""A column: its name or, in a text file without a header, its number, from 1."""
Names = Name | Iterable[Name] | None


class ColumnNames(TypedDict, total=False):
    """The columns requested for each role: by name or number, one or several."""

    truth: Name | None
    predicted: Names
    score: Names
    weight: Name | None
    id: Name | None
    probabilities: Names
    cluster: Name | None
    slices: Names
    vectors: Names
    contents: str


CALLED = {
    "truth": "true labels",
    "predicted": "predictions",
    "score": "scores",
    "weight": "weights",
    "id": "ids",
    "probabilities": "probabilities",
    "cluster": "clusters",
    "slices": "slices",
    "vectors": "vectors",
}


NUMERIC_LABELS = {"truth": "true value", "predicted": "prediction"}
"""What truth and predictions are called where they are numbers."""


@dataclass(frozen=True)
class Asked:
    """The columns requested for each role; an empty role may be inferred.

    `contents` are labels; numbers, also as truth and predictions; or values: scores alone, without a truth.
    """

    truth: str | None = None
    predicted: tuple[str, ...] = ()
    score: tuple[str, ...] = ()
    weight: str | None = None
    id: str | None = None
    probabilities: tuple[str, ...] = ()
    cluster: str | None = None
    slices: tuple[str, ...] = ()
    vectors: tuple[str, ...] = ()
    contents: str = "labels"

    @classmethod
    def of(cls, **columns: Unpack[ColumnNames]) -> Asked:
        """Build the request from column names or numbers; a score ending in ``*`` is a prefix of `probabilities`."""
        single = (columns.get(role) for role in ("truth", "weight", "id", "cluster"))
        truth, weight, id_column, cluster = (None if name is None else str(name) for name in single)
        predicted, given, several = (_several(columns.get(role)) for role in ("predicted", "score", "probabilities"))
        starred = (name for name in given if name.endswith("*"))
        prefixes = tuple(name.removesuffix("*") for name in (*several, *starred))
        scores = tuple(name for name in given if not name.endswith("*"))
        vectors, contents = _several(columns.get("vectors")), columns.get("contents", "labels")
        slices = _several(columns.get("slices"))
        return cls(truth, predicted, scores, weight, id_column, prefixes, cluster, slices, vectors, contents)

    def expanded(self, names: Sequence[str], source: str, line: int | None) -> Asked:
        """Return the request with every name that stands for several columns of a table replaced by these."""
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """All column names requested, without prefixes."""
        single = (name for name in (self.truth, self.weight, self.id, self.cluster) if name is not None)
        return (*single, *self.predicted, *self.score, *self.slices)


@dataclass(frozen=True)
class Chosen:
    """The column of each role; `probabilities` has one for each label, by the prefix of their names.

    An empty `truth` means none.

    `guessed` describes each inferred column, and each unused column that looks like weights; `like_ids` are unused
    columns that look like ids.
    """

    truth: str
    predicted: tuple[str, ...] = ()
    score: tuple[str, ...] = ()
    weight: str | None = None
    id: str | None = None
    probabilities: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    guessed: tuple[str, ...] = ()
    vectors: tuple[str, ...] = ()
    contents: str = "labels"
    cluster: str | None = None
    slices: tuple[str, ...] = ()
    like_ids: tuple[str, ...] = ()

    @property
    def roles(self) -> dict[str, tuple[str, ...]]:
        """The columns of each role that has any."""
        roles = {
            "truth": (self.truth,) if self.truth else (),
            "predicted": self.predicted,
            "score": self.score,
            "weight": () if self.weight is None else (self.weight,),
            "id": () if self.id is None else (self.id,),
            "probabilities": tuple(name for columns in self.probabilities.values() for name in columns.values()),
            "cluster": () if self.cluster is None else (self.cluster,),
            "slices": self.slices,
            "vectors": self.vectors,
        }
        return {role: names for role, names in roles.items() if names}

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns of labels, without duplicates: none where the truth is a number."""
        columns = (*self.roles.get("truth", ()), *self.predicted)
        return () if self.contents == "numbers" else tuple(dict.fromkeys(columns))

    @property
    def needed(self) -> tuple[str, ...]:
        """All columns with a role, without duplicates."""
        return tuple(dict.fromkeys(name for names in self.roles.values() for name in names))


def choose_columns(names: Sequence[str], asked: Asked, source: str, line: int | None = None) -> Chosen:
    """Find the requested columns, and infer the others from their names.

    >>> chosen = choose_columns(["id", "Y True", "score"], Asked(), "dev.csv")
    >>> chosen.truth, chosen.score
    ('Y True', ('score',))
    >>> chosen.guessed[0]
    "using column 'Y True' as true labels (change with --truth)"
    """
    finder = _Finder(tuple(names), source, line)
    finder.reject_duplicates()
    asked = asked.expanded(names, source, line)
    guessed: list[str] = []

    def guess(role: str) -> str | None:
        found = finder.guess(role)
        if found is not None:
            guessed.append(f"using column {found!r} as {CALLED[role]} (change with --{role})")
        return found

    truth = finder.find(asked.truth) if asked.truth is not None else None
    if truth is None and asked.contents != "values":
        truth = guess("truth")
    if truth is None and not asked.vectors and asked.contents != "values":
        raise finder.without("truth", f"use `truth=…`{finder.headerless_hint()}")
    predicted = tuple(map(finder.find, asked.predicted))
    score = tuple(map(finder.find, asked.score))
    probabilities = finder.by_prefix(asked.probabilities, truth or "")
    if not (predicted or score or probabilities):
        if asked.contents != "values":
            predicted = (found,) if (found := guess("predicted")) else ()
        if asked.contents != "numbers" or not predicted:
            score = (found,) if (found := guess("score")) else ()
        prefix, many = finder.one_for_each_class()
        if many and not predicted and set(score) <= set(many):
            few = ", ".join(map(repr, many[:3])) + ", …" * (len(many) > 3)
            hint = (
                f"use `probabilities={prefix!r}` for one column per class, or `score={many[-1]!r}` for a single score"
            )
            raise finder.error(f"expected one score column, found {len(many)}: {few}", hint)
        if not (predicted or score):
            hint = "use `predicted=…` or `score=…`"
            if asked.contents == "values":
                problem = f"expected a column of log-likelihoods, found {finder.listed}"
                raise finder.error(problem, f"name it: `score=…`{finder.headerless_hint()}")
            raise finder.without("predicted", hint + finder.headerless_hint(), beside=truth)
    weight = None if asked.weight is None else finder.find(asked.weight)
    vectors = finder.starting_with(asked.vectors)
    if asked.weight is None:
        like_weights = (name for name in names if plain_name(name) in GUESSES["weight"][0])
        unused = [name for name in like_weights if name not in (truth, *predicted, *score, *vectors, asked.id)]
        guessed += [
            f"column {name!r} looks like weights but is not used (use it with --weight {name})" for name in unused
        ]
    id_column = None if asked.id is None else finder.find(asked.id)
    cluster = None if asked.cluster is None else finder.find(asked.cluster)
    slices = tuple(dict.fromkeys(map(finder.find, asked.slices)))
    chosen = Chosen(
        truth or "", predicted, score, weight, id_column, probabilities, tuple(guessed), vectors, asked.contents,
        cluster, slices,
    )  # fmt: skip
    like_ids = (name for name in names if _looks_like_id(name) and name not in chosen.needed)
    chosen = replace(chosen, like_ids=tuple(like_ids))
    _require_one_use(chosen, finder)
    return chosen


def _require_one_use(chosen: Chosen, finder: _Finder) -> None:
    """Refuse true labels that are used for anything else, and a column of both texts and numbers."""
    roles = chosen.roles
    for role, others in (
        ("truth", ("predicted", "score", "weight", "vectors", "cluster", "slices")),
        # A predicted number may be a quantile too, which is read as a score.
        ("predicted", ("score",) if chosen.contents != "numbers" else ()),
        ("predicted", ("weight", "probabilities", "vectors")),
        ("cluster", ("score", "weight", "slices")),
        ("id", ("score", "weight", "probabilities")),
    ):
        for other in others:
            if twice := [name for name in roles.get(role, ()) if name in roles.get(other, ())]:
                problem = f"column {twice[0]!r} cannot be used as both {CALLED[role]} and {CALLED[other]}"
                raise finder.error(problem, "choose another column for one of them")


def looks_like_header(fields: Sequence[str], asked: Asked) -> bool:
    """Return whether the fields at the requested positions are usual names of such columns."""
    roles = [("truth", asked.truth), ("weight", asked.weight)]
    roles += [("predicted", name) for name in asked.predicted] + [("score", name) for name in asked.score]
    places = [(role, int(name) - 1) for role, name in roles if name is not None]
    return all(
        0 <= place < len(fields) and any(plain_name(fields[place]) in group for group in GUESSES[role])
        for role, place in places
    )


def is_number(text: str) -> bool:
    """Return whether a field is a number."""
    return number_of(text) is not None


@dataclass(frozen=True)
class _Finder:
    names: tuple[str, ...]
    source: str
    line: int | None

    @property
    def listed(self) -> str:
        more = len(self.names) - 30
        return ", ".join(map(repr, self.names[:30])) + (f" and {more} more" if more > 0 else "")

    def error(self, problem: str, hint: str | None = None) -> InputError:
        return InputError(self.source, self.line, problem, hint=hint)

    def without(self, role: str, hint: str, *, beside: str | None = None) -> InputError:
        what = CALLED[role] + ("" if beside is None else f" or scores besides the true labels {beside!r}")
        usual = ", ".join(GUESSES[role][0][:4])
        return self.error(f"expected a column of {what} ({usual}, …), found {self.listed}", hint)

    def headerless_hint(self) -> str:
        if not any(map(is_number, self.names)):
            return ""
        return (
            "; if the file has no header, add one such as `truth,score` as its first line, "
            "or use column numbers: `truth=1` `score=2`"
        )

    def reject_duplicates(self) -> None:
        double = next((name for name in self.names if self.names.count(name) > 1), None)
        if double is not None:
            hint = self.headerless_hint().removeprefix("; ") or "rename one of them"
            raise self.error(f"duplicate column {double!r} among {self.listed}", hint)

    def find(self, asked: str) -> str:
        if asked in self.names:
            return asked
        alike = [name for name in self.names if plain_name(name) == plain_name(asked)]
        if len(alike) == 1:
            return alike[0]
        if alike:
            problem = f"expected one column {asked!r}, found {' and '.join(map(repr, alike))}"
            raise self.error(problem, f"use the exact name, such as {alike[0]!r}")
        problem = f"unknown column {asked!r}{did_you_mean(asked, self.names)}"
        raise self.error(problem, f"choose from {self.listed}{self.headerless_hint()}")

    def guess(self, role: str) -> str | None:
        for group in GUESSES[role]:
            found = [name for name in self.names if plain_name(name) in group]
            if len(found) > 1:
                problem = f"expected one column of {CALLED[role]}, found {' and '.join(map(repr, found))}"
                raise self.error(problem, f"choose one with `{role}=…`")
            if found:
                return found[0]
        return None

    def one_for_each_class(self) -> tuple[str, list[str]]:
        """Return the prefix and names of three or more columns such as proba_0, proba_1, proba_2, one per class."""
        for prefix in (name for group in GUESSES["score"] for name in group):
            columns = [name for name in self.names if plain_name(name).startswith(f"{prefix}_")]
            if len(columns) > 2:
                return prefix, columns
        return "", []

    def _prefixes(self) -> list[str]:
        """Return what precedes the last underscore of at least two names."""
        starts = [name.rpartition("_")[0] for name in self.names]
        return [start for start in dict.fromkeys(starts) if start and starts.count(start) > 1]

    def starting_with(self, prefixes: Sequence[str]) -> tuple[str, ...]:
        """Return the columns whose names start with one of these."""
        for prefix in prefixes:
            if not any(name.startswith(prefix) for name in self.names):
                problem = f"expected columns starting with {prefix!r}, found none"
                raise self.error(problem, f"use the common prefix of the columns; found {self.listed}")
        return tuple(name for name in self.names if any(name.startswith(prefix) for prefix in prefixes))

    def by_prefix(self, prefixes: Sequence[str], truth: str) -> dict[str, dict[str, str]]:
        """Return the columns of each prefix by label; a column belongs to the longest prefix that fits."""
        starts = {prefix: plain_name(prefix).rstrip("_") + "_" for prefix in prefixes}
        if len(set(starts.values())) < len(prefixes):
            raise self.error(f"expected different prefixes, found {', '.join(prefixes)}", "remove one of them")
        found: dict[str, dict[str, str]] = {prefix: {} for prefix in prefixes}
        for name in self.names:
            fitting = [prefix for prefix, start in starts.items() if plain_name(name).startswith(start)]
            if fitting and name not in (truth, *prefixes):
                prefix = max(fitting, key=lambda each: len(starts[each]))
                found[prefix][name.strip()[len(starts[prefix]) :].strip()] = name
        for prefix, columns in found.items():
            if len(columns) < 2 or not all(columns):
                listed = ", ".join(columns.values()) or "none"
                problem = f"expected one column per class starting with {prefix!r}, found {listed}"
                problem += did_you_mean(prefix, self._prefixes())
                hint = f"use the common prefix of these columns, such as p for p_cat and p_dog; found {self.listed}"
                raise self.error(problem, hint)
        return found


def _looks_like_id(name: str) -> bool:
    plain = plain_name(name)
    return plain == "id" or plain.removesuffix("_id") in THINGS


def _several(names: Any) -> tuple[str, ...]:
    if names is None:
        return ()
    return (str(names),) if isinstance(names, str | int) else tuple(map(str, names))
