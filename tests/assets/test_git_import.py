"""Importing a Git repository: the files and nothing else, from where it is allowed, whole or not at all."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.assets.conftest import Shelf, code_of, job_of, run_jobs, sha, used_bytes
from tests.assets.git_server import GitServer, git, serve_git
from tests.conftest import Api, Person
from tidemill.assets import git_import
from tidemill.jobs.runner import Runner
from tidemill.jobs.tables import JobRow


@pytest.fixture
def server(tmp_path: Path) -> Iterator[GitServer]:
    root = tmp_path / "repositories"
    root.mkdir()
    with serve_git(root) as served:
        yield served


@pytest.fixture
def algorithms(api: Api, algorithms: Shelf) -> Shelf:
    """With a draft `code@1`, on a platform that may reach loopback."""
    api.app.state.settings.outbound_allow = ["127.0.0.1"]
    algorithms.create("code")
    algorithms.draft("code")
    return algorithms


def ask(shelf: Shelf, url: str, **body: Any) -> Any:
    return shelf.person.post(f"{shelf.at('code', 1)}/import-git", json={"url": url, **body})


def done(api: Api, shelf: Shelf, url: str, **body: Any) -> dict[str, Any]:
    """The job of an import, after it has run."""
    answer = ask(shelf, url, **body)
    assert answer.status_code == 202, answer.text
    run_jobs(api.app)
    return job_of(shelf.person, shelf.project, answer.json())


def test_the_files_of_the_default_branch_come_in_at_once(
    api: Api, algorithms: Shelf, server: GitServer, ada: Person
) -> None:
    files: dict[str, bytes | str] = {"train.py": "print(1)\n", "data/汉字.bin": bytes(range(256)), "empty": ""}
    commit = server.repository().commit(files)
    job = done(api, algorithms, server.url("code.git"))
    assert job["state"] == "completed", job
    assert job["name"].endswith("code@1")
    assert job["result"]["commit"] == commit
    assert (job["result"]["files"], job["result"]["skipped_count"]) == (3, 0)
    assert (job["done"], job["total"], job["unit"]) == (3, 3, "files")
    assert algorithms.paths("code", 1) == {path: sha(content) for path, content in files.items()}
    version = algorithms.get("code", 1)
    assert (version["origin"], version["files"], version["state"]) == ("git", 3, "draft")
    assert algorithms.get("code")["size_bytes"] == version["size_bytes"] == 256 + 9
    assert not any(path.startswith(".git") for path in algorithms.paths("code", 1))

    found = ada.ok("get", f"{algorithms.at('code', 1)}/lineage")
    (origin,) = [node for node in found["nodes"] if not node["is_self"]]
    assert (origin["kind"], origin["name"], origin["version"]) == ("git", server.url("code.git"), commit)
    assert [edge["relation"] for edge in found["edges"]] == ["imported_from"]


def test_a_branch_a_tag_a_commit_and_a_folder_can_be_named(api: Api, algorithms: Shelf, server: GitServer) -> None:
    repository = server.repository()
    first = repository.commit({"a": "1", "sub/x": "x1"})
    git(repository.folder, "tag", "v1")
    repository.commit({"a": "2"})
    repository.commit({"a": "3"}, branch="feature/new")
    git(repository.folder, "switch", "--quiet", "main")
    for ref, expected in (("v1", "1"), ("main", "2"), ("feature/new", "3"), (first, "1")):
        assert done(api, algorithms, server.url("code.git"), ref=ref)["state"] == "completed", ref
        assert algorithms.read("code", 1, "a") == expected.encode()
    algorithms.draft("code")
    body = {"url": server.url("code.git"), "subdir": "/sub/"}
    algorithms.person.ok("post", f"{algorithms.at('code', 2)}/import-git", json=body)
    run_jobs(api.app)
    assert algorithms.paths("code", 2) == {"x": sha("x1")}


def test_links_and_submodules_are_left_out_and_told(
    api: Api, algorithms: Shelf, server: GitServer, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("of the server")
    repository = server.repository()
    os.symlink(secret, repository.folder / "link")
    os.symlink("/etc", repository.folder / "folder-link")
    inner = repository.commit({"ok": "fine"})
    git(repository.folder, "update-index", "--add", "--cacheinfo", f"160000,{inner},module")
    git(repository.folder, "commit", "--quiet", "-m", "module")
    job = done(api, algorithms, server.url("code.git"))
    assert job["state"] == "completed"
    assert algorithms.paths("code", 1) == {"ok": sha("fine")}
    reasons = {item["path"]: item["reason"] for item in job["result"]["skipped"]}
    assert reasons == {"link": "git_link", "folder-link": "git_link", "module": "git_submodule"}


def test_names_we_do_not_allow_are_left_out(api: Api, algorithms: Shelf, server: GitServer) -> None:
    server.repository().commit({"ok": "1", "back\\slash": "2", "new\nline": "3"})
    job = done(api, algorithms, server.url("code.git"))
    assert algorithms.paths("code", 1) == {"ok": sha("1")}
    assert {item["reason"] for item in job["result"]["skipped"]} == {"path_invalid"}


def test_large_file_pointers_are_counted(api: Api, algorithms: Shelf, server: GitServer) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
    server.repository().commit({"model.bin": pointer, "a": "1"})
    assert done(api, algorithms, server.url("code.git"))["result"]["lfs_pointers"] == 1


def test_the_draft_keeps_what_was_in_it(api: Api, algorithms: Shelf, server: GitServer) -> None:
    server.repository().commit({"a": "from git"})
    algorithms.save("code", 1, "a", "mine")
    algorithms.save("code", 1, "b", "mine too")
    done(api, algorithms, server.url("code.git"))
    assert algorithms.paths("code", 1) == {"a": sha("from git"), "b": sha("mine too")}
    assert algorithms.get("code", 1)["origin"] == "upload"


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://127.0.0.1:9/x.git", "address_private"),
        ("https://localhost/x.git", "address_private"),
        ("https://169.254.169.254/latest", "address_private"),
        ("https://[::1]/x.git", "address_private"),
        ("https://2130706433/x.git", "address_private"),
        ("ssh://git@127.0.0.1/x.git", "address_private"),
        ("git@127.0.0.1:x.git", "address_private"),
        ("file:///etc/passwd", "address_scheme"),
        ("/etc/passwd", "address_scheme"),
        ("ext::sh -c id", "address_malformed"),
        ("https://user:secret@example.org/x.git", "address_credentials"),
        ("https://token@example.org/x.git", "address_credentials"),
        ("ssh://-oProxyCommand=id/x.git", "address_malformed"),
        ("ssh://-l@127.0.0.1/x", "address_private"),
        ("--upload-pack=id", "address_scheme"),
    ],
)
def test_an_address_that_must_not_be_reached_is_refused_at_once(
    api: Api, algorithms: Shelf, url: str, code: str
) -> None:
    api.app.state.settings.outbound_allow = []
    answer = ask(algorithms, url)
    assert (answer.status_code, code_of(answer), answer.json()["error"]["field"]) == (422, code, "url")
    assert "secret" not in answer.text


def test_plain_http_is_only_for_hosts_that_settings_name(
    api: Api, algorithms: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("socket.getaddrinfo", lambda *_a, **_k: [(2, 1, 6, "", ("93.184.216.34", 80))])
    answer = ask(algorithms, "http://example.org/x.git")
    assert (code_of(answer), answer.json()["error"]["message"].count("https")) == ("address_scheme", 1)


@pytest.mark.parametrize("ref", ["--upload-pack=id", "a..b", "a b", "a~1", "a:b", "x.lock", "/a/", "a\nb"])
def test_a_ref_that_is_none_is_refused(algorithms: Shelf, server: GitServer, ref: str) -> None:
    answer = ask(algorithms, server.url("code.git"), ref=ref)
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "ref")


@pytest.mark.parametrize("subdir", ["../x", "a/../b", "a\\b"])
def test_a_folder_outside_is_refused(algorithms: Shelf, server: GitServer, subdir: str) -> None:
    answer = ask(algorithms, server.url("code.git"), subdir=subdir)
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "subdir")


def test_the_name_is_not_looked_up_a_second_time(
    api: Api, algorithms: Shelf, server: GitServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git speaks to the host by name, and connects to the address that was checked: the name itself leads nowhere."""
    api.app.state.settings.outbound_allow = ["code.invalid"]
    monkeypatch.setattr("socket.getaddrinfo", lambda *_a, **_k: [(2, 1, 6, "", ("127.0.0.1", server.port))])
    server.repository().commit({"a": "1"})
    job = done(api, algorithms, server.url("code.git", host="code.invalid"))
    assert job["state"] == "completed", job
    assert set(server.hosts) == {f"code.invalid:{server.port}"}


def test_a_redirect_is_not_followed(api: Api, algorithms: Shelf, server: GitServer) -> None:
    server.repository().commit({"a": "1"})
    server.redirect_to = "http://127.0.0.1:9/elsewhere/info/refs?service=git-upload-pack"
    job = done(api, algorithms, server.url("code.git"))
    assert (job["state"], job["error"]["code"]) == ("failed", "git_redirect")
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("name", "body", "code"),
    [
        ("nothing.git", {}, "git_not_found"),
        ("code.git", {"ref": "nothing"}, "git_ref_unknown"),
        ("code.git", {"subdir": "nothing"}, "git_subdir_unknown"),
        ("code.git", {"subdir": "a"}, "git_subdir_unknown"),
    ],
)
def test_what_is_not_there_is_said_in_both_languages(
    api: Api, algorithms: Shelf, server: GitServer, name: str, body: dict[str, str], code: str
) -> None:
    server.repository().commit({"a": "1"})
    job = done(api, algorithms, server.url(name), **body)
    assert (job["state"], job["error"]["code"]) == ("failed", code)
    chinese = algorithms.person.get(f"/projects/tides/jobs/{job['id']}", headers={"Accept-Language": "zh-CN"}).json()
    assert chinese["error"]["message"] != job["error"]["message"]
    assert algorithms.get("code", 1)["files"] == 0


def test_an_empty_repository_and_a_dead_host_fail_clearly(api: Api, algorithms: Shelf, server: GitServer) -> None:
    server.repository()
    assert done(api, algorithms, server.url("code.git"))["error"]["code"] == "git_ref_unknown"
    server.port = 9
    assert done(api, algorithms, server.url("code.git"))["error"]["code"] == "git_unreachable"


def test_a_repository_over_the_limit_leaves_nothing(api: Api, algorithms: Shelf, server: GitServer) -> None:
    server.repository().commit({"big": os.urandom(300_000)})
    api.app.state.settings.git_max_bytes = 200_000
    job = done(api, algorithms, server.url("code.git"))
    assert (job["state"], job["error"]["code"]) == ("failed", "git_too_large")
    assert used_bytes(api, "tides") == 0


def test_a_bomb_is_seen_before_it_is_unpacked(api: Api, algorithms: Shelf, server: GitServer) -> None:
    server.repository().commit({"zeros": b"\0" * 3_000_000})
    api.app.state.settings.git_max_bytes = 1_000_000
    job = done(api, algorithms, server.url("code.git"))
    assert (job["state"], job["error"]["code"]) == ("failed", "git_too_large")
    assert used_bytes(api, "tides") == 0


def test_more_than_the_project_may_hold_is_refused(api: Api, server: GitServer) -> None:
    api.app.state.settings.outbound_allow = ["127.0.0.1"]
    api.project("small", storage_limit_bytes=10)
    shelf = Shelf(api.user("bob", project="small"), "small", "algorithms")
    shelf.create("code")
    shelf.draft("code")
    server.repository().commit({"a": "x" * 100})
    job = done(api, shelf, server.url("code.git"))
    assert (job["state"], job["error"]["code"]) == ("failed", "storage_limit")
    assert shelf.get("code", 1)["files"] == 0


def test_a_slow_host_is_given_up(api: Api, algorithms: Shelf, server: GitServer) -> None:
    server.repository().commit({"a": "1"})
    server.hold = threading.Event()
    api.app.state.settings.git_timeout_s = 1
    job = done(api, algorithms, server.url("code.git"))
    assert (job["state"], job["error"]["code"]) == ("failed", "git_timeout")


def test_cancelling_ends_git_and_leaves_the_draft_as_it_was(api: Api, algorithms: Shelf, server: GitServer) -> None:
    server.repository().commit({"a": "1"})
    server.hold = threading.Event()
    asked = ask(algorithms, server.url("code.git")).json()
    runner = Runner(api.app)
    running = threading.Thread(target=runner.run_next)
    running.start()
    while not server.asked:
        running.join(0.01)
    algorithms.person.ok("post", f"/projects/tides/jobs/{asked['id']}/cancel")
    runner.beat()
    running.join(20)
    assert not running.is_alive()
    assert job_of(algorithms.person, "tides", asked)["state"] == "cancelled"
    assert algorithms.get("code", 1)["files"] == 0
    assert list(api.app.state.store.temporary.iterdir()) == []


def test_an_import_that_was_interrupted_runs_again_from_the_start(
    api: Api, algorithms: Shelf, server: GitServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process dies after the content was taken in and before the draft got it: nothing is seen; then all is."""

    class Killed(BaseException):
        pass

    def die(*_arguments: object, **_options: object) -> None:
        raise Killed

    server.repository().commit({"a": "1", "b/c": "2"})
    asked = ask(algorithms, server.url("code.git")).json()
    with monkeypatch.context() as patched:
        patched.setattr(git_import, "_put", die)
        with pytest.raises(Killed):
            Runner(api.app).run_next()
    assert algorithms.get("code", 1)["files"] == 0
    with api.app.state.db.write() as session:
        row = session.get_one(JobRow, asked["id"])
        row.state, row.owner = "waiting", None
    run_jobs(api.app)
    assert job_of(algorithms.person, "tides", asked)["state"] == "completed"
    assert set(algorithms.paths("code", 1)) == {"a", "b/c"}


def test_a_draft_that_was_committed_meanwhile_is_not_changed(api: Api, algorithms: Shelf, server: GitServer) -> None:
    server.repository().commit({"a": "1"})
    asked = ask(algorithms, server.url("code.git")).json()
    algorithms.save("code", 1, "mine", "x")
    algorithms.commit("code", 1)
    run_jobs(api.app)
    assert job_of(algorithms.person, "tides", asked)["error"]["code"] == "version_committed"
    assert list(algorithms.paths("code", 1)) == ["mine"]
    assert ask(algorithms, server.url("code.git")).status_code == 409


def test_only_writers_import(algorithms: Shelf, vic: Person, eve: Person, server: GitServer) -> None:
    url = f"{algorithms.at('code', 1)}/import-git"
    assert vic.post(url, json={"url": server.url("code.git")}).status_code == 403
    assert eve.post(url, json={"url": server.url("code.git")}).status_code == 404


def test_the_import_is_in_the_audit_log(api: Api, algorithms: Shelf, server: GitServer) -> None:
    commit = server.repository().commit({"a": "1"})
    done(api, algorithms, server.url("code.git"))
    rows = api.admin.ok("get", "/projects/tides/audit", params={"target_kind": "algorithm_version"})["items"]
    told = {row["action"]: row["after"] for row in rows}
    assert told["algorithm.import_git"]["url"] == server.url("code.git")
    assert told["algorithm.edit"]["commit"] == commit
