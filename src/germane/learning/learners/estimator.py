"""What scikit-learn's tools ask of an estimator, without scikit-learn: its parameters, to be read and set.

A learner takes its parameters in `__init__` and keeps them, unchanged, under the same names; what it learns ends in an
underscore.
"""

from __future__ import annotations

import inspect
from typing import Any, Self

from germane.errors import GermaneError, did_you_mean


class Estimator:
    """The parameters of a learner, by name."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Every parameter and its value; no learner here holds another one, so `deep` changes nothing."""
        return {name: getattr(self, name) for name in _parameter_names(type(self))}

    def set_params(self, **params: object) -> Self:
        """Change some of the parameters."""
        known = _parameter_names(type(self))
        for name, value in params.items():
            if name not in known:
                raise GermaneError(
                    f"{type(self).__name__} has no parameter {name!r}{did_you_mean(name, known)}",
                    hint=f"it has {', '.join(known)}",
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.get_params().items())})"

    def _require_fitted(self, attribute: str) -> None:
        """Refuse to predict before `fit`."""
        if not hasattr(self, attribute):
            raise GermaneError(f"this {type(self).__name__} has learned nothing yet", hint="call fit first")


def _parameter_names(learner: type) -> list[str]:
    return [name for name in inspect.signature(learner).parameters if name != "self"]


def require_kind(given: Any, learner: str, version: int = 1) -> None:
    """Refuse an object that `to_json` of this learner did not write."""
    found = given.get("learner") if isinstance(given, dict) else None
    if found != learner:
        raise GermaneError(f"expected a model of {learner}, found {found!r}")
    if given.get("version") != version:
        raise GermaneError(
            f"expected version {version} of a model of {learner}, found {given.get('version')!r}",
            hint="the file was written by another version of germane",
        )
