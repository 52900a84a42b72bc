"""Pulling from a server that may be hostile, interrupted, or gone."""

import hashlib
import io
import tarfile
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.sdk.fake import Answer, FakeVersion, Whole
from tidemill.sdk import Conflict, Invalid, Unavailable
from tidemill.sdk.transfer.pull import Pulled

FILES = {"a.txt": b"alpha", "sub/b.bin": bytes(range(256)) * 50, "sub/deep/empty": b""}


def pull(version: FakeVersion, target: Path, **options: Any) -> Pulled:
    with version.recorder().client() as client:
        return client.models.pull("thing", target, **options)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def line(path: str, data: bytes = b"x") -> dict[str, Any]:
    return {"path": path, "sha256": hashlib.sha256(data).hexdigest(), "size_bytes": len(data)}


def test_a_folder_gets_the_versions_files_and_nothing_else(tmp_path: Path) -> None:
    pulled = pull(FakeVersion(FILES), tmp_path / "out")
    assert contents(tmp_path / "out") == FILES
    assert (pulled.fetched_files, pulled.version.number) == (3, 3)


def test_only_what_changed_is_fetched(tmp_path: Path) -> None:
    pull(FakeVersion(FILES), tmp_path)
    version = FakeVersion({**FILES, "a.txt": b"ALPHA", "new": b"n"})
    pulled = pull(version, tmp_path)
    assert sorted(path for path, _ in version.fetched) == ["a.txt", "new"]
    assert (pulled.fetched_files, pulled.fetched_bytes) == (2, 6)


def test_a_file_changed_here_is_put_right_again(tmp_path: Path) -> None:
    pull(FakeVersion(FILES), tmp_path)
    (tmp_path / "a.txt").write_bytes(b"alphb")
    pull(FakeVersion(FILES), tmp_path)
    assert (tmp_path / "a.txt").read_bytes() == b"alpha"


def test_the_same_content_twice_is_fetched_once(tmp_path: Path) -> None:
    version = FakeVersion({"one": b"same", "two/too": b"same"})
    pull(version, tmp_path)
    assert len(version.fetched) == 1
    assert contents(tmp_path) == {"one": b"same", "two/too": b"same"}


MANY = {f"d{n % 3}/f{n}": f"content {n}".encode() for n in range(150)}


def many_by_archive(files: dict[str, bytes]) -> FakeVersion:
    version = FakeVersion(MANY)
    version.change = lambda request: tar_of(files) if request.url.path.endswith("/archive") else None
    return version


def tar_of(files: dict[str, bytes], *more: tarfile.TarInfo) -> httpx2.Response:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for member in more:
            archive.addfile(member)
        for path, data in files.items():
            member = tarfile.TarInfo(path)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return httpx2.Response(200, stream=Whole(out.getvalue()))


def test_many_files_come_by_one_call(tmp_path: Path) -> None:
    version = many_by_archive(MANY)
    pulled = pull(version, tmp_path)
    assert contents(tmp_path) == MANY
    assert (version.fetched, pulled.fetched_files) == ([], 150)


def test_what_an_archive_lacks_or_gets_wrong_is_fetched_alone(tmp_path: Path) -> None:
    lies = {**MANY, "d0/f0": b"content X", "d1/f1": b"short", "../../evil": b"evil", "d2/extra": b"extra"}
    del lies["d2/f2"]
    version = many_by_archive(lies)
    pull(version, tmp_path / "in" / "target")
    assert sorted(path for path, _ in version.fetched) == ["d0/f0", "d1/f1", "d2/f2"]
    assert contents(tmp_path) == {f"in/target/{path}": data for path, data in MANY.items()}


def test_links_in_an_archive_are_not_made(tmp_path: Path) -> None:
    version = FakeVersion(MANY)
    link = tarfile.TarInfo("d0/f0")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    rest = {path: data for path, data in MANY.items() if path != "d0/f0"}
    version.change = lambda request: tar_of(rest, link) if request.url.path.endswith("/archive") else None
    pull(version, tmp_path)
    assert not (tmp_path / "d0/f0").is_symlink()
    assert contents(tmp_path) == MANY


def test_an_archive_cut_short_is_asked_for_again_and_the_rest_fetched_alone(tmp_path: Path) -> None:
    version = FakeVersion(MANY)
    whole = tar_of(MANY).stream
    assert isinstance(whole, Whole)
    version.change = lambda request: (
        httpx2.Response(200, stream=Cut(whole.data[: len(whole.data) // 2])) if "/archive" in request.url.path else None
    )
    pull(version, tmp_path)
    assert contents(tmp_path) == MANY
    assert 0 < len(version.fetched) < 100


def test_other_files_stay_unless_told_and_ignored_ones_always(tmp_path: Path) -> None:
    version = FakeVersion(FILES)
    for extra in ("mine.txt", "old/x", "sub/.git/HEAD"):
        (tmp_path / extra).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / extra).write_text("extra")
    assert pull(version, tmp_path).deleted == []
    assert (tmp_path / "mine.txt").exists()
    assert sorted(pull(version, tmp_path, delete=True).deleted) == ["mine.txt", "old/x"]
    assert not (tmp_path / "old").exists()
    assert (tmp_path / "sub/.git/HEAD").exists()


def test_deleting_does_not_follow_links(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("keep")
    target = tmp_path / "target"
    target.mkdir()
    (target / "link").symlink_to(outside)
    assert pull(FakeVersion(FILES), target, delete=True).deleted == ["link"]
    assert (outside / "precious").read_text() == "keep"


def test_one_folder_of_a_version_can_be_pulled(tmp_path: Path) -> None:
    pull(FakeVersion(FILES), tmp_path, path="sub")
    assert set(contents(tmp_path)) == {"b.bin", "deep/empty"}


def test_an_interrupted_file_goes_on_where_it_was(tmp_path: Path) -> None:
    version = FakeVersion(FILES)
    data, digest = FILES["sub/b.bin"], hashlib.sha256(FILES["sub/b.bin"]).hexdigest()
    parts = tmp_path / ".tidemill-parts"
    parts.mkdir()
    (parts / f"{digest}.part").write_bytes(data[:1000])
    pull(version, tmp_path)
    assert ("sub/b.bin", "bytes=1000-") in version.fetched
    assert contents(tmp_path) == FILES


def test_a_part_that_is_rubbish_is_begun_again(tmp_path: Path) -> None:
    version = FakeVersion(FILES)
    digest = hashlib.sha256(FILES["sub/b.bin"]).hexdigest()
    parts = tmp_path / ".tidemill-parts"
    parts.mkdir()
    (parts / f"{digest}.part").write_bytes(b"rubbish")
    pull(version, tmp_path)
    assert contents(tmp_path) == FILES


def test_a_connection_cut_in_the_middle_is_resumed(tmp_path: Path) -> None:
    version = FakeVersion(FILES)
    cuts = iter([True])

    def cut(request: httpx2.Request) -> Answer | None:
        if request.url.path.endswith("/b.bin") and next(cuts, False):
            return httpx2.Response(200, stream=Cut(FILES["sub/b.bin"][:5000]))
        return None

    version.change = cut
    pull(version, tmp_path)
    assert ("sub/b.bin", "bytes=5000-") in version.fetched
    assert contents(tmp_path) == FILES


class Cut(httpx2.SyncByteStream):
    """Some bytes, then the connection breaks."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __iter__(self) -> Any:
        yield self.data
        raise httpx2.ReadError("connection reset")


def test_a_server_that_stays_away_is_given_up_and_nothing_half_is_left(tmp_path: Path) -> None:
    version = FakeVersion(FILES)
    version.change = lambda request: httpx2.ConnectError("refused") if "/files/" in request.url.path else None
    with pytest.raises(Unavailable):
        pull(version, tmp_path)
    left = {path for path in contents(tmp_path) if not path.startswith(".tidemill-parts")}
    assert left <= {"sub/deep/empty"}, "only a file that needs no bytes can be whole"


@pytest.mark.parametrize(
    "lie",
    [b"ALPHA", b"alph", b"alphabet", b""],
    ids=["other bytes", "too few", "too many", "none"],
)
def test_bytes_that_are_not_what_was_promised_get_no_name(tmp_path: Path, lie: bytes) -> None:
    version = FakeVersion({"a.txt": b"alpha"})
    version.files["a.txt"] = lie
    with pytest.raises(Invalid) as caught:
        pull(version, tmp_path)
    assert caught.value.code == "sdk_content_wrong"
    assert not (tmp_path / "a.txt").exists()


@pytest.mark.parametrize(
    "path",
    ["../escape", "a/../../escape", "/tmp/escape", "..", "a\\..\\..\\escape", "x\x00y", ".tidemill-parts/evil", "C:/x"],
)
def test_a_hostile_manifest_writes_nothing_at_all(tmp_path: Path, path: str) -> None:
    version = FakeVersion({"good": b"x"})
    version.manifest.append(line(path))
    version.files[path] = b"x"
    target = tmp_path / "in" / "target"
    with pytest.raises(Invalid) as caught:
        pull(version, target)
    assert caught.value.code == "sdk_path_hostile"
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("more", [[line("a"), line("a/b")], [line("a/b"), line("a")], [line("a"), line("a")]])
def test_a_manifest_at_odds_with_itself_is_refused(tmp_path: Path, more: list[dict[str, Any]]) -> None:
    version = FakeVersion({})
    version.manifest = more
    with pytest.raises(Invalid) as caught:
        pull(version, tmp_path)
    assert caught.value.code == "sdk_path_hostile"


def test_a_digest_is_not_taken_for_a_file_name(tmp_path: Path) -> None:
    version = FakeVersion({"a": b"x"})
    version.manifest[0]["sha256"] = "../../evil"
    with pytest.raises(Invalid):
        pull(version, tmp_path / "t")
    assert contents(tmp_path) == {}


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    target = tmp_path / "target"
    target.mkdir()
    (target / "sub").symlink_to(outside)
    with pytest.raises(Conflict) as caught:
        pull(FakeVersion(FILES), target)
    assert caught.value.code == "sdk_target_linked"
    assert list(outside.iterdir()) == []


def test_a_link_under_a_files_name_is_replaced_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_bytes(b"alpha")
    target = tmp_path / "target"
    target.mkdir()
    (target / "a.txt").symlink_to(precious)
    pull(FakeVersion({"a.txt": b"omega"}), target)
    assert precious.read_bytes() == b"alpha"
    assert not (target / "a.txt").is_symlink()
    assert (target / "a.txt").read_bytes() == b"omega"


def test_a_folder_in_the_way_of_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").mkdir()
    with pytest.raises(Conflict) as caught:
        pull(FakeVersion(FILES), tmp_path)
    assert caught.value.code == "sdk_target_in_the_way"


def test_a_target_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Invalid) as caught:
        pull(FakeVersion(FILES), tmp_path / "file")
    assert caught.value.code == "sdk_target_not_folder"
