"""A figure as a file: SVG, PNG or PDF without a browser, the spec itself as JSON, or a small page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from germane.errors import GermaneError, MissingExtraError
from germane.formats.files.targets import open_target
from germane.output.plots.theme import Spec, config

PIXELS_PER_INCH = 144


def write_figure(spec: Spec, path: str | Path) -> None:
    """Write a spec in the format that the file's ending means."""
    content = WRITERS[format_of(path)](spec)
    with open_target(path) as target:
        target.write(content.encode() if isinstance(content, str) else content)


def format_of(path: str | Path) -> str:
    """The format that a file's ending means."""
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in WRITERS:
        known = ", ".join(f".{name}" for name in WRITERS)
        raise GermaneError(f"{path}: expected a figure's file name to end with one of {known}")
    return ending


def require_folder(path: str | Path) -> None:
    """A file can only be written into a folder that is there."""
    if not Path(path).parent.is_dir():
        raise GermaneError(f"{path}: there is no folder {Path(path).parent}")


def with_config(spec: Spec) -> Spec:
    """The spec with everything that it needs to look as it should, on paper."""
    return {**spec, "config": {**config(), "background": "white"}}


def as_svg(spec: Spec) -> str:
    """Scalable, with its text as text."""
    return str(vl_convert().vegalite_to_svg(with_config(spec)))


def as_png(spec: Spec) -> bytes:
    """Pixels, twice as fine as a plain screen."""
    return bytes(vl_convert().vegalite_to_png(with_config(spec), ppi=PIXELS_PER_INCH))


def as_pdf(spec: Spec) -> bytes:
    """For a paper."""
    return bytes(vl_convert().vegalite_to_pdf(with_config(spec)))


def as_json(spec: Spec) -> str:
    """The Vega-Lite spec with its data, for whoever wants to change it."""
    return json.dumps(with_config(spec), indent=1, allow_nan=False) + "\n"


def as_html(spec: Spec) -> str:
    """One page with the figure and its data table, offline like every page of ours."""
    from germane.output.page.shell import figure_page

    return figure_page(spec)


Writer = Callable[[Spec], str | bytes]
WRITERS: dict[str, Writer] = {"svg": as_svg, "png": as_png, "pdf": as_pdf, "html": as_html, "json": as_json}


def vl_convert() -> Any:
    """The library that draws."""
    try:
        import vl_convert as library
    except ImportError:
        raise MissingExtraError("drawing figures and pages", "report") from None
    return library
