"""Rows of accounts."""

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from tidemill.kernel.db import Base

NEVER = datetime(1970, 1, 1, tzinfo=UTC)
"""Stands for "not yet" in columns that lists sort by, which are never null."""


def _partial_index(name: str, *columns: str, where: str, unique: bool = False) -> sa.Index:
    return sa.Index(name, *columns, unique=unique, sqlite_where=sa.text(where), postgresql_where=sa.text(where))


def _live_index(table: str, *columns: str) -> sa.Index:
    """For a list sorted by these columns that leaves out what is deleted."""
    return _partial_index(f"ix_{table}_live_{'_'.join(columns)}", *columns, where="deleted_at IS NULL")


class UserRow(Base):
    """A person. The name is for signing in and never changes."""

    __tablename__ = "users"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    name_key: Mapped[str] = mapped_column(unique=True)
    display_name: Mapped[str] = mapped_column(default="")
    mail: Mapped[str] = mapped_column(default="")
    search_key: Mapped[str]
    """Name, display name and mail, case-folded: what a search looks in."""
    kind: Mapped[str]
    """administrator, member or annotator"""
    language: Mapped[str | None]
    password_hash: Mapped[str]
    must_change_password: Mapped[bool] = mapped_column(default=False)
    is_disabled: Mapped[bool] = mapped_column(default=False)
    last_seen_at: Mapped[datetime] = mapped_column(default=NEVER)
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    deleted_at: Mapped[datetime | None]
    """Set when deleted: hidden, signed out for good, the name stays taken."""

    __table_args__ = (*(_live_index("users", column, "id") for column in ("name_key", "created_at", "last_seen_at")),)


class GroupRow(Base):
    """Users who get roles together."""

    __tablename__ = "groups"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    name_key: Mapped[str] = mapped_column(unique=True)
    description: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime]
    created_by: Mapped[str]


class GroupMemberRow(Base):
    __tablename__ = "group_members"

    group_id: Mapped[str] = mapped_column(sa.ForeignKey("groups.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[str] = mapped_column(sa.ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True)
    created_at: Mapped[datetime]
    created_by: Mapped[str]


class RoleRow(Base):
    """A named set of permissions. Built-in ones are written by the code and cannot be changed."""

    __tablename__ = "roles"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    name_key: Mapped[str] = mapped_column(unique=True)
    description: Mapped[str] = mapped_column(default="")
    is_builtin: Mapped[bool] = mapped_column(default=False)
    permissions: Mapped[list[str]]
    created_at: Mapped[datetime]
    created_by: Mapped[str]


class ProjectRow(Base):
    """The tenant. What is in one project is never seen from another."""

    __tablename__ = "projects"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    name_key: Mapped[str]
    description: Mapped[str] = mapped_column(default="")
    is_public: Mapped[bool] = mapped_column(default=False)
    """Everyone reads its assets; only administrators write. There is one, named `public`."""
    storage_limit_bytes: Mapped[int | None]
    storage_used_bytes: Mapped[int] = mapped_column(default=0)
    """Bytes of distinct content this project holds; kept by `store`, in the transaction that changes it."""
    quota: Mapped[dict[str, Any]]
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    updated_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None]
    deleted_by: Mapped[str | None]

    __table_args__ = (
        _partial_index("uq_projects_name_key_live", "name_key", where="deleted_at IS NULL", unique=True),
        *(_live_index("projects", column, "id") for column in ("created_at", "updated_at", "storage_used_bytes")),
        _partial_index("ix_projects_in_bin", "deleted_at", where="deleted_at IS NOT NULL"),
        sa.Index(
            "ix_projects_public",
            "id",
            sqlite_where=sa.text("is_public = 1"),
            postgresql_where=sa.text("is_public"),
        ),
    )


class MembershipRow(Base):
    """A user or a group has a role in a project."""

    __tablename__ = "memberships"

    id: Mapped[str] = mapped_column(primary_key=True)
    project_id: Mapped[str] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"))
    user_id: Mapped[str | None] = mapped_column(sa.ForeignKey("users.id", ondelete="CASCADE"), index=True)
    group_id: Mapped[str | None] = mapped_column(sa.ForeignKey("groups.id", ondelete="CASCADE"), index=True)
    subject_key: Mapped[str]
    """The user's or group's name, case-folded: members are listed by it."""
    role_id: Mapped[str] = mapped_column(sa.ForeignKey("roles.id"), index=True)
    created_at: Mapped[datetime]
    created_by: Mapped[str]

    __table_args__ = (
        sa.UniqueConstraint("project_id", "user_id"),
        sa.UniqueConstraint("project_id", "group_id"),
        sa.CheckConstraint("(user_id IS NULL) <> (group_id IS NULL)", name="one_subject"),
    )


class SessionRow(Base):
    """A signed-in browser. Only the hash of its secret is kept."""

    __tablename__ = "sessions"

    id: Mapped[str] = mapped_column(primary_key=True)
    secret_hash: Mapped[str] = mapped_column(unique=True)
    user_id: Mapped[str] = mapped_column(sa.ForeignKey("users.id", ondelete="CASCADE"), index=True)
    address: Mapped[str]
    user_agent: Mapped[str]
    created_at: Mapped[datetime]
    last_seen_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)


class TokenRow(Base):
    """An API token. Only the hash is kept."""

    __tablename__ = "tokens"

    id: Mapped[str] = mapped_column(primary_key=True)
    secret_hash: Mapped[str] = mapped_column(unique=True)
    user_id: Mapped[str] = mapped_column(sa.ForeignKey("users.id", ondelete="CASCADE"), index=True)
    name: Mapped[str]
    scopes: Mapped[list[str]]
    """Empty: whatever its user may."""
    project_id: Mapped[str | None] = mapped_column(sa.ForeignKey("projects.id", ondelete="CASCADE"))
    workload_id: Mapped[str | None] = mapped_column(index=True)
    """Set for the token a workload acts with: it is not in its user's list, and ends with the workload."""
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]


class AttemptRow(Base):
    """A failed sign-in, kept for as long as it counts against the next one."""

    __tablename__ = "attempts"

    id: Mapped[str] = mapped_column(primary_key=True)
    account_key: Mapped[str]
    address: Mapped[str]
    at: Mapped[datetime] = mapped_column(index=True)

    __table_args__ = (
        sa.Index("ix_attempts_account_key_at", "account_key", "at"),
        sa.Index("ix_attempts_address_at", "address", "at"),
    )


class AuditRow(Base):
    """One change: who, what, before and after, when, from where."""

    __tablename__ = "audit"

    id: Mapped[str] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(index=True)
    actor_id: Mapped[str | None]
    actor: Mapped[str]
    actor_kind: Mapped[str]
    address: Mapped[str]
    request_id: Mapped[str]
    project_id: Mapped[str | None]
    action: Mapped[str]
    target_kind: Mapped[str]
    target_id: Mapped[str]
    target_name: Mapped[str]
    before: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON)
    after: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON)
    search_key: Mapped[str]
    """Actor, action and target, case-folded: what a search looks in."""

    __table_args__ = (
        sa.Index("ix_audit_project_id_id", "project_id", "id"),
        sa.Index("ix_audit_actor_id", "actor", "id"),
        sa.Index("ix_audit_action_id", "action", "id"),
    )
