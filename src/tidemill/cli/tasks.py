"""`tidemill task`"""

from typing import Any

import click

from tidemill.cli.completing import complete_asset, complete_spec, complete_task
from tidemill.cli.output import Column
from tidemill.cli.run import Run, confirm, list_options, with_run, yes_option
from tidemill.cli.running import state_text, wait_or_tell
from tidemill.cli.shell import Group
from tidemill.cli.sizes import PairType, typed
from tidemill.cli.waiting import wait_option
from tidemill.cli.words import both, text
from tidemill.sdk.work_views import Task

COLUMNS: list[Column[Task]] = [
    (both("NAME", "名称"), lambda t: t.name),
    (both("ALGORITHM", "算法"), lambda t: t.algorithm),
    (both("SPEC", "规格"), lambda t: t.spec),
    (both("NODES", "节点"), lambda t: t.nodes),
    (both("RUNS", "运行次数"), lambda t: t.runs_count),
    (both("LAST", "最近状态"), lambda t: state_text(t.last_run.state) if t.last_run else None),
    (both("BY", "创建者"), lambda t: t.created_by),
    (both("UPDATED", "更新时间"), lambda t: t.updated_at),
]


@click.group(cls=Group, help=both("Training tasks: create, start, copy, delete.", "训练任务：创建、启动、复制、删除。"))
def task() -> None:
    """Gathers the commands below."""


def task_options(function: Any) -> Any:
    """The settings of a task."""
    for option in reversed(
        (
            click.option(
                "--algorithm",
                metavar="REF",
                shell_complete=complete_asset("algorithm"),
                help=both("NAME, NAME@3 or public/NAME.", "NAME、NAME@3 或 public/NAME。"),
            ),
            click.option(
                "--model",
                "models",
                multiple=True,
                metavar="REF",
                shell_complete=complete_asset("model"),
                help=both("A model to start from; may be repeated.", "起始模型，可重复。"),
            ),
            click.option(
                "--input",
                "inputs",
                multiple=True,
                metavar="KIND:REF",
                help=both("Such as algorithm:common@2; may be repeated.", "如 algorithm:common@2，可重复。"),
            ),
            click.option("--image", metavar="NAME:VERSION", help=both("What it runs in.", "运行镜像。")),
            click.option("--spec", shell_complete=complete_spec, help=both("Size of a node.", "节点规格。")),
            click.option("--nodes", type=click.IntRange(1), help=both("How many nodes.", "节点数量。")),
            click.option(
                "--launcher",
                type=click.Choice(["command", "torchrun", "mpirun"]),
                help=both("How processes are started.", "进程启动方式。"),
            ),
            click.option(
                "--processes-per-node",
                type=click.IntRange(1),
                help=both("For torchrun and mpirun.", "用于 torchrun 与 mpirun。"),
            ),
            click.option("--save-model", metavar="NAME", help=both("Model to save into.", "保存到的模型。")),
            click.option(
                "--priority", type=click.Choice(["low", "normal", "high"]), help=both("In the queue.", "队列优先级。")
            ),
            click.option(
                "--preemptible/--not-preemptible",
                "preemptible",
                default=None,
                help=both("May give way to what is more urgent.", "是否可被更高优先级抢占。"),
            ),
            click.option("--retries", type=click.IntRange(0), help=both("After a failure.", "失败重试次数。")),
            click.option(
                "--time-limit",
                "time_limit_s",
                type=click.FloatRange(0, min_open=True),
                metavar="SECONDS",
                help=both("Ends after so long.", "运行时间上限（秒）。"),
            ),
            click.option(
                "--window",
                metavar="HH:MM-HH:MM[@ZONE]",
                help=both("Start only between these times.", "仅在此时段内启动。"),
            ),
            click.option(
                "--env",
                "environment",
                type=PairType(),
                multiple=True,
                help=both("Environment variable; may be repeated.", "环境变量，可重复。"),
            ),
            click.option(
                "--set",
                "parameters",
                type=PairType(),
                multiple=True,
                help=both("Parameter, such as lr=0.1; may be repeated.", "参数，如 lr=0.1，可重复。"),
            ),
            click.option("--description", metavar="TEXT", help=both("Description.", "描述。")),
        )
    ):
        function = option(function)
    return function


@task.command("create", help=both("Make a training task.", "创建训练任务。"))
@click.argument("name")
@click.option("--command", required=True, metavar="TEXT", help=both("What is run.", "要执行的命令。"))
@task_options
@with_run
def create(run: Run, name: str, command: str, **given: Any) -> None:
    made = run.client.tasks.create(name, command, **_settings(given))
    run.done(made, "cli_created", name=made.name)


@task.command("list", help=both("Training tasks of the project.", "项目的训练任务。"))
@list_options("name, created_at, updated_at")
@with_run
def list_tasks(run: Run, q: str | None, sort: str | None, options: Any) -> None:
    run.show_list(run.client.tasks.list(q=q, sort=sort), COLUMNS, options)


@task.command("show", help=both("One training task.", "查看训练任务。"))
@click.argument("name", shell_complete=complete_task)
@with_run
def show(run: Run, name: str) -> None:
    found = run.client.tasks.get(name)
    run.show(found, [(both("Name", "名称"), found.name), *settings_fields(found), *_more_fields(found)])


@task.command("edit", help=both("Change a task; runs keep what they had.", "修改任务；已有运行不受影响。"))
@click.argument("name", shell_complete=complete_task)
@click.option("--name", "new_name", metavar="NAME", help=both("New name.", "新名称。"))
@click.option("--command", metavar="TEXT", help=both("What is run.", "要执行的命令。"))
@task_options
@with_run
def edit(run: Run, name: str, new_name: str | None, command: str | None, **given: Any) -> None:
    changes = _settings({**given, "command": command, "name": new_name})
    if not changes:
        raise click.UsageError(text("cli_nothing_to_change"), click.get_current_context())
    changed = run.client.tasks.update(name, **changes)
    run.done(changed, "cli_changed", name=changed.name)


@task.command("start", help=both("Start a run of a task.", "启动任务的一次运行。"))
@click.argument("name", shell_complete=complete_task)
@click.option(
    "--set",
    "parameters",
    type=PairType(),
    multiple=True,
    help=both("Parameter for this run; may be repeated.", "本次运行的参数，可重复。"),
)
@click.option("--spec", shell_complete=complete_spec, help=both("Another size, for this run.", "本次运行的规格。"))
@click.option("--priority", type=click.Choice(["low", "normal", "high"]), help=both("For this run.", "本次优先级。"))
@wait_option
@with_run
def start(
    run: Run,
    name: str,
    parameters: tuple[tuple[str, str], ...],
    spec: str | None,
    priority: str | None,
    wait: bool,
) -> None:
    runs = run.client.runs
    started = run.client.tasks.start(name, parameters=typed(parameters), spec=spec, priority=priority)
    wait_or_tell(run, started, runs.wait if wait else None, "cli_run_started")


@task.command("copy", help=both("A new task with the same settings.", "以相同设置创建新任务。"))
@click.argument("source", shell_complete=complete_task)
@click.argument("name")
@with_run
def copy(run: Run, source: str, name: str) -> None:
    made = run.client.tasks.copy(source, name)
    run.done(made, "cli_created", name=made.name)


@task.command("delete", help=both("Delete a task that has no runs.", "删除没有运行记录的任务。"))
@click.argument("name", shell_complete=complete_task)
@yes_option
@with_run
def delete(run: Run, name: str, yes: bool) -> None:
    confirm(yes, "cli_confirm_delete", name=name)
    run.client.tasks.delete(name)
    run.done(None, "cli_deleted", name=name)


def settings_fields(found: Any) -> list[tuple[str, Any]]:
    """A task's settings, or those a run was started with."""
    return [
        (both("Algorithm", "算法"), found.algorithm),
        (both("Models", "模型"), found.models),
        (both("Inputs", "其他输入"), found.inputs),
        (both("Image", "镜像"), found.image),
        (both("Spec", "规格"), found.spec),
        (both("Nodes", "节点"), found.nodes),
        (both("Launcher", "启动方式"), found.launcher),
        (both("Command", "命令"), found.command),
        (both("Saves into", "保存到模型"), found.save_model),
        (both("Priority", "优先级"), found.priority),
        (both("Retries", "重试次数"), found.retries),
        (both("Parameters", "参数"), [f"{name}={value}" for name, value in found.parameters.items()]),
    ]


def _more_fields(found: Task) -> list[tuple[str, Any]]:
    return [
        (both("Description", "描述"), found.description),
        (both("Runs", "运行次数"), found.runs_count),
        (both("Last run", "最近运行"), found.last_run.name if found.last_run else None),
        (both("Created", "创建"), found.created_at),
        (both("By", "创建者"), found.created_by),
    ]


def _settings(given: dict[str, Any]) -> dict[str, Any]:
    """Options as the API wants them; those left out are left out."""
    found = {name: value for name, value in given.items() if value is not None and value != ()}
    for name in ("models", "inputs"):
        if name in found:
            found[name] = list(found[name])
    if "environment" in found:
        found["environment"] = dict(found["environment"])
    if "parameters" in found:
        found["parameters"] = typed(found["parameters"])
    if "window" in found:
        found["window"] = _window(found["window"])
    return found


def _window(given: str) -> dict[str, str]:
    times, _, zone = given.partition("@")
    start, dash, end = times.partition("-")
    if not dash:
        raise click.BadParameter(text("cli_window_invalid", given=given), param_hint="--window")
    return {"start": start, "end": end, **({"zone": zone} if zone else {})}
