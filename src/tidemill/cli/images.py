"""`tidemill image`"""

from pathlib import Path
from typing import Any

import click

from tidemill.cli.completing import complete_image
from tidemill.cli.output import Column, Size
from tidemill.cli.progress import Display
from tidemill.cli.run import Run, confirm, list_options, with_run, yes_option
from tidemill.cli.shell import Group
from tidemill.cli.waiting import finish, finish_job, wait_option
from tidemill.cli.words import both, text
from tidemill.sdk.work_views import Image

COLUMNS: list[Column[Image]] = [
    (both("NAME", "名称"), lambda i: i.name),
    (both("VERSION", "版本"), lambda i: i.version),
    (both("KIND", "类型"), lambda i: i.kind),
    (both("STATE", "状态"), lambda i: text(f"cli_image_{i.state}")),
    (both("SIZE", "大小"), lambda i: Size(i.size_bytes) if i.size_bytes else None),
    (both("BY", "创建者"), lambda i: i.created_by),
    (both("CREATED", "创建时间"), lambda i: i.created_at),
]


@click.group(cls=Group, help=both("Images: what workloads run in.", "镜像：工作负载的运行环境。"))
def image() -> None:
    """Gathers the commands below."""


@image.command("list", help=both("Images of the project.", "项目的镜像。"))
@click.option("--public", is_flag=True, help=both("The public ones.", "公共镜像。"))
@click.option("--kind", type=click.Choice(["oci", "python"]), help=both("Only this kind.", "按类型筛选。"))
@list_options("name, created_at, size_bytes")
@with_run
def list_images(run: Run, public: bool, kind: str | None, q: str | None, sort: str | None, options: Any) -> None:
    project = "public" if public else None
    run.show_list(run.client.images.list(project=project, q=q, kind=kind, sort=sort), COLUMNS, options)


@image.command("show", help=both("One image.", "查看镜像。"))
@click.argument("name", metavar="NAME:VERSION", shell_complete=complete_image)
@with_run
def show(run: Run, name: str) -> None:
    found = run.client.images.get(name)
    fields = [(heading.capitalize(), get(found)) for heading, get in COLUMNS]
    run.show(
        found,
        [
            *fields,
            (both("Digest", "摘要"), found.digest),
            (both("Description", "描述"), found.description),
            (both("Suits", "适用规格"), found.specs),
            (both("Problem", "问题"), (found.error or {}).get("message")),
            (both("Pull", "拉取命令"), found.pull_command),
        ],
    )


@image.command("create", help=both("A Python environment from a list of packages.", "由依赖列表创建 Python 环境。"))
@click.argument("name", metavar="NAME:VERSION")
@click.option(
    "--requirement",
    "-r",
    "requirements",
    multiple=True,
    help=both("Such as numpy==2.3.5; may be repeated.", "如 numpy==2.3.5，可重复。"),
)
@click.option(
    "--file",
    "listed",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help=both("A requirements file.", "依赖文件。"),
)
@click.option("--description", default="", metavar="TEXT", help=both("Description.", "描述。"))
@wait_option
@with_run
def create(
    run: Run, name: str, requirements: tuple[str, ...], listed: Path | None, description: str, wait: bool
) -> None:
    lines = [*requirements, *(_lines(listed) if listed else ())]
    image_name, version = _split(name)
    finish_image(run, run.client.images.create(image_name, version, lines, description=description), wait=wait)


@image.command("load", help=both("Bring in an image saved with `docker save`.", "导入 `docker save` 保存的镜像。"))
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("name", metavar="NAME:VERSION")
@click.option("--description", default="", metavar="TEXT", help=both("Description.", "描述。"))
@wait_option
@with_run
def load(run: Run, file: Path, name: str, description: str, wait: bool) -> None:
    image_name, version = _split(name)
    display = Display()
    try:
        job = run.client.images.load(file, image_name, version, description=description, watch=display.transfer)
    finally:
        display.close()
    finish_job(run, job, wait=wait)


@image.command("pull", help=both("Bring in an image from another registry.", "从其他镜像仓库拉取镜像。"))
@click.argument("reference")
@click.argument("name", metavar="NAME:VERSION")
@click.option("--user", metavar="NAME", help=both("User there.", "该仓库的用户名。"))
@click.option("--password", metavar="TEXT", help=both("Password there; not kept.", "该仓库的密码，不会保存。"))
@click.option("--description", default="", metavar="TEXT", help=both("Description.", "描述。"))
@wait_option
@with_run
def pull(
    run: Run, reference: str, name: str, user: str | None, password: str | None, description: str, wait: bool
) -> None:
    image_name, version = _split(name)
    job = run.client.images.pull(reference, image_name, version, user=user, password=password, description=description)
    finish_job(run, job, wait=wait)


@image.command("build", help=both("Build a Python environment again.", "重新构建 Python 环境。"))
@click.argument("name", metavar="NAME:VERSION", shell_complete=complete_image)
@wait_option
@with_run
def build(run: Run, name: str, wait: bool) -> None:
    finish_image(run, run.client.images.build(name), wait=wait)


@image.command("edit", help=both("Change an image's description.", "修改镜像描述。"))
@click.argument("name", metavar="NAME:VERSION", shell_complete=complete_image)
@click.option("--description", required=True, metavar="TEXT", help=both("Description.", "描述。"))
@with_run
def edit(run: Run, name: str, description: str) -> None:
    run.done(run.client.images.update(name, description=description), "cli_changed", name=name)


@image.command("delete", help=both("Delete an image.", "删除镜像。"))
@click.argument("name", metavar="NAME:VERSION", shell_complete=complete_image)
@click.option("--force", is_flag=True, help=both("Also while something runs in it.", "即使正在被使用。"))
@yes_option
@with_run
def delete(run: Run, name: str, force: bool, yes: bool) -> None:
    confirm(yes, "cli_confirm_delete", name=name)
    run.client.images.delete(name, force=force)
    run.done(None, "cli_deleted", name=name)


def finish_image(run: Run, made: Image, *, wait: bool) -> None:
    """Says where to look, or waits until the image is made."""
    name = f"{made.name}:{made.version}"
    finish(
        run,
        made,
        run.client.images.wait if wait else None,
        describe=lambda now: (name, text(f"cli_image_{now.state}")),
        begun="cli_image_being_made",
        done="cli_image_made",
        name=name,
    )


def _split(given: str) -> tuple[str, str]:
    name, _, version = given.rpartition(":")
    if not name:
        raise click.UsageError(text("cli_image_name", given=given), click.get_current_context())
    return name, version


def _lines(file: Path) -> list[str]:
    """Requirements without comments and empty lines."""
    cut = (line.partition(" #")[0].strip() for line in file.read_text("utf-8").splitlines())
    return [line for line in cut if line and not line.startswith("#")]
