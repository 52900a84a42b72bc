"""Errors on stderr: what, which field, what to do about it."""

from collections.abc import Iterator, Mapping
from typing import Any

import click

from tidemill.cli.output import cell
from tidemill.cli.words import language, text
from tidemill.kernel.errors import TidemillError, Unauthenticated
from tidemill.sdk.language import worded

MOST = 20


def tell(error: TidemillError) -> None:
    """Prints an error for people."""
    worded(error, language())
    click.echo(text("cli_error", message=cell(error.message or error.code)), err=True)
    for line in _details(error):
        click.echo(f"  {line}", err=True)
    hint = text("cli_sign_in_hint") if isinstance(error, Unauthenticated) else error.hint
    if hint:
        click.echo(text("cli_hint", hint=cell(hint)), err=True)
    if error.code == "internal" and error.request_id:
        click.echo(text("cli_request_id", request_id=error.request_id), err=True)


def _details(error: TidemillError) -> Iterator[str]:
    """Each broken field, each thing in the way."""
    details = error.details
    if isinstance(details, Mapping) or not details:
        return
    lines = [line for detail in details if (line := _detail(detail)) and line != error.message]
    if error.code == "invalid" and len(lines) < 2:
        return
    yield from lines[:MOST]
    if len(lines) > MOST:
        yield f"… {len(lines) - MOST}"


def _detail(detail: Any) -> str:
    if not isinstance(detail, Mapping):
        return cell(detail)
    if "message" in detail:
        return cell(detail["message"])
    if "name" not in detail:
        return cell(", ".join(f"{name}={value}" for name, value in detail.items()))
    name = f"{detail['name']}@{detail['version']}" if detail.get("version") else detail["name"]
    return cell(" ".join(str(part) for part in (detail.get("kind"), name, detail.get("project")) if part))
