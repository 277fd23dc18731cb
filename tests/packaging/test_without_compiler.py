"""Without a C compiler, or without Cython, the install succeeds and the reference kernels give the same results."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.packaging.conftest import lend, program, run

CORE = ("numpy", "scipy", "click", "rich")

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="on Windows, CC does not choose the compiler"),
    pytest.mark.slow,  # it installs for real
]


@pytest.fixture(scope="module", params=[True, False], ids=["with-cython", "without-cython"])
def installed(request: pytest.FixtureRequest, sources: Callable[[], Path], new_environment: Callable[[], Path]) -> Path:
    """An environment with the core dependencies and a germane that was installed where no compiler works."""
    environment = new_environment()
    lend(("setuptools", *CORE, *(["Cython"] if request.param else [])), environment)
    options = ["--no-deps", "--no-index", "--no-build-isolation"]
    run(program(environment, "python"), "-m", "pip", "install", *options, sources(), CC="/bin/false")
    return environment


def test_the_version_says_that_the_references_are_in_use(installed: Path) -> None:
    assert "(reference kernels: " in run(program(installed, "germane"), "--version")


def test_the_results_are_the_same(installed: Path) -> None:
    here = Path(sys.executable).parent
    data = ROOT / "src" / "germane" / "data"
    [qrels] = data.rglob("*qrels*")
    arguments = ["eval", str(qrels), *sorted(map(str, data.rglob("*.run"))), "-q", "--format", "json"]
    assert run(program(installed, "germane"), *arguments) == run(here / "germane", *arguments)
