"""A measure as a value: a name, its parameters and its cutoff, written the way a person writes it."""

from __future__ import annotations

from dataclasses import dataclass

ParameterValue = str | int | float | bool | None


@dataclass(frozen=True)
class Measure:
    """What to compute. `parameters` holds only what differs from the definition's defaults, in its order; `at` is the
    parameter that is written after the ``@`` (a cutoff rank, or a recall level).

    >>> str(Measure("nDCG", (("gain", "exp"),), 10)), str(Measure("AP"))
    ('nDCG(gain=exp)@10', 'AP')
    """

    name: str
    parameters: tuple[tuple[str, ParameterValue], ...] = ()
    at: int | float | None = None

    def __str__(self) -> str:
        inside = ", ".join(f"{key}={_written(value)}" for key, value in self.parameters)
        return f"{self.name}{f'({inside})' if inside else ''}{'' if self.at is None else f'@{_written(self.at)}'}"


def _written(value: ParameterValue) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
