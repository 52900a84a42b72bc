"""`tidemill package`"""

from pathlib import Path
from typing import Any

import click

from tidemill.cli.output import Column, Size
from tidemill.cli.run import Run, confirm, list_options, with_run, yes_option
from tidemill.cli.running import LogWish, log_options, show_log
from tidemill.cli.shell import Group
from tidemill.cli.sizes import PairType
from tidemill.cli.waiting import finish, wait_option
from tidemill.cli.words import both, text
from tidemill.sdk.package_views import Package, PackageVersion
from tidemill.sdk.refs import Ref, parse_ref

STATES = click.Choice(["pending", "building", "completed", "failed", "stopped"])

COLUMNS: list[Column[Package]] = [
    (both("NAME", "名称"), lambda p: p.name),
    (both("SCENE", "场景"), lambda p: p.scene),
    (both("VERSIONS", "版本数"), lambda p: p.versions_count),
    (both("NEWEST", "最新版本"), lambda p: p.latest_version),
    (both("STATE", "状态"), lambda p: _state(p.latest["state"]) if p.latest else None),
    (both("SIZE", "大小"), lambda p: Size(p.size_bytes)),
    (both("BY", "创建者"), lambda p: p.created_by),
    (both("UPDATED", "更新时间"), lambda p: p.updated_at),
]
VERSION_COLUMNS: list[Column[PackageVersion]] = [
    (both("VERSION", "版本"), lambda v: v.number),
    (both("STATE", "状态"), lambda v: _state(v.state)),
    (both("MODELS", "模型"), lambda v: ", ".join(one["reference"] for one in v.models)),
    (both("CODE", "推理代码"), lambda v: v.recipe.get("algorithm")),
    (both("IMAGE", "镜像"), lambda v: v.base_image),
    (both("DIGEST", "摘要"), lambda v: v.digest[:12]),
    (both("BY", "创建者"), lambda v: v.created_by),
    (both("CREATED", "创建时间"), lambda v: v.created_at),
]


@click.group(cls=Group, help=both("Packages: models with what serves them.", "模型包：模型及其服务方式。"))
def package() -> None:
    """Gathers the commands below."""


@package.command("create", help=both("Make a package.", "创建模型包。"))
@click.argument("name")
@click.option("--scene", default="other", metavar="SCENE", help=both("What it is for.", "应用场景。"))
@click.option("--description", default="", metavar="TEXT", help=both("Description.", "描述。"))
@with_run
def create(run: Run, name: str, scene: str, description: str) -> None:
    run.done(run.client.packages.create(name, scene=scene, description=description), "cli_created", name=name)


@package.command("edit", help=both("Change a package's description.", "修改模型包描述。"))
@click.argument("name")
@click.option("--description", required=True, metavar="TEXT", help=both("Description.", "描述。"))
@with_run
def edit(run: Run, name: str, description: str) -> None:
    run.done(run.client.packages.update(name, description=description), "cli_changed", name=name)


@package.command(
    "build", help=both("Build a version; NAME@V builds that one again.", "构建版本；NAME@V 表示重新构建该版本。")
)
@click.argument("name", metavar="NAME[@V]")
@click.option("--model", "models", multiple=True, metavar="MODEL[@V]", help=both("May be repeated.", "模型，可重复。"))
@click.option("--algorithm", metavar="NAME[@V]", help=both("Inference code.", "推理代码（算法）。"))
@click.option("--image", metavar="NAME:VERSION", help=both("To build on.", "基础镜像。"))
@click.option("--port", type=int, help=both("Port in a container.", "容器内的端口。"))
@click.option("--command", "start", metavar="TEXT", help=both("Starts it on $PORT.", "启动命令，监听 $PORT。"))
@click.option("--arguments", metavar="TEXT", help=both("Added to what starts it.", "附加的启动参数。"))
@click.option(
    "--requirement",
    "-r",
    "requirements",
    multiple=True,
    help=both("A Python package; may be repeated.", "Python 依赖，可重复。"),
)
@click.option("--env", "variables", type=PairType(), multiple=True, help=both("May be repeated.", "环境变量，可重复。"))
@click.option(
    "--shell",
    "shell_commands",
    multiple=True,
    metavar="TEXT",
    help=both("A shell command; may be repeated.", "Shell 命令，可重复。"),
)
@click.option("--note", default="", metavar="TEXT", help=both("Note.", "备注。"))
@wait_option
@with_run
def build(
    run: Run,
    name: str,
    models: tuple[str, ...],
    algorithm: str | None,
    image: str | None,
    port: int | None,
    start: str | None,
    arguments: str | None,
    requirements: tuple[str, ...],
    variables: tuple[tuple[str, str], ...],
    shell_commands: tuple[str, ...],
    note: str,
    wait: bool,
) -> None:
    if parse_ref(name).version is not None:
        _finish(run, run.client.packages.rebuild(name), wait=wait)
        return
    given: dict[str, Any] = {
        "models": [*models],
        "algorithm": algorithm,
        "image": image,
        "port": port,
        "command": start,
        "arguments": arguments,
        "requirements": [*requirements],
        "environment": dict(variables),
        "shell_commands": [*shell_commands],
    }
    recipe = {field: value for field, value in given.items() if value is not None}
    _finish(run, run.client.packages.build(name, note=note, **recipe), wait=wait)


@package.command("copy", help=both("Another version from the same recipe.", "用同一配方再建一个版本。"))
@click.argument("name", metavar="NAME@V")
@click.option("--note", default="", metavar="TEXT", help=both("Note.", "备注。"))
@wait_option
@with_run
def copy(run: Run, name: str, note: str, wait: bool) -> None:
    _finish(run, run.client.packages.copy_version(name, note=note), wait=wait)


@package.command("list", help=both("Packages of the project.", "项目的模型包。"))
@click.option("--state", type=STATES, help=both("Of the newest version.", "按最新版本的状态筛选。"))
@click.option("--mine", is_flag=True, default=None, help=both("Only your own.", "只看自己的。"))
@list_options("name, created_at, updated_at, size_bytes")
@with_run
def list_packages(
    run: Run, state: str | None, mine: bool | None, q: str | None, sort: str | None, options: Any
) -> None:
    run.show_list(run.client.packages.list(q=q, state=state, mine=mine, sort=sort), COLUMNS, options)


@package.command("show", help=both("One package, or one version of it.", "查看模型包或其版本。"))
@click.argument("name", metavar="NAME[@V]")
@with_run
def show(run: Run, name: str) -> None:
    packages = run.client.packages
    if parse_ref(name).version is None:
        found = packages.get(name)
        described = (both("Description", "描述"), found.description)
        run.show(found, [*((heading.capitalize(), get(found)) for heading, get in COLUMNS), described])
        return
    version = packages.version(name)
    run.show(
        version,
        [
            *((heading.capitalize(), get(version)) for heading, get in VERSION_COLUMNS),
            (both("Note", "备注"), version.note),
            (both("Runs in", "运行环境"), version.image or version.base_image),
            (both("Start", "启动"), version.start),
            (both("Same as", "内容相同的版本"), version.same_as),
            (both("Problem", "问题"), (version.error or {}).get("message")),
            (both("Build", "构建负载"), version.workload_id),
        ],
    )


@package.command("versions", help=both("Versions, newest first.", "版本列表。"))
@click.argument("name")
@list_options("", search=False)
@with_run
def versions(run: Run, name: str, options: Any) -> None:
    run.show_list(run.client.packages.versions(name), VERSION_COLUMNS, options)


@package.command("logs", help=both("What the build of a version wrote.", "构建日志。"))
@click.argument("name", metavar="NAME[@V]")
@log_options
@with_run
def logs(run: Run, name: str, wish: LogWish) -> None:
    found = run.client.packages.version(name)
    if found.workload_id is not None:
        show_log(run, found.workload_id, wish)


@package.command("stop", help=both("Stop the build of a version.", "停止构建。"))
@click.argument("name", metavar="NAME[@V]")
@with_run
def stop(run: Run, name: str) -> None:
    stopped = run.client.packages.stop(name)
    run.done(stopped, "cli_package_stopping", name=stopped.name)


@package.command("export", help=both("Save a version as a file that runs elsewhere.", "导出为可在别处运行的文件。"))
@click.argument("name", metavar="NAME[@V]")
@click.option(
    "-o",
    "--out",
    "target",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help=both("The file.", "文件。"),
)
@click.option(
    "--with-wheels",
    is_flag=True,
    help=both("With its Python packages, for machines without network.", "包含 Python 依赖，供离线机器使用。"),
)
@with_run
def export(run: Run, name: str, target: Path, with_wheels: bool) -> None:
    saved = run.client.packages.export(name, target, with_wheels=with_wheels)
    run.done({"file": str(saved), "size_bytes": saved.stat().st_size}, "cli_package_exported", name=name, file=saved)


@package.command(
    "pickles", help=both("Allow or forbid models in pickle files (owners).", "允许或禁止 pickle 模型（项目负责人）。")
)
@click.argument("choice", type=click.Choice(["allow", "forbid"]))
@with_run
def pickles(run: Run, choice: str) -> None:
    changed = run.client.packages.allow_pickles(choice == "allow")
    said = "cli_pickles_allowed" if choice == "allow" else "cli_pickles_forbidden"
    run.done(changed, said, name=run.client.project_name())


@package.command(
    "delete", help=both("Delete a version, or a package without versions.", "删除版本，或没有版本的模型包。")
)
@click.argument("name", metavar="NAME[@V]")
@yes_option
@with_run
def delete(run: Run, name: str, yes: bool) -> None:
    confirm(yes, "cli_confirm_delete", name=name)
    packages = run.client.packages
    if parse_ref(name).version is None:
        packages.delete(name)
    else:
        packages.delete_version(name)
    run.done(None, "cli_deleted", name=name)


def _finish(run: Run, made: PackageVersion, *, wait: bool) -> None:
    name = str(Ref(made.package, None, str(made.number)))
    finish(
        run,
        made,
        run.client.packages.wait if wait else None,
        describe=lambda now: (name, _state(now.state)),
        begun="cli_package_begun",
        done="cli_package_built",
        name=name,
    )


def _state(state: str) -> str:
    return text(f"cli_package_{state}")
