"""Command and group classes: help in both languages, commands loaded when they are used."""

from importlib import import_module
from typing import Any

import click

from tidemill.cli.words import both

_HEADINGS = {"Options": "选项", "Commands": "命令", "Arguments": "参数"}


class Formatter(click.HelpFormatter):
    """Headings in the user's language."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, args, both("Usage: ", "用法：") if prefix is None else prefix)

    def write_heading(self, heading: str) -> None:
        super().write_heading(both(heading, _HEADINGS.get(heading, heading)))


class Context(click.Context):
    formatter_class = Formatter


class Command(click.Command):
    """A command."""

    context_class = Context

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        return _in_our_words(super().get_help_option(ctx))


class Group(click.Group):
    """A command with commands below it."""

    context_class = Context
    command_class = Command
    group_class = type

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        return _in_our_words(super().get_help_option(ctx))


class LazyGroup(Group):
    """Knows its commands by name and by what help says of them, and imports one only when it is called."""

    def __init__(self, *arguments: Any, places: dict[str, tuple[str, str, str]], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._places = places

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in self._places:
            return None
        module, _, attribute = self._places[cmd_name][0].partition(":")
        found: click.Command = getattr(import_module(module), attribute)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, both(english, chinese)) for name, (_, english, chinese) in self._places.items()])


def _in_our_words(option: click.Option | None) -> click.Option | None:
    if option is not None:
        option.help = both("Show this and exit.", "显示帮助并退出。")
    return option
