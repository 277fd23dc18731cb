"""A cluster of two executor processes, started once for all tests of this folder."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import germane

CONFIGURATION = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "3",
    # A query crosses batches.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "7",
    # The executors find the same germane as the tests.
    "spark.executorEnv.PYTHONPATH": str(Path(germane.__file__).parents[1]),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What pyspark warns of: that it would rather have an older pandas."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(
                pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
            )


def java_home() -> str | None:
    """Java 17 where Debian has it; else whatever is set or on the path."""
    known = sorted(Path("/usr/lib/jvm").glob("java-17-*"))
    return os.environ.get("JAVA_HOME") or (str(known[0]) if known else None)


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    pytest.importorskip("pyspark", reason="tests on a cluster need pyspark: pip install 'germane[spark]'")
    home = java_home()
    if home is None and shutil.which("java") is None:
        pytest.skip("tests on a cluster need Java, and neither JAVA_HOME nor the path has one")
    from pyspark.sql import SparkSession

    environment = pytest.MonkeyPatch()
    environment.setenv("PYSPARK_PYTHON", sys.executable)
    environment.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    if home is not None:
        environment.setenv("JAVA_HOME", home)
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("germane's tests")
    for name, value in CONFIGURATION.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    try:
        yield session
    finally:
        session.stop()
        environment.undo()
