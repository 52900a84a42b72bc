"""Background work over HTTP: who sees what, cancelling, notifications."""

from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import FastAPI

from tests.conftest import Api
from tidemill.accounts.access import system_caller
from tidemill.accounts.tables import ProjectRow, UserRow
from tidemill.jobs import service
from tidemill.jobs.runner import Runner
from tidemill.jobs.tables import JobRow
from tidemill.kernel.errors import Invalid


def submit(app: FastAPI, user: str, project: str | None = None, kind: str = "gc", name: str = "tide") -> str:
    with app.state.db.write() as session:
        user_id = session.scalars(sa.select(UserRow.id).where(UserRow.name == user)).one()
        project_id = session.scalar(sa.select(ProjectRow.id).where(ProjectRow.name == project)) if project else None
        by = replace(system_caller(), user_id=user_id, user_name=user, kind="session")
        return service.submit(session, kind, params={}, name=name, by=by, project_id=project_id, link="/here").id


def run_all(app: FastAPI, handler: Any) -> None:
    app.state.job_handlers._by_kind["gc"] = handler
    runner = Runner(app)
    while runner.run_next():
        pass


def test_a_job_is_shown_in_the_readers_language(api: Api) -> None:
    job_id = submit(api.app, "admin", api.project())
    english = api.admin.ok("get", "/projects/tides/jobs")
    assert english["total"] == 1
    (job,) = english["items"]
    assert (job["id"], job["name"], job["state"], job["project"]) == (job_id, "Clean up storage", "waiting", "tides")
    assert (job["progress"], job["error"], job["result"], job["created_by"]) == (None, None, {}, "admin")
    chinese = api.admin.ok("get", f"/projects/tides/jobs/{job_id}", headers={"Accept-Language": "zh-CN"})
    assert chinese["name"] == "清理存储空间"


def test_a_failed_job_says_why_in_the_readers_language(api: Api) -> None:
    def fail(_job: Any) -> dict[str, Any]:
        raise Invalid("name_taken", field="name", name="x")

    job_id = submit(api.app, "admin")
    run_all(api.app, fail)
    job = api.admin.ok("get", f"/me/jobs/{job_id}", headers={"Accept-Language": "zh-CN"})
    assert job["state"] == "failed"
    assert job["error"]["code"] == "name_taken"
    assert job["error"]["message"] == "名称“x”已被使用。"
    assert job["error"]["hint"] == "请换一个名称。"
    assert job["error"]["field"] == "name"


def test_lists_filter_by_state_kind_and_name(api: Api) -> None:
    first = submit(api.app, "admin", name="alpha")
    run_all(api.app, lambda _job: {})
    second = submit(api.app, "admin", name="beta")

    def ids(query: str) -> list[str]:
        return [job["id"] for job in api.admin.ok("get", f"/me/jobs?{query}")["items"]]

    assert ids("") == [second, first]
    assert ids("state=waiting") == [second]
    assert ids("state=completed&kind=gc") == [first]
    assert ids("kind=verify") == []
    assert ids("q=ALPH") == [first]
    assert api.admin.get("/me/jobs?state=sleeping").status_code == 422


def test_a_job_of_another_project_is_not_there(api: Api) -> None:
    job_id = submit(api.app, "admin", api.project("tides"))
    api.project("other")
    stranger = api.user("olga", project="other", role="owner")
    assert stranger.get(f"/projects/tides/jobs/{job_id}").status_code == 404
    assert stranger.get(f"/projects/other/jobs/{job_id}").status_code == 404
    assert stranger.post(f"/projects/other/jobs/{job_id}/cancel").status_code == 404
    assert stranger.get(f"/me/jobs/{job_id}").status_code == 404
    assert stranger.post(f"/me/jobs/{job_id}/cancel").status_code == 404
    assert stranger.ok("get", "/me/jobs")["items"] == []


def test_a_viewer_sees_jobs_and_cannot_cancel_them(api: Api) -> None:
    job_id = submit(api.app, "admin", api.project())
    viewer = api.user("vera", project="tides", role="viewer")
    assert viewer.ok("get", f"/projects/tides/jobs/{job_id}")["id"] == job_id
    refused = viewer.post(f"/projects/tides/jobs/{job_id}/cancel")
    assert refused.status_code == 403
    assert refused.json()["error"]["code"] == "forbidden_permission"


def test_who_leaves_a_project_no_longer_sees_their_jobs_in_it(api: Api) -> None:
    api.project("tides")
    mira = api.user("mira", project="tides")
    job_id = submit(api.app, "mira", "tides")
    assert mira.ok("get", f"/me/jobs/{job_id}")["project"] == "tides"
    (membership,) = [m for m in api.admin.ok("get", "/projects/tides/members")["items"] if m["name"] == "mira"]
    api.admin.ok("delete", f"/projects/tides/members/{membership['id']}")
    assert mira.get(f"/me/jobs/{job_id}").status_code == 404
    assert mira.ok("get", "/me/jobs")["total"] == 0


def test_a_waiting_job_is_cancelled_and_only_once(api: Api) -> None:
    job_id = submit(api.app, "admin", api.project())
    cancelled = api.admin.ok("post", f"/projects/tides/jobs/{job_id}/cancel")
    assert cancelled["state"] == "cancelled"
    again = api.admin.post(f"/projects/tides/jobs/{job_id}/cancel")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "job_finished")


def test_a_running_job_is_asked_to_stop_and_asking_twice_is_no_error(api: Api) -> None:
    job_id = submit(api.app, "admin")
    with api.app.state.db.write() as session:
        session.execute(sa.update(JobRow).where(JobRow.id == job_id).values(state="running", owner="o"))
    for _ in range(2):
        asked = api.admin.ok("post", f"/me/jobs/{job_id}/cancel")
        assert (asked["state"], asked["cancel_requested"]) == ("running", True)


def test_notifications_are_read_one_by_one_and_all_at_once(api: Api) -> None:
    for name in ("a", "b", "c"):
        submit(api.app, "admin", name=name)
    run_all(api.app, lambda _job: {})
    listed = api.admin.ok("get", "/me/notifications?unread=true", headers={"Accept-Language": "zh"})
    assert listed["total"] == 3
    newest = listed["items"][0]
    assert (newest["title"], newest["body"], newest["state"], newest["link"]) == (
        "清理存储空间",
        "已完成。",
        "success",
        "/here",
    )
    read = api.admin.ok("post", "/me/notifications/read", json={"ids": [newest["id"], "ntf_unknown"]})
    assert read == {"read": 1, "unread": 2}
    assert api.admin.ok("post", "/me/notifications/read", json={})["unread"] == 0
    assert api.admin.ok("get", "/me/notifications?unread=true")["items"] == []
    assert api.admin.ok("get", "/me/notifications")["total"] == 3


def test_nobody_reads_another_users_notifications(api: Api) -> None:
    submit(api.app, "admin")
    run_all(api.app, lambda _job: {})
    mira = api.user("mira")
    (told,) = api.admin.ok("get", "/me/notifications")["items"]
    assert mira.ok("get", "/me/notifications")["items"] == []
    assert mira.ok("post", "/me/notifications/read", json={"ids": [told["id"]]})["read"] == 0
    assert api.admin.ok("get", "/me/notifications?unread=true")["total"] == 1


@pytest.mark.parametrize("path", ["/me/jobs", "/me/notifications", "/me/events"])
def test_a_token_with_scopes_needs_job_read_for_its_users_background_work(api: Api, path: str) -> None:
    made = api.admin.ok("post", "/me/tokens", json={"name": "narrow", "days": 1, "scopes": ["model.read"]})
    refused = api.nobody.get(path, headers={"Authorization": f"Bearer {made['token']}"})
    assert refused.status_code == 403
    assert refused.json()["error"]["code"] == "forbidden_permission"


def test_a_token_of_one_project_sees_only_the_jobs_of_that_project(api: Api) -> None:
    inside = submit(api.app, "admin", api.project("tides"))
    submit(api.app, "admin", api.project("other"))
    submit(api.app, "admin")
    made = api.admin.ok("post", "/me/tokens", json={"name": "one", "days": 1, "project": "tides"})
    seen = api.nobody.get("/me/jobs", headers={"Authorization": f"Bearer {made['token']}"}).json()
    assert [job["id"] for job in seen["items"]] == [inside]
