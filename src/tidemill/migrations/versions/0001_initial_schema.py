"""initial schema"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from tidemill.kernel.db import UtcDateTime

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "attempts",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("account_key", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempts")),
    )
    with op.batch_alter_table("attempts", schema=None) as batch_op:
        batch_op.create_index("ix_attempts_account_key_at", ["account_key", "at"], unique=False)
        batch_op.create_index("ix_attempts_address_at", ["address", "at"], unique=False)
        batch_op.create_index(batch_op.f("ix_attempts_at"), ["at"], unique=False)

    op.create_table(
        "audit",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("actor_id", sa.Text(), nullable=True),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("actor_kind", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=True),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("target_kind", sa.Text(), nullable=False),
        sa.Column("target_id", sa.Text(), nullable=False),
        sa.Column("target_name", sa.Text(), nullable=False),
        sa.Column("before", sa.JSON(), nullable=True),
        sa.Column("after", sa.JSON(), nullable=True),
        sa.Column("search_key", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    with op.batch_alter_table("audit", schema=None) as batch_op:
        batch_op.create_index("ix_audit_action_id", ["action", "id"], unique=False)
        batch_op.create_index("ix_audit_actor_id", ["actor", "id"], unique=False)
        batch_op.create_index(batch_op.f("ix_audit_at"), ["at"], unique=False)
        batch_op.create_index("ix_audit_project_id_id", ["project_id", "id"], unique=False)

    op.create_table(
        "blobs",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("generation", sa.Text(), nullable=False),
        sa.Column("touched_at", UtcDateTime(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_blobs")),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("blobs", schema=None) as batch_op:
        batch_op.create_index(
            "ix_blobs_deleting",
            ["digest"],
            unique=False,
            sqlite_where=sa.text("state = 'deleting'"),
            postgresql_where=sa.text("state = 'deleting'"),
        )

    op.create_table(
        "groups",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_groups")),
        sa.UniqueConstraint("name_key", name=op.f("uq_groups_name_key")),
    )
    op.create_table(
        "projects",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("is_public", sa.Boolean(), nullable=False),
        sa.Column("storage_limit_bytes", sa.BigInteger(), nullable=True),
        sa.Column("storage_used_bytes", sa.BigInteger(), nullable=False),
        sa.Column(
            "quota", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("deleted_at", UtcDateTime(), nullable=True),
        sa.Column("deleted_by", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_projects")),
    )
    with op.batch_alter_table("projects", schema=None) as batch_op:
        batch_op.create_index(
            "ix_projects_in_bin",
            ["deleted_at"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NOT NULL"),
            postgresql_where=sa.text("deleted_at IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_projects_live_created_at_id",
            ["created_at", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            "ix_projects_live_storage_used_bytes_id",
            ["storage_used_bytes", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            "ix_projects_live_updated_at_id",
            ["updated_at", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            "ix_projects_public",
            ["id"],
            unique=False,
            sqlite_where=sa.text("is_public = 1"),
            postgresql_where=sa.text("is_public"),
        )
        batch_op.create_index(
            "uq_projects_name_key_live",
            ["name_key"],
            unique=True,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )

    op.create_table(
        "replays",
        sa.Column("caller", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("status", sa.BigInteger(), nullable=False),
        sa.Column(
            "body", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("caller", "key", name=op.f("pk_replays")),
    )
    with op.batch_alter_table("replays", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_replays_created_at"), ["created_at"], unique=False)

    op.create_table(
        "roles",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("is_builtin", sa.Boolean(), nullable=False),
        sa.Column(
            "permissions", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_roles")),
        sa.UniqueConstraint("name_key", name=op.f("uq_roles_name_key")),
    )
    op.create_table(
        "users",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("display_name", sa.Text(), nullable=False),
        sa.Column("mail", sa.Text(), nullable=False),
        sa.Column("search_key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("must_change_password", sa.Boolean(), nullable=False),
        sa.Column("is_disabled", sa.Boolean(), nullable=False),
        sa.Column("last_seen_at", UtcDateTime(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("deleted_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("name_key", name=op.f("uq_users_name_key")),
    )
    with op.batch_alter_table("users", schema=None) as batch_op:
        batch_op.create_index(
            "ix_users_live_created_at_id",
            ["created_at", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            "ix_users_live_last_seen_at_id",
            ["last_seen_at", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            "ix_users_live_name_key_id",
            ["name_key", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )

    op.create_table(
        "asset_counts",
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("live", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_asset_counts_project_id")),
        sa.PrimaryKeyConstraint("project_id", "kind", name=op.f("pk_asset_counts")),
    )
    op.create_table(
        "assets",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(collation="C").with_variant(sa.Text(), "sqlite"), nullable=False),
        sa.Column("scene", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("versions_count", sa.BigInteger(), nullable=False),
        sa.Column("latest_version", sa.BigInteger(), nullable=True),
        sa.Column("last_number", sa.BigInteger(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_by_id", sa.Text(), nullable=True),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("deleted_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_assets_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assets")),
    )
    with op.batch_alter_table("assets", schema=None) as batch_op:
        batch_op.create_index(
            "ix_assets_live_created_at_id",
            ["project_id", "kind", "created_at", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            "ix_assets_live_created_by_id_created_at_id",
            ["project_id", "kind", "created_by_id", "created_at", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            "ix_assets_live_created_by_id_name_key_id",
            ["project_id", "kind", "created_by_id", "name_key", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            "ix_assets_live_created_by_id_size_bytes_id",
            ["project_id", "kind", "created_by_id", "size_bytes", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            "ix_assets_live_created_by_id_updated_at_id",
            ["project_id", "kind", "created_by_id", "updated_at", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            "ix_assets_live_name_key_id",
            ["project_id", "kind", "name_key", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            "ix_assets_live_scene_created_at_id",
            ["project_id", "kind", "scene", "created_at", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            "ix_assets_live_scene_name_key_id",
            ["project_id", "kind", "scene", "name_key", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            "ix_assets_live_scene_size_bytes_id",
            ["project_id", "kind", "scene", "size_bytes", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            "ix_assets_live_scene_updated_at_id",
            ["project_id", "kind", "scene", "updated_at", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            "ix_assets_live_size_bytes_id",
            ["project_id", "kind", "size_bytes", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            "ix_assets_live_updated_at_id",
            ["project_id", "kind", "updated_at", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            "uq_assets_live_name_key",
            ["project_id", "kind", "name_key"],
            unique=True,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )

    op.create_table(
        "group_members",
        sa.Column("group_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id"], ["groups.id"], name=op.f("fk_group_members_group_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_group_members_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("group_id", "user_id", name=op.f("pk_group_members")),
    )
    with op.batch_alter_table("group_members", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_group_members_user_id"), ["user_id"], unique=False)

    op.create_table(
        "holdings",
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("uses", sa.BigInteger(), nullable=False),
        sa.Column("touched_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["digest"], ["blobs.digest"], name=op.f("fk_holdings_digest")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_holdings_project_id")),
        sa.PrimaryKeyConstraint("project_id", "digest", name=op.f("pk_holdings")),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("holdings", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_holdings_digest"), ["digest"], unique=False)
        batch_op.create_index(
            "ix_holdings_unused",
            ["touched_at"],
            unique=False,
            sqlite_where=sa.text("uses = 0"),
            postgresql_where=sa.text("uses = 0"),
        )

    op.create_table(
        "jobs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column(
            "params", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("project_id", sa.Text(), nullable=True),
        sa.Column("link", sa.Text(), nullable=True),
        sa.Column("done", sa.BigInteger(), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=True),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column(
            "message", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=True
        ),
        sa.Column(
            "error", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=True
        ),
        sa.Column(
            "result", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("attempts", sa.BigInteger(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("heartbeat_at", UtcDateTime(), nullable=True),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", UtcDateTime(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_by_id", sa.Text(), nullable=True),
        sa.Column("started_at", UtcDateTime(), nullable=True),
        sa.Column("finished_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_jobs_project_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
    )
    with op.batch_alter_table("jobs", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_jobs_changed_at"), ["changed_at"], unique=False)
        batch_op.create_index("ix_jobs_created_by_id_created_at", ["created_by_id", "created_at", "id"], unique=False)
        batch_op.create_index(batch_op.f("ix_jobs_finished_at"), ["finished_at"], unique=False)
        batch_op.create_index("ix_jobs_project_id_created_at", ["project_id", "created_at", "id"], unique=False)
        batch_op.create_index("ix_jobs_state_created_at", ["state", "created_at", "id"], unique=False)

    op.create_table(
        "memberships",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=True),
        sa.Column("group_id", sa.Text(), nullable=True),
        sa.Column("subject_key", sa.Text(), nullable=False),
        sa.Column("role_id", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.CheckConstraint("(user_id IS NULL) <> (group_id IS NULL)", name=op.f("ck_memberships_one_subject")),
        sa.ForeignKeyConstraint(["group_id"], ["groups.id"], name=op.f("fk_memberships_group_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_memberships_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["role_id"], ["roles.id"], name=op.f("fk_memberships_role_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_memberships_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_memberships")),
        sa.UniqueConstraint("project_id", "group_id", name=op.f("uq_memberships_project_id_group_id")),
        sa.UniqueConstraint("project_id", "user_id", name=op.f("uq_memberships_project_id_user_id")),
    )
    with op.batch_alter_table("memberships", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_memberships_group_id"), ["group_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_memberships_role_id"), ["role_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_memberships_user_id"), ["user_id"], unique=False)

    op.create_table(
        "notifications",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column(
            "title", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("body", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=True),
        sa.Column("link", sa.Text(), nullable=True),
        sa.Column("read_at", UtcDateTime(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_notifications_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_notifications_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notifications")),
    )
    with op.batch_alter_table("notifications", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_notifications_created_at"), ["created_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_notifications_project_id"), ["project_id"], unique=False)
        batch_op.create_index(
            "ix_notifications_unread",
            ["user_id", "id"],
            unique=False,
            sqlite_where=sa.text("read_at IS NULL"),
            postgresql_where=sa.text("read_at IS NULL"),
        )
        batch_op.create_index("ix_notifications_user_id", ["user_id", "id"], unique=False)

    op.create_table(
        "sessions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("secret_hash", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("user_agent", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("last_seen_at", UtcDateTime(), nullable=False),
        sa.Column("expires_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_sessions_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_sessions_secret_hash")),
    )
    with op.batch_alter_table("sessions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_sessions_expires_at"), ["expires_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_sessions_user_id"), ["user_id"], unique=False)

    op.create_table(
        "tokens",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("secret_hash", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "scopes", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("project_id", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("expires_at", UtcDateTime(), nullable=True),
        sa.Column("last_used_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_tokens_project_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_tokens_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_tokens_secret_hash")),
    )
    with op.batch_alter_table("tokens", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_tokens_user_id"), ["user_id"], unique=False)

    op.create_table(
        "trees",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("files", sa.BigInteger(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("manifest_digest", sa.Text(), nullable=True),
        sa.Column("users", sa.BigInteger(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["manifest_digest"], ["blobs.digest"], name=op.f("fk_trees_manifest_digest")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_trees_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trees")),
    )
    with op.batch_alter_table("trees", schema=None) as batch_op:
        batch_op.create_index(
            "ix_trees_dropped",
            ["id"],
            unique=False,
            sqlite_where=sa.text("users = 0"),
            postgresql_where=sa.text("users = 0"),
        )
        batch_op.create_index(batch_op.f("ix_trees_manifest_digest"), ["manifest_digest"], unique=False)
        batch_op.create_index(batch_op.f("ix_trees_project_id"), ["project_id"], unique=False)

    op.create_table(
        "uploads",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("expires_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_uploads_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_uploads")),
    )
    with op.batch_alter_table("uploads", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_uploads_expires_at"), ["expires_at"], unique=False)
        batch_op.create_index("ix_uploads_project_id_state", ["project_id", "state", "created_by"], unique=False)

    op.create_table(
        "webhooks",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column(
            "events", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("secret", sa.Text(), nullable=True),
        sa.Column("is_enabled", sa.Boolean(), nullable=False),
        sa.Column("paused_until", UtcDateTime(), nullable=True),
        sa.Column("last_state", sa.Text(), nullable=True),
        sa.Column("last_at", UtcDateTime(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_webhooks_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhooks")),
        sa.UniqueConstraint("project_id", "name_key", name=op.f("uq_webhooks_project_id_name_key")),
    )
    op.create_table(
        "asset_versions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("asset_id", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("tree_id", sa.Text(), nullable=False),
        sa.Column("format", sa.Text(), nullable=True),
        sa.Column(
            "metrics", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("signature", sa.JSON(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("committed_at", UtcDateTime(), nullable=True),
        sa.Column("deleted_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["asset_id"], ["assets.id"], name=op.f("fk_asset_versions_asset_id")),
        sa.ForeignKeyConstraint(
            ["tree_id"], ["trees.id"], name=op.f("fk_asset_versions_tree_id"), initially="DEFERRED", deferrable=True
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_asset_versions")),
        sa.UniqueConstraint("asset_id", "number", name=op.f("uq_asset_versions_asset_id_number")),
    )
    with op.batch_alter_table("asset_versions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_asset_versions_tree_id"), ["tree_id"], unique=False)

    op.create_table(
        "tree_entries",
        sa.Column("tree_id", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(collation="C").with_variant(sa.Text(), "sqlite"), nullable=False),
        sa.Column("folder", sa.Text(collation="C").with_variant(sa.Text(), "sqlite"), nullable=False),
        sa.Column("kind", sa.SmallInteger(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=True),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("files", sa.BigInteger(), nullable=False),
        sa.Column("is_kept", sa.Boolean(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["tree_id"], ["trees.id"], name=op.f("fk_tree_entries_tree_id")),
        sa.PrimaryKeyConstraint("tree_id", "path", name=op.f("pk_tree_entries")),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("tree_entries", schema=None) as batch_op:
        batch_op.create_index("ix_tree_entries_listing", ["tree_id", "folder", "kind", "path"], unique=False)

    op.create_table(
        "webhook_deliveries",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("webhook_id", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column(
            "payload", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.BigInteger(), nullable=False),
        sa.Column("next_at", UtcDateTime(), nullable=False),
        sa.Column("give_up_at", UtcDateTime(), nullable=False),
        sa.Column("status_code", sa.BigInteger(), nullable=True),
        sa.Column(
            "error", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=True
        ),
        sa.Column("duration_ms", sa.BigInteger(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("finished_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["webhook_id"], ["webhooks.id"], name=op.f("fk_webhook_deliveries_webhook_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_deliveries")),
    )
    with op.batch_alter_table("webhook_deliveries", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_webhook_deliveries_created_at"), ["created_at"], unique=False)
        batch_op.create_index(
            "ix_webhook_deliveries_due",
            ["next_at"],
            unique=False,
            sqlite_where=sa.text("state = 'waiting'"),
            postgresql_where=sa.text("state = 'waiting'"),
        )
        batch_op.create_index("ix_webhook_deliveries_webhook_id", ["webhook_id", "id"], unique=False)

    op.create_table(
        "bin",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("asset_id", sa.Text(), nullable=False),
        sa.Column("version_id", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(collation="C").with_variant(sa.Text(), "sqlite"), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("deleted_at", UtcDateTime(), nullable=False),
        sa.Column("deleted_by", sa.Text(), nullable=False),
        sa.Column("purge_at", UtcDateTime(), nullable=False),
        sa.Column("is_purging", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["asset_id"], ["assets.id"], name=op.f("fk_bin_asset_id")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_bin_project_id")),
        sa.ForeignKeyConstraint(["version_id"], ["asset_versions.id"], name=op.f("fk_bin_version_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bin")),
        sa.UniqueConstraint("version_id", name=op.f("uq_bin_version_id")),
    )
    with op.batch_alter_table("bin", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_bin_asset_id"), ["asset_id"], unique=False)
        batch_op.create_index("ix_bin_project_id_deleted_at", ["project_id", "deleted_at", "id"], unique=False)
        batch_op.create_index("ix_bin_project_id_name_key", ["project_id", "name_key", "id"], unique=False)
        batch_op.create_index("ix_bin_project_id_size_bytes", ["project_id", "size_bytes", "id"], unique=False)
        batch_op.create_index(batch_op.f("ix_bin_purge_at"), ["purge_at"], unique=False)

    op.create_table(
        "lineage_edges",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("version_id", sa.Text(), nullable=False),
        sa.Column("relation", sa.Text(), nullable=False),
        sa.Column("source_id", sa.Text(), nullable=False),
        sa.Column("source_kind", sa.Text(), nullable=False),
        sa.Column("source_name", sa.Text(), nullable=False),
        sa.Column("source_version", sa.Text(), nullable=False),
        sa.Column("source_project_id", sa.Text(), nullable=True),
        sa.Column("source_project", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["version_id"], ["asset_versions.id"], name=op.f("fk_lineage_edges_version_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lineage_edges")),
        sa.UniqueConstraint(
            "version_id", "relation", "source_id", name=op.f("uq_lineage_edges_version_id_relation_source_id")
        ),
    )
    with op.batch_alter_table("lineage_edges", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_lineage_edges_source_id"), ["source_id"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("lineage_edges", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_lineage_edges_source_id"))

    op.drop_table("lineage_edges")
    with op.batch_alter_table("bin", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_bin_purge_at"))
        batch_op.drop_index("ix_bin_project_id_size_bytes")
        batch_op.drop_index("ix_bin_project_id_name_key")
        batch_op.drop_index("ix_bin_project_id_deleted_at")
        batch_op.drop_index(batch_op.f("ix_bin_asset_id"))

    op.drop_table("bin")
    with op.batch_alter_table("webhook_deliveries", schema=None) as batch_op:
        batch_op.drop_index("ix_webhook_deliveries_webhook_id")
        batch_op.drop_index(
            "ix_webhook_deliveries_due",
            sqlite_where=sa.text("state = 'waiting'"),
            postgresql_where=sa.text("state = 'waiting'"),
        )
        batch_op.drop_index(batch_op.f("ix_webhook_deliveries_created_at"))

    op.drop_table("webhook_deliveries")
    with op.batch_alter_table("tree_entries", schema=None) as batch_op:
        batch_op.drop_index("ix_tree_entries_listing")

    op.drop_table("tree_entries")
    with op.batch_alter_table("asset_versions", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_asset_versions_tree_id"))

    op.drop_table("asset_versions")
    op.drop_table("webhooks")
    with op.batch_alter_table("uploads", schema=None) as batch_op:
        batch_op.drop_index("ix_uploads_project_id_state")
        batch_op.drop_index(batch_op.f("ix_uploads_expires_at"))

    op.drop_table("uploads")
    with op.batch_alter_table("trees", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_trees_project_id"))
        batch_op.drop_index(batch_op.f("ix_trees_manifest_digest"))
        batch_op.drop_index(
            "ix_trees_dropped", sqlite_where=sa.text("users = 0"), postgresql_where=sa.text("users = 0")
        )

    op.drop_table("trees")
    with op.batch_alter_table("tokens", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_tokens_user_id"))

    op.drop_table("tokens")
    with op.batch_alter_table("sessions", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_sessions_user_id"))
        batch_op.drop_index(batch_op.f("ix_sessions_expires_at"))

    op.drop_table("sessions")
    with op.batch_alter_table("notifications", schema=None) as batch_op:
        batch_op.drop_index("ix_notifications_user_id")
        batch_op.drop_index(
            "ix_notifications_unread",
            sqlite_where=sa.text("read_at IS NULL"),
            postgresql_where=sa.text("read_at IS NULL"),
        )
        batch_op.drop_index(batch_op.f("ix_notifications_project_id"))
        batch_op.drop_index(batch_op.f("ix_notifications_created_at"))

    op.drop_table("notifications")
    with op.batch_alter_table("memberships", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_memberships_user_id"))
        batch_op.drop_index(batch_op.f("ix_memberships_role_id"))
        batch_op.drop_index(batch_op.f("ix_memberships_group_id"))

    op.drop_table("memberships")
    with op.batch_alter_table("jobs", schema=None) as batch_op:
        batch_op.drop_index("ix_jobs_state_created_at")
        batch_op.drop_index("ix_jobs_project_id_created_at")
        batch_op.drop_index(batch_op.f("ix_jobs_finished_at"))
        batch_op.drop_index("ix_jobs_created_by_id_created_at")
        batch_op.drop_index(batch_op.f("ix_jobs_changed_at"))

    op.drop_table("jobs")
    with op.batch_alter_table("holdings", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_holdings_unused", sqlite_where=sa.text("uses = 0"), postgresql_where=sa.text("uses = 0")
        )
        batch_op.drop_index(batch_op.f("ix_holdings_digest"))

    op.drop_table("holdings")
    with op.batch_alter_table("group_members", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_group_members_user_id"))

    op.drop_table("group_members")
    with op.batch_alter_table("assets", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_assets_live_name_key",
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.drop_index(
            "ix_assets_live_updated_at_id",
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.drop_index(
            "ix_assets_live_size_bytes_id",
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.drop_index(
            "ix_assets_live_scene_updated_at_id",
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.drop_index(
            "ix_assets_live_scene_size_bytes_id",
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.drop_index(
            "ix_assets_live_scene_name_key_id",
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.drop_index(
            "ix_assets_live_scene_created_at_id",
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.drop_index(
            "ix_assets_live_name_key_id",
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.drop_index(
            "ix_assets_live_created_by_id_updated_at_id",
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.drop_index(
            "ix_assets_live_created_by_id_size_bytes_id",
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.drop_index(
            "ix_assets_live_created_by_id_name_key_id",
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.drop_index(
            "ix_assets_live_created_by_id_created_at_id",
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.drop_index(
            "ix_assets_live_created_at_id",
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )

    op.drop_table("assets")
    op.drop_table("asset_counts")
    with op.batch_alter_table("users", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_users_live_name_key_id",
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.drop_index(
            "ix_users_live_last_seen_at_id",
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.drop_index(
            "ix_users_live_created_at_id",
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )

    op.drop_table("users")
    op.drop_table("roles")
    with op.batch_alter_table("replays", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_replays_created_at"))

    op.drop_table("replays")
    with op.batch_alter_table("projects", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_projects_name_key_live",
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.drop_index(
            "ix_projects_public", sqlite_where=sa.text("is_public = 1"), postgresql_where=sa.text("is_public")
        )
        batch_op.drop_index(
            "ix_projects_live_updated_at_id",
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.drop_index(
            "ix_projects_live_storage_used_bytes_id",
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.drop_index(
            "ix_projects_live_created_at_id",
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.drop_index(
            "ix_projects_in_bin",
            sqlite_where=sa.text("deleted_at IS NOT NULL"),
            postgresql_where=sa.text("deleted_at IS NOT NULL"),
        )

    op.drop_table("projects")
    op.drop_table("groups")
    with op.batch_alter_table("blobs", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_blobs_deleting",
            sqlite_where=sa.text("state = 'deleting'"),
            postgresql_where=sa.text("state = 'deleting'"),
        )

    op.drop_table("blobs")
    with op.batch_alter_table("audit", schema=None) as batch_op:
        batch_op.drop_index("ix_audit_project_id_id")
        batch_op.drop_index(batch_op.f("ix_audit_at"))
        batch_op.drop_index("ix_audit_actor_id")
        batch_op.drop_index("ix_audit_action_id")

    op.drop_table("audit")
    with op.batch_alter_table("attempts", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_attempts_at"))
        batch_op.drop_index("ix_attempts_address_at")
        batch_op.drop_index("ix_attempts_account_key_at")

    op.drop_table("attempts")
