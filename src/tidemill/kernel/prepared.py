"""Statements that are run with every request: written as all others, put together once.

SQLAlchemy looks a statement up by what it is made of each time it is run, and keeps much that a small statement does
not need: several times what the database itself takes. A prepared one is compiled once a dialect, and handed to the
driver as it is, within the session's transaction.
"""

from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa
import sqlalchemy.exc
from sqlalchemy.orm import Session

from tidemill.kernel.db import Glance

_Process = Callable[[Any], Any] | None


class Prepared:
    """A statement whose values are all `bindparam`s, by name. May be run from any thread."""

    def __init__(self, statement: Any) -> None:
        self._statement = statement
        self._by_dialect: dict[str, _Compiled] = {}

    def run(self, session: Session, **values: Any) -> int:
        """Runs it for its effect; how many rows it touched."""
        _, cursor = self._execute(_reach(session), values)
        return int(cursor.rowcount)

    def run_all(self, session: Session, rows: Sequence[dict[str, Any]]) -> None:
        """Runs it for each of these values."""
        if not rows:
            return
        place = _reach(session)
        compiled = self._compiled(place.dialect)
        bound = [compiled.bind(values) for values in rows]
        try:
            place.driver.cursor().executemany(compiled.sql, bound)
        except compiled.error as error:
            raise _as_sqlalchemy_has_it(error, place, compiled, bound) from error

    def rows(self, session: Session | Glance, **values: Any) -> list[tuple[Any, ...]]:
        """All rows it gives, as plain tuples."""
        compiled, cursor = self._execute(_reach(session), values)
        found: list[tuple[Any, ...]] = cursor.fetchall()
        if not compiled.processes_results:
            return found
        return [
            tuple(
                value if process is None else process(value)
                for value, process in zip(row, compiled.results, strict=True)
            )
            for row in found
        ]

    def _execute(self, place: Glance, values: dict[str, Any]) -> "tuple[_Compiled, Any]":
        compiled = self._compiled(place.dialect)
        bound = compiled.bind(values)
        try:
            return compiled, place.driver.execute(compiled.sql, bound)
        except compiled.error as error:
            raise _as_sqlalchemy_has_it(error, place, compiled, bound) from error

    def _compiled(self, dialect: sa.Dialect) -> "_Compiled":
        found = self._by_dialect.get(dialect.name)
        if found is None:
            found = self._by_dialect[dialect.name] = _Compiled(self._statement, dialect)
        return found


def _as_sqlalchemy_has_it(error: Exception, place: Glance, compiled: "_Compiled", bound: Any) -> BaseException:
    return sqlalchemy.exc.DBAPIError.instance(compiled.sql, bound, error, compiled.error, dialect=place.dialect)


def _reach(session: Session | Glance) -> Glance:
    if isinstance(session, Glance):
        return session
    connection = session.connection()
    return Glance(connection.dialect, connection.connection.driver_connection)


class _Compiled:
    """The statement in one database's words."""

    def __init__(self, statement: Any, dialect: sa.Dialect) -> None:
        compiled = statement.compile(dialect=dialect, compile_kwargs={"render_postcompile": True})
        self.sql = str(compiled)
        self.order: list[str] | None = list(compiled.positiontup) if compiled.positional else None
        self.constants: dict[str, Any] = {
            name: bind.value for name, bind in compiled.binds.items() if not bind.required and bind.value is not None
        }
        self.binds: dict[str, _Process] = {
            name: bind.type._cached_bind_processor(dialect) for name, bind in compiled.binds.items()
        }
        columns = statement.selected_columns if isinstance(statement, sa.Select) else ()
        returned = list(columns) or list(getattr(statement, "_returning", ()))
        self.results: list[_Process] = [_result_process(column.type, dialect) for column in returned]
        self.processes_results = any(process is not None for process in self.results)
        self.error: type[Exception] = dialect.loaded_dbapi.Error

    def bind(self, values: dict[str, Any]) -> Any:
        """The values as the driver takes them."""
        bound = {
            name: value if (process := self.binds[name]) is None else process(value)
            for name, value in (self.constants | values).items()
        }
        return bound if self.order is None else tuple(map(bound.__getitem__, self.order))


def _result_process(kind: Any, dialect: sa.Dialect) -> _Process:
    """Both drivers give floats as they are; asked before, PostgreSQL's wants to know its type."""
    return None if isinstance(kind, sa.Float) else kind._cached_result_processor(dialect, None)
