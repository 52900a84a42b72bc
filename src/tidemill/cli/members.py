"""`tidemill project members`"""

from typing import Any

import click

from tidemill.cli.completing import complete_role, complete_user
from tidemill.cli.output import Column
from tidemill.cli.run import Run, confirm, list_options, with_run, yes_option
from tidemill.cli.shell import Group
from tidemill.cli.words import both
from tidemill.kernel.errors import NotFound
from tidemill.sdk.language import problem
from tidemill.sdk.views import Membership

COLUMNS: list[Column[Membership]] = [
    (both("NAME", "名称"), lambda m: m.name),
    (both("KIND", "类型"), lambda m: m.subject_kind),
    (both("ROLE", "角色"), lambda m: m.role.name),
    (both("SINCE", "加入时间"), lambda m: m.created_at),
    (both("BY", "添加者"), lambda m: m.created_by),
]


@click.group(cls=Group, help=both("Who is in the project.", "项目成员。"))
def members() -> None:
    """Gathers the commands below."""


def member_argument(function: Any) -> Any:
    function = click.option("--group", "is_group", is_flag=True, help=both("NAME is a group.", "NAME 为用户组。"))(
        function
    )
    return click.argument("name", shell_complete=complete_user)(function)


@members.command("list", help=both("Members and their roles.", "成员及其角色。"))
@list_options("")
@with_run
def list_members(run: Run, q: str | None, options: Any) -> None:
    run.show_list(run.client.projects.members(q=q), COLUMNS, options)


@members.command("add", help=both("Give a user or a group a role in the project.", "为用户或用户组授予项目角色。"))
@member_argument
@click.option(
    "--role",
    default="member",
    shell_complete=complete_role,
    help=both("Role (default member).", "角色（默认 member）。"),
)
@with_run
def add(run: Run, name: str, is_group: bool, role: str) -> None:
    who = {"group": name} if is_group else {"user": name}
    made = run.client.projects.add_member(role, **who)
    run.done(made, "cli_member_added", name=made.name, role=made.role.name)


@members.command("set", help=both("Give a member another role.", "更改成员角色。"))
@member_argument
@click.option("--role", required=True, shell_complete=complete_role, help=both("The new role.", "新角色。"))
@with_run
def set_role(run: Run, name: str, is_group: bool, role: str) -> None:
    changed = run.client.projects.set_role(_find(run, name, is_group).id, role)
    run.done(changed, "cli_member_added", name=changed.name, role=changed.role.name)


@members.command("remove", help=both("Take a member out of the project.", "移除成员。"))
@member_argument
@yes_option
@with_run
def remove(run: Run, name: str, is_group: bool, yes: bool) -> None:
    found = _find(run, name, is_group)
    confirm(yes, "cli_confirm_member", name=found.name)
    run.client.projects.remove_member(found.id)
    run.done(None, "cli_member_removed", name=found.name)


def _find(run: Run, name: str, is_group: bool) -> Membership:
    kind = "group" if is_group else "user"
    for membership in run.client.projects.members():
        same = membership.subject_kind == kind and membership.name.casefold() == name.casefold()
        if same or name in {membership.id, membership.subject_id}:
            return membership
    raise problem(NotFound, "cli_member_unknown", name=name)
