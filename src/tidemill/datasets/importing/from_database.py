"""The rows of a query to MySQL, MariaDB or PostgreSQL.

All rows are written to a file first, in one transaction that only reads: the import then reads the same rows in the
same order however often it is interrupted, and the database is not kept waiting for it.
"""

import base64
import datetime
import decimal
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from tidemill.datasets.formats.base import Label, Sample
from tidemill.datasets.importing.feeds import Record
from tidemill.datasets.notes import Note, Refused
from tidemill.datasets.reasons import Malformed, why
from tidemill.datasets.sources.naming import path_of
from tidemill.datasets.works import guard
from tidemill.datasets.works.office import Office

FETCHED = 1000
CONNECT_S = 15
QUERY_S = 3600
_NO_ANSWER = frozenset({2002, 2003, 2005, 2006, 2013})
_BYTES_KEY = "\x00bytes"
_KINDS = ((b"\xff\xd8\xff", ".jpg"), (b"\x89PNG", ".png"), (b"GIF8", ".gif"), (b"BM", ".bmp"), (b"RIFF", ".wav"),
          (b"ID3", ".mp3"), (b"fLaC", ".flac"), (b"OggS", ".ogg"), (b"II*\x00", ".tif"), (b"MM\x00*", ".tif"),
          (b"%PDF", ".pdf"))  # fmt: skip


def fetch_rows(office: Office, asked: dict[str, Any], file: Path) -> None:
    """Writes the rows, one line of JSON each, unless an earlier attempt did."""
    if file.exists():
        return
    aside = file.with_suffix(".part")
    run = _postgresql_rows if asked["type"] == "postgresql" else _mysql_rows
    with aside.open("wb") as out:
        for count, row in enumerate(run(asked)):
            if count >= asked["limit"]:
                break
            out.write(orjson.dumps(row, default=_plain, option=orjson.OPT_APPEND_NEWLINE))
            if count % FETCHED == 0:
                office.progress("fetching", now=False)
    aside.rename(file)


def row_records(file: Path, asked: dict[str, Any], data_type: str) -> Iterator[Record]:
    """A sample for each row."""
    columns, seen = asked["columns"], set[str]()
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            row = orjson.loads(line)
            if number == 1 and (missing := _missing(columns, row)):
                raise Refused("query_column_missing", column=missing, columns=", ".join(row))
            for record in _row(number, row, columns, data_type):
                if isinstance(record, Label):
                    if record.name in seen:
                        continue
                    seen.add(record.name)
                yield record


def count_rows(file: Path) -> int:
    with file.open("rb") as lines:
        return sum(1 for _ in lines)


def _row(number: int, row: dict[str, Any], columns: dict[str, Any], data_type: str) -> Iterator[Record]:
    content = row.get(columns["content"]) if columns["content"] else None
    if columns["content"] and content is None:
        yield Note("row_empty", line=number)
        return
    annotations = _classes(row, columns)
    if columns["annotations"] and row.get(columns["annotations"]):
        try:
            annotations += _given(row[columns["annotations"]])
        except ValueError as error:
            yield Note("row_annotations_broken", line=number, level="changed", params=why(error))
    for one in annotations:
        if one.get("label"):
            yield Label(str(one["label"]))
    data, suffix = _content(content if columns["content"] else row, data_type)
    try:
        path = path_of(str(row[columns["path"]])) if columns["path"] and row.get(columns["path"]) else f"{number:07d}"
    except Refused as refused:
        yield refused.note
        return
    if "." not in path.rpartition("/")[2]:
        path += suffix
    used = {columns[name] for name in ("content", "path", "annotations")}
    info = {"row": {name: _text(value) for name, value in row.items() if name not in used}, "line": number}
    split = row.get(columns["split"]) if columns["split"] else None
    yield Sample(path, data, annotations, info=info, split=str(split) if split else None)


def _classes(row: dict[str, Any], columns: dict[str, Any]) -> list[dict[str, Any]]:
    value = row.get(columns["label"]) if columns["label"] else None
    if value is None or value == "":
        return []
    text = str(value)
    names = text.split(columns["separator"]) if columns["separator"] else [text]
    return [{"type": "class", "label": name.strip()} for name in names if name.strip()]


def _given(value: Any) -> list[dict[str, Any]]:
    found = orjson.loads(value) if isinstance(value, str | bytes) else value
    if not isinstance(found, list) or not all(isinstance(one, dict) and "type" in one for one in found):
        raise Malformed("no_list_of_annotations")
    return found


def _content(value: Any, data_type: str) -> tuple[bytes, str]:
    if isinstance(value, dict) and _BYTES_KEY in value:
        data = base64.b64decode(value[_BYTES_KEY])
        suffix = next((suffix for magic, suffix in _KINDS if data.startswith(magic)), ".bin")
        return data, ".txt" if data_type == "text" and suffix == ".bin" else suffix
    if isinstance(value, dict):
        clean = {name: _text(inner) for name, inner in value.items()}
        return orjson.dumps(clean, option=orjson.OPT_INDENT_2), ".json"
    return str(value).encode(), ".txt"


def _text(value: Any) -> Any:
    return "(bytes)" if isinstance(value, dict) and _BYTES_KEY in value else value


def _missing(columns: dict[str, Any], row: dict[str, Any]) -> str | None:
    wanted = [columns[name] for name in ("content", "path", "label", "annotations", "split") if columns[name]]
    return next((name for name in wanted if name not in row), None)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes | bytearray | memoryview):
        return {_BYTES_KEY: base64.b64encode(bytes(value)).decode()}
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    return str(value)


def _password() -> str:
    return os.environ.get("TIDEMILL_IMPORT_PASSWORD", "")


def _postgresql_rows(asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    import psycopg
    from psycopg.rows import dict_row

    port = asked["port"] or 5432
    try:
        with psycopg.connect(
            host=asked["host"],
            # The driver would look the name up itself.
            hostaddr=guard.resolve(asked["host"], port),
            port=port,
            dbname=asked["database"],
            user=asked["user"],
            password=_password(),
            connect_timeout=CONNECT_S,
            sslmode={"prefer": "prefer", "require": "require", "off": "disable"}[asked["tls"]],
            options=f"-c default_transaction_read_only=on -c statement_timeout={QUERY_S * 1000}",
        ) as connection:
            connection.read_only = True
            with connection.cursor("tidemill_import", row_factory=dict_row) as cursor:
                cursor.itersize = FETCHED
                cursor.execute(asked["query"])
                yield from cursor
    except (psycopg.Error, OSError) as error:
        raise Refused("query_failed", asked["host"], reason=_said(error)) from error


def _mysql_rows(asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    import ssl

    import pymysql
    from pymysql.cursors import SSDictCursor

    context = None
    if asked["tls"] == "require":
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        connection = pymysql.connect(
            host=asked["host"],
            port=asked["port"] or 3306,
            database=asked["database"],
            user=asked["user"],
            password=_password(),
            charset="utf8mb4",
            connect_timeout=CONNECT_S,
            read_timeout=QUERY_S,
            ssl=context,
            ssl_disabled=asked["tls"] == "off" or None,
            local_infile=False,
            cursorclass=SSDictCursor,
        )
        with connection, connection.cursor() as cursor:
            cursor.execute("START TRANSACTION READ ONLY")
            cursor.execute(asked["query"])
            while rows := cursor.fetchmany(FETCHED):
                yield from rows
    except (pymysql.MySQLError, OSError) as error:
        raise Refused("query_failed", asked["host"], reason=_said(error)) from error


def _said(error: Exception) -> str:
    """The database's own words; a code of ours where it said nothing."""
    if isinstance(error, guard.Unreachable) or isinstance(error.__cause__, guard.Unreachable):
        return "address_forbidden"
    if isinstance(error, OSError):
        return "no_answer"
    if len(error.args) == 2 and isinstance(error.args[0], int):
        # MySQL's: a number and the words; the client's own numbers begin at 2000.
        number, words = error.args
        return "no_answer" if number in _NO_ANSWER else str(words).replace("\n", " ").strip()[:500]
    return str(error).replace("\n", " ").strip()[:500] or "no_answer"
