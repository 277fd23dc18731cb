"""The wheel, built from the source distribution, works with its dependencies in an otherwise empty environment."""

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.packaging.conftest import program, run

pytestmark = pytest.mark.slow  # it compiles and installs for real


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skips where no package index can be reached: building and installing for real downloads."""
    download = [sys.executable, "-m", "pip", "download", "--no-deps", "click"]
    probe = subprocess.run(download, cwd=tmp_path_factory.mktemp("probe"), capture_output=True, check=False)
    if probe.returncode != 0:
        pytest.skip("the package index cannot be reached")


@pytest.fixture(scope="module")
def wheel(index: None, sources: Callable[[], Path]) -> Path:
    folder = sources()
    run(sys.executable, "-m", "build", folder)
    [path] = (folder / "dist").glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, new_environment: Callable[[], Path]) -> Path:
    environment = new_environment()
    run(program(environment, "python"), "-m", "pip", "install", wheel)
    return environment


def missing_from(wheel: Path, package: Path) -> set[str]:
    """The files below the package's folder that the wheel forgot; what is built from them does not count."""
    expected = {
        path.relative_to(package.parent).as_posix()
        for path in package.rglob("*")
        if path.is_file() and path.suffix not in {".so", ".pyd", ".c", ".pyc"}
    }
    return expected - set(zipfile.ZipFile(wheel).namelist())


def test_the_wheel_has_every_file_of_the_package(wheel: Path) -> None:
    assert missing_from(wheel, ROOT / "src" / "germane") == set()


def test_the_wheel_has_nothing_beside_the_package(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"germane"}


def test_a_forgotten_file_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "germane" / "data").mkdir(parents=True)
    (tmp_path / "germane" / "data" / "forgotten.txt").touch()
    with zipfile.ZipFile(tmp_path / "specimen.whl", "w") as specimen:
        specimen.writestr("germane/__init__.py", "")
    assert missing_from(tmp_path / "specimen.whl", tmp_path / "germane") == {"germane/data/forgotten.txt"}


def test_the_installed_wheel_has_compiled_kernels(installed: Path) -> None:
    if not (shutil.which("cc") or shutil.which("cl")):
        pytest.skip("no C compiler")
    assert run(program(installed, "germane"), "--version").strip().endswith("(compiled kernels)")


def test_the_installed_wheel_evaluates_the_exercise(installed: Path, tmp_path: Path) -> None:
    germane, folder = program(installed, "germane"), tmp_path / "exercise"
    run(germane, "demo", "--tutorial", "exercise", "--output", str(folder))
    assert "0.5685" in run(germane, "eval", str(folder / "qrels.txt"), str(folder / "system1.run"), "-m", "AP")
