"""Everything under a prefix of an S3-compatible bucket."""

import os
from pathlib import Path
from typing import Any

from tidemill.datasets.importing.remote import RemoteSource
from tidemill.datasets.notes import Note, Refused
from tidemill.datasets.reasons import Malformed
from tidemill.datasets.sources.naming import is_rubbish, path_of
from tidemill.datasets.works.guard import Unreachable

THREADS = 16


class Bucket(RemoteSource):
    """Objects by their keys after the prefix."""

    def __init__(self, asked: dict[str, Any], scratch: Path) -> None:
        super().__init__(scratch)
        self._bucket = asked["bucket"]
        self._prefix = _folder(asked["prefix"])
        self._s3, self._errors = _client(asked)
        self._keys: dict[str, str] = {}
        self._list_all()

    def _list_all(self) -> None:
        files: dict[str, int] = {}
        left_out: list[Note] = []
        try:
            pages = self._s3.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=self._prefix)
            for page in pages:
                for found in page.get("Contents", ()):
                    self._note(found, files, left_out)
        except self._errors as error:
            raise Refused("bucket_unreadable", self._bucket, **_why(error)) from error
        if not files and not left_out:
            raise Refused("bucket_empty", self._bucket, prefix=self._prefix)
        self._list(files, left_out)

    def _note(self, found: dict[str, Any], files: dict[str, int], left_out: list[Note]) -> None:
        key = found["Key"]
        relative = key[len(self._prefix) :] or key.rpartition("/")[2]
        if relative.endswith("/"):
            return
        try:
            path = path_of(relative)
        except Refused as refused:
            left_out.append(refused.note)
            return
        if path and not is_rubbish(path):
            files[path], self._keys[path] = found["Size"], key

    def _get(self, path: str) -> bytes:
        try:
            body: bytes = self._s3.get_object(Bucket=self._bucket, Key=self._keys[path])["Body"].read()
        except self._errors as error:
            raise OSError(str(error)) from _as_malformed(error)
        return body

    def _fetch(self, path: str, target: Path) -> None:
        try:
            self._s3.download_file(self._bucket, self._keys[path], str(target))
        except self._errors as error:
            raise OSError(str(error)) from _as_malformed(error)


def _folder(prefix: str) -> str:
    return prefix.lstrip("/")


def _client(asked: dict[str, Any]) -> tuple[Any, tuple[type[Exception], ...]]:
    try:
        import boto3
        import botocore
        from botocore.config import Config
        from botocore.exceptions import BotoCoreError, ClientError
    except ImportError as error:
        raise Refused("bucket_client_missing", asked["bucket"]) from error
    key = os.environ.get("TIDEMILL_IMPORT_ACCESS_KEY")
    signed: dict[str, Any] = {} if key else {"signature_version": botocore.UNSIGNED}
    client = boto3.client(
        "s3",
        endpoint_url=asked["endpoint"],
        region_name=asked["region"] or "us-east-1",
        aws_access_key_id=key,
        aws_secret_access_key=os.environ.get("TIDEMILL_IMPORT_SECRET_KEY"),
        config=Config(
            connect_timeout=10,
            read_timeout=60,
            retries={"max_attempts": 5, "mode": "standard"},
            max_pool_connections=THREADS,
            s3={"addressing_style": "path" if asked["endpoint"] else "auto"},
            **signed,
        ),
    )
    return client, (BotoCoreError, ClientError, OSError)


def _why(error: Exception) -> dict[str, Any]:
    """The storage's own words, or that nobody was there."""
    answer = getattr(error, "response", None)
    if isinstance(answer, dict) and (told := answer.get("Error")):
        said = str(told.get("Message") or told.get("Code") or "").replace("\n", " ")[:300]
        return {"reason": "storage_said", "said": said}
    if isinstance(error.__cause__ or error.__context__, Unreachable) or isinstance(error, Unreachable):
        return {"reason": "address_forbidden"}
    return {"reason": "no_answer"}


def _as_malformed(error: Exception) -> Malformed:
    found = _why(error)
    return Malformed(found.pop("reason"), **found)
