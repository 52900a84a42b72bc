"""Blobs in a bucket of an S3-compatible service."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tidemill.kernel.db import in_batches
from tidemill.kernel.errors import Unavailable
from tidemill.store.backends import BLOCK_BYTES, DIGEST, BlobMissing, Found, Staged

if TYPE_CHECKING:
    from pathlib import Path

    from tidemill.kernel.settings import Settings

CONNECTIONS = 16
DELETE_AT_ONCE = 1000


class S3Missing(Exception):
    """The optional dependency is not installed."""


class _PastTheEnd(Exception):
    """A range that begins where there are no bytes; a bucket says so, a file just gives none."""


class S3Backend:
    """Blobs at `<prefix>ab/<digest>`. Placing is an upload; an object appears whole or not at all."""

    kind = "s3"

    def __init__(self, client: Any, *, bucket: str, prefix: str = "") -> None:
        self._client = client
        self._bucket = bucket
        self._prefix = prefix

    def put_files(self, files: Sequence[Staged], *, keep_source: bool = False) -> None:
        with ThreadPoolExecutor(min(CONNECTIONS, len(files) or 1), thread_name_prefix="s3") as pool:
            for _ in pool.map(self._put_file, files):
                pass
        if not keep_source:
            for file in files:
                os.unlink(file.path)

    def put_bytes(self, digest: str, data: bytes) -> None:
        with _service_answers():
            self._client.put_object(Bucket=self._bucket, Key=self._key(digest), Body=data)

    def put_contents(self, contents: Mapping[str, bytes]) -> None:
        with ThreadPoolExecutor(min(CONNECTIONS, len(contents) or 1), thread_name_prefix="s3") as pool:
            for _ in pool.map(self.put_bytes, contents.keys(), contents.values()):
                pass

    def read(self, digest: str, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        if length == 0:
            return iter(())
        end = "" if length is None else str(start + length - 1)
        try:
            with _service_answers(digest):
                found = self._client.get_object(Bucket=self._bucket, Key=self._key(digest), **_range(start, end))
        except _PastTheEnd:
            return iter(())
        blocks: Iterator[bytes] = found["Body"].iter_chunks(BLOCK_BYTES)
        return blocks

    def local_path(self, digest: str) -> Path | None:
        del digest
        return None

    def size(self, digest: str) -> int | None:
        try:
            with _service_answers(digest):
                return int(self._client.head_object(Bucket=self._bucket, Key=self._key(digest))["ContentLength"])
        except BlobMissing:
            return None

    def delete(self, digests: Iterable[str]) -> None:
        for batch in in_batches(list(digests), DELETE_AT_ONCE):
            keys = [{"Key": self._key(digest)} for digest in batch]
            with _service_answers():
                answer = self._client.delete_objects(Bucket=self._bucket, Delete={"Objects": keys, "Quiet": True})
            if answer.get("Errors"):
                raise Unavailable("store_unavailable")

    def iterate(self) -> Iterator[Found]:
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=self._prefix)
        with _service_answers():
            for page in pages:
                yield from filter(None, map(self._find, page.get("Contents", ())))

    def _put_file(self, file: Staged) -> None:
        with _service_answers():
            self._client.upload_file(file.path, self._bucket, self._key(file.digest))

    def _key(self, digest: str) -> str:
        if DIGEST.fullmatch(digest) is None:
            raise ValueError("not a SHA-256 in lower-case hexadecimal")
        return f"{self._prefix}{digest[:2]}/{digest}"

    def _find(self, item: dict[str, Any]) -> Found | None:
        digest = item["Key"].rpartition("/")[2]
        if DIGEST.fullmatch(digest) is None or item["Key"] != self._key(digest):
            return None
        return Found(digest, item["Size"], item["LastModified"])


def open_s3(settings: Settings) -> S3Backend:
    """The bucket the settings name; raises S3Missing when the optional dependency is not installed."""
    try:
        import boto3
        from botocore.config import Config
    except ImportError:
        raise S3Missing("a bucket is set, but boto3 is not installed: pip install 'tidemill[s3]'") from None
    assert settings.store_s3_bucket is not None
    access, secret = settings.store_s3_access_key, settings.store_s3_secret_key
    client = boto3.client(
        "s3",
        endpoint_url=settings.store_s3_endpoint,
        region_name=settings.store_s3_region,
        aws_access_key_id=access.get_secret_value() if access else None,
        aws_secret_access_key=secret.get_secret_value() if secret else None,
        config=Config(max_pool_connections=2 * CONNECTIONS, retries={"max_attempts": 5, "mode": "standard"}),
    )
    prefix = settings.store_s3_prefix
    return S3Backend(client, bucket=settings.store_s3_bucket, prefix=f"{prefix.strip('/')}/" if prefix else "")


def _range(start: int, end: str) -> dict[str, str]:
    return {"Range": f"bytes={start}-{end}"} if start or end else {}


@contextmanager
def _service_answers(digest: str = "") -> Iterator[None]:
    """Turns the client's errors into ours: no such object, or a service that does not do its part."""
    from boto3.exceptions import Boto3Error
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code")
        if code in {"NoSuchKey", "404", "NotFound"}:
            raise BlobMissing(digest) from None
        if code == "InvalidRange":
            raise _PastTheEnd from None
        raise Unavailable("store_unavailable") from error
    except (BotoCoreError, Boto3Error) as error:
        raise Unavailable("store_unavailable") from error
