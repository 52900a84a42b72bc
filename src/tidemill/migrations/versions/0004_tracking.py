"""tracking"""

import json
import math
from datetime import UTC
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from tidemill.kernel.db import UtcDateTime
from tidemill.kernel.ids import new_id

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql")
_SORTABLE = sa.Text(collation="C").with_variant(sa.Text(), "sqlite")
_PRECEDENCE = ("sdk", "tensorboard", "log")


def upgrade() -> None:
    _make_experiments()
    with op.batch_alter_table("tasks") as batch:
        batch.add_column(sa.Column("experiment_id", sa.Text(), nullable=True))
    _change_runs()
    _make_words()
    with op.batch_alter_table("metric_series") as batch:
        batch.add_column(sa.Column("experiment_id", sa.Text(), nullable=True))
        batch.add_column(sa.Column("last_special", sa.Text(), nullable=True))
    _fill()
    with op.batch_alter_table("runs") as batch:
        batch.alter_column("experiment_id", existing_type=sa.Text(), nullable=False)
        batch.alter_column("start_ms", existing_type=sa.BigInteger(), nullable=False)
        batch.alter_column("links", existing_type=_JSON, nullable=False)
        batch.create_foreign_key(
            op.f("fk_runs_experiment_id"), "experiments", ["experiment_id"], ["id"], ondelete="CASCADE"
        )
        batch.create_foreign_key(op.f("fk_runs_tree_id"), "trees", ["tree_id"], ["id"])
        batch.create_index("ix_runs_experiment_id_start_ms", ["experiment_id", "start_ms", "id"])
        batch.create_index("ix_runs_tree_id", ["tree_id"])
        batch.create_index(
            "ix_runs_deleted_at",
            ["deleted_at"],
            sqlite_where=sa.text("deleted_at IS NOT NULL"),
            postgresql_where=sa.text("deleted_at IS NOT NULL"),
        )
    op.create_index("ix_metric_series_last_value", "metric_series", ["experiment_id", "key", "last_value", "run_id"])
    _make_models()


def downgrade() -> None:
    raise NotImplementedError("schemas are never taken back")


def _make_experiments() -> None:
    op.create_table(
        "experiments",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", _SORTABLE, nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("tags", _JSON, nullable=False),
        sa.Column("runs_count", sa.BigInteger(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_by_id", sa.Text(), nullable=True),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("deleted_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_experiments_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_experiments")),
        sa.UniqueConstraint("project_id", "name", name=op.f("uq_experiments_project_id_name")),
    )
    for column in ("name_key", "created_at", "updated_at"):
        op.create_index(f"ix_experiments_project_id_{column}", "experiments", ["project_id", column, "id"])
    op.create_index("ix_experiments_deleted_at", "experiments", ["deleted_at"])


def _change_runs() -> None:
    with op.batch_alter_table("runs") as batch:
        for name, kind in (
            ("experiment_id", sa.Text()),
            ("start_ms", sa.BigInteger()),
            ("end_ms", sa.BigInteger()),
            ("links", _JSON),
            ("tree_id", sa.Text()),
            ("made_in", sa.Text()),
            ("deleted_at", UtcDateTime()),
        ):
            batch.add_column(sa.Column(name, kind, nullable=True))
        batch.alter_column("task_id", existing_type=sa.Text(), nullable=True)
        batch.alter_column("workload_id", existing_type=sa.Text(), nullable=True)
        batch.alter_column("settings", existing_type=_JSON, nullable=True)


def _make_words() -> None:
    op.create_table(
        "run_parameters",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("experiment_id", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("sort_key", _SORTABLE, nullable=False),
        sa.Column("number", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_run_parameters_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "key", name=op.f("pk_run_parameters")),
        sqlite_with_rowid=False,
    )
    for column in ("sort_key", "number"):
        op.create_index(f"ix_run_parameters_{column}", "run_parameters", ["experiment_id", "key", column, "run_id"])
    op.create_table(
        "run_tags",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_run_tags_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "key", name=op.f("pk_run_tags")),
        sqlite_with_rowid=False,
    )


def _make_models() -> None:
    op.create_table(
        "logged_models",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("experiment_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("model_type", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("parameters", _JSON, nullable=False),
        sa.Column("tags", _JSON, nullable=False),
        sa.Column("metrics", _JSON, nullable=False),
        sa.Column("tree_id", sa.Text(), nullable=True),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("updated_ms", sa.BigInteger(), nullable=False),
        sa.Column("deleted_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_logged_models_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["experiment_id"], ["experiments.id"], name=op.f("fk_logged_models_experiment_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["tree_id"], ["trees.id"], name=op.f("fk_logged_models_tree_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_logged_models")),
    )
    op.create_index("ix_logged_models_experiment_id", "logged_models", ["experiment_id", "created_ms", "id"])
    for column in ("project_id", "run_id", "tree_id"):
        op.create_index(f"ix_logged_models_{column}", "logged_models", [column])
    op.create_table(
        "registry_tags",
        sa.Column("asset_id", sa.Text(), nullable=False),
        sa.Column("version", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["asset_id"], ["assets.id"], name=op.f("fk_registry_tags_asset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("asset_id", "version", "key", name=op.f("pk_registry_tags")),
    )
    op.create_table(
        "registry_aliases",
        sa.Column("asset_id", sa.Text(), nullable=False),
        sa.Column("alias", sa.Text(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["asset_id"], ["assets.id"], name=op.f("fk_registry_aliases_asset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("asset_id", "alias", name=op.f("pk_registry_aliases")),
    )
    op.create_table(
        "registry_sources",
        sa.Column("version_id", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("model_id", sa.Text(), nullable=True),
        sa.Column("run_link", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["version_id"], ["asset_versions.id"], name=op.f("fk_registry_sources_version_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("version_id", name=op.f("pk_registry_sources")),
    )


def _fill() -> None:
    """Every task that has runs gets its experiment, and its runs what is asked of them now."""
    connection = op.get_bind()
    names = ("projects", "tasks", "experiments", "runs", "run_parameters", "metric_series", "workloads")
    table = sa.MetaData()
    table.reflect(connection, only=names, resolve_fks=False)
    tasks, runs = table.tables["tasks"], table.tables["runs"]
    for task in connection.execute(sa.select(tasks).where(tasks.c.runs_count > 0)).mappings().all():
        experiment_id = new_id("exp")
        values = {name: task[name] for name in ("project_id", "name", "name_key", "created_by", "created_by_id")}
        times = {"created_at": task["created_at"], "updated_at": task["updated_at"]}
        connection.execute(
            sa.insert(table.tables["experiments"]).values(
                id=experiment_id, description="", tags={}, runs_count=task["runs_count"], **values, **times
            )
        )
        connection.execute(sa.update(tasks).where(tasks.c.id == task["id"]).values(experiment_id=experiment_id))
        connection.execute(sa.update(runs).where(runs.c.task_id == task["id"]).values(experiment_id=experiment_id))
    ended = table.tables["workloads"]
    found = sa.select(runs.c.id, runs.c.experiment_id, runs.c.created_at, runs.c.settings, ended.c.ended_at).outerjoin(
        ended, ended.c.id == runs.c.workload_id
    )
    for run in connection.execute(found).all():
        _fill_run(connection, table, run)


def _fill_run(connection: sa.Connection, table: sa.MetaData, run: Any) -> None:
    runs = table.tables["runs"]
    connection.execute(
        sa.update(runs)
        .where(runs.c.id == run.id)
        .values(start_ms=_milliseconds(run.created_at), end_ms=_milliseconds(run.ended_at), links={})
    )
    settings = json.loads(run.settings) if isinstance(run.settings, str) else run.settings
    for key, given in (settings or {}).get("parameters", {}).items():
        value = given if isinstance(given, str) else json.dumps(given)
        connection.execute(
            sa.insert(table.tables["run_parameters"]).values(
                run_id=run.id,
                key=key,
                experiment_id=run.experiment_id,
                value=value,
                sort_key=value[:100],
                number=_number(value),
            )
        )
    series = table.tables["metric_series"]
    mine = connection.execute(sa.select(series.c.id, series.c.key, series.c.source).where(series.c.run_id == run.id))
    best: dict[str, tuple[int, str]] = {}
    for series_id, key, source in mine:
        best[key] = min(best.get(key, (len(_PRECEDENCE), "")), (_PRECEDENCE.index(source), series_id))
    for _, series_id in best.values():
        connection.execute(sa.update(series).where(series.c.id == series_id).values(experiment_id=run.experiment_id))


def _milliseconds(moment: Any) -> int | None:
    if moment is None:
        return None
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
