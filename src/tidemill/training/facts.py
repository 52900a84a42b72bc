"""Parameters and tags of runs: written so that any of them can be sorted and searched by."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.db import in_batches
from tidemill.training.tables import ParameterRow, RunRow, TagRow

SORTED_BY_FIRST = 100
"""Characters of a value that it is sorted by."""


def parameter_values(value: str) -> dict[str, Any]:
    """The columns a parameter's value is kept in."""
    return {"value": value, "sort_key": value[:SORTED_BY_FIRST], "number": find_number(value)}


def find_number(text: str) -> float | None:
    """The finite number that the text is."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def plain(value: object) -> str:
    """A parameter's value as text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def add_parameters(session: Session, run: RunRow, parameters: Mapping[str, object]) -> None:
    """Writes the parameters of a run that has none yet."""
    rows = [
        {"run_id": run.id, "experiment_id": run.experiment_id, "key": key, **parameter_values(plain(value))}
        for key, value in parameters.items()
    ]
    if rows:
        session.execute(sa.insert(ParameterRow), rows)


def add_tags(session: Session, run: RunRow, tags: Mapping[str, str]) -> None:
    """Writes the tags of a run that has none yet."""
    rows = [{"run_id": run.id, "key": key, "value": value} for key, value in tags.items()]
    if rows:
        session.execute(sa.insert(TagRow), rows)


def load_parameters(session: Session, run_ids: Sequence[str]) -> dict[str, dict[str, str]]:
    """By run, in the order of their names."""
    return _load(session, ParameterRow, run_ids)


def load_tags(session: Session, run_ids: Sequence[str]) -> dict[str, dict[str, str]]:
    """By run, in the order of their names."""
    return _load(session, TagRow, run_ids)


def _load(
    session: Session, table: type[ParameterRow] | type[TagRow], run_ids: Sequence[str]
) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {run_id: {} for run_id in run_ids}
    for ids in in_batches(run_ids):
        rows = sa.select(table.run_id, table.key, table.value).where(table.run_id.in_(ids))
        for run_id, key, value in session.execute(rows.order_by(table.run_id, table.key)):
            found[run_id][key] = value
    return found
