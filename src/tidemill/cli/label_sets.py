"""`tidemill label-set`"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tidemill.cli.output import Column
from tidemill.cli.run import Run, confirm, list_options, with_run, yes_option
from tidemill.cli.shell import Group
from tidemill.cli.words import both

if TYPE_CHECKING:
    from tidemill.sdk.data_views import LabelSet

COLUMNS: "list[Column[LabelSet]]" = [
    (both("NAME", "名称"), lambda s: s.name),
    (both("LABELS", "标签数"), lambda s: s.labels_count),
    (both("DESCRIPTION", "描述"), lambda s: s.description),
    (both("BY", "创建者"), lambda s: s.created_by),
    (both("UPDATED", "更新时间"), lambda s: s.updated_at),
]
file_option = click.option(
    "--file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help=both("JSON list of labels, or one name a line.", "JSON 标签列表，或每行一个名称。"),
)


@click.group(cls=Group, help=both("Reusable lists of labels.", "可复用的标签集。"))
def label_set() -> None:
    """Gathers the commands below."""


@label_set.command("create", help=both("Make a label set.", "创建标签集。"))
@click.argument("name")
@click.argument("labels", nargs=-1, metavar="[LABEL...]")
@file_option
@click.option("--from", "version", metavar="DATASET[@V]", help=both("Labels of a version.", "取自数据集版本的标签。"))
@click.option("--description", default="", metavar="TEXT", help=both("Description.", "描述。"))
@with_run
def create(
    run: Run, name: str, labels: tuple[str, ...], file: Path | None, version: str | None, description: str
) -> None:
    sets = run.client.label_sets
    if version is not None:
        made = sets.create_from_version(name, version, description=description)
    else:
        made = sets.create(name, [*labels, *_read(file)], description=description)
    run.done(made, "cli_created", name=made.name)


@label_set.command("list", help=both("Label sets of the project.", "项目的标签集。"))
@list_options("name, created_at, updated_at")
@with_run
def list_sets(run: Run, q: str | None, sort: str | None, options: Any) -> None:
    run.show_list(run.client.label_sets.list(q=q, sort=sort), COLUMNS, options)


@label_set.command("show", help=both("One label set.", "查看标签集。"))
@click.argument("name")
@with_run
def show(run: Run, name: str) -> None:
    found = run.client.label_sets.get(name)
    names = ", ".join(f"{one['parent']}/{one['name']}" if one.get("parent") else one["name"] for one in found.labels)
    fields = [(heading.capitalize(), get(found)) for heading, get in COLUMNS]
    run.show(found, [*fields, (both("Names", "标签"), names)])


@label_set.command("update", help=both("Rename it, or change its labels.", "重命名或修改标签。"))
@click.argument("name")
@click.option("--name", "new_name", metavar="TEXT", help=both("New name.", "新名称。"))
@click.option("--description", metavar="TEXT", help=both("Description.", "描述。"))
@file_option
@with_run
def update(run: Run, name: str, new_name: str | None, description: str | None, file: Path | None) -> None:
    labels = _read(file) if file else None
    changed = run.client.label_sets.update(name, name=new_name, description=description, labels=labels)
    run.done(changed, "cli_changed", name=changed.name)


@label_set.command("delete", help=both("Remove a label set.", "删除标签集。"))
@click.argument("name")
@yes_option
@with_run
def delete(run: Run, name: str, yes: bool) -> None:
    confirm(yes, "cli_confirm_delete", name=name)
    run.client.label_sets.delete(name)
    run.done(None, "cli_deleted", name=name)


def _read(file: Path | None) -> list[Any]:
    """Labels from a file: JSON, or one name a line."""
    if file is None:
        return []
    content = file.read_text("utf-8")
    if content.lstrip().startswith("["):
        found: list[Any] = json.loads(content)
        return found
    return [line.strip() for line in content.splitlines() if line.strip()]
