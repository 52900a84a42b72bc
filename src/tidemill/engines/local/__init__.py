"""The local engine: launches on this machine, as plain processes, in sandboxes or in containers."""

from tidemill.engines.local.engine import LocalEngine
from tidemill.engines.local.settings import LocalSettings

__all__ = ["LocalEngine", "LocalSettings"]
