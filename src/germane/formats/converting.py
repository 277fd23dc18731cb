"""From one file to another, in another format."""

from __future__ import annotations

from dataclasses import replace

from germane.errors import InputError
from germane.formats.column_names import Kind
from germane.formats.columns import Columns
from germane.formats.detect import Detected, detect
from germane.formats.joined_parts import naming_parts
from germane.formats.registry import read_columns, write_qrels, write_run
from germane.formats.sources import display_name
from germane.formats.targets import require_new


def convert(
    source: str,
    target: str,
    from_format: str | None = None,
    to_format: str | None = None,
    *,
    kind: Kind | None = None,
    tag: str | None = None,
    lossy: bool = False,
    overwrite: bool = False,
) -> list[str]:
    """Write what is in one file to another; what had to be left out comes back, and is an error unless `lossy`."""
    if not overwrite:
        require_new(target)
    with naming_parts(source), detect(source, kind, from_format, untagged=tag is not None) as detected:
        columns = read_columns(detected)
    if columns.left_out and not lossy:
        hint = "use `lossy=True` to leave it out"
        raise InputError(detected.source, None, f"no format has a place for {'; '.join(columns.left_out)}", hint=hint)
    name = display_name(source)
    if detected.kind == "qrels":
        if tag is not None:
            raise InputError(detected.source, None, "expected a run to give a tag to, found judgments")
        lost = write_qrels(columns.to_qrels(name), target, to_format, lossy=lossy, new=not overwrite)
    else:
        run = _one_tag(columns, detected, tag, lossy=lossy).to_run(name)
        lost = write_run(run, target, to_format, lossy=lossy, new=not overwrite)
        if tag is None and len(columns.tags) > 1:
            lost = [f"the tags, of which there are {len(columns.tags)}", *lost]
    return [*columns.left_out, *lost]


def _one_tag(columns: Columns, detected: Detected, tag: str | None, *, lossy: bool) -> Columns:
    if tag is not None:
        return replace(columns, tags=(tag,))
    if len(columns.tags) > 1 and not lossy:
        found = f"{len(columns.tags)}: {', '.join(map(repr, columns.tags[:5]))}"
        problem = f"expected one tag on all lines, found {found}"
        raise InputError(detected.source, None, problem, hint="`tag=…` gives the run one tag")
    return columns
