"""Results as people and programs read them. No arithmetic here.

The package is also the function `germane.report`, which writes a page.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _CallableReport(ModuleType):
    """`germane.report(…)` writes a page; but `germane.report` becomes this package as soon as one of its modules is
    imported, so the package can be called as well."""

    def __call__(self, *given: Any, **options: Any) -> None:
        from germane.report.writing import report

        report(*given, **options)


sys.modules[__name__].__class__ = _CallableReport
