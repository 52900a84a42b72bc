"""`tidemill env`: places to work in."""

import os
import shlex
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from tidemill.cli.completing import complete_asset, complete_environment, complete_image, complete_spec
from tidemill.cli.images import finish_image
from tidemill.cli.output import Column
from tidemill.cli.run import Run, confirm, list_options, with_run, yes_option
from tidemill.cli.running import STATES, LogWish, log_options, show_log, state_text
from tidemill.cli.shell import Group
from tidemill.cli.waiting import finish, wait_option
from tidemill.cli.words import both, text
from tidemill.kernel.errors import Conflict
from tidemill.sdk.language import problem
from tidemill.sdk.work_views import Environment, SshKey

COLUMNS: list[Column[Environment]] = [
    (both("NAME", "名称"), lambda e: e.name),
    (both("STATE", "状态"), lambda e: state_text(e.state)),
    (both("IMAGE", "镜像"), lambda e: e.image),
    (both("SPEC", "规格"), lambda e: e.spec),
    (both("NODES", "节点"), lambda e: e.nodes),
    (both("BY", "创建者"), lambda e: e.created_by),
    (both("STOPS", "停止时间"), lambda e: e.stops_at),
]
KEY_COLUMNS: list[Column[SshKey]] = [
    (both("ID", "编号"), lambda k: k.id),
    (both("NAME", "名称"), lambda k: k.name),
    (both("FINGERPRINT", "指纹"), lambda k: k.fingerprint),
    (both("USED", "最近使用"), lambda k: k.last_used_at),
]


@click.group(cls=Group, help=both("Development environments.", "开发环境。"))
def env() -> None:
    """Gathers the commands below."""


@env.command("create", help=both("Make an environment.", "创建开发环境。"))
@click.argument("name")
@click.option("--image", shell_complete=complete_image, help=both("NAME:VERSION.", "镜像 NAME:VERSION。"))
@click.option("--spec", shell_complete=complete_spec, help=both("Size of a node.", "节点规格。"))
@click.option("--nodes", type=click.IntRange(1), help=both("How many nodes.", "节点数量。"))
@click.option(
    "--algorithm",
    "algorithms",
    multiple=True,
    metavar="REF",
    shell_complete=complete_asset("algorithm"),
    help=both("To work on; may be repeated.", "要编辑的算法，可重复。"),
)
@click.option(
    "--dataset",
    "datasets",
    multiple=True,
    metavar="REF",
    shell_complete=complete_asset("dataset"),
    help=both("For reading; may be repeated.", "只读数据集，可重复。"),
)
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="REF",
    shell_complete=complete_asset("model"),
    help=both("For reading; may be repeated.", "只读模型，可重复。"),
)
@click.option("--save-model", metavar="NAME", help=both("Model to save into.", "保存到的模型。"))
@click.option(
    "--time-limit",
    "time_limit_s",
    type=click.FloatRange(60),
    metavar="SECONDS",
    help=both("Stopped after so long.", "运行时间上限（秒）。"),
)
@click.option(
    "--idle-limit",
    "idle_limit_s",
    type=click.FloatRange(60),
    metavar="SECONDS",
    help=both("Stopped when unused for so long.", "空闲时间上限（秒）。"),
)
@click.option("--password", metavar="TEXT", help=both("For SSH; made when left out.", "SSH 密码；不填则自动生成。"))
@click.option("--description", metavar="TEXT", help=both("Description.", "描述。"))
@click.option("--start", is_flag=True, default=None, help=both("Start it at once.", "立即启动。"))
@click.option("--wait", is_flag=True, help=both("With --start: wait until it runs.", "配合 --start：等待启动完成。"))
@with_run
def create(run: Run, name: str, wait: bool, **given: Any) -> None:
    settings: dict[str, Any] = {f: list(v) if isinstance(v, tuple) else v for f, v in given.items()}
    made = run.client.environments.create(name, **settings)
    if wait and made.workload is not None:
        _tell_password(run, made)
        _finish_start(run, made, wait=True)
        return
    run.done(made, "cli_created", name=made.name)
    _tell_password(run, made)


@env.command("list", help=both("Environments of the project.", "项目的开发环境。"))
@click.option("--state", type=STATES, help=both("Only this state.", "按状态筛选。"))
@list_options("name, created_at")
@with_run
def list_environments(run: Run, state: str | None, q: str | None, sort: str | None, options: Any) -> None:
    run.show_list(run.client.environments.list(state=state, q=q, sort=sort), COLUMNS, options)


@env.command("show", help=both("One environment.", "查看开发环境。"))
@click.argument("name", shell_complete=complete_environment)
@with_run
def show(run: Run, name: str) -> None:
    found = run.client.environments.get(name)
    fields = [(heading.capitalize(), get(found)) for heading, get in COLUMNS]
    message = found.workload.message if found.workload else None
    access = found.ssh.command if found.ssh else None
    run.show(found, [*fields, (both("Message", "信息"), message), ("SSH", access)])


@env.command("start", help=both("Start an environment.", "启动开发环境。"))
@click.argument("name", shell_complete=complete_environment)
@wait_option
@with_run
def start(run: Run, name: str, wait: bool) -> None:
    _finish_start(run, run.client.environments.start(name), wait=wait)


@env.command("stop", help=both("Stop an environment; its files stay.", "停止开发环境，文件保留。"))
@click.argument("name", shell_complete=complete_environment)
@wait_option
@with_run
def stop(run: Run, name: str, wait: bool) -> None:
    found = run.client.environments.stop(name)
    waits = run.client.environments.wait_stopped if wait else None
    finish(run, found, waits, describe=_how, begun="cli_stopping_now", done="cli_env_stopped", name=found.name)


@env.command("copy", help=both("A new environment with the same settings.", "以相同设置创建新环境。"))
@click.argument("source", shell_complete=complete_environment)
@click.argument("name")
@with_run
def copy(run: Run, source: str, name: str) -> None:
    made = run.client.environments.copy(source, name)
    run.done(made, "cli_created", name=made.name)
    _tell_password(run, made)


@env.command("password", help=both("Give it a new SSH password.", "设置新的 SSH 密码。"))
@click.argument("name", shell_complete=complete_environment)
@click.option("--password", metavar="TEXT", help=both("Made when left out.", "不填则自动生成。"))
@with_run
def set_password(run: Run, name: str, password: str | None) -> None:
    changed = run.client.environments.set_password(name, password)
    run.done(changed, "cli_changed", name=changed.name)
    _tell_password(run, changed)


@env.command("open", help=both("An address for the browser.", "获取浏览器访问地址。"))
@click.argument("name", shell_complete=complete_environment)
@click.option(
    "--app",
    type=click.Choice(["jupyter", "tensorboard", "port"]),
    default="jupyter",
    help=both("What to open.", "要打开的应用。"),
)
@click.option("--port", type=click.IntRange(1, 65535), help=both("With --app port.", "配合 --app port。"))
@with_run
def open_environment(run: Run, name: str, app: str, port: int | None) -> None:
    url = run.client.environments.open(name, app, port=port)
    run.show({"url": url}, [("URL", url)])


@env.command("logs", help=both("What an environment wrote.", "开发环境的输出。"))
@click.argument("name", shell_complete=complete_environment)
@log_options
@with_run
def logs(run: Run, name: str, wish: LogWish) -> None:
    found = run.client.environments.get(name)
    if found.workload is None:
        raise problem(Conflict, "cli_env_never_ran", name=found.name)
    show_log(run, found.workload.id, wish)


@env.command(
    "ssh",
    context_settings={"ignore_unknown_options": True},
    help=both("Go in by SSH; what follows is given to ssh.", "通过 SSH 进入；其后的参数传给 ssh。"),
)
@click.argument("name", shell_complete=complete_environment)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option("--print", "print_only", is_flag=True, help=both("Only print the command.", "仅输出命令。"))
@with_run
def ssh(run: Run, name: str, arguments: tuple[str, ...], print_only: bool) -> None:
    access = _running(run, name).ssh
    assert access is not None
    command = ["ssh", "-p", str(access.port), f"{access.user}@{access.host}", *arguments]
    if print_only or run.as_json:
        run.show({"command": shlex.join(command), **access.raw}, [("SSH", shlex.join(command))])
        return
    os.execvp("ssh", command)  # noqa: S606


@env.command("save-image", help=both("Save its software as an image.", "将其软件环境保存为镜像。"))
@click.argument("name", shell_complete=complete_environment)
@click.argument("image", metavar="NAME:VERSION")
@click.option("--description", metavar="TEXT", help=both("Description.", "描述。"))
@wait_option
@with_run
def save_image(run: Run, name: str, image: str, description: str | None, wait: bool) -> None:
    image_name, _, version = image.rpartition(":")
    if not image_name:
        raise click.UsageError(text("cli_image_name", given=image), click.get_current_context())
    made = run.client.environments.save_image(name, image_name, version, description=description)
    finish_image(run, made, wait=wait)


@env.command("delete", help=both("Delete an environment and its files.", "删除开发环境及其文件。"))
@click.argument("name", shell_complete=complete_environment)
@yes_option
@with_run
def delete(run: Run, name: str, yes: bool) -> None:
    confirm(yes, "cli_confirm_forever", name=name)
    run.client.environments.delete(name)
    run.done(None, "cli_deleted", name=name)


@click.group(cls=Group, help=both("Your SSH keys.", "您的 SSH 公钥。"))
def ssh_key() -> None:
    """Gathers the commands below."""


@ssh_key.command("list", help=both("Keys you come in with.", "可用于登录的公钥。"))
@list_options("", search=False)
@with_run
def list_keys(run: Run, options: Any) -> None:
    run.show_list(run.client.ssh_keys.list(), KEY_COLUMNS, options)


@ssh_key.command("add", help=both("Register a public key.", "添加公钥。"))
@click.argument("file", type=click.File("r", encoding="utf-8"))
@click.option("--name", metavar="NAME", help=both("Name; the key's comment when left out.", "名称；缺省为公钥注释。"))
@with_run
def add_key(run: Run, file: Any, name: str | None) -> None:
    made = run.client.ssh_keys.create(file.read().strip(), name)
    run.done(made, "cli_created", name=made.name)


@ssh_key.command("delete", help=both("Remove a key.", "删除公钥。"))
@click.argument("key", metavar="NAME")
@yes_option
@with_run
def delete_key(run: Run, key: str, yes: bool) -> None:
    confirm(yes, "cli_confirm_delete", name=key)
    run.client.ssh_keys.delete(key)
    run.done(None, "cli_deleted", name=key)


def _finish_start(run: Run, found: Environment, *, wait: bool) -> None:

    def until_running(begun: Environment, *, watch: Callable[[Environment], None]) -> Environment:
        running = run.client.environments.wait_running(begun, watch=watch)
        # The password that was made is told once, in the first answer: scripts are given it with the last.
        return replace(running, raw={**running.raw, "ssh": begun.raw["ssh"]})

    waits = until_running if wait else None
    finish(run, found, waits, describe=_how, begun="cli_env_started", done="cli_env_running", name=found.name)


def _how(found: Environment) -> tuple[str | None, ...]:
    return found.name, state_text(found.state), found.workload.message if found.workload else None


def _tell_password(run: Run, found: Environment) -> None:
    if found.ssh and found.ssh.password and not run.as_json:
        click.echo(text("cli_env_password", password=found.ssh.password))


def _running(run: Run, name: str) -> Environment:
    found = run.client.environments.get(name)
    if found.state != "running" or found.ssh is None or found.workload is None:
        raise problem(Conflict, "cli_env_no_ssh", name=found.name, state=state_text(found.state))
    return found
