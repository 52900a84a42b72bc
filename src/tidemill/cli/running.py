"""What commands about things that run share: states in words, logs, waiting, how something ended."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import Any

import click

from tidemill.cli.output import Column, print_json
from tidemill.cli.progress import Display
from tidemill.cli.run import Run
from tidemill.cli.times import time_options
from tidemill.cli.words import both, text
from tidemill.sdk.resources.workloads import WorkloadFailed
from tidemill.sdk.work_views import LogLine, WorkloadEvent

STATES = click.Choice(["pending", "starting", "running", "stopping", "completed", "failed", "stopped"])

EVENT_COLUMNS: list[Column[WorkloadEvent]] = [
    (both("TIME", "时间"), lambda e: e.at),
    (both("FROM", "原状态"), lambda e: state_text(e.from_state) if e.from_state else None),
    (both("TO", "新状态"), lambda e: state_text(e.to_state)),
    (both("REASON", "原因"), lambda e: reason_text(e.reason)),
    (both("ATTEMPT", "次数"), lambda e: e.attempt),
    (both("BY", "操作者"), lambda e: e.by),
    (both("MESSAGE", "信息"), lambda e: e.message),
]


def state_text(state: str) -> str:
    return text(f"cli_work_{state}")


def reason_text(reason: str | None) -> str | None:
    return None if reason is None else text(f"cli_reason_{reason}")


def ending_fields(found: Any) -> list[tuple[str, Any]]:
    """How something is, and how it ended."""
    return [
        (both("State", "状态"), state_text(found.state)),
        (both("Reason", "原因"), reason_text(found.stop_reason)),
        (both("Message", "信息"), found.message),
        (both("Exit code", "退出码"), found.exit_code),
        (both("Attempt", "次数"), found.attempt),
    ]


def lasted(started_at: datetime | None, ended_at: datetime | None) -> str | None:
    """How long something ran, to the second."""
    if started_at is None or ended_at is None:
        return None
    return str(ended_at - started_at).partition(".")[0]


@dataclass(frozen=True, slots=True)
class LogWish:
    """What of a log is wanted."""

    node: int
    attempt: int | None
    follow: bool
    tail_bytes: int | None
    q: str | None
    since: str | None
    until: str | None
    target: Path | None


def log_options(function: Any) -> Any:
    """Options of every `logs`, gathered into `wish`."""

    @wraps(function)
    def command(*arguments: Any, **given: Any) -> Any:
        wish = LogWish(**{field.name: given.pop(field.name) for field in fields(LogWish)})
        return function(*arguments, wish=wish, **given)

    decorated: Any = time_options(command)
    for option in reversed(
        (
            click.option("--follow", "-f", is_flag=True, help=both("Go on until it ends.", "持续输出直至结束。")),
            click.option(
                "--node",
                type=click.IntRange(0),
                default=0,
                help=both("Which node, from 0.", "节点编号，从 0 开始。"),
            ),
            click.option(
                "--attempt",
                type=click.IntRange(1),
                metavar="N",
                help=both("Which attempt; the newest when left out.", "第几次；缺省为最新一次。"),
            ),
            click.option(
                "--tail",
                "tail_bytes",
                type=click.IntRange(1),
                metavar="BYTES",
                help=both("Only the last bytes.", "仅输出最后若干字节。"),
            ),
            click.option(
                "--search",
                "-q",
                "q",
                metavar="TEXT",
                help=both("Only lines with this in them, with their times.", "仅输出包含此文字的行，并显示时间。"),
            ),
            click.option(
                "--output",
                "-o",
                "target",
                type=click.Path(path_type=Path, dir_okay=False),
                metavar="FILE",
                help=both("Save all of it to a file.", "全部保存到文件。"),
            ),
        )
    ):
        decorated = option(decorated)
    return decorated


def show_log(run: Run, workload: str, wish: LogWish, *, attempt: int | None = None) -> None:
    """A workload's output: as it is, its lines by text and time, or saved to a file. With --json one document of it."""
    is_search = bool(wish.q or wish.since or wish.until)
    if ((wish.follow or wish.tail_bytes) and (is_search or wish.target)) or (is_search and wish.target):
        raise click.UsageError(text("cli_log_options"), click.get_current_context())
    workloads = run.client.workloads
    where: dict[str, Any] = {"node": wish.node, "attempt": attempt or wish.attempt}
    if wish.target is not None:
        saved = workloads.download_logs(workload, wish.target, **where)
        run.done({"path": str(saved)}, "cli_saved", file=saved)
    elif is_search:
        _print_lines(run, workloads.search_logs(workload, wish.q, since=wish.since, until=wish.until, **where))
    else:
        offset = -wish.tail_bytes if wish.tail_bytes else 0
        _print_log(run, workloads.logs(workload, offset=offset, follow=wish.follow, **where))


def _print_lines(run: Run, lines: Iterable[LogLine]) -> None:
    if run.as_json:
        print_json({"items": [line.raw for line in lines], "next": None})
        return
    for line in lines:
        at = line.at.astimezone().strftime("%Y-%m-%d %H:%M:%S") if line.at else "-"
        click.echo(f"{at}  {line.text}")


def _print_log(run: Run, pieces: Iterator[str]) -> None:
    if run.as_json:
        print_json({"text": "".join(pieces)})
        return
    for piece in pieces:
        click.echo(piece, nl=False)


def wait_or_tell(
    run: Run, found: Any, wait: Callable[..., Any] | None, code: str, show: Callable[[Any], None] | None = None
) -> None:
    """Says where to look, or waits and says how it ended; fails when it did."""
    if wait is None:
        run.done(found, code, name=found.name)
        return
    display = Display()
    try:
        found = wait(found, watch=display.workload)
    except WorkloadFailed as failure:
        if run.as_json:
            print_json(failure.ended.raw)
        raise
    finally:
        display.close()
    if show is not None and not run.as_json:
        show(found)
        return
    run.done(found, "cli_work_done", name=found.name)
