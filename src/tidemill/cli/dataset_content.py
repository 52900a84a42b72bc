"""`tidemill dataset`: statistics, differences, items and labels of a version."""

from typing import TYPE_CHECKING, Any

import click

from tidemill.cli.output import Column
from tidemill.cli.run import Run, list_options, with_run
from tidemill.cli.shell import Command
from tidemill.cli.words import both
from tidemill.kernel.errors import Invalid
from tidemill.sdk.language import problem
from tidemill.sdk.refs import parse_ref

if TYPE_CHECKING:
    from tidemill.sdk.data_views import Item, ItemChange, ItemRevision, Label

STATES = ("unlabelled", "labelled", "suggested", "rework", "reviewed", "aside")
ITEM_COLUMNS: "list[Column[Item]]" = [
    (both("ITEM", "样本"), lambda i: i.seq),
    (both("PATH", "路径"), lambda i: i.path),
    (both("STATE", "状态"), lambda i: i.state),
    (both("ANNOTATIONS", "标注数"), lambda i: i.annotations_count),
    (both("ANNOTATOR", "标注者"), lambda i: i.annotator),
    (both("UPDATED", "更新时间"), lambda i: i.updated_at),
]
LABEL_COLUMNS: "list[Column[Label]]" = [
    (both("NUMBER", "编号"), lambda x: x.number),
    (both("NAME", "名称"), lambda x: x.name),
    (both("PARENT", "父标签"), lambda x: x.parent),
    (both("COLOUR", "颜色"), lambda x: x.colour),
    (both("SHORTCUT", "快捷键"), lambda x: x.shortcut),
    (both("ITEMS", "样本数"), lambda x: x.items),
    (both("ANNOTATIONS", "标注数"), lambda x: x.annotations),
]
CHANGE_COLUMNS: "list[Column[ItemChange]]" = [
    (both("CHANGE", "变化"), lambda c: c.change),
    (both("PATH", "路径"), lambda c: c.path),
    (both("ADDED", "新增标注"), lambda c: c.annotations_added),
    (both("REMOVED", "删除标注"), lambda c: c.annotations_removed),
    (both("CHANGED", "修改标注"), lambda c: c.annotations_changed),
    (both("BY", "修改者"), lambda c: c.author),
    (both("AT", "时间"), lambda c: c.at),
]
REVISION_COLUMNS: "list[Column[ItemRevision]]" = [
    (both("REVISION", "修订"), lambda r: r.id),
    (both("BY", "作者"), lambda r: r.author),
    (both("AT", "时间"), lambda r: r.at),
    (both("REASON", "原因"), lambda r: r.reason),
    (both("STATE", "状态"), lambda r: r.state),
    (both("ANNOTATIONS", "标注数"), lambda r: r.annotations_count),
]

version_argument = click.argument("name", metavar="NAME[@VERSION]")


def add_to(dataset: click.Group) -> None:
    """Puts these commands beside the others."""
    for command in (stats, diff, items, item, history, set_state, delete_items, labels, add_labels, apply_set):
        dataset.add_command(command)


@click.command(
    "stats", cls=Command, help=both("Items by state, class and annotator.", "按状态、类别与标注者统计样本。")
)
@version_argument
@with_run
def stats(run: Run, name: str) -> None:
    found = run.client.datasets.statistics(name)
    classes = {label["name"]: label["annotations"] for label in found.labels}
    document: dict[str, Any] = {
        "items": found.items,
        "by_state": found.states,
        "annotations": found.annotations,
        "classes": classes,
        "progress": round(found.progress / 100, 4),
        "size_bytes": found.size_bytes,
        "duplicates": found.duplicates,
        "sizes": found.sizes,
        "types": found.types,
        "annotators": {one["name"]: one["items"] for one in found.annotators},
    }
    run.show(
        document,
        [
            (both("Items", "样本数"), found.items),
            (both("By state", "各状态"), _counts(found.states)),
            (both("Done", "完成"), f"{found.progress} %"),
            (both("Annotations", "标注数"), found.annotations),
            (both("Classes", "类别"), _counts(classes)),
            (both("Sizes", "尺寸"), _counts(found.sizes)),
            (both("Annotators", "标注者"), _counts(document["annotators"])),
            (both("Duplicates", "重复样本"), found.duplicates),
        ],
    )


@click.command("diff", cls=Command, help=both("Items that differ: NAME@2 NAME@1.", "比较两个版本：NAME@2 NAME@1。"))
@click.argument("new", metavar="NAME@NEW")
@click.argument("old", metavar="NAME@OLD")
@click.option(
    "--change", type=click.Choice(["added", "removed", "changed"]), help=both("Only these.", "仅显示此类变化。")
)
@list_options("path", search=False)
@with_run
def diff(run: Run, new: str, old: str, change: str | None, sort: str | None, options: Any) -> None:
    del sort
    older = parse_ref(old)
    if older.version is None or older.name != parse_ref(new).name:
        raise problem(Invalid, "sdk_version_needed", given=old)
    run.show_list(run.client.datasets.compare(new, older.version, change=change), CHANGE_COLUMNS, options)


@click.command("items", cls=Command, help=both("Items of a version.", "版本中的样本。"))
@version_argument
@click.option("--state", type=click.Choice(STATES), help=both("Only in this state.", "按状态筛选。"))
@click.option("--label", type=int, metavar="NUMBER", help=both("Only with this label.", "按标签编号筛选。"))
@click.option("--annotator", metavar="USER", help=both("Only changed last by them.", "按标注者筛选。"))
@click.option("--owner", metavar="USER", help=both("Only theirs to annotate.", "按负责人筛选。"))
@list_options("seq")
@with_run
def items(run: Run, name: str, q: str | None, sort: str | None, options: Any, **which: Any) -> None:
    del sort
    run.show_list(run.client.datasets.items(name, q=q, **which), ITEM_COLUMNS, options)


@click.command("item", cls=Command, help=both("One item with its annotations.", "查看一个样本及其标注。"))
@version_argument
@click.argument("seq", type=int, metavar="ITEM")
@with_run
def item(run: Run, name: str, seq: int) -> None:
    found = run.client.datasets.item(name, seq)
    fields = [(heading.capitalize(), get(found)) for heading, get in ITEM_COLUMNS]
    shapes = [(f"{one['type']} {one.get('label', '')}", one.get("id")) for one in found.annotations or []]
    run.show(found, [*fields, *shapes])


@click.command("history", cls=Command, help=both("Revisions of an item.", "样本的修订历史。"))
@version_argument
@click.argument("seq", type=int, metavar="ITEM")
@with_run
def history(run: Run, name: str, seq: int) -> None:
    run.show_rows(list(run.client.datasets.history(name, seq)), REVISION_COLUMNS)


@click.command("set-state", cls=Command, help=both("Give items another state.", "修改样本状态。"))
@version_argument
@click.argument("state", type=click.Choice(STATES))
@click.argument("seqs", type=int, nargs=-1, metavar="ITEM...")
@click.option(
    "--where-state", type=click.Choice(STATES), help=both("All items in this state.", "处于此状态的全部样本。")
)
@with_run
def set_state(run: Run, name: str, state: str, seqs: tuple[int, ...], where_state: str | None) -> None:
    chosen: dict[str, Any] = {"seqs": seqs} if seqs else {"state": where_state}
    done = run.client.datasets.set_state(name, state, chosen.pop("seqs", None), **_filter(chosen))
    run.done(done, "cli_items_changed", count=done["changed"])


@click.command("delete-items", cls=Command, help=both("Take items out of a draft.", "从草稿中删除样本。"))
@version_argument
@click.argument("seqs", type=int, nargs=-1, required=True, metavar="ITEM...")
@with_run
def delete_items(run: Run, name: str, seqs: tuple[int, ...]) -> None:
    done = run.client.datasets.delete_items(name, seqs)
    run.done(done, "cli_items_changed", count=done["changed"])


@click.command("classes", cls=Command, help=both("Labels of a version, and their use.", "版本的标签及其使用情况。"))
@version_argument
@with_run
def labels(run: Run, name: str) -> None:
    run.show_rows(list(run.client.datasets.labels(name)), LABEL_COLUMNS)


@click.command("add-labels", cls=Command, help=both("Add labels to a draft.", "向草稿添加标签。"))
@version_argument
@click.argument("names", nargs=-1, required=True, metavar="LABEL...")
@with_run
def add_labels(run: Run, name: str, names: tuple[str, ...]) -> None:
    run.show_rows(list(run.client.datasets.add_labels(name, names)), LABEL_COLUMNS)


@click.command("apply-labels", cls=Command, help=both("Add the labels of a label set.", "应用标签集。"))
@version_argument
@click.argument("label_set", metavar="LABEL_SET")
@with_run
def apply_set(run: Run, name: str, label_set: str) -> None:
    run.show_rows(list(run.client.datasets.apply_label_set(name, label_set)), LABEL_COLUMNS)


def _filter(chosen: dict[str, Any]) -> dict[str, Any]:
    return {"state": chosen["state"]} if chosen.get("state") else {}


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count)
