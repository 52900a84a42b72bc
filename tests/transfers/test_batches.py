"""Batches of small files, over HTTP and below it."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Api, Person
from tidemill.accounts.tables import ProjectRow
from tidemill.kernel.errors import Invalid, TooLarge
from tidemill.store.batches import MEDIA_TYPE, BatchLimits, BatchReader


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def frame(data: bytes, digest: str | None = None, size: int | None = None) -> bytes:
    return f"{digest or sha(data)} {len(data) if size is None else size}\n".encode() + data


def send(person: Person, body: bytes, project: str = "tides", media_type: str = MEDIA_TYPE) -> Any:
    return person.post(f"/projects/{project}/blobs/batch", content=body, headers={"Content-Type": media_type})


def missing(person: Person, *datas: bytes, project: str = "tides") -> list[str]:
    asked = {"blobs": [{"sha256": sha(data), "size_bytes": len(data)} for data in datas]}
    found: list[str] = person.ok("post", f"/projects/{project}/blobs/missing", json=asked)["missing"]
    return found


def used(api: Api) -> int:
    with api.app.state.db.read() as session:
        return session.scalar(sa.select(ProjectRow.storage_used_bytes).where(ProjectRow.name == "tides")) or 0


@pytest.fixture
def ada(api: Api) -> Person:
    api.project("tides")
    return api.user("ada", project="tides")


def test_a_batch_is_stored(api: Api, ada: Person) -> None:
    datas = [b"one", b"", b"three" * 20_000, b"one"]
    answer = send(ada, b"".join(map(frame, datas)))
    assert (answer.status_code, answer.json()) == (200, {"stored": 4, "bytes": 100_003})
    assert missing(ada, *datas, b"four") == [sha(b"four")]
    assert used(api) == 100_003
    assert [b"".join(api.app.state.store.backend.read(sha(data))) for data in datas] == datas
    assert list(api.app.state.store.temporary.iterdir()) == []


def test_one_wrong_digest_stores_nothing(api: Api, ada: Person) -> None:
    answer = send(ada, frame(b"good") + frame(b"bad", digest=sha(b"other")) + frame(b"fine"))
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["details"]) == (422, "checksum_mismatch", [sha(b"other")])
    assert missing(ada, b"good", b"bad", b"other") == [sha(b"good"), sha(b"bad"), sha(b"other")]
    assert (used(api), list(api.app.state.store.temporary.iterdir())) == (0, [])


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"nonsense\n", "batch_frame"),
        (b"x" * 200, "batch_frame"),
        (frame(b"abc")[:-1], "batch_cut"),
        (frame(b"abc") + b"0123", "batch_cut"),
        (f"{sha(b'abc')} -3\nabc".encode(), "batch_frame"),
        (f"{sha(b'abc')} 03\nabc".encode(), "batch_frame"),
        (f"{sha(b'abc').upper()} 3\nabc".encode(), "batch_frame"),
        (f"{sha(b'abc')}  3\nabc".encode(), "batch_frame"),
        (b"../../../../etc/passwd 3\nabc", "batch_frame"),
    ],
)
def test_a_body_that_is_no_batch_is_refused(ada: Person, body: bytes, code: str) -> None:
    answer = send(ada, body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, code)


def test_another_type_of_body_is_refused(ada: Person) -> None:
    answer = send(ada, frame(b"abc"), media_type="application/json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "batch_type")


def test_an_empty_batch_stores_nothing(ada: Person) -> None:
    assert send(ada, b"").json() == {"stored": 0, "bytes": 0}


def test_too_many_files_are_refused(api: Api, ada: Person) -> None:
    api.app.state.settings.batch_files = 2
    answer = send(ada, frame(b"1") + frame(b"2") + frame(b"3"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "batch_too_large")
    assert missing(ada, b"1") == [sha(b"1")]


def test_too_many_bytes_are_refused_when_they_are_announced(api: Api, ada: Person) -> None:
    api.app.state.settings.batch_bytes = 100
    answer = send(ada, frame(b"x", size=101))
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "batch_too_large")


def test_a_batch_over_the_storage_limit_is_refused_and_an_exact_one_taken(api: Api, ada: Person) -> None:
    api.admin.ok("patch", "/projects/tides", json={"storage_limit_bytes": 10})
    answer = send(ada, frame(b"12345") + frame(b"678901"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "storage_limit")
    assert used(api) == 0
    assert send(ada, frame(b"12345") + frame(b"67890")).status_code == 200
    assert used(api) == 10
    assert send(ada, frame(b"12345") + frame(b"67890")).status_code == 200
    assert send(ada, frame(b"!")).status_code == 413


def test_content_of_another_project_stays_unknown(api: Api, ada: Person) -> None:
    send(ada, frame(b"secret"))
    api.project("rivers")
    eve = api.user("eve", project="rivers")
    assert missing(eve, b"secret", project="rivers") == [sha(b"secret")]
    assert send(eve, frame(b"secret"), project="rivers").status_code == 200
    assert missing(eve, b"secret", project="rivers") == []


def test_public_content_is_known_to_everyone(api: Api, ada: Person) -> None:
    assert send(api.admin, frame(b"for all"), project="public").status_code == 200
    assert missing(ada, b"for all") == []
    assert send(ada, frame(b"mine"), project="public").status_code == 403


def test_asking_for_too_much_at_once_is_refused(ada: Person) -> None:
    asked = {"blobs": [{"sha256": sha(b"x"), "size_bytes": 1}] * 5001}
    assert ada.post("/projects/tides/blobs/missing", json=asked).status_code == 422


def no_limit(sizes: Mapping[str, int]) -> None:
    del sizes


def found(reader: BatchReader) -> dict[str, bytes]:
    files = {file.digest: Path(file.path).read_bytes() for file in reader.files}
    assert not files.keys() & reader.contents.keys()
    return files | reader.contents


@given(st.lists(st.binary(max_size=400), max_size=12), st.integers(1, 200), st.sampled_from([0, 500, 10_000]))
def test_frames_are_found_wherever_the_stream_is_cut(
    tmp_path_factory: pytest.TempPathFactory, datas: list[bytes], step: int, in_memory_bytes: int
) -> None:
    body = b"".join(map(frame, [*datas, *datas]))
    reader = BatchReader(tmp_path_factory.mktemp("batch") / "b", BatchLimits(100, 20_000, in_memory_bytes), no_limit)
    for start in range(0, len(body), step):
        reader.feed(body[start : start + step])
    reader.end()
    assert found(reader) == {sha(data): data for data in datas}
    assert sum(map(len, reader.contents.values())) <= in_memory_bytes
    assert (reader.count, reader.size_bytes) == (2 * len(datas), sum(map(len, set(datas))))
    reader.close()


@given(st.binary(max_size=300), st.integers(1, 50))
def test_any_bytes_are_a_batch_or_refused(tmp_path_factory: pytest.TempPathFactory, body: bytes, step: int) -> None:
    reader = BatchReader(tmp_path_factory.mktemp("batch") / "b", BatchLimits(10, 1000), no_limit)
    try:
        for start in range(0, len(body), step):
            reader.feed(body[start : start + step])
        reader.end()
    except (Invalid, TooLarge):
        pass
    else:
        assert all(sha(data) == digest for digest, data in found(reader).items())
    finally:
        reader.close()


def test_room_is_asked_for_before_the_bytes_are_taken(tmp_path: Path) -> None:
    def no_room(sizes: Mapping[str, int]) -> None:
        raise TooLarge("storage_limit", needed_bytes=sum(sizes.values()), left_bytes=0)

    reader = BatchReader(tmp_path / "b", BatchLimits(10, 1000), no_room)
    with pytest.raises(TooLarge):
        reader.feed(f"{sha(b'abc')} 3\n".encode())
    assert list(tmp_path.iterdir()) == []
    reader.close()
