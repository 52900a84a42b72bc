"""Which image a name means, and making it ready."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.conftest import Api
from tidemill.accounts.tables import ProjectRow
from tidemill.images import service
from tidemill.images.tables import ImageRow
from tidemill.kernel.errors import Invalid
from tidemill.kernel.ids import new_id


def add(api: Api, project: str, name: str, version: str, **fields: object) -> str:
    with api.app.state.db.write() as session:
        place = session.scalars(sa.select(ProjectRow.id).where(ProjectRow.name == project)).one()
        now = api.app.state.clock()
        values = {"kind": "oci", "state": "ready", "digest": f"sha256:{'0' * 64}", **fields}
        row = ImageRow(
            id=new_id("img"),
            project_id=place,
            name=name,
            version=version,
            search_key=name,
            created_at=now,
            created_by="ann",
            updated_at=now,
            **values,
        )
        session.add(row)
        return row.id


def resolve(api: Api, project: str, image: str | None) -> service.ResolvedImage:
    with api.app.state.db.read() as session:
        place = session.scalars(sa.select(ProjectRow.id).where(ProjectRow.name == project)).one()
        return service.resolve(session, place, image)


def test_no_image_means_the_platforms_own_interpreter_which_is_ready_at_once(api: Api) -> None:
    api.project("tides")
    found = resolve(api, "tides", None)
    assert found.kind == "python"
    ready = service.make_ready(api.app.state.images, found)
    assert (Path(ready.reference) / "bin" / "python").exists()
    assert resolve(api, "tides", "tidemill/python").id == found.id


def test_a_projects_own_image_comes_before_a_public_one(api: Api) -> None:
    api.project("tides")
    public = add(api, "public", "base", "1")
    assert resolve(api, "tides", "base:1").id == public
    own = add(api, "tides", "base", "1")
    assert resolve(api, "tides", "base:1").id == own
    assert resolve(api, "tides", "public/base:1").id == public


def test_without_a_version_the_newest_usable_one_is_meant(api: Api) -> None:
    api.project("tides")
    add(api, "tides", "base", "1")
    newer = add(api, "tides", "base", "2")
    add(api, "tides", "base", "3", state="failed")
    assert resolve(api, "tides", "base").id == newer


def test_an_oci_image_is_named_by_registry_project_and_digest(api: Api) -> None:
    api.project("Tides 潮")
    add(api, "Tides 潮", "base", "1")
    found = resolve(api, "Tides 潮", "base:1")
    api.app.state.settings.container_socket = "/nowhere/docker.sock"
    ready = service.make_ready(api.app.state.images, found)
    assert ready.kind == "oci"
    host, _, rest = ready.reference.partition("/")
    assert host == "127.0.0.1:8700"
    assert rest.startswith("prj_")
    assert rest.endswith(f"/base@sha256:{'0' * 64}")


def test_what_is_no_name_is_refused_and_named(api: Api) -> None:
    api.project("tides")
    for given in ("No", "a:b:c", "../x", "x:", ":1", "a b", "public/", "x@sha256:00"):
        with pytest.raises(Invalid) as refused:
            resolve(api, "tides", given)
        assert refused.value.field == "image"


def test_other_projects_images_are_not_there_and_unfinished_ones_are_refused(api: Api) -> None:
    api.project("tides")
    api.project("moon")
    add(api, "moon", "secret", "1")
    add(api, "tides", "broken", "1", kind="python", state="failed", digest="")
    add(api, "tides", "coming", "1", kind="python", state="building", digest="")
    for image, code in (("secret:1", "image_unknown"), ("broken:1", "image_failed"), ("coming:1", "image_building")):
        with pytest.raises(Invalid) as refused:
            resolve(api, "tides", image)
        assert refused.value.code == code
