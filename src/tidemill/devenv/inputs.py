"""What is put into an environment's workspace: algorithms to be worked on, models to be read."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.kinds import ALGORITHM, BY_NAME, MODEL
from tidemill.assets.lookup import resolve_reference
from tidemill.kernel.errors import Conflict
from tidemill.workloads.wanted import Input


def inputs_of(algorithms: Sequence[str], models: Sequence[str]) -> list[Any]:
    """As they are kept: the references stay as they were given, so that `name` is the newest version at each start."""
    named = [(ALGORITHM.name, ref) for ref in algorithms] + [(MODEL.name, ref) for ref in models]
    return [{"kind": kind, "ref": ref} for kind, ref in named]


def check_inputs(session: Session, kept: Sequence[Any], *, by: Caller) -> None:
    """Raises when one is not there, or two would be in one place."""
    list(find_inputs(session, kept, by=by))


def find_inputs(session: Session, kept: Sequence[Any], *, by: Caller) -> Iterator[Input]:
    """The versions that are meant now. Algorithms become the environment's own files, once."""
    taken: set[str] = set()
    for one in kept:
        kind = BY_NAME[one["kind"]]
        found = resolve_reference(session, one["ref"], by=by, kind=kind, field=f"{kind.name}s")
        target = f"{kind.name}/{found.asset.name}"
        if target in taken:
            raise Conflict("environment_input_twice", field=f"{kind.name}s", target=target)
        taken.add(target)
        yield Input(found.version.id, target, "copy" if kind is ALGORITHM else "link")
