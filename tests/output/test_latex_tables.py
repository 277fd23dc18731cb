"""Tables for papers: compiled by LaTeX where there is one, in a column that they fit."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import germane as ge
from germane.output.rendering.latex import escape_latex, gap_for, requirements, too_wide
from germane.tables.results.comparison import SystemComparison

HOSTILE = [
    "50% [of_all] & #1",
    "[1] first",
    "*star",
    "a\\b{c}^~$x$",
    "--dash—",
    'x<y>|z "q"',
    "α ≥ β → τ…",
    "Übung Łódź",
]
PREAMBLE = r"\documentclass[twocolumn]{article}\usepackage{booktabs}\begin{document}"


def comparison(names: list[str], measures: str, baseline: str | None = None) -> SystemComparison:
    rng = np.random.default_rng(3)
    qrels = {f"q{i}": {f"d{j}": int(rng.random() < 0.4) for j in range(10)} for i in range(30)}
    runs = {
        name: {q: {d: rng.normal() + qrels[q][d] * 1.5 * place / len(names) for d in qrels[q]} for q in qrels}
        for place, name in enumerate(names)
    }
    return ge.compare(ge.evaluate(qrels, runs, measures.split()), baseline=baseline)


def log_of(text: str, folder: Path) -> str:
    """Compile a table within a two-column paper, and return what LaTeX says."""
    engine = shutil.which("pdflatex")
    if engine is None:
        pytest.skip("no pdflatex here (Debian: texlive-latex-recommended)")
    (folder / "paper.tex").write_text(f"{PREAMBLE}\n{text}\n\\end{{document}}\n", encoding="utf-8")
    call = [engine, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(call, cwd=folder, capture_output=True, timeout=120, check=False)
    log = done.stdout.decode(errors="replace")
    assert done.returncode == 0, log[-2000:]
    return log


def overfull(log: str) -> list[str]:
    """Lines wider than the column, by more than can be seen."""
    return [points for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log) if float(points) > 1]


TABLES = [
    # systems, measures, baseline
    (["BM25", "dense", "hybrid"], "AP nDCG@10", None),
    (["BM25", "dense", "hybrid"], "AP nDCG@10 P@5", "BM25"),
    (["BM25 with feedback", "dense retriever"], "AP nDCG@10 P@5", "dense retriever"),
    ([f"a rather long name of a system {i}" for i in range(3)], "AP nDCG@10 P@5 RR", None),
    (HOSTILE, "AP", None),
    (HOSTILE, "AP", HOSTILE[0]),
]


@pytest.mark.parametrize(("names", "measures", "baseline"), TABLES)
def test_a_comparison_compiles_and_fits(names: list[str], measures: str, baseline: str | None, tmp_path: Path) -> None:
    assert overfull(log_of(comparison(names, measures, baseline).to_latex(), tmp_path)) == []


def test_the_law_of_fit_catches_a_wide_table_in_one_column(tmp_path: Path) -> None:
    wide = comparison(*TABLES[3]).to_latex()
    assert r"\begin{table*}" in wide
    assert overfull(log_of(wide.replace("{table*}", "{table}"), tmp_path)) != []


def test_any_table_compiles(tmp_path: Path) -> None:
    result = comparison(HOSTILE[:3], "AP RR")
    text = "\n\n".join(result.to_latex(table=name) for name in ("pairs", "means"))
    assert "Output written" in log_of(f"\\onecolumn\\tiny {text}", tmp_path)


@pytest.mark.parametrize("text", HOSTILE)
def test_every_name_compiles_at_the_start_of_a_row(text: str, tmp_path: Path) -> None:
    rows = rf"a \\ {escape_latex(text)} \\"
    assert "Output written" in log_of(rf"\begin{{tabular}}{{l}}{rows}\end{{tabular}}", tmp_path)


def test_without_escaping_a_row_that_starts_with_a_bracket_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        log_of("\\begin{tabular}{l}a \\\\\n[1] first \\\\\\end{tabular}", tmp_path)


def test_a_wide_table_says_how_wide_and_what_to_do() -> None:
    text = comparison(*TABLES[3]).to_latex()
    assert re.search(r"% about \d+ pt wide, more than a column of 229 pt: use table\* \(both columns\), or fewer", text)
    assert "more than a page of 469 pt" in too_wide([["x" * 100]])
    squeezed = comparison(["BM25 feedback", "dense"], "AP nDCG@10 P@5").to_latex()
    assert r"\setlength{\tabcolsep}{3pt}" in squeezed
    assert gap_for([["AP", "0.5"]]) == 6


def test_the_caption_states_measures_queries_test_adjustment_and_level() -> None:
    caption = re.search(r"\\caption\{(.*)\}$", comparison(["a", "b", "c"], "AP RR").to_latex(), flags=re.M)
    assert caption is not None
    for fact in (
        "Mean AP and RR over 30 queries",
        "[Bb]onferroni",
        "6 tests",
        "t.test",
        "two-sided",
        r"\$\\alpha = 0.05\$",
    ):
        assert re.search(fact, caption[1]), fact


def test_nothing_is_said_of_marks_that_are_not_there() -> None:
    alike = {"q1": {"d": 1.0}, "q2": {"d": 1.0}}
    text = ge.compare(ge.evaluate({"q1": {"d": 1}, "q2": {"d": 1}}, {"a": alike, "b": alike}, ["AP"])).to_latex()
    assert "No system differs significantly from another (" in text
    assert text.count(r"\textbf") == 2


def test_characters_beyond_pdflatex_name_the_engine() -> None:
    assert requirements(["BM25", "検索"]).endswith("; compile with XeLaTeX or LuaLaTeX, for 検")
    assert requirements(["BM25 α"]) == r"% requires \usepackage{booktabs}"
