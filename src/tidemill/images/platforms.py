"""Which of several images is for this kind of machine."""

import platform

from tidemill.images.registry.manifests import load_json

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def for_this_machine(index: bytes) -> str | None:
    """The digest (`sha256:…`) of the image for this machine, of those an index names by machine."""
    ours = _ARCHITECTURES.get(platform.machine(), platform.machine())
    for entry in load_json(index)["manifests"]:
        made_for = entry.get("platform")
        if isinstance(made_for, dict) and (made_for.get("os"), made_for.get("architecture")) == ("linux", ours):
            return str(entry["digest"])
    return None
