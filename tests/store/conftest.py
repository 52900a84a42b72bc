"""A project with books, and a store on disk, below HTTP."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from moto.server import ThreadedMotoServer
from pydantic import SecretStr
from sqlalchemy.orm import Session

from tidemill.accounts.tables import ProjectRow
from tidemill.kernel.db import Database
from tidemill.kernel.ids import new_id
from tidemill.kernel.settings import Settings
from tidemill.store import gc, intake
from tidemill.store.depot import Store, open_store
from tidemill.store.tables import BlobRow, HoldingRow, TreeRow

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass
class Shelf:
    """The store, the database, and shorthand for what tests ask of them."""

    db: Database
    store: Store

    def project(self, name: str, *, limit: int | None = None, public: bool = False) -> str:
        project_id = new_id("prj")
        row = ProjectRow(
            id=project_id,
            name=name,
            name_key=name,
            is_public=public,
            storage_limit_bytes=limit,
            quota={},
            created_at=NOW,
            created_by="admin",
            updated_at=NOW,
        )
        with self.db.write() as session:
            session.add(row)
        return project_id

    def keep(self, project_id: str, data: bytes, now: datetime = NOW) -> str:
        digest, _ = intake.keep_bytes(self.db, self.store.backend, project_id, data, now)
        return digest

    def used(self, project_id: str) -> int:
        with self.db.read() as session:
            return session.scalar(sa.select(ProjectRow.storage_used_bytes).where(ProjectRow.id == project_id)) or 0

    def uses(self, project_id: str, digest: str) -> int | None:
        """How often the project uses the content; None when it does not hold it."""
        with self.db.read() as session:
            row = session.get(HoldingRow, (project_id, digest))
            return None if row is None else row.uses

    def state(self, digest: str) -> str | None:
        with self.db.read() as session:
            row = session.get(BlobRow, digest)
            return None if row is None else row.state

    def set_limit(self, project_id: str, limit: int) -> None:
        with self.db.write() as session:
            session.execute(sa.update(ProjectRow).where(ProjectRow.id == project_id).values(storage_limit_bytes=limit))

    def collect(self, now: datetime, **options: Any) -> gc.Collected:
        return gc.collect(self.db, self.store, now, timedelta(hours=24), **options)

    def tree(self, tree_id: str) -> TreeRow:
        with self.db.read() as session:
            return get_tree(session, tree_id)


def get_tree(session: Session, tree_id: str) -> TreeRow:
    row = session.get(TreeRow, tree_id)
    assert row is not None
    return row


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


def s3_settings(home: Path, endpoint: str, **more: Any) -> Settings:
    return Settings(
        home=home,
        store_s3_bucket="blobs",
        store_s3_endpoint=endpoint,
        store_s3_region="us-east-1",
        store_s3_access_key=SecretStr("key"),
        store_s3_secret_key=SecretStr("secret"),
        **more,
    )


@pytest.fixture
def store(settings: Settings) -> Store:
    return open_store(settings)


@pytest.fixture
def shelf(db: Database, store: Store) -> Shelf:
    return Shelf(db, store)


@pytest.fixture
def project_id(shelf: Shelf) -> str:
    return shelf.project("tides")


def later(**delta: float) -> datetime:
    return NOW + timedelta(**delta)
