"""Builds as records, on both databases: asked for, watched, given up; who uses an image."""

import sqlalchemy as sa

from tests.conftest import Api
from tests.workloads.conftest import caller_in
from tidemill.builds import service as builds
from tidemill.builds.users import WorkloadUsers
from tidemill.images import catalogue
from tidemill.images.schemas import NewImage
from tidemill.images.tables import ImageRow
from tidemill.jobs.tables import JobRow
from tidemill.workloads import lifecycle
from tidemill.workloads.service import Wanted, submit
from tidemill.workloads.tables import WorkloadRow


def create(api: Api, name: str = "sea") -> str:
    body = {"name": name, "version": "1", "requirements": ["six"]}
    image: str = api.admin.ok("post", "/projects/tides/images", json=body)["id"]
    return image


def image_of(api: Api, image_id: str) -> ImageRow:
    with api.app.state.db.read() as session:
        row: ImageRow = session.get_one(ImageRow, image_id)
        return row


def end(api: Api, image_id: str, *moves: lifecycle.State, reason: lifecycle.Reason) -> None:
    """Brings the build's workload to its end."""
    with api.app.state.db.write() as session:
        workload = session.get_one(WorkloadRow, image_of(api, image_id).workload_id)
        for to in moves:
            is_last = to == moves[-1]
            now = api.app.state.clock()
            lifecycle.move(session, workload, to, reason=reason if is_last else None, by="system", now=now)


def test_what_runs_in_an_image_is_found_and_its_digest_kept(api: Api) -> None:
    api.project("tides")
    by = caller_in(api.app.state.db, "tides")
    users = WorkloadUsers()
    with api.app.state.db.write() as session:
        row = submit(session, Wanted(kind="run", owner_id="run_1", name="resnet", command=("true",)), by=by)
        image_id, digest = row.resolved_image["id"], row.resolved_image["digest"]
    with api.app.state.db.read() as session:
        assert users.of_image(session, image_id) == [{"id": row.id, "name": "resnet", "kind": "run"}]
        assert users.of_image(session, "img_other") == []
        assert users.digests(session) == {digest}
    with api.app.state.db.write() as session:
        lifecycle.move(
            session, session.get_one(WorkloadRow, row.id), "stopped", reason="user", by="ann", now=api.app.state.clock()
        )
    with api.app.state.db.read() as session:
        assert users.of_image(session, image_id) == []


def test_a_build_that_ended_well_asks_for_the_rest_and_one_that_did_not_says_why(api: Api) -> None:
    api.project("tides")
    good, bad = create(api, "good"), create(api, "bad")
    end(api, good, "starting", "running", "completed", reason="finished")
    with api.app.state.db.read() as session:
        (job,) = session.scalars(sa.select(JobRow).where(JobRow.kind == builds.JOB)).all()
    assert job.params["image_id"] == good
    assert image_of(api, good).state == "building"
    end(api, bad, "starting", "running", "failed", reason="out_of_memory")
    shown = api.admin.ok("get", f"/projects/tides/images/{bad}")
    assert (shown["state"], shown["error"]["code"]) == ("failed", "build_failed")
    again = api.admin.ok("post", f"/projects/tides/images/{bad}/build")
    assert (again["state"], again["error"]) == ("building", None)
    assert api.admin.post(f"/projects/tides/images/{bad}/build").status_code == 409


def test_a_stopped_build_says_so(api: Api) -> None:
    api.project("tides")
    image = create(api)
    shown = api.admin.ok("post", f"/projects/tides/images/{image}/build/stop")
    assert (shown["state"], shown["error"]["code"]) == ("failed", "build_stopped")
    assert api.admin.post(f"/projects/tides/images/{image}/build/stop").status_code == 409


def test_builds_that_rooms_below_asked_for_are_started_and_lost_ones_given_up(api: Api) -> None:
    api.project("tides")
    by = caller_in(api.app.state.db, "tides")
    with api.app.state.db.write() as session:
        row = catalogue.add_python(session, NewImage(name="frozen", version="1"), ["six==1.17.0"], by=by)
    builds.look_after(api.app)
    started = image_of(api, row.id)
    assert (started.state, started.workload_id is not None) == ("building", True)
    builds.look_after(api.app)
    assert image_of(api, row.id).workload_id == started.workload_id
    end(api, row.id, "starting", "running", "completed", reason="finished")
    builds.look_after(api.app)
    assert image_of(api, row.id).state == "building", "the rest is under way"
    with api.app.state.db.write() as session:
        session.execute(sa.update(JobRow).where(JobRow.kind == builds.JOB).values(state="failed"))
    builds.look_after(api.app)
    lost = api.admin.ok("get", f"/projects/tides/images/{row.id}")
    assert (lost["state"], lost["error"]["code"]) == ("failed", "build_lost")


def test_what_cannot_be_built_is_refused_at_once(api: Api) -> None:
    api.project("tides")
    body = {"name": "sea", "version": "1", "requirements": ["six"]}
    for change, field in (
        ({"requirements": ["--index-url x"]}, "requirements"),
        ({"python": "2.7"}, "python"),
        ({"name": "Sea"}, "name"),
        ({"version": "-"}, "version"),
    ):
        answer = api.admin.post("/projects/tides/images", json={**body, **change})
        assert (answer.status_code, answer.json()["error"]["field"]) == (422, field)
    create(api)
    taken = api.admin.post("/projects/tides/images", json=body)
    assert (taken.status_code, taken.json()["error"]["code"]) == (409, "image_taken")
