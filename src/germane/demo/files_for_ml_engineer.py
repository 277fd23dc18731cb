"""Payments with a label and the scores of two models: two million to choose a threshold on, and ten million later ones.

Random numbers go only through sums and products, so that the values are the same on every machine.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.errors import MissingExtraError
from germane.tables.columns.ids import FloatArray

FILES = {"dev.parquet": (2_000_000, range(1, 8)), "test.parquet": (10_000_000, range(8, 36))}
"""Number of payments and range of days of each file: one week to choose on, and the four weeks after it."""
PART = 1_000_000
"""Rows generated at a time, which limits memory regardless of the size of the file."""
CHANNELS = ("app", "web", "phone")
SEED = 20


def make(folder: Path) -> None:
    """Write `dev.parquet` and `test.parquet`."""
    for number, (name, (rows, days)) in enumerate(FILES.items()):
        write_payments(folder / name, rows, days, seed=SEED + number)


def write_payments(path: Path, rows: int, days: range, seed: int) -> None:
    """Write this number of payments, in parts."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError("writing Parquet files", "arrow") from None
    draw = np.random.default_rng(seed)
    columns = [("day", pa.int8()), ("channel", pa.dictionary(pa.int8(), pa.string())), ("fraud", pa.int8())]
    schema = pa.schema([*columns, ("old", pa.float64()), ("new", pa.float64())])
    with pq.ParquetWriter(path, schema, compression="zstd", compression_level=1) as writer:
        for start in range(0, rows, PART):
            number = min(PART, rows - start)
            part = payments(draw, number) | {"day": _days(start, number, rows, days)}
            part["channel"] = pa.DictionaryArray.from_arrays(pa.array(part["channel"]), pa.array(CHANNELS))
            writer.write_table(pa.table(part, schema=schema))


def payments(draw: np.random.Generator, number: int) -> dict[str, Any]:
    """Generate this number of rows as columns; the channel is its index in `CHANNELS`.

    A payment is fraud with the probability that the new model claims, but for those by phone, which look harmless to
    it. The old model sees the same hint through noise, and claims too little.
    """
    hint, luck, noise = draw.random(number), draw.random(number), draw.random(number)
    place = draw.random(number)
    channel = (place >= 0.45).astype(np.int8) + (place >= 0.92).astype(np.int8)
    claimed = 0.001 + 0.7 * _power(hint, 48)
    chance = np.where(channel == CHANNELS.index("phone"), 0.008 + 0.5 * claimed, claimed)
    blurred = 0.002 + 0.9 * _power(0.9 * hint + 0.1 * noise, 48)
    return {
        "channel": channel,
        "fraud": (luck < chance).astype(np.int8),
        "old": _four_decimals(blurred),
        "new": _four_decimals(claimed),
    }


def _days(start: int, number: int, rows: int, days: range) -> npt.NDArray[np.int8]:
    """Assign payments to days in order, the same number to each."""
    return (days.start + np.arange(start, start + number) * len(days) // rows).astype(np.int8)


def _power(base: FloatArray, exponent: int) -> FloatArray:
    """Compute powers by repeated products, since power functions of libraries differ in the last digit."""
    result = np.ones_like(base)
    while exponent:
        if exponent & 1:
            result = result * base
        base = base * base
        exponent >>= 1
    return result


def _four_decimals(scores: FloatArray) -> FloatArray:
    return np.asarray(np.floor(scores * 10_000 + 0.5) / 10_000)
