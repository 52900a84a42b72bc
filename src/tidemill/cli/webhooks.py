"""`tidemill webhook`"""

from typing import Any

import click

from tidemill.cli.output import Column
from tidemill.cli.run import Run, confirm, list_options, with_run, yes_option
from tidemill.cli.shell import Group
from tidemill.cli.words import both
from tidemill.sdk.views import Delivery, Webhook

COLUMNS: list[Column[Webhook]] = [
    (both("NAME", "名称"), lambda w: w.name),
    (both("URL", "地址"), lambda w: w.url),
    (both("EVENTS", "事件"), lambda w: w.events),
    (both("ENABLED", "启用"), lambda w: w.enabled),
]
DELIVERY_COLUMNS: list[Column[Delivery]] = [
    (both("ID", "编号"), lambda d: d.id),
    (both("EVENT", "事件"), lambda d: d.event),
    (both("STATE", "状态"), lambda d: d.state),
    (both("STATUS", "状态码"), lambda d: d.status_code),
    (both("ATTEMPTS", "次数"), lambda d: d.attempts),
    (both("ERROR", "错误"), lambda d: d.error),
    (both("CREATED", "时间"), lambda d: d.created_at),
]


@click.group(cls=Group, help=both("Addresses told of the project's events.", "接收项目事件的地址。"))
def webhook() -> None:
    """Gathers the commands below."""


def hook_options(function: Any) -> Any:
    for option in reversed(
        (
            click.option(
                "--event",
                "events",
                multiple=True,
                metavar="PATTERN",
                help=both("Such as model.*; may be repeated.", "如 model.*，可重复。"),
            ),
            click.option("--secret", metavar="TEXT", help=both("Key of the signature.", "签名密钥。")),
            click.option("--enable/--disable", "enabled", default=None, help=both("Whether it is told.", "是否启用。")),
        )
    ):
        function = option(function)
    return function


@webhook.command("create", help=both("Tell an address of events.", "创建 Webhook。"))
@click.argument("name")
@click.argument("hook_url", metavar="URL")
@hook_options
@with_run
def create(
    run: Run, name: str, hook_url: str, events: tuple[str, ...], secret: str | None, enabled: bool | None
) -> None:
    made = run.client.webhooks.create(name, hook_url, events or ("*",), secret=secret, enabled=enabled is not False)
    run.done(made, "cli_created", name=made.name)


@webhook.command("list", help=both("Webhooks of the project.", "项目的 Webhook。"))
@list_options("", search=False)
@with_run
def list_webhooks(run: Run, options: Any) -> None:
    run.show_list(run.client.webhooks.list(), COLUMNS, options)


@webhook.command("show", help=both("One webhook.", "查看 Webhook。"))
@click.argument("name")
@with_run
def show(run: Run, name: str) -> None:
    found = run.client.webhooks.get(name)
    run.show(found, [(heading.capitalize(), get(found)) for heading, get in COLUMNS])


@webhook.command(
    "edit",
    help=both("Change a webhook; given events replace the old ones.", "修改 Webhook；给出的事件将替换原有事件。"),
)
@click.argument("name")
@click.option("--name", "new_name", metavar="NAME", help=both("New name.", "新名称。"))
@click.option("--to", "hook_url", metavar="URL", help=both("New address.", "新地址。"))
@hook_options
@with_run
def edit(
    run: Run,
    name: str,
    new_name: str | None,
    hook_url: str | None,
    events: tuple[str, ...],
    secret: str | None,
    enabled: bool | None,
) -> None:
    given: dict[str, Any] = {
        "name": new_name,
        "url": hook_url,
        "events": list(events) or None,
        "secret": secret,
        "enabled": enabled,
    }
    changed = run.client.webhooks.update(name, **{field: value for field, value in given.items() if value is not None})
    run.done(changed, "cli_changed", name=changed.name)


@webhook.command("delete", help=both("Delete a webhook.", "删除 Webhook。"))
@click.argument("name")
@yes_option
@with_run
def delete(run: Run, name: str, yes: bool) -> None:
    confirm(yes, "cli_confirm_delete", name=name)
    run.client.webhooks.delete(name)
    run.done(None, "cli_deleted", name=name)


@webhook.command("test", help=both("Send a ping.", "发送测试事件。"))
@click.argument("name")
@with_run
def test(run: Run, name: str) -> None:
    sent = run.client.webhooks.test(name)
    run.done(sent, "cli_webhook_tested", name=name)


@webhook.command("deliveries", help=both("What was sent, newest first.", "投递记录，最新在前。"))
@click.argument("name")
@list_options("", search=False)
@with_run
def deliveries(run: Run, name: str, options: Any) -> None:
    run.show_list(run.client.webhooks.deliveries(name), DELIVERY_COLUMNS, options)


@webhook.command("retry", help=both("Send a delivery again.", "重新投递。"))
@click.argument("name")
@click.argument("delivery", metavar="ID")
@with_run
def retry(run: Run, name: str, delivery: str) -> None:
    sent = run.client.webhooks.retry(name, delivery)
    run.done(sent, "cli_webhook_tested", name=name)
