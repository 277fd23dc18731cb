"""A server of germane, started by its command as a user would, and a browser's requests to it over loopback.

Only 127.0.0.1 is ever connected to, and the server is stopped when the block that started it ends.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"
START_SECONDS = 120
"""Maximum seconds until a server prints its address: it opens the project and reads the documents first."""
REPLY_SECONDS = 30
"""Maximum seconds for one reply. A server that takes longer has failed."""
ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/\S*")


@dataclass
class Server:
    """A running server: its port, and the links that it printed."""

    process: subprocess.Popen[str]
    port: int
    links: list[str]

    def kill(self) -> None:
        """End it at once, as a crash would; nothing is flushed."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def peak_mb(self) -> float | None:
        """Return the peak memory so far, if the system reports it."""
        with suppress(OSError):
            status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
            if found := re.search(r"VmHWM:\s+(\d+) kB", status):
                return round(int(found[1]) * 1024 / 1e6, 1)
        return None

    def processor_seconds(self) -> float | None:
        """Return the seconds of processor used so far, of all cores together, if the system reports them."""
        with suppress(OSError):
            fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return None


@contextmanager
def serving(command: list[str], *, links: int) -> Iterator[Server]:
    """Start a server of germane and wait until it has printed this many links; stop it at the end."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    rest = threading.Thread(target=process.stdout.read, daemon=True)  # a full pipe would stop the server
    deadline = threading.Timer(START_SECONDS, process.kill)
    deadline.start()
    try:
        said, found = [], []
        for line in process.stdout:
            said.append(line)
            found += [each[0] for each in ADDRESS.finditer(line)]
            if len(found) >= links:
                break
        deadline.cancel()
        if len(found) < links:
            raise SystemExit(f"{' '.join(command)} did not start:\n{''.join(said)}")
        rest.start()
        port = ADDRESS.search(found[0])
        assert port is not None
        yield Server(process, int(port[1]), found)
    finally:
        deadline.cancel()
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
        process.kill()
        process.wait()
        if rest.is_alive():
            rest.join()
        process.stdout.close()


class Browser:
    """One connection that is kept open, with the headers of a page of the site."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookie = ""
        self._socket: socket.socket | None = None

    def sign_in(self, link: str) -> None:
        """Exchange the secret of a link for a cookie."""
        status, _, headers = self.request("POST", "/api/session", {"secret": link.partition("#")[2]})
        if status != 200:
            raise SystemExit(f"signing in was refused with status {status}")
        self.cookie = headers["set-cookie"].partition(";")[0]

    def json(self, method: str, path: str, body: Any = None) -> Any:
        """Return the JSON of a reply; any status but 200 is an error."""
        status, data, _ = self.request(method, path, body)
        if status != 200:
            raise AssertionError(f"{method} {path}: status {status}: {data[:500]!r}")
        return json.loads(data)

    def request(self, method: str, path: str, body: Any = None) -> tuple[int, bytes, Mapping[str, str]]:
        """Send one request and return status, content and headers."""
        data = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", f"Host: {HOST}:{self.port}", f"Origin: http://{HOST}:{self.port}"]
        lines += ["Sec-Fetch-Site: same-origin", *([f"Cookie: {self.cookie}"] if self.cookie else [])]
        if body is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {len(data)}"]
        try:
            if self._socket is None:
                self._socket = socket.create_connection((HOST, self.port), REPLY_SECONDS)
                self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._socket.sendall("\r\n".join([*lines, "", ""]).encode() + data)
            return self._reply(self._socket)
        except OSError:
            self.close()
            raise

    def _reply(self, connection: socket.socket) -> tuple[int, bytes, Mapping[str, str]]:
        data = bytearray()
        while (end := data.find(b"\r\n\r\n")) < 0:
            data += _received(connection)
        status, *lines = data[:end].decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = end + 4 + int(headers["content-length"])
        while len(data) < length:
            data += _received(connection)
        if headers.get("connection", "") == "close":
            self.close()
        return int(status.split()[1]), bytes(data[end + 4 : length]), headers

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def _received(connection: socket.socket) -> bytes:
    data = connection.recv(262_144)
    if not data:
        raise ConnectionResetError("the server closed the connection")
    return data
