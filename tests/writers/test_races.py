"""Two processes write one file at once, 20 times for each file: nothing that a writer was promised is lost.

``GERMANE_RACES=1000 make test PYTEST_ARGS="-m '' -k races"`` has more of them. Writers that are killed at random leave
what was there before their write or after it, and no lock.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.writers.careless import CARELESS
from tests.writers.race import RACES
from tests.writers.race_processes import MODULES

TIMES = int(os.environ.get("GERMANE_RACES", "20"))
KILLS = max(5, TIMES // 4)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="writers are forks"),
]


def run(what: str, name: str, times: int, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.writers.race_processes", what, name, str(times), str(folder)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120 + 10 * times)


@pytest.mark.parametrize("name", RACES)
def test_two_writers_lose_nothing(name: str, tmp_path: Path) -> None:
    done = run("race", name, TIMES, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]
    assert f"{name}: {TIMES} x race" in done.stdout


@pytest.mark.parametrize("name", CARELESS)
def test_careless_writers_are_caught(name: str, tmp_path: Path) -> None:
    done = run("careless", name, 20, tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr[-4000:]


@pytest.mark.parametrize("name", [race.name for race in RACES.values() if race.kills])
def test_killed_writers_leave_the_old_state_or_the_new(name: str, tmp_path: Path) -> None:
    done = run("kill", name, KILLS, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]


def test_every_module_of_races_is_run() -> None:
    assert {f"{module.__name__.rpartition('.')[2]}.py" for module in MODULES} == {
        path.name for path in Path(__file__).parent.glob("races_of_*.py")
    }
