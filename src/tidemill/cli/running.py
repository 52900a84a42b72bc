"""What commands about things that run share: states in words, logs, waiting, how something ended."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import click

from tidemill.cli.output import Column, print_json
from tidemill.cli.progress import Display
from tidemill.cli.run import Run
from tidemill.cli.words import both, text
from tidemill.sdk.resources.workloads import WorkloadFailed
from tidemill.sdk.work_views import WorkloadEvent

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


def log_options(function: Any) -> Any:
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
                "--tail",
                "tail_bytes",
                type=click.IntRange(1),
                metavar="BYTES",
                help=both("Only the last bytes.", "仅输出最后若干字节。"),
            ),
        )
    ):
        function = option(function)
    return function


def print_log(run: Run, pieces: Iterator[str]) -> None:
    """Output as it is; with --json one document of it."""
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
