"""`tidemill run`"""

from pathlib import Path
from typing import Any

import click

from tidemill.cli.completing import complete_run, complete_task
from tidemill.cli.output import Column, Size
from tidemill.cli.run import Run, confirm, list_options, with_run, yes_option
from tidemill.cli.running import (
    EVENT_COLUMNS,
    STATES,
    LogWish,
    ending_fields,
    lasted,
    log_options,
    show_log,
    state_text,
    wait_or_tell,
)
from tidemill.cli.shell import Group
from tidemill.cli.tasks import settings_fields
from tidemill.cli.waiting import wait_option
from tidemill.cli.words import both, text
from tidemill.sdk import work_views
from tidemill.sdk.work_views import RunFile, Series

COLUMNS: list[Column[work_views.Run]] = [
    (both("NAME", "名称"), lambda r: r.name),
    (both("EXPERIMENT", "实验"), lambda r: r.experiment),
    (both("TASK", "任务"), lambda r: r.task),
    (both("STATE", "状态"), lambda r: state_text(r.state)),
    (both("ATTEMPT", "次数"), lambda r: r.attempt),
    (both("MODEL", "模型"), lambda r: r.model),
    (both("BY", "创建者"), lambda r: r.created_by),
    (both("CREATED", "创建时间"), lambda r: r.created_at),
    (both("LASTED", "用时"), lambda r: lasted(r.started_at, r.ended_at)),
]
METRIC_COLUMNS: list[Column[Series]] = [
    (both("KEY", "指标"), lambda s: s.key),
    (both("STEP", "步"), lambda s: s.last_step),
    (both("LAST", "最新"), lambda s: _short(s.last)),
    (both("MIN", "最小"), lambda s: _short(s.min)),
    (both("MAX", "最大"), lambda s: _short(s.max)),
    (both("POINTS", "点数"), lambda s: s.count),
    (both("SOURCE", "来源"), lambda s: s.source),
]
FILE_COLUMNS: list[Column[RunFile]] = [
    (both("NAME", "名称"), lambda f: f.name + ("/" if f.type == "dir" else "")),
    (both("SIZE", "大小"), lambda f: Size(f.size_bytes) if f.type == "file" else None),
    (both("UPDATED", "更新时间"), lambda f: f.updated_at),
]


@click.group(cls=Group, help=both("Runs of training tasks.", "训练任务的运行。"))
def run_group() -> None:
    """Gathers the commands below."""


@run_group.command("list", help=both("Runs of the project, newest first.", "项目的运行，最新在前。"))
@click.option("--task", shell_complete=complete_task, help=both("Only of this task.", "按任务筛选。"))
@click.option("--state", type=STATES, help=both("Only this state.", "按状态筛选。"))
@list_options("name, created_at")
@with_run
def list_runs(run: Run, task: str | None, state: str | None, q: str | None, sort: str | None, options: Any) -> None:
    run.show_list(run.client.runs.list(task=task, state=state, q=q, sort=sort), COLUMNS, options)


@run_group.command("show", help=both("One run.", "查看运行。"))
@click.argument("name", shell_complete=complete_run)
@with_run
def show(run: Run, name: str) -> None:
    found = run.client.runs.get(name)
    waiting = found.workload.waiting.text if found.workload and found.workload.waiting else None
    run.show(
        found,
        [
            (both("Name", "名称"), found.name),
            (both("Experiment", "实验"), found.experiment),
            (both("Task", "任务"), found.task),
            *ending_fields(found),
            (both("Waits because", "等待原因"), waiting),
            (both("Resumed from", "继续自"), found.resumed_from),
            (both("Metrics", "指标"), [f"{key}={_short(value)}" for key, value in found.metrics.items()]),
            (both("Model", "模型"), found.model),
            *(settings_fields(found.settings) if found.task else _outside_fields(found)),
            (both("Created", "创建"), found.created_at),
            (both("By", "创建者"), found.created_by),
            (both("Started", "开始"), found.started_at),
            (both("Ended", "结束"), found.ended_at),
        ],
    )


@run_group.command("logs", help=both("What a run wrote.", "运行的输出。"))
@click.argument("name", shell_complete=complete_run)
@log_options
@with_run
def logs(run: Run, name: str, wish: LogWish) -> None:
    workload, attempt = run.client.runs.find_attempt(name, wish.attempt)
    show_log(run, workload, wish, attempt=attempt)


@run_group.command("events", help=both("Every move a run made.", "运行的状态变化。"))
@click.argument("name", shell_complete=complete_run)
@list_options("", search=False)
@with_run
def events(run: Run, name: str, options: Any) -> None:
    run.show_list(run.client.runs.events(name), EVENT_COLUMNS, options)


@run_group.command("metrics", help=both("A run's curves.", "运行的指标曲线。"))
@click.argument("name", shell_complete=complete_run)
@click.option("--key", "keys", multiple=True, help=both("Only this; may be repeated.", "仅此指标，可重复。"))
@click.option(
    "--points",
    type=click.IntRange(1, 20000),
    help=both("Points a curve, with --json.", "每条曲线的点数（配合 --json）。"),
)
@with_run
def metrics(run: Run, name: str, keys: tuple[str, ...], points: int | None) -> None:
    run.show_rows(run.client.runs.metrics(name, keys or None, points=points), METRIC_COLUMNS)


@run_group.command("wait", help=both("Wait until a run has ended.", "等待运行结束。"))
@click.argument("name", shell_complete=complete_run)
@with_run
def wait_run(run: Run, name: str) -> None:
    runs = run.client.runs
    wait_or_tell(run, runs.get(name), runs.wait, "cli_work_done")


@run_group.command("stop", help=both("Stop a run.", "停止运行。"))
@click.argument("name", shell_complete=complete_run)
@with_run
def stop(run: Run, name: str) -> None:
    found = run.client.runs.stop(name)
    run.done(found, "cli_stopping_now", name=found.name)


@run_group.command(
    "resume",
    help=both("Go on with a run that has ended, from its newest checkpoint.", "从最新检查点继续已结束的运行。"),
)
@click.argument("name", shell_complete=complete_run)
@wait_option
@with_run
def resume(run: Run, name: str, wait: bool) -> None:
    runs = run.client.runs
    wait_or_tell(run, runs.resume(name), runs.wait if wait else None, "cli_run_started")


@run_group.command("files", help=both("What a run left in its workspace.", "运行工作目录中的文件。"))
@click.argument("name", shell_complete=complete_run)
@click.argument("path", default="")
@click.option(
    "--output",
    "-o",
    "target",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=both("Fetch the file at PATH.", "下载 PATH 处的文件。"),
)
@click.option(
    "--logged",
    is_flag=True,
    help=both("Files that were logged to it instead.", "改为查看记录到该运行的文件。"),
)
@list_options("", search=True)
@with_run
def files(run: Run, name: str, path: str, target: Path | None, logged: bool, q: str | None, options: Any) -> None:
    runs = run.client.runs
    if target is None:
        found = runs.logged_files(name, path, q=q) if logged else runs.files(name, path, q=q)
        run.show_list(found, FILE_COLUMNS, options)
        return
    saved = (runs.download_logged if logged else runs.download)(name, path, target)
    run.done({"path": str(saved)}, "cli_saved", file=saved)


@run_group.command("compare", help=both("One metric of several runs.", "比较多次运行的同一指标。"))
@click.argument("names", nargs=-1, required=True, shell_complete=complete_run)
@click.option("--key", help=both("Which; the commonest when left out.", "指标；缺省为最常见的指标。"))
@with_run
def compare(run: Run, names: tuple[str, ...], key: str | None) -> None:
    answer = run.client.runs.compare(names, key)
    rows = [(item["name"], _short((item["series"] or {}).get("last"))) for item in answer["runs"]]
    run.show(answer, [(answer["key"] or both("(no metrics)", "（无指标）"), ""), *rows])


@run_group.command("tensorboard", help=both("Open TensorBoard for a run.", "打开运行的 TensorBoard。"))
@click.argument("name", shell_complete=complete_run)
@with_run
def tensorboard(run: Run, name: str) -> None:
    found = run.client.runs.tensorboard(name)
    run.show(found, [(both("State", "状态"), text(f"cli_tensorboard_{found['state']}")), ("URL", found["url"])])


@run_group.command("delete", help=both("Delete a run that has ended.", "删除已结束的运行。"))
@click.argument("name", shell_complete=complete_run)
@yes_option
@with_run
def delete(run: Run, name: str, yes: bool) -> None:
    confirm(yes, "cli_confirm_delete", name=name)
    run.client.runs.delete(name)
    run.done(None, "cli_deleted", name=name)


@run_group.command("tag", help=both("Set or remove tags of a run.", "设置或移除运行的标签。"))
@click.argument("name", shell_complete=complete_run)
@click.argument("tags", nargs=-1, required=True, metavar="KEY=VALUE…")
@with_run
def tag(run: Run, name: str, tags: tuple[str, ...]) -> None:
    words = {key: value if equals else None for key, equals, value in (text.partition("=") for text in tags)}
    found = run.client.runs.update(name, tags=words)
    run.done(found, "cli_changed", name=found.name)


def _outside_fields(found: work_views.Run) -> list[tuple[str, Any]]:
    return [
        (both("Parameters", "参数"), [f"{name}={value}" for name, value in found.parameters.items()]),
        (both("Tags", "标签"), [f"{name}={value}" for name, value in found.tags.items() if "\n" not in value]),
        (both("Logged files", "记录的文件"), found.files_count),
    ]


def _short(value: float | None) -> str | None:
    return None if value is None else f"{value:.6g}"
