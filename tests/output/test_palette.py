"""The colours of figures: apart in print, in grey and for readers with a colour vision deficiency."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from germane.output.plots.curves import MAX_SERIES, dash_of
from germane.output.plots.theme import DARK_PALETTE, LIGHT_PALETTE

MIN_DISTANCE = 7.5
"""Least distance of two colours in OKLab, where black and white are 100 apart and about 2 can just be seen."""

# Linear RGB as it is seen. Machado, Oliveira & Fernandes, "A Physiologically-based Model for Simulation of Color Vision
# Deficiency", IEEE TVCG 15(6), 2009, severity 1.0; grey is relative luminance as ITU-R BT.709 weighs it.
VISION = {
    "full": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    "grey": [[0.2126, 0.7152, 0.0722]] * 3,
}
# Ottosson, "A perceptual color space for image processing", 2020: linear RGB to cone responses, their roots to OKLab.
CONES = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566]]
CONES += [[0.0883024619, 0.2817188376, 0.6299787005]]
OKLAB = [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099]]
OKLAB += [[0.0259040371, 0.7827717662, -0.8086757660]]


def linear(colour: str) -> NDArray[np.float64]:
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def seen(colour: str, vision: str) -> NDArray[np.float64]:
    """The colour in OKLab, times 100, as a reader with this vision sees it."""
    light = np.clip(np.array(VISION[vision]) @ linear(colour), 0, 1)
    return 100 * np.array(OKLAB) @ np.cbrt(np.array(CONES) @ light)


def too_close(colours: Sequence[str], vision: str) -> list[tuple[str, str]]:
    return [
        (one, other)
        for one, other in combinations(colours, 2)
        if np.linalg.norm(seen(one, vision) - seen(other, vision)) < MIN_DISTANCE
    ]


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("palette", [LIGHT_PALETTE, DARK_PALETTE], ids=["light", "dark"])
def test_all_colours_of_a_palette_can_be_told_apart(palette: tuple[str, ...], vision: str) -> None:
    assert too_close(palette, vision) == []


@pytest.mark.parametrize(
    ("pair", "vision"),
    [
        (("#d55e00", "#a87000"), "protanopia"),
        (("#008f68", "#b0578d"), "deuteranopia"),
        (("#008f68", "#3c8dbc"), "tritanopia"),
        (("#d55e00", "#008f68"), "grey"),
    ],
)
def test_the_simulation_catches_colours_that_look_alike(pair: tuple[str, str], vision: str) -> None:
    assert too_close(pair, "full") == []
    assert too_close(pair, vision) == [pair]


@pytest.mark.parametrize("palette", [LIGHT_PALETTE, DARK_PALETTE], ids=["light", "dark"])
def test_lines_of_the_same_colour_have_different_dashes(palette: tuple[str, ...]) -> None:
    assert len(palette) < MAX_SERIES
    drawn = [(palette[i % len(palette)], tuple(dash_of(i))) for i in range(MAX_SERIES)]
    assert len(set(drawn)) == MAX_SERIES
