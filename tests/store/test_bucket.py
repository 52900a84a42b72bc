"""The whole store with its bytes in a bucket."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.store.conftest import NOW, Shelf, get_tree, s3_settings, sha
from tests.store.test_trees import new_tree
from tidemill.kernel.clock import utc_now
from tidemill.store import archive, trees, uploads, verify
from tidemill.store.backends import BlobMissing
from tidemill.store.depot import open_store

FILES = {"a": b"ebb", "b/c": b"flow"}


@pytest.fixture
def bucket(shelf: Shelf, s3_endpoint: str, tmp_path: Path) -> Shelf:
    store = open_store(s3_settings(tmp_path, s3_endpoint, store_s3_prefix=tmp_path.name))
    store.backend._client.create_bucket(Bucket="blobs")  # type: ignore[attr-defined]
    return replace(shelf, store=store)


def test_trees_live_and_die_in_a_bucket(bucket: Shelf) -> None:
    project_id = bucket.project("tides")
    tree_id = new_tree(bucket, project_id, FILES)
    digest = trees.seal(bucket.db, bucket.store, tree_id, NOW)
    assert {found.digest for found in bucket.store.backend.iterate()} == {sha(b"ebb"), sha(b"flow"), digest}
    assert b"".join(archive.archive(bucket.db, bucket.store.backend, tree_id, "tar")).count(b"flow") == 1
    assert verify.verify(bucket.db, bucket.store).problems == []
    with bucket.db.write() as session:
        trees.drop(session, get_tree(session, tree_id))
    bucket.collect(utc_now() + timedelta(days=2))
    assert list(bucket.store.backend.iterate()) == []
    with pytest.raises(BlobMissing):
        bucket.store.backend.read(digest)


def test_an_upload_ends_in_the_bucket(bucket: Shelf) -> None:
    project_id, data = bucket.project("tides"), b"0123456789" * 1000
    with bucket.db.write() as session:
        upload = uploads.begin_upload(
            session,
            project_id=project_id,
            by="ada",
            digest=sha(data),
            size_bytes=len(data),
            name="",
            now=NOW,
            days=7,
        )
    with bucket.store.parts.writer(upload.id) as writer:
        writer.append(data)
        uploads.finish_upload(bucket.db, bucket.store, upload, writer, NOW)
    assert b"".join(bucket.store.backend.read(sha(data))) == data
    assert (bucket.store.parts.upload_ids(), bucket.used(project_id)) == ([], len(data))
    assert verify.verify(bucket.db, bucket.store).problems == []
