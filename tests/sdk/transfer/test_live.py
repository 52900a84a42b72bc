"""Push and pull against a real server, with clients and servers killed in the middle."""

import hashlib
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.live import ADMIN_PASSWORD, LiveServer, live_server
from tidemill.sdk import Client, Conflict, Invalid, NotFound, TooLarge
from tidemill.sdk.transfer import push as pushing
from tidemill.sdk.transfer.progress import Progress

CHUNK_BYTES = 1024 * 1024
LARGE_BYTES = 24 * CHUNK_BYTES + 12345
PROJECT = "tides"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """One server with small chunks, so that a large file has many."""
    home = tmp_path_factory.mktemp("transfer") / "home"
    with live_server(home, TIDEMILL_CHUNK_BYTES=str(CHUNK_BYTES), TIDEMILL_STORE_FSYNC="false") as running:
        with Client(running.url) as admin:
            admin.sign_in("admin", ADMIN_PASSWORD)
            admin.projects.create(PROJECT)
        yield running


@pytest.fixture(scope="module")
def token(server: LiveServer) -> str:
    with Client(server.url) as admin:
        admin.sign_in("admin", ADMIN_PASSWORD)
        return admin.tokens.create("tests").token or ""


@pytest.fixture
def client(server: LiveServer, token: str) -> Iterator[Client]:
    with Client(server.url, token, PROJECT) as found:
        yield found


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """A model of the test's own."""
    return hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:20]


@pytest.fixture
def tree(tmp_path: Path, name: str) -> Path:
    """A folder whose content no other test has."""
    folder = tmp_path / "tree"
    write(
        folder, {"a.txt": f"alpha {name}", "sub/b.txt": f"beta {name}", "sub/same.txt": f"alpha {name}", "空/文件": ""}
    )
    return folder


def write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def make_large(file: Path, seed: str, size: int = LARGE_BYTES) -> str:
    data = random.Random(seed).randbytes(size)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return hashlib.sha256(data).hexdigest()


class CountedBytes:
    """What a client really sends in chunks and batches."""

    def __init__(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sent = 0
        call = client.transport.call

        def counting(method: str, path: str, **options: Any) -> Any:
            self.sent += len(options.get("content") or b"")
            return call(method, path, **options)

        monkeypatch.setattr(client.transport, "call", counting)


def test_what_is_pushed_comes_back_the_same(client: Client, tree: Path, name: str, tmp_path: Path) -> None:
    pushed = client.models.push(tree, name, scene="ocr", note="first")
    assert (pushed.version.state, pushed.version.number, pushed.version.note) == ("committed", 1, "first")
    assert (pushed.files, pushed.sent_files) == (4, 3)
    assert client.models.get(name).scene == "ocr"
    pulled = client.models.pull(name, tmp_path / "out")
    assert contents(tmp_path / "out") == contents(tree)
    assert pulled.version.number == 1


def test_known_content_is_not_sent_again(client: Client, tree: Path, name: str) -> None:
    client.models.push(tree, name)
    (tree / "a.txt").rename(tree / "renamed.txt")
    write(tree, {"new.txt": f"gamma {name}"})
    pushed = client.models.push(tree, name)
    assert (pushed.version.number, pushed.sent_files) == (2, 1)
    paths = {line.path for line in client.models.manifest(f"{name}@2")}
    assert paths == {"new.txt", "renamed.txt", "sub/b.txt", "sub/same.txt", "空/文件"}


def test_adding_keeps_what_the_latest_version_had(client: Client, tree: Path, name: str, tmp_path: Path) -> None:
    client.models.push(tree, name)
    write(tmp_path / "more", {"extra.txt": f"extra {name}", "a.txt": f"changed {name}"})
    client.models.push(tmp_path / "more", name, add=True)
    paths = {line.path for line in client.models.manifest(f"{name}@2")}
    assert paths == {"a.txt", "extra.txt", "sub/b.txt", "sub/same.txt", "空/文件"}
    assert client.models.read_file(f"{name}@2", "a.txt") == f"changed {name}".encode()


def test_pushing_into_a_draft_makes_it_mirror_the_folder(client: Client, tree: Path, name: str) -> None:
    draft = client.models.push(tree, name, draft=True).version
    assert draft.state == "draft"
    (tree / "a.txt").unlink()
    write(tree, {"sub/b.txt": f"BETA {name}", "c.txt": f"c {name}"})
    pushed = client.models.push(tree, f"{name}@1")
    assert (pushed.version.number, pushed.version.state) == (1, "committed")
    assert {line.path for line in client.models.manifest(f"{name}@1")} == {
        "c.txt",
        "sub/b.txt",
        "sub/same.txt",
        "空/文件",
    }
    with pytest.raises(Conflict) as caught:
        client.models.push(tree, f"{name}@1")
    assert caught.value.code == "sdk_not_draft"


def test_a_file_can_become_a_folder_and_the_other_way(client: Client, name: str, tmp_path: Path) -> None:
    write(tmp_path / "one", {"x": "file", "y/z": "in a folder"})
    client.models.push(tmp_path / "one", name, draft=True)
    write(tmp_path / "two", {"x/now": "in a folder", "y": "file"})
    client.models.push(tmp_path / "two", f"{name}@1")
    assert {line.path for line in client.models.manifest(f"{name}@1")} == {"x/now", "y"}


def test_one_file_can_be_pushed(client: Client, name: str, tmp_path: Path) -> None:
    make_large(tmp_path / "weights.bin", name, 3000)
    client.models.push(tmp_path / "weights.bin", name)
    assert [line.path for line in client.models.manifest(name + "@1")] == ["weights.bin"]


def test_thousands_of_small_files_go_in_batches(
    client: Client, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pushing, "ASKED_AT_ONCE", 900)
    write(tmp_path / "many", {f"d{n % 7}/f{n}": f"{name} {n}" for n in range(2500)})
    calls: list[str] = []
    call = client.transport.call

    def counting(method: str, path: str, **options: Any) -> Any:
        calls.append(path)
        return call(method, path, **options)

    monkeypatch.setattr(client.transport, "call", counting)
    pushed = client.models.push(tmp_path / "many", name)
    assert (pushed.version.files, pushed.sent_files) == (2500, 2500)
    assert len(calls) < 30
    client.models.pull(name, tmp_path / "out")
    assert contents(tmp_path / "out") == contents(tmp_path / "many")


def test_an_empty_folder_is_refused_before_anything_is_made(client: Client, name: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(Invalid) as caught:
        client.models.push(tmp_path / "empty", name)
    assert caught.value.code == "sdk_source_empty"
    with pytest.raises(NotFound):
        client.models.get(name)


def test_the_storage_limit_stops_a_push_and_leaves_no_version(server: LiveServer, token: str, tmp_path: Path) -> None:
    with Client(server.url, token, "small") as client:
        client.projects.create("small", storage_limit_bytes=2 * CHUNK_BYTES)
        make_large(tmp_path / "tree" / "large", "limit", 8 * CHUNK_BYTES)
        with pytest.raises(TooLarge) as caught:
            client.models.push(tmp_path / "tree", "net")
        assert caught.value.code == "storage_limit"
        assert client.models.get("net").versions_count == 0


def test_a_file_that_changes_during_the_push_is_named(client: Client, name: str, tmp_path: Path) -> None:
    make_large(tmp_path / "tree" / "moving", name)
    (tmp_path / "tree" / "still").write_text(name)

    def meddle(now: Progress) -> None:
        if now.stage == "send" and now.size_bytes == 0:
            with (tmp_path / "tree" / "moving").open("r+b") as stream:
                stream.seek(LARGE_BYTES - 10)
                stream.write(b"different!")

    with pytest.raises(Conflict) as caught:
        client.models.push(tmp_path / "tree", name, watch=meddle)
    assert caught.value.code == "sdk_source_changed"
    assert "moving" in str(caught.value)
    assert client.models.get(name).versions_count == 0


def test_a_killed_client_goes_on_where_it_was(
    client: Client, server: LiveServer, token: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = make_large(tmp_path / "tree" / "large", name)
    script = (
        "import sys\n"
        "from tidemill.sdk import Client\n"
        "def tell(now):\n"
        "    print(now.stage, now.size_bytes, flush=True)\n"
        "Client(sys.argv[1], sys.argv[2], sys.argv[3]).models.push(sys.argv[4], sys.argv[5], watch=tell)\n"
    )
    arguments = [server.url, token, PROJECT, str(tmp_path / "tree"), name]
    with subprocess.Popen([sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            stage, size = line.split()
            if stage == "send" and int(size) >= 5 * CHUNK_BYTES:
                process.kill()
                break
    assert process.returncode == -9
    found = client.transport.call("GET", f"/projects/{PROJECT}/uploads")["items"]
    (upload,) = [item for item in found if item["sha256"] == digest]
    assert 5 * CHUNK_BYTES <= upload["offset"] < LARGE_BYTES
    counted = CountedBytes(client, monkeypatch)
    client.models.push(tmp_path / "tree", name)
    # What was on its way when the client died may still have arrived after we asked.
    assert 0 < counted.sent <= LARGE_BYTES - upload["offset"]
    assert [line.sha256 for line in client.models.manifest(f"{name}@1")] == [digest]


def test_a_killed_server_is_waited_for_and_nothing_is_sent_twice(
    client: Client, server: LiveServer, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = make_large(tmp_path / "tree" / "large", name)
    kills: list[int] = []

    def kill(now: Progress) -> None:
        if now.stage == "send" and now.size_bytes >= (2 + 8 * len(kills)) * CHUNK_BYTES and len(kills) < 2:
            kills.append(now.size_bytes)
            server.kill()
            server.start()

    counted = CountedBytes(client, monkeypatch)
    client.models.push(tmp_path / "tree", name, watch=kill)
    assert len(kills) == 2
    assert [line.sha256 for line in client.models.manifest(f"{name}@1")] == [digest]
    assert counted.sent <= LARGE_BYTES + 2 * CHUNK_BYTES, "at most the chunk on its way is sent again"


def test_a_server_killed_during_a_pull_is_waited_for(
    client: Client, server: LiveServer, name: str, tmp_path: Path
) -> None:
    digest = make_large(tmp_path / "tree" / "large", name)
    write(tmp_path / "tree", {f"small{n}": f"{name} {n}" for n in range(20)})
    client.models.push(tmp_path / "tree", name)
    kills: list[int] = []

    def kill(now: Progress) -> None:
        if now.stage == "fetch" and now.size_bytes > CHUNK_BYTES and not kills:
            kills.append(now.size_bytes)
            server.kill()
            server.start()

    client.models.pull(name, tmp_path / "out", watch=kill)
    assert kills
    assert hashlib.sha256((tmp_path / "out" / "large").read_bytes()).hexdigest() == digest
    assert contents(tmp_path / "out") == contents(tmp_path / "tree")


def test_pull_fetches_only_what_changed_between_versions(client: Client, tree: Path, name: str, tmp_path: Path) -> None:
    client.models.push(tree, name)
    client.models.pull(name, tmp_path / "out")
    write(tree, {"sub/b.txt": f"BETA {name}"})
    (tree / "a.txt").unlink()
    client.models.push(tree, name)
    pulled = client.models.pull(name, tmp_path / "out", delete=True)
    assert (pulled.fetched_files, pulled.deleted, pulled.version.number) == (1, ["a.txt"], 2)
    assert contents(tmp_path / "out") == contents(tree)
    assert client.models.pull(f"{name}@2", tmp_path / "out").fetched_files == 0


def test_without_a_number_the_newest_committed_version_is_pulled(
    client: Client, tree: Path, name: str, tmp_path: Path
) -> None:
    client.models.push(tree, name)
    client.models.create_version(name)
    assert client.models.pull(name, tmp_path / "out").version.number == 1


def test_a_file_is_read_and_written_alone(client: Client, name: str) -> None:
    client.models.create(name)
    client.models.create_version(name)
    entry = client.models.write_file(f"{name}@1", "notes/读 我.md", b"hello")
    assert entry.digest == hashlib.sha256(b"hello").hexdigest()
    assert client.models.read_file(f"{name}@1", "notes/读 我.md") == b"hello"
    client.models.move_files(f"{name}@1", {"notes": "docs"})
    assert [e.path for e in client.models.files(f"{name}@1", "docs")] == ["docs/读 我.md"]
    assert client.models.entry(f"{name}@1", "docs/读 我.md").is_text
    client.models.delete_files(f"{name}@1", ["docs"])
    assert list(client.models.manifest(f"{name}@1")) == []


def test_the_digest_cache_spares_the_second_reading(client: Client, name: str, tmp_path: Path) -> None:
    make_large(tmp_path / "tree" / "f", name, 9000)
    os.utime(tmp_path / "tree" / "f", (1_600_000_000, 1_600_000_000))
    client.models.push(tmp_path / "tree", name)
    (tmp_path / "tree" / "f").chmod(0o000)
    if os.geteuid() == 0:
        (tmp_path / "tree" / "f").write_bytes(b"\0" * 9000)
        os.utime(tmp_path / "tree" / "f", (1_600_000_000, 1_600_000_000))
    second = client.models.push(tmp_path / "tree", name)
    assert second.sent_files == 0
    assert second.version.digest == client.models.version(f"{name}@1").digest
