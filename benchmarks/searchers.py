"""People who search at once: each searches, marks two results, searches again with them, and opens a document.

`python -m benchmarks.searchers` is a process of its own, so that its work is not that of the server: JSON in and out.
"""

from __future__ import annotations

import html
import json
import re
import sys
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from urllib.parse import urlencode

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.served import Browser

RESULT = re.compile(r'name="doc" value="([^"]*)"')


@dataclass
class Searched:
    """Seconds of each request of one person, and what went wrong."""

    seconds: list[float] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def search(port: int, people: int, queries: list[str], warm_up: float, seconds: float) -> list[Searched]:
    """Let everybody search at once for so long, after a warm-up that is not counted."""
    begin = time.monotonic() + warm_up
    found = [Searched() for _ in range(people)]

    def run(number: int) -> None:
        browser, place = Browser(port), number

        def page(path: str) -> str:
            start = time.perf_counter()
            status, data, _ = browser.request("GET", path)
            if begin <= time.monotonic() < begin + seconds:
                found[number].seconds.append(time.perf_counter() - start)
            if status != 200:
                raise AssertionError(f"{path}: status {status}")
            return data.decode()

        try:
            while time.monotonic() < begin + seconds:
                query = queries[place % len(queries)]
                place += people
                docs = [html.unescape(doc) for doc in RESULT.findall(page("/?" + urlencode({"q": query})))]
                if not docs:
                    raise AssertionError(f"no results for {query!r}")
                marks = [("q", query), ("asked", query), ("round", "1"), *(("was", doc) for doc in docs)]
                marks += [("doc", docs[0]), ("m1", "yes"), ("doc", docs[-1]), ("m2", "no")]
                page("/?" + urlencode(marks))
                page("/document?" + urlencode({"id": docs[0], "q": query}))
        except (OSError, AssertionError) as error:
            found[number].problems.append(f"{type(error).__name__}: {error}")
        finally:
            browser.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(people)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def _main() -> None:
    sys.setswitchinterval(0.0005)  # so that a reply is noticed at once, whatever the other threads do
    json.dump([asdict(one) for one in search(**json.load(sys.stdin))], sys.stdout)


if __name__ == "__main__":
    _main()
