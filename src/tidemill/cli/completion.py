"""`tidemill completion`"""

import click
from click.shell_completion import get_completion_class

from tidemill.cli.shell import Command
from tidemill.cli.words import both


@click.command(
    cls=Command,
    help=both(
        'Print a script that completes commands and names. For bash: eval "$(tidemill completion bash)"',
        '输出补全命令与名称的脚本。bash 用法：eval "$(tidemill completion bash)"',
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    script = get_completion_class(shell)
    assert script is not None, "click completes all the shells offered above"
    click.echo(script(ctx.find_root().command, {}, "tidemill", "_TIDEMILL_COMPLETE").source())
