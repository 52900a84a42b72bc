"""Keys, tokens, rates, sizes, origins: who is let in, and what strangers learn."""

from tests.gateway.stage import KEY, Stage, replica, run, service, sha256
from tidemill.gateway.schemas import KeyRoute
from tidemill.gateway.tokens import DatabaseAway


class Office:
    """Knows one token."""

    def __init__(self) -> None:
        self.known: dict[tuple[bytes, str], bool] = {}
        self.asked = 0
        self.is_away = False

    def find(self, token: bytes, project_id: str) -> bool | None:
        return self.known.get((token, project_id))

    async def ask(self, token: bytes, project_id: str) -> bool:
        self.asked += 1
        if self.is_away:
            raise DatabaseAway
        return self.known.setdefault((token, project_id), token == b"tm_right" and project_id == "prj-1")


def test_to_strangers_a_service_that_is_not_there_and_one_that_is_not_theirs_look_alike() -> None:
    async def body() -> None:
        async with Stage() as stage:
            stage.serve(service(replica(await stage.upstream())))
            without = [await stage.call(path=path, key=None) for path in ("/tides/boats/x", "/tides/none/x", "/a", "/")]
            assert {(one.status, one.code) for one in without} == {(401, "gateway_no_credentials")}
            assert all(one.headers["WWW-Authenticate"] for one in without)
            wrong = [await stage.call(path=path, key="tms_wrong") for path in ("/tides/boats/x", "/tides/none/x", "/a")]
            assert {(one.status, one.code) for one in wrong} == {(404, "gateway_not_found")}
            heard = await stage.call(key=None, headers={"Authorization": "Basic dG1zX2NvcnJlY3Q="})
            assert heard.status == 404
            assert stage.count().requests["2xx"] == 0

    run(body())


def test_a_key_of_one_service_opens_no_other_and_an_open_one_needs_none() -> None:
    async def body() -> None:
        async with Stage() as stage:
            port = await stage.upstream()
            other = service(replica(port, "r2"), id="svc-2", name="cars", keys=(KeyRoute("key-2", sha256("tms_two")),))
            free = service(replica(port, "r3"), id="svc-3", name="free", access="open", keys=())
            stage.serve(service(replica(port)), other, free)
            assert (await stage.call(path="/tides/cars/")).status == 404
            assert (await stage.call(path="/tides/cars/", key="tms_two")).status == 200
            assert (await stage.call(key="tms_two")).status == 404
            assert (await stage.call(path="/tides/free/", key=None)).status == 200
            heard = await stage.call(path="/tides/free/", key="of-the-app")
            assert heard.json["headers"]["Authorization"] == "Bearer of-the-app"
            assert "Authorization" not in (await stage.call(path="/tides/free/")).json["headers"]

    run(body())


def test_a_project_token_is_asked_for_once_and_a_database_that_is_away_is_said() -> None:
    async def body() -> None:
        office = Office()
        async with Stage(tokens=office) as stage:
            stage.serve(service(replica(await stage.upstream())))
            assert [(await stage.call(key="tm_right")).status for _ in range(3)] == [200, 200, 200]
            assert [(await stage.call(key="tm_wrong")).status for _ in range(3)] == [404, 404, 404]
            assert office.asked == 2
            assert (await stage.call("POST", key="tm_right", data=b"x" * 300_000)).json["length"] == 300_000
            office.is_away = True
            heard = await stage.call(key="tm_third")
            assert (heard.status, heard.code, heard.headers["Retry-After"]) == (503, "gateway_database", "2")
            assert (await stage.call()).status == 200

    run(body())


def test_a_key_has_its_rate_and_is_told_when_to_come_back() -> None:
    async def body() -> None:
        now = 100.0
        async with Stage(clock=lambda: now) as stage:
            keys = (KeyRoute("key-1", sha256(KEY), 2.0), KeyRoute("key-2", sha256("tms_b")))
            stage.serve(service(replica(await stage.upstream()), keys=keys, rate_per_s=0.1))
            assert [(await stage.call()).status for _ in range(3)] == [200, 200, 429]
            assert [(await stage.call(key="tms_b")).status for _ in range(2)] == [200, 429]
            heard = await stage.call(key="tms_b", headers={"Accept-Language": "zh-CN"})
            assert (heard.headers["Retry-After"], heard.headers["Content-Language"]) == ("10", "zh-CN")
            assert "10 秒" in heard.json["error"]["message"]
            assert heard.json["error"]["request_id"] == heard.headers["X-Request-Id"]
            now += 0.5
            assert [(await stage.call()).status for _ in range(2)] == [200, 429]
            now += 10
            assert (await stage.call(key="tms_b")).status == 200

    run(body())


def test_a_body_over_the_limit_is_refused_with_its_length_said_or_not() -> None:
    async def body() -> None:
        async def pieces():
            for _ in range(100):
                yield b"x" * 1000

        async with Stage() as stage:
            stage.serve(service(replica(await stage.upstream()), body_max_bytes=50_000))
            assert (await stage.call("POST", data=b"x" * 50_000)).status == 200
            heard = await stage.call("POST", data=b"x" * 50_001)
            assert (heard.status, heard.code) == (413, "gateway_body_too_large")
            heard = await stage.call("POST", data=pieces())
            assert heard.status == 413
            assert "50000" in heard.json["error"]["message"]

    run(body())


def test_pages_of_listed_origins_may_call_and_ask_before_without_a_key() -> None:
    async def body() -> None:
        async with Stage() as stage:
            stage.serve(service(replica(await stage.upstream()), cors=("https://shop.example",)))
            asks = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-api-key"}
            mine, other = {"Origin": "https://shop.example"}, {"Origin": "https://evil.example"}
            heard = await stage.call("OPTIONS", key=None, headers={**asks, **mine})
            assert (heard.status, heard.headers["Access-Control-Allow-Headers"]) == (204, "x-api-key")
            assert heard.headers["Access-Control-Allow-Origin"] == "https://shop.example"
            assert (await stage.call("OPTIONS", key=None, headers={**asks, **other})).status == 401
            heard = await stage.call(headers=mine)
            assert heard.headers["Access-Control-Allow-Origin"] == "https://shop.example"
            assert "X-Request-Id" in heard.headers["Access-Control-Expose-Headers"]
            assert "Access-Control-Allow-Origin" not in (await stage.call(headers=other)).headers
            refused = await stage.call(key=None, headers=mine)
            assert refused.headers["Access-Control-Allow-Origin"] == "https://shop.example"
            stage.serve(service(replica(1), cors=()))
            assert (await stage.call("OPTIONS", key=None, headers={**asks, **mine})).status == 401

    run(body())
