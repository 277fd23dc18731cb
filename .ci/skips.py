"""Fail on any skipped test whose reason is not allowed: `skips.py JUNIT_XML ALLOWED_REASONS`.

A test that is skipped shows nothing, and a suite that skips quietly is green for the wrong reason.
"""

import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path


def skipped_tests(junit_xml: str) -> list[tuple[str, str]]:
    """(test, reason) of each skipped test; an expected failure did run, so it is not one."""
    return [
        (f"{case.get('classname')}::{case.get('name')}", skip.get("message", ""))
        for case in ET.fromstring(junit_xml).iter("testcase")
        for skip in case.iter("skipped")
        if skip.get("type") != "pytest.xfail"
    ]


def allowed_reasons(text: str) -> list[re.Pattern[str]]:
    """One regular expression per line; `#` begins a comment line."""
    lines = (line.strip() for line in text.splitlines())
    return [re.compile(line) for line in lines if line and not line.startswith("#")]


def unexplained(skipped: list[tuple[str, str]], allowed: list[re.Pattern[str]]) -> list[tuple[str, str]]:
    """The skipped tests whose reason matches none of the allowed ones."""
    return [(test, reason) for test, reason in skipped if not any(pattern.fullmatch(reason) for pattern in allowed)]


def main(junit_path: str, allowed_path: str) -> int:
    """Print every skip; the exit status is 1 if one of them is not allowed."""
    skipped = skipped_tests(Path(junit_path).read_text(encoding="utf-8"))
    refused = unexplained(skipped, allowed_reasons(Path(allowed_path).read_text(encoding="utf-8")))
    for test, reason in skipped:
        print(f"{'NOT ALLOWED' if (test, reason) in refused else 'allowed'}: {test}: {reason}")
    print(f"skips: {len(skipped)}, of which not in {allowed_path}: {len(refused)}")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
