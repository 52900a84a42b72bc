"""`tidemill experiment`"""

from typing import Any

import click

from tidemill.cli.completing import complete_experiment
from tidemill.cli.output import Column
from tidemill.cli.run import Run, confirm, list_options, with_run, yes_option
from tidemill.cli.running import lasted, state_text
from tidemill.cli.shell import Group
from tidemill.cli.words import both
from tidemill.sdk.work_views import Experiment, TrackedRun

COLUMNS: list[Column[Experiment]] = [
    (both("NAME", "名称"), lambda e: e.name),
    (both("RUNS", "运行数"), lambda e: e.runs_count),
    (both("BY", "创建者"), lambda e: e.created_by),
    (both("CREATED", "创建时间"), lambda e: e.created_at),
    (both("UPDATED", "更新时间"), lambda e: e.updated_at),
]
SHOWN_KEYS = 6


@click.group(cls=Group, help=both("Experiments and their runs.", "实验及其运行。"))
def experiment() -> None:
    """Gathers the commands below."""


@experiment.command("list", help=both("Experiments of the project.", "项目的实验。"))
@click.option("--deleted", is_flag=True, help=both("Those that can be restored.", "可恢复的实验。"))
@list_options("name, created_at, updated_at")
@with_run
def list_experiments(run: Run, deleted: bool, q: str | None, sort: str | None, options: Any) -> None:
    run.show_list(run.client.experiments.list(q=q, sort=sort, deleted=deleted), COLUMNS, options)


@experiment.command("show", help=both("One experiment.", "查看实验。"))
@click.argument("name", shell_complete=complete_experiment)
@with_run
def show(run: Run, name: str) -> None:
    found = run.client.experiments.get(name)
    keys = run.client.experiments.keys(found.id)
    run.show(
        found,
        [
            (both("Name", "名称"), found.name),
            ("ID", found.id),
            (both("Description", "描述"), found.description),
            (both("Runs", "运行数"), found.runs_count),
            (both("Metrics", "指标"), keys["metrics"]),
            (both("Parameters", "参数"), keys["parameters"]),
            (both("Tags", "标签"), [f"{key}={value}" for key, value in found.tags.items()]),
            (both("Created", "创建"), found.created_at),
            (both("By", "创建者"), found.created_by),
            (both("Updated", "更新"), found.updated_at),
        ],
    )


@experiment.command("runs", help=both("An experiment's runs with what they measured.", "实验的运行及其指标。"))
@click.argument("name", shell_complete=complete_experiment)
@click.option(
    "--filter",
    "where",
    metavar="TEXT",
    help=both(
        "Such as \"metrics.acc > 0.9 AND params.lr = '0.1'\".", "如 \"metrics.acc > 0.9 AND params.lr = '0.1'\"。"
    ),
)
@click.option(
    "--order-by",
    "orders",
    multiple=True,
    metavar="FIELD",
    help=both("Such as “metrics.acc DESC”; may be repeated.", "如“metrics.acc DESC”，可重复。"),
)
@list_options("", search=False)
@with_run
def list_runs(run: Run, name: str, where: str | None, orders: tuple[str, ...], options: Any) -> None:
    found = run.client.experiments.get(name)
    keys = {"metrics": [], "parameters": []} if run.as_json else run.client.experiments.keys(found.id)
    listing = run.client.experiments.runs(found.id, filter=where, order_by=orders)
    run.show_list(listing, _columns(keys), options)


@experiment.command("create", help=both("Make an experiment.", "创建实验。"))
@click.argument("name")
@click.option("--description", default="", help=both("What it is about.", "描述。"))
@with_run
def create(run: Run, name: str, description: str) -> None:
    found = run.client.experiments.create(name, description=description)
    run.done(found, "cli_created", name=found.name)


@experiment.command("rename", help=both("Give an experiment another name.", "重命名实验。"))
@click.argument("name", shell_complete=complete_experiment)
@click.argument("new_name")
@with_run
def rename(run: Run, name: str, new_name: str) -> None:
    found = run.client.experiments.update(name, name=new_name)
    run.done(found, "cli_changed", name=found.name)


@experiment.command("delete", help=both("Delete an experiment with its runs.", "删除实验及其运行。"))
@click.argument("name", shell_complete=complete_experiment)
@yes_option
@with_run
def delete(run: Run, name: str, yes: bool) -> None:
    confirm(yes, "cli_confirm_delete", name=name)
    run.client.experiments.delete(name)
    run.done(None, "cli_deleted", name=name)


@experiment.command("restore", help=both("Bring a deleted experiment back.", "恢复已删除的实验。"))
@click.argument("name")
@with_run
def restore(run: Run, name: str) -> None:
    found = run.client.experiments.restore(name)
    run.done(found, "cli_restored", name=found.name)


def _columns(keys: dict[str, Any]) -> list[Column[TrackedRun]]:
    """The first few metrics and parameters: a terminal is only so wide."""
    columns: list[Column[TrackedRun]] = [
        (both("NAME", "名称"), lambda r: r.name),
        (both("STATE", "状态"), lambda r: state_text(r.state)),
        (both("LASTED", "用时"), lambda r: lasted(r.started_at, r.ended_at)),
    ]
    columns += [(key, _metric(key)) for key in keys["metrics"][:SHOWN_KEYS]]
    columns += [(key, _parameter(key)) for key in keys["parameters"][:SHOWN_KEYS]]
    return columns


def _metric(key: str) -> Any:
    return lambda r: None if r.metrics.get(key) is None else f"{r.metrics[key]:.6g}"


def _parameter(key: str) -> Any:
    return lambda r: (r.parameters.get(key) or "")[:40]
