"""`tidemill user`, for administrators."""

from typing import Any

import click

from tidemill.cli.completing import complete_user
from tidemill.cli.output import Column
from tidemill.cli.run import Run, ask_password, confirm, list_options, with_run, yes_option
from tidemill.cli.shell import Group
from tidemill.cli.words import both
from tidemill.sdk.views import User

KINDS = click.Choice(["administrator", "member", "annotator"])
COLUMNS: list[Column[User]] = [
    (both("NAME", "用户名"), lambda u: u.name),
    (both("DISPLAY NAME", "显示名称"), lambda u: u.display_name),
    (both("KIND", "类型"), lambda u: u.kind),
    (both("MAIL", "邮箱"), lambda u: u.mail),
    (both("PROJECTS", "项目数"), lambda u: u.projects_count),
    (both("DISABLED", "已停用"), lambda u: u.disabled),
    (both("LAST SEEN", "最近活动"), lambda u: u.last_seen_at),
]


@click.group(cls=Group, help=both("Users (administrators).", "用户（管理员）。"))
def user() -> None:
    """Gathers the commands below."""


def profile_options(function: Any) -> Any:
    for option in reversed(
        (
            click.option("--mail", metavar="ADDRESS", help=both("Mail address.", "邮箱地址。")),
            click.option("--display-name", metavar="TEXT", help=both("Name to show.", "显示名称。")),
            click.option("--kind", type=KINDS, help=both("What they may do.", "用户类型。")),
        )
    ):
        function = option(function)
    return function


@user.command(
    "create",
    help=both("Make a user. The password is asked for when it is not given.", "创建用户。未给出密码时会询问。"),
)
@click.argument("name")
@click.option("--password", metavar="TEXT", help=both("First password.", "初始密码。"))
@click.option("--keep-password", is_flag=True, help=both("No change at first sign-in.", "首次登录时不要求修改密码。"))
@profile_options
@with_run
def create(
    run: Run,
    name: str,
    password: str | None,
    keep_password: bool,
    mail: str | None,
    display_name: str | None,
    kind: str | None,
) -> None:
    made = run.client.users.create(
        name,
        password or ask_password("cli_ask_new_password", again=True),
        kind=kind or "member",
        mail=mail,
        display_name=display_name,
        must_change_password=not keep_password,
    )
    run.done(made, "cli_user_created", name=made.name)


@user.command("list", help=both("All users.", "所有用户。"))
@click.option("--kind", type=KINDS, help=both("Only this kind.", "按类型筛选。"))
@list_options("name, created_at, last_seen_at")
@with_run
def list_users(run: Run, kind: str | None, q: str | None, sort: str | None, options: Any) -> None:
    run.show_list(run.client.users.list(q=q, kind=kind, sort=sort), COLUMNS, options)


@user.command("show", help=both("One user.", "查看用户。"))
@click.argument("name", shell_complete=complete_user)
@with_run
def show(run: Run, name: str) -> None:
    found = run.client.users.get(name)
    run.show(
        found,
        [
            (both("Name", "用户名"), found.name),
            (both("Id", "编号"), found.id),
            (both("Display name", "显示名称"), found.display_name),
            (both("Kind", "类型"), found.kind),
            (both("Mail", "邮箱"), found.mail),
            (both("Disabled", "已停用"), found.disabled),
            (both("Projects", "项目数"), found.projects_count),
            (both("Last seen", "最近活动"), found.last_seen_at),
            (both("Created", "创建"), found.created_at),
            (both("By", "创建者"), found.created_by),
        ],
    )


@user.command("edit", help=both("Change a user.", "修改用户。"))
@click.argument("name", shell_complete=complete_user)
@profile_options
@click.option("--disable/--enable", "disabled", default=None, help=both("Whether they may sign in.", "是否允许登录。"))
@with_run
def edit(
    run: Run, name: str, mail: str | None, display_name: str | None, kind: str | None, disabled: bool | None
) -> None:
    given = {"mail": mail, "display_name": display_name, "kind": kind, "disabled": disabled}
    changed = run.client.users.update(name, **{field: value for field, value in given.items() if value is not None})
    run.done(changed, "cli_changed", name=changed.name)


@user.command("password", help=both("Set a user's password.", "重置用户密码。"))
@click.argument("name", shell_complete=complete_user)
@click.option("--new-password", metavar="TEXT", help=both("The new password.", "新密码。"))
@with_run
def password(run: Run, name: str, new_password: str | None) -> None:
    run.client.users.set_password(name, new_password or ask_password("cli_ask_new_password", again=True))
    run.done(None, "cli_password_set", name=name)


@user.command("delete", help=both("Delete a user.", "删除用户。"))
@click.argument("name", shell_complete=complete_user)
@yes_option
@with_run
def delete(run: Run, name: str, yes: bool) -> None:
    confirm(yes, "cli_confirm_delete", name=name)
    run.client.users.delete(name)
    run.done(None, "cli_deleted", name=name)
