"""How assets and versions are written down: `name`, `name@3`, `public/name@latest`."""

from dataclasses import dataclass
from urllib.parse import quote

from tidemill.kernel.errors import Invalid
from tidemill.sdk.language import problem


@dataclass(frozen=True, slots=True)
class Ref:
    """An asset, perhaps in a named project, perhaps one of its versions."""

    name: str
    project: str | None = None
    version: str | None = None

    def __str__(self) -> str:
        before = f"{self.project}/" if self.project else ""
        return f"{before}{self.name}" + (f"@{self.version}" if self.version else "")


def parse_ref(text: "str | Ref") -> Ref:
    """Reads `[project/]name[@version]`. An `@` that no number or `latest` follows belongs to the name."""
    if isinstance(text, Ref):
        return text
    project, slash, rest = text.partition("/")
    if not slash:
        project, rest = "", text
    name, at, version = rest.rpartition("@")
    if not at or not (version == "latest" or (version.isascii() and version.isdigit())):
        name, version = rest, ""
    if not name or "/" in name or (slash and not project):
        raise problem(Invalid, "sdk_ref_invalid", field="name", given=text)
    return Ref(name, project or None, version or None)


def address(*parts: str | int) -> str:
    """A path below /api/v1 with every part quoted, so that no name can reach outside of its place."""
    return "/" + "/".join(quote(str(part), safe="") for part in parts)


def file_address(path: str) -> str:
    """A file's path inside a version, its slashes kept."""
    return quote(path, safe="/")
