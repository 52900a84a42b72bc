"""Images as the application holds them: the store, the environments on disk, and who to ask whether one is in use."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from sqlalchemy.orm import Session

from tidemill.images.environments import Environments
from tidemill.kernel.clock import Clock
from tidemill.kernel.db import Database
from tidemill.kernel.settings import Settings
from tidemill.store.depot import Store


class Users(Protocol):
    """A room above that runs things in images."""

    def of_image(self, session: Session, image_id: str, *, project_id: str | None = None) -> list[dict[str, Any]]:
        """What runs in the image now, or is about to: `{"id", "name", "kind"}` of the first few, of all projects or
        of one."""
        ...

    def digests(self, session: Session) -> set[str]:
        """Digests of all images that something runs in now, or is about to."""
        ...


@dataclass(frozen=True, slots=True)
class Images:
    """`app.state.images`."""

    db: Database
    store: Store
    environments: Environments
    settings: Settings
    clock: Clock
    users: list[Users] = field(default_factory=list)
    """Rooms add themselves when they are installed."""
    registry_key: bytes = b""
    """Signs the registry's short-lived tokens."""
