"""What a room gives to the house."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fastapi import APIRouter, FastAPI

from tidemill.kernel.loops import Loop


def _nothing(app: FastAPI) -> None:
    del app


def _no_loops(app: FastAPI) -> Sequence[Loop]:
    del app
    return ()


@dataclass(frozen=True, slots=True)
class Room:
    """A feature folder as the server sees it."""

    name: str
    routers: Sequence[APIRouter] = ()
    install: Callable[[FastAPI], None] = _nothing
    """Puts the room's services on `app.state`; called before the routers are gathered."""
    loops: Callable[[FastAPI], Sequence[Loop]] = _no_loops
    """The room's background loops; asked for once, when the application starts."""
    first_start: Callable[[FastAPI], None] = _nothing
    """Makes what must exist (built-in roles, the public project); called at every start: safe to repeat."""
    is_busy: bool = False
    """Its routes are called many times a second."""
