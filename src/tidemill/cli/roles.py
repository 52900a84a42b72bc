"""`tidemill role`"""

from typing import Any

import click

from tidemill.cli.completing import complete_role
from tidemill.cli.output import Column
from tidemill.cli.run import Run, confirm, list_options, with_run, yes_option
from tidemill.cli.shell import Group
from tidemill.cli.words import both
from tidemill.sdk.views import Permission, Role

COLUMNS: list[Column[Role]] = [
    (both("NAME", "名称"), lambda r: r.name),
    (both("BUILT-IN", "内置"), lambda r: r.builtin),
    (both("PERMISSIONS", "权限数"), lambda r: len(r.permissions)),
    (both("DESCRIPTION", "描述"), lambda r: r.description),
]
PERMISSION_COLUMNS: list[Column[Permission]] = [
    (both("PERMISSION", "权限"), lambda p: p.permission),
    (both("SCOPE", "范围"), lambda p: p.scope),
]


@click.group(cls=Group, help=both("Roles and permissions.", "角色与权限。"))
def role() -> None:
    """Gathers the commands below."""


@role.command("create", help=both("Make a role.", "创建角色。"))
@click.argument("name")
@click.option(
    "--permission",
    "-p",
    "permissions",
    multiple=True,
    metavar="NAME",
    help=both("Such as model.read; may be repeated.", "如 model.read，可重复。"),
)
@click.option("--description", default="", metavar="TEXT", help=both("What it is for.", "用途说明。"))
@with_run
def create(run: Run, name: str, permissions: tuple[str, ...], description: str) -> None:
    made = run.client.roles.create(name, permissions, description=description)
    run.done(made, "cli_created", name=made.name)


@role.command("list", help=both("All roles.", "所有角色。"))
@list_options()
@with_run
def list_roles(run: Run, q: str | None, sort: str | None, options: Any) -> None:
    run.show_list(run.client.roles.list(q=q, sort=sort), COLUMNS, options)


@role.command("show", help=both("One role and what it allows.", "查看角色及其权限。"))
@click.argument("name", shell_complete=complete_role)
@with_run
def show(run: Run, name: str) -> None:
    found = run.client.roles.get(name)
    run.show(
        found,
        [
            (both("Name", "名称"), found.name),
            (both("Built-in", "内置"), found.builtin),
            (both("Description", "描述"), found.description),
            (both("Permissions", "权限"), found.permissions),
        ],
    )


@role.command(
    "edit", help=both("Change a role; given permissions replace the old ones.", "修改角色；给出的权限将替换原有权限。")
)
@click.argument("name", shell_complete=complete_role)
@click.option("--name", "new_name", metavar="NAME", help=both("New name.", "新名称。"))
@click.option("--description", metavar="TEXT", help=both("What it is for.", "用途说明。"))
@click.option(
    "--permission", "-p", "permissions", multiple=True, metavar="NAME", help=both("May be repeated.", "可重复。")
)
@with_run
def edit(run: Run, name: str, new_name: str | None, description: str | None, permissions: tuple[str, ...]) -> None:
    given = {"name": new_name, "description": description, "permissions": list(permissions) or None}
    changed = run.client.roles.update(name, **{field: value for field, value in given.items() if value is not None})
    run.done(changed, "cli_changed", name=changed.name)


@role.command("delete", help=both("Delete a role.", "删除角色。"))
@click.argument("name", shell_complete=complete_role)
@yes_option
@with_run
def delete(run: Run, name: str, yes: bool) -> None:
    confirm(yes, "cli_confirm_delete", name=name)
    run.client.roles.delete(name)
    run.done(None, "cli_deleted", name=name)


@role.command("permissions", help=both("Everything a role may allow.", "可授予的全部权限。"))
@with_run
def permissions(run: Run) -> None:
    run.show_rows(run.client.roles.permissions(), PERMISSION_COLUMNS)
