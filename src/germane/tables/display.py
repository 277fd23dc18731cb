"""What notebooks ask of a result. Tables know no HTML: whoever shows results gives the function that does it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

MimeBundle = dict[str, Any]
"""By media type, the same thing in different forms; each program takes the one that it can show best."""

_renderers: list[Callable[[Any], MimeBundle]] = []


def show_results_by(renderer: Callable[[Any], MimeBundle]) -> None:
    """Give the function that makes the forms of a result; `germane` itself does, with one from `germane.report`."""
    _renderers[:] = [renderer]


class Displayed:
    """A result that Jupyter, VS Code, marimo and IPython show as a table, by their protocols."""

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> MimeBundle:
        (renderer,) = _renderers
        return renderer(self)

    def _repr_html_(self) -> str:
        html: str = self._repr_mimebundle_()["text/html"]
        return html
