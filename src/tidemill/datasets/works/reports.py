"""Reports: kept in parts as the work goes on, told in the reader's language."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import orjson
import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.datasets.notes import Note
from tidemill.datasets.tables import ReportPartRow, WorkRow
from tidemill.datasets.works.schemas import NotePage, NoteView
from tidemill.kernel import i18n
from tidemill.kernel.db import Database
from tidemill.kernel.i18n import Language

LINES_MAX = 500_000
"""Lines that are kept; what comes after is only counted."""
PAGE = 200
_HEADINGS: dict[str, tuple[str, ...]] = {
    "en": ("level", "file", "line", "code", "message"),
    "zh-CN": ("级别", "文件", "行", "代码", "说明"),
}
ReportFormat = Literal["jsonl", "csv"]
MEDIA = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}


def append(session: Session, row: WorkRow, notes: Sequence[dict[str, Any]]) -> None:
    """Adds lines to the report and to the counts by code; in the transaction of what they are about."""
    if not notes:
        return
    counts = dict(row.counts)
    codes: dict[str, int] = dict(counts.get("notes", {}))
    for note in notes:
        codes[note["code"]] = codes.get(note["code"], 0) + 1
    row.counts = {**counts, "notes": codes}
    kept = notes[: max(0, LINES_MAX - row.notes_count)]
    if kept:
        text = b"\n".join(map(orjson.dumps, kept)).decode()
        session.add(ReportPartRow(work_id=row.id, part=row.parts, first=row.notes_count, lines=text))
        row.parts += 1
    row.notes_count += len(notes)


def page(session: Session, row: WorkRow, after: int, language: Language) -> NotePage:
    """Lines from number `after` on."""
    lines: list[dict[str, Any]] = []
    starts = sa.select(ReportPartRow).where(ReportPartRow.work_id == row.id, ReportPartRow.first <= after)
    first = session.scalar(starts.order_by(ReportPartRow.part.desc()).limit(1))
    part = first.part if first else 0
    while len(lines) < PAGE and (found := session.get(ReportPartRow, (row.id, part))):
        skipped = max(0, after - found.first)
        lines += [orjson.loads(line) for line in found.lines.split("\n")[skipped:]]
        part += 1
    shown = lines[:PAGE]
    more = after + len(shown) < min(row.notes_count, LINES_MAX)
    return NotePage(
        items=[view(line, language) for line in shown],
        next=after + len(shown) if shown and more else None,
        total=row.notes_count,
    )


def stream(
    db: Database, work_id: str, format: ReportFormat, language: Language, head: dict[str, Any]
) -> Iterator[bytes]:
    """The whole report as a file, part by part."""
    if format == "csv":
        # With the mark that makes spreadsheets read it as UTF-8.
        yield "\ufeff".encode() + _csv([_HEADINGS[language]])
    else:
        yield orjson.dumps(head) + b"\n"
    part = 0
    while True:
        with db.read() as session:
            found = session.get(ReportPartRow, (work_id, part))
        if found is None:
            return
        views = [view(orjson.loads(line), language) for line in found.lines.split("\n")]
        if format == "csv":
            yield _csv([(one.level, one.path, one.line, one.code, one.message) for one in views])
        else:
            yield b"".join(orjson.dumps(one.model_dump()) + b"\n" for one in views)
        part += 1


def view(line: dict[str, Any], language: Language) -> NoteView:
    return NoteView(
        level=line.get("level", "skipped"),
        code=line["code"],
        path=line.get("path", ""),
        line=line.get("line"),
        message=words(line, language),
    )


def words(line: dict[str, Any], language: Language) -> str:
    """What a line says: words of readers and writers, or of the rooms that refused an item."""
    code, params = line["code"], line.get("params") or {}
    try:
        return Note(code, line.get("path", ""), line.get("line"), params=params).words(language)
    except KeyError:
        if code not in i18n.catalogue():
            return str(code)
        told = i18n.message(code, language, **{"path": line.get("path", ""), **params})
        if "{" not in told or "message" not in params:
            return told
        # Of what a room refused only its words may have come, without what belongs into them.
        message = params["message"]
        return str(message[language] if isinstance(message, dict) else message)


def _csv(rows: Sequence[Sequence[Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)
    for row in rows:
        writer.writerow([_harmless(value) for value in row])
    return text.getvalue().encode()


def _harmless(value: Any) -> Any:
    """Spreadsheets take text that begins like a formula for one."""
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value
