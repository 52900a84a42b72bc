"""Versions of an asset, their files, their origins."""

import sys
from typing import TYPE_CHECKING, Any

import click

from tidemill.cli.completing import complete_asset
from tidemill.cli.kinds import Kind
from tidemill.cli.output import Column, Size, print_json
from tidemill.cli.run import Run, list_options, with_run
from tidemill.cli.waiting import finish_job, wait_option
from tidemill.cli.words import both, text
from tidemill.kernel.errors import NotFound
from tidemill.sdk.refs import parse_ref

if TYPE_CHECKING:
    from tidemill.sdk.views import Change, Entry, Lineage, Version

COLUMNS: "list[Column[Version]]" = [
    (both("VERSION", "版本"), lambda v: v.number),
    (both("STATE", "状态"), lambda v: text(f"cli_version_{v.state}")),
    (both("FILES", "文件数"), lambda v: v.files),
    (both("SIZE", "大小"), lambda v: Size(v.size_bytes)),
    (both("ORIGIN", "来源"), lambda v: v.origin),
    (both("BY", "创建者"), lambda v: v.created_by),
    (both("CREATED", "创建时间"), lambda v: v.created_at),
    (both("NOTE", "说明"), lambda v: v.note),
]
FILE_COLUMNS: "list[Column[Entry]]" = [
    (both("NAME", "名称"), lambda e: f"{e.path}/" if e.type == "dir" else e.path),
    (both("SIZE", "大小"), lambda e: Size(e.size_bytes)),
    (both("FILES", "文件数"), lambda e: e.files),
    (both("TYPE", "类型"), lambda e: e.media_type),
]
CHANGE_COLUMNS: "list[Column[Change]]" = [
    (both("CHANGE", "变化"), lambda c: text(f"cli_change_{c.change}")),
    (both("PATH", "路径"), lambda c: c.path),
    (both("SIZE", "大小"), lambda c: None if c.size_bytes is None else Size(c.size_bytes)),
    (both("WAS", "原大小"), lambda c: None if c.old_size_bytes is None else Size(c.old_size_bytes)),
]


def version_fields(version: "Version") -> list[tuple[str, Any]]:
    return [
        (both("Version", "版本"), version.name),
        (both("Id", "编号"), version.id),
        (both("State", "状态"), text(f"cli_version_{version.state}")),
        (both("Note", "说明"), version.note),
        (both("Files", "文件数"), version.files),
        (both("Size", "大小"), Size(version.size_bytes)),
        (both("Format", "格式"), version.format),
        (both("Metrics", "指标"), [f"{name}={value}" for name, value in version.metrics.items()]),
        (both("Origin", "来源"), version.origin),
        (both("Digest", "摘要"), version.digest),
        (both("Created", "创建"), version.created_at),
        (both("By", "创建者"), version.created_by),
        (both("Committed", "提交时间"), version.committed_at),
    ]


def add_versions(group: click.Group, kind: Kind) -> None:
    @group.command("versions", help=kind.say("Versions of {a_thing}, newest first.", "{thing}的版本，最新在前。"))
    @click.argument("name", shell_complete=complete_asset(kind.name))
    @list_options("", search=False)
    @with_run
    def list_versions(run: Run, name: str, options: Any) -> None:
        run.show_list(kind.of(run).versions(name), COLUMNS, options)


def add_files(group: click.Group, kind: Kind) -> None:
    @group.command("files", help=both("Files of a version.", "版本中的文件。"))
    @click.argument("name", shell_complete=complete_asset(kind.name))
    @click.argument("path", default="")
    @list_options("")
    @with_run
    def list_files(run: Run, name: str, path: str, q: str | None, options: Any) -> None:
        run.show_list(kind.of(run).files(kind.of(run).pinned(name), path, q=q), FILE_COLUMNS, options)


def add_cat(group: click.Group, kind: Kind) -> None:
    @group.command("cat", help=both("Print a file of a version.", "输出版本中的文件内容。"))
    @click.argument("name", shell_complete=complete_asset(kind.name))
    @click.argument("path")
    @with_run
    def cat(run: Run, name: str, path: str) -> None:
        assets = kind.of(run)
        ref = assets.pinned(name)
        if run.as_json:
            print_json(assets.entry(ref, path).raw)
            return
        out = sys.stdout.buffer
        for block in assets.stream_file(ref, path):
            out.write(block)
        out.flush()


def add_commit(group: click.Group, kind: Kind) -> None:
    @group.command("commit", help=both("Fix a draft for good.", "提交草稿，此后不可更改。"))
    @click.argument("name", shell_complete=complete_asset(kind.name))
    @click.option("--note", metavar="TEXT", help=both("What is new.", "版本说明。"))
    @with_run
    def commit(run: Run, name: str, note: str | None) -> None:
        version = kind.of(run).commit(name, note=note)
        run.done(version, "cli_committed", name=version.name)


def add_compare(group: click.Group, kind: Kind) -> None:
    @group.command(
        "diff", help=both("What differs in NAME@B against version A of it.", "比较 NAME@B 与其版本 A 的差异。")
    )
    @click.argument("name", shell_complete=complete_asset(kind.name))
    @click.argument("other", metavar="A", type=int)
    @list_options("", search=False)
    @with_run
    def diff(run: Run, name: str, other: int, options: Any) -> None:
        run.show_list(kind.of(run).compare(kind.of(run).pinned(name), other), CHANGE_COLUMNS, options)


def add_import_git(group: click.Group, kind: Kind) -> None:
    @group.command(
        "import-git",
        help=kind.say(
            "Fetch a Git repository into a draft: NAME@3, or a new version of NAME (made when there is none).",
            "将 Git 仓库导入草稿：NAME@3，或 NAME 的新版本（{thing}不存在时自动创建）。",
        ),
    )
    @click.argument("name", shell_complete=complete_asset(kind.name))
    @click.argument("git_url", metavar="URL")
    @click.option("--ref", "revision", metavar="NAME", help=both("Branch, tag or commit.", "分支、标签或提交。"))
    @click.option("--subdir", metavar="PATH", help=both("Only this folder of it.", "仅导入该子目录。"))
    @click.option("--scene", default="other", help=both("For a new one.", "新建时的应用场景。"))
    @wait_option
    @with_run
    def import_git(
        run: Run, name: str, git_url: str, revision: str | None, subdir: str | None, scene: str, wait: bool
    ) -> None:
        target = _draft(run, kind, name, scene)
        job = kind.of(run).import_git(target, git_url, revision=revision, subdir=subdir)
        finish_job(run, job, wait=wait)


def add_lineage(group: click.Group, kind: Kind) -> None:
    @group.command("lineage", help=both("What a version was made from, and what was made of it.", "版本的来源与去向。"))
    @click.argument("name", shell_complete=complete_asset(kind.name))
    @click.option("--depth", type=click.IntRange(1, 10), default=3, help=both("Steps to follow.", "追溯层数。"))
    @with_run
    def lineage(run: Run, name: str, depth: int) -> None:
        found = kind.of(run).lineage(kind.of(run).pinned(name), depth=depth)
        if run.as_json:
            print_json(found.raw)
        else:
            _print_lineage(found)


def _draft(run: Run, kind: Kind, name: str, scene: str) -> str:
    ref = parse_ref(name)
    if ref.version is not None:
        return name
    assets = kind.of(run)
    try:
        assets.get(ref)
    except NotFound:
        assets.create(ref.name, scene=scene, project=ref.project)
    return f"{name}@{assets.create_version(ref).number}"


def _print_lineage(found: "Lineage") -> None:
    labels = {node.id: node.label or node.name for node in found.nodes}
    for node in found.nodes:
        if node.is_self:
            click.echo(f"* {labels[node.id]}")
    for edge in found.edges:
        source, target = labels.get(edge["from"], "?"), labels.get(edge["to"], "?")
        click.echo(f"  {target} <- {source}  ({edge['relation']})")
