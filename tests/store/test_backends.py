"""The suite every backend passes: a folder, and a bucket of an S3 server on loopback."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests.store.conftest import s3_settings, sha
from tidemill.kernel.errors import Unavailable
from tidemill.kernel.settings import Settings
from tidemill.store import s3
from tidemill.store.backends import BLOCK_BYTES, BlobBackend, BlobMissing, Staged
from tidemill.store.depot import open_store
from tidemill.store.local import LocalBackend
from tidemill.store.s3 import S3Backend, open_s3

DATA = b"ebb and flow"


@pytest.fixture(params=["local", "local-synced", "s3", "s3-prefixed"])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> BlobBackend:
    if request.param.startswith("local"):
        return LocalBackend(tmp_path / "store", fsync=request.param == "local-synced")
    endpoint = request.getfixturevalue("s3_endpoint")
    prefix = f"{tmp_path.name}/in/here" if request.param == "s3-prefixed" else tmp_path.name
    opened = open_s3(s3_settings(tmp_path, endpoint, store_s3_prefix=prefix))
    opened._client.create_bucket(Bucket="blobs")
    return opened


def stage(folder: Path, data: bytes, name: str = "staged") -> Staged:
    path = folder / name
    path.write_bytes(data)
    return Staged(sha(data), len(data), str(path))


def whole(backend: BlobBackend, data: bytes, *span: int) -> bytes:
    return b"".join(backend.read(sha(data), *span))


def test_what_is_put_is_read(backend: BlobBackend, tmp_path: Path) -> None:
    staged = stage(tmp_path, DATA)
    backend.put_files([staged])
    assert whole(backend, DATA) == DATA
    assert backend.size(sha(DATA)) == len(DATA)
    assert not Path(staged.path).exists()


def test_the_source_can_stay(backend: BlobBackend, tmp_path: Path) -> None:
    staged = stage(tmp_path, DATA)
    backend.put_files([staged], keep_source=True)
    assert Path(staged.path).read_bytes() == DATA
    Path(staged.path).unlink()
    assert whole(backend, DATA) == DATA


def test_many_files_are_put_at_once(backend: BlobBackend, tmp_path: Path) -> None:
    datas = [str(n).encode() for n in range(50)]
    backend.put_files([stage(tmp_path, data, f"s{n}") for n, data in enumerate(datas)])
    assert [whole(backend, data) for data in datas] == datas
    assert {found.digest: found.size_bytes for found in backend.iterate()} == {sha(d): len(d) for d in datas}


def test_bytes_are_put_without_a_file(backend: BlobBackend) -> None:
    backend.put_bytes(sha(DATA), DATA)
    assert whole(backend, DATA) == DATA


def test_small_contents_are_put_at_once_and_mend_what_a_crash_cut_short(backend: BlobBackend) -> None:
    contents = {sha(data): data for data in (b"one", b"", b"three" * 1000, *(b"%d" % n for n in range(9)))}
    backend.put_bytes(sha(b"one"), b"o")
    backend.put_contents(contents)
    backend.put_contents({})
    assert {digest: b"".join(backend.read(digest)) for digest in contents} == contents


def test_an_empty_blob_is_a_blob(backend: BlobBackend) -> None:
    backend.put_bytes(sha(b""), b"")
    assert whole(backend, b"") == b""
    assert backend.size(sha(b"")) == 0


def test_putting_twice_is_putting_once(backend: BlobBackend, tmp_path: Path) -> None:
    backend.put_bytes(sha(DATA), DATA)
    backend.put_files([stage(tmp_path, DATA)])
    assert whole(backend, DATA) == DATA
    assert len(list(backend.iterate())) == 1


def test_putting_mends_what_was_damaged(backend: BlobBackend, tmp_path: Path) -> None:
    backend.put_bytes(sha(DATA), b"")
    backend.put_files([stage(tmp_path, DATA)])
    assert whole(backend, DATA) == DATA


@pytest.mark.parametrize("span", [(0, 4), (4, 4), (4, None), (8, 100), (0, 0), (11, 1)])
def test_parts_are_read(backend: BlobBackend, span: tuple[int, int | None]) -> None:
    backend.put_bytes(sha(DATA), DATA)
    start, length = span
    expected = DATA[start:] if length is None else DATA[start : start + length]
    assert b"".join(backend.read(sha(DATA), start, length)) == expected


def test_a_large_blob_comes_in_blocks(backend: BlobBackend) -> None:
    data = bytes(range(256)) * (3 * BLOCK_BYTES // 256) + b"tail"
    backend.put_bytes(sha(data), data)
    blocks = list(backend.read(sha(data)))
    assert max(map(len, blocks)) <= BLOCK_BYTES
    assert b"".join(blocks) == data


def test_what_is_not_there_is_said_at_once(backend: BlobBackend) -> None:
    assert backend.size(sha(DATA)) is None
    with pytest.raises(BlobMissing):
        backend.read(sha(DATA))


def test_deleting_is_safe_to_repeat(backend: BlobBackend) -> None:
    backend.put_bytes(sha(DATA), DATA)
    backend.delete([sha(DATA)])
    backend.delete([sha(DATA), sha(b"never there")])
    assert backend.size(sha(DATA)) is None
    assert list(backend.iterate()) == []


def test_what_lies_there_has_a_time(backend: BlobBackend) -> None:
    backend.put_bytes(sha(DATA), DATA)
    (found,) = backend.iterate()
    assert abs(datetime.now(UTC) - found.changed_at) < timedelta(minutes=1)


def test_only_a_local_backend_has_paths(backend: BlobBackend) -> None:
    backend.put_bytes(sha(DATA), DATA)
    path = backend.local_path(sha(DATA))
    assert (path is not None) == (backend.kind == "local")
    if path is not None:
        assert path.read_bytes() == DATA


@pytest.mark.parametrize("digest", ["", "../../etc/passwd", "A" * 64, "0" * 63, "0" * 64 + "\n"])
def test_what_is_no_digest_never_becomes_a_path(backend: BlobBackend, digest: str) -> None:
    with pytest.raises(ValueError):
        backend.read(digest)
    with pytest.raises(ValueError):
        backend.put_bytes(digest, b"x")
    with pytest.raises(ValueError):
        backend.delete([digest])


@hypothesis_settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=3000), start=st.integers(0, 3000), length=st.none() | st.integers(0, 3000))
def test_any_part_of_anything_is_the_slice(backend: BlobBackend, data: bytes, start: int, length: int | None) -> None:
    backend.put_bytes(sha(data), data)
    expected = data[start:] if length is None else data[start : start + length]
    assert b"".join(backend.read(sha(data), start, length)) == expected


def test_files_that_are_no_blobs_are_passed_over(tmp_path: Path) -> None:
    backend = LocalBackend(tmp_path)
    (tmp_path / "blobs" / "00" / "notes.txt").write_text("mine")
    (tmp_path / "blobs" / "00" / ("0" * 64)).symlink_to("/etc/passwd")
    assert list(backend.iterate()) == []


def test_the_settings_choose_the_backend(tmp_path: Path, s3_endpoint: str) -> None:
    assert isinstance(open_store(Settings(home=tmp_path)).backend, LocalBackend)
    assert isinstance(open_store(s3_settings(tmp_path, s3_endpoint)).backend, S3Backend)


def test_a_bucket_without_the_package_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "boto3", None)
    with pytest.raises(s3.S3Missing, match="tidemill\\[s3\\]"):
        open_s3(s3_settings(tmp_path, "http://127.0.0.1:9"))


def test_a_service_that_is_away_is_unavailable(tmp_path: Path, s3_endpoint: str) -> None:
    no_bucket = s3_settings(tmp_path, s3_endpoint).model_copy(update={"store_s3_bucket": "not-there"})
    backend = open_s3(no_bucket)
    with pytest.raises(Unavailable) as refused:
        backend.put_bytes(sha(DATA), DATA)
    assert refused.value.code == "store_unavailable"
