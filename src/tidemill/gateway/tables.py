"""The row that the gateway serves from."""

from datetime import datetime
from typing import Any

from sqlalchemy.orm import Mapped, mapped_column

from tidemill.kernel.db import Base

THE_ROW = 1


class GatewayTableRow(Base):
    """The routing table, whole. There is one row; its revision goes up whenever the content changes."""

    __tablename__ = "gateway_table"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    revision: Mapped[int]
    content: Mapped[dict[str, Any]]
    written_at: Mapped[datetime]
