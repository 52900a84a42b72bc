"""The `tidemill` command: a table of what there is; each part is imported when it is called."""

import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from tidemill.cli.run import connection_options
from tidemill.cli.shell import LazyGroup
from tidemill.cli.words import both, text, usage_message
from tidemill.kernel.errors import TidemillError

COMMANDS = {
    "up": ("tidemill.cli.up:up", "Start Tidemill with embedded defaults.", "以内置默认设置启动 Tidemill。"),
    "login": ("tidemill.cli.account:login", "Sign in to a server.", "登录服务器。"),
    "logout": ("tidemill.cli.account:logout", "Sign out and revoke the token.", "退出登录并吊销令牌。"),
    "whoami": ("tidemill.cli.account:whoami", "Show who is signed in.", "显示当前用户。"),
    "password": ("tidemill.cli.account:password", "Change your password.", "修改密码。"),
    "status": ("tidemill.cli.status:status", "Overview: counts and storage.", "概览：数量与存储。"),
    "search": ("tidemill.cli.status:search", "Search names everywhere.", "全局搜索名称。"),
    "project": ("tidemill.cli.projects:project", "Projects and their members.", "项目及其成员。"),
    "dataset": ("tidemill.cli.datasets:dataset", "Datasets.", "数据集。"),
    "label-set": ("tidemill.cli.label_sets:label_set", "Reusable lists of labels.", "可复用的标签集。"),
    "algorithm": ("tidemill.cli.assets:algorithm", "Algorithms.", "算法。"),
    "model": ("tidemill.cli.assets:model", "Models.", "模型。"),
    "train": ("tidemill.cli.models:train", "Train a model from a dataset.", "从数据集训练模型。"),
    "evaluate": ("tidemill.cli.models:evaluate", "Measure a model on a dataset.", "在数据集上评估模型。"),
    "evaluation": ("tidemill.cli.models:evaluation", "Evaluations of models.", "模型评估。"),
    "annotate": ("tidemill.cli.annotate:annotate", "Auto-annotation and suggestions.", "自动标注与建议。"),
    "catalogue": ("tidemill.cli.models:catalogue", "Well-known models.", "模型目录。"),
    "task": ("tidemill.cli.tasks:task", "Training tasks.", "训练任务。"),
    "run": ("tidemill.cli.runs:run_group", "Runs of training tasks.", "训练任务的运行。"),
    "experiment": ("tidemill.cli.experiments:experiment", "Experiments and their runs.", "实验及其运行。"),
    "infer": ("tidemill.cli.infer:infer", "Batch inference.", "批量推理。"),
    "package": (
        "tidemill.cli.packages:package",
        "Packages: models with what serves them.",
        "模型包：模型及其服务方式。",
    ),
    "service": ("tidemill.cli.services:service", "Online services.", "在线服务。"),
    "env": ("tidemill.cli.environments:env", "Development environments.", "开发环境。"),
    "ssh-key": ("tidemill.cli.environments:ssh_key", "Your SSH keys.", "您的 SSH 公钥。"),
    "image": ("tidemill.cli.images:image", "Images.", "镜像。"),
    "workload": ("tidemill.cli.workloads:workload", "Everything that runs.", "运行中的一切。"),
    "spec": ("tidemill.cli.specs:spec", "Compute specs.", "计算规格。"),
    "machine": ("tidemill.cli.specs:machine", "Machines (administrators).", "机器（管理员）。"),
    "bin": ("tidemill.cli.recycling:bin_group", "The recycle bin.", "回收站。"),
    "job": ("tidemill.cli.jobs:job", "Background jobs.", "后台任务。"),
    "token": ("tidemill.cli.tokens:token", "Your API tokens.", "您的 API 令牌。"),
    "user": ("tidemill.cli.users:user", "Users (administrators).", "用户（管理员）。"),
    "group": ("tidemill.cli.groups:group", "User groups.", "用户组。"),
    "role": ("tidemill.cli.roles:role", "Roles and permissions.", "角色与权限。"),
    "audit": ("tidemill.cli.audit:audit", "The audit log.", "审计日志。"),
    "webhook": ("tidemill.cli.webhooks:webhook", "Webhooks of a project.", "项目的 Webhook。"),
    "system": ("tidemill.cli.system:system", "The platform itself (administrators).", "平台本身（管理员）。"),
    "completion": ("tidemill.cli.completion:completion", "Shell completion script.", "命令行补全脚本。"),
}


def _print_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from tidemill import __version__

        click.echo(f"tidemill {__version__}")
        ctx.exit()


@click.pass_context
def _remember(ctx: click.Context, /, **given: Any) -> None:
    ctx.obj = given


root = LazyGroup(
    "tidemill",
    callback=_remember,
    help=both(
        "Tidemill: data, algorithms, models, from the command line.", "Tidemill：在命令行中管理数据、算法与模型。"
    ),
    places=COMMANDS,
    params=[],
)
for _option in connection_options():
    root = _option(root)
root.params.append(
    click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_print_version,
        help=both("Show the version and exit.", "显示版本并退出。"),
    )
)


def main(arguments: Sequence[str] | None = None) -> None:
    """The entry point; ends the process with 0, 1 (it went wrong), 2 (wrongly called) or 130 (interrupted)."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line; its exit code."""
    try:
        code = root.main(arguments, prog_name="tidemill", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.UsageError as error:
        return _tell_usage(error)
    except click.Abort:
        click.echo(text("cli_aborted"), err=True)
        return 130
    except click.ClickException as error:
        click.echo(text("cli_error", message=error.format_message()), err=True)
        return 1
    except TidemillError as error:
        return _tell_error(error)
    except BrokenPipeError:
        # The reader had enough (`| head`); that is no mistake. Python would complain once more on closing stdout.
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        return 0


def _tell_usage(error: click.UsageError) -> int:
    if error.ctx is not None:
        click.echo(error.ctx.get_usage(), err=True)
    click.echo(text("cli_error", message=usage_message(error)), err=True)
    if error.ctx is not None:
        click.echo(text("cli_hint", hint=text("cli_try_help", command=error.ctx.command_path)), err=True)
    return 2


def _tell_error(error: TidemillError) -> int:
    from tidemill.cli.telling import tell

    tell(error)
    return 1


if __name__ == "__main__":
    main()
