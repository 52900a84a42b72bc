"""`tidemill spec` and `tidemill machine`"""

from typing import Any

import click

from tidemill.cli.completing import complete_spec
from tidemill.cli.output import Column, Size
from tidemill.cli.run import Run, confirm, list_options, with_run, yes_option
from tidemill.cli.shell import Group
from tidemill.cli.sizes import SizeType
from tidemill.cli.words import both, text
from tidemill.sdk.work_views import Machine, Spec

COLUMNS: list[Column[Spec]] = [
    (both("NAME", "名称"), lambda s: s.name),
    (both("CPUS", "CPU"), lambda s: f"{s.cpus:g}"),
    (both("MEMORY", "内存"), lambda s: Size(s.memory_bytes)),
    (both("ACCELERATOR", "加速卡"), lambda s: f"{s.accelerators:g} × {s.accelerator}" if s.accelerator else None),
    (both("FABRICS", "高速网络"), lambda s: ", ".join(s.fabrics)),
    (both("OFFERED", "可用"), lambda s: s.is_enabled),
    (both("FITS", "可容纳"), lambda s: s.fits),
    (both("DESCRIPTION", "描述"), lambda s: s.description),
]
MACHINE_COLUMNS: list[Column[Machine]] = [
    (both("NAME", "名称"), lambda m: m.name),
    (both("CPUS", "CPU"), lambda m: f"{m.cpus_used:g} / {m.cpus:g}"),
    (both("MEMORY", "内存"), lambda m: f"{Size(m.memory_used_bytes)} / {Size(m.memory_bytes)}"),
    (both("DEVICES", "加速卡"), lambda m: len(m.devices)),
    (both("RUNTIMES", "运行方式"), lambda m: ", ".join(m.runtimes)),
    (both("WORKLOADS", "工作负载"), lambda m: m.workloads),
]


@click.group(cls=Group, help=both("Sizes that workloads are asked for in.", "计算规格。"))
def spec() -> None:
    """Gathers the commands below."""


def spec_options(function: Any) -> Any:
    for option in reversed(
        (
            click.option("--cpus", type=click.FloatRange(0, min_open=True), help=both("CPUs of a node.", "CPU 数。")),
            click.option("--memory", type=SizeType(), help=both("Memory of a node, such as 8GiB.", "内存，如 8GiB。")),
            click.option("--accelerator", metavar="KIND", help=both("Kind of accelerator.", "加速卡类型。")),
            click.option(
                "--accelerators",
                type=click.FloatRange(0),
                help=both("How many; a fraction is a share of one.", "数量；小数表示共享一张卡。"),
            ),
            click.option(
                "--fabric",
                "fabrics",
                type=click.Choice(["ib", "roce"]),
                multiple=True,
                help=both("Needs this network; may be repeated.", "所需网络，可重复。"),
            ),
            click.option("--description", metavar="TEXT", help=both("Description.", "描述。")),
            click.option("--enable/--disable", "is_enabled", default=None, help=both("Whether offered.", "是否可用。")),
        )
    ):
        function = option(function)
    return function


@spec.command("list", help=both("All specs.", "全部规格。"))
@list_options("position, name")
@with_run
def list_specs(run: Run, q: str | None, sort: str | None, options: Any) -> None:
    run.show_list(run.client.specs.list(q=q, sort=sort), COLUMNS, options)


@spec.command("show", help=both("One spec.", "查看规格。"))
@click.argument("name", shell_complete=complete_spec)
@with_run
def show(run: Run, name: str) -> None:
    found = run.client.specs.get(name)
    run.show(found, [(heading.capitalize(), get(found)) for heading, get in COLUMNS])


@spec.command("create", help=both("Make a spec (administrators).", "创建规格（管理员）。"))
@click.argument("name")
@spec_options
@with_run
def create(run: Run, name: str, **given: Any) -> None:
    found = _given(given)
    for option in ("cpus", "memory_bytes"):
        if option not in found:
            name_of = option.removesuffix("_bytes")
            raise click.UsageError(text("cli_usage_missing", name=f"--{name_of}"), click.get_current_context())
    made = run.client.specs.create(name, **found)
    run.done(made, "cli_created", name=made.name)


@spec.command("edit", help=both("Change a spec (administrators).", "修改规格（管理员）。"))
@click.argument("name", shell_complete=complete_spec)
@click.option("--name", "new_name", metavar="NAME", help=both("New name.", "新名称。"))
@spec_options
@with_run
def edit(run: Run, name: str, new_name: str | None, **given: Any) -> None:
    changes = _given({**given, "name": new_name})
    if not changes:
        raise click.UsageError(text("cli_nothing_to_change"), click.get_current_context())
    changed = run.client.specs.update(name, **changes)
    run.done(changed, "cli_changed", name=changed.name)


@spec.command("delete", help=both("Delete a spec (administrators).", "删除规格（管理员）。"))
@click.argument("name", shell_complete=complete_spec)
@yes_option
@with_run
def delete(run: Run, name: str, yes: bool) -> None:
    confirm(yes, "cli_confirm_delete", name=name)
    run.client.specs.delete(name)
    run.done(None, "cli_deleted", name=name)


@click.group(cls=Group, help=both("Machines (administrators).", "机器（管理员）。"))
def machine() -> None:
    """Gathers the commands below."""


@machine.command("list", help=both("What there is to give out, and how much of it is.", "可用资源与使用情况。"))
@with_run
def list_machines(run: Run) -> None:
    run.show_rows(run.client.machines.list(), MACHINE_COLUMNS)


def _given(options: dict[str, Any]) -> dict[str, Any]:
    found = {name: value for name, value in options.items() if value is not None and value != ()}
    if "memory" in found:
        found["memory_bytes"] = found.pop("memory")
    if "fabrics" in found:
        found["fabrics"] = list(found["fabrics"])
    return found
