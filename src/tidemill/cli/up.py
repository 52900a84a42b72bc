"""`tidemill up`: the one command that touches the server."""

import gc
import sys
from pathlib import Path

import click

from tidemill.cli.shell import Command
from tidemill.cli.words import both
from tidemill.kernel import i18n
from tidemill.sdk.language import user_language

_ABOUT = both(
    "Start Tidemill with everything embedded; Ctrl-C stops it. Every setting can also be given in the environment "
    "(TIDEMILL_HOME, TIDEMILL_PORT, …) or in tidemill.toml in the home.",
    "以全部内置组件启动 Tidemill，按 Ctrl-C 停止。所有设置也可以写在环境变量（TIDEMILL_HOME、TIDEMILL_PORT 等）"
    "或数据目录下的 tidemill.toml 中。",
)


@click.command("up", cls=Command, help=_ABOUT)
@click.option(
    "--home",
    type=click.Path(path_type=Path),
    help=both("Where everything is kept  [default: ~/.tidemill]", "数据目录  [默认：~/.tidemill]"),
)
@click.option(
    "--host",
    metavar="ADDRESS",
    help=both("Address to listen on  [default: 127.0.0.1]", "监听地址  [默认：127.0.0.1]"),
)
@click.option(
    "--port",
    type=int,
    metavar="N",
    help=both("First port; the next is used too  [default: 8700]", "首个端口，其后一个也会使用  [默认：8700]"),
)
@click.option(
    "--reset-password",
    metavar="USER",
    help=both(
        "Give this user a new password, printed once: the way back in when the last administrator's is lost.",
        "为该用户生成新密码并显示一次：最后一位管理员忘记密码时使用。",
    ),
)
def up(home: Path | None, host: str | None, port: int | None, reset_password: str | None) -> None:
    language = user_language()
    # While everything is loaded nothing becomes rubbish, and looking for some would be a quarter of the work.
    gc.disable()
    try:
        from tidemill.server.main import serve
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.startswith("tidemill"):
            raise
        message = i18n.message("up_part_missing", language, package=missing.name)
        click.echo(f"{message} {i18n.find_hint('up_part_missing', language)}", err=True)
        sys.exit(1)
    sys.exit(serve(home=home, host=host, port=port, language=language, reset_password_of=reset_password))
