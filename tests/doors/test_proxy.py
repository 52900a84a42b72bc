"""The apps origin's way to what workloads serve: with a ticket only, streamed, and nothing of ours let through."""

import asyncio
import hashlib
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
import websockets
from aiohttp import WSMsgType, web

from tests.accounts.people import Hands
from tests.conftest import Api, Person
from tests.doors.stage import PortsOnly, add_workload, listening, served, within
from tidemill.doors.office import GRANT_LIFETIME, TICKET_LIFETIME, Grant, Office
from tidemill.server.apps import create_apps_app
from tidemill.workloads.tables import WorkloadRow


async def echo(request: web.Request) -> web.Response:
    body = await request.read()
    pairs = [[name, value] for name, value in request.headers.items()]
    return web.json_response(
        {"method": request.method, "path": request.raw_path, "headers": pairs, "body": body.decode()}
    )


async def digest(request: web.Request) -> web.Response:
    found, biggest = hashlib.sha256(), 0
    async for piece in request.content.iter_any():
        found.update(piece)
        biggest += len(piece)
    return web.json_response({"digest": found.hexdigest(), "size": biggest})


async def rude(request: web.Request) -> web.Response:
    answer = web.Response(text="rude")
    answer.headers.add("Set-Cookie", "tidemill_session=stolen; Path=/")
    answer.headers.add("Set-Cookie", "theirs=1; Path=/; Domain=example.org")
    for name in ("Service-Worker-Allowed", "Strict-Transport-Security", "Clear-Site-Data", "Alt-Svc"):
        answer.headers[name] = "x"
    answer.headers["X-Frame-Options"] = "DENY"
    answer.headers["Content-Security-Policy"] = "frame-ancestors 'none'; img-src 'self'"
    return answer


async def drip(request: web.Request) -> web.StreamResponse:
    answer = web.StreamResponse()
    await answer.prepare(request)
    await answer.write(b"first\n")
    await asyncio.Event().wait()
    return answer


async def talk(request: web.Request) -> web.WebSocketResponse:
    socket = web.WebSocketResponse(protocols=("kernel.v1",))
    await socket.prepare(request)
    async for message in socket:
        if message.type is WSMsgType.TEXT:
            if message.data == "bye":
                await socket.close(code=4321)
                break
            await socket.send_str(f"{request.headers.get('Cookie', '-')} {message.data}")
        elif message.type is WSMsgType.BINARY:
            await socket.send_bytes(message.data[::-1])
    return socket


@dataclass
class Stage:
    api: Api
    workload: str
    origin: str
    port: int
    opened: ExitStack

    @property
    def base(self) -> str:
        return f"/w/{self.workload}/0/{self.port}/"

    def ticket(self, person: Person, *, port: int | None = None, **fields: Any) -> str:
        session = person.ok("get", "/me/sessions")["items"][0]["id"]
        user = person.ok("get", "/session")["id"]
        values = {"permission": "environment.write", "node": 0, **fields}
        grant = Grant(user, session, None, self.workload, port=port or self.port, **values)
        office: Office = self.api.app.state.doors_office
        return office.ticket(grant, now=self.api.app.state.clock())

    def browser(self) -> httpx2.Client:
        return self.opened.enter_context(httpx2.Client(base_url=self.origin, timeout=20))

    def let_in(self, person: Person, **fields: Any) -> httpx2.Client:
        browser = self.browser()
        answer = browser.get(f"{self.base}?ticket={self.ticket(person, **fields)}")
        assert answer.status_code == 303, answer.text
        return browser


@pytest.fixture
def stage(api: Api, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    api.project("tides")
    workload = add_workload(api.app, "tides")
    monkeypatch.setitem(api.app.state._state, "engine", PortsOnly())
    routes = [
        web.post("/w/{a}/0/{b}/digest", digest),
        web.get("/w/{a}/0/{b}/rude", rude),
        web.get("/w/{a}/0/{b}/drip", drip),
        web.get("/w/{a}/0/{b}/talk", talk),
        web.route("*", "/{rest:.*}", echo),
    ]
    with (
        listening(*routes) as port,
        served(create_apps_app(api.app.state.settings, api.app)) as apps_port,
        ExitStack() as opened,
    ):
        api.app.state.engine.ports[workload, 0, port] = ("127.0.0.1", port)
        yield Stage(api, workload, f"http://127.0.0.1:{apps_port}", port, opened)


def heard(answer: httpx2.Response) -> dict[str, str]:
    return {name.lower(): value for name, value in answer.json()["headers"]}


def test_a_ticket_becomes_a_cookie_of_that_port_only_and_leaves_the_address(stage: Stage) -> None:
    browser = stage.browser()
    answer = browser.get(f"{stage.base}lab/tree?x=1&ticket={stage.ticket(stage.api.admin)}&y=a%2Fb")
    assert answer.status_code == 303
    assert answer.headers["location"] == f"{stage.base}lab/tree?x=1&y=a%2Fb"
    cookie = answer.headers["set-cookie"]
    assert f"Path={stage.base}" in cookie
    assert "HttpOnly" in cookie
    assert "samesite=lax" in cookie.lower()
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert browser.get(answer.headers["location"]).json()["path"] == f"{stage.base}lab/tree?x=1&y=a%2Fb"


def test_without_a_ticket_there_is_nothing(stage: Stage) -> None:
    answer = stage.browser().get(stage.base, headers={"Accept-Language": "zh-CN"})
    assert answer.status_code == 401
    assert "重新打开" in answer.text


def test_the_session_of_the_web_application_is_no_way_in(stage: Stage) -> None:
    cookie = stage.api.admin.http.cookies["tidemill_session"]
    assert stage.browser().get(stage.base, headers={"Cookie": f"tidemill_session={cookie}"}).status_code == 401


def test_a_ticket_is_good_once(stage: Stage) -> None:
    ticket = stage.ticket(stage.api.admin)
    assert stage.browser().get(f"{stage.base}?ticket={ticket}").status_code == 303
    assert stage.browser().get(f"{stage.base}?ticket={ticket}").status_code == 401


def test_who_is_inside_already_may_come_with_a_used_ticket(stage: Stage) -> None:
    ticket = stage.ticket(stage.api.admin)
    browser = stage.browser()
    assert browser.get(f"{stage.base}?ticket={ticket}").status_code == 303
    assert browser.get(f"{stage.base}?ticket={ticket}").status_code == 303


def test_a_ticket_is_good_for_less_than_a_minute(stage: Stage) -> None:
    hands = Hands(stage.api.app)
    ticket = stage.ticket(stage.api.admin)
    hands.now += TICKET_LIFETIME
    assert stage.browser().get(f"{stage.base}?ticket={ticket}").status_code == 401


def test_a_grant_ends(stage: Stage) -> None:
    office: Office = stage.api.app.state.doors_office
    now = stage.api.app.state.clock()
    grant = Grant("u", "s", None, stage.workload, 0, 80, "environment.write")
    sealed = office.seal(grant, now=now)
    assert office.open(sealed, now=now) == grant
    assert office.open(sealed, now=now + GRANT_LIFETIME) is None
    assert office.redeem(sealed, now=now) is None
    assert office.open(office.ticket(grant, now=now), now=now) is None
    assert Office(b"another").open(sealed, now=now) is None


def test_a_ticket_for_one_port_does_not_open_another(stage: Stage) -> None:
    ticket = stage.ticket(stage.api.admin, port=stage.port + 1)
    assert stage.browser().get(f"{stage.base}?ticket={ticket}").status_code == 401


def test_a_cookie_moved_to_another_port_does_not_open_it(stage: Stage) -> None:
    browser = stage.let_in(stage.api.admin)
    cookie = browser.cookies["tidemill_app"]
    other = f"/w/{stage.workload}/0/{stage.port + 1}/"
    assert stage.browser().get(other, headers={"Cookie": f"tidemill_app={cookie}"}).status_code == 401


def test_a_stranger_with_a_ticket_gets_nothing(stage: Stage) -> None:
    stage.api.project("others")
    eve = stage.api.user("eve", project="others", role="owner")
    assert stage.browser().get(f"{stage.base}?ticket={stage.ticket(eve)}").status_code == 401


@pytest.mark.parametrize("ending", ["sign_out", "member", "workload"])
def test_what_ends_the_right_closes_the_door(stage: Stage, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemill.doors.rights.LOOK_EVERY_S", 0)
    ann = stage.api.user("ann", project="tides")
    browser = stage.let_in(ann)
    assert browser.get(stage.base).status_code == 200
    if ending == "sign_out":
        ann.ok("delete", "/session")
    elif ending == "member":
        [member] = [
            one for one in stage.api.admin.ok("get", "/projects/tides/members")["items"] if one["name"] == "ann"
        ]
        stage.api.admin.ok("delete", f"/projects/tides/members/{member['id']}")
    else:
        with stage.api.app.state.db.write() as session:
            session.get_one(WorkloadRow, stage.workload).state = "stopped"
    assert browser.get(stage.base).status_code == 401


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_every_method_arrives_with_its_body(stage: Stage, method: str) -> None:
    answer = stage.let_in(stage.api.admin).request(method, f"{stage.base}api/x%20y?q=%2F", content=b"tide")
    assert answer.json()["method"] == method
    assert answer.json()["path"] == f"{stage.base}api/x%20y?q=%2F"
    assert answer.json()["body"] == "tide"


def test_a_head_has_a_length_and_no_body(stage: Stage) -> None:
    answer = stage.let_in(stage.api.admin).head(stage.base)
    assert answer.status_code == 200
    assert int(answer.headers["content-length"]) > 0


def test_nothing_of_ours_reaches_the_workload(stage: Stage) -> None:
    headers = {
        "Cookie": "tidemill_session=secret; theirs=1; Tidemill_x=2",
        "Authorization": "Bearer tm_secret",
        "X-Forwarded-For": "10.0.0.1",
        "Connection": "x-private",
        "X-Private": "1",
    }
    browser = stage.let_in(stage.api.admin)
    headers["Cookie"] += f"; tidemill_app={browser.cookies['tidemill_app']}"
    browser.cookies.clear()
    answer = browser.get(stage.base, headers=headers)
    assert answer.status_code == 200
    found = heard(answer)
    assert found["cookie"] == "theirs=1"
    assert found["x-forwarded-for"] == "127.0.0.1"
    assert not {"authorization", "x-private"} & set(found)
    assert "secret" not in answer.text


def test_a_program_that_wants_its_token_is_shown_it(stage: Stage) -> None:
    browser = stage.let_in(stage.api.admin, token_of="env")
    token = stage.api.app.state.doors_office.app_token("env")
    found = heard(browser.get(stage.base, headers={"Authorization": "Bearer tm_mine"}))
    assert found["authorization"] == f"token {token}"


def test_an_answer_cannot_act_on_the_whole_host(stage: Stage) -> None:
    answer = stage.let_in(stage.api.admin).get(f"{stage.base}rude")
    assert answer.text == "rude"
    assert answer.headers.get_list("set-cookie") == [f"theirs=1; Path={stage.base}"]
    gone = {"service-worker-allowed", "strict-transport-security", "clear-site-data", "alt-svc", "x-frame-options"}
    assert not gone & set(answer.headers)
    policies = answer.headers.get_list("content-security-policy")
    assert policies == ["img-src 'self'", "frame-ancestors 'self' http://127.0.0.1:8700"]


def test_a_large_body_streams_up(stage: Stage) -> None:
    piece = bytes(range(256)) * 4096

    def pieces() -> Iterator[bytes]:
        for _ in range(64):
            yield piece

    answer = stage.let_in(stage.api.admin).post(f"{stage.base}digest", content=pieces())
    assert answer.json() == {"digest": hashlib.sha256(piece * 64).hexdigest(), "size": 64 * len(piece)}


def test_an_answer_that_goes_on_is_passed_on_as_it_comes(stage: Stage) -> None:
    with stage.let_in(stage.api.admin).stream("GET", f"{stage.base}drip") as answer:
        assert next(answer.iter_lines()) == "first"


def test_where_nothing_listens_it_says_so_and_looks_again(stage: Stage) -> None:
    stage.api.app.state.engine.ports.clear()
    answer = stage.let_in(stage.api.admin).get(stage.base, headers={"Accept-Language": "zh-CN"})
    assert answer.status_code == 502
    assert "暂无响应" in answer.text
    assert "refresh" in answer.text


def test_a_program_that_went_away_is_nothing_that_listens(stage: Stage) -> None:
    stage.api.app.state.engine.ports[stage.workload, 0, stage.port] = ("127.0.0.1", 1)
    assert stage.let_in(stage.api.admin).get(stage.base).status_code == 502


def test_a_path_without_its_last_slash_is_sent_on(stage: Stage) -> None:
    browser = stage.let_in(stage.api.admin)
    cookie = {"Cookie": f"tidemill_app={browser.cookies['tidemill_app']}"}
    answer = stage.browser().get(stage.base.rstrip("/"), headers=cookie)
    assert (answer.status_code, answer.headers["location"]) == (307, stage.base)


def test_what_is_no_workload_is_not_there(stage: Stage) -> None:
    for path in ("/w/", "/w/none/0/80/", f"/w/{stage.workload}/0/0/", f"/w/{stage.workload}/x/80/"):
        assert stage.browser().get(path).status_code == 404


def test_where_each_workload_has_a_host_of_its_own_no_other_host_serves_it(stage: Stage) -> None:
    stage.api.app.state.settings.apps_url = "http://*.apps.example.org"
    browser = stage.browser()
    label = stage.workload.replace("_", "-")
    ticket = stage.ticket(stage.api.admin)
    elsewhere = browser.get(f"{stage.base}?ticket={ticket}", headers={"Host": "other.apps.example.org"})
    assert elsewhere.status_code == 404
    at_home = browser.get(f"{stage.base}?ticket={ticket}", headers={"Host": f"{label}.apps.example.org"})
    assert at_home.status_code == 303


def socket_url(stage: Stage) -> str:
    return f"{stage.origin.replace('http', 'ws')}{stage.base}talk"


def test_a_websocket_carries_text_and_bytes_both_ways(stage: Stage) -> None:
    cookie = f"theirs=1; tidemill_app={stage.let_in(stage.api.admin).cookies['tidemill_app']}"

    async def work() -> None:
        protocols: Any = ["other", "kernel.v1"]
        async with websockets.connect(
            socket_url(stage), additional_headers={"Cookie": cookie}, subprotocols=protocols, proxy=None
        ) as socket:
            assert socket.subprotocol == "kernel.v1"
            await socket.send("hello")
            assert await socket.recv() == "theirs=1 hello"
            await socket.send(b"\x00" * 100_000 + b"\x01")
            assert await socket.recv() == b"\x01" + b"\x00" * 100_000
            assert stage.api.app.state.doors_activity.open_now(stage.workload) == 1
            await socket.send("bye")
            await socket.wait_closed()
            assert socket.close_code == 4321

    within(20, work)


def test_a_websocket_needs_a_grant(stage: Stage) -> None:
    async def work() -> None:
        with pytest.raises(websockets.InvalidStatus) as refused:
            await websockets.connect(socket_url(stage), proxy=None)
        assert refused.value.response.status_code == 403

    within(20, work)


def test_an_open_websocket_ends_when_the_right_does(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemill.doors.rights.LOOK_EVERY_S", 0)
    monkeypatch.setattr("tidemill.server.apps_sockets.LOOK_EVERY_S", 0.05)
    ann = stage.api.user("ann", project="tides")
    cookie = f"tidemill_app={stage.let_in(ann).cookies['tidemill_app']}"

    async def work() -> None:
        async with websockets.connect(socket_url(stage), additional_headers={"Cookie": cookie}, proxy=None) as socket:
            await socket.send("hello")
            assert await socket.recv() == "- hello"
            await asyncio.to_thread(ann.ok, "delete", "/session")
            await socket.wait_closed()
            assert socket.close_code == 1008

    within(20, work)
