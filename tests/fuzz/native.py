"""Files for the scanning kernel, found by coverage: `make fuzz-native FUZZ_ARGS="-max_total_time=60"`.

The plain reference is instrumented, so that a file which takes another way through it is kept and changed further; the
kernel reads each file too, and must find the same. Arguments are libFuzzer's.
"""

from __future__ import annotations

import sys
from typing import Any

import atheris  # type: ignore[import-untyped, import-not-found, unused-ignore]  # only in .venv-fuzz
import numpy as np

with atheris.instrument_imports(include=["germane.kernels.reference"]):
    from germane.kernels import reference

from germane import kernels
from germane.formats.rankings.trec import MSMARCO_RUN
from germane.formats.rows.text import TREC_QRELS, TREC_RUN, TextLayout
from germane.tables.rankings.qrels import Qrels

SLACK = bytes(64)
"""The scanner looks at up to eight bytes beyond the last line."""
LAYOUTS = [
    TREC_RUN,
    TREC_RUN._replace(rank=None),
    TREC_QRELS,
    MSMARCO_RUN,
    TextLayout("csv-run", query=0, doc=1, value=2, num_fields=3, delimiter=b","),
    TextLayout("tsv-run", query=1, doc=0, value=3, num_fields=4, delimiter=b"\t", rank=2),
]
TIES = ("docno", "order", "rank")
QRELS = Qrels.from_dict({"q": {"d": 1, "e": 0, "document-10": 2}, "1": {"d": 1, "10": 1}})
JUDGED = (QRELS.queries.data, QRELS.queries.offsets, QRELS.docs.data, QRELS.docs.offsets, QRELS.start)


def one_file(data: bytes) -> None:
    """Read a file with both: the first byte chooses the layout, the second the tie rule."""
    if len(data) < 3:
        return
    layout, rule = LAYOUTS[data[0] % len(LAYOUTS)], TIES[data[1] % len(TIES)]
    text = data[2:] + b"\n"
    if rule == "rank" and layout.rank is None:
        rule = "docno"
    # The kernel may refuse more than the reference, such as a query that comes back: the strict reader has the last
    # word. What it accepts must be the same.
    ours = table(kernels, layout, text)
    if ours[0] == kernels.OK:
        assert ours == table(reference, layout, text), f"{layout.format}: {text!r}"
    ours = matched(kernels, layout, text, rule, use_float32=data[1] > 127)
    if ours[0] == kernels.OK:
        plain = matched(reference, layout, text, rule, use_float32=data[1] > 127)
        assert ours == plain, f"{layout.format}, ties={rule}: {text!r}"


def table(engine: Any, layout: TextLayout, text: bytes) -> Any:
    """What a reader of tables makes of a text: the state, and the columns where all is well."""
    state, *columns = engine.TableReader(layout).read(bytearray(text + SLACK), len(text))
    return state, [np.asarray(column).tolist() for column in columns] if state == kernels.OK else []


def matched(engine: Any, layout: TextLayout, text: bytes, rule: str, *, use_float32: bool) -> Any:
    """What a matcher makes of a text: the state, and the groups and hits where all is well."""
    matcher = engine.Matcher(*JUDGED, layout, rule, use_float32)
    matcher.feed(bytearray(text + SLACK), len(text))
    if (state := matcher.finish()) != kernels.OK:
        return (state,)
    groups, hits = matcher.found()
    return state, sorted(groups.tolist()), sorted(hits.tolist()), matcher.names(), matcher.rising_queries


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_file)
    atheris.Fuzz()
