import json
from pathlib import Path

import pytest

from tests.cli.conftest import Shell, unique


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    (folder / "src").mkdir(parents=True)
    (folder / "train.py").write_text(f"print('{unique('hello')}')\n")
    (folder / "src" / "模型.py").write_text("x = 1\n")
    return folder


def test_push_makes_the_asset_and_pull_brings_it_back(admin: Shell, project: str, tree: Path, tmp_path: Path) -> None:
    out = admin.ok("algorithm", "push", tree, "trainer", "--scene", "ocr", "--note", "first")
    assert "trainer@1" in out
    shown = admin.json("algorithm", "show", "trainer")
    assert (shown["scene"], shown["latest_version"]) == ("ocr", 1)
    version = admin.json("algorithm", "show", "trainer@1")
    assert (version["state"], version["files"], version["note"]) == ("committed", 2, "first")
    admin.ok("algorithm", "pull", "trainer", tmp_path / "out")
    assert (tmp_path / "out" / "src" / "模型.py").read_text() == "x = 1\n"
    again = admin.json("algorithm", "pull", "trainer@1", tmp_path / "out")
    assert (again["fetched_files"], again["number"]) == (0, 1)


def test_pushing_again_makes_the_next_version_and_sends_nothing_known(admin: Shell, project: str, tree: Path) -> None:
    admin.ok("model", "push", tree, "net")
    pushed = admin.json("model", "push", tree, "net", "--draft")
    assert (pushed["number"], pushed["state"], pushed["sent_files"]) == (2, "draft", 0)
    admin.ok("model", "commit", "net@2", "--note", "second")
    versions = admin.json("model", "versions", "net")["items"]
    assert [(v["number"], v["state"]) for v in versions] == [(2, "committed"), (1, "committed")]
    assert "committed" in admin.ok("model", "versions", "net")


def test_files_are_listed_searched_and_printed(admin: Shell, project: str, tree: Path) -> None:
    admin.ok("model", "push", tree, "net")
    out = admin.ok("model", "files", "net@1")
    assert "src/" in out
    assert "train.py" in out
    assert [e["path"] for e in admin.json("model", "files", "net", "src")["items"]] == ["src/模型.py"]
    assert [e["path"] for e in admin.json("model", "files", "net", "-q", "模型")["items"]] == ["src/模型.py"]
    assert admin.ok("model", "cat", "net", "train.py") == (tree / "train.py").read_text()
    assert admin.json("model", "cat", "net", "train.py")["is_text"] is True
    admin.refused("model", "cat", "net", "nothing.py")


def test_two_versions_are_compared(admin: Shell, project: str, tree: Path) -> None:
    admin.ok("model", "push", tree, "net")
    (tree / "new.txt").write_text("new")
    (tree / "train.py").unlink()
    admin.ok("model", "push", tree, "net")
    changes = {c["path"]: c["change"] for c in admin.json("model", "diff", "net@2", "1")["items"]}
    assert changes == {"new.txt": "added", "train.py": "removed"}
    assert "added" in admin.ok("model", "diff", "net@2", "1")


def test_descriptions_notes_formats_and_metrics_are_edited(admin: Shell, project: str, tree: Path) -> None:
    admin.ok("model", "push", tree, "net")
    admin.ok("model", "edit", "net", "--description", "finds things")
    admin.ok("model", "edit", "net@1", "--format", "onnx", "--metric", "map50=0.71")
    assert admin.json("model", "show", "net")["description"] == "finds things"
    version = admin.json("model", "show", "net@1")
    assert (version["format"], version["metrics"]) == ("onnx", {"map50": 0.71})
    assert "NAME@3" in admin.refused("model", "edit", "net", "--note", "x", code=2)
    admin.refused("model", "edit", "net", code=2)
    admin.refused("model", "edit", "net@1", "--metric", "map50=high", code=2)


def test_a_copy_costs_nothing_and_has_an_origin(admin: Shell, project: str, tree: Path) -> None:
    admin.ok("model", "push", tree, "net")
    admin.ok("model", "copy", "net@1", "fork")
    assert admin.json("model", "show", "fork")["latest_version"] == 1
    lineage = admin.json("model", "lineage", "fork@1")
    assert any(node["is_self"] for node in lineage["nodes"])
    assert "net@1" in admin.ok("model", "lineage", "fork")


def test_a_public_model_is_copied_into_ones_own_project(admin: Shell, project: str, tree: Path) -> None:
    name = unique("base")
    admin.ok("model", "push", tree, name, "--project", "public")
    assert name in admin.ok("model", "list", "--public", "-q", name)
    admin.ok("model", "copy", f"public/{name}", "mine")
    assert admin.json("model", "show", "mine")["project"] == project
    assert admin.ok("model", "cat", f"public/{name}", "train.py") == (tree / "train.py").read_text()


def test_lists_are_filtered_and_sorted(admin: Shell, project: str, tree: Path) -> None:
    admin.ok("model", "create", "b", "--scene", "ocr")
    admin.ok("model", "create", "a", "--description", "first of all")
    names = [m["name"] for m in admin.json("model", "list", "--sort", "name")["items"]]
    assert names == ["a", "b"]
    assert [m["name"] for m in admin.json("model", "list", "--scene", "ocr")["items"]] == ["b"]
    assert admin.json("model", "list", "--mine")["total"] == 2
    err = admin.refused("model", "create", "c", "--scene", "cooking")
    assert "object-detection" in err


def test_deleting_goes_to_the_bin_and_comes_back(admin: Shell, project: str, tree: Path) -> None:
    admin.ok("model", "push", tree, "net")
    assert "--all-versions" in admin.refused("model", "delete", "net", "--yes")
    assert "--yes" in admin.refused("model", "delete", "net@1", code=2)
    admin.ok("model", "delete", "net@1", "--yes")
    entry = admin.json("bin", "list")["items"][0]
    assert entry["kind"] == "model_version"
    admin.ok("bin", "restore", entry["id"])
    assert admin.json("model", "show", "net")["latest_version"] == 1
    admin.ok("model", "delete", "net", "--all-versions", "--yes")
    admin.refused("model", "show", "net")
    assert "net" in admin.ok("bin", "list")
    assert "--yes" in admin.refused("bin", "empty", code=2)
    job = admin.json("bin", "empty", "--yes", "--wait")
    assert job["state"] == "completed"
    assert admin.json("bin", "list")["items"] == []


def test_what_is_in_use_is_not_deleted_and_the_users_are_named(admin: Shell, project: str, tree: Path) -> None:
    admin.ok("model", "push", tree, "base")
    admin.ok("model", "push", tree, "tuned")
    from tidemill.sdk import Client

    with Client() as client:
        client.models.add_sources("tuned@1", ["model:base@1"], relation="trained_on")
    err = admin.refused("model", "delete", "base@1", "--yes")
    assert "tuned" in err


def test_a_git_address_that_cannot_be_reached_fails_the_command(admin: Shell, project: str) -> None:
    result = admin.run("algorithm", "import-git", "code", "https://127.0.0.1:9/x.git", "--wait")
    assert result.code == 1
    assert "error: " in result.err


def test_an_overview_counts_what_is_there(admin: Shell, project: str, tree: Path) -> None:
    admin.ok("model", "push", tree, "net")
    admin.ok("algorithm", "create", "code")
    status = admin.json("status")
    assert (status["models"], status["algorithms"], status["project"]["name"]) == (1, 1, project)
    assert status["project"]["storage_used_bytes"] > 0
    assert project in (shown := admin.ok("status"))
    assert "0 running, 0 waiting" in shown


def test_a_name_is_found_wherever_it_is(admin: Shell, project: str) -> None:
    name = unique("needle")
    admin.ok("model", "create", name)
    found = admin.json("search", name)["items"]
    assert [(item["kind"], item["name"], item["project"]) for item in found] == [("model", name, project)]
    assert name in admin.ok("search", name)


def test_the_platform_is_looked_at_and_checked(admin: Shell, project: str, tree: Path) -> None:
    admin.ok("model", "push", tree, "net")
    assert admin.json("system", "status")["users"] >= 1
    assert "Version" in admin.ok("system", "status")
    assert admin.json("system", "verify", "--wait")["state"] == "completed"
    started = admin.json("system", "gc")
    done = admin.json("job", "wait", started["id"])
    assert (done["id"], done["state"]) == (started["id"], "completed")
    assert started["id"] in admin.ok("job", "list", "--mine")
    assert json.loads(admin.ok("job", "show", started["id"], "--json"))["kind"] == "gc"


def test_the_same_commands_speak_chinese(
    admin: Shell, project: str, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    out = admin.ok("model", "push", tree, "网络")
    assert "共 2 个文件" in out
    err = admin.refused("model", "delete", "网络", "--yes")
    assert err.startswith("错误：")
    assert "提示：" in err
