"""`tidemill system`, for administrators."""

import click

from tidemill.cli.output import Size
from tidemill.cli.run import Run, with_run
from tidemill.cli.shell import Group
from tidemill.cli.waiting import finish_job, wait_option
from tidemill.cli.words import both


@click.group(cls=Group, help=both("The platform itself (administrators).", "平台本身（管理员）。"))
def system() -> None:
    """Gathers the commands below."""


@system.command("status", help=both("Version, database, store.", "版本、数据库、存储。"))
@with_run
def status(run: Run) -> None:
    found = run.client.system.get()
    run.show(
        found,
        [
            (both("Version", "版本"), found.version),
            (both("Home", "数据目录"), found.home),
            (both("Database", "数据库"), found.database),
            (both("Store", "存储"), found.store.get("kind")),
            (both("Blobs", "数据块"), found.store.get("blobs")),
            (both("Stored", "已存储"), Size(found.store.get("bytes") or 0)),
            (both("Projects", "项目数"), found.projects),
            (both("Users", "用户数"), found.users),
            (both("Up for", "运行时间"), _duration(found.uptime_s)),
        ],
    )


@system.command("gc", help=both("Collect bytes nothing refers to.", "回收无引用的数据。"))
@wait_option
@with_run
def gc(run: Run, wait: bool) -> None:
    finish_job(run, run.client.system.collect_garbage(), wait=wait)


@system.command("verify", help=both("Check every stored byte.", "校验全部存储数据。"))
@wait_option
@with_run
def verify(run: Run, wait: bool) -> None:
    finish_job(run, run.client.system.verify(), wait=wait)


def _duration(seconds: float) -> str:
    minutes, _ = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h {minutes} min" if days else f"{hours} h {minutes} min"
