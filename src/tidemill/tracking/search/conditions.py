"""Comparisons as the database understands them."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import aliased

from tidemill.tracking.search.parsing import Field, Term
from tidemill.tracking.states import STATES
from tidemill.training.tables import ParameterRow, RunRow, SeriesRow, TagRow

_COMPARED: dict[str, Any] = {
    "=": lambda column, value: column == value,
    "!=": lambda column, value: column != value,
    "<": lambda column, value: column < value,
    "<=": lambda column, value: column <= value,
    ">": lambda column, value: column > value,
    ">=": lambda column, value: column >= value,
    "IN": lambda column, value: column.in_(value),
    "NOT IN": lambda column, value: column.not_in(value),
}

_AS_GLOB = str.maketrans({"%": "*", "_": "?", "*": "[*]", "?": "[?]", "[": "[[]"})


def condition(term: Term, dialect: str) -> sa.ColumnElement[bool]:
    """Whether the comparison holds for a row of runs."""
    match term.field.entity:
        case "metric":
            return _has_metric(term)
        case "parameter":
            return _has_word(ParameterRow, term, dialect)
        case "tag":
            return _has_word(TagRow, term, dialect)
        case "dataset":
            return _has_dataset(term, dialect)
        case _:
            return _is_so(term, dialect)


def attribute(field: Field) -> Any:
    """The column of an attribute."""
    columns: dict[str, Any] = {
        "run_id": RunRow.id,
        "run_name": RunRow.name,
        "status": RunRow.state,
        "start_time": RunRow.start_ms,
        "end_time": RunRow.end_ms,
        "user_id": RunRow.created_by,
        "artifact_uri": "mlflow-artifacts:/" + RunRow.experiment_id + "/" + RunRow.id + "/artifacts",
    }
    return columns[field.name]


def _has_metric(term: Term) -> sa.ColumnElement[bool]:
    # A table of its own: the one that is sorted by may be the same.
    curve = aliased(SeriesRow)
    named = sa.select(curve.id).where(curve.run_id == RunRow.id, curve.key == term.field.name)
    counts = named.where(curve.experiment_id.is_not(None), _COMPARED[term.operator](curve.last_value, term.value))
    return counts.correlate(RunRow).exists()


def _has_word(table: Any, term: Term, dialect: str) -> sa.ColumnElement[bool]:
    word: Any = aliased(table)
    named = sa.select(word.key).where(word.run_id == RunRow.id, word.key == term.field.name).correlate(RunRow)
    if term.operator == "IS NULL":
        return ~named.exists()
    if term.operator == "IS NOT NULL":
        return named.exists()
    return named.where(compare(word.value, term.operator, term.value, dialect)).exists()


def _is_so(term: Term, dialect: str) -> sa.ColumnElement[bool]:
    column = attribute(term.field)
    if term.operator == "IS NULL":
        return sa.false()
    if term.operator == "IS NOT NULL":
        return sa.true()
    if term.field.name == "status":
        return compare(_status(), term.operator, term.value, dialect)
    return compare(column, term.operator, term.value, dialect)


def _status() -> sa.ColumnElement[str]:
    """The state in MLflow's word for it."""
    return sa.case(STATES, value=RunRow.state, else_="RUNNING")


def _has_dataset(term: Term, dialect: str) -> sa.ColumnElement[bool]:
    """Looks into what the run says it read: few runs have any, and those few datasets."""
    if dialect == "sqlite":
        each = sa.func.json_each(RunRow.links, "$.datasets").table_valued("value", name="used")
        value = _sqlite_dataset(each.c.value, term.field.name)
    else:
        each = _postgres_list(RunRow.links, "datasets", "used")
        value = _postgres_dataset(each.c.value, term.field.name)
    fitting = sa.select(sa.literal(1)).select_from(each).where(compare(value, term.operator, term.value, dialect))
    return fitting.correlate(RunRow).exists()


def _sqlite_dataset(used: Any, name: str) -> Any:
    if name != "context":
        return sa.func.json_extract(used, f"$.dataset.{name}")
    tags = sa.func.json_each(used, "$.tags").table_valued("value", name="tag")
    key = sa.func.json_extract(tags.c.value, "$.key")
    value = sa.func.json_extract(tags.c.value, "$.value")
    return sa.select(value).select_from(tags).where(key == "mlflow.data.context").limit(1).scalar_subquery()


def _postgres_dataset(used: Any, name: str) -> Any:
    if name != "context":
        return sa.func.jsonb_extract_path_text(used, "dataset", name)
    tags = _postgres_list(used, "tags", "tag")
    wanted = sa.func.jsonb_extract_path_text(tags.c.value, "key") == "mlflow.data.context"
    value = sa.func.jsonb_extract_path_text(tags.c.value, "value")
    return sa.select(value).select_from(tags).where(wanted).limit(1).scalar_subquery()


def _postgres_list(document: Any, key: str, name: str) -> Any:
    listed = sa.func.coalesce(sa.func.jsonb_extract_path(document, key), sa.cast(sa.literal("[]", sa.Text()), JSONB))
    return sa.func.jsonb_array_elements(listed).table_valued(sa.column("value", JSONB), name=name)


def compare(column: Any, operator: str, value: Any, dialect: str) -> sa.ColumnElement[bool]:
    """The comparison of a column with a value, by the operators filters have."""
    if operator == "LIKE":
        return _like(column, str(value), dialect)
    if operator == "ILIKE":
        return sa.func.lower(column).like(str(value).lower(), escape="\\")
    if operator in ("IS NULL", "IS NOT NULL"):
        is_null: sa.ColumnElement[bool] = column.is_(None)
        return is_null if operator == "IS NULL" else ~is_null
    found: sa.ColumnElement[bool] = _COMPARED[operator](column, value)
    return found


def _like(column: Any, pattern: str, dialect: str) -> sa.ColumnElement[bool]:
    """Capitals count; SQLite's own LIKE does not see them, its GLOB does."""
    found: sa.ColumnElement[bool] = (
        column.op("GLOB")(pattern.translate(_AS_GLOB)) if dialect == "sqlite" else column.like(pattern, escape="\\")
    )
    return found
