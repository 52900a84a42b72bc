"""`tidemill infer`"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tidemill.cli.completing import complete_asset, complete_inference, complete_spec
from tidemill.cli.mapping import mapping_of, mapping_option
from tidemill.cli.output import Column, Size, print_json, print_table
from tidemill.cli.progress import Display
from tidemill.cli.run import Run, confirm, list_options, with_run, yes_option
from tidemill.cli.running import STATES, LogWish, ending_fields, log_options, show_log, state_text, wait_or_tell
from tidemill.cli.shell import Group
from tidemill.cli.sizes import PairType, typed
from tidemill.cli.waiting import wait_option
from tidemill.cli.words import both, text

if TYPE_CHECKING:
    from tidemill.sdk.inference_views import Inference, InferenceResult, InferenceRun

ITEM_STATES = click.Choice(["unlabelled", "labelled", "suggested", "rework", "reviewed", "aside"])
FORMATS = click.Choice(["json", "jsonl", "csv", "coco"])

COLUMNS: "list[Column[Inference]]" = [
    (both("NAME", "名称"), lambda i: i.name),
    (both("SOURCE", "来源"), lambda i: _source(i.settings)),
    (both("DATA", "数据"), lambda i: i.settings.get("dataset") or i.settings.get("datasets")),
    (both("RUNS", "运行次数"), lambda i: i.runs_count),
    (both("LAST", "最近状态"), lambda i: state_text(i.last_run.state) if i.last_run else None),
    (both("BY", "创建者"), lambda i: i.created_by),
    (both("UPDATED", "更新时间"), lambda i: i.updated_at),
]
RUN_COLUMNS: "list[Column[InferenceRun]]" = [
    (both("RUN", "运行"), lambda r: r.name),
    (both("STATE", "状态"), lambda r: state_text(r.state)),
    (both("SOURCE", "来源"), lambda r: r.source),
    (both("DATA", "数据"), lambda r: r.dataset),
    (both("DONE", "已完成"), lambda r: _done(r)),
    (both("ITEMS/S", "条/秒"), lambda r: r.rate),
    (both("ERRORS", "错误"), lambda r: r.errors),
    (both("CREATED", "创建时间"), lambda r: r.created_at),
]
RESULT_COLUMNS: "list[Column[InferenceResult]]" = [
    (both("ITEM", "条目"), lambda r: r.seq),
    (both("PATH", "路径"), lambda r: r.path),
    (both("LABEL", "标签"), lambda r: r.label),
    (both("SCORE", "得分"), lambda r: None if r.score is None else f"{r.score:.3f}"),
    (both("FOUND", "数量"), lambda r: len(r.annotations)),
    (both("ERROR", "错误"), lambda r: r.error),
]
MAPPING_COLUMNS: list[Column[dict[str, Any]]] = [
    (both("FOUND", "结果标签"), lambda m: m["name"]),
    (both("DATASET", "数据集标签"), lambda m: (m["suggested"] or {}).get("name")),
    (both("WHY", "依据"), lambda m: text(f"cli_mapping_{m['reason'] or 'none'}")),
]


@click.group(
    cls=Group, help=both("Batch inference: over a dataset, with or without code.", "批量推理：有代码或无代码。")
)
def infer() -> None:
    """Gathers the commands below."""


def _options(function: Any) -> Any:
    """The settings of an entry, of both forms."""
    for option in reversed(
        (
            click.option(
                "--model", "models", multiple=True, metavar="REF", shell_complete=complete_asset("model"),
                help=both("The model; with a command may be repeated.", "模型；使用命令时可重复。"),
            ),
            click.option("--service", metavar="NAME", help=both("An online service instead.", "改用在线服务。")),
            click.option("--address", metavar="URL", help=both("Or an address.", "或服务地址。")),
            click.option(
                "--dataset", "datasets", multiple=True, metavar="REF", shell_complete=complete_asset("dataset"),
                help=both("The dataset; with a command may be repeated.", "数据集；使用命令时可重复。"),
            ),
            click.option("--threshold", type=click.FloatRange(0, 1), help=both("How sure at least.", "置信度。")),
            click.option(
                "--state", "states", multiple=True, type=ITEM_STATES,
                help=both("Only such items; may be repeated.", "仅处理这些状态的条目，可重复。"),
            ),
            click.option("--workers", type=click.IntRange(1, 64), help=both("Processes at once.", "并行进程数。")),
            click.option(
                "--in-flight", type=click.IntRange(1, 64),
                help=both("Requests to a service at once.", "同时发往服务的请求数。"),
            ),
            click.option("--command", metavar="TEXT", help=both("Run a command of yours.", "执行自己的命令。")),
            click.option(
                "--algorithm", metavar="REF", shell_complete=complete_asset("algorithm"),
                help=both("Where the command begins.", "命令所在的算法。"),
            ),
            click.option("--image", metavar="NAME:VERSION", help=both("What it runs in.", "运行镜像。")),
            click.option(
                "--launcher", type=click.Choice(["command", "torchrun", "mpirun"]),
                help=both("How processes are started.", "进程启动方式。"),
            ),
            click.option("--nodes", type=click.IntRange(1), help=both("How many nodes.", "节点数量。")),
            click.option("--spec", shell_complete=complete_spec, help=both("Size of a node.", "节点规格。")),
            click.option(
                "--priority", type=click.Choice(["low", "normal", "high"]), help=both("In the queue.", "队列优先级。")
            ),
            click.option("--retries", type=click.IntRange(0), help=both("After a failure.", "失败重试次数。")),
            click.option(
                "--time-limit", "time_limit_s", type=click.FloatRange(0, min_open=True), metavar="SECONDS",
                help=both("Ends after so long.", "运行时间上限（秒）。"),
            ),
            click.option(
                "--env", "environment", type=PairType(), multiple=True,
                help=both("Environment variable; may be repeated.", "环境变量，可重复。"),
            ),
            click.option(
                "--set", "parameters", type=PairType(), multiple=True,
                help=both("Parameter; may be repeated.", "参数，可重复。"),
            ),
            click.option("--scene", help=both("What it is for, such as ocr.", "场景，如 ocr。")),
            click.option("--description", metavar="TEXT", help=both("Description.", "描述。")),
        )
    ):  # fmt: skip
        function = option(function)
    return function


_NAME = click.argument("name", shell_complete=complete_inference)
_RUN = click.option(
    "--run", "number", default="0", metavar="N", help=both("Which run; the newest.", "第几次运行；默认最新。")
)


@infer.command("create", help=both("Make an entry.", "创建批量推理。"))
@click.argument("name")
@_options
@with_run
def create(run: Run, name: str, scene: str | None, description: str | None, **given: Any) -> None:
    made = run.client.inferences.create(name, _settings(given, {}), scene=scene, description=description)
    run.done(made, "cli_created", name=made.name)


@infer.command("list", help=both("Entries of the project.", "项目的批量推理。"))
@click.option("--mine", is_flag=True, help=both("Only your own.", "仅自己的。"))
@click.option("--form", type=click.Choice(["code", "model"]), help=both("With or without code.", "有代码或无代码。"))
@click.option("--state", type=STATES, help=both("Of the newest run.", "最近运行的状态。"))
@click.option("--scene", help=both("Only of this scene.", "仅此场景。"))
@list_options("name, created_at, updated_at")
@with_run
def list_entries(run: Run, q: str | None, sort: str | None, options: Any, mine: bool, **filters: Any) -> None:
    run.show_list(run.client.inferences.list(q=q, sort=sort, mine=mine or None, **filters), COLUMNS, options)


@infer.command("show", help=both("An entry, or one of its runs.", "查看批量推理或其运行。"))
@_NAME
@click.option("--run", "number", metavar="N", help=both("One of its runs.", "某次运行。"))
@with_run
def show(run: Run, name: str, number: str | None) -> None:
    if number is not None:
        found = run.client.inferences.run(name, number)
        run.show(found, _run_fields(found))
        return
    entry = run.client.inferences.get(name)
    told = [(key, value) for key, value in entry.settings.items() if value not in (None, [], {})]
    run.show(
        entry,
        [
            (both("Name", "名称"), entry.name),
            (both("Scene", "场景"), entry.scene),
            (both("Description", "描述"), entry.description),
            *[(key, _source(entry.settings) if key == "source" else value) for key, value in told],
            (both("Runs", "运行次数"), entry.runs_count),
            (both("Last run", "最近运行"), entry.last_run.name if entry.last_run else None),
            (both("Created", "创建"), entry.created_at),
            (both("By", "创建者"), entry.created_by),
        ],
    )


@infer.command("edit", help=both("Change an entry; runs keep what they had.", "修改条目；已有运行不受影响。"))
@_NAME
@click.option("--name", "new_name", metavar="NAME", help=both("New name.", "新名称。"))
@_options
@with_run
def edit(run: Run, name: str, new_name: str | None, scene: str | None, description: str | None, **given: Any) -> None:
    changes: dict[str, Any] = {"name": new_name, "scene": scene, "description": description}
    changes = {key: value for key, value in changes.items() if value is not None}
    if any(value not in (None, ()) for value in given.values()):
        changes["settings"] = _settings(given, run.client.inferences.get(name).settings)
    if not changes:
        raise click.UsageError(text("cli_nothing_to_change"), click.get_current_context())
    changed = run.client.inferences.update(name, **changes)
    run.done(changed, "cli_changed", name=changed.name)


@infer.command("copy", help=both("A new entry with the same settings.", "以相同设置创建新条目。"))
@click.argument("source", shell_complete=complete_inference)
@click.argument("name")
@with_run
def copy(run: Run, source: str, name: str) -> None:
    made = run.client.inferences.copy(source, name)
    run.done(made, "cli_created", name=made.name)


@infer.command("delete", help=both("Delete an entry without runs, or a run.", "删除没有运行的条目，或某次运行。"))
@_NAME
@click.option("--run", "number", metavar="N", help=both("Only this run.", "仅删除此次运行。"))
@yes_option
@with_run
def delete(run: Run, name: str, number: str | None, yes: bool) -> None:
    shown = name if number is None else f"{name}-{number}"
    confirm(yes, "cli_confirm_delete", name=shown)
    if number is None:
        run.client.inferences.delete(name)
    else:
        run.client.inferences.delete_run(name, number)
    run.done(None, "cli_deleted", name=shown)


@infer.command("start", help=both("Start a run.", "启动一次运行。"))
@_NAME
@click.option("--dataset", metavar="REF", help=both("Another dataset, for this run.", "本次运行的数据集。"))
@click.option("--threshold", type=click.FloatRange(0, 1), help=both("For this run.", "本次运行的阈值。"))
@click.option("--spec", shell_complete=complete_spec, help=both("Another size, for this run.", "本次运行的规格。"))
@click.option("--priority", type=click.Choice(["low", "normal", "high"]), help=both("For this run.", "本次优先级。"))
@click.option("--service-token", metavar="TOKEN", help=both("For a service at an address.", "服务地址所需的令牌。"))
@wait_option
@with_run
def start(run: Run, name: str, service_token: str | None, wait: bool, **changes: Any) -> None:
    _finish(run, run.client.inferences.start(name, token=service_token, **changes), wait)


@infer.command("stop", help=both("Stop a run.", "停止运行。"))
@_NAME
@_RUN
@with_run
def stop(run: Run, name: str, number: str) -> None:
    stopped = run.client.inferences.stop(name, _number(number))
    run.done(stopped, "cli_changed", name=stopped.name)


@infer.command("resume", help=both("Go on with a run where it stopped.", "从中断处继续运行。"))
@_NAME
@_RUN
@click.option("--service-token", metavar="TOKEN", help=both("For a service at an address.", "服务地址所需的令牌。"))
@wait_option
@with_run
def resume(run: Run, name: str, number: str, service_token: str | None, wait: bool) -> None:
    _finish(run, run.client.inferences.resume(name, _number(number), token=service_token), wait)


@infer.command("runs", help=both("Runs of an entry.", "条目的运行。"))
@_NAME
@click.option("--state", type=STATES, help=both("Only in this state.", "仅此状态。"))
@list_options("", search=False)
@with_run
def runs(run: Run, name: str, state: str | None, options: Any) -> None:
    run.show_list(run.client.inferences.runs(name, state=state), RUN_COLUMNS, options)


@infer.command("results", help=both("What a run found.", "运行结果。"))
@_NAME
@_RUN
@click.option("--label", help=both("Only items with this label.", "仅含此标签的条目。"))
@click.option("--min-score", type=click.FloatRange(0, 1), help=both("At least so sure.", "最低得分。"))
@click.option("--max-score", type=click.FloatRange(0, 1), help=both("At most so sure.", "最高得分。"))
@click.option("--errors", is_flag=True, help=both("Only items that failed.", "仅出错的条目。"))
@list_options("seq, score")
@with_run
def results(
    run: Run, name: str, number: str, q: str | None, sort: str | None, options: Any, errors: bool, **filters: Any
) -> None:
    found = run.client.inferences.results(name, _number(number), q=q, sort=sort, errors=errors or None, **filters)
    run.show_list(found, RESULT_COLUMNS, options)


@infer.command("download", help=both("All results as a file.", "下载全部结果。"))
@_NAME
@_RUN
@click.option("--format", "form", type=FORMATS, default="json", help=both("Of the file.", "文件格式。"))
@click.option("--threshold", type=click.FloatRange(0, 1), help=both("Only what is as sure.", "置信度阈值。"))
@click.option(
    "--output", "-o", "target", required=True, type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help=both("Where to.", "保存位置。"),
)  # fmt: skip
@with_run
def download(run: Run, name: str, number: str, form: str, threshold: float | None, target: Path) -> None:
    saved = run.client.inferences.download(name, target, _number(number), format=form, threshold=threshold)
    run.done({"path": str(saved)}, "cli_saved", file=saved)


def _target_options(function: Any) -> Any:
    """Where results go."""
    function = click.option("--dataset", metavar="REF", help=both("The draft, for suggestions.", "建议写入的草稿。"))(
        function
    )
    return click.option(
        "--as", "form", type=click.Choice(["suggestions", "version"]), default="suggestions",
        help=both("Suggestions of a draft, or a new version.", "草稿中的建议，或新版本。"),
    )(function)  # fmt: skip


@infer.command("labels", help=both("What the labels found seem to mean in a dataset.", "结果标签与数据集标签的对应。"))
@_NAME
@_RUN
@_target_options
@with_run
def show_labels(run: Run, name: str, number: str, form: str, dataset: str | None) -> None:
    found = run.client.inferences.mapping(name, _number(number), form=form, dataset=dataset)
    if run.as_json:
        print_json(found)
        return
    print_table(MAPPING_COLUMNS, found["labels"])


@infer.command("write-back", help=both("Write results into a dataset.", "将结果写回数据集。"))
@_NAME
@_RUN
@_target_options
@mapping_option
@click.option("--threshold", type=click.FloatRange(0, 1), help=both("Only what is as sure.", "置信度阈值。"))
@click.option("--replace", is_flag=True, help=both("Also annotated items, in a new version.", "新版本中替换已有标注。"))
@click.option("--no-labels", is_flag=True, help=both("Make no labels.", "不新建标签。"))
@click.option("--note", help=both("Of the new version.", "新版本说明。"))
@wait_option
@with_run
def write_back(
    run: Run,
    name: str,
    number: str,
    form: str,
    mapping: tuple[tuple[str, str], ...],
    replace: bool,
    no_labels: bool,
    wait: bool,
    **options: Any,
) -> None:
    found = run.client.inferences.write_back(
        name,
        _number(number),
        form=form,
        mapping=mapping_of(mapping),
        existing="replace" if replace else None,
        make_labels=False if no_labels else None,
        **options,
    )
    if wait:
        display = Display()
        try:
            found = run.client.inferences.wait_written(
                name, found, watch=lambda now: display.say(now.state, text(f"cli_back_{now.state}"), str(now.done))
            )
        finally:
            display.close()
        if found.state != "done":
            if run.as_json:
                print_json(found.raw)
            raise click.ClickException((found.error or {}).get("message") or text(f"cli_back_{found.state}"))
        written = found.counts.get("written", 0)
        run.done(found, "cli_written_back", dataset=f"{found.dataset}@{found.version}", count=written)
        return
    run.done(found, "cli_writing_back", dataset=found.dataset)


@infer.command("logs", help=both("What a run wrote.", "运行的输出。"))
@_NAME
@_RUN
@log_options
@with_run
def logs(run: Run, name: str, number: str, wish: LogWish) -> None:
    show_log(run, run.client.inferences.run(name, _number(number)).workload_id, wish)


def _finish(run: Run, started: "InferenceRun", wait: bool) -> None:
    wait_or_tell(run, started, run.client.inferences.wait if wait else None, "cli_infer_started")


def _number(given: str) -> str | int:
    return 0 if given == "0" else given


def _settings(given: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """Options as the API wants them, over what was there."""
    told = {name: value for name, value in given.items() if value is not None and value != ()}
    models, datasets = list(told.pop("models", ())), list(told.pop("datasets", ()))
    service, url = told.pop("service", None), told.pop("address", None)
    for name, make in (("environment", dict), ("parameters", typed), ("states", list)):
        if name in told:
            told[name] = make(told[name])
    form = "code" if "command" in told or (before.get("form") == "code" and not (service or url)) else "model"
    kept = {name: value for name, value in before.items() if value is not None} if before.get("form") == form else {}
    if form == "code":
        told |= {name: value for name, value in (("models", models), ("datasets", datasets)) if value}
        return {**kept, **told, "form": form}
    in_flight = told.pop("in_flight", None)
    if service or url:
        told["source"] = {"type": "service", "service": service, "url": url, "model": models[0] if models else None}
    elif models:
        told["source"] = {"type": "model", "model": models[0]}
    if datasets:
        told["dataset"] = datasets[0]
    made = {**kept, **told, "form": form}
    if isinstance(made.get("source"), dict):
        if in_flight is not None:
            made["source"] = {**made["source"], "in_flight": in_flight}
        made["source"] = {name: value for name, value in made["source"].items() if value is not None}
    for name, option in (("source", "--model"), ("dataset", "--dataset")):
        if name not in made:
            raise click.UsageError(text("cli_infer_needs", option=option), click.get_current_context())
    return made


def _source(settings: dict[str, Any]) -> Any:
    source = settings.get("source") or {}
    return source.get("service") or source.get("url") or source.get("model") or settings.get("models")


def _done(run: "InferenceRun") -> str:
    return f"{run.done}/{run.total}" if run.total else str(run.done or "")


def _run_fields(found: "InferenceRun") -> list[tuple[str, Any]]:
    return [
        (both("Name", "名称"), found.name),
        *ending_fields(found),
        (both("Source", "来源"), found.source),
        (both("Data", "数据"), found.dataset),
        (both("Done", "已完成"), _done(found)),
        (both("Items/s", "条/秒"), found.rate),
        (both("Remaining", "剩余秒数"), found.remaining_s),
        (both("Errors", "错误"), found.errors),
        (both("Annotations", "标注"), found.annotations),
        (both("Classes", "类别"), [f"{one['label']}={one['items']}" for one in found.classes[:20]]),
        (both("Size", "大小"), Size(found.size_bytes)),
        (both("Created", "创建"), found.created_at),
        (both("By", "创建者"), found.created_by),
        (both("Started", "开始"), found.started_at),
        (both("Ended", "结束"), found.ended_at),
    ]
