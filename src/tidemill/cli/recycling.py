"""`tidemill bin`"""

from typing import Any

import click

from tidemill.cli.output import Column, Size
from tidemill.cli.run import Run, confirm, list_options, with_run, yes_option
from tidemill.cli.shell import Group
from tidemill.cli.waiting import finish_job, wait_option
from tidemill.cli.words import both
from tidemill.kernel.errors import NotFound
from tidemill.sdk.language import problem
from tidemill.sdk.views import BinEntry

COLUMNS: list[Column[BinEntry]] = [
    (both("NAME", "名称"), lambda e: e.name),
    (both("KIND", "类型"), lambda e: e.kind),
    (both("SIZE", "大小"), lambda e: Size(e.size_bytes)),
    (both("DELETED", "删除时间"), lambda e: e.deleted_at),
    (both("BY", "删除者"), lambda e: e.deleted_by),
    (both("KEPT UNTIL", "保留至"), lambda e: e.purge_at),
    (both("ID", "编号"), lambda e: e.id),
]


@click.group("bin", cls=Group, help=both("The recycle bin of the project.", "项目的回收站。"))
def bin_group() -> None:
    """Gathers the commands below."""


@bin_group.command("list", help=both("What can still be restored.", "可恢复的内容。"))
@click.option("--kind", help=both("Such as model or model_version.", "如 model 或 model_version。"))
@list_options("name, deleted_at, size_bytes")
@with_run
def list_bin(run: Run, kind: str | None, q: str | None, sort: str | None, options: Any) -> None:
    run.show_list(run.client.bin.list(q=q, kind=kind, sort=sort), COLUMNS, options)


@bin_group.command("restore", help=both("Bring something back, by id or name.", "按编号或名称恢复。"))
@click.argument("entry")
@click.option("--name", metavar="NAME", help=both("Under another name.", "使用其他名称。"))
@with_run
def restore(run: Run, entry: str, name: str | None) -> None:
    found = _find(run, entry)
    restored = run.client.bin.restore(found.id, name=name)
    run.done(restored or {}, "cli_restored", name=name or found.name)


@bin_group.command("delete", help=both("Delete something for good.", "彻底删除。"))
@click.argument("entry")
@yes_option
@with_run
def delete(run: Run, entry: str, yes: bool) -> None:
    found = _find(run, entry)
    confirm(yes, "cli_confirm_forever", name=found.name)
    run.client.bin.delete(found.id)
    run.done(None, "cli_deleted", name=found.name)


@bin_group.command("empty", help=both("Delete everything in the bin for good.", "清空回收站。"))
@yes_option
@wait_option
@with_run
def empty(run: Run, yes: bool, wait: bool) -> None:
    confirm(yes, "cli_confirm_empty", project=run.client.project_name())
    finish_job(run, run.client.bin.empty(), wait=wait)


def _find(run: Run, entry: str) -> BinEntry:
    """By id, or by name when just one thing of that name is there."""
    found = [item for item in run.client.bin.list() if entry in {item.id, item.name}]
    exact = [item for item in found if item.id == entry] or found
    if len(exact) == 1:
        return exact[0]
    if not exact:
        raise problem(NotFound, "cli_bin_unknown", entry=entry)
    raise problem(NotFound, "cli_bin_several", entry=entry, ids=", ".join(item.id for item in exact))
