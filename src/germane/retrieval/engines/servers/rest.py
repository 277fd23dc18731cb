"""A JSON-over-HTTP client: one persistent connection per thread, with retries for transient failures.

It uses the standard library only, so there is no proxy support; certificates are checked against the system's, or
against the file that SSL_CERT_FILE names.
"""

from __future__ import annotations

import base64
import http.client
import json
import os
import threading
import time
from collections.abc import Callable, Container
from typing import Any
from urllib.parse import SplitResult

from germane.errors import GermaneError

RETRIED = (429, 502, 503, 504)
"""Statuses worth retrying: the server is busy, or a gateway could not reach it."""
ATTEMPTS = 5
FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 30.0
SHOWN_CHARACTERS = 300

USER, PASSWORD, API_KEY = "GERMANE_SEARCH_USER", "GERMANE_SEARCH_PASSWORD", "GERMANE_SEARCH_API_KEY"


class RestClient:
    """Sends requests to one server. `pause` waits between attempts; `repeated` counts failed attempts."""

    def __init__(
        self, server: SplitResult, *, timeout_seconds: float, pause: Callable[[float], object] = time.sleep
    ) -> None:
        self._secure = server.scheme == "https"
        try:
            self._host, self._port = server.hostname or "", server.port or (443 if self._secure else 80)
        except ValueError:
            raise GermaneError("expected a number as the server's port", hint="for example host:9200") from None
        self._timeout = timeout_seconds
        self._pause = pause
        self._headers = {"Accept": "application/json", **_authorization()}
        self._local = threading.local()
        self._open: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        self.repeated = 0

    def request(self, method: str, path: str, body: Any = None, *, unless: Container[int] = ()) -> Any:
        """Return the JSON of the server's answer; None if its status is in `unless`.

        Any other failure is a `GermaneError`, after retries where they make sense.
        """
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        for attempt in range(1, ATTEMPTS + 1):
            try:
                status, wanted_wait, answer = self._send(method, path, data)
            except (OSError, http.client.HTTPException) as error:
                self._drop()
                if attempt == ATTEMPTS:
                    raise self._unreachable(error) from None
                wanted_wait = 0.0
            else:
                if status not in RETRIED or attempt == ATTEMPTS:
                    return None if status in unless else _parsed(status, answer)
            with self._lock:
                self.repeated += 1
            doubled = FIRST_WAIT_SECONDS * 2 ** (attempt - 1)
            self._pause(min(LONGEST_WAIT_SECONDS, max(doubled, wanted_wait)))
        raise AssertionError("the last attempt returns or raises")

    def close(self) -> None:
        with self._lock:
            for connection in self._open:
                connection.close()
            self._open.clear()

    def _send(self, method: str, path: str, data: bytes | None) -> tuple[int, float, bytes]:
        headers = self._headers if data is None else {**self._headers, "Content-Type": "application/json"}
        connection = self._connection()
        connection.request(method, path, body=data, headers=headers)
        response = connection.getresponse()
        wait = response.getheader("Retry-After", "")
        return response.status, float(wait) if wait.isdecimal() else 0.0, response.read()

    def _connection(self) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        if connection is None:
            kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
            connection = self._local.connection = kind(self._host, self._port, timeout=self._timeout)
            with self._lock:
                self._open.append(connection)
        return connection

    def _drop(self) -> None:
        """Drop the connection after a failure: part of the old answer may still arrive on it."""
        connection: http.client.HTTPConnection = self._local.connection
        connection.close()
        with self._lock:
            self._open.remove(connection)
        self._local.connection = None

    def _unreachable(self, error: Exception) -> GermaneError:
        import ssl

        if isinstance(error, TimeoutError):
            hint = "raise `timeout=…`, or ask for fewer documents"
            return GermaneError(f"no answer within {self._timeout:g} seconds, {ATTEMPTS} times", hint=hint)
        hint = "check that the server is running and that the address is right"
        if isinstance(error, ssl.SSLCertVerificationError):
            hint = "set SSL_CERT_FILE=ca.pem to trust its certificates"
        elif isinstance(error, http.client.HTTPException | ssl.SSLError):
            hint = "check whether the address should use http or https"
        return GermaneError(f"cannot reach the server: {str(error) or type(error).__name__}", hint=hint)


def _authorization() -> dict[str, str]:
    """Return the header with credentials from the environment, which process lists and shell history do not show."""
    user, password, key = (os.environ.get(name, "") for name in (USER, PASSWORD, API_KEY))
    if key and user:
        raise GermaneError(f"both {USER} and {API_KEY} are set", hint="unset one of them")
    if key:
        return {"Authorization": f"ApiKey {key}"}
    basic = base64.b64encode(f"{user}:{password}".encode()).decode()
    return {"Authorization": f"Basic {basic}"} if user else {}


def _parsed(status: int, answer: bytes) -> Any:
    try:
        body = json.loads(answer)
    except ValueError:
        if status < 300:
            shown = answer[:SHOWN_CHARACTERS].decode("utf-8", "replace")
            raise GermaneError(f"expected JSON from the server, found {shown!r}") from None
        body = answer.decode("utf-8", "replace")
    if status < 300:
        return body
    hints = {
        401: f"set {USER} and {PASSWORD}, or {API_KEY}, in the environment",
        403: "grant this user or key permission to read the index",
        429: "the server is busy; use fewer --threads, or try again later",
    }
    raise GermaneError(f"the server answered {status}: {reason_of(body)}", hint=hints.get(status))


def reason_of(body: Any) -> str:
    """Return the server's error message: its root causes if it names them, else the beginning of the answer.

    >>> reason_of({"error": {"root_cause": [{"type": "index_not_found", "reason": "no such index [x]"}]}})
    'index_not_found: no such index [x]'
    """
    error = body.get("error") if isinstance(body, dict) else None
    if isinstance(error, dict):
        causes = error.get("root_cause") or [error]
        messages = [f"{c.get('type')}: {c.get('reason')}" for c in causes if isinstance(c, dict)]
        if messages:
            return "; ".join(dict.fromkeys(messages))
    text = error if isinstance(error, str) else body if isinstance(body, str) else json.dumps(body)
    return " ".join(text.split())[:SHOWN_CHARACTERS] or "no reason given"
