"""Names and versions of images, as the registry's protocol allows them."""

import re
from dataclasses import dataclass

from tidemill.kernel.errors import Invalid

NAME_MAX = 200
VERSION_MAX = 128
PUBLIC = "public"

_PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
NAME = re.compile(rf"{_PART}(?:/{_PART})*")
VERSION = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Reference:
    """What somebody calls an image: `name:version`, `name` (its newest version), `public/…` for a public one."""

    name: str
    version: str | None
    is_public: bool


def is_name(text: str) -> bool:
    return len(text) <= NAME_MAX and NAME.fullmatch(text) is not None and not text.startswith(f"{PUBLIC}/")


def is_version(text: str) -> bool:
    return VERSION.fullmatch(text) is not None


def parse(text: str, *, field: str = "image") -> Reference:
    """The reference; raises Invalid when it is none."""
    whole, _, version = text.strip().partition(":")
    is_public = whole.startswith(f"{PUBLIC}/")
    name = whole.removeprefix(f"{PUBLIC}/")
    if not is_name(name) or (version and not is_version(version)) or text.strip().endswith(":"):
        raise Invalid("image_reference", field=field, given=text[:100])
    return Reference(name, version or None, is_public)
