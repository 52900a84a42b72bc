"""Downloads: ranges, conditions, and headers that keep hostile content harmless."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI, Request, Response
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from tests.store.conftest import sha
from tidemill.store.local import LocalBackend
from tidemill.store.serving import RangeUnsatisfiable, Span, attachment, blob_response, find_span

DATA = bytes(range(256)) * 20
NAME = '模型 "x".html'


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    backend = LocalBackend(tmp_path)
    backend.put_bytes(sha(DATA), DATA)
    app = FastAPI()

    @app.api_route("/file", methods=["GET", "HEAD"])
    def serve(request: Request, download: bool = False) -> Response:
        return blob_response(
            request, backend, sha(DATA), len(DATA), media_type="text/html", filename='模型 "x".html', download=download
        )

    with TestClient(app) as opened:
        yield opened


def test_the_whole_file(client: TestClient) -> None:
    answer = client.get("/file")
    assert (answer.status_code, answer.content) == (200, DATA)
    assert answer.headers["Content-Length"] == str(len(DATA))
    assert answer.headers["ETag"] == f'"{sha(DATA)}"'
    assert answer.headers["Accept-Ranges"] == "bytes"


def test_a_browser_will_not_run_it(client: TestClient) -> None:
    for answer in (client.get("/file"), client.head("/file"), client.get("/file", headers={"Range": "bytes=0-1"})):
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("sandbox;")
        assert "allow-scripts" not in policy
        assert "default-src 'none'" in policy


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [("bytes=0-0", 0, 0), ("bytes=10-19", 10, 19), ("bytes=5000-", 5000, 5119), ("bytes=-20", 5100, 5119),
     ("bytes=0-999999", 0, 5119), ("bytes=-999999", 0, 5119), (" bytes=1-2 ", 1, 2)],
)  # fmt: skip
def test_a_part(client: TestClient, asked: str, start: int, end: int) -> None:
    answer = client.get("/file", headers={"Range": asked})
    assert (answer.status_code, answer.content) == (206, DATA[start : end + 1])
    assert answer.headers["Content-Range"] == f"bytes {start}-{end}/{len(DATA)}"
    assert answer.headers["Content-Length"] == str(end - start + 1)


@pytest.mark.parametrize("asked", ["bytes=5120-", "bytes=99999-100000", "bytes=-0"])
def test_a_part_past_the_end(client: TestClient, asked: str) -> None:
    answer = client.get("/file", headers={"Range": asked})
    assert (answer.status_code, answer.headers["Content-Range"]) == (416, f"bytes */{len(DATA)}")


@pytest.mark.parametrize("asked", ["bytes=5-1", "bytes=a-b", "lines=1-2", "bytes=-", "bytes=0-1,4-5", "bytes=1", "x"])
def test_a_range_we_do_not_understand_gives_the_whole(client: TestClient, asked: str) -> None:
    answer = client.get("/file", headers={"Range": asked})
    assert (answer.status_code, len(answer.content)) == (200, len(DATA))


@pytest.mark.parametrize("tags", ['"{0}"', 'W/"{0}"', '"other", "{0}"', "*"])
def test_what_the_caller_has_is_not_sent(client: TestClient, tags: str) -> None:
    answer = client.get("/file", headers={"If-None-Match": tags.format(sha(DATA))})
    assert (answer.status_code, answer.content) == (304, b"")
    assert client.get("/file", headers={"If-None-Match": '"other"'}).status_code == 200


def test_a_part_of_something_else_is_the_whole_of_this(client: TestClient) -> None:
    ours = {"Range": "bytes=0-1", "If-Range": f'"{sha(DATA)}"'}
    assert client.get("/file", headers=ours).status_code == 206
    assert client.get("/file", headers={**ours, "If-Range": '"other"'}).status_code == 200
    assert client.get("/file", headers={**ours, "If-Range": "Wed, 21 Oct 2015 07:28:00 GMT"}).status_code == 200


def test_head_says_everything_but_the_bytes(client: TestClient) -> None:
    answer = client.head("/file")
    assert (answer.status_code, answer.content, answer.headers["Content-Length"]) == (200, b"", str(len(DATA)))
    part = client.head("/file", headers={"Range": "bytes=0-9"})
    assert (part.status_code, part.headers["Content-Length"]) == (206, "10")


def test_the_name_is_safe_in_a_header(client: TestClient) -> None:
    shown = client.get("/file").headers["Content-Disposition"]
    assert shown.startswith("inline; filename=\"__ _x_.html\"; filename*=UTF-8''%E6%A8%A1")
    assert client.get("/file?download=true").headers["Content-Disposition"].startswith("attachment;")


@given(st.text())
def test_no_name_breaks_out_of_its_header(name: str) -> None:
    try:
        header = attachment(name, download=True)
    except UnicodeEncodeError:
        return
    header.encode("ascii")
    assert "\r" not in header
    assert "\n" not in header
    assert header.count('"') == 2


@given(st.text(max_size=30) | st.from_regex(r"bytes=\d{0,6}-\d{0,6}", fullmatch=True), st.integers(0, 10_000))
def test_a_span_is_always_inside(header: str, size: int) -> None:
    try:
        span = find_span(header, size)
    except RangeUnsatisfiable:
        return
    if span is not None:
        assert isinstance(span, Span)
        assert span.length > 0
        assert 0 <= span.start <= span.start + span.length <= size
