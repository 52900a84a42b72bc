"""`tidemill dataset`: datasets and their versions; the long work on them is in `dataset_works`."""

from typing import TYPE_CHECKING, Any

import click

from tidemill.cli import annotate, dataset_content, dataset_works
from tidemill.cli.output import Column, Size
from tidemill.cli.run import Run, confirm, list_options, with_run, yes_option
from tidemill.cli.shell import Group
from tidemill.cli.waiting import finish_job, wait_option
from tidemill.cli.words import both
from tidemill.sdk.refs import parse_ref

if TYPE_CHECKING:
    from tidemill.sdk.data_views import Dataset, DatasetVersion

DATA_TYPES = ("image", "text", "audio", "video", "table")
TASKS = {
    "image-classification": ("image", "classification"),
    "object-detection": ("image", "detection"),
    "segmentation": ("image", "segmentation"),
    "keypoints": ("image", "keypoints"),
    "ocr": ("image", "ocr"),
    "text-classification": ("text", "text-classification"),
    "audio-classification": ("audio", "audio-classification"),
    "audio-transcription": ("audio", "audio-transcription"),
    "tabular": ("table", "tabular"),
    "video": ("video", "video"),
}
COLUMNS: "list[Column[Dataset]]" = [
    (both("NAME", "名称"), lambda d: d.name),
    (both("DATA", "数据类型"), lambda d: d.data_type),
    (both("ANNOTATION", "标注类型"), lambda d: d.annotation_type),
    (both("LATEST", "最新版本"), lambda d: d.latest_version),
    (both("ITEMS", "样本数"), lambda d: d.latest.get("items")),
    (both("DONE %", "完成 %"), lambda d: d.latest.get("progress")),
    (both("SIZE", "大小"), lambda d: Size(d.size_bytes)),
    (both("BY", "创建者"), lambda d: d.created_by),
]
VERSION_COLUMNS: "list[Column[DatasetVersion]]" = [
    (both("VERSION", "版本"), lambda v: v.number),
    (both("STATE", "状态"), lambda v: v.work),
    (both("ITEMS", "样本数"), lambda v: v.items),
    (both("ANNOTATIONS", "标注数"), lambda v: v.annotations),
    (both("DONE %", "完成 %"), lambda v: v.progress),
    (both("BY", "创建者"), lambda v: v.created_by),
    (both("CREATED", "创建时间"), lambda v: v.created_at),
    (both("NOTE", "备注"), lambda v: v.note),
]


@click.group(cls=Group, help=both("Datasets: import, annotate, clean, export.", "数据集：导入、标注、清洗、导出。"))
def dataset() -> None:
    """Gathers the commands below."""


@dataset.command("create", help=both("Make a dataset with an empty draft.", "创建数据集及其空草稿。"))
@click.argument("name")
@click.option("--task", type=click.Choice(list(TASKS)), help=both("What it is for: says both types.", "任务类型。"))
@click.option(
    "--data", "data_type", type=click.Choice(DATA_TYPES), default="image", help=both("What it holds.", "数据类型。")
)
@click.option(
    "--annotation",
    "annotation_type",
    default="detection",
    metavar="TYPE",
    help=both("How it is annotated (default detection).", "标注类型（默认 detection）。"),
)
@click.option("--description", default="", metavar="TEXT", help=both("Description.", "描述。"))
@with_run
def create(run: Run, name: str, task: str | None, data_type: str, annotation_type: str, description: str) -> None:
    datasets = run.client.datasets
    if task is not None:
        data_type, annotation_type = TASKS[task]
    made = datasets.create(name, data_type=data_type, annotation_type=annotation_type, description=description)
    datasets.create_version(made.name)
    run.done(made, "cli_created", name=made.name)


@dataset.command("list", help=both("Datasets of the project.", "项目中的数据集。"))
@click.option("--mine", is_flag=True, help=both("Only your own.", "仅显示自己创建的。"))
@click.option("--public", is_flag=True, help=both("The public ones.", "公共数据集。"))
@click.option("--data", "data_type", type=click.Choice(DATA_TYPES), help=both("Only this kind.", "按数据类型筛选。"))
@list_options("name, created_at, updated_at, size_bytes")
@with_run
def list_datasets(
    run: Run, mine: bool, public: bool, data_type: str | None, q: str | None, sort: str | None, options: Any
) -> None:
    project = "public" if public else None
    found = run.client.datasets.list(project=project, q=q, data_type=data_type, mine=mine or None, sort=sort)
    run.show_list(found, COLUMNS, options)


@dataset.command("show", help=both("A dataset, or one version of it (NAME@3).", "查看数据集或其版本（NAME@3）。"))
@click.argument("name")
@with_run
def show(run: Run, name: str) -> None:
    if parse_ref(name).version is None:
        found = run.client.datasets.get(name)
        run.show(found, [(heading.capitalize(), get(found)) for heading, get in COLUMNS])
        return
    version = run.client.datasets.version(name)
    states = ", ".join(f"{state} {count}" for state, count in version.states.items() if count)
    fields = [(heading.capitalize(), get(version)) for heading, get in VERSION_COLUMNS]
    run.show(version, [*fields, (both("Items by state", "各状态样本"), states)])


@dataset.command("versions", help=both("Versions, the newest first.", "版本列表，新版本在前。"))
@click.argument("name")
@list_options("number", search=False)
@with_run
def versions(run: Run, name: str, sort: str | None, options: Any) -> None:
    del sort
    run.show_list(run.client.datasets.versions(name), VERSION_COLUMNS, options)


@dataset.command("draft", help=both("Start a new draft: empty, or from NAME@3.", "新建草稿：空白，或基于 NAME@3。"))
@click.argument("name")
@click.option("--note", default="", metavar="TEXT", help=both("What it is for.", "备注。"))
@wait_option
@with_run
def draft(run: Run, name: str, note: str, wait: bool) -> None:
    if parse_ref(name).version is not None:
        finish_job(run, run.client.datasets.copy_version(name, note=note), wait=wait)
        return
    made = run.client.datasets.create_version(name, note=note)
    run.done(made, "cli_created", name=f"{name}@{made.number}")


@dataset.command("publish", help=both("Fix a draft for good.", "发布草稿，此后不可更改。"))
@click.argument("name", metavar="NAME[@VERSION]")
@wait_option
@with_run
def publish(run: Run, name: str, wait: bool) -> None:
    finish_job(run, run.client.datasets.publish(name), wait=wait)


@dataset.command("rename", help=both("Give a dataset another name.", "重命名数据集。"))
@click.argument("name")
@click.argument("new_name")
@with_run
def rename(run: Run, name: str, new_name: str) -> None:
    found = run.client.datasets.rename(name, new_name)
    run.done(found, "cli_changed", name=found.name)


@dataset.command(
    "delete",
    help=both(
        "To the bin: NAME@3, or a dataset without versions.",
        "移入回收站：NAME@3，或没有版本的数据集。",
    ),
)
@click.argument("name")
@yes_option
@with_run
def delete(run: Run, name: str, yes: bool) -> None:
    confirm(yes, "cli_confirm_delete", name=name)
    if parse_ref(name).version is not None:
        run.client.datasets.delete_version(name)
    else:
        run.client.datasets.delete(name)
    run.done(None, "cli_deleted", name=name)


dataset_works.add_to(dataset)
dataset_content.add_to(dataset)
annotate.add_to(dataset)
