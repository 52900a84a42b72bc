"""How much an archive may unfold to before it is taken for a bomb."""

from dataclasses import dataclass
from pathlib import Path

from tidemill.datasets.notes import Refused


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one import, inner archives included."""

    files: int = 5_000_000
    size_bytes: int = 1 << 40
    ratio: float = 200.0
    """Unpacked to packed bytes; honest texts stay below 50."""
    free_bytes: int = 256 << 20
    """What may be unpacked whatever the ratio: a small table of zeros is no attack."""
    depth: int = 3
    """Archives within archives."""


class Budget:
    """Counts what one import unpacks and refuses at the limit."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._files = 0
        self._unpacked = 0

    def take(self, path: str, *, files: int = 0, size_bytes: int = 0) -> None:
        """Adds to the count."""
        self._files += files
        self._unpacked += size_bytes
        if self._files > self.limits.files:
            raise Refused("archive_too_many_files", path, limit=self.limits.files)
        if self._unpacked > self.limits.size_bytes:
            raise Refused("archive_too_large", path, limit=self.limits.size_bytes)


class Meter:
    """Counts what one archive of an import unpacks: by its own size it must not grow too much."""

    def __init__(self, budget: Budget, archive: Path) -> None:
        self._budget = budget
        self._archive = archive.name
        limits = budget.limits
        self._allowed = max(limits.free_bytes, limits.ratio * archive.stat().st_size)
        self._unpacked = 0

    def take(self, *, files: int = 0, size_bytes: int = 0) -> None:
        """Adds to the count."""
        self._unpacked += size_bytes
        if self._unpacked > self._allowed:
            raise Refused("archive_bomb", self._archive, ratio=int(self._budget.limits.ratio))
        self._budget.take(self._archive, files=files, size_bytes=size_bytes)
