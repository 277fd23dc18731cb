"""Figure sizes for papers and slides: width and height in inches, and the size of the text when printed."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from germane.errors import GermaneError
from germane.output.plots.theme import LABEL_LIMIT, Spec, wrapped_labels

CSS_PIXELS = 96
"""Pixels per inch in CSS and SVG; 12 of them, the theme's text, are 9 points."""
THEME_POINTS = 9
LETTER = 6.2
"""Average width of a letter of the theme's text in pixels."""
SMALLEST, LOWEST, SMALLEST_CELL = 80, 16, 20
"""Least width and height of a plot area, and of a cell of a heat map, in layout pixels."""
FEW_NAMES = 4
"""Legends with more names stand beside a wide figure, not above it."""
TALLEST = 0.62
"""Height of a figure with equal axes in widths, where it is wider than a column."""
ROUNDS = 6
"""Maximum number of layouts: axis labels change with the room they have, mostly twice."""
LEFT, SYMBOL_ROOM = 60, 50
"""Width in pixels of a vertical axis, beside which a legend begins, and of a legend entry without its name."""
NATURAL = 620
"""Width in pixels for which the heights of figures are meant."""
FLATTEST = 0.7
"""Least share of its height that a narrow figure keeps: less would flatten it."""


@dataclass(frozen=True)
class Size:
    """A figure's size on paper; without a height, the height follows from the figure."""

    width: float
    height: float | None
    points: float
    ppi: int

    @property
    def scale(self) -> float:
        """Factor from the layout, whose text is that of the theme, to the printed figure."""
        return self.points / THEME_POINTS

    def pixels(self, inches: float) -> float:
        """Pixels of the layout."""
        return inches * CSS_PIXELS / self.scale


SIZES = {
    "column": Size(3.3, None, 8, 300),
    "page": Size(7, None, 9, 300),
    "slide": Size(40 / 3, 7.5, 18, 144),
}
"""Sizes by name: a column and the full width of a two-column paper, and a 16:9 slide."""
NARROW = 4.0
"""Figures up to this width in inches have the text of a column."""


def size_of(text: str) -> Size:
    """Parse a size: a name, or width and height in inches or pixels.

    >>> size_of("5x3").width, size_of("800x600px").height
    (5.0, 6.25)
    """
    if text in SIZES:
        return SIZES[text]
    found = re.fullmatch(r"(\d+(?:\.\d+)?|\.\d+)x(\d+(?:\.\d+)?|\.\d+)(in|px)?", text)
    unit = CSS_PIXELS if found and found[3] == "px" else 1
    width, height = (float(found[1]) / unit, float(found[2]) / unit) if found else (0.0, 0.0)
    if min(width, height) <= 0:
        raise GermaneError(
            f"expected a figure size ({', '.join(SIZES)}, or width x height), found {text!r}",
            hint="for example column, 5x3 (inches) or 800x600px",
        )
    small = SIZES["column"].points if width <= NARROW else THEME_POINTS
    return Size(width, height, small, CSS_PIXELS if unit == CSS_PIXELS else 300)


def sized(spec: Spec, size: Size, measure: Callable[[Spec], tuple[float, float]]) -> Spec:
    """Lay a figure out for a size; `measure` draws a spec and returns its width and height in pixels.

    Axis labels and legends take the room they need, so the plot area is adjusted until the whole figure fits.
    """
    found = _prepared(spec, size)
    beside = "vconcat" in found and size.height is not None and size.width > size.height
    if beside:
        found["hconcat"] = found.pop("vconcat")
    panels: list[Spec] = found.get("hconcat") or found.get("vconcat") or [found]
    squares = [panel["width"] == panel["height"] and not beside for panel in panels]
    cells = _cells(spec, panels[0])
    height = size.height or (size.width * TALLEST if any(squares) and not cells and size.width > NARROW else None)
    longest = max((len(_names(colour)) for colour in _legends(found)), default=0)
    if height and size.width > height and (any(squares) or longest > FEW_NAMES):
        found["config"]["legend"] = {"orient": "right", "direction": "vertical"}
        for colour in _legends(found):
            colour["legend"]["columns"] = 1
    for _ in range(ROUNDS):
        drawn_width, drawn_height = measure(found)
        wider = size.pixels(size.width) - drawn_width
        taller = size.pixels(height) - drawn_height if height else 0.0
        if any(squares) and height:
            wider = min(wider, taller)
        if abs(wider) < 1 and (any(squares) or abs(taller) < 1):
            break
        _resize(panels, squares, beside, wider, taller)
        least = SMALLEST_CELL * cells or SMALLEST
        if min(panel["width"] for panel in panels) < least or min(panel["height"] for panel in panels) < LOWEST:
            asked = f"{size.width:.3g}" + (f" × {size.height:.3g}" if size.height else "")
            raise GermaneError(
                f"the figure does not fit {asked} inches: labels and legend leave no room for it",
                hint="use a larger size, as in `size='13x8'`, or shorter names",
            )
    if cells:
        _shrink_text(panels[0], panels[0]["width"] / cells)
    # What is drawn reads the size from here; Vega-Lite ignores it.
    paper = {"width": size.width, "height": size.height, "pixels": size.pixels(1), "ppi": size.ppi}
    return {**found, "usermeta": {"size": paper}}


def _resize(panels: list[Spec], squares: list[bool], beside: bool, wider: float, taller: float) -> None:
    """Change the plot areas, so that the figure becomes this much wider and taller; squares stay squares."""
    heights = [panel["height"] for panel in panels]
    for panel, square in zip(panels, squares, strict=True):
        panel["width"] += wider / (len(panels) if beside else 1)
        if beside:
            panel["height"] = max(heights) + taller
        elif square:
            panel["height"] += wider
        elif not any(squares):
            panel["height"] += taller * panel["height"] / sum(heights)


def _prepared(spec: Spec, size: Size) -> Spec:
    """A copy of the figure with numbers for steps, about the right heights, and text that fits the width."""
    found = deepcopy(spec)
    room = size.pixels(size.width)
    ratio = room / NATURAL
    for panel in found.get("vconcat", [found]):
        square = panel["width"] == panel["height"]
        steps = {side: panel[side]["step"] for side in ("width", "height") if isinstance(panel[side], dict)}
        for side, step in steps.items():
            panel[side] = step * _count(found, panel["encoding"]["x" if side == "width" else "y"]["field"])
        panel["width"] *= ratio
        if square:
            panel["height"] = panel["width"]
        elif not steps:
            panel["height"] *= min(max(ratio, FLATTEST), 1)
        for along, pixels in (("x", room - 90), ("y", max(panel["height"], 120))):
            for key, channel in _parts(panel):
                if key == along and channel.get("title"):
                    title = channel["title"]
                    channel["title"] = _wrapped(
                        " ".join(title) if along == "y" and isinstance(title, list) else title, pixels
                    )
    if "title" in found:
        found["title"] = {key: _wrapped(text, room) for key, text in found["title"].items()}
    for colour in _legends(found):
        limit = room - LEFT - SYMBOL_ROOM
        entry = min(max(map(len, _names(colour)), default=0) * LETTER, limit) + SYMBOL_ROOM
        colour["legend"] |= {"columns": max(1, min(4, int(room // entry))), "labelLimit": int(limit)}
        colour["legend"] |= wrapped_labels(_names(colour), int(limit / LETTER))
    found["config"] = {"axis": {"labelLimit": max(LABEL_LIMIT, int(room * 0.4))}}
    return found


def _cells(spec: Spec, panel: Spec) -> int:
    """Number of cells in a row of a heat map, 0 for other figures."""
    return _count(spec, panel["encoding"]["x"]["field"]) if isinstance(spec.get("width"), dict) else 0


def _shrink_text(panel: Spec, cell: float) -> None:
    """Let two lines of text fit a cell of a heat map, and a label fit beside it."""
    for layer in panel["layer"]:
        mark = layer["mark"]
        if mark["type"] == "text":
            factor = min(1, cell / 2.4 / mark["fontSize"])
            mark |= {"fontSize": mark["fontSize"] * factor, "dy": mark["dy"] * factor}
    for axis in ("x", "y"):
        panel["encoding"][axis]["axis"]["labelFontSize"] = min(12, cell * 0.6)


def _count(spec: Spec, field: str) -> int:
    return max(1, len({row[field] for row in spec["datasets"]["rows"]}))


def _parts(part: Any) -> Iterator[tuple[str, Spec]]:
    """Yield every part of a figure that has a name, but no rows."""
    for key, value in part.items() if isinstance(part, dict) else (("", each) for each in part):
        if isinstance(value, dict) and key not in ("", "datasets"):
            yield key, value
        if isinstance(value, dict | list) and key != "datasets":
            yield from _parts(value)


def _legends(spec: Spec) -> Iterator[Spec]:
    """Yield the channels of a figure that have a legend."""
    return (part for key, part in _parts(spec) if key == "color" and part.get("legend"))


def _names(colour: Spec) -> list[str]:
    """The entries of a legend."""
    return list(colour.get("scale", {}).get("domain", ()))


def _wrapped(title: str | list[str], pixels: float) -> list[str]:
    lines = [title] if isinstance(title, str) else title
    return [part for line in lines for part in textwrap.wrap(line, max(10, int(pixels / LETTER))) or [""]]
