"""serving: packages, services, the gateway's table, batch inference"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from tidemill.kernel.db import UtcDateTime

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _make_gateway()
    _make_inference()


def downgrade() -> None:
    _drop_gateway()
    _drop_inference()


def _make_gateway() -> None:
    op.create_table(
        "gateway_table",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column(
            "content", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("written_at", UtcDateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gateway_table")),
    )


def _drop_gateway() -> None:
    op.drop_table("gateway_table")


def _make_inference() -> None:
    op.create_table(
        "inference_result_labels",
        sa.Column("rid", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("label", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("score", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("rid", "label", "seq", name=op.f("pk_inference_result_labels")),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("inference_result_labels", schema=None) as batch_op:
        batch_op.create_index("ix_inference_result_labels_score", ["rid", "label", "score", "seq"], unique=False)

    op.create_table(
        "inference_results",
        sa.Column("rid", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("score", sa.Integer(), nullable=False),
        sa.Column("is_error", sa.Boolean(), nullable=False),
        sa.Column("shard", sa.Integer(), nullable=False),
        sa.Column("start", sa.BigInteger(), nullable=False),
        sa.Column("length", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("rid", "seq", name=op.f("pk_inference_results")),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("inference_results", schema=None) as batch_op:
        batch_op.create_index(
            "ix_inference_results_errors",
            ["rid", "seq"],
            unique=False,
            sqlite_where=sa.text("is_error"),
            postgresql_where=sa.text("is_error"),
        )
        batch_op.create_index("ix_inference_results_score", ["rid", "score", "seq"], unique=False)

    op.create_table(
        "inferences",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(collation="C").with_variant(sa.Text(), "sqlite"), nullable=False),
        sa.Column("scene", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("form", sa.Text(), nullable=False),
        sa.Column(
            "settings", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("runs_count", sa.BigInteger(), nullable=False),
        sa.Column("last_number", sa.BigInteger(), nullable=False),
        sa.Column("last_run_id", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_by_id", sa.Text(), nullable=True),
        sa.Column("updated_at", UtcDateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_inferences_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inferences")),
        sa.UniqueConstraint("project_id", "name_key", name=op.f("uq_inferences_project_id_name_key")),
    )
    with op.batch_alter_table("inferences", schema=None) as batch_op:
        batch_op.create_index("ix_inferences_project_id_created_at", ["project_id", "created_at", "id"], unique=False)
        batch_op.create_index("ix_inferences_project_id_updated_at", ["project_id", "updated_at", "id"], unique=False)

    op.create_table(
        "inference_runs",
        sa.Column("rid", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("inference_id", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(collation="C").with_variant(sa.Text(), "sqlite"), nullable=False),
        sa.Column("form", sa.Text(), nullable=False),
        sa.Column(
            "settings", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("workload_id", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("model_version_id", sa.Text(), nullable=True),
        sa.Column("dataset_version_id", sa.Text(), nullable=True),
        sa.Column("dataset", sa.Text(), nullable=False),
        sa.Column("vid", sa.BigInteger(), nullable=True),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("done", sa.BigInteger(), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=True),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("upto", sa.BigInteger(), nullable=True),
        sa.Column("shards", sa.BigInteger(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("errors", sa.BigInteger(), nullable=False),
        sa.Column("annotations", sa.BigInteger(), nullable=False),
        sa.Column("empty", sa.BigInteger(), nullable=False),
        sa.Column(
            "labels", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("rate", sa.Double(), nullable=False),
        sa.Column("rated_at", UtcDateTime(timezone=True), nullable=True),
        sa.Column("is_whole", sa.Boolean(), nullable=False),
        sa.Column(
            "error", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=True
        ),
        sa.Column("attempts_before", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("created_at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_by_id", sa.Text(), nullable=True),
        sa.Column("started_at", UtcDateTime(timezone=True), nullable=True),
        sa.Column("ended_at", UtcDateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["inference_id"], ["inferences.id"], name=op.f("fk_inference_runs_inference_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_inference_runs_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("rid", name=op.f("pk_inference_runs")),
        sa.UniqueConstraint("id", name=op.f("uq_inference_runs_id")),
        sa.UniqueConstraint("inference_id", "number", name=op.f("uq_inference_runs_inference_id_number")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("inference_runs", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_inference_runs_changed_at"), ["changed_at"], unique=False)
        batch_op.create_index("ix_inference_runs_dataset_version_id", ["dataset_version_id"], unique=False)
        batch_op.create_index(
            "ix_inference_runs_inference_id_created_at", ["inference_id", "created_at", "id"], unique=False
        )
        batch_op.create_index("ix_inference_runs_model_version_id", ["model_version_id"], unique=False)
        batch_op.create_index(
            "ix_inference_runs_project_id_created_at", ["project_id", "created_at", "id"], unique=False
        )
        batch_op.create_index("ix_inference_runs_project_id_name_key", ["project_id", "name_key", "id"], unique=False)
        batch_op.create_index(
            "ix_inference_runs_project_id_state", ["project_id", "state", "created_at", "id"], unique=False
        )
        batch_op.create_index("ix_inference_runs_workload_id", ["workload_id"], unique=False)

    op.create_table(
        "inference_shards",
        sa.Column("rid", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("items", sa.BigInteger(), nullable=False),
        sa.Column("first_seq", sa.BigInteger(), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["rid"], ["inference_runs.rid"], name=op.f("fk_inference_shards_rid"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("rid", "number", name=op.f("pk_inference_shards")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "inference_write_backs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("form", sa.Text(), nullable=False),
        sa.Column(
            "asked", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("job_id", sa.Text(), nullable=True),
        sa.Column("dataset_asset_id", sa.Text(), nullable=False),
        sa.Column("dataset", sa.Text(), nullable=False),
        sa.Column("vid", sa.BigInteger(), nullable=True),
        sa.Column("version", sa.BigInteger(), nullable=True),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column(
            "counts", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column(
            "error", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=True
        ),
        sa.Column("created_at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_by_id", sa.Text(), nullable=True),
        sa.Column("finished_at", UtcDateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_inference_write_backs_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["inference_runs.id"], name=op.f("fk_inference_write_backs_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inference_write_backs")),
    )
    with op.batch_alter_table("inference_write_backs", schema=None) as batch_op:
        batch_op.create_index("ix_inference_write_backs_job_id", ["job_id"], unique=False)
        batch_op.create_index("ix_inference_write_backs_project_id", ["project_id"], unique=False)
        batch_op.create_index("ix_inference_write_backs_run_id", ["run_id", "created_at", "id"], unique=False)


def _drop_inference() -> None:
    with op.batch_alter_table("inference_write_backs", schema=None) as batch_op:
        batch_op.drop_index("ix_inference_write_backs_run_id")
        batch_op.drop_index("ix_inference_write_backs_project_id")
        batch_op.drop_index("ix_inference_write_backs_job_id")

    op.drop_table("inference_write_backs")
    op.drop_table("inference_shards")
    with op.batch_alter_table("inference_runs", schema=None) as batch_op:
        batch_op.drop_index("ix_inference_runs_workload_id")
        batch_op.drop_index("ix_inference_runs_project_id_state")
        batch_op.drop_index("ix_inference_runs_project_id_name_key")
        batch_op.drop_index("ix_inference_runs_project_id_created_at")
        batch_op.drop_index("ix_inference_runs_model_version_id")
        batch_op.drop_index("ix_inference_runs_inference_id_created_at")
        batch_op.drop_index("ix_inference_runs_dataset_version_id")
        batch_op.drop_index(batch_op.f("ix_inference_runs_changed_at"))

    op.drop_table("inference_runs")
    with op.batch_alter_table("inferences", schema=None) as batch_op:
        batch_op.drop_index("ix_inferences_project_id_updated_at")
        batch_op.drop_index("ix_inferences_project_id_created_at")

    op.drop_table("inferences")
    with op.batch_alter_table("inference_results", schema=None) as batch_op:
        batch_op.drop_index("ix_inference_results_score")
        batch_op.drop_index(
            "ix_inference_results_errors", sqlite_where=sa.text("is_error"), postgresql_where=sa.text("is_error")
        )

    op.drop_table("inference_results")
    with op.batch_alter_table("inference_result_labels", schema=None) as batch_op:
        batch_op.drop_index("ix_inference_result_labels_score")

    op.drop_table("inference_result_labels")
