"""A version's files: browsed, saved, uploaded, moved, deleted, downloaded."""

import io
import tarfile
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.assets.conftest import Shelf, code_of, sha, used_bytes
from tests.conftest import Api, Person

HOSTILE_PATHS = [
    "../x", "a/../b", "a/./b", "/a", "a//b", "a/", ".", "..", "a\\b", "a\x00b", "a\nb", "x" * 256, "/".join("a" * 600),
    "\u202egpj.exe",
]  # fmt: skip


@pytest.fixture
def draft(models: Shelf) -> str:
    """The address of an empty draft, `harbour@1`."""
    models.create("harbour")
    models.draft("harbour")
    return models.at("harbour", 1)


def upload(person: Person, project: str, *contents: bytes) -> None:
    frames = b"".join(f"{sha(content)} {len(content)}\n".encode() + content for content in contents)
    person.ok(
        "post",
        f"/projects/{project}/blobs/batch",
        content=frames,
        headers={"Content-Type": "application/x-tidemill-batch"},
    )


def attach(person: Person, at: str, files: dict[str, bytes]) -> dict[str, int]:
    entries = [{"path": path, "sha256": sha(data), "size_bytes": len(data)} for path, data in files.items()]
    state: dict[str, int] = person.ok("post", f"{at}/files/attach", json={"entries": entries})
    return state


def test_uploaded_content_is_attached_browsed_and_read(models: Shelf, ada: Person, draft: str) -> None:
    files = {"src/a.py": b"print(1)\n", "src/deep/b.bin": b"\x00\x01", "README.md": b"# Hello\n"}
    upload(ada, "tides", *files.values())
    assert attach(ada, draft, files) == {"files": 3, "size_bytes": sum(map(len, files.values())), "revision": 1}

    top = ada.ok("get", f"{draft}/tree")
    assert [(item["name"], item["type"], item["files"]) for item in top["items"]] == [
        ("src", "dir", 2),
        ("README.md", "file", None),
    ]
    assert top["items"][1]["media_type"] == "text/markdown"
    inner = ada.ok("get", f"{draft}/tree", params={"path": "src"})
    assert [item["path"] for item in inner["items"]] == ["src/deep", "src/a.py"]
    found = ada.ok("get", f"{draft}/tree", params={"q": "B.BIN"})
    assert [item["path"] for item in found["items"]] == ["src/deep/b.bin"]
    for path, data in files.items():
        assert models.read("harbour", 1, path) == data


def test_an_entry_says_whether_it_is_text(ada: Person, models: Shelf, draft: str) -> None:
    contents = {
        "a.txt": "plain",
        "zh.txt": "你好" * 3000,
        "b.bin": b"\x00\xff",
        "empty": b"",
        "gbk.txt": "你好".encode("gbk"),
    }
    for path, content in contents.items():
        models.save("harbour", 1, path, content)
    told = {path: ada.ok("get", f"{draft}/entry", params={"path": path})["is_text"] for path in contents}
    assert told == {"a.txt": True, "zh.txt": True, "b.bin": False, "empty": True, "gbk.txt": False}
    assert ada.get(f"{draft}/entry", params={"path": "nothing"}).status_code == 404


def test_saving_over_what_somebody_else_saved_is_refused_with_the_newer_digest(
    ada: Person, models: Shelf, draft: str
) -> None:
    first = models.save("harbour", 1, "a.py", "one")
    assert first["digest"] == sha("one")
    second = models.save("harbour", 1, "a.py", "two", **{"If-Match": f'"{first["digest"]}"'})
    answer = ada.put(f"{draft}/files/a.py", content=b"three", headers={"If-Match": f'"{first["digest"]}"'})
    assert (answer.status_code, code_of(answer)) == (412, "stale")
    assert answer.json()["error"]["details"] == {"digest": second["digest"]}
    assert models.read("harbour", 1, "a.py") == b"two"


def test_a_save_that_is_sent_twice_is_no_conflict(ada: Person, models: Shelf, draft: str) -> None:
    first = models.save("harbour", 1, "a.py", "one", **{"If-None-Match": "*"})
    for _ in range(2):
        models.save("harbour", 1, "a.py", "two", **{"If-Match": f'"{first["digest"]}"'})
    assert models.read("harbour", 1, "a.py") == b"two"


def test_a_new_file_does_not_replace_one_that_is_there(ada: Person, models: Shelf, draft: str) -> None:
    models.save("harbour", 1, "a.py", "one")
    answer = ada.put(f"{draft}/files/a.py", content=b"two", headers={"If-None-Match": "*"})
    assert (answer.status_code, code_of(answer)) == (412, "stale")
    assert ada.put(f"{draft}/files/a.py", content=b"x", headers={"If-Match": "nonsense"}).status_code == 422


def test_a_file_too_large_for_the_editor_is_refused_before_it_is_kept(api: Api, ada: Person, draft: str) -> None:
    api.app.state.settings.text_edit_bytes = 1000
    assert ada.put(f"{draft}/files/a", content=b"x" * 1000).status_code == 200
    answer = ada.put(f"{draft}/files/b", content=b"x" * 1001)
    assert (answer.status_code, code_of(answer)) == (413, "file_not_text_sized")
    streamed = ada.put(f"{draft}/files/b", content=iter([b"x" * 600, b"y" * 600]))
    assert streamed.status_code == 413
    assert used_bytes(api, "tides") == 1000


@pytest.mark.parametrize("path", HOSTILE_PATHS)
def test_a_hostile_path_is_refused_wherever_it_is_sent(ada: Person, models: Shelf, draft: str, path: str) -> None:
    models.save("harbour", 1, "ok", "x")
    entry = {"path": path, "sha256": sha("x"), "size_bytes": 1}
    for where, body in (
        ("attach", {"entries": [entry]}),
        ("delete", {"paths": [path]}),
        ("folder", {"path": path}),
        ("move", {"moves": [{"from": "ok", "to": path}]}),
        ("move", {"moves": [{"from": path, "to": "other"}]}),
    ):
        answer = ada.post(f"{draft}/files/{where}", json=body)
        assert answer.status_code == 422, (where, answer.text)
    assert list(models.paths("harbour", 1)) == ["ok"]


def test_content_of_another_project_cannot_be_attached_by_its_digest(
    ada: Person, eve: Person, models: Shelf, draft: str
) -> None:
    Shelf(eve, "elsewhere", "models").committed("secret", {"s": "top secret"})
    entry = {"path": "stolen", "sha256": sha("top secret"), "size_bytes": len("top secret")}
    answer = ada.post(f"{draft}/files/attach", json={"entries": [entry]})
    assert (answer.status_code, code_of(answer)) == (422, "blob_missing")
    assert answer.json()["error"]["details"] == [sha("top secret")]
    assert models.get("harbour", 1)["files"] == 0


def test_files_and_folders_are_moved_renamed_made_and_deleted(ada: Person, models: Shelf, draft: str) -> None:
    for path in ("a/x", "a/y", "b/z", "c"):
        models.save("harbour", 1, path, path)
    ada.ok("post", f"{draft}/files/move", json={"moves": [{"from": "a", "to": "d/e"}, {"from": "c", "to": "b/c"}]})
    assert set(models.paths("harbour", 1)) == {"d/e/x", "d/e/y", "b/z", "b/c"}
    answer = ada.post(f"{draft}/files/move", json={"moves": [{"from": "b/c", "to": "b/z"}]})
    assert answer.status_code == 409
    ada.ok("post", f"{draft}/files/move", json={"moves": [{"from": "b/c", "to": "b/z"}], "overwrite": True})
    assert models.paths("harbour", 1)["b/z"] == sha("c")
    ada.ok("post", f"{draft}/files/folder", json={"path": "empty/inside"})
    names = [item["name"] for item in ada.ok("get", f"{draft}/tree")["items"]]
    assert names == ["b", "d", "empty"]
    assert ada.ok("post", f"{draft}/files/delete", json={"paths": ["d", "empty"]})["files"] == 1
    assert ada.post(f"{draft}/files/delete", json={"paths": ["nothing"]}).status_code == 404
    assert models.get("harbour")["size_bytes"] == 1


def test_ranges_conditions_and_head_are_understood_and_nothing_is_run(ada: Person, models: Shelf, draft: str) -> None:
    models.save("harbour", 1, "page.html", "<script>alert(1)</script>")
    url = f"{draft}/files/page.html"
    whole = ada.get(url)
    assert whole.headers["ETag"] == f'"{sha("<script>alert(1)</script>")}"'
    assert whole.headers["X-Content-Type-Options"] == "nosniff"
    assert whole.headers["Content-Security-Policy"].startswith("sandbox")
    part = ada.get(url, headers={"Range": "bytes=1-6"})
    assert (part.status_code, part.content) == (206, b"script")
    assert ada.get(url, headers={"Range": "bytes=999-"}).status_code == 416
    assert ada.get(url, headers={"If-None-Match": whole.headers["ETag"]}).status_code == 304
    head = ada.head(url)
    assert (head.status_code, head.headers["Content-Length"], head.content) == (200, "25", b"")
    assert "attachment" in ada.get(url, params={"download": 1}).headers["Content-Disposition"]


def test_a_version_or_a_folder_is_downloaded_as_an_archive(ada: Person, models: Shelf, draft: str) -> None:
    files = {"a/x.txt": b"x", "a/y.txt": b"yy", "汉字.txt": "字".encode()}
    for path, data in files.items():
        models.save("harbour", 1, path, data)
    answer = ada.get(f"{draft}/archive")
    assert answer.headers["Content-Type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == files
    tarred = ada.get(f"{draft}/archive", params={"format": "tar", "path": "a"})
    with tarfile.open(fileobj=io.BytesIO(tarred.content)) as tar:
        assert sorted(tar.getnames()) == ["x.txt", "y.txt"]
    assert ada.get(f"{draft}/archive", params={"path": "nothing"}).status_code == 404


def test_the_manifest_lists_every_file_by_path(models: Shelf, draft: str) -> None:
    for path in ("b", "a/z", "a-b", "a/b"):
        models.save("harbour", 1, path, path)
    assert list(models.paths("harbour", 1)) == sorted(["b", "a/z", "a-b", "a/b"])


def test_a_viewer_reads_files_and_changes_none(models: Shelf, vic: Person, draft: str) -> None:
    models.save("harbour", 1, "a", "x")
    assert vic.get(f"{draft}/files/a").content == b"x"
    assert vic.put(f"{draft}/files/a", content=b"y").status_code == 403
    assert vic.post(f"{draft}/files/delete", json={"paths": ["a"]}).status_code == 403
    assert models.read("harbour", 1, "a") == b"x"


def test_another_project_reads_no_file(models: Shelf, eve: Person, draft: str) -> None:
    models.save("harbour", 1, "a", "x")
    for path in ("files/a", "tree", "entry?path=a", "manifest", "archive", "lineage", "compare?with=1"):
        assert eve.get(f"{draft}/{path}").status_code == 404, path


def test_the_storage_limit_holds_for_saving(api: Api) -> None:
    api.project("small", storage_limit_bytes=10)
    bob = api.user("bob", project="small")
    shelf = Shelf(bob, "small", "models")
    shelf.create("m")
    shelf.draft("m")
    shelf.save("m", 1, "a", "12345678")
    answer = bob.put(f"{shelf.at('m', 1)}/files/b", content=b"345")
    assert (answer.status_code, code_of(answer)) == (413, "storage_limit")
    shelf.save("m", 1, "again", "12345678")
    assert shelf.get("m", 1)["files"] == 2


def test_the_same_content_is_charged_once(models: Shelf, api: Api, draft: str) -> None:
    for path in ("a", "b", "c"):
        models.save("harbour", 1, path, "same content")
    assert used_bytes(api, "tides") == len("same content")
    assert models.get("harbour", 1)["size_bytes"] == 3 * len("same content")


def test_edits_are_in_the_audit_log_with_their_paths(models: Shelf, api: Api, ada: Person, draft: str) -> None:
    models.save("harbour", 1, "a.py", "x")
    ada.ok("post", f"{draft}/files/move", json={"moves": [{"from": "a.py", "to": "b.py"}]})
    rows = api.admin.ok("get", "/projects/tides/audit", params={"action": "model.edit"})["items"]
    assert [(row["after"]["operation"], row["after"]["paths"]) for row in rows] == [
        ("move", ["a.py → b.py"]),
        ("save", ["a.py"]),
    ]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=st.text(min_size=1, max_size=40))
def test_any_path_is_kept_as_it_is_or_refused(ada: Person, models: Shelf, draft: str, path: str) -> None:
    entry = {"path": path, "sha256": sha(b""), "size_bytes": 0}
    upload(ada, "tides", b"")
    answer = ada.post(f"{draft}/files/attach", json={"entries": [entry]})
    assert answer.status_code in {200, 409, 422}, answer.text
    if answer.status_code == 200:
        assert any(
            ada.ok("get", f"{draft}/entry", params={"path": path})["path"] == kept
            for kept in models.paths("harbour", 1)
        )
