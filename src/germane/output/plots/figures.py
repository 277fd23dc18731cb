"""A figure as a file: SVG, PNG or PDF without a browser, the spec itself as JSON, its data as CSV, or a small page."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from germane.errors import GermaneError, MissingExtraError
from germane.formats.files.addresses import place
from germane.formats.files.targets import open_target
from germane.output.plots.sizes import size_of, sized
from germane.output.plots.theme import Spec, config

PIXELS_PER_INCH = 144
POINTS_PER_INCH = 72
SVG_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)" viewBox="[^"]*"')


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
        raise GermaneError(f"{path}: expected one of the file extensions {known}")
    return ending


def require_folder(path: str | Path) -> None:
    """A file can only be written into a folder that is there."""
    where = place(path)
    if isinstance(where, Path) and not where.parent.is_dir():
        problem = f"{path}: no such folder: {where.parent}"
        raise GermaneError(problem, hint="create it, or choose another path")


def fit_size(spec: Spec, size: str) -> Spec:
    """Lay a figure out for a size such as ``column``, ``5x3`` or ``800x600px``."""
    return sized(spec, size_of(size), _drawn_size)


def with_config(spec: Spec) -> Spec:
    """Return the spec with the theme for paper, on which its own config takes precedence."""
    theme, own = config(), spec.get("config", {})
    return {**spec, "config": {**theme, "background": "white", **{key: {**theme[key], **own[key]} for key in own}}}


def as_svg(spec: Spec) -> str:
    """Scalable, with its text as text; a figure of a given size is that large in inches."""
    return _svg(spec, 1, "in")


def as_png(spec: Spec) -> bytes:
    """Pixels: for a given size at its resolution, else twice as fine as a plain screen."""
    size = spec.get("usermeta", {}).get("size")
    if size is None:
        return bytes(vl_convert().vegalite_to_png(with_config(spec), ppi=PIXELS_PER_INCH))
    # The library drops any part of a pixel, also that of a product that is a little less than whole.
    return bytes(vl_convert().svg_to_png(_svg(spec, POINTS_PER_INCH), ppi=size["ppi"] * (1 + 1e-6)))


def as_pdf(spec: Spec) -> bytes:
    """For a paper."""
    return bytes(vl_convert().svg_to_pdf(_svg(spec, POINTS_PER_INCH)))


def _svg(spec: Spec, per_inch: int, unit: str = "") -> str:
    """The figure on paper of its size, in units per inch; without a size, as it is laid out.

    To the library that makes pixels and PDF, a unit without a name is a point.
    """
    svg = str(vl_convert().vegalite_to_svg(with_config(spec)))
    size = spec.get("usermeta", {}).get("size")
    if size is None:
        return svg
    drawn_width, drawn_height = _svg_size(svg)
    inches = size["height"] or drawn_height / size["pixels"]
    width, height = size["width"] * size["pixels"], inches * size["pixels"]
    left, top = (drawn_width - width) / 2, (drawn_height - height) / 2
    paper = f'width="{size["width"] * per_inch:.8g}{unit}" height="{inches * per_inch:.8g}{unit}"'
    svg = SVG_SIZE.sub(f'{paper} viewBox="{left:g} {top:g} {width:g} {height:g}"', svg, count=1)
    white = f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" fill="white"/>'
    return svg.replace("<rect ", f"{white}<rect ", 1)


def as_json(spec: Spec) -> str:
    """The Vega-Lite spec with its data, for whoever wants to change it."""
    return json.dumps(with_config(spec), indent=1, allow_nan=False) + "\n"


def as_html(spec: Spec) -> str:
    """One page with the figure and its data table, offline like every page of ours."""
    from germane.output.page.shell import figure_page

    return figure_page(spec)


def as_csv(spec: Spec) -> str:
    """The numbers behind the lines or marks, a row for each point."""
    if "vconcat" in spec:
        raise GermaneError("a figure of two parts is not one table", hint="use .json, which has the data of both")
    rows = spec["datasets"]["rows"]
    names = [name for name in dict.fromkeys(key for row in rows for key in row) if name not in LAYOUT]
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(names)
    lines.writerows([row.get(name) for name in names] for row in rows)
    return text.getvalue()


LAYOUT = ("place", "series")
"""Columns that only say how a row is drawn."""
Writer = Callable[[Spec], str | bytes]
WRITERS: dict[str, Writer] = {
    "svg": as_svg,
    "png": as_png,
    "pdf": as_pdf,
    "html": as_html,
    "json": as_json,
    "csv": as_csv,
}


def _drawn_size(spec: Spec) -> tuple[float, float]:
    return _svg_size(str(vl_convert().vegalite_to_svg(with_config(spec))))


def _svg_size(svg: str) -> tuple[float, float]:
    found = SVG_SIZE.search(svg)
    assert found is not None
    return float(found[1]), float(found[2])


def vl_convert() -> Any:
    """The library that draws."""
    try:
        import vl_convert as library
    except ImportError:
        raise MissingExtraError("drawing figures and pages", "report") from None
    return library
