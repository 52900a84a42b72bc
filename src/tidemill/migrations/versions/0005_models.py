"""models"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from tidemill.kernel.db import UtcDateTime

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "dataset_label_errors",
        sa.Column("vid", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("score", sa.Integer(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("given", sa.BigInteger(), nullable=True),
        sa.Column("predicted", sa.BigInteger(), nullable=True),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("vid", "seq", "kind", name=op.f("pk_dataset_label_errors")),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("dataset_label_errors", schema=None) as batch_op:
        batch_op.create_index("ix_dataset_label_errors_score", ["vid", "score", "seq", "kind"], unique=False)

    op.create_table(
        "dataset_suggestions",
        sa.Column("vid", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("doubt", sa.Integer(), nullable=False),
        sa.Column("surprise", sa.Integer(), nullable=False),
        sa.Column("least", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("vid", "seq", name=op.f("pk_dataset_suggestions")),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("dataset_suggestions", schema=None) as batch_op:
        batch_op.create_index("ix_dataset_suggestions_doubt", ["vid", "doubt", "seq"], unique=False)
        batch_op.create_index("ix_dataset_suggestions_surprise", ["vid", "surprise", "seq"], unique=False)

    op.create_table(
        "evaluations",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("model_asset_id", sa.Text(), nullable=False),
        sa.Column("model_version_id", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("dataset_asset_id", sa.Text(), nullable=True),
        sa.Column("dataset_version_id", sa.Text(), nullable=True),
        sa.Column("dataset", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("workload_id", sa.Text(), nullable=True),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("part", sa.Text(), nullable=False),
        sa.Column("threshold", sa.Double(), nullable=True),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("done", sa.BigInteger(), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=True),
        sa.Column("items", sa.BigInteger(), nullable=True),
        sa.Column(
            "metrics", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("primary_metric", sa.Text(), nullable=False),
        sa.Column("rank", sa.Double(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=True),
        sa.Column("size_bytes", sa.BigInteger(), nullable=True),
        sa.Column("predictions_digest", sa.Text(), nullable=True),
        sa.Column("predictions_bytes", sa.BigInteger(), nullable=True),
        sa.Column(
            "error", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=True
        ),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", UtcDateTime(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_by_id", sa.Text(), nullable=True),
        sa.Column("finished_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_evaluations_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evaluations")),
        sa.UniqueConstraint("run_id", "model_version_id", name=op.f("uq_evaluations_run_id_model_version_id")),
    )
    with op.batch_alter_table("evaluations", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_evaluations_changed_at"), ["changed_at"], unique=False)
        batch_op.create_index("ix_evaluations_created_at", ["project_id", "created_at", "id"], unique=False)
        batch_op.create_index("ix_evaluations_dataset_asset_id", ["dataset_asset_id", "created_at", "id"], unique=False)
        batch_op.create_index("ix_evaluations_dataset_version_id", ["dataset_version_id"], unique=False)
        batch_op.create_index("ix_evaluations_model_asset_id", ["model_asset_id", "created_at", "id"], unique=False)
        batch_op.create_index("ix_evaluations_model_version_id", ["model_version_id"], unique=False)
        batch_op.create_index("ix_evaluations_rank", ["project_id", "rank", "id"], unique=False)
        batch_op.create_index("ix_evaluations_workload_id", ["workload_id"], unique=False)

    op.create_table(
        "loop_rounds",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("asset_id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("step", sa.Text(), nullable=False),
        sa.Column(
            "asked", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("version_number", sa.BigInteger(), nullable=False),
        sa.Column("draft_number", sa.BigInteger(), nullable=True),
        sa.Column("job_id", sa.Text(), nullable=True),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("work_id", sa.Text(), nullable=True),
        sa.Column(
            "error", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=True
        ),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_by_id", sa.Text(), nullable=True),
        sa.Column("changed_at", UtcDateTime(), nullable=False),
        sa.Column("finished_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_loop_rounds_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_loop_rounds")),
    )
    with op.batch_alter_table("loop_rounds", schema=None) as batch_op:
        batch_op.create_index("ix_loop_rounds_asset_id", ["asset_id", "created_at", "id"], unique=False)
        batch_op.create_index("ix_loop_rounds_project_id", ["project_id"], unique=False)
        batch_op.create_index(
            "ix_loop_rounds_running",
            ["id"],
            unique=False,
            sqlite_where=sa.text("state = 'running'"),
            postgresql_where=sa.text("state = 'running'"),
        )

    op.create_table(
        "trainings",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("dataset_asset_id", sa.Text(), nullable=False),
        sa.Column("dataset_version_id", sa.Text(), nullable=False),
        sa.Column("dataset", sa.Text(), nullable=False),
        sa.Column("algorithm_asset_id", sa.Text(), nullable=False),
        sa.Column("algorithm", sa.Text(), nullable=False),
        sa.Column("labelled", sa.BigInteger(), nullable=False),
        sa.Column(
            "choices", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_trainings_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_trainings_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_trainings")),
    )
    with op.batch_alter_table("trainings", schema=None) as batch_op:
        batch_op.create_index(
            "ix_trainings_dataset_asset_id", ["dataset_asset_id", "created_at", "run_id"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_trainings_project_id"), ["project_id"], unique=False)

    op.create_table(
        "version_facts",
        sa.Column("version_id", sa.Text(), nullable=False),
        sa.Column("asset_id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(collation="C").with_variant(sa.Text(), "sqlite"), nullable=False),
        sa.Column(
            "facts", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("rank", sa.Double(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("dataset_version_id", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_version_facts_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["version_id"], ["asset_versions.id"], name=op.f("fk_version_facts_version_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("version_id", name=op.f("pk_version_facts")),
    )
    with op.batch_alter_table("version_facts", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_version_facts_asset_id"), ["asset_id"], unique=False)
        batch_op.create_index(
            "ix_version_facts_created_at", ["project_id", "kind", "state", "created_at", "version_id"], unique=False
        )
        batch_op.create_index(
            "ix_version_facts_name_key", ["project_id", "kind", "state", "name_key", "version_id"], unique=False
        )
        batch_op.create_index(
            "ix_version_facts_rank", ["project_id", "kind", "state", "rank", "version_id"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_version_facts_run_id"), ["run_id"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("version_facts", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_version_facts_run_id"))
        batch_op.drop_index("ix_version_facts_rank")
        batch_op.drop_index("ix_version_facts_name_key")
        batch_op.drop_index("ix_version_facts_created_at")
        batch_op.drop_index(batch_op.f("ix_version_facts_asset_id"))

    op.drop_table("version_facts")
    with op.batch_alter_table("trainings", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_trainings_project_id"))
        batch_op.drop_index("ix_trainings_dataset_asset_id")

    op.drop_table("trainings")
    with op.batch_alter_table("loop_rounds", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_loop_rounds_running",
            sqlite_where=sa.text("state = 'running'"),
            postgresql_where=sa.text("state = 'running'"),
        )
        batch_op.drop_index("ix_loop_rounds_project_id")
        batch_op.drop_index("ix_loop_rounds_asset_id")

    op.drop_table("loop_rounds")
    with op.batch_alter_table("evaluations", schema=None) as batch_op:
        batch_op.drop_index("ix_evaluations_workload_id")
        batch_op.drop_index("ix_evaluations_rank")
        batch_op.drop_index("ix_evaluations_model_version_id")
        batch_op.drop_index("ix_evaluations_model_asset_id")
        batch_op.drop_index("ix_evaluations_dataset_version_id")
        batch_op.drop_index("ix_evaluations_dataset_asset_id")
        batch_op.drop_index("ix_evaluations_created_at")
        batch_op.drop_index(batch_op.f("ix_evaluations_changed_at"))

    op.drop_table("evaluations")
    with op.batch_alter_table("dataset_suggestions", schema=None) as batch_op:
        batch_op.drop_index("ix_dataset_suggestions_surprise")
        batch_op.drop_index("ix_dataset_suggestions_doubt")

    op.drop_table("dataset_suggestions")
    with op.batch_alter_table("dataset_label_errors", schema=None) as batch_op:
        batch_op.drop_index("ix_dataset_label_errors_score")

    op.drop_table("dataset_label_errors")
