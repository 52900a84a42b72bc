"""Images the container engine of this machine was given, and nobody needs any more."""

import logging
import re
from collections.abc import Set
from urllib.parse import quote

from tidemill.engines.local.containers import container_socket
from tidemill.engines.runner.docker import ApiError, Docker
from tidemill.images.depot import Images
from tidemill.images.service import registry_host

log = logging.getLogger("tidemill.images")

_OURS = re.compile(r"sha256-[0-9a-f]{64}")
_NOT_NOW = {404, 409}
"""Gone already, or a container is made of it: the next turn asks again."""


def unload(images: Images, keep: Set[str]) -> list[str]:
    """Removes what we once loaded (see `loading`), but for these digests (`sha256:…`); the tags that are gone."""
    socket = container_socket(images.settings.container_socket)
    if socket is None:
        return []
    docker = Docker(socket)
    try:
        return [tag for tag in _loaded(docker, registry_host(images.settings), keep) if _remove(docker, tag)]
    except (ApiError, OSError) as error:
        log.warning("images that are no longer needed stay in the container engine for now: %s", error)
        return []


def _loaded(docker: Docker, host: str, keep: Set[str]) -> list[str]:
    """Tags of ours that are not to be kept. Whatever else the engine has is not ours to touch."""
    tags = [tag for image in docker.json("GET", "/images/json") for tag in image.get("RepoTags") or []]
    found = []
    for tag in tags:
        name, _, version = tag.rpartition(":")
        if name.startswith(f"{host}/") and _OURS.fullmatch(version) and version.replace("-", ":") not in keep:
            found.append(tag)
    return found


def _remove(docker: Docker, tag: str) -> bool:
    try:
        docker.call("DELETE", f"/images/{quote(tag, safe='/:')}").read()
    except ApiError as error:
        if error.status not in _NOT_NOW:
            raise
        return False
    return True
