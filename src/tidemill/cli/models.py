"""`tidemill train`, `evaluate`, `evaluation`, `catalogue`."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tidemill.cli.output import Column, Size, print_fields, print_json, print_table
from tidemill.cli.progress import Display
from tidemill.cli.run import Run, confirm, list_options, with_run, yes_option
from tidemill.cli.shell import Command, Group
from tidemill.cli.sizes import typed
from tidemill.cli.training_options import spec_option, training_options
from tidemill.cli.waiting import finish_job, wait_option
from tidemill.cli.words import both, text

if TYPE_CHECKING:
    from tidemill.sdk.model_views import CatalogueEntry, Choice, Evaluation, TrainingStarted

EVALUATION_COLUMNS: "list[Column[Evaluation]]" = [
    (both("ID", "编号"), lambda e: e.id),
    (both("MODEL", "模型"), lambda e: e.model),
    (both("DATASET", "数据集"), lambda e: e.dataset),
    (both("STATE", "状态"), lambda e: e.state),
    (both("METRIC", "指标"), lambda e: e.primary),
    (both("VALUE", "数值"), lambda e: _rounded(e.primary_value)),
    (both("CREATED", "创建时间"), lambda e: e.created_at),
]
CATALOGUE_COLUMNS: "list[Column[CatalogueEntry]]" = [
    (both("NAME", "名称"), lambda c: c.name),
    (both("TASK", "任务"), lambda c: c.task),
    (both("STATE", "状态"), lambda c: c.state),
    (both("MODEL", "模型"), lambda c: c.model),
    (both("FROM", "来源"), lambda c: c.available),
    (both("SIZE", "大小"), lambda c: Size(c.size_bytes)),
    (both("LICENCE", "许可"), lambda c: c.licence),
    (both("WHAT IT IS", "说明"), lambda c: c.title),
]
CHOICE_COLUMNS: "list[Column[Choice]]" = [
    (both("PARAMETER", "参数"), lambda c: c.name),
    (both("VALUE", "取值"), lambda c: c.value),
    (both("WHY", "原因"), lambda c: c.reason),
]


@click.command(
    "train", cls=Command, help=both("Train a model from a published dataset version.", "从已发布的数据集版本训练模型。")
)
@click.argument("dataset", metavar="DATASET[@VERSION]")
@click.option("--model", "save_model", metavar="NAME", help=both("Model to save into.", "保存到的模型。"))
@click.option(
    "--start-from",
    metavar="REF",
    help=both("A model to start from; none for scratch.", "起始模型；none 表示从零开始。"),
)
@training_options
@click.option("--plan", is_flag=True, help=both("Only say what would be done, and why.", "仅显示将采用的设置及原因。"))
@wait_option
@with_run
def train(
    run: Run,
    dataset: str,
    save_model: str | None,
    start_from: str | None,
    algorithm: str | None,
    parameters: tuple[tuple[str, str], ...],
    spec: str | None,
    time_budget_s: float | None,
    plan: bool,
    wait: bool,
) -> None:
    start = "" if start_from == "none" else start_from
    wishes: dict[str, Any] = {"algorithm": algorithm, "model": start, "spec": spec, "time_budget_s": time_budget_s}
    datasets = run.client.datasets
    if plan:
        found = datasets.plan_training(dataset, **wishes)
        if run.as_json:
            print_json(found.raw)
            return
        fields = [(both("Algorithm", "算法"), found.algorithm), (both("Start from", "起始模型"), found.model)]
        print_fields([*fields, (both("Problems", "问题"), [one["message"] for one in found.problems])])
        print_table(CHOICE_COLUMNS, found.choices)
        return
    started = datasets.train(dataset, parameters=typed(parameters), save_model=save_model, **wishes)
    if not wait:
        _tell_started(run, started)
        return
    _wait_trained(run, started)


@click.command(
    "evaluate", cls=Command, help=both("Measure a model on a labelled dataset.", "在已标注数据集上评估模型。")
)
@click.argument("model", metavar="MODEL[@VERSION]")
@click.argument("dataset", metavar="DATASET[@VERSION]")
@click.option(
    "--part", type=click.Choice(["test", "all"]), help=both("What was kept apart, or all.", "测试部分或全部。")
)
@click.option("--threshold", type=click.FloatRange(0, 1), help=both("What counts as found.", "判定阈值。"))
@spec_option
@click.option("--wait/--no-wait", default=True, help=both("Wait until it is done (default).", "等待完成（默认）。"))
@with_run
def evaluate(
    run: Run, model: str, dataset: str, part: str | None, threshold: float | None, spec: str | None, wait: bool
) -> None:
    evaluations = run.client.evaluations
    found = evaluations.create(model, dataset, part=part, threshold=threshold, spec=spec)
    if not wait:
        run.done(found, "cli_evaluation_begun", id=found.id)
        return
    _show_evaluation(run, _wait_evaluated(run, found))


@click.group(cls=Group, help=both("Evaluations: list, show, compare, delete.", "评估：列表、查看、比较、删除。"))
def evaluation() -> None:
    """Gathers the commands below."""


@evaluation.command("list", help=both("Evaluations of the project.", "项目中的评估。"))
@click.option("--model", metavar="REF", help=both("Of this model.", "按模型筛选。"))
@click.option("--dataset", metavar="REF", help=both("On this dataset.", "按数据集筛选。"))
@list_options("created_at, primary_value", search=False)
@with_run
def list_evaluations(run: Run, model: str | None, dataset: str | None, sort: str | None, options: Any) -> None:
    run.show_list(run.client.evaluations.list(model=model, dataset=dataset, sort=sort), EVALUATION_COLUMNS, options)


@evaluation.command("show", help=both("One evaluation.", "查看评估。"))
@click.argument("evaluation_id", metavar="ID")
@with_run
def show_evaluation(run: Run, evaluation_id: str) -> None:
    _show_evaluation(run, run.client.evaluations.get(evaluation_id))


@evaluation.command("compare", help=both("Several on one dataset version.", "在同一数据集版本上比较。"))
@click.argument("ids", nargs=-1, required=True, metavar="ID…")
@with_run
def compare_evaluations(run: Run, ids: tuple[str, ...]) -> None:
    found = run.client.evaluations.compare(ids)
    if run.as_json:
        print_json(found)
        return
    columns: list[Column[dict[str, Any]]] = [(both("METRIC", "指标"), lambda row: row["name"])]
    for place, one in enumerate(found["evaluations"]):
        columns.append((one["model"], partial(_nth_value, place)))
    print_table(columns, found["metrics"])


@evaluation.command(
    "predictions", help=both("What the model said of each item, into a file.", "将各条目的预测保存为文件。")
)
@click.argument("evaluation_id", metavar="ID")
@click.argument("target", type=click.Path(path_type=Path, dir_okay=False))
@with_run
def save_predictions(run: Run, evaluation_id: str, target: Path) -> None:
    saved = run.client.evaluations.predictions(evaluation_id, target)
    run.done({"path": str(saved)}, "cli_saved", file=saved)


@evaluation.command("delete", help=both("Forget an ended evaluation.", "删除已结束的评估。"))
@click.argument("evaluation_id", metavar="ID")
@yes_option
@with_run
def delete_evaluation(run: Run, evaluation_id: str, yes: bool) -> None:
    confirm(yes, "cli_confirm_delete", name=evaluation_id)
    run.client.evaluations.delete(evaluation_id)
    run.done(None, "cli_deleted", name=evaluation_id)


@click.group(cls=Group, help=both("Well-known models: list, install.", "模型目录：列表、安装。"))
def catalogue() -> None:
    """Gathers the commands below."""


@catalogue.command("list", help=both("What there is.", "查看目录。"))
@click.option("--task", metavar="TASK", help=both("Only for this task.", "按任务筛选。"))
@with_run
def list_catalogue(run: Run, task: str | None) -> None:
    run.show_rows(run.client.catalogue.list(task=task), CATALOGUE_COLUMNS)


@catalogue.command(
    "install", help=both("Install one as a public model (administrators).", "安装为公共模型（管理员）。")
)
@click.argument("name")
@click.option(
    "--from",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help=both("Take the files from this folder.", "从此文件夹读取文件。"),
)
@wait_option
@with_run
def install(run: Run, name: str, folder: Path | None, wait: bool) -> None:
    display = Display()
    try:
        job = run.client.catalogue.install(name, folder=folder, watch=display.transfer)
    finally:
        display.close()
    finish_job(run, job, wait=wait)


def _tell_started(run: Run, started: "TrainingStarted") -> None:
    run.done(started, "cli_train_begun", name=started.run.name)


def _wait_trained(run: Run, started: "TrainingStarted") -> None:
    from tidemill.sdk.resources.workloads import WorkloadFailed

    display = Display()
    try:
        ended = run.client.datasets.trained(started, watch=display.workload)
    except WorkloadFailed as failure:
        if run.as_json:
            print_json(failure.ended.raw)
        raise
    finally:
        display.close()
    metrics = run.client.models.facts(ended.model).metrics if ended.model else {}
    if run.as_json:
        print_json({"run": ended.name, "model": ended.model, "metrics": metrics, "task": started.task})
        return
    click.echo(text("cli_train_done", name=ended.name, model=ended.model or "-"))
    print_fields([(name, _rounded(value)) for name, value in metrics.items()] or [("metrics", None)])


def _wait_evaluated(run: Run, found: "Evaluation") -> "Evaluation":
    from tidemill.sdk.resources.models import EvaluationFailed

    display = Display()
    try:
        return run.client.evaluations.wait(
            found, watch=lambda now: display.say(now.state, now.model, now.stage, _percent(now.progress))
        )
    except EvaluationFailed as failure:
        if run.as_json:
            print_json(failure.evaluation.raw)
        raise
    finally:
        display.close()


def _show_evaluation(run: Run, found: "Evaluation") -> None:
    if run.as_json:
        print_json({**found.raw, "per_class": found.per_class})
        return
    heads = [
        (both("Id", "编号"), found.id),
        (both("Model", "模型"), found.model),
        (both("Dataset", "数据集"), found.dataset),
        (both("State", "状态"), found.state),
        (both("Items", "条目数"), found.items),
        (both("Problem", "问题"), (found.error or {}).get("message")),
    ]
    print_fields([*heads, *((name, _rounded(value)) for name, value in found.metrics.items())])
    rows = found.per_class
    if rows:
        names = [name for name in rows[0] if name != "label"]
        columns: list[Column[dict[str, Any]]] = [(both("CLASS", "类别"), lambda row: row["label"])]
        columns += [(name.upper(), partial(_class_value, name)) for name in names]
        print_table(columns, rows)


def _nth_value(place: int, row: dict[str, Any]) -> Any:
    return _rounded(row["values"][place])


def _class_value(name: str, row: dict[str, Any]) -> Any:
    return _rounded(row.get(name))


def _rounded(value: Any) -> Any:
    return round(value, 4) if isinstance(value, float) else value


def _percent(progress: float | None) -> str | None:
    return None if progress is None else f"{progress:.0f} %"
