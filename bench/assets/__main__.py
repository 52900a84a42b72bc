"""Measures list pages from the first to the last, through a real server on loopback.

    python -m bench.assets [--assets 100000] [--home DIR]

The peer, in the same run and on the same database file, is the plain keyset query through the sqlite3 module. The exit
code is 1 when a bar is missed.
"""

import argparse
import json
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

from bench.assets.stage import PROJECT, Running, fill, running_server

LIST_BAR_MS = 50.0
SEARCH_BAR_MS = 100.0
"""A part of a name can be anywhere in it, so a search looks at every name."""
LAST_TO_FIRST_BAR = 1.5
PAGE = 50
ROUNDS = 100
"""How often the first and the last page are fetched in turns, to be compared."""

SORTS = ("name", "-created_at", "-updated_at", "-size_bytes")
FILTERS: dict[str, dict[str, object]] = {
    "mine, by name": {"mine": True, "sort": "name"},
    "scene, newest first": {"scene": "ocr", "sort": "-created_at"},
}
SEARCHES: dict[str, dict[str, object]] = {
    "search, few found": {"q": "asset 099999"},
    "search, many found": {"q": "asset", "sort": "name"},
    "search, none found": {"q": "no such name"},
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--assets", type=int, default=100_000)
    parser.add_argument("--home", type=Path, default=None, help="where to put the scratch home")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.home) as scratch:
        home = Path(scratch) / "home"
        fill(home, options.assets)
        with running_server(home) as server:
            return _measure(server, home, options.assets)


def _measure(server: Running, home: Path, assets: int) -> int:
    missed = 0
    print(f"{assets} assets in one project, pages of {PAGE}; load average {os.getloadavg()[0]:.1f}\n")
    print(f"{'list':28}{'pages':>7}{'p50 ms':>9}{'p95 ms':>9}{'max ms':>9}{'last/first':>12}")
    for sort in SORTS:
        times, last_cursor = _walk(server, {"sort": sort})
        assert len(times) == -(-assets // PAGE), "pages were lost"
        missed += _row(f"by {sort}", times, _last_to_first(server, sort, last_cursor))
    for name, query in FILTERS.items():
        missed += _row(name, [_time(lambda q=query: _get(server, _list_path(q))) for _ in range(100)])
    for name, query in SEARCHES.items():
        times = [_time(lambda q=query: _get(server, _list_path(q))) for _ in range(100)]
        missed += _row(name, times, bar_ms=SEARCH_BAR_MS)
    times = [_time(lambda: _get(server, "/search?q=099999")) for _ in range(100)]
    missed += _row("search over everything", times, bar_ms=SEARCH_BAR_MS)
    peer = _peer(home / "tidemill.db")
    print(f"{'peer: sqlite3 alone, by name':28}{len(peer):>7}{_ms(statistics.median(peer)):>9}{_ms(_p95(peer)):>9}")
    bars = (
        f"p95 of lists ≤ {LIST_BAR_MS:.0f} ms, of searches ≤ {SEARCH_BAR_MS:.0f} ms, last/first ≤ {LAST_TO_FIRST_BAR}"
    )
    print(f"\nbars: {bars}: {'missed' if missed else 'reached'}")
    return 1 if missed else 0


def _walk(server: Running, query: dict[str, object]) -> tuple[list[float], str | None]:
    """The time of each page from the first to the last, and the cursor of the last."""
    times: list[float] = []
    cursor: str | None = None
    while True:
        asked = {**query, "limit": PAGE, **({"cursor": cursor} if cursor else {})}
        started = time.perf_counter()
        page = _get(server, _list_path(asked))
        times.append(time.perf_counter() - started)
        if page["next"] is None:
            return times, cursor
        cursor = str(page["next"])


def _last_to_first(server: Running, sort: str, last_cursor: str | None) -> float:
    """The two pages in turns, so that both see the same machine."""
    first = _list_path({"sort": sort, "limit": PAGE})
    last = f"{first}&{urlencode({'cursor': last_cursor})}" if last_cursor else first
    rounds = [(_time(lambda: _get(server, last)), _time(lambda: _get(server, first))) for _ in range(ROUNDS)]
    return statistics.median(times[0] for times in rounds) / statistics.median(times[1] for times in rounds)


def _list_path(query: dict[str, object]) -> str:
    return f"/projects/{PROJECT}/models?{urlencode({k: str(v).lower() if v is True else v for k, v in query.items()})}"


def _get(server: Running, path: str) -> dict[str, object]:
    connection: HTTPConnection = server.connection
    connection.request("GET", f"/api/v1{path}", headers={"Cookie": server.cookie})
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == 200, body
    found: dict[str, object] = json.loads(body)
    return found


def _peer(file: Path) -> list[float]:
    """The same pages of the list by name, without a server."""
    connection = sqlite3.connect(file)
    (project,) = connection.execute("SELECT id FROM projects WHERE name = ?", (PROJECT,)).fetchone()
    statement = (
        "SELECT * FROM assets WHERE project_id = ? AND kind = 'model' AND deleted_at IS NULL "
        "AND (name_key, id) > (?, ?) ORDER BY name_key, id LIMIT ?"
    )
    name_at, id_at = _columns(connection)
    times, after = [], ("", "")
    while True:
        started = time.perf_counter()
        rows = connection.execute(statement, (project, *after, PAGE)).fetchall()
        times.append(time.perf_counter() - started)
        if len(rows) < PAGE:
            connection.close()
            return times
        after = (rows[-1][name_at], rows[-1][id_at])


def _columns(connection: sqlite3.Connection) -> tuple[int, int]:
    names = [row[1] for row in connection.execute("PRAGMA table_info(assets)")]
    return names.index("name_key"), names.index("id")


def _row(name: str, times: list[float], ratio: float | None = None, *, bar_ms: float = LIST_BAR_MS) -> bool:
    """Prints a line; whether a bar is missed."""
    p95 = _p95(times)
    shown = f"{ratio:12.2f}" if ratio is not None else ""
    print(f"{name:28}{len(times):>7}{_ms(statistics.median(times)):>9}{_ms(p95):>9}{_ms(max(times)):>9}{shown}")
    return p95 * 1000 > bar_ms or (ratio is not None and ratio > LAST_TO_FIRST_BAR)


def _time(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def _p95(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)] if len(times) > 1 else times[0]


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f}"


if __name__ == "__main__":
    sys.exit(main())
