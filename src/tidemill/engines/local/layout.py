"""Where the local engine keeps what, below its folder."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote, unquote

from tidemill.engines.base import EngineError


class Layout:
    """`launches/<id>/nodes/<index>`, `materials/<key>`, `workspaces/<key>`, `tmp`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.launches = self.folder / "launches"
        self.materials = self.folder / "materials"
        self.workspaces = self.folder / "workspaces"
        self.temporary = self.folder / "tmp"
        for place in (self.launches, self.materials, self.workspaces, self.temporary):
            place.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        self.tag = sha256(str(self.folder).encode()).hexdigest()[:12]
        """What is ours among what engines share on a machine."""

    def launch(self, id: str) -> Path:
        return self.launches / name_of(id)

    def node(self, id: str, index: int) -> Path:
        return self.launch(id) / "nodes" / str(index)

    def material(self, key: str) -> Path:
        return self.materials / name_of(key)

    def workspace(self, key: str) -> Path:
        return self.workspaces / name_of(key)

    def ids(self) -> Iterator[str]:
        """Launches that are written down."""
        for entry in sorted(self.launches.iterdir()):
            if not entry.name.startswith("."):
                yield unquote(entry.name)


def name_of(key: str) -> str:
    """A key as the name of one file, whatever is in it."""
    if not key or len(key) > 200:
        raise EngineError("a key must have 1 to 200 characters")
    return "%2E" + quote(key[1:], safe="") if key.startswith(".") else quote(key, safe="")
