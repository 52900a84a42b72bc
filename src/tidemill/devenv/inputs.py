"""What is put into an environment's workspace: algorithms to be worked on, datasets and models to be read."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.kinds import ALGORITHM, BY_NAME, DATASET, MODEL
from tidemill.assets.lookup import resolve_reference
from tidemill.kernel.errors import Conflict
from tidemill.workloads.wanted import Input

KINDS = (ALGORITHM, DATASET, MODEL)


def inputs_of(named: Mapping[str, Sequence[str]]) -> list[Any]:
    """As they are kept, from references by segment: `name` stays what it is, the newest version at each start."""
    return [{"kind": kind.name, "ref": ref} for kind in KINDS for ref in named.get(kind.segment, ())]


def named_inputs(kept: Sequence[Any]) -> dict[str, list[str]]:
    """References by segment, as `inputs_of` takes them."""
    return {kind.segment: [one["ref"] for one in kept if one["kind"] == kind.name] for kind in KINDS}


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
