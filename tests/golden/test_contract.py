"""Options, note codes and JSON keys are frozen: a script that works today keeps working."""

from __future__ import annotations

from tests.golden.contract import FILE, REMOVED, contract, removed

FROZEN = FILE.read_text(encoding="utf-8").splitlines()


def test_names_stay() -> None:
    found = removed(FROZEN, contract())
    assert not found, "\n".join(found)


def test_all_kinds_of_names_are_frozen() -> None:
    assert {"option eval --measure", "option eval -m", "note ties@K", "json compare pairs.p_adjusted"} <= set(FROZEN)


def test_a_renamed_option_is_caught() -> None:
    renamed = ["option eval --gauge" if name == "option eval --measure" else name for name in FROZEN]
    assert removed(FROZEN, renamed) == [f"option eval --measure {REMOVED}"]
