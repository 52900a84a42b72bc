"""Alembic's entry: runs revisions on the connection it is given, or makes one."""

import sqlalchemy as sa
from alembic import context

from tidemill.kernel.db import Base
from tidemill.server import tables

assert tables.ALL  # every room's tables are on Base.metadata


def _run(connection: sa.Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        render_as_batch=connection.dialect.name == "sqlite",
        compare_type=True,
        transaction_per_migration=True,
    )
    with context.begin_transaction():
        context.run_migrations()
    connection.commit()


given = context.config.attributes.get("connection")
if given is not None:
    _run(given)
else:
    engine = sa.create_engine(context.config.get_main_option("sqlalchemy.url") or "")
    with engine.connect() as opened:
        _run(opened)
