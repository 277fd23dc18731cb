"""What the page on Spark shows, run with Spark: blocks marked so are left alone where there is none."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.distributed.conftest import java_home

PAGE = ROOT / "docs" / "how_to" / "spark.md"
# In a process of its own: the tests of the cluster have a session of Spark, and a process has one at most.
RERUN = (
    "import sys; from docs.examples import rerun; print(*rerun(sys.stdin.read(), 'spark.md').problems, sep='\\n\\n')"
)


def with_spark(page: str) -> str:
    """The page with the blocks that need Spark as ordinary ones."""
    return re.sub(r"^```(console|python) spark$", r"```\1", page, flags=re.M)


def problems_of(page: str) -> str:
    """Which examples print something else than the page shows."""
    path = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
    settings = {"PYTHONPATH": path, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    home = java_home()
    settings |= {} if home is None else {"JAVA_HOME": home}
    found = subprocess.run(
        [sys.executable, "-W", "ignore::FutureWarning", "-c", RERUN],
        input=with_spark(page),
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout.strip()


@pytest.fixture(scope="module")
def page() -> str:
    pytest.importorskip("pyspark", reason="tests on a cluster need pyspark: pip install 'germane[spark]'")
    if java_home() is None and shutil.which("java") is None:
        pytest.skip("tests on a cluster need Java, and neither JAVA_HOME nor the path has one")
    return Path(PAGE).read_text(encoding="utf-8")


def test_examples_print_what_the_page_shows(page: str) -> None:
    assert problems_of(page) == ""


def test_a_page_that_shows_another_output_is_caught() -> None:
    assert "0.9999" in problems_of("```console spark\n$ germane eval qrels.txt system1.run -m RR\n0.9999\n```\n")
