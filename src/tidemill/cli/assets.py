"""`tidemill algorithm` and `tidemill model`: one set of commands for both kinds."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from tidemill.cli import transfers, versions
from tidemill.cli.completing import complete_asset, complete_scene
from tidemill.cli.kinds import Kind
from tidemill.cli.output import Column, Size
from tidemill.cli.run import Run, confirm, list_options, with_run, yes_option
from tidemill.cli.shell import Group
from tidemill.cli.sizes import PairType
from tidemill.cli.words import both, text
from tidemill.kernel.errors import Conflict, NotFound
from tidemill.sdk.language import problem
from tidemill.sdk.refs import parse_ref

if TYPE_CHECKING:
    from tidemill.sdk.views import Asset

COLUMNS: "list[Column[Asset]]" = [
    (both("NAME", "名称"), lambda a: a.name),
    (both("SCENE", "应用场景"), lambda a: a.scene),
    (both("VERSIONS", "版本数"), lambda a: a.versions_count),
    (both("LATEST", "最新版本"), lambda a: a.latest_version),
    (both("SIZE", "大小"), lambda a: Size(a.size_bytes)),
    (both("BY", "创建者"), lambda a: a.created_by),
    (both("UPDATED", "更新时间"), lambda a: a.updated_at),
]


def _make_group(kind: Kind) -> click.Group:
    found = Group(
        kind.name, help=kind.say("{Things}: create, push, pull, delete.", "{thing}：创建、推送、拉取、删除。")
    )
    _add_create(found, kind)
    _add_list(found, kind)
    _add_show(found, kind)
    _add_edit(found, kind)
    transfers.add_push(found, kind)
    transfers.add_pull(found, kind)
    versions.add_versions(found, kind)
    versions.add_files(found, kind)
    versions.add_cat(found, kind)
    versions.add_commit(found, kind)
    _add_copy(found, kind)
    versions.add_compare(found, kind)
    versions.add_import_git(found, kind)
    versions.add_lineage(found, kind)
    _add_delete(found, kind)
    return found


def _add_create(group: click.Group, kind: Kind) -> None:
    @group.command("create", help=kind.say("Make {a_thing} without versions.", "创建{thing}（不含版本）。"))
    @click.argument("name")
    @click.option(
        "--scene",
        default="other",
        shell_complete=complete_scene,
        help=both("What it is used for (default other).", "应用场景（默认 other）。"),
    )
    @click.option("--description", default="", metavar="TEXT", help=both("Description.", "描述。"))
    @with_run
    def create(run: Run, name: str, scene: str, description: str) -> None:
        made = kind.of(run).create(name, scene=scene, description=description)
        run.done(made, "cli_created", name=made.name)


def _add_list(group: click.Group, kind: Kind) -> None:
    @group.command("list", help=kind.say("{Things} of the project.", "项目中的{thing}。"))
    @click.option("--mine", is_flag=True, help=both("Only your own.", "仅显示自己创建的。"))
    @click.option("--public", is_flag=True, help=both("The public ones.", "公共资产。"))
    @click.option("--scene", shell_complete=complete_scene, help=both("Only this scene.", "按应用场景筛选。"))
    @list_options("name, created_at, updated_at, size_bytes")
    @with_run
    def list_assets(
        run: Run, mine: bool, public: bool, scene: str | None, q: str | None, sort: str | None, options: Any
    ) -> None:
        project = "public" if public else None
        found = kind.of(run).list(project=project, q=q, scene=scene, mine=mine or None, sort=sort)
        run.show_list(found, COLUMNS, options)


def _add_show(group: click.Group, kind: Kind) -> None:
    @group.command(
        "show", help=kind.say("One {thing}, or one version of it (NAME@3).", "查看{thing}或其版本（NAME@3）。")
    )
    @click.argument("name", shell_complete=complete_asset(kind.name))
    @with_run
    def show(run: Run, name: str) -> None:
        if parse_ref(name).version is None:
            found: Any = kind.of(run).get(name)
            fields = _asset_fields(found)
        else:
            found = kind.of(run).version(name)
            fields = versions.version_fields(found)
        if kind.name == "model":
            found, more = _with_facts(run, name, found)
            fields += more
        run.show(found, fields)


def _add_edit(group: click.Group, kind: Kind) -> None:
    @group.command(
        "edit",
        help=kind.say(
            "Change a description, or with NAME@3 a version's note, format and metrics.",
            "修改描述；使用 NAME@3 时修改该版本的说明、格式与指标。",
        ),
    )
    @click.argument("name", shell_complete=complete_asset(kind.name))
    @click.option("--description", metavar="TEXT", help=both("Description.", "描述。"))
    @click.option("--note", metavar="TEXT", help=both("The version's note.", "版本说明。"))
    @click.option(
        "--format",
        "format_name",
        metavar="NAME",
        help=both("The version's format, such as onnx.", "版本格式，如 onnx。"),
    )
    @click.option(
        "--metric",
        "metrics",
        type=PairType(),
        multiple=True,
        help=both("Such as map50=0.71; may be repeated.", "如 map50=0.71，可重复。"),
    )
    @with_run
    def edit(
        run: Run,
        name: str,
        description: str | None,
        note: str | None,
        format_name: str | None,
        metrics: tuple[tuple[str, str], ...],
    ) -> None:
        changes: dict[str, Any] = {"note": note, "format": format_name, "metrics": _metrics(metrics)}
        changes = {field: value for field, value in changes.items() if value is not None}
        if changes:
            changed: Any = kind.of(run).update_version(_with_version(name), **changes)
        if description is not None:
            changed = kind.of(run).update(name, description=description)
        if not changes and description is None:
            raise click.UsageError(text("cli_nothing_to_change"), click.get_current_context())
        run.done(changed, "cli_changed", name=changed.name)


def _add_copy(group: click.Group, kind: Kind) -> None:
    @group.command(
        "copy",
        help=kind.say(
            "Copy {a_thing} (or NAME@3) without copying bytes.", "复制{thing}（或 NAME@3），不占用额外空间。"
        ),
    )
    @click.argument("source", shell_complete=complete_asset(kind.name))
    @click.argument("name")
    @click.option("--to-project", metavar="NAME", help=both("Into another project.", "复制到其他项目。"))
    @with_run
    def copy(run: Run, source: str, name: str, to_project: str | None) -> None:
        ref = parse_ref(source)
        # A public one is copied into the project one works in, not into the public project.
        target = to_project or (run.client.project_name() if ref.project else None)
        made = kind.of(run).copy(ref, name, to_project=target)
        run.done(made, "cli_copied", source=source, name=made.name, project=made.project)


def _add_delete(group: click.Group, kind: Kind) -> None:
    @group.command(
        "delete",
        help=kind.say(
            "Put a version (NAME@3), or {a_thing} without versions, in the bin.",
            "将版本（NAME@3）或没有版本的{thing}移入回收站。",
        ),
    )
    @click.argument("name", shell_complete=complete_asset(kind.name))
    @click.option("--all-versions", is_flag=True, help=both("Its versions too.", "连同所有版本。"))
    @yes_option
    @with_run
    def delete(run: Run, name: str, all_versions: bool, yes: bool) -> None:
        assets, ref = kind.of(run), parse_ref(name)
        if ref.version is not None:
            confirm(yes, "cli_confirm_bin", name=name)
            assets.delete_version(ref)
        else:
            count = assets.get(ref).versions_count
            if count and not all_versions:
                raise problem(Conflict, "cli_has_versions", name=name, count=count)
            confirm(yes, "cli_confirm_bin", name=name)
            for version in list(assets.versions(ref)):
                assets.delete_version(f"{ref}@{version.number}")
            assets.delete(ref)
        run.done(None, "cli_binned", name=name)


def _asset_fields(found: "Asset") -> list[tuple[str, Any]]:
    return [
        (both("Name", "名称"), found.name),
        (both("Id", "编号"), found.id),
        (both("Project", "项目"), found.project),
        (both("Scene", "应用场景"), found.scene),
        (both("Description", "描述"), found.description),
        (both("Versions", "版本数"), found.versions_count),
        (both("Latest", "最新版本"), found.latest_version),
        (both("Size", "大小"), Size(found.size_bytes)),
        (both("Created", "创建"), found.created_at),
        (both("By", "创建者"), found.created_by),
        (both("Updated", "更新"), found.updated_at),
    ]


def _with_facts(run: Run, name: str, found: Any) -> tuple[Any, list[tuple[str, Any]]]:
    """A model and what its version (the latest, or that named) says of itself; nothing where there is no version."""
    try:
        facts = run.client.models.facts(name)
    except (Conflict, NotFound):
        return found, []
    shown = [
        (both("Task", "任务"), facts.task),
        (both("Labels", "标签"), [str(label["name"]) for label in facts.labels[:20]]),
        (both("Measured", "评估指标"), [f"{key}={round(value, 4)}" for key, value in facts.metrics.items()]),
        (both("Trained on", "训练数据"), facts.dataset),
    ]
    return replace(found, raw={**found.raw, "facts": facts.raw}), shown


def _metrics(pairs: tuple[tuple[str, str], ...]) -> dict[str, float] | None:
    try:
        return {name: float(value) for name, value in pairs} or None
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--metric") from error


def _with_version(name: str) -> str:
    if parse_ref(name).version is None:
        raise click.UsageError(text("cli_needs_version"), click.get_current_context())
    return name


algorithm = _make_group(Kind("algorithm", "an algorithm", "algorithms", "算法"))
model = _make_group(Kind("model", "a model", "models", "模型"))
