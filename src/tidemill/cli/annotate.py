"""`tidemill annotate`: a model suggests, people accept; the same commands are under `tidemill dataset`."""

from typing import TYPE_CHECKING, Any

import click

from tidemill.cli.completing import complete_asset
from tidemill.cli.dataset_works import wait_for_work
from tidemill.cli.mapping import mapping_of, mapping_option
from tidemill.cli.output import Column, print_fields, print_json
from tidemill.cli.run import Run, list_options, with_run
from tidemill.cli.shell import Group
from tidemill.cli.sizes import typed
from tidemill.cli.training_options import spec_option, training_options
from tidemill.cli.waiting import wait_option
from tidemill.cli.words import both, text

if TYPE_CHECKING:
    from tidemill.sdk.model_views import LabelError

ERROR_COLUMNS: "list[Column[LabelError]]" = [
    (both("ITEM", "条目"), lambda e: e.seq),
    (both("FILE", "文件"), lambda e: e.path),
    (both("KIND", "类型"), lambda e: e.kind),
    (both("GIVEN", "现有标签"), lambda e: (e.given or {}).get("name")),
    (both("LIKELIER", "更可能"), lambda e: (e.predicted or {}).get("name")),
    (both("SURE", "把握"), lambda e: round(e.score, 3)),
]


@click.group(cls=Group, help=both("Auto-annotation and its suggestions.", "自动标注及其建议。"))
def annotate() -> None:
    """Gathers the commands below."""


def add_to(group: click.Group) -> None:
    """The same commands where datasets are."""
    group.add_command(auto, "auto-annotate")
    group.add_command(suggestions)
    group.add_command(errors, "label-errors")
    group.add_command(loop)
    group.add_command(retrain)


@annotate.command("auto", help=both("Have a model look at a draft.", "用模型自动标注草稿。"))
@click.argument("dataset", metavar="DATASET[@VERSION]")
@click.option(
    "--model", metavar="REF", shell_complete=complete_asset("model"), help=both("A model version.", "模型版本。")
)
@click.option("--preset", metavar="NAME", help=both("A model of the catalogue.", "目录中的模型。"))
@click.option(
    "--service",
    metavar="NAME|URL",
    help=both("An online service, or an address of the Open Inference Protocol.", "在线服务名称，或开放推理协议地址。"),
)
@click.option("--service-model", metavar="NAME", help=both("The model's name there.", "该服务中的模型名称。"))
@click.option(
    "--service-token",
    metavar="TOKEN",
    envvar="TIDEMILL_SERVICE_TOKEN",
    help=both("What the service asks for.", "该服务所需的令牌。"),
)
@click.option("--threshold", type=click.FloatRange(0, 1), help=both("Least certainty (0.5).", "最低置信度（0.5）。"))
@click.option(
    "--state",
    "states",
    type=click.Choice(["unlabelled", "suggested"]),
    multiple=True,
    help=both("Only items in this state.", "仅处于此状态的样本。"),
)
@mapping_option
@click.option("--make-labels", is_flag=True, help=both("Make labels that are missing.", "创建缺少的标签。"))
@click.option("--no-label-errors", is_flag=True, help=both("Do not look for wrong labels.", "不查找错误标签。"))
@spec_option
@wait_option
@with_run
def auto(
    run: Run,
    dataset: str,
    model: str | None,
    preset: str | None,
    service: str | None,
    service_model: str | None,
    service_token: str | None,
    threshold: float | None,
    states: tuple[str, ...],
    mapping: tuple[tuple[str, str], ...],
    make_labels: bool,
    no_label_errors: bool,
    spec: str | None,
    wait: bool,
) -> None:
    if sum(one is not None for one in (model, preset, service)) != 1:
        raise click.UsageError(text("cli_auto_source"), click.get_current_context())
    source: dict[str, Any] = {"type": "model", "model": model}
    if preset is not None:
        source = {"type": "preset", "preset": preset}
    elif service is not None:
        source = _service(service, service_model, service_token)
    work = run.client.datasets.auto_annotate(
        dataset,
        source,
        threshold=threshold,
        states=list(states) or None,
        mapping=mapping_of(mapping),
        make_labels=make_labels,
        label_errors=not no_label_errors,
        spec=spec,
    )
    if not wait:
        run.done(work, "cli_work_begun", name=dataset, id=work.id)
        return
    work = wait_for_work(run, work)
    counts = {name: work.counts.get(name, 0) for name in ("suggested", "nothing", "errors_found")}
    run.done(work, "cli_auto_done", name=dataset, **counts)


def _service(named: str, model: str | None, token: str | None) -> dict[str, Any]:
    """A service of the project by its name, or any address."""
    if "://" not in named:
        return {"type": "service", "service": named, "model": model}
    return {"type": "service", "url": named, "model": model or "model", "token": token}


@annotate.group("suggestions", cls=Group, help=both("Accept, reject, undo.", "接受、拒绝、撤销建议。"))
def suggestions() -> None:
    """Gathers the commands below."""


@suggestions.command("accept", help=both("Accept suggestions: of items, or of all.", "接受建议：指定条目或全部。"))
@click.argument("dataset", metavar="DATASET[@VERSION]")
@click.argument("items", nargs=-1, type=int, metavar="[ITEM…]")
@click.option("--label", type=int, help=both("Only with this label (its number).", "仅此标签（编号）。"))
@click.option("--threshold", type=click.FloatRange(0, 1), help=both("Only this certain ones.", "最低置信度。"))
@click.option(
    "--drop-below", is_flag=True, help=both("Accept items without what is below.", "去掉低于阈值的建议后接受。")
)
@with_run
def accept(
    run: Run, dataset: str, items: tuple[int, ...], label: int | None, threshold: float | None, drop_below: bool
) -> None:
    below = "drop" if drop_below else None
    found = run.client.datasets.accept(dataset, items or None, threshold=threshold, below=below, label=label)
    _tell(run, found)


@suggestions.command("reject", help=both("Take suggestions away: of items, or of all.", "拒绝建议：指定条目或全部。"))
@click.argument("dataset", metavar="DATASET[@VERSION]")
@click.argument("items", nargs=-1, type=int, metavar="[ITEM…]")
@click.option("--label", type=int, help=both("Only with this label (its number).", "仅此标签（编号）。"))
@click.option(
    "--threshold", type=click.FloatRange(0, 1), help=both("Only what is less certain.", "仅低于此置信度的建议。")
)
@with_run
def reject(run: Run, dataset: str, items: tuple[int, ...], label: int | None, threshold: float | None) -> None:
    _tell(run, run.client.datasets.reject(dataset, items or None, threshold=threshold, label=label))


@suggestions.command("undo", help=both("Take an accept or a reject back.", "撤销接受或拒绝。"))
@click.argument("dataset", metavar="DATASET[@VERSION]")
@click.argument("action")
@with_run
def undo(run: Run, dataset: str, action: str) -> None:
    _tell(run, run.client.datasets.undo(dataset, action))


@annotate.command("errors", help=both("Labelled items whose labels seem wrong.", "标签可能有误的条目。"))
@click.argument("dataset", metavar="DATASET[@VERSION]")
@click.option("--kind", type=click.Choice(["class", "missing", "extra"]), help=both("Only these.", "按类型筛选。"))
@list_options("", search=False)
@with_run
def errors(run: Run, dataset: str, kind: str | None, options: Any) -> None:
    run.show_list(run.client.datasets.label_errors(dataset, kind=kind), ERROR_COLUMNS, options)


@annotate.command("loop", help=both("How far it is, and what to do next.", "当前进展与下一步建议。"))
@click.argument("dataset", metavar="DATASET")
@with_run
def loop(run: Run, dataset: str) -> None:
    found = run.client.datasets.loop(dataset)
    if run.as_json:
        print_json(found)
        return
    print_fields(
        [
            (both("Labelled", "已标注"), f"{found['labelled']} / {found['items']}"),
            (both("Suggested", "有建议"), found["suggested"]),
            (both("Newest model", "最新模型"), found["model"]),
            (both("Best", "最佳"), (found["best"] or {}).get("value")),
            (both("Next", "下一步"), found["advice"]["message"]),
        ]
    )


@annotate.command("retrain", help=both("Publish, begin a new draft, train.", "发布、新建草稿并训练。"))
@click.argument("dataset", metavar="DATASET")
@training_options
@click.option("--then-annotate", is_flag=True, help=both("And annotate the new draft.", "并自动标注新草稿。"))
@click.option("--threshold", type=click.FloatRange(0, 1), help=both("Least certainty (0.5).", "最低置信度（0.5）。"))
@with_run
def retrain(run: Run, dataset: str, parameters: tuple[tuple[str, str], ...], **wishes: Any) -> None:
    found = run.client.datasets.retrain(dataset, parameters=typed(parameters) or None, **wishes)
    run.done(found, "cli_round_begun", name=dataset, id=found["id"])


def _tell(run: Run, found: Any) -> None:
    if found.job:
        run.done(found, "cli_job_started", name=found.action, id=found.job)
        return
    run.done(found, "cli_suggestions_changed", changed=found.changed, left=found.left, action=found.action)
