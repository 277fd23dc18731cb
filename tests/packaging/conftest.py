"""A clean copy of the sources, new environments, and the programs in them."""

import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

from tests.conftest import ROOT

# What an environment made here must not inherit: it would see this one's packages, or be built by other rules.
NOT_INHERITED = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "GERMANE_KERNELS", "CC", "CFLAGS")


def run(*command: str | Path, **variables: str) -> str:
    """Run a program, with these environment variables beside the usual ones; its standard output."""
    environment = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED} | variables
    done = subprocess.run(
        command,
        cwd=Path(sys.prefix),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def program(environment: Path, name: str) -> Path:
    """A program of an environment."""
    return environment / ("Scripts" if os.name == "nt" else "bin") / (f"{name}.exe" if os.name == "nt" else name)


def closure(names: Iterable[str]) -> set[str]:
    """These distributions and whatever they need, as far as it is installed here; extras are left out."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        try:
            requirements = distribution(name).requires or []
        except PackageNotFoundError:
            continue  # needed on other systems only
        found.add(name)
        waiting += [
            match[0] for line in requirements if "extra ==" not in line and (match := re.match(r"[\w.-]+", line))
        ]
    return found


def lend(names: Iterable[str], environment: Path) -> None:
    """Make installed distributions visible in another environment by links, without downloading anything."""
    [target] = environment.glob("Lib/site-packages" if os.name == "nt" else "lib/python*/site-packages")
    for name in closure(names):
        for top in {file.parts[0] for file in distribution(name).files or ()} - {"..", "__pycache__"}:
            if not (target / top).exists():
                (target / top).symlink_to(Path(str(distribution(name).locate_file(top))))


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Makes clean copies of what builds the package: pip builds in place, and old results must not leak in."""

    def copy() -> Path:
        folder = tmp_path_factory.mktemp("sources")
        for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, folder)
        built = shutil.ignore_patterns("*.so", "*.pyd", "*.c", "__pycache__", "*.egg-info")
        shutil.copytree(ROOT / "src", folder / "src", ignore=built)
        return folder

    return copy


@pytest.fixture(scope="session")
def new_environment(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Makes empty environments that have pip and nothing else."""

    def make() -> Path:
        folder = tmp_path_factory.mktemp("environment")
        venv.create(folder, symlinks=os.name != "nt")
        lend(["pip"], folder)
        return folder

    return make
