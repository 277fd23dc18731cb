"""A measure: a name, its parameters and its cutoff, with the notation that people use."""

from __future__ import annotations

from dataclasses import dataclass

from germane.catalogue import spell

ParameterValue = str | int | float | bool | None


@dataclass(frozen=True)
class Measure:
    """A measure to compute.

    `parameters` holds only those that differ from the definition's defaults, in its order; `at` is the parameter after
    the ``@`` (a cutoff rank, or a recall level).

    >>> str(Measure("nDCG", (("gain", "exp"),), 10)), str(Measure("AP")), str(Measure("RBP", (("p", 0.7000001),)))
    ('nDCG(gain=exp)@10', 'AP', 'RBP(p=0.7000001)')
    """

    name: str
    parameters: tuple[tuple[str, ParameterValue], ...] = ()
    at: int | float | None = None

    def __str__(self) -> str:
        return spell(self.name, self.parameters, self.at)
