"""The command line's own words, in the terminal's language."""

import os
from typing import Any

import click

from tidemill.kernel import i18n


def both(english: str, chinese: str) -> str:
    """Help and headings: the two languages beside each other, where they are used."""
    return chinese if language() == "zh-CN" else english


def text(code: str, **params: Any) -> str:
    """A message of the catalogue."""
    return i18n.message(code, language(), **params)


def language() -> i18n.Language:
    """The terminal's language."""
    return i18n.locale_language(os.environ)


def usage_message(error: click.UsageError) -> str:
    """Click says what was wrong in English; the common cases are said in Chinese here."""
    if language() != "zh-CN":
        return error.format_message()
    if isinstance(error, click.MissingParameter):
        return text("cli_usage_missing", name=_parameter_name(error))
    if isinstance(error, click.NoSuchCommand):
        return text("cli_usage_no_command", name=error.command_name)
    if isinstance(error, click.NoSuchOption):
        return text("cli_usage_no_option", name=error.option_name)
    if isinstance(error, click.BadParameter):
        return text("cli_usage_bad_value", name=_parameter_name(error), reason=_reason(error))
    return error.format_message()


def _parameter_name(error: click.BadParameter) -> str:
    if error.param is None:
        return str(error.param_hint or "")
    return error.param.opts[0] if isinstance(error.param, click.Option) else error.param.make_metavar(_context(error))


def _context(error: click.UsageError) -> click.Context:
    return error.ctx or click.Context(click.Command("tidemill"))


def _reason(error: click.BadParameter) -> str:
    kind = error.param.type if error.param is not None else None
    if isinstance(kind, click.Choice):
        return text("cli_usage_choose", choices=", ".join(str(choice) for choice in kind.choices))
    if isinstance(kind, click.IntRange):
        return text("cli_usage_range", low=kind.min, high=kind.max if kind.max is not None else "∞")
    if kind is click.INT:
        return text("cli_usage_whole_number")
    return error.message
