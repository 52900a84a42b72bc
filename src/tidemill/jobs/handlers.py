"""What runs jobs: handlers by kind, and what a handler is given."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from fastapi import FastAPI

from tidemill.accounts.access import Caller
from tidemill.jobs.texts import Text, text
from tidemill.kernel.clock import Clock
from tidemill.kernel.db import Database
from tidemill.kernel.settings import Settings


class JobCancelled(Exception):
    """Raised by `RunningJob.check` to leave a handler that was told to stop."""


@dataclass(slots=True)
class Progress:
    """How far a job is."""

    done: int = 0
    total: int | None = None
    unit: str = ""
    message: Text | None = None


@dataclass(slots=True)
class RunningJob:
    """A job as its handler sees it."""

    id: str
    kind: str
    name: str
    params: dict[str, Any]
    project_id: str | None
    created_by: str
    created_by_id: str | None
    attempt: int
    app: FastAPI
    report: Callable[["RunningJob", Progress], None]
    stop_asked: threading.Event = field(default_factory=threading.Event)
    latest: Progress = field(default_factory=Progress)
    was_told: bool = False
    """The handler asked whether to stop and heard yes: what it returns is not the whole work."""

    @property
    def db(self) -> Database:
        database: Database = self.app.state.db
        return database

    @property
    def settings(self) -> Settings:
        settings: Settings = self.app.state.settings
        return settings

    @property
    def now(self) -> datetime:
        clock: Clock = self.app.state.clock
        return clock()

    def caller(self) -> Caller:
        """Who the work is done for, for the audit log."""
        return Caller(
            user_id=self.created_by_id,
            user_name=self.created_by,
            kind="system",
            is_administrator=False,
            address="",
            request_id=self.id,
            language="en",
            now=self.now,
        )

    def progress(
        self, done: int, total: int | None = None, unit: str = "", message: str | None = None, **params: Any
    ) -> None:
        """Says how far it is; cheap to call often. `unit` is `files`, `bytes`, … and `message` a message code."""
        self.report(self, Progress(done, total, unit, text(message, **params) if message else None))

    def cancelled(self) -> bool:
        """Whether to stop: the user asked, or this process is closing (then the job runs again at the next start)."""
        self.was_told = self.was_told or self.stop_asked.is_set()
        return self.was_told

    def check(self) -> None:
        """Leaves the handler when it should stop."""
        if self.cancelled():
            raise JobCancelled


Handler = Callable[[RunningJob], dict[str, Any]]
"""Does the work and returns what to show of it (JSON).

It runs in a thread of its own, with no transaction open. It must be safe to run again from the start, because the
process may be killed at any moment: what it makes becomes visible in one transaction at its end. A `TidemillError` it
raises is shown to the user; anything else is a defect and is logged. Long ones ask `cancelled()` or
`check()` every second or so.
"""


class Handlers:
    """Handlers by kind, for one application."""

    def __init__(self) -> None:
        self._by_kind: dict[str, Handler] = {}

    def add(self, kind: str, handler: Handler) -> None:
        text(f"job_{kind}")
        if kind in self._by_kind:
            raise ValueError(f"two handlers for {kind!r}")
        self._by_kind[kind] = handler

    def get(self, kind: str) -> Handler:
        return self._by_kind[kind]

    def kinds(self) -> list[str]:
        return sorted(self._by_kind)


def register(app: FastAPI, kind: str, handler: Handler) -> None:
    """Called by a room's `install`. The kind needs a message `job_<kind>`, its title, with `{name}` in it."""
    handlers: Handlers = app.state.job_handlers
    handlers.add(kind, handler)
