"""A measure as a value: a name, its parameters and its cutoff, written the way a person writes it."""

from __future__ import annotations

from dataclasses import dataclass

from germane.catalogue import spell

ParameterValue = str | int | float | bool | None


@dataclass(frozen=True)
class Measure:
    """What to compute. `parameters` holds only what differs from the definition's defaults, in its order; `at` is the
    parameter that is written after the ``@`` (a cutoff rank, or a recall level).

    >>> str(Measure("nDCG", (("gain", "exp"),), 10)), str(Measure("AP")), str(Measure("RBP", (("p", 0.7000001),)))
    ('nDCG(gain=exp)@10', 'AP', 'RBP(p=0.7000001)')
    """

    name: str
    parameters: tuple[tuple[str, ParameterValue], ...] = ()
    at: int | float | None = None

    def __str__(self) -> str:
        return spell(self.name, self.parameters, self.at)
