"""A local server that speaks S3, and the environment that makes germane use it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "tester",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}
BUCKET = "bucket"


@contextmanager
def object_store() -> Iterator[dict[str, str]]:
    """Run the server on loopback, with one empty bucket; yield the variables that name it."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        variables = {**ENVIRONMENT, "AWS_ENDPOINT_URL": f"http://{host}:{port}"}
        client_of(variables).create_bucket(Bucket=BUCKET)
        yield variables
    finally:
        server.stop()


def client_of(variables: dict[str, str]) -> Any:
    """Return a client of the server that does not share code with what is tested."""
    import boto3

    return boto3.client(
        "s3",
        endpoint_url=variables["AWS_ENDPOINT_URL"],
        region_name=variables["AWS_REGION"],
        aws_access_key_id=variables["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=variables["AWS_SECRET_ACCESS_KEY"],
    )


def uploader(variables: dict[str, str]) -> Callable[[Path, str], str]:
    """Return a function that copies a file or folder into the bucket and returns its address."""
    client = client_of(variables)

    def upload(path: Path, name: str) -> str:
        inside = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
        for file in inside:
            key = name if file == path else f"{name}/{file.relative_to(path).as_posix()}"
            client.put_object(Bucket=BUCKET, Key=key, Body=file.read_bytes())
        return f"s3://{BUCKET}/{name}"

    return upload


def set_environment(variables: dict[str, str], monkeypatch: Any) -> None:
    """Set the variables for one test, and no others of the same family."""
    for name in [each for each in os.environ if each.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
