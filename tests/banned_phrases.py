"""Phrases that germane does not use, what it says in their place, and where a person would read them."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent

SAY_INSTEAD = {
    r"\bthere (are|is): ": "choose from …",
    r"\b(is|are) no (?!longer|more|relevant|judged|unjudged|difference)\w+ (of|that|to)\b": "is not a …",
    r"(?<![\w.\d\[/])\.\d+\b(?![.\w\]/])": "a leading zero: 0.05",
    r"\bone (a|to a) line\b|\bto a line\b": "one per line",
    r"\btold (from|by|apart from)\b": "inferred from",
    r"\btaken for\b": "treated as, used as",
    r"\b(written|spelled) alike\b": "ids match",
    r"\bthere is such an? \w+ already\b": "already exists",
    r"\bso many\b": "maximum number of …",
    r"\d %(?! ?})": "95% (no space)",
    r"\bis called '|\bnobody called\b|\bsomebody called\b": "unknown X 'y'",
    r"(?<!has )(?<!have )\bnot judged\b|\bnobody judged\b": "unjudged",
    r"\bdrawn again\b|\bdraws? again\b": "bootstrap, resample",
    r"\b(drawn|made|chosen|picked) by chance\b": "at random",
    r"\bholds? for itself\b": "not simultaneous",
    r"\bp adjusted\b": "adjusted p",
    r"\bwith probability \.": "80% power",
    r"\b(is|comes|are|come) there twice\b|\bcomes? twice\b|\bis there twice\b": "duplicate",
    r"\bleave (it|them|one of them) out\b": "remove --option",
    r"\b(put off|taken back)\b": "skipped; withdrawn",
    r"\bcomes? about\b|\bworked table\b|\btaken apart\b": "breakdown; is computed",
    r"\bgoes with\b|\bhas no use for\b|\bdoes nothing with\b": "requires; is not supported with",
    r"\bkept apart\b|\bnot learned from\b": "held out",
    r"\bmean what they say\b|\bclaimed probabilit": "calibration; predicted probability",
    r"\bleast grade\b": "minimum relevant grade",
    r"\bhow far (they|assessors|the assessors|people|two|those) (agree|who)": "inter-assessor agreement",
    r"\bfile ending\b|\bthe ending\b|\bits ending\b": "file extension",
    r"\bif nothing is said\b|\bunless somebody\b": "by default",
    r"\bB less A\b|\bb less a\b": "B − A",
}
"""A pattern, ignoring case, and the words to use instead. At most 30: this is a list for the habits that come back."""

PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/**/*.md", "src/germane/**/*.html", "src/germane/**/*.js")


@dataclass(frozen=True)
class Finding:
    """A banned phrase in a file."""

    path: Path
    line: int
    found: str
    instead: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: '{self.found}' → {self.instead}"


def banned_in(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield the position of each banned phrase in a text, the phrase, and what to say instead."""
    for pattern, instead in SAY_INSTEAD.items():
        for match in re.finditer(pattern, text, re.IGNORECASE):
            yield match.start(), match.group(), instead


def in_literals(path: Path) -> Iterator[Finding]:
    """Find banned phrases in the strings of a Python file, docstrings among them."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            for start, found, instead in banned_in(node.value):
                yield Finding(path, node.lineno + node.value.count("\n", 0, start), found, instead)


def in_page(path: Path) -> Iterator[Finding]:
    """Find banned phrases in a page or a script, outside of code."""
    text = path.read_text()
    if path.suffix == ".md":
        code = re.compile(r"```.*?```|`[^`\n]+`|\]\([^)]*\)", re.DOTALL)
        text = code.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
    for start, found, instead in banned_in(text):
        yield Finding(path, text.count("\n", 0, start) + 1, found, instead)


def findings(under: str = "") -> list[Finding]:
    """Find every banned phrase in the sources and pages below a folder."""
    sources = sorted((ROOT / "src/germane").rglob("*.py"))
    pages = [path for pattern in PAGES for path in sorted(ROOT.glob(pattern))]
    return [
        finding
        for path in sources + pages
        if str(path.relative_to(ROOT)).startswith(under)
        for finding in (in_literals(path) if path.suffix == ".py" else in_page(path))
    ]


if __name__ == "__main__":
    sys.stdout.writelines(f"{finding}\n" for finding in findings(*sys.argv[1:]))
