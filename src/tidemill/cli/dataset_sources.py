"""Where an import comes from, as the command line is told."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from tidemill.cli.words import both

F = TypeVar("F", bound=Callable[..., Any])


def import_options(function: F) -> F:
    """Options for sources beyond files that are sent. Passwords and keys come from the environment only."""
    options = (
        click.option("--server-path", metavar="PATH", help=both("A folder of the server.", "服务器目录。")),
        click.option(
            "--s3",
            metavar="BUCKET/PREFIX",
            help=both(
                "A bucket; keys from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.", "存储桶，密钥取自 AWS 环境变量。"
            ),
        ),
        click.option("--endpoint", metavar="URL", help=both("The bucket's server.", "存储桶服务地址。")),
        click.option(
            "--database",
            metavar="URL",
            help=both(
                "postgresql://user@host/name or mysql://…; the password from TIDEMILL_DATABASE_PASSWORD.",
                "postgresql://user@host/name 或 mysql://…；密码取自 TIDEMILL_DATABASE_PASSWORD。",
            ),
        ),
        click.option("--query", metavar="SQL", help=both("Rows to import.", "要导入的查询。")),
        click.option(
            "--column",
            "columns",
            multiple=True,
            metavar="ROLE=NAME",
            help=both(
                "content, path, label, annotations, split, separator.",
                "列：content、path、label、annotations、split、separator。",
            ),
        ),
        click.option(
            "--tls",
            type=click.Choice(["prefer", "require", "off"]),
            default="prefer",
            help=both("Encryption to the database.", "数据库连接加密。"),
        ),
        click.option(
            "--addresses",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help=both("A file with an address a line, a label after a tab.", "每行一个地址的文件，可用制表符跟标签。"),
        ),
        click.option(
            "--dataset", "from_dataset", metavar="[PROJECT/]NAME[@N]", help=both("Another dataset.", "另一个数据集。")
        ),
        click.option(
            "--without-annotations", is_flag=True, help=both("Items alone, of another dataset.", "仅数据，不含标注。")
        ),
        click.option(
            "--options", "format_options", metavar="JSON", help=both("Options of the format.", "格式选项（JSON）。")
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def read_source(given: dict[str, Any]) -> dict[str, Any] | None:
    """The source that the options name; None where files are sent."""
    if given["format_options"]:
        given["options"] = read_options(given["format_options"])
    if given["server_path"]:
        return {"type": "server", "path": given["server_path"]}
    if given["s3"]:
        return _bucket(given["s3"], given["endpoint"])
    if given["query"]:
        return _query(given)
    if given["addresses"]:
        return {"type": "addresses", "addresses": _addresses(given["addresses"])}
    if given["from_dataset"]:
        from tidemill.sdk.refs import parse_ref

        ref = parse_ref(given["from_dataset"])
        found: dict[str, Any] = {"type": "dataset", "dataset": ref.name, "version": ref.version or "latest"}
        found["with_annotations"] = not given["without_annotations"]
        return {**found, "project": ref.project} if ref.project else found
    return None


def _bucket(place: str, endpoint: str | None) -> dict[str, Any]:
    bucket, _, prefix = place.removeprefix("s3://").partition("/")
    found: dict[str, Any] = {"type": "s3", "bucket": bucket, "prefix": prefix}
    beside = {
        "endpoint": endpoint or os.environ.get("AWS_ENDPOINT_URL"),
        "region": os.environ.get("AWS_REGION"),
        "access_key": os.environ.get("AWS_ACCESS_KEY_ID"),
        "secret_key": os.environ.get("AWS_SECRET_ACCESS_KEY"),
    }
    return found | {name: value for name, value in beside.items() if value}


def _query(given: dict[str, Any]) -> dict[str, Any]:
    from urllib.parse import unquote, urlsplit

    parts = urlsplit(given["database"] or "")
    kinds = {"postgresql": "postgresql", "postgres": "postgresql", "mysql": "mysql", "mariadb": "mysql"}
    if parts.scheme not in kinds or not parts.hostname:
        raise click.BadParameter("postgresql://user@host/name, mysql://user@host/name", param_hint="--database")
    found: dict[str, Any] = {
        "type": kinds[parts.scheme],
        "host": parts.hostname,
        "database": unquote(parts.path.lstrip("/")),
        "user": unquote(parts.username or ""),
        "password": os.environ.get("TIDEMILL_DATABASE_PASSWORD") or unquote(parts.password or ""),
        "query": given["query"],
        "columns": dict(pair.partition("=")[::2] for pair in given["columns"]),
        "tls": given["tls"],
    }
    return {**found, "port": parts.port} if parts.port else found


def _addresses(file: Path) -> list[dict[str, str]]:
    found = []
    for line in file.read_text("utf-8-sig").splitlines():
        url, _, label = line.strip().partition("\t")
        if url:
            found.append({"url": url, **({"label": label.strip()} if label.strip() else {})})
    return found


def read_options(told: str) -> dict[str, Any]:
    """Options of a format, told as JSON."""
    try:
        found = json.loads(told)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--options") from None
    if not isinstance(found, dict):
        raise click.BadParameter('{"name": value, …}', param_hint="--options")
    return found
