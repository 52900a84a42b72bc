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
    _make_packages()
    _make_services()


def downgrade() -> None:
    _drop_gateway()
    _drop_inference()
    _drop_packages()
    _drop_services()


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
        sa.Column("shard", sa.Integer(), nullable=False),
        sa.Column("start", sa.BigInteger(), nullable=False),
        sa.Column("length", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("rid", "seq", name=op.f("pk_inference_results")),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("inference_results", schema=None) as batch_op:
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
        sa.Column("looked", sa.BigInteger(), nullable=False),
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

    op.drop_table("inference_results")
    with op.batch_alter_table("inference_result_labels", schema=None) as batch_op:
        batch_op.drop_index("ix_inference_result_labels_score")

    op.drop_table("inference_result_labels")


def _make_packages() -> None:
    op.create_table(
        "package_versions",
        sa.Column("version_id", sa.Text(), nullable=False),
        sa.Column("asset_id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column(
            "recipe", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column(
            "plan", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("image_id", sa.Text(), nullable=True),
        sa.Column("workload_id", sa.Text(), nullable=True),
        sa.Column(
            "problem", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=True
        ),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("started_at", UtcDateTime(timezone=True), nullable=True),
        sa.Column("finished_at", UtcDateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_package_versions_project_id_projects"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["version_id"],
            ["asset_versions.id"],
            name=op.f("fk_package_versions_version_id_asset_versions"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("version_id", name=op.f("pk_package_versions")),
    )
    with op.batch_alter_table("package_versions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_package_versions_asset_id"), ["asset_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_package_versions_changed_at"), ["changed_at"], unique=False)
        batch_op.create_index("ix_package_versions_digest", ["project_id", "digest"], unique=False)
        batch_op.create_index(batch_op.f("ix_package_versions_workload_id"), ["workload_id"], unique=False)

    op.create_table(
        "package_images",
        sa.Column("image_id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("version_id", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_package_images_project_id_projects"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["version_id"],
            ["asset_versions.id"],
            name=op.f("fk_package_images_version_id_asset_versions"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("image_id", name=op.f("pk_package_images")),
    )
    with op.batch_alter_table("package_images", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_package_images_project_id"), ["project_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_package_images_version_id"), ["version_id"], unique=False)

    op.create_table(
        "package_settings",
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("allow_pickles", sa.Boolean(), nullable=False),
        sa.Column("changed_at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("changed_by", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_package_settings_project_id_projects"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project_id", name=op.f("pk_package_settings")),
    )


def _drop_packages() -> None:
    op.drop_table("package_settings")
    with op.batch_alter_table("package_images", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_package_images_version_id"))
        batch_op.drop_index(batch_op.f("ix_package_images_project_id"))

    op.drop_table("package_images")
    with op.batch_alter_table("package_versions", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_package_versions_workload_id"))
        batch_op.drop_index("ix_package_versions_digest")
        batch_op.drop_index(batch_op.f("ix_package_versions_changed_at"))
        batch_op.drop_index(batch_op.f("ix_package_versions_asset_id"))

    op.drop_table("package_versions")


def _make_services() -> None:
    op.create_table(
        "services",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("access", sa.Text(), nullable=False),
        sa.Column(
            "cors", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("body_max_bytes", sa.BigInteger(), nullable=False),
        sa.Column("timeout_s", sa.Double(), nullable=False),
        sa.Column("rate_per_s", sa.Double(), nullable=True),
        sa.Column("retry_posts", sa.Boolean(), nullable=True),
        sa.Column(
            "alert_rules", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column(
            "rollback_rule",
            sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"),
            nullable=True,
        ),
        sa.Column("shadow_percent", sa.Double(), nullable=True),
        sa.Column("is_stopped", sa.Boolean(), nullable=False),
        sa.Column("last_number", sa.BigInteger(), nullable=False),
        sa.Column("asked", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column(
            "reason", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=True
        ),
        sa.Column("wanted", sa.BigInteger(), nullable=False),
        sa.Column("ready", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("created_at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_by_id", sa.Text(), nullable=True),
        sa.Column("updated_at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("deleted_at", UtcDateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_services_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_services")),
    )
    with op.batch_alter_table("services", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_services_changed_at"), ["changed_at"], unique=False)
        batch_op.create_index("ix_services_project_id_created_at", ["project_id", "created_at", "id"], unique=False)
        batch_op.create_index(
            "uq_services_name_live",
            ["project_id", "name_key"],
            unique=True,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )

    op.create_table(
        "service_alerts",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("service_id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("rule_id", sa.Text(), nullable=False),
        sa.Column(
            "rule", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("worst", sa.Double(), nullable=False),
        sa.Column("pending_at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("opened_at", UtcDateTime(timezone=True), nullable=True),
        sa.Column("closed_at", UtcDateTime(timezone=True), nullable=True),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", UtcDateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["service_id"], ["services.id"], name=op.f("fk_service_alerts_service_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_service_alerts")),
    )
    with op.batch_alter_table("service_alerts", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_service_alerts_changed_at"), ["changed_at"], unique=False)
        batch_op.create_index("ix_service_alerts_service_id_id", ["service_id", "id"], unique=False)

    op.create_table(
        "service_deployments",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("service_id", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("package_version_id", sa.Text(), nullable=False),
        sa.Column("package", sa.Text(), nullable=False),
        sa.Column(
            "models", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("spec", sa.Text(), nullable=True),
        sa.Column(
            "environment", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column(
            "secrets", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("created_at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_by_id", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["service_id"], ["services.id"], name=op.f("fk_service_deployments_service_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_service_deployments")),
        sa.UniqueConstraint("service_id", "number", name=op.f("uq_service_deployments_service_id_number")),
    )
    with op.batch_alter_table("service_deployments", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_service_deployments_package_version_id"), ["package_version_id"], unique=False
        )

    op.create_table(
        "service_events",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("service_id", sa.Text(), nullable=False),
        sa.Column("at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=True),
        sa.Column("number", sa.BigInteger(), nullable=True),
        sa.Column(
            "message", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("by", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["service_id"], ["services.id"], name=op.f("fk_service_events_service_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_service_events")),
    )
    with op.batch_alter_table("service_events", schema=None) as batch_op:
        batch_op.create_index("ix_service_events_service_id_id", ["service_id", "id"], unique=False)

    op.create_table(
        "service_keys",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("service_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("rate_per_s", sa.Double(), nullable=True),
        sa.Column("last_used_on", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["service_id"], ["services.id"], name=op.f("fk_service_keys_service_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_service_keys")),
        sa.UniqueConstraint("sha256", name=op.f("uq_service_keys_sha256")),
    )
    with op.batch_alter_table("service_keys", schema=None) as batch_op:
        batch_op.create_index("ix_service_keys_service_id_id", ["service_id", "id"], unique=False)

    op.create_table(
        "service_marks",
        sa.Column("replica_id", sa.Text(), nullable=False),
        sa.Column("service_id", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("instance", sa.Text(), nullable=False),
        sa.Column(
            "seen", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("seen_at", UtcDateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["service_id"], ["services.id"], name=op.f("fk_service_marks_service_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("replica_id", "source", name=op.f("pk_service_marks")),
    )
    with op.batch_alter_table("service_marks", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_service_marks_service_id"), ["service_id"], unique=False)

    op.create_table(
        "service_metrics",
        sa.Column("service_id", sa.Text(), nullable=False),
        sa.Column("step_s", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("replica_id", sa.Text(), nullable=False),
        sa.Column(
            "counts", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["service_id"], ["services.id"], name=op.f("fk_service_metrics_service_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("service_id", "step_s", "at", "number", "replica_id", name=op.f("pk_service_metrics")),
    )
    with op.batch_alter_table("service_metrics", schema=None) as batch_op:
        batch_op.create_index("ix_service_metrics_step_s_at", ["step_s", "at"], unique=False)

    op.create_table(
        "service_shadows",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("service_id", sa.Text(), nullable=False),
        sa.Column("production_number", sa.BigInteger(), nullable=False),
        sa.Column("canary_number", sa.BigInteger(), nullable=False),
        sa.Column("percent", sa.Double(), nullable=False),
        sa.Column(
            "figures", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("started_at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("started_by", sa.Text(), nullable=False),
        sa.Column("ended_at", UtcDateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["service_id"], ["services.id"], name=op.f("fk_service_shadows_service_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_service_shadows")),
    )
    with op.batch_alter_table("service_shadows", schema=None) as batch_op:
        batch_op.create_index("ix_service_shadows_service_id_id", ["service_id", "id"], unique=False)

    op.create_table(
        "service_replicas",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("service_id", sa.Text(), nullable=False),
        sa.Column("track_id", sa.Text(), nullable=False),
        sa.Column("deployment_id", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("generation", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("workload_id", sa.Text(), nullable=False),
        sa.Column("port", sa.BigInteger(), nullable=False),
        sa.Column("grpc_port", sa.BigInteger(), nullable=True),
        sa.Column("host", sa.Text(), nullable=True),
        sa.Column("reached_port", sa.BigInteger(), nullable=True),
        sa.Column("reached_grpc_port", sa.BigInteger(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column(
            "reason", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=True
        ),
        sa.Column("created_at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("ready_at", UtcDateTime(timezone=True), nullable=True),
        sa.Column("unwell_since", UtcDateTime(timezone=True), nullable=True),
        sa.Column("draining_at", UtcDateTime(timezone=True), nullable=True),
        sa.Column("drain_revision", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", UtcDateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["deployment_id"], ["service_deployments.id"], name=op.f("fk_service_replicas_deployment_id")
        ),
        sa.ForeignKeyConstraint(
            ["service_id"], ["services.id"], name=op.f("fk_service_replicas_service_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_service_replicas")),
    )
    with op.batch_alter_table("service_replicas", schema=None) as batch_op:
        batch_op.create_index(
            "ix_service_replicas_live",
            ["service_id"],
            unique=False,
            sqlite_where=sa.text("ended_at IS NULL"),
            postgresql_where=sa.text("ended_at IS NULL"),
        )
        batch_op.create_index("ix_service_replicas_service_id_id", ["service_id", "id"], unique=False)
        batch_op.create_index(batch_op.f("ix_service_replicas_workload_id"), ["workload_id"], unique=False)

    op.create_table(
        "service_tracks",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("service_id", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("deployment_id", sa.Text(), nullable=False),
        sa.Column("replicas", sa.BigInteger(), nullable=False),
        sa.Column("share", sa.Double(), nullable=False),
        sa.Column("generation", sa.BigInteger(), nullable=False),
        sa.Column("failures", sa.BigInteger(), nullable=False),
        sa.Column("retry_at", UtcDateTime(timezone=True), nullable=True),
        sa.Column(
            "failure", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=True
        ),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column(
            "reason", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=True
        ),
        sa.Column("ready", sa.BigInteger(), nullable=False),
        sa.Column("rolled_back_at", UtcDateTime(timezone=True), nullable=True),
        sa.Column("created_at", UtcDateTime(timezone=True), nullable=False),
        sa.Column("updated_at", UtcDateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["deployment_id"], ["service_deployments.id"], name=op.f("fk_service_tracks_deployment_id")
        ),
        sa.ForeignKeyConstraint(
            ["service_id"], ["services.id"], name=op.f("fk_service_tracks_service_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_service_tracks")),
        sa.UniqueConstraint("service_id", "role", name=op.f("uq_service_tracks_service_id_role")),
    )


def _drop_services() -> None:
    op.drop_table("service_tracks")
    with op.batch_alter_table("service_replicas", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_service_replicas_workload_id"))
        batch_op.drop_index("ix_service_replicas_service_id_id")
        batch_op.drop_index(
            "ix_service_replicas_live",
            sqlite_where=sa.text("ended_at IS NULL"),
            postgresql_where=sa.text("ended_at IS NULL"),
        )

    op.drop_table("service_replicas")
    with op.batch_alter_table("service_shadows", schema=None) as batch_op:
        batch_op.drop_index("ix_service_shadows_service_id_id")

    op.drop_table("service_shadows")
    with op.batch_alter_table("service_metrics", schema=None) as batch_op:
        batch_op.drop_index("ix_service_metrics_step_s_at")

    op.drop_table("service_metrics")
    with op.batch_alter_table("service_marks", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_service_marks_service_id"))

    op.drop_table("service_marks")
    with op.batch_alter_table("service_keys", schema=None) as batch_op:
        batch_op.drop_index("ix_service_keys_service_id_id")

    op.drop_table("service_keys")
    with op.batch_alter_table("service_events", schema=None) as batch_op:
        batch_op.drop_index("ix_service_events_service_id_id")

    op.drop_table("service_events")
    with op.batch_alter_table("service_deployments", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_service_deployments_package_version_id"))

    op.drop_table("service_deployments")
    with op.batch_alter_table("service_alerts", schema=None) as batch_op:
        batch_op.drop_index("ix_service_alerts_service_id_id")
        batch_op.drop_index(batch_op.f("ix_service_alerts_changed_at"))

    op.drop_table("service_alerts")
    with op.batch_alter_table("services", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_services_name_live",
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.drop_index("ix_services_project_id_created_at")
        batch_op.drop_index(batch_op.f("ix_services_changed_at"))

    op.drop_table("services")
