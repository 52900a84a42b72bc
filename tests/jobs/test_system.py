"""The platform's own page: what it is made of, and its upkeep in the background."""

from datetime import timedelta
from pathlib import Path

from tests.conftest import Api
from tests.jobs.conftest import House
from tidemill import __version__
from tidemill.accounts.access import system_caller
from tidemill.jobs import service
from tidemill.jobs.runner import Runner
from tidemill.jobs.tables import JobRow
from tidemill.jobs.upkeep import collect_when_due
from tidemill.store.intake import keep_bytes


def put(api: Api, content: bytes, project: str = "tides") -> str:
    """Content the project holds and uses nowhere; its digest."""
    project_id = api.admin.ok("get", f"/projects/{project}")["id"]
    state = api.app.state
    return keep_bytes(state.db, state.store.backend, project_id, content, state.clock())[0]


def run_all(api: Api) -> None:
    runner = Runner(api.app)
    while runner.run_next():
        pass


def test_administrators_see_what_the_platform_is_made_of(api: Api, database_kind: str) -> None:
    api.project()
    put(api, b"low water")
    seen = api.admin.ok("get", "/system")
    assert seen["version"] == __version__
    assert seen["home"] == str(api.app.state.settings.home)
    assert seen["database"].startswith({"sqlite": "SQLite 3.", "postgres": "PostgreSQL 1"}[database_kind])
    assert seen["store"] == {"kind": "local", "blobs": 1, "bytes": 9}
    assert (seen["projects"], seen["users"]) == (2, 1)
    assert seen["uptime_s"] >= 0


def test_only_administrators_see_and_look_after_the_platform(api: Api) -> None:
    member = api.user("mira")
    assert member.get("/system").status_code == 403
    assert member.post("/system/gc").status_code == 403
    assert member.post("/system/verify").status_code == 403


def test_the_store_is_verified_in_the_background(api: Api) -> None:
    api.project()
    put(api, b"low water")
    answer = api.admin.post("/system/verify")
    assert answer.status_code == 202
    assert (answer.json()["kind"], answer.json()["state"], answer.json()["project"]) == ("verify", "waiting", None)
    run_all(api)
    job = api.admin.ok("get", f"/me/jobs/{answer.json()['id']}")
    assert (job["state"], job["progress"], job["error"]) == ("completed", 1.0, None)
    assert (job["result"]["blobs"], job["result"]["bytes"]) == (1, 9)


def test_a_damaged_store_fails_the_check_and_says_what_is_wrong(api: Api) -> None:
    api.project()
    digest = put(api, b"low water")
    home: Path = api.app.state.settings.home
    (file,) = [path for path in home.rglob("*") if path.is_file() and digest in path.name]
    file.chmod(0o600)
    file.write_bytes(b"low wxter")
    started = api.admin.ok("post", "/system/verify")
    run_all(api)
    job = api.admin.ok("get", f"/me/jobs/{started['id']}", headers={"Accept-Language": "zh-CN"})
    assert (job["state"], job["error"]["code"]) == ("failed", "store_damaged")
    assert job["error"]["message"] == "校验发现存储中有 1 个问题。"
    assert [(found["kind"], found["subject"]) for found in job["error"]["details"]] == [("blob_damaged", digest)]
    (told,) = api.admin.ok("get", "/me/notifications")["items"]
    assert told["state"] == "error"


def test_space_comes_back_when_the_store_is_cleaned_up(api: Api) -> None:
    api.project()
    put(api, b"low water")
    later = api.app.state.clock() + timedelta(days=30)
    api.app.state.clock = lambda: later
    with api.app.state.db.write() as session:
        service.submit(session, "gc", params={}, name="", by=system_caller(later))
    run_all(api)
    with api.app.state.db.read() as session:
        (job,) = session.query(JobRow).all()
    assert (job.state, job.result["blobs"], job.result["bytes"]) == ("completed", 1, 9)


def test_upkeep_is_done_once_however_often_it_is_asked_for(api: Api) -> None:
    first, second = api.admin.ok("post", "/system/gc"), api.admin.ok("post", "/system/gc")
    assert first["id"] == second["id"]
    run_all(api)
    third = api.admin.ok("post", "/system/gc")
    assert third["id"] != first["id"]


def test_who_asks_for_what_the_platform_began_by_itself_is_told_of_its_end(api: Api) -> None:
    collect_when_due(api.app)
    assert api.admin.ok("get", "/me/jobs")["total"] == 0
    asked = api.admin.ok("post", "/system/gc")
    run_all(api)
    assert [job["id"] for job in api.admin.ok("get", "/me/jobs")["items"]] == [asked["id"]]
    assert api.admin.ok("get", "/me/notifications")["total"] == 1


def test_one_administrator_sees_and_cancels_what_another_began(api: Api) -> None:
    started = api.admin.ok("post", "/system/verify")
    other = api.user("olga", kind="administrator")
    assert other.ok("post", "/system/verify")["id"] == started["id"]
    assert other.ok("get", f"/me/jobs/{started['id']}")["created_by"] == "admin"
    assert other.ok("post", f"/me/jobs/{started['id']}/cancel")["state"] == "cancelled"
    assert api.user("mira").get(f"/me/jobs/{started['id']}").status_code == 404


def test_the_store_is_cleaned_up_once_a_day(house: House) -> None:
    collect_when_due(house.app)
    collect_when_due(house.app)
    assert [row.kind for row in house.rows(JobRow)] == ["gc"]
    house.runner().run_next()
    house.hands.turn(hours=23)
    collect_when_due(house.app)
    assert len(house.rows(JobRow)) == 1
    house.hands.turn(hours=1)
    collect_when_due(house.app)
    assert len(house.rows(JobRow)) == 2
