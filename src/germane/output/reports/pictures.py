"""Small pictures inside a page: drawn as squares, each once, and shown wherever they are wanted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

from germane.tables.columns.ids import FloatArray

GAP, EDGE, MARK = 6, 2, 18
"""Pixels between pictures, of the frame around one, and below it for its mark."""


def definitions(pictures: FloatArray, shown: Iterable[int], highest: float) -> str:
    """The pictures at these rows, to be referred to by `picture`; values run from 0 (paper) to the highest (ink)."""
    symbols = "".join(_symbol(pictures[row], row, highest) for row in shown)
    return f'<svg width="0" height="0" aria-hidden="true"><defs>{symbols}</defs></svg>'


def _symbol(picture: FloatArray, row: int, highest: float) -> str:
    """One path for all squares of the same shade."""
    height, width = picture.shape
    paths = []
    for value in np.unique(picture[picture > 0]).tolist():
        squares = "".join(f"M{x} {y}h1v1h-1z" for y, x in np.argwhere(picture == value).tolist())
        paths.append(f'<path fill-opacity="{value / highest:.3g}" d="{squares}"/>')
    return (
        f'<symbol id="picture-{row}" viewBox="0 0 {width} {height}">'
        f'<g fill="#111" shape-rendering="crispEdges">{"".join(paths)}</g></symbol>'
    )


def picture(row: int, size: int, label: str) -> str:
    """One picture by itself.

    >>> picture(3, 40, "a seven")[:58]
    '<svg width="40" height="40" role="img" aria-label="a seven'
    """
    return (
        f'<svg width="{size}" height="{size}" role="img" aria-label="{escape(label)}">{_placed(row, 0, 0, size)}</svg>'
    )


def picture_row(query: int, found: Sequence[int], right: Sequence[bool], size: int, label: str) -> str:
    """A query's picture and, to the right of a line, what was found for it: each framed and marked right or wrong.

    Right and wrong differ by sign and by frame, not by colour alone. It takes the width there is.
    """
    start = size + 2 * EDGE + 4 * GAP
    step = size + 2 * EDGE + GAP
    width, height = start + len(found) * step, size + 2 * EDGE + MARK
    parts = [
        _placed(query, EDGE, EDGE, size),
        _frame(EDGE, EDGE, size, 'stroke="var(--ink)"'),
        _text(EDGE + size / 2, height - 5, "query", "var(--faint)"),
        f'<path d="M{start - 2 * GAP} 0v{size + 2 * EDGE}" stroke="var(--line)"/>',
    ]
    for place, (row, is_right) in enumerate(zip(found, right, strict=True)):
        x = start + place * step + EDGE
        colour = "var(--good)" if is_right else "var(--a)"
        frame = f'stroke="{colour}"' + ("" if is_right else ' stroke-dasharray="4 2"')
        mark = _text(x + size / 2, height - 5, "✓" if is_right else "✕", colour)
        parts += [_placed(row, x, EDGE, size), _frame(x, EDGE, size, frame), mark]
    return (
        f'<svg viewBox="0 0 {width} {height}" width="100%" role="img"'
        f' aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )


def _placed(row: int, x: float, y: float, size: int) -> str:
    paper = f'<rect x="{x}" y="{y}" width="{size}" height="{size}" fill="#fff"/>'
    return f'{paper}<use href="#picture-{row}" x="{x}" y="{y}" width="{size}" height="{size}"/>'


def _frame(x: float, y: float, size: int, stroke: str) -> str:
    return f'<rect x="{x}" y="{y}" width="{size}" height="{size}" fill="none" stroke-width="{EDGE}" {stroke}/>'


def _text(x: float, y: float, text: str, colour: str) -> str:
    return f'<text x="{x:g}" y="{y}" text-anchor="middle" font-size="12" fill="{colour}">{text}</text>'
