"""The store as the application holds it: the backend, and room for files that are not whole yet."""

from dataclasses import dataclass
from pathlib import Path

from tidemill.kernel.ids import new_id
from tidemill.kernel.settings import Settings
from tidemill.store.backends import BlobBackend
from tidemill.store.local import LocalBackend
from tidemill.store.parts import Parts
from tidemill.store.s3 import open_s3


@dataclass(frozen=True, slots=True)
class Store:
    """`app.state.store`."""

    backend: BlobBackend
    temporary: Path
    parts: Parts

    def temporary_file(self) -> Path:
        """A new name in the temporary folder; what is left there is collected."""
        return self.temporary / new_id("tmp")


def open_store(settings: Settings) -> Store:
    """The store the settings describe, its folders made where they are missing."""
    folder = settings.store_folder
    temporary = folder / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    backend: BlobBackend = (
        open_s3(settings) if settings.store_s3_bucket else LocalBackend(folder, fsync=settings.store_fsync)
    )
    return Store(backend=backend, temporary=temporary, parts=Parts(folder / "uploads"))
