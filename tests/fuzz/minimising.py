"""Delta debugging: the shortest bytes, or the smallest table, that still show the same problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.fuzz.made_tables import Made

MOST_TRIES = 1500


def minimised(case: Any, still_shows: Callable[[Any], bool], most_tries: int = MOST_TRIES) -> Any:
    """A smaller case that still shows it; at the end no single part can be left out, if there were tries enough."""
    if isinstance(case, Made):
        return _smaller_table(case, still_shows)
    return _smaller_bytes(case, still_shows, most_tries)


def _smaller_bytes(data: bytes, still_shows: Callable[[bytes], bool], tries: int) -> bytes:
    size = len(data) // 2
    while size >= 1 and tries > 0:
        start, cut = 0, False
        while start < len(data) and tries > 0:
            shorter = data[:start] + data[start + size :]
            tries -= 1
            if still_shows(shorter):
                data, cut = shorter, True
            else:
                start += size
        size = size if cut and size == 1 else size // 2
    return data


def _smaller_table(case: Made, still_shows: Callable[[Made], bool]) -> Made:
    changed = True
    while changed:
        changed = False
        for place, column in enumerate(case.columns):
            without = case.columns[:place] + case.columns[place + 1 :]
            tries = [replace(case, columns=without)]
            if column.odd:
                tries.append(
                    replace(case, columns=(*case.columns[:place], replace(column, odd=()), *case.columns[place + 1 :]))
                )
            smaller = next((one for one in tries if still_shows(one)), None)
            if smaller is not None:
                case, changed = smaller, True
                break
        shortest = tuple(replace(one, texts=one.texts[:-1], numbers=one.numbers[:-1]) for one in case.columns)
        if (
            case.columns
            and all(len(one.texts) > 1 for one in case.columns)
            and still_shows(replace(case, columns=shortest))
        ):
            case, changed = replace(case, columns=shortest), True
    return case


def as_test(reader: str, seed: int, number: int, case: Any, problem: str) -> str:
    """A regression test, ready to be pasted."""
    imports = "from tests.fuzz.made_tables import Column, Made\n" if isinstance(case, Made) else ""
    return (
        f"# {problem}\n{imports}"
        f"def test_{reader}_case_{seed}_{number}(tmp_path: Path) -> None:\n"
        f"    case = {case!r}\n"
        f'    assert judge(all_readers()["{reader}"], case, tmp_path).problem is None\n'
    )
