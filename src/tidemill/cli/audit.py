"""`tidemill audit`"""

from datetime import datetime
from typing import Any

import click

from tidemill.cli.output import Column
from tidemill.cli.run import Run, list_options, with_run
from tidemill.cli.shell import Command
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
@click.option("--since", type=click.DateTime(), metavar="TIME", help=both("From this time on.", "起始时间。"))
@click.option("--until", type=click.DateTime(), metavar="TIME", help=both("Up to this time.", "截止时间。"))
@list_options("")
@with_run
def audit(
    run: Run,
    platform: bool,
    actor: str | None,
    action: str | None,
    target_kind: str | None,
    since: datetime | None,
    until: datetime | None,
    q: str | None,
    options: Any,
) -> None:
    found = run.client.audit.list(
        project=None if platform else run.client.project_name(),
        q=q,
        actor=actor,
        action=action,
        target_kind=target_kind,
        since=_aware(since),
        until=_aware(until),
    )
    run.show_list(found, COLUMNS, options)


def _aware(moment: datetime | None) -> str | None:
    """A time as typed is the terminal's own time."""
    return None if moment is None else moment.astimezone().isoformat()
