"""The check of skipped tests in .ci/skips.py sees a skip, and refuses one whose reason nobody allowed."""

import importlib.util
from types import ModuleType

import pytest

from tests.conftest import ROOT

REPORT = """<testsuites><testsuite>
  <testcase classname="tests.test_a" name="test_ran"/>
  <testcase classname="tests.test_a" name="test_skipped"><skipped type="pytest.skip" message="no Java here"/></testcase>
  <testcase classname="tests.test_a" name="test_known"><skipped type="pytest.xfail" message="known bug"/></testcase>
</testsuite></testsuites>"""


@pytest.fixture(scope="module")
def skips() -> ModuleType:
    path = ROOT / ".ci" / "skips.py"
    if not path.exists():
        pytest.skip("a source distribution has no .ci")
    spec = importlib.util.spec_from_file_location("skips", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("allowed", "refused"),
    [
        ("# no Java here", ["tests.test_a::test_skipped"]),
        ("no Java", ["tests.test_a::test_skipped"]),
        ("no \\w+ here", []),
    ],
)
def test_only_allowed_reasons_pass(skips: ModuleType, allowed: str, refused: list[str]) -> None:
    found = skips.unexplained(skips.skipped_tests(REPORT), skips.allowed_reasons(allowed))
    assert [test for test, _ in found] == refused
