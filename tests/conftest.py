"""What every test may use: the reference data in ../shared, and one profile for hypothesis."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
"""The root of the repository."""

SHARED = Path(os.environ.get("GERMANE_SHARED", ROOT.parent / "shared"))
"""The folder of reference data. It may be absent: take it from the fixture `shared`, or mark the test `shared`."""

# No deadline: on a busy machine a slow example is not a failure. Under CI the examples are the same each time, so that
# a change is judged by what it changes; at home they are new ones each time, and half as many.
IN_CI = "CI" in os.environ
settings.register_profile("germane", deadline=None, derandomize=IN_CI, max_examples=100 if IN_CI else 50)
settings.load_profile("germane")


def why_no_shared_data() -> str | None:
    """The reason to skip, or None where the data is there."""
    if (SHARED / "data").is_dir():
        return None
    return f"no reference data: {SHARED / 'data'} is not a folder (set GERMANE_SHARED to the folder that has data/)"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data; skips the test where it is absent."""
    if reason := why_no_shared_data():
        pytest.skip(reason)
    return SHARED


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests marked `shared` where the data is absent."""
    if item.get_closest_marker("shared") and (reason := why_no_shared_data()):
        pytest.skip(reason)
