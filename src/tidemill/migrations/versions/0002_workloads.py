"""workloads"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from tidemill.kernel.db import UtcDateTime

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "machines",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("cpus", sa.Double(), nullable=False),
        sa.Column("memory_bytes", sa.BigInteger(), nullable=False),
        sa.Column(
            "devices", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column(
            "fabrics", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column(
            "runtimes", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column(
            "enforced", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("seen_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_machines")),
    )
    op.create_table(
        "specs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("cpus", sa.Double(), nullable=False),
        sa.Column("memory_bytes", sa.BigInteger(), nullable=False),
        sa.Column("accelerator", sa.Text(), nullable=True),
        sa.Column("accelerators", sa.Double(), nullable=False),
        sa.Column(
            "fabrics", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("is_enabled", sa.Boolean(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_specs")),
        sa.UniqueConstraint("name_key", name=op.f("uq_specs_name_key")),
    )
    op.create_table(
        "usage_minutes",
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("minute", UtcDateTime(), nullable=False),
        sa.Column("looks", sa.BigInteger(), nullable=False),
        sa.Column(
            "resources", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.PrimaryKeyConstraint("scope", "minute", name=op.f("pk_usage_minutes")),
    )
    with op.batch_alter_table("usage_minutes", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_usage_minutes_minute"), ["minute"], unique=False)

    op.create_table(
        "environments",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("image", sa.Text(), nullable=False),
        sa.Column("spec", sa.Text(), nullable=True),
        sa.Column("nodes", sa.BigInteger(), nullable=False),
        sa.Column(
            "inputs", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("save_model", sa.Text(), nullable=True),
        sa.Column("time_limit_s", sa.Double(), nullable=True),
        sa.Column("idle_limit_s", sa.Double(), nullable=True),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("workload_id", sa.Text(), nullable=True),
        sa.Column("port", sa.BigInteger(), nullable=False),
        sa.Column("tensorboard_port", sa.BigInteger(), nullable=True),
        sa.Column("idle_since", UtcDateTime(), nullable=True),
        sa.Column("warned_at", UtcDateTime(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_by_id", sa.Text(), nullable=True),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("deleted_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_environments_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_environments")),
    )
    with op.batch_alter_table("environments", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_environments_deleted_at"), ["deleted_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_environments_name_key"), ["name_key"], unique=False)
        batch_op.create_index("ix_environments_project_id_created_at", ["project_id", "created_at", "id"], unique=False)
        batch_op.create_index(batch_op.f("ix_environments_workload_id"), ["workload_id"], unique=False)
        batch_op.create_index(
            "uq_environments_name_live",
            ["project_id", "name_key"],
            unique=True,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )

    op.create_table(
        "image_children",
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(collation="C").with_variant(sa.Text(), "sqlite"), nullable=False),
        sa.Column("manifest", sa.Text(), nullable=False),
        sa.Column("child", sa.Text(), nullable=False),
        sa.Column("is_manifest", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_image_children_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project_id", "name", "manifest", "child", name=op.f("pk_image_children")),
    )
    with op.batch_alter_table("image_children", schema=None) as batch_op:
        batch_op.create_index("ix_image_children_child", ["project_id", "name", "child"], unique=False)

    op.create_table(
        "image_manifests",
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(collation="C").with_variant(sa.Text(), "sqlite"), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("artifact_type", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=True),
        sa.Column(
            "annotations", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("total_bytes", sa.BigInteger(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("touched_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_image_manifests_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project_id", "name", "digest", name=op.f("pk_image_manifests")),
    )
    with op.batch_alter_table("image_manifests", schema=None) as batch_op:
        batch_op.create_index("ix_image_manifests_subject", ["project_id", "name", "subject"], unique=False)

    op.create_table(
        "images",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(collation="C").with_variant(sa.Text(), "sqlite"), nullable=False),
        sa.Column("version", sa.Text(collation="C").with_variant(sa.Text(), "sqlite"), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column(
            "specs", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column(
            "requirements",
            sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"),
            nullable=False,
        ),
        sa.Column(
            "lock", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column(
            "problem", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=True
        ),
        sa.Column("workload_id", sa.Text(), nullable=True),
        sa.Column("is_builtin", sa.Boolean(), nullable=False),
        sa.Column("search_key", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_images_project_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_images")),
        sa.UniqueConstraint("project_id", "name", "version", name=op.f("uq_images_project_id_name_version")),
    )
    with op.batch_alter_table("images", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_images_digest"), ["digest"], unique=False)
        batch_op.create_index("ix_images_project_id_created_at", ["project_id", "created_at", "id"], unique=False)
        batch_op.create_index("ix_images_project_id_size_bytes", ["project_id", "size_bytes", "id"], unique=False)
        batch_op.create_index("ix_images_state", ["state"], unique=False)
        batch_op.create_index(batch_op.f("ix_images_workload_id"), ["workload_id"], unique=False)

    op.create_table(
        "pins",
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("touched_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["digest"], ["blobs.digest"], name=op.f("fk_pins_digest")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_pins_project_id")),
        sa.PrimaryKeyConstraint("project_id", "owner", "digest", name=op.f("pk_pins")),
    )
    with op.batch_alter_table("pins", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_pins_digest"), ["digest"], unique=False)
        batch_op.create_index(batch_op.f("ix_pins_touched_at"), ["touched_at"], unique=False)

    op.create_table(
        "ssh_keys",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("public_key", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("last_used_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_ssh_keys_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ssh_keys")),
        sa.UniqueConstraint("user_id", "fingerprint", name=op.f("uq_ssh_keys_user_id_fingerprint")),
    )
    with op.batch_alter_table("ssh_keys", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_ssh_keys_fingerprint"), ["fingerprint"], unique=False)

    op.create_table(
        "tasks",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(collation="C").with_variant(sa.Text(), "sqlite"), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column(
            "settings", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("runs_count", sa.BigInteger(), nullable=False),
        sa.Column("last_number", sa.BigInteger(), nullable=False),
        sa.Column("last_run_id", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_by_id", sa.Text(), nullable=True),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_tasks_project_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tasks")),
        sa.UniqueConstraint("project_id", "name_key", name=op.f("uq_tasks_project_id_name_key")),
    )
    with op.batch_alter_table("tasks", schema=None) as batch_op:
        batch_op.create_index("ix_tasks_project_id_created_at", ["project_id", "created_at", "id"], unique=False)
        batch_op.create_index("ix_tasks_project_id_updated_at", ["project_id", "updated_at", "id"], unique=False)

    op.create_table(
        "workloads",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("owner_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("stop_reason", sa.Text(), nullable=True),
        sa.Column(
            "message", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=True
        ),
        sa.Column("exit_code", sa.BigInteger(), nullable=True),
        sa.Column(
            "command", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("image", sa.Text(), nullable=True),
        sa.Column(
            "resolved_image",
            sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"),
            nullable=False,
        ),
        sa.Column("run_on", sa.Text(), nullable=False),
        sa.Column(
            "environment", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column(
            "secrets", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column(
            "token_scopes",
            sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"),
            nullable=False,
        ),
        sa.Column(
            "ports", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column(
            "inputs", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column(
            "outputs", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("owns_workspace", sa.Boolean(), nullable=False),
        sa.Column("spec", sa.Text(), nullable=True),
        sa.Column("cpus", sa.Double(), nullable=False),
        sa.Column("memory_bytes", sa.BigInteger(), nullable=False),
        sa.Column("accelerator", sa.Text(), nullable=True),
        sa.Column("accelerators", sa.Double(), nullable=False),
        sa.Column(
            "fabrics", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("nodes", sa.BigInteger(), nullable=False),
        sa.Column("priority", sa.BigInteger(), nullable=False),
        sa.Column("preemptible", sa.Boolean(), nullable=False),
        sa.Column("retries", sa.BigInteger(), nullable=False),
        sa.Column("retries_used", sa.BigInteger(), nullable=False),
        sa.Column("time_limit_s", sa.Double(), nullable=True),
        sa.Column("idle_limit_s", sa.Double(), nullable=True),
        sa.Column(
            "window", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=True
        ),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.Column("attempt_id", sa.Text(), nullable=True),
        sa.Column(
            "placement", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("queued_at", UtcDateTime(), nullable=False),
        sa.Column("outputs_state", sa.Text(), nullable=False),
        sa.Column("output_version_id", sa.Text(), nullable=True),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", UtcDateTime(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_by_id", sa.Text(), nullable=True),
        sa.Column("started_at", UtcDateTime(), nullable=True),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.Column("deleted_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_workloads_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workloads")),
    )
    with op.batch_alter_table("workloads", schema=None) as batch_op:
        batch_op.create_index(
            "ix_workloads_active",
            ["state"],
            unique=False,
            sqlite_where=sa.text("ended_at IS NULL"),
            postgresql_where=sa.text("ended_at IS NULL"),
        )
        batch_op.create_index(batch_op.f("ix_workloads_changed_at"), ["changed_at"], unique=False)
        batch_op.create_index(
            "ix_workloads_deleted",
            ["deleted_at"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NOT NULL"),
            postgresql_where=sa.text("deleted_at IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_workloads_outputs_waiting",
            ["id"],
            unique=False,
            sqlite_where=sa.text("outputs_state = 'waiting'"),
            postgresql_where=sa.text("outputs_state = 'waiting'"),
        )
        batch_op.create_index(batch_op.f("ix_workloads_owner_id"), ["owner_id"], unique=False)
        batch_op.create_index("ix_workloads_project_id_created_at", ["project_id", "created_at", "id"], unique=False)
        batch_op.create_index("ix_workloads_project_id_kind", ["project_id", "kind", "created_at", "id"], unique=False)

    op.create_table(
        "runs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(collation="C").with_variant(sa.Text(), "sqlite"), nullable=False),
        sa.Column(
            "settings", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("workload_id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts_before", sa.BigInteger(), nullable=False),
        sa.Column("resumed_from", sa.Text(), nullable=True),
        sa.Column("metrics_open", sa.Boolean(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", UtcDateTime(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_by_id", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_runs_project_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name=op.f("fk_runs_task_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sa.UniqueConstraint("task_id", "number", name=op.f("uq_runs_task_id_number")),
    )
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.create_index("ix_runs_changed_at", ["changed_at"], unique=False)
        batch_op.create_index(
            "ix_runs_metrics_open",
            ["id"],
            unique=False,
            sqlite_where=sa.text("metrics_open"),
            postgresql_where=sa.text("metrics_open"),
        )
        batch_op.create_index("ix_runs_project_id_created_at", ["project_id", "created_at", "id"], unique=False)
        batch_op.create_index("ix_runs_project_id_name_key", ["project_id", "name_key", "id"], unique=False)
        batch_op.create_index("ix_runs_project_id_state", ["project_id", "state", "created_at", "id"], unique=False)
        batch_op.create_index("ix_runs_task_id_created_at", ["task_id", "created_at", "id"], unique=False)
        batch_op.create_index("ix_runs_workload_id", ["workload_id"], unique=False)

    op.create_table(
        "workload_attempts",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("workload_id", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column(
            "placement", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column(
            "nodes", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=True),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.Column("exit_code", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["workload_id"], ["workloads.id"], name=op.f("fk_workload_attempts_workload_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workload_attempts")),
        sa.UniqueConstraint("workload_id", "number", name=op.f("uq_workload_attempts_workload_id_number")),
    )
    op.create_table(
        "workload_events",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("workload_id", sa.Text(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("from_state", sa.Text(), nullable=True),
        sa.Column("to_state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column(
            "message", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=True
        ),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workload_id"], ["workloads.id"], name=op.f("fk_workload_events_workload_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workload_events")),
    )
    with op.batch_alter_table("workload_events", schema=None) as batch_op:
        batch_op.create_index("ix_workload_events_workload_id_id", ["workload_id", "id"], unique=False)

    op.create_table(
        "metric_cursors",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("offset", sa.BigInteger(), nullable=False),
        sa.Column("is_done", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_metric_cursors_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "source", name=op.f("pk_metric_cursors")),
    )
    op.create_table(
        "metric_series",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.Column("last_step", sa.BigInteger(), nullable=False),
        sa.Column("last_value", sa.Double(), nullable=True),
        sa.Column("last_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("min_value", sa.Double(), nullable=True),
        sa.Column("max_value", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_metric_series_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_metric_series")),
        sa.UniqueConstraint("run_id", "key", "source", name=op.f("uq_metric_series_run_id_key_source")),
    )
    op.create_table(
        "metric_chunks",
        sa.Column("series_id", sa.Text(), nullable=False),
        sa.Column("first_step", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("last_step", sa.BigInteger(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["series_id"], ["metric_series.id"], name=op.f("fk_metric_chunks_series_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("series_id", "first_step", name=op.f("pk_metric_chunks")),
    )
    with op.batch_alter_table("tokens", schema=None) as batch_op:
        batch_op.add_column(sa.Column("workload_id", sa.Text(), nullable=True))
        batch_op.create_index(batch_op.f("ix_tokens_workload_id"), ["workload_id"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("tokens", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_tokens_workload_id"))
        batch_op.drop_column("workload_id")

    op.drop_table("metric_chunks")
    op.drop_table("metric_series")
    op.drop_table("metric_cursors")
    with op.batch_alter_table("workload_events", schema=None) as batch_op:
        batch_op.drop_index("ix_workload_events_workload_id_id")

    op.drop_table("workload_events")
    op.drop_table("workload_attempts")
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.drop_index("ix_runs_workload_id")
        batch_op.drop_index("ix_runs_task_id_created_at")
        batch_op.drop_index("ix_runs_project_id_state")
        batch_op.drop_index("ix_runs_project_id_name_key")
        batch_op.drop_index("ix_runs_project_id_created_at")
        batch_op.drop_index(
            "ix_runs_metrics_open", sqlite_where=sa.text("metrics_open"), postgresql_where=sa.text("metrics_open")
        )
        batch_op.drop_index("ix_runs_changed_at")

    op.drop_table("runs")
    with op.batch_alter_table("workloads", schema=None) as batch_op:
        batch_op.drop_index("ix_workloads_project_id_kind")
        batch_op.drop_index("ix_workloads_project_id_created_at")
        batch_op.drop_index(batch_op.f("ix_workloads_owner_id"))
        batch_op.drop_index(
            "ix_workloads_outputs_waiting",
            sqlite_where=sa.text("outputs_state = 'waiting'"),
            postgresql_where=sa.text("outputs_state = 'waiting'"),
        )
        batch_op.drop_index(
            "ix_workloads_deleted",
            sqlite_where=sa.text("deleted_at IS NOT NULL"),
            postgresql_where=sa.text("deleted_at IS NOT NULL"),
        )
        batch_op.drop_index(batch_op.f("ix_workloads_changed_at"))
        batch_op.drop_index(
            "ix_workloads_active",
            sqlite_where=sa.text("ended_at IS NULL"),
            postgresql_where=sa.text("ended_at IS NULL"),
        )

    op.drop_table("workloads")
    with op.batch_alter_table("tasks", schema=None) as batch_op:
        batch_op.drop_index("ix_tasks_project_id_updated_at")
        batch_op.drop_index("ix_tasks_project_id_created_at")

    op.drop_table("tasks")
    with op.batch_alter_table("ssh_keys", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_ssh_keys_fingerprint"))

    op.drop_table("ssh_keys")
    with op.batch_alter_table("pins", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_pins_touched_at"))
        batch_op.drop_index(batch_op.f("ix_pins_digest"))

    op.drop_table("pins")
    with op.batch_alter_table("images", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_images_workload_id"))
        batch_op.drop_index("ix_images_state")
        batch_op.drop_index("ix_images_project_id_size_bytes")
        batch_op.drop_index("ix_images_project_id_created_at")
        batch_op.drop_index(batch_op.f("ix_images_digest"))

    op.drop_table("images")
    with op.batch_alter_table("image_manifests", schema=None) as batch_op:
        batch_op.drop_index("ix_image_manifests_subject")

    op.drop_table("image_manifests")
    with op.batch_alter_table("image_children", schema=None) as batch_op:
        batch_op.drop_index("ix_image_children_child")

    op.drop_table("image_children")
    with op.batch_alter_table("environments", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_environments_name_live",
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.drop_index(batch_op.f("ix_environments_workload_id"))
        batch_op.drop_index("ix_environments_project_id_created_at")
        batch_op.drop_index(batch_op.f("ix_environments_name_key"))
        batch_op.drop_index(batch_op.f("ix_environments_deleted_at"))

    op.drop_table("environments")
    with op.batch_alter_table("usage_minutes", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_usage_minutes_minute"))

    op.drop_table("usage_minutes")
    op.drop_table("specs")
    op.drop_table("machines")
