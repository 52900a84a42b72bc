"""`tidemill audit`"""

from typing import Any

import click

from tidemill.cli.output import Column
from tidemill.cli.run import Run, list_options, with_run
from tidemill.cli.shell import Command
from tidemill.cli.times import time_options
from tidemill.cli.words import both
from tidemill.sdk.views import AuditEntry

COLUMNS: list[Column[AuditEntry]] = [
    (both("WHEN", "时间"), lambda e: e.at),
    (both("WHO", "操作者"), lambda e: e.actor),
    (both("ACTION", "操作"), lambda e: e.action),
    (both("WHAT", "对象"), lambda e: e.target_name),
    (both("PROJECT", "项目"), lambda e: e.project),
    (both("FROM", "来源地址"), lambda e: e.address),
]


@click.command(
    cls=Command,
    help=both(
        "Who changed what, newest first: of the project, or with --platform of everything.",
        "变更记录，最新在前：当前项目，或用 --platform 查看全部。",
    ),
)
@click.option("--platform", is_flag=True, help=both("Everything (administrators).", "全部（管理员）。"))
@click.option("--actor", metavar="USER", help=both("Who.", "操作者。"))
@click.option("--action", metavar="NAME", help=both("Such as model.create or model.*", "如 model.create 或 model.*"))
@click.option("--target-kind", metavar="KIND", help=both("Such as user or project.", "如 user 或 project。"))
@time_options
@list_options("")
@with_run
def audit(
    run: Run,
    platform: bool,
    actor: str | None,
    action: str | None,
    target_kind: str | None,
    since: str | None,
    until: str | None,
    q: str | None,
    options: Any,
) -> None:
    found = run.client.audit.list(
        project=None if platform else run.client.project_name(),
        q=q,
        actor=actor,
        action=action,
        target_kind=target_kind,
        since=since,
        until=until,
    )
    run.show_list(found, COLUMNS, options)
