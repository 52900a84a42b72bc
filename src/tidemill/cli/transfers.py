"""Push and pull."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tidemill.cli.completing import complete_asset, complete_scene
from tidemill.cli.kinds import Kind
from tidemill.cli.output import print_json, size_text
from tidemill.cli.progress import Display
from tidemill.cli.run import Run, with_run
from tidemill.cli.words import both, text

if TYPE_CHECKING:
    from tidemill.sdk.transfer.pull import Pulled
    from tidemill.sdk.transfer.push import Pushed


def add_push(group: click.Group, kind: Kind) -> None:
    @group.command(
        "push",
        help=kind.say(
            "Send a folder or a file as the next version of NAME, or into the draft NAME@3. Only what the server lacks "
            "is sent; stopped half-way, the same command goes on. Makes the {thing} when there is none.",
            "将文件夹或文件作为 NAME 的新版本上传，或上传到草稿 NAME@3。"
            "只传输服务器没有的内容；中断后再次执行即可继续。{thing}不存在时自动创建。",
        ),
    )
    @click.argument("source", metavar="DIR", type=click.Path(path_type=Path))
    @click.argument("name", shell_complete=complete_asset(kind.name))
    @click.option(
        "--scene",
        default="other",
        shell_complete=complete_scene,
        help=both("For a new one (default other).", "新建时的应用场景（默认 other）。"),
    )
    @click.option("--description", default="", metavar="TEXT", help=both("For a new one.", "新建时的描述。"))
    @click.option("--note", metavar="TEXT", help=both("What is new in this version.", "版本说明。"))
    @click.option("--draft", is_flag=True, help=both("Leave it a draft.", "保留为草稿，不提交。"))
    @click.option(
        "--add",
        is_flag=True,
        help=both("Start from the latest version and take nothing out.", "基于最新版本添加，不移除文件。"),
    )
    @click.option(
        "--links",
        type=click.Choice(["inside", "follow", "skip"]),
        default="inside",
        help=both(
            "Links: those that stay inside (default), all, or none.", "链接：仅内部（默认）、全部跟随或全部跳过。"
        ),
    )
    @with_run
    def push(run: Run, source: Path, name: str, **options: Any) -> None:
        display = Display()
        try:
            pushed = kind.of(run).push(source, name, watch=display.transfer, **options)
        finally:
            display.close()
        _tell_pushed(run, pushed)


def add_pull(group: click.Group, kind: Kind) -> None:
    @group.command(
        "pull",
        help=both(
            "Make DIR hold the files of NAME (the latest version) or NAME@3. Only what is missing is fetched.",
            "将 NAME（最新版本）或 NAME@3 的文件下载到 DIR。只获取缺少的内容。",
        ),
    )
    @click.argument("name", shell_complete=complete_asset(kind.name))
    @click.argument("target", metavar="DIR", type=click.Path(path_type=Path))
    @click.option(
        "--path", default="", metavar="PATH", help=both("Only this folder of the version.", "仅下载版本中的该文件夹。")
    )
    @click.option(
        "--delete", is_flag=True, help=both("Remove files that the version does not have.", "删除版本中没有的文件。")
    )
    @with_run
    def pull(run: Run, name: str, target: Path, path: str, delete: bool) -> None:
        display = Display()
        try:
            pulled = kind.of(run).pull(name, target, path=path, delete=delete, watch=display.transfer)
        finally:
            display.close()
        _tell_pulled(run, pulled, target)


def _tell_pushed(run: Run, pushed: "Pushed") -> None:
    if run.as_json:
        counts = {"sent_files": pushed.sent_files, "sent_bytes": pushed.sent_bytes, "skipped": pushed.skipped}
        print_json({**pushed.version.raw, **counts})
        return
    click.echo(
        text(
            "cli_pushed" if pushed.version.state == "committed" else "cli_pushed_draft",
            name=pushed.version.name,
            files=pushed.files,
            size=size_text(pushed.size_bytes),
            sent_files=pushed.sent_files,
            sent=size_text(pushed.sent_bytes),
        )
    )
    for path in pushed.skipped:
        click.echo(text("cli_skipped", path=path), err=True)


def _tell_pulled(run: Run, pulled: "Pulled", target: Path) -> None:
    if run.as_json:
        counts = {
            "fetched_files": pulled.fetched_files,
            "fetched_bytes": pulled.fetched_bytes,
            "deleted": pulled.deleted,
            "target": str(target),
        }
        print_json({**pulled.version.raw, **counts})
        return
    click.echo(
        text(
            "cli_pulled",
            name=pulled.version.name,
            target=target,
            files=pulled.files,
            fetched_files=pulled.fetched_files,
            fetched=size_text(pulled.fetched_bytes),
        )
    )
    if pulled.deleted:
        click.echo(text("cli_pull_deleted", count=len(pulled.deleted)))
