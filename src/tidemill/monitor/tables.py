"""Rows of use over time."""

from datetime import datetime
from typing import Any

from sqlalchemy.orm import Mapped, mapped_column

from tidemill.kernel.db import Base

PLATFORM = ""
"""The scope of the whole platform; all others are ids of projects."""


class UsageMinuteRow(Base):
    """What was held in one minute: the mean of a few looks."""

    __tablename__ = "usage_minutes"

    scope: Mapped[str] = mapped_column(primary_key=True)
    minute: Mapped[datetime] = mapped_column(primary_key=True, index=True)
    looks: Mapped[int]
    resources: Mapped[dict[str, Any]]
    """By resource: capacity and use, as two numbers."""
