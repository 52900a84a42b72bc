"""`tidemill token`"""

from typing import Any

import click

from tidemill.cli.output import Column, print_json
from tidemill.cli.run import Run, confirm, list_options, with_run, yes_option
from tidemill.cli.shell import Group
from tidemill.cli.words import both, text
from tidemill.kernel.errors import Conflict, NotFound
from tidemill.sdk.language import problem
from tidemill.sdk.views import Token

COLUMNS: list[Column[Token]] = [
    (both("NAME", "名称"), lambda t: t.name),
    (both("ID", "编号"), lambda t: t.id),
    (both("PROJECT", "项目"), lambda t: t.project),
    (both("SCOPES", "权限范围"), lambda t: t.scopes),
    (both("EXPIRES", "到期"), lambda t: t.expires_at),
    (both("LAST USED", "最近使用"), lambda t: t.last_used_at),
]


@click.group(cls=Group, help=both("Your API tokens.", "您的 API 令牌。"))
def token() -> None:
    """Gathers the commands below."""


@token.command("create", help=both("Make a token; it is shown once.", "创建令牌；仅显示一次。"))
@click.argument("name")
@click.option(
    "--days",
    type=click.IntRange(1, 3650),
    help=both("Days it is good for; always when left out.", "有效天数；不填则长期有效。"),
)
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    metavar="PERMISSION",
    help=both("Only this permission; may be repeated.", "仅限此权限，可重复。"),
)
@click.option("--only-project", metavar="NAME", help=both("Good for this project only.", "仅限此项目。"))
@with_run
def create(run: Run, name: str, days: int | None, scopes: tuple[str, ...], only_project: str | None) -> None:
    made = run.client.tokens.create(name, days=days, scopes=scopes, project=only_project)
    if run.as_json:
        print_json(made.raw)
        return
    click.echo(made.token)
    click.echo(text("cli_token_once"), err=True)


@token.command("list", help=both("Your tokens.", "您的令牌。"))
@list_options("", search=False)
@with_run
def list_tokens(run: Run, options: Any) -> None:
    run.show_list(run.client.tokens.list(), COLUMNS, options)


@token.command("revoke", help=both("End a token, by name or id.", "按名称或编号吊销令牌。"))
@click.argument("name")
@yes_option
@with_run
def revoke(run: Run, name: str, yes: bool) -> None:
    found = _find(run, name)
    confirm(yes, "cli_confirm_token", name=found.name)
    run.client.tokens.revoke(found.id)
    run.done(None, "cli_token_revoked", name=found.name)


def _find(run: Run, name: str) -> Token:
    """By id, or by name when just one token has it."""
    found = [token for token in run.client.tokens.list() if name in {token.id, token.name}]
    if not found:
        raise problem(NotFound, "cli_token_unknown", name=name)
    if len(found) > 1:
        raise problem(Conflict, "cli_token_several", name=name, ids=", ".join(token.id for token in found))
    return found[0]
