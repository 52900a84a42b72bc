"""`tidemill project`"""

from typing import Any

import click

from tidemill.cli.completing import complete_project
from tidemill.cli.members import members
from tidemill.cli.output import Column, Size
from tidemill.cli.run import Run, confirm, list_options, with_run, yes_option
from tidemill.cli.shell import Group
from tidemill.cli.sizes import PairType, SizeType, limit_or_none
from tidemill.cli.words import both
from tidemill.sdk.config import Login, load_config, resolve, save_config
from tidemill.sdk.views import Project, Quota

COLUMNS: list[Column[Project]] = [
    (both("NAME", "名称"), lambda p: p.name),
    (both("MEMBERS", "成员"), lambda p: p.members_count),
    (both("ASSETS", "资产"), lambda p: p.assets_count),
    (both("STORAGE", "存储"), lambda p: Size(p.storage_used_bytes)),
    (both("LIMIT", "上限"), lambda p: None if p.storage_limit_bytes is None else Size(p.storage_limit_bytes)),
    (both("DESCRIPTION", "描述"), lambda p: p.description),
]


@click.group(cls=Group, help=both("Projects and their members.", "项目及其成员。"))
def project() -> None:
    """Gathers the commands below."""


project.add_command(members)


def quota_options(function: Any) -> Any:
    """Storage and compute limits."""
    for option in reversed(
        (
            click.option("--description", metavar="TEXT", help=both("What it is for.", "用途说明。")),
            click.option(
                "--storage-limit", type=SizeType(), help=both("Such as 200GB, or none.", "如 200GB，或 none。")
            ),
            click.option("--cpu", type=float, metavar="N", help=both("CPU cores.", "CPU 核数。")),
            click.option(
                "--memory", type=SizeType(), help=both("Memory, such as 64GiB, or none.", "内存，如 64GiB，或 none。")
            ),
            click.option(
                "--accelerator",
                "accelerators",
                type=PairType(),
                multiple=True,
                help=both("Such as nvidia.com/gpu=4; may be repeated.", "如 nvidia.com/gpu=4，可重复。"),
            ),
        )
    ):
        function = option(function)
    return function


@project.command("create", help=both("Make a project.", "创建项目。"))
@click.argument("name")
@quota_options
@with_run
def create(run: Run, name: str, description: str | None, storage_limit: int | None, **quota: Any) -> None:
    made = run.client.projects.create(
        name,
        description=description or "",
        storage_limit_bytes=limit_or_none(storage_limit),
        quota=_quota(Quota(), **quota),
    )
    run.done(made, "cli_project_created", name=made.name)


@project.command("list", help=both("Your projects.", "您的项目。"))
@click.option("--everyones", is_flag=True, help=both("All projects (administrators).", "所有项目（管理员）。"))
@click.option("--deleted", is_flag=True, help=both("Those in the bin (administrators).", "回收站中的项目（管理员）。"))
@list_options()
@with_run
def list_projects(run: Run, everyones: bool, deleted: bool, q: str | None, sort: str | None, options: Any) -> None:
    run.show_list(run.client.projects.list(q=q, everyones=everyones, deleted=deleted, sort=sort), COLUMNS, options)


@project.command("show", help=both("One project.", "查看项目。"))
@click.argument("name", required=False, shell_complete=complete_project)
@with_run
def show(run: Run, name: str | None) -> None:
    found = run.client.projects.get(name or run.client.project_name())
    limit = found.storage_limit_bytes
    run.show(
        found,
        [
            (both("Name", "名称"), found.name),
            (both("Id", "编号"), found.id),
            (both("Description", "描述"), found.description),
            (both("Storage", "存储"), f"{Size(found.storage_used_bytes)} / {'∞' if limit is None else Size(limit)}"),
            (both("CPU", "CPU"), found.quota.cpu),
            (both("Memory", "内存"), None if found.quota.memory_bytes is None else Size(found.quota.memory_bytes)),
            (both("Accelerators", "加速卡"), [f"{name}: {n}" for name, n in found.quota.accelerators.items()]),
            (both("Members", "成员"), found.members_count),
            (both("Assets", "资产"), found.assets_count),
            (both("Created", "创建"), found.created_at),
            (both("By", "创建者"), found.created_by),
        ],
    )


@project.command("use", help=both("Work in this project from now on.", "此后使用该项目。"))
@click.argument("name", shell_complete=complete_project)
@with_run
def use(run: Run, name: str) -> None:
    found = run.client.projects.get(name)
    config = load_config()
    url = resolve(run.url).url
    config.servers.setdefault(url, Login()).project = found.name
    config.current = config.current or url
    save_config(config)
    run.done(found, "cli_project_current", project=found.name)


@project.command("edit", help=both("Change a project.", "修改项目。"))
@click.argument("name", shell_complete=complete_project)
@click.option("--name", "new_name", metavar="NAME", help=both("New name.", "新名称。"))
@quota_options
@with_run
def edit(
    run: Run, name: str, new_name: str | None, description: str | None, storage_limit: int | None, **quota: Any
) -> None:
    changes: dict[str, Any] = {}
    if new_name is not None:
        changes["name"] = new_name
    if description is not None:
        changes["description"] = description
    if storage_limit is not None:
        changes["storage_limit_bytes"] = limit_or_none(storage_limit)
    if any(value not in (None, ()) for value in quota.values()):
        changes["quota"] = _quota(run.client.projects.get(name).quota, **quota)
    changed = run.client.projects.update(name, **changes)
    run.done(changed, "cli_changed", name=changed.name)


@project.command("delete", help=both("Put a project in the bin.", "将项目移入回收站。"))
@click.argument("name", shell_complete=complete_project)
@yes_option
@with_run
def delete(run: Run, name: str, yes: bool) -> None:
    confirm(yes, "cli_confirm_project", name=name)
    run.client.projects.delete(name)
    run.done(None, "cli_project_deleted", name=name)


@project.command("restore", help=both("Bring a project back (administrators).", "恢复项目（管理员）。"))
@click.argument("name")
@click.option("--name", "new_name", metavar="NAME", help=both("Under another name.", "使用其他名称。"))
@with_run
def restore(run: Run, name: str, new_name: str | None) -> None:
    found = run.client.projects.restore(name, name=new_name)
    run.done(found, "cli_restored", name=found.name)


def _quota(
    before: Quota, *, cpu: float | None, memory: int | None, accelerators: tuple[tuple[str, str], ...]
) -> dict[str, Any]:
    """The quota with what was given changed; an accelerator set to 0 is taken out."""
    wanted = dict(before.accelerators)
    for name, count in accelerators:
        if not count.isdigit():
            raise click.BadParameter(f"{name}={count}", param_hint="--accelerator")
        wanted[name] = int(count)
    return {
        "cpu": before.cpu if cpu is None else (cpu if cpu >= 0 else None),
        "memory_bytes": before.memory_bytes if memory is None else limit_or_none(memory),
        "accelerators": {name: count for name, count in wanted.items() if count},
    }
