"""A local HTTP server that gives back what a test recorded, and remembers what it was asked. No search engine."""

import json
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


class ReplayingServer:
    """Answers each path with what `answers` has for it: one after the other, the last one for ever.

    An answer is JSON (status 200), or a `Reply`. What is not recorded is a 404 with OpenSearch's body for it.
    """

    def __init__(self) -> None:
        self.answers: dict[str, list[Any]] = {}
        self.requests: list[tuple[str, str, Any]] = []
        self.headers: list[Mapping[str, str]] = []
        self.clients: list[Any] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                server._answer(self)

            do_POST = do_GET  # noqa: N815 - the names that the handler looks for

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self) -> "ReplayingServer":
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for client in self.clients:
            client.close()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def records(self, path: str, *answers: Any) -> None:
        """Give these answers for a path, one after the other."""
        self.answers[path] = list(answers)

    def bodies(self, path: str) -> list[Any]:
        """What was sent to a path."""
        return [body for _, asked, body in self.requests if asked == path]

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        sent = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        self.requests.append((handler.command, handler.path, json.loads(sent) if sent else None))
        self.headers.append(dict(handler.headers))
        waiting = self.answers.get(handler.path, [NO_SUCH_INDEX])
        answer = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        reply = answer if isinstance(answer, Reply) else Reply(200, answer)
        time.sleep(reply.after_seconds)
        data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        try:
            if reply.hangs_up:
                handler.close_connection = True
                return
            handler.send_response(reply.status)
            for name, value in {"Content-Length": str(len(data)), **reply.headers}.items():
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(data)
        except OSError:  # the client did not wait
            handler.close_connection = True


class Reply:
    """An answer that is more than JSON."""

    def __init__(
        self,
        status: int,
        body: Any = b"",
        *,
        headers: Mapping[str, str] | None = None,
        after_seconds: float = 0.0,
        hangs_up: bool = False,
    ) -> None:
        self.status, self.body, self.headers = status, body, headers or {}
        self.after_seconds, self.hangs_up = after_seconds, hangs_up


NO_SUCH_INDEX = Reply(
    404,
    {
        "error": {
            "root_cause": [{"type": "index_not_found_exception", "reason": "no such index [library]"}],
            "type": "index_not_found_exception",
            "reason": "no such index [library]",
            "index": "library",
        },
        "status": 404,
    },
)
