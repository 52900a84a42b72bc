"""A client of the registry for tests: plain HTTP, an image of a few bytes."""

import base64
import gzip
import hashlib
import io
import json
import tarfile
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.conftest import Api, Person
from tidemill.images.registry.manifests import OCI_INDEX, OCI_MANIFEST

LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
CONFIG = "application/vnd.oci.image.config.v1+json"


def digest_of(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def layer(text: str = "hello") -> bytes:
    """A gzipped tar with one file."""
    return gzip.compress(plain_layer(text), mtime=0)


def plain_layer(text: str = "hello") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        entry = tarfile.TarInfo("greeting.txt")
        entry.size = len(text.encode())
        tar.addfile(entry, io.BytesIO(text.encode()))
    return out.getvalue()


def config_for(*plain: bytes) -> bytes:
    rootfs = {"type": "layers", "diff_ids": [digest_of(each) for each in plain]}
    return json.dumps({"architecture": "amd64", "os": "linux", "config": {}, "rootfs": rootfs}).encode()


def descriptor(data: bytes, media_type: str) -> dict[str, Any]:
    return {"mediaType": media_type, "digest": digest_of(data), "size": len(data)}


def manifest_of(config: bytes, *layers: bytes, **more: Any) -> bytes:
    return json.dumps(
        {
            "schemaVersion": 2,
            "mediaType": OCI_MANIFEST,
            "config": descriptor(config, CONFIG),
            "layers": [descriptor(each, LAYER) for each in layers],
            **more,
        }
    ).encode()


def index_of(*manifests: bytes) -> bytes:
    return json.dumps(
        {
            "schemaVersion": 2,
            "mediaType": OCI_INDEX,
            "manifests": [descriptor(each, OCI_MANIFEST) for each in manifests],
        }
    ).encode()


@dataclass
class Pushed:
    """An image that was pushed."""

    manifest: bytes
    config: bytes
    layers: tuple[bytes, ...]

    @property
    def digest(self) -> str:
        return digest_of(self.manifest)


class Docker:
    """Somebody using the registry with an API token."""

    def __init__(self, app: FastAPI, user: str, token: str) -> None:
        self.user, self.token = user, token
        secret = base64.b64encode(f"{user}:{token}".encode()).decode()
        self.http = TestClient(
            app,
            base_url="http://127.0.0.1",
            headers={"Authorization": f"Basic {secret}"},
            raise_server_exceptions=False,
        )

    def call(self, method: str, path: str, **options: Any) -> Any:
        return self.http.request(method, f"/v2{path}", **options)

    def blob(self, repository: str, data: bytes) -> str:
        """Sends content in one go; its digest."""
        digest = digest_of(data)
        answer = self.call("POST", f"/{repository}/blobs/uploads/?digest={digest}", content=data)
        assert answer.status_code == 201, answer.text
        return digest

    def manifest(self, repository: str, reference: str, data: bytes, kind: str = OCI_MANIFEST) -> Any:
        return self.call("PUT", f"/{repository}/manifests/{reference}", content=data, headers={"Content-Type": kind})

    def push(self, repository: str, tag: str, text: str = "hello", **more: Any) -> Pushed:
        """A whole image of one layer."""
        plain, packed = plain_layer(text), layer(text)
        config = config_for(plain)
        self.blob(repository, config)
        self.blob(repository, packed)
        manifest = manifest_of(config, packed, **more)
        answer = self.manifest(repository, tag, manifest)
        assert answer.status_code == 201, answer.text
        return Pushed(manifest, config, (packed,))


def docker_of(api: Api, person: Person, **token: Any) -> Docker:
    """The person's registry client, with a token of its own."""
    made = person.ok("post", "/me/tokens", json={"name": "docker", **token})
    return Docker(api.app, person.name, made["token"])


def error_of(answer: Any) -> str:
    """The protocol's error code."""
    code: str = answer.json()["errors"][0]["code"]
    return code
