"""`tidemill service keys`"""

from typing import Any

import click

from tidemill.cli.output import Column
from tidemill.cli.run import Run, confirm, list_options, with_run, yes_option
from tidemill.cli.shell import Group
from tidemill.cli.words import both
from tidemill.sdk.service_views import ServiceKey

COLUMNS: list[Column[ServiceKey]] = [
    (both("NAME", "名称"), lambda k: k.name),
    (both("BEGINS", "开头"), lambda k: k.prefix),
    (both("RATE", "限速"), lambda k: k.rate_per_s),
    (both("LAST USED", "最近使用"), lambda k: k.last_used_on),
    (both("CREATED", "创建时间"), lambda k: k.created_at),
    (both("BY", "创建者"), lambda k: k.created_by),
]


@click.group("keys", cls=Group, help=both("Keys that open a service.", "服务密钥。"))
def keys() -> None:
    """Gathers the commands below."""


@keys.command("list", help=both("Keys of a service.", "服务的密钥。"))
@click.argument("name")
@list_options("", search=False)
@with_run
def list_keys(run: Run, name: str, options: Any) -> None:
    run.show_list(run.client.services.keys(name), COLUMNS, options)


@keys.command("create", help=both("Make a key; it is shown this once.", "创建密钥（仅显示一次）。"))
@click.argument("name")
@click.argument("key")
@click.option("--rate", type=float, metavar="N", help=both("Requests a second at most.", "每秒请求上限。"))
@with_run
def create_key(run: Run, name: str, key: str, rate: float | None) -> None:
    made = run.client.services.create_key(name, key, rate_per_s=rate)
    run.done(made, "cli_service_key", key=made.key)


@keys.command("delete", help=both("Delete a key.", "删除密钥。"))
@click.argument("name")
@click.argument("key")
@yes_option
@with_run
def delete_key(run: Run, name: str, key: str, yes: bool) -> None:
    confirm(yes, "cli_confirm_delete", name=key)
    run.client.services.delete_key(name, key)
    run.done(None, "cli_deleted", name=key)
