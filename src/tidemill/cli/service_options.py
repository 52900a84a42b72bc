"""What is put behind a service and how it may be called, as options, gathered as the SDK takes them."""

import os
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from tidemill.cli.completing import complete_asset, complete_spec
from tidemill.cli.sizes import PairType, SizeType
from tidemill.cli.words import both, text

ROLES = click.Choice(["production", "canary"])
NO_LIMIT = "none"

Command = Callable[..., Any]

_WHAT = (
    click.option(
        "--model", metavar="MODEL[@V]", shell_complete=complete_asset("model"),
        help=both("A model version.", "模型版本。"),
    ),
    click.option(
        "--package", metavar="PACKAGE[@V]", shell_complete=complete_asset("package"),
        help=both("A package version.", "模型包版本。"),
    ),
    click.option("--run", "source_run", metavar="RUN", help=both("A finished run's model.", "已完成运行的模型。")),
    click.option("--spec", shell_complete=complete_spec, help=both("Size of each replica.", "每个副本的规格。")),
    click.option(
        "--env", "environment", type=PairType(), multiple=True,
        help=both("Environment variable; may be repeated.", "环境变量，可重复。"),
    ),
    click.option(
        "--secret", "secrets", multiple=True, metavar="NAME[=VALUE]",
        help=both(
            "Environment that is never shown; without a value it is taken from your own. May be repeated.",
            "不会显示的环境变量；不写值时取当前环境中的同名变量，可重复。",
        ),
    ),
)  # fmt: skip
_LIMITS = (
    click.option("--description", metavar="TEXT", help=both("Description.", "描述。")),
    click.option(
        "--cors", multiple=True, metavar="ORIGIN",
        help=both(
            "Web pages that may call it, such as https://app.example.com; * for all, none for none. May be repeated.",
            "允许调用的网页来源，如 https://app.example.com；* 表示全部，none 表示无，可重复。",
        ),
    ),
    click.option(
        "--max-body", "body_max_bytes", type=SizeType(),
        help=both("Largest request, such as 64MiB.", "请求大小上限，如 64MiB。"),
    ),
    click.option(
        "--timeout", "timeout_s", type=click.FloatRange(0.1, 3600), metavar="SECONDS",
        help=both("How long a request may take.", "单个请求的时限（秒）。"),
    ),
    click.option(
        "--rate", metavar="N",
        help=both("Requests a second at most; none for no limit.", "每秒请求上限；none 表示不限。"),
    ),
)  # fmt: skip

replicas_option = click.option("--replicas", type=click.IntRange(0), default=1, help=both("How many.", "副本数。"))


def role_option(default: str | None = "production") -> Callable[[Command], Command]:
    return click.option("--role", type=ROLES, default=default, help=both("Which track.", "哪个版本（生产或灰度）。"))


def what_options(function: Command) -> Command:
    """What is to run, in what: gathered into `what`, without what was not said."""

    @wraps(function)
    def command(*arguments: Any, source_run: str | None, **given: Any) -> Any:
        what = {name: given.pop(name) for name in ("model", "package", "spec")}
        what |= {"run": source_run, "environment": dict(given.pop("environment")) or None}
        what["secrets"] = dict(_secret(one) for one in given.pop("secrets")) or None
        return function(*arguments, what=_said(what), **given)

    return _with(command, _WHAT)


def limit_options(function: Command) -> Command:
    """How it may be called: gathered into `limits`, without what was not said."""

    @wraps(function)
    def command(*arguments: Any, cors: tuple[str, ...], rate: str | None, **given: Any) -> Any:
        limits = {name: given.pop(name) for name in ("description", "body_max_bytes", "timeout_s")}
        limits["cors"] = [origin for origin in cors if origin != NO_LIMIT] if cors else None
        said = _said(limits)
        if rate is not None:
            said["rate_per_s"] = None if rate == NO_LIMIT else _rate(rate)
        return function(*arguments, limits=said, **given)

    return _with(command, _LIMITS)


def require_one(what: dict[str, Any]) -> None:
    """Exactly one of a model, a package and a run."""
    if sum(name in what for name in ("model", "package", "run")) != 1:
        raise click.UsageError(text("cli_service_one_of"), click.get_current_context())


def _secret(given: str) -> tuple[str, str]:
    name, equals, value = given.partition("=")
    if equals:
        return name, value
    if name not in os.environ:
        raise click.UsageError(text("cli_service_secret", name=name), click.get_current_context())
    return name, os.environ[name]


def _rate(given: str) -> float:
    try:
        return float(given)
    except ValueError as error:
        raise click.UsageError(text("cli_service_rate", given=given), click.get_current_context()) from error


def _said(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


def _with(function: Command, options: tuple[Callable[[Command], Command], ...]) -> Command:
    for option in reversed(options):
        function = option(function)
    return function
