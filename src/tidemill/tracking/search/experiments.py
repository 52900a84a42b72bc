"""Finding experiments by MLflow's words: `name LIKE 'a%' AND tags.team = 'x'`, `last_update_time DESC`."""

import base64
import binascii
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.errors import Invalid
from tidemill.tracking.search.conditions import compare
from tidemill.tracking.search.words import Words, parse_words
from tidemill.training.tables import ExperimentRow

_COLUMNS: dict[str, Any] = {
    "name": ExperimentRow.name,
    "experiment_id": ExperimentRow.id,
    "creation_time": ExperimentRow.created_at,
    "last_update_time": ExperimentRow.updated_at,
}
WORDS = Words(texts=("name", "experiment_id"), numbers=("creation_time", "last_update_time"))


def search_experiments(
    session: Session,
    *,
    project_id: str,
    filter_text: str,
    order_by: Sequence[str],
    view: str,
    limit: int,
    token: str | None,
) -> tuple[Sequence[ExperimentRow], str | None]:
    """A page, and how to get the next."""
    statement = sa.select(ExperimentRow).where(ExperimentRow.project_id == project_id)
    if view in ("ACTIVE_ONLY", "1"):
        statement = statement.where(ExperimentRow.deleted_at.is_(None))
    elif view in ("DELETED_ONLY", "2"):
        statement = statement.where(ExperimentRow.deleted_at.is_not(None))
    dialect = session.get_bind().dialect.name
    for term in parse_words(filter_text, WORDS):
        column: Any = ExperimentRow.tags[term.name].as_string() if term.is_tag else _COLUMNS[term.name]
        value = datetime.fromtimestamp(float(term.value) / 1000, UTC) if term.name in WORDS.numbers else term.value
        statement = statement.where(compare(column, term.operator, value, dialect))
    for text in order_by:
        statement = statement.order_by(_order(text))
    statement = statement.order_by(ExperimentRow.updated_at.desc(), ExperimentRow.id.desc())
    before = page_start(token)
    rows = session.scalars(statement.offset(before).limit(limit + 1)).all()
    return rows[:limit], page_token(before + limit) if len(rows) > limit else None


def _order(text: str) -> Any:
    found = re.fullmatch(r"\s*(?:attributes?\.)?(\w+)(?:\s+(ASC|DESC))?\s*", text, re.IGNORECASE)
    if found is None or found[1] not in _COLUMNS:
        raise Invalid("order_unknown", field="order_by", given=text[:100], allowed=", ".join(_COLUMNS))
    column = _COLUMNS[found[1]]
    return column.desc() if (found[2] or "").upper() == "DESC" else column.asc()


def page_token(before: int) -> str:
    return base64.urlsafe_b64encode(str(before).encode()).decode()


def page_start(token: str | None) -> int:
    """How many came before."""
    if not token:
        return 0
    try:
        found = int(base64.urlsafe_b64decode(token.encode()))
    except (ValueError, binascii.Error):
        raise Invalid("cursor_invalid", field="page_token") from None
    if not 0 <= found < 1 << 62:
        raise Invalid("cursor_invalid", field="page_token")
    return found
