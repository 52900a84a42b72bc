"""One attempt: signed, pinned to the checked address, bounded in time, never redirected."""

import hashlib
import hmac
import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.hooks.receiver import listening
from tidemill.hooks.sending import Letter, Sender

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
LOOPBACK = ["127.0.0.0/8"]


def letter(url: str, secret: str | None = None) -> Letter:
    return Letter("dlv_1", url, "model.commit", {"id": "dlv_1", "event": "model.commit", "name": "潮汐"}, secret)


@pytest.fixture
def deaf() -> Iterator[Any]:
    """A listener that accepts and hands over to whatever the test sets."""
    listener = socket.create_server(("127.0.0.1", 0))
    ended = threading.Event()
    behaviour: dict[str, Any] = {"speak": lambda _peer, _ended: None}

    def run() -> None:
        peer, _ = listener.accept()
        with peer:
            behaviour["speak"](peer, ended)
            ended.wait(30)

    thread = threading.Thread(target=run)
    thread.start()
    yield listener.getsockname()[1], behaviour
    ended.set()
    thread.join()
    listener.close()


def test_the_body_is_signed_with_its_time() -> None:
    with listening() as receiver:
        outcome = Sender(LOOPBACK)(letter(receiver.url, "a secret of ours"), NOON)
    assert (outcome.status_code, outcome.error) == (200, None)
    (got,) = receiver.received
    signed = str(int(NOON.timestamp())).encode() + b"." + got.body
    expected = hmac.new(b"a secret of ours", signed, hashlib.sha256).hexdigest()
    assert got.headers["X-Tidemill-Signature"] == f"sha256={expected}"
    assert got.headers["X-Tidemill-Timestamp"] == str(int(NOON.timestamp()))
    assert got.headers["X-Tidemill-Event"] == "model.commit"
    assert got.headers["X-Tidemill-Delivery"] == "dlv_1"
    assert got.json["name"] == "潮汐"


def test_without_a_secret_nothing_is_signed() -> None:
    with listening() as receiver:
        Sender(LOOPBACK)(letter(receiver.url), NOON)
    assert "X-Tidemill-Signature" not in receiver.received[0].headers


def test_the_servers_own_network_is_out_of_reach() -> None:
    with listening() as receiver:
        outcome = Sender([])(letter(receiver.url), NOON)
    assert outcome.error
    assert outcome.error["code"] == "address_private"
    assert receiver.received == []


def test_the_connection_goes_to_the_address_that_was_checked() -> None:
    with listening() as receiver:
        asked: list[str] = []

        def resolve(host: str, _port: int) -> list[str]:
            asked.append(host)
            return ["127.0.0.1"]

        outcome = Sender(["hooks.example.org"], resolve=resolve)(
            letter(f"http://hooks.example.org:{receiver.port}/in?a=1"), NOON
        )
    assert outcome.status_code == 200
    assert asked == ["hooks.example.org"]
    assert receiver.received[0].path == "/in?a=1"
    assert receiver.received[0].headers["Host"] == f"hooks.example.org:{receiver.port}"


def test_redirects_are_not_followed() -> None:
    with listening() as receiver, listening() as elsewhere:
        receiver.statuses = [302]
        receiver.headers = {"Location": elsewhere.url}
        outcome = Sender(LOOPBACK)(letter(receiver.url), NOON)
    assert outcome.status_code == 302
    assert outcome.error
    assert outcome.error["code"] == "hook_redirect"
    assert elsewhere.received == []


@pytest.mark.parametrize("status", [400, 404, 410, 500, 503])
def test_other_answers_are_failures_with_their_status(status: int) -> None:
    with listening() as receiver:
        receiver.statuses = [status]
        outcome = Sender(LOOPBACK)(letter(receiver.url), NOON)
    assert outcome.status_code == status
    assert outcome.error
    assert outcome.error["code"] == "hook_status"


def test_a_closed_port_is_said_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    outcome = Sender(LOOPBACK)(letter(f"http://127.0.0.1:{port}/"), NOON)
    assert outcome.error
    assert outcome.error["code"] == "hook_refused"


def test_a_receiver_that_does_not_answer_is_left(deaf: Any) -> None:
    port, _ = deaf
    outcome = Sender(LOOPBACK, timeout_s=0.2)(letter(f"http://127.0.0.1:{port}/"), NOON)
    assert outcome.error
    assert outcome.error["code"] == "hook_timeout"


def test_a_receiver_that_answers_one_byte_at_a_time_is_left_all_the_same(deaf: Any) -> None:
    port, behaviour = deaf

    def drip(peer: socket.socket, ended: threading.Event) -> None:
        peer.sendall(b"HTTP/1.1 200 OK\r\n")
        while not ended.wait(0.02):
            try:
                peer.sendall(b"X")
            except OSError:
                return

    behaviour["speak"] = drip
    outcome = Sender(LOOPBACK, timeout_s=0.3)(letter(f"http://127.0.0.1:{port}/"), NOON)
    assert outcome.error
    assert outcome.error["code"] == "hook_timeout"
    assert outcome.duration_ms < 10_000


def test_what_is_not_http_is_said_so(deaf: Any) -> None:
    port, behaviour = deaf
    behaviour["speak"] = lambda peer, _ended: peer.sendall(b"SSH-2.0-OpenSSH_9.9\r\n")
    outcome = Sender(LOOPBACK, timeout_s=5)(letter(f"http://127.0.0.1:{port}/"), NOON)
    assert outcome.error
    assert outcome.error["code"] == "hook_broken"


def test_a_receiver_without_tls_behind_https_is_said_so(deaf: Any) -> None:
    port, behaviour = deaf
    behaviour["speak"] = lambda peer, _ended: peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    outcome = Sender(LOOPBACK, timeout_s=5)(letter(f"https://127.0.0.1:{port}/"), NOON)
    assert outcome.error
    assert outcome.error["code"] == "hook_tls"
