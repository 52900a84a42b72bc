"""`tidemill group`"""

from typing import Any

import click

from tidemill.cli.completing import complete_user
from tidemill.cli.output import Column
from tidemill.cli.run import Run, confirm, list_options, with_run, yes_option
from tidemill.cli.shell import Group
from tidemill.cli.users import COLUMNS as USER_COLUMNS
from tidemill.cli.words import both
from tidemill.sdk.views import Group as GroupRecord

COLUMNS: list[Column[GroupRecord]] = [
    (both("NAME", "名称"), lambda g: g.name),
    (both("MEMBERS", "成员"), lambda g: g.members_count),
    (both("DESCRIPTION", "描述"), lambda g: g.description),
    (both("CREATED", "创建时间"), lambda g: g.created_at),
]


@click.group(cls=Group, help=both("User groups.", "用户组。"))
def group() -> None:
    """Gathers the commands below."""


@group.command("create", help=both("Make a group.", "创建用户组。"))
@click.argument("name")
@click.option("--description", default="", metavar="TEXT", help=both("What it is for.", "用途说明。"))
@with_run
def create(run: Run, name: str, description: str) -> None:
    made = run.client.groups.create(name, description=description)
    run.done(made, "cli_created", name=made.name)


@group.command("list", help=both("All groups.", "所有用户组。"))
@list_options()
@with_run
def list_groups(run: Run, q: str | None, sort: str | None, options: Any) -> None:
    run.show_list(run.client.groups.list(q=q, sort=sort), COLUMNS, options)


@group.command("show", help=both("One group.", "查看用户组。"))
@click.argument("name")
@with_run
def show(run: Run, name: str) -> None:
    found = run.client.groups.get(name)
    run.show(found, [(heading.capitalize(), get(found)) for heading, get in COLUMNS])


@group.command("edit", help=both("Change a group.", "修改用户组。"))
@click.argument("name")
@click.option("--name", "new_name", metavar="NAME", help=both("New name.", "新名称。"))
@click.option("--description", metavar="TEXT", help=both("What it is for.", "用途说明。"))
@with_run
def edit(run: Run, name: str, new_name: str | None, description: str | None) -> None:
    given = {"name": new_name, "description": description}
    changed = run.client.groups.update(name, **{field: value for field, value in given.items() if value is not None})
    run.done(changed, "cli_changed", name=changed.name)


@group.command("delete", help=both("Delete a group.", "删除用户组。"))
@click.argument("name")
@yes_option
@with_run
def delete(run: Run, name: str, yes: bool) -> None:
    confirm(yes, "cli_confirm_delete", name=name)
    run.client.groups.delete(name)
    run.done(None, "cli_deleted", name=name)


@group.command("members", help=both("Users in a group.", "用户组成员。"))
@click.argument("name")
@list_options("", search=False)
@with_run
def list_members(run: Run, name: str, options: Any) -> None:
    run.show_list(run.client.groups.members(name), USER_COLUMNS, options)


@group.command("add", help=both("Put a user in a group.", "将用户加入用户组。"))
@click.argument("name")
@click.argument("user", shell_complete=complete_user)
@with_run
def add(run: Run, name: str, user: str) -> None:
    run.client.groups.add_member(name, user)
    run.done(None, "cli_group_added", group=name, user=user)


@group.command("remove", help=both("Take a user out of a group.", "将用户移出用户组。"))
@click.argument("name")
@click.argument("user", shell_complete=complete_user)
@with_run
def remove(run: Run, name: str, user: str) -> None:
    run.client.groups.remove_member(name, user)
    run.done(None, "cli_group_removed", group=name, user=user)
