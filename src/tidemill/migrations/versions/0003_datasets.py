"""datasets"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from tidemill.kernel.db import UtcDateTime

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "dataset_contents",
        sa.Column("vid", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("vid", "key", "seq", name=op.f("pk_dataset_contents")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "dataset_counts",
        sa.Column("vid", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("dimension", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("vid", "dimension", "key", name=op.f("pk_dataset_counts")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "dataset_item_labels",
        sa.Column("vid", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("label", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("annotator", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("vid", "label", "seq", name=op.f("pk_dataset_item_labels")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "dataset_items",
        sa.Column("vid", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("path", sa.Text(collation="C").with_variant(sa.Text(), "sqlite"), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("media", sa.Text(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=True),
        sa.Column("height", sa.Integer(), nullable=True),
        sa.Column("duration", sa.Double(), nullable=True),
        sa.Column("info", sa.Text(), nullable=True),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("owner", sa.BigInteger(), nullable=True),
        sa.Column("annotator", sa.BigInteger(), nullable=True),
        sa.Column("revision", sa.BigInteger(), nullable=True),
        sa.Column("annotations", sa.Integer(), nullable=False),
        sa.Column("changed", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("vid", "seq", name=op.f("pk_dataset_items")),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("dataset_items", schema=None) as batch_op:
        batch_op.create_index(
            "ix_dataset_items_annotator",
            ["vid", "annotator", "seq", "state"],
            unique=False,
            sqlite_where=sa.text("annotator IS NOT NULL"),
            postgresql_where=sa.text("annotator IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_dataset_items_owner",
            ["vid", "owner", "seq", "state"],
            unique=False,
            sqlite_where=sa.text("owner IS NOT NULL"),
            postgresql_where=sa.text("owner IS NOT NULL"),
        )
        batch_op.create_index("ix_dataset_items_state", ["vid", "state", "seq"], unique=False)
        batch_op.create_index("uq_dataset_items_vid_path", ["vid", "path"], unique=True)

    op.create_table(
        "dataset_labels",
        sa.Column("vid", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("parent", sa.BigInteger(), nullable=True),
        sa.Column("colour", sa.Text(), nullable=False),
        sa.Column("shortcut", sa.Text(), nullable=True),
        sa.Column(
            "attributes", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column(
            "skeleton", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=True
        ),
        sa.PrimaryKeyConstraint("vid", "number", name=op.f("pk_dataset_labels")),
    )
    op.create_table(
        "dataset_people",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_dataset_people")),
        sa.UniqueConstraint("user_id", name=op.f("uq_dataset_people_user_id")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "label_sets",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(collation="C").with_variant(sa.Text(), "sqlite"), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column(
            "labels", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_label_sets_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_label_sets")),
        sa.UniqueConstraint("project_id", "name_key", name=op.f("uq_label_sets_project_id_name_key")),
    )
    with op.batch_alter_table("label_sets", schema=None) as batch_op:
        batch_op.create_index("ix_label_sets_project_id_updated_at", ["project_id", "updated_at", "id"], unique=False)

    op.create_table(
        "datasets",
        sa.Column("did", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("asset_id", sa.Text(), nullable=True),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("data_type", sa.Text(), nullable=False),
        sa.Column("annotation_type", sa.Text(), nullable=False),
        sa.Column("next_label", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["asset_id"], ["assets.id"], name=op.f("fk_datasets_asset_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_datasets_project_id")),
        sa.PrimaryKeyConstraint("did", name=op.f("pk_datasets")),
        sa.UniqueConstraint("asset_id", name=op.f("uq_datasets_asset_id")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("datasets", schema=None) as batch_op:
        batch_op.create_index(
            "ix_datasets_orphaned",
            ["did"],
            unique=False,
            sqlite_where=sa.text("asset_id IS NULL"),
            postgresql_where=sa.text("asset_id IS NULL"),
        )
        batch_op.create_index(batch_op.f("ix_datasets_project_id"), ["project_id"], unique=False)

    op.create_table(
        "dataset_revisions",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("did", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("parent", sa.BigInteger(), nullable=True),
        sa.Column("author", sa.BigInteger(), nullable=True),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("key", sa.Text(), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["did"], ["datasets.did"], name=op.f("fk_dataset_revisions_did")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dataset_revisions")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("dataset_revisions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_dataset_revisions_did"), ["did"], unique=False)

    op.create_table(
        "dataset_versions",
        sa.Column("vid", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("version_id", sa.Text(), nullable=True),
        sa.Column("did", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", UtcDateTime(), nullable=False),
        sa.Column("next_seq", sa.BigInteger(), nullable=False),
        sa.Column("removals", sa.BigInteger(), nullable=False),
        sa.Column("copy_tree_id", sa.Text(), nullable=True),
        sa.Column("annotations_digest", sa.Text(), nullable=True),
        sa.Column("annotations_bytes", sa.BigInteger(), nullable=True),
        sa.Column("info_digest", sa.Text(), nullable=True),
        sa.Column("info_bytes", sa.BigInteger(), nullable=True),
        sa.Column("job_id", sa.Text(), nullable=True),
        sa.Column("guidelines", sa.Text(), nullable=False),
        sa.Column(
            "examples", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.ForeignKeyConstraint(["copy_tree_id"], ["trees.id"], name=op.f("fk_dataset_versions_copy_tree_id")),
        sa.ForeignKeyConstraint(["did"], ["datasets.did"], name=op.f("fk_dataset_versions_did")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_dataset_versions_project_id")),
        sa.ForeignKeyConstraint(
            ["version_id"], ["asset_versions.id"], name=op.f("fk_dataset_versions_version_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("vid", name=op.f("pk_dataset_versions")),
        sa.UniqueConstraint("version_id", name=op.f("uq_dataset_versions_version_id")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("dataset_versions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_dataset_versions_changed_at"), ["changed_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_dataset_versions_did"), ["did"], unique=False)
        batch_op.create_index(batch_op.f("ix_dataset_versions_job_id"), ["job_id"], unique=False)
        batch_op.create_index(
            "ix_dataset_versions_orphaned",
            ["vid"],
            unique=False,
            sqlite_where=sa.text("version_id IS NULL"),
            postgresql_where=sa.text("version_id IS NULL"),
        )
        batch_op.create_index(batch_op.f("ix_dataset_versions_project_id"), ["project_id"], unique=False)

    op.create_table(
        "dataset_works",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("vid", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("target_vid", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("workload_id", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column(
            "asked", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("is_dry_run", sa.Boolean(), nullable=False),
        sa.Column("format", sa.Text(), nullable=True),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("done", sa.BigInteger(), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=True),
        sa.Column(
            "counts", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("notes_count", sa.BigInteger(), nullable=False),
        sa.Column("parts", sa.BigInteger(), nullable=False),
        sa.Column(
            "error", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=True
        ),
        sa.Column("fingerprint", sa.Text(), nullable=True),
        sa.Column("version_revision", sa.BigInteger(), nullable=True),
        sa.Column("digest", sa.Text(), nullable=True),
        sa.Column("size_bytes", sa.BigInteger(), nullable=True),
        sa.Column("file_name", sa.Text(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", UtcDateTime(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_by_id", sa.Text(), nullable=True),
        sa.Column("finished_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_dataset_works_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["target_vid"], ["dataset_versions.vid"], name=op.f("fk_dataset_works_target_vid"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["vid"], ["dataset_versions.vid"], name=op.f("fk_dataset_works_vid"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dataset_works")),
    )
    with op.batch_alter_table("dataset_works", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_dataset_works_changed_at"), ["changed_at"], unique=False)
        batch_op.create_index("ix_dataset_works_fingerprint", ["vid", "fingerprint"], unique=False)
        batch_op.create_index("ix_dataset_works_project_id", ["project_id"], unique=False)
        batch_op.create_index("ix_dataset_works_target_vid", ["target_vid"], unique=False)
        batch_op.create_index("ix_dataset_works_vid_kind_created_at", ["vid", "kind", "created_at", "id"], unique=False)
        batch_op.create_index("ix_dataset_works_workload_id", ["workload_id"], unique=False)

    op.create_table(
        "dataset_report_parts",
        sa.Column("work_id", sa.Text(), nullable=False),
        sa.Column("part", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("first", sa.BigInteger(), nullable=False),
        sa.Column("lines", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["work_id"], ["dataset_works.id"], name=op.f("fk_dataset_report_parts_work_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("work_id", "part", name=op.f("pk_dataset_report_parts")),
    )


def downgrade() -> None:
    op.drop_table("dataset_report_parts")
    with op.batch_alter_table("dataset_works", schema=None) as batch_op:
        batch_op.drop_index("ix_dataset_works_workload_id")
        batch_op.drop_index("ix_dataset_works_vid_kind_created_at")
        batch_op.drop_index("ix_dataset_works_target_vid")
        batch_op.drop_index("ix_dataset_works_project_id")
        batch_op.drop_index("ix_dataset_works_fingerprint")
        batch_op.drop_index(batch_op.f("ix_dataset_works_changed_at"))

    op.drop_table("dataset_works")
    with op.batch_alter_table("dataset_versions", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_dataset_versions_project_id"))
        batch_op.drop_index(
            "ix_dataset_versions_orphaned",
            sqlite_where=sa.text("version_id IS NULL"),
            postgresql_where=sa.text("version_id IS NULL"),
        )
        batch_op.drop_index(batch_op.f("ix_dataset_versions_job_id"))
        batch_op.drop_index(batch_op.f("ix_dataset_versions_did"))
        batch_op.drop_index(batch_op.f("ix_dataset_versions_changed_at"))

    op.drop_table("dataset_versions")
    with op.batch_alter_table("dataset_revisions", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_dataset_revisions_did"))

    op.drop_table("dataset_revisions")
    with op.batch_alter_table("datasets", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_datasets_project_id"))
        batch_op.drop_index(
            "ix_datasets_orphaned",
            sqlite_where=sa.text("asset_id IS NULL"),
            postgresql_where=sa.text("asset_id IS NULL"),
        )

    op.drop_table("datasets")
    with op.batch_alter_table("label_sets", schema=None) as batch_op:
        batch_op.drop_index("ix_label_sets_project_id_updated_at")

    op.drop_table("label_sets")
    op.drop_table("dataset_people")
    op.drop_table("dataset_labels")
    with op.batch_alter_table("dataset_items", schema=None) as batch_op:
        batch_op.drop_index("uq_dataset_items_vid_path")
        batch_op.drop_index("ix_dataset_items_state")
        batch_op.drop_index(
            "ix_dataset_items_owner",
            sqlite_where=sa.text("owner IS NOT NULL"),
            postgresql_where=sa.text("owner IS NOT NULL"),
        )
        batch_op.drop_index(
            "ix_dataset_items_annotator",
            sqlite_where=sa.text("annotator IS NOT NULL"),
            postgresql_where=sa.text("annotator IS NOT NULL"),
        )

    op.drop_table("dataset_items")
    op.drop_table("dataset_item_labels")
    op.drop_table("dataset_counts")
    op.drop_table("dataset_contents")
