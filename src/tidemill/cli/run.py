"""What every command is given: the connection, how to answer, and the options that all share."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tidemill.cli.output import Column, print_fields, print_json, print_table
from tidemill.cli.words import both, text

if TYPE_CHECKING:
    from tidemill.sdk import Client
    from tidemill.sdk.paging import Listing
    from tidemill.sdk.records import Record

T = TypeVar("T", bound="Record")
F = TypeVar("F", bound=Callable[..., Any])


class Run:
    """One run of a command."""

    def __init__(self, url: str | None, token: str | None, project: str | None, as_json: bool) -> None:
        self.url = url
        self.token = token
        self.project = project
        self.as_json = as_json

    @cached_property
    def client(self) -> "Client":
        from tidemill.sdk import Client

        return Client(self.url, self.token, self.project)

    def show(self, record: "Record | Mapping[str, Any]", fields: Sequence[tuple[str, Any]]) -> None:
        """One thing."""
        if self.as_json:
            print_json(getattr(record, "raw", record))
        else:
            print_fields(fields)

    def show_list(self, listing: "Listing[T]", columns: Sequence[Column[T]], options: Mapping[str, Any]) -> None:
        """A page of a list, or all of it."""
        page = listing.page(limit=options["limit"], cursor=options["cursor"])
        items, document = list(page.items), dict(page.raw)
        if options["everything"]:
            items, document = _read_on(listing, items, document)
        if self.as_json:
            print_json(document)
            return
        print_table(columns, items)
        if document.get("next"):
            total = document.get("total")
            click.echo(text("cli_more", shown=len(items), total="?" if total is None else total), err=True)

    def show_rows(self, rows: Sequence[T], columns: Sequence[Column[T]]) -> None:
        """A list that comes whole."""
        if self.as_json:
            print_json({"items": [row.raw for row in rows], "next": None, "total": len(rows)})
        else:
            print_table(columns, rows)

    def done(self, record: "Record | Mapping[str, Any] | None", code: str, **params: Any) -> None:
        """A change that was made: its result as JSON, or a sentence."""
        if self.as_json:
            print_json(getattr(record, "raw", record) if record is not None else {})
        else:
            click.echo(text(code, **params))


def with_run(function: F) -> F:
    """Gives a command its `Run` and the options all commands share."""

    @wraps(function)
    def command(*arguments: Any, **given: Any) -> Any:
        above = click.get_current_context().find_root().obj or {}
        run = Run(
            given.pop("url") or above.get("url"),
            given.pop("token") or above.get("token"),
            given.pop("project") or above.get("project"),
            given.pop("as_json"),
        )
        try:
            return function(run, *arguments, **given)
        finally:
            if "client" in run.__dict__:
                run.client.close()

    options = (
        click.option("--json", "as_json", is_flag=True, help=both("Print one JSON document.", "输出一个 JSON 文档。")),
        *connection_options(),
    )
    decorated: Any = command
    for option in reversed(options):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


def connection_options() -> tuple[Callable[[Any], Any], ...]:
    """Where, as whom, in which project; accepted before and after a command's name."""
    from tidemill.cli.completing import complete_project

    return (
        click.option(
            "--project",
            metavar="NAME",
            shell_complete=complete_project,
            help=both("Project to work in.", "要使用的项目。"),
        ),
        click.option("--url", metavar="URL", help=both("The server's address.", "服务器地址。")),
        click.option(
            "--token",
            metavar="TOKEN",
            help=both("API token (better: TIDEMILL_TOKEN).", "API 令牌（建议使用 TIDEMILL_TOKEN）。"),
        ),
    )


def list_options(sorts: str = "name, created_at", *, search: bool = True) -> Callable[[F], F]:
    """Options of every list, gathered into `options`; the rest of the command sees `q` and `sort`."""
    added = [
        click.option("--limit", type=click.IntRange(1, 200), default=50, help=both("Rows to show.", "显示的行数。")),
        click.option("--cursor", metavar="CURSOR", help=both("Go on from here (“next”).", "从此游标继续（“next”）。")),
        click.option("--all", "everything", is_flag=True, help=both("Show every row.", "显示全部行。")),
    ]
    if sorts:
        sort_help = both(f"Sort by {sorts}; -x for descending.", f"排序字段：{sorts}；加 - 表示降序。")
        added.insert(0, click.option("--sort", metavar="FIELD", help=sort_help))
    if search:
        added.insert(
            0, click.option("--search", "-q", "q", metavar="TEXT", help=both("Only what matches.", "按文字筛选。"))
        )

    def decorate(function: F) -> F:
        @wraps(function)
        def command(*arguments: Any, limit: int, cursor: str | None, everything: bool, **given: Any) -> Any:
            options = {"limit": limit, "cursor": cursor, "everything": everything}
            return function(*arguments, options=options, **given)

        decorated: Any = command
        for option in reversed(added):
            decorated = option(decorated)
        return decorated  # type: ignore[no-any-return]

    return decorate


def yes_option(function: F) -> F:
    """`--yes` for what cannot be taken back easily."""
    return click.option("--yes", "-y", is_flag=True, help=both("Do not ask.", "不再询问。"))(function)


def confirm(yes: bool, code: str, **params: Any) -> None:
    """Asks before going on; without a terminal to ask on, `--yes` must have been given."""
    if yes:
        return
    question = text(code, **params)
    if not sys.stdin.isatty():
        raise click.UsageError(text("cli_needs_yes", question=question), click.get_current_context())
    click.confirm(question, abort=True, err=True)


def ask_password(prompt_code: str, *, again: bool = False) -> str:
    """A password typed unseen, or the first line of what is piped in."""
    if sys.stdin.isatty():
        password: str = click.prompt(text(prompt_code), hide_input=True, confirmation_prompt=again, err=True)
        return password
    line = sys.stdin.readline().rstrip("\r\n")
    if not line:
        raise click.UsageError(text("cli_needs_password"), click.get_current_context())
    return line


def is_interactive() -> bool:
    """Whether somebody watches the progress."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def _read_on(listing: "Listing[T]", items: list[T], document: dict[str, Any]) -> tuple[list[T], dict[str, Any]]:
    raw_items = list(document["items"])
    while document.get("next"):
        page = listing.page(limit=200, cursor=document["next"])
        items += page.items
        raw_items += page.raw["items"]
        document["next"] = page.next
    return items, {**document, "items": raw_items, "next": None}
