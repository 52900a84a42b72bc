"""`tidemill workload`: everything that runs, whatever it is for."""

from typing import Any

import click

from tidemill.cli.output import Column
from tidemill.cli.run import Run, list_options, with_run
from tidemill.cli.running import (
    EVENT_COLUMNS,
    STATES,
    LogWish,
    ending_fields,
    log_options,
    show_log,
    state_text,
    wait_or_tell,
)
from tidemill.cli.shell import Group
from tidemill.cli.words import both
from tidemill.sdk.work_views import Node, Workload

COLUMNS: list[Column[Workload]] = [
    (both("ID", "编号"), lambda w: w.id),
    (both("NAME", "名称"), lambda w: w.name),
    (both("KIND", "类型"), lambda w: w.kind),
    (both("STATE", "状态"), lambda w: state_text(w.state)),
    (both("SPEC", "规格"), lambda w: w.spec),
    (both("NODES", "节点"), lambda w: w.nodes_count),
    (both("BY", "创建者"), lambda w: w.created_by),
    (both("CREATED", "创建时间"), lambda w: w.created_at),
]


@click.group(cls=Group, help=both("Everything that runs in the project.", "项目中运行的一切。"))
def workload() -> None:
    """Gathers the commands below."""


@workload.command("list", help=both("Workloads of the project.", "项目的工作负载。"))
@click.option("--kind", help=both("Only this kind.", "按类型筛选。"))
@click.option("--state", type=STATES, help=both("Only this state.", "按状态筛选。"))
@list_options("name, created_at")
@with_run
def list_workloads(
    run: Run, kind: str | None, state: str | None, q: str | None, sort: str | None, options: Any
) -> None:
    run.show_list(run.client.workloads.list(kind=kind, state=state, q=q, sort=sort), COLUMNS, options)


@workload.command("show", help=both("One workload.", "查看工作负载。"))
@click.argument("workload_id", metavar="ID")
@with_run
def show(run: Run, workload_id: str) -> None:
    found = run.client.workloads.get(workload_id)
    run.show(
        found,
        [
            (both("Id", "编号"), found.id),
            (both("Name", "名称"), found.name),
            (both("Kind", "类型"), found.kind),
            *ending_fields(found),
            (both("Spec", "规格"), found.spec),
            (both("Image", "镜像"), found.image),
            (both("Nodes", "节点"), [_node_text(node) for node in found.nodes]),
            (both("Created", "创建"), found.created_at),
            (both("By", "创建者"), found.created_by),
            (both("Started", "开始"), found.started_at),
            (both("Ended", "结束"), found.ended_at),
        ],
    )


@workload.command("why", help=both("Why it is waiting, and what would let it start.", "为何等待，以及如何才能启动。"))
@click.argument("workload_id", metavar="ID")
@with_run
def why(run: Run, workload_id: str) -> None:
    found = run.client.workloads.waiting(workload_id)
    holders = [f"{holder.get('name') or '…'}: {holder.get('amount')}" for holder in found.holders]
    run.show(
        found,
        [
            (both("Reason", "原因"), found.text),
            (both("Place", "排队位置"), f"{found.place} / {found.of}"),
            (both("Held by", "占用者"), holders),
            (both("Would start", "可启动的最小改动"), found.smallest_change),
        ],
    )


@workload.command("logs", help=both("What a workload wrote.", "工作负载的输出。"))
@click.argument("workload_id", metavar="ID")
@log_options
@with_run
def logs(run: Run, workload_id: str, wish: LogWish) -> None:
    show_log(run, workload_id, wish)


@workload.command("events", help=both("Every move it made.", "状态变化。"))
@click.argument("workload_id", metavar="ID")
@list_options("", search=False)
@with_run
def events(run: Run, workload_id: str, options: Any) -> None:
    run.show_list(run.client.workloads.events(workload_id), EVENT_COLUMNS, options)


@workload.command("wait", help=both("Wait until it has ended.", "等待结束。"))
@click.argument("workload_id", metavar="ID")
@with_run
def wait_workload(run: Run, workload_id: str) -> None:
    workloads = run.client.workloads
    wait_or_tell(run, workloads.get(workload_id), workloads.wait, "cli_work_done")


@workload.command("stop", help=both("Stop a workload.", "停止工作负载。"))
@click.argument("workload_id", metavar="ID")
@with_run
def stop(run: Run, workload_id: str) -> None:
    found = run.client.workloads.stop(workload_id)
    run.done(found, "cli_stopping_now", name=found.name)


def _node_text(node: Node) -> str:
    return f"{node.index}: {node.host_name or node.machine} {node.state}"
