"""Signing in and out."""

import secrets
import socket
import sys

import click

from tidemill.cli.output import print_json
from tidemill.cli.run import Run, ask_password, with_run
from tidemill.cli.shell import Command
from tidemill.cli.words import both, text
from tidemill.kernel.errors import TidemillError, Unauthenticated
from tidemill.sdk import Client
from tidemill.sdk.config import DEFAULT_URL, Login, load_config, resolve, save_config
from tidemill.sdk.views import Me, Token


@click.command(
    cls=Command,
    help=both(
        "Sign in to a server and keep an API token for it. The password is asked for when it is not given.",
        "登录服务器并保存该服务器的 API 令牌。未给出密码时会询问。",
    ),
)
@click.argument("url", required=False)
@click.option("--user", metavar="NAME", help=both("User name.", "用户名。"))
@click.option(
    "--password", metavar="TEXT", help=both("Password; better typed or piped in.", "密码；建议输入或经管道传入。")
)
@click.option(
    "--new-password", metavar="TEXT", help=both("New password, when one must be chosen.", "必须更换密码时的新密码。")
)
@click.option("--token", metavar="TOKEN", help=both("Keep this token instead of making one.", "保存此令牌而不新建。"))
@click.option(
    "--days",
    type=click.IntRange(1, 3650),
    help=both("Days the token is good for; until logout when left out.", "令牌有效天数；不填则到退出登录为止。"),
)
@click.option("--json", "as_json", is_flag=True, help=both("Print one JSON document.", "输出一个 JSON 文档。"))
@click.option("--project", metavar="NAME", help=both("Project to work in from now on.", "此后使用的项目。"))
def login(
    url: str | None,
    user: str | None,
    password: str | None,
    new_password: str | None,
    token: str | None,
    days: int | None,
    as_json: bool,
    project: str | None,
) -> None:
    url = (url or load_config().current or DEFAULT_URL).rstrip("/")
    if token:
        with Client(url, token) as client:
            me, kept = client.me.get(), Token(token=token)
    else:
        me, kept = _sign_in(url, user or _ask_user(), password, new_password, days)
    chosen = _choose_project(me, project or _kept(url).project)
    _replace_login(url, Login(kept.token, kept.id or None, me.name, chosen))
    if as_json:
        print_json({**me.raw, "url": url, "project": chosen})
        return
    click.echo(text("cli_signed_in", user=me.name, url=url))
    click.echo(text("cli_project_current", project=chosen) if chosen else text("cli_project_none"))


@click.command(cls=Command, help=both("Revoke the kept token and forget it.", "吊销保存的令牌并将其删除。"))
@click.option("--url", metavar="URL", help=both("The server's address.", "服务器地址。"))
def logout(url: str | None) -> None:
    config = load_config()
    url = (url or config.current or DEFAULT_URL).rstrip("/")
    kept = config.servers.pop(url, None)
    if kept is None or kept.token is None:
        click.echo(text("cli_not_signed_in", url=url))
        return
    revoked = _revoke(url, kept)
    config.current = next(iter(config.servers), None) if config.current == url else config.current
    save_config(config)
    click.echo(text("cli_signed_out", url=url))
    if not revoked:
        click.echo(text("cli_not_revoked"), err=True)


@click.command(cls=Command, help=both("Show who is signed in, and where.", "显示当前用户及服务器。"))
@with_run
def whoami(run: Run) -> None:
    me = run.client.me.get()
    found = resolve(run.url, run.token, run.project)
    run.show(
        {**me.raw, "url": found.url, "project": found.project},
        [
            (both("User", "用户"), me.name),
            (both("Kind", "类型"), me.kind),
            (both("Mail", "邮箱"), me.mail),
            (both("Server", "服务器"), found.url),
            (both("Project", "当前项目"), found.project),
            (both("Projects", "所属项目"), [project.name for project in me.projects]),
        ],
    )


@click.command(
    cls=Command,
    help=both("Change your password. All sessions end; API tokens stay.", "修改密码。所有会话结束，API 令牌保留。"),
)
@click.option("--url", metavar="URL", help=both("The server's address.", "服务器地址。"))
@click.option("--user", metavar="NAME", help=both("User name.", "用户名。"))
@click.option("--password", metavar="TEXT", help=both("Present password.", "当前密码。"))
@click.option("--new-password", metavar="TEXT", help=both("New password.", "新密码。"))
def password(url: str | None, user: str | None, password: str | None, new_password: str | None) -> None:
    url = resolve(url).url
    name = user or _kept(url).user or _ask_user()
    with _sessions(url) as client:
        old = password or ask_password("cli_ask_password")
        client.sign_in(name, old)
        client.me.change_password(old, new_password or ask_password("cli_ask_new_password", again=True))
    click.echo(text("cli_password_changed"))


def _sign_in(url: str, user: str, password: str | None, new_password: str | None, days: int | None) -> tuple[Me, Token]:
    """Opens a session, makes a token in it, ends the session."""
    password = password or ask_password("cli_ask_password")
    with _sessions(url) as client:
        me = client.sign_in(user, password)
        if me.must_change_password:
            password = _change_password(client, password, new_password)
            me = client.sign_in(user, password)
        token = client.tokens.create(_token_name(), days=days)
        client.sign_out()
    return me, token


def _sessions(url: str) -> Client:
    """A client without a token: sessions are for passwords."""
    client = Client(url)
    client.transport.forget_token()
    return client


def _change_password(client: Client, old: str, new: str | None) -> str:
    if new is None and not sys.stdin.isatty():
        raise click.UsageError(text("cli_needs_new_password"), click.get_current_context())
    if new is None:
        click.echo(text("cli_choose_password"), err=True)
        new = ask_password("cli_ask_new_password", again=True)
    client.me.change_password(old, new)
    return new


def _choose_project(me: Me, wanted: str | None) -> str | None:
    """The project asked for, or the only one there is."""
    own = [project.name for project in me.projects if not project.is_public]
    if wanted and (wanted in own or wanted in {project.name for project in me.projects}):
        return wanted
    return own[0] if len(own) == 1 else wanted


def _replace_login(url: str, login: Login) -> None:
    config = load_config()
    before = config.servers.get(url)
    config.current = url
    config.servers[url] = login
    save_config(config)
    if before is not None and before.token and before.token != login.token:
        _revoke(url, before)


def _revoke(url: str, kept: Login) -> bool:
    """Ends a kept token on its server; False when that could not be done now."""
    if kept.token_id is None:
        return True
    try:
        with Client(url, kept.token) as client:
            client.tokens.revoke(kept.token_id)
    except Unauthenticated:
        return True
    except TidemillError:
        return False
    return True


def _kept(url: str) -> Login:
    return load_config().servers.get(url, Login())


def _ask_user() -> str:
    if not sys.stdin.isatty():
        raise click.UsageError(text("cli_needs_user"), click.get_current_context())
    user: str = click.prompt(text("cli_ask_user"), err=True)
    return user


def _token_name() -> str:
    host = "".join(c if c.isalnum() or c in "-._" else "-" for c in socket.gethostname())[:30]
    return f"cli {host} {secrets.token_hex(3)}"
