"""Uploads in chunks, over HTTP."""

import hashlib
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import FastAPI

from tests.conftest import Api, Person
from tidemill.accounts.tables import ProjectRow
from tidemill.kernel.db import Database
from tidemill.server.app import create_app
from tidemill.store import uploads as upload_service
from tidemill.store.depot import Store
from tidemill.store.tables import BlobRow, HoldingRow


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def begin(person: Person, data: bytes, project: str = "tides") -> dict[str, Any]:
    body = {"sha256": sha(data), "size_bytes": len(data), "name": "weights.bin"}
    upload: dict[str, Any] = person.ok("post", f"/projects/{project}/uploads", json=body)
    return upload


def send(person: Person, upload: dict[str, Any], offset: int, data: bytes, **headers: str) -> Any:
    path = f"/projects/tides/uploads/{upload['id']}/chunk?offset={offset}"
    return person.put(path, content=data, headers=headers)


def used_bytes(db: Database) -> int:
    with db.read() as session:
        return session.scalar(sa.select(ProjectRow.storage_used_bytes).where(ProjectRow.name == "tides")) or 0


def stored(app: FastAPI, data: bytes) -> bool:
    store: Store = app.state.store
    return store.backend.size(sha(data)) == len(data)


@pytest.fixture
def ada(api: Api) -> Person:
    api.project("tides")
    return api.user("ada", project="tides")


def test_chunks_make_a_whole(api: Api, ada: Person) -> None:
    data = bytes(range(256)) * 40
    upload = begin(ada, data)
    assert (upload["state"], upload["offset"], upload["size_bytes"]) == ("open", 0, len(data))
    first = send(ada, upload, 0, data[:4000], **{"X-Chunk-SHA256": sha(data[:4000])}).json()
    assert (first["state"], first["offset"]) == ("open", 4000)
    last = send(ada, upload, 4000, data[4000:]).json()
    assert (last["state"], last["offset"]) == ("complete", len(data))
    assert stored(api.app, data)
    assert used_bytes(api.app.state.db) == len(data)
    assert api.app.state.store.parts.upload_ids() == []


def test_an_empty_file_is_complete_at_once(api: Api, ada: Person) -> None:
    assert begin(ada, b"")["state"] == "complete"
    assert stored(api.app, b"")


def test_an_empty_file_with_the_wrong_digest_is_refused(ada: Person) -> None:
    answer = ada.post("/projects/tides/uploads", json={"sha256": sha(b"x"), "size_bytes": 0})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "checksum_mismatch")


def test_the_same_content_finds_the_same_open_upload(ada: Person) -> None:
    data = b"tide" * 100
    upload = begin(ada, data)
    send(ada, upload, 0, data[:100])
    answer = ada.post("/projects/tides/uploads", json={"sha256": sha(data), "size_bytes": len(data)})
    assert answer.status_code == 200
    assert (answer.json()["id"], answer.json()["offset"]) == (upload["id"], 100)


def test_known_content_is_not_sent_again(api: Api, ada: Person) -> None:
    data = b"known"
    send(ada, begin(ada, data), 0, data)
    bob = api.user("bob", project="tides")
    answer = bob.post("/projects/tides/uploads", json={"sha256": sha(data), "size_bytes": len(data)})
    assert (answer.status_code, answer.json()["state"]) == (200, "complete")
    assert used_bytes(api.app.state.db) == len(data)


def test_a_wrong_offset_is_answered_with_the_right_one(ada: Person) -> None:
    upload = begin(ada, b"0123456789")
    send(ada, upload, 0, b"0123")
    answer = send(ada, upload, 0, b"0123")
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["details"]) == (409, "wrong_offset", {"offset": 4})


def test_a_damaged_chunk_leaves_no_trace(ada: Person) -> None:
    data = b"0123456789"
    upload = begin(ada, data)
    send(ada, upload, 0, b"0123")
    answer = send(ada, upload, 4, b"XXXX", **{"X-Chunk-SHA256": sha(b"4567")})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "checksum_mismatch")
    assert ada.ok("get", f"/projects/tides/uploads/{upload['id']}")["offset"] == 4
    assert send(ada, upload, 4, data[4:]).json()["state"] == "complete"


def test_content_that_is_not_its_digest_starts_over(api: Api, ada: Person) -> None:
    data = b"0123456789"
    upload = begin(ada, data)
    answer = send(ada, upload, 0, b"9876543210")
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "checksum_mismatch")
    assert ada.ok("get", f"/projects/tides/uploads/{upload['id']}")["offset"] == 0
    assert not stored(api.app, data)
    assert used_bytes(api.app.state.db) == 0
    assert send(ada, upload, 0, data).json()["state"] == "complete"


def test_a_chunk_past_the_end_is_refused(ada: Person) -> None:
    upload = begin(ada, b"0123456789")
    answer = send(ada, upload, 0, b"0123456789A")
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "chunk_past_end")
    assert ada.ok("get", f"/projects/tides/uploads/{upload['id']}")["offset"] == 0


def test_a_chunk_of_unknown_length_past_the_end_is_taken_back(ada: Person) -> None:
    upload = begin(ada, b"0123456789")
    path = f"/projects/tides/uploads/{upload['id']}/chunk?offset=0"
    answer = ada.put(path, content=iter([b"01234", b"56789", b"more"]))
    assert answer.status_code == 413
    assert ada.ok("get", f"/projects/tides/uploads/{upload['id']}")["offset"] == 0


def test_a_chunk_over_the_limit_is_refused_before_it_is_read(api: Api, ada: Person) -> None:
    api.app.state.settings.chunk_bytes = 8
    upload = begin(ada, b"0123456789")
    answer = send(ada, upload, 0, b"012345678")
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "chunk_too_large")


def test_a_finished_upload_answers_its_last_chunk_again(ada: Person) -> None:
    data = b"0123456789"
    upload = begin(ada, data)
    send(ada, upload, 0, data)
    assert ada.ok("get", f"/projects/tides/uploads/{upload['id']}")["state"] == "complete"
    again = send(ada, upload, len(data), b"")
    assert (again.status_code, again.json()["state"]) == (200, "complete")


def test_two_writers_cannot_interleave(api: Api, ada: Person) -> None:
    upload = begin(ada, b"0123456789")
    with api.app.state.store.parts.writer(upload["id"]):
        answer = send(ada, upload, 0, b"0123")
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "upload_busy")
        assert ada.delete(f"/projects/tides/uploads/{upload['id']}").status_code == 409
    assert send(ada, upload, 0, b"0123").status_code == 200


def test_a_restarted_server_goes_on_where_it_was(api: Api, ada: Person) -> None:
    data = bytes(range(256)) * 1000
    upload = begin(ada, data)
    send(ada, upload, 0, data[:100_000])
    restarted = create_app(api.app.state.settings)
    ada.http = type(ada.http)(
        restarted, base_url="http://127.0.0.1", headers={"X-Tidemill": "1"}, cookies=dict(ada.http.cookies)
    )
    found = begin(ada, data)
    assert (found["id"], found["offset"]) == (upload["id"], 100_000)
    assert send(ada, found, 100_000, data[100_000:]).json()["state"] == "complete"
    assert stored(restarted, data)
    restarted.state.db.close()


@pytest.mark.parametrize("died_in", ["put_files", "settle"])
def test_an_upload_killed_in_its_last_moment_is_finished_by_the_next_call(
    api: Api, ada: Person, died_in: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = b"0123456789" * 50
    upload = begin(ada, data)

    def die(*_: Any, **__: Any) -> None:
        raise KeyError("killed")

    with monkeypatch.context() as patch:
        if died_in == "put_files":
            patch.setattr(api.app.state.store.backend, "put_files", die)
        else:
            patch.setattr(upload_service.blobs, "settle", die)
        assert send(ada, upload, 0, data).status_code == 500
    api.app.state.store.parts._hashes.clear()
    assert ada.post(
        "/projects/tides/blobs/missing", json={"blobs": [{"sha256": sha(data), "size_bytes": 500}]}
    ).json() == {"missing": [sha(data)]}
    found = begin(ada, data)
    assert (found["id"], found["state"]) == (upload["id"], "complete")
    assert stored(api.app, data)
    assert used_bytes(api.app.state.db) == len(data)


def test_cancelling_gives_the_room_back(api: Api, ada: Person) -> None:
    api.admin.ok("patch", "/projects/tides", json={"storage_limit_bytes": 100})
    upload = begin(ada, b"x" * 80)
    refused = ada.post("/projects/tides/uploads", json={"sha256": sha(b"y" * 30), "size_bytes": 30})
    assert (refused.status_code, refused.json()["error"]["code"]) == (413, "storage_limit")
    send(ada, upload, 0, b"x" * 10)
    assert ada.delete(f"/projects/tides/uploads/{upload['id']}").status_code == 204
    assert api.app.state.store.parts.upload_ids() == []
    assert begin(ada, b"y" * 30)["state"] == "open"


def test_an_upload_that_fills_the_limit_exactly_is_taken(api: Api, ada: Person) -> None:
    api.admin.ok("patch", "/projects/tides", json={"storage_limit_bytes": 100})
    data = b"z" * 100
    assert send(ada, begin(ada, data), 0, data).json()["state"] == "complete"
    assert used_bytes(api.app.state.db) == 100


def test_lists_only_the_callers_open_uploads(api: Api, ada: Person) -> None:
    bob = api.user("bob", project="tides")
    mine = begin(ada, b"mine" * 10)
    begin(bob, b"theirs" * 10)
    done = begin(ada, b"done")
    send(ada, done, 0, b"done")
    listed = ada.ok("get", "/projects/tides/uploads")
    assert [item["id"] for item in listed["items"]] == [mine["id"]]
    assert bob.get(f"/projects/tides/uploads/{mine['id']}").status_code == 404
    assert send(bob, mine, 0, b"x").status_code == 404
    assert bob.delete(f"/projects/tides/uploads/{mine['id']}").status_code == 404


def test_content_of_another_project_must_be_sent(api: Api, ada: Person) -> None:
    data = b"secret of the tides"
    send(ada, begin(ada, data), 0, data)
    api.project("rivers")
    eve = api.user("eve", project="rivers")
    upload = begin(eve, data, project="rivers")
    assert (upload["state"], upload["offset"]) == ("open", 0)
    missing = eve.ok(
        "post", "/projects/rivers/blobs/missing", json={"blobs": [{"sha256": sha(data), "size_bytes": len(data)}]}
    )
    assert missing == {"missing": [sha(data)]}


def test_the_same_content_in_two_projects_lies_there_once_and_is_charged_twice(api: Api, ada: Person) -> None:
    data = b"shared by chance"
    send(ada, begin(ada, data), 0, data)
    api.project("rivers")
    eve = api.user("eve", project="rivers")
    upload = begin(eve, data, project="rivers")
    path = f"/projects/rivers/uploads/{upload['id']}/chunk?offset=0"
    assert eve.put(path, content=data).json()["state"] == "complete"
    db: Database = api.app.state.db
    with db.read() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(BlobRow)) == 1
        assert session.scalar(sa.select(sa.func.count()).select_from(HoldingRow)) == 2


@pytest.mark.parametrize(
    "body",
    [
        {"sha256": "../../etc/passwd", "size_bytes": 1},
        {"sha256": "A" * 64, "size_bytes": 1},
        {"sha256": "0" * 64, "size_bytes": -1},
        {"sha256": "0" * 64, "size_bytes": 1 << 63},
        {"sha256": "0" * 64},
    ],
)
def test_nonsense_is_refused(ada: Person, body: dict[str, Any]) -> None:
    assert ada.post("/projects/tides/uploads", json=body).status_code == 422


def test_a_viewer_may_not_send(api: Api, ada: Person) -> None:
    viewer = api.user("vera", project="tides", role="viewer")
    assert viewer.post("/projects/tides/uploads", json={"sha256": "0" * 64, "size_bytes": 1}).status_code == 403


def test_an_upload_somebody_goes_on_with_lives_longer(api: Api, ada: Person) -> None:
    data = b"0123456789"
    upload = begin(ada, data)
    api.app.state.settings.upload_days = 30
    later = send(ada, upload, 0, b"0123").json()
    found = ada.ok("get", f"/projects/tides/uploads/{upload['id']}")
    assert found["expires_at"] > upload["expires_at"]
    assert later["offset"] == 4
