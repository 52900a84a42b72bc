"""Where this server's pip finds packages, for a pip that runs while a container image is built.

The settings may have a password in them: the container engine shows them to that one step and keeps them out of the
image and of its history.
"""

import ast
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tidemill.images.wheels import pip_environment
from tidemill.packages.files import Content

PIP, CERTIFICATES = "tidemill-pip", "tidemill-certificates"
NAMES = (PIP, CERTIFICATES)
"""What the secrets are called, in the engine and in the build's files."""
_FOLDER = "/run/secrets"
PLACE = f"{_FOLDER}/{PIP}"
_PLACES = frozenset({"index-url", "extra-index-url", "find-links"})
_OTHERS = frozenset({"no-index", "trusted-host", "proxy", "timeout", "default-timeout", "retries"})
_PATIENCE_S = 60
_PROXIES = frozenset({"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"})


def secrets() -> tuple[Content, ...]:
    """A configuration file of pip, and the certificates it trusts; nothing where pip was told nothing."""
    told = _told()
    lines = [f"{name} = {value}" for name, value in sorted(_passed_on(told).items())]
    certificates = Path(told.get("cert") or "")
    has_own = certificates.is_file()
    if not lines and not has_own:
        return ()
    if has_own:
        lines.append(f"cert = {_FOLDER}/{CERTIFICATES}")
    text = "".join(f"{line}\n" for line in ["[global]", *lines])
    return Content(PIP, text.encode()), Content(CERTIFICATES, certificates.read_bytes() if has_own else b"")


def proxies() -> dict[str, str]:
    """Ways out of this network; engines know these by name, and write them nowhere."""
    return {name: value for name, value in os.environ.items() if name.upper() in _PROXIES}


def _told() -> dict[str, str]:
    """pip's settings from its files and its environment, the later ones over the earlier ones."""
    listing = [sys.executable, "-m", "pip", "config", "list"]
    environment = pip_environment(os.environ)
    done = subprocess.run(listing, capture_output=True, text=True, check=False, env=environment, timeout=_PATIENCE_S)
    found: dict[str, dict[str, str]] = {}
    for line in done.stdout.splitlines():
        name, equals, value = line.partition("=")
        section, _, key = name.rpartition(".")
        if equals:
            found.setdefault(section, {})[key] = str(ast.literal_eval(value))
    return {**found.get("global", {}), **found.get("install", {}), **found.get(":env:", {})}


def _passed_on(told: Mapping[str, str]) -> dict[str, str]:
    """Settings that mean something elsewhere: folders of this machine do not."""
    reachable = {name: " ".join(_addresses(told[name])) for name in _PLACES & told.keys()}
    return {name: value for name, value in reachable.items() if value} | {
        name: told[name] for name in _OTHERS & told.keys()
    }


def _addresses(listed: str) -> list[str]:
    return [one for one in listed.split() if one.startswith(("http://", "https://"))]
