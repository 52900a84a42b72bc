"""Runs from outside: made, changed, ended."""

import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from threading import Lock
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.kernel.db import announce
from tidemill.kernel.errors import Conflict, NotFound
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import new_id
from tidemill.kernel.prepared import Prepared
from tidemill.tracking.targets import Target, maker_of
from tidemill.tracking.writing import KEY_MAX, NAME_TAG, set_tags, table_of
from tidemill.training.runs import PREFIX
from tidemill.training.tables import RUNS_TOPIC, ExperimentRow, RunRow
from tidemill.workloads.lifecycle import FINAL

TELL_EVERY = timedelta(seconds=1)

_ADJECTIVES = "calm bold bright brisk clear deep even fair fresh gentle high keen light long quick quiet rising steady"
_NOUNS = "tide wheel mill river harbour current wave delta shore bay inlet lagoon reef sail swell spring estuary weir"


def new_name() -> str:
    """For a run that was given none."""
    words = (secrets.choice(_ADJECTIVES.split()), secrets.choice(_NOUNS.split()))
    return "-".join((*words, str(secrets.randbelow(900) + 100)))


def create_run(
    session: Session,
    experiment_id: str,
    *,
    name: str | None,
    start_ms: int | None,
    tags: Mapping[str, str],
    by: Caller,
) -> Target:
    """A running run of an experiment that was found to be the project's."""
    chosen = name or tags.get(NAME_TAG) or new_name()
    target = Target(new_id(PREFIX), chosen, experiment_id, None, maker_of(session, by), False)
    _ADD_RUN.run(
        session,
        id=target.id,
        project_id=by.project.id,
        experiment_id=experiment_id,
        number=0,
        name=chosen,
        name_key=name_key(chosen)[:KEY_MAX],
        settings=None,
        state="running",
        start_ms=int(by.now.timestamp() * 1000) if start_ms is None else start_ms,
        links={},
        made_in=target.made_in,
        attempts_before=0,
        metrics_open=False,
        revision=0,
        changed_at=by.now,
        created_at=by.now,
        created_by=by.user_name,
        created_by_id=by.user_id,
    )
    if not _COUNT.run(session, b_id=experiment_id, updated_at=by.now):
        raise NotFound("experiment_not_found", name=experiment_id)
    set_tags(session, target, {**tags, NAME_TAG: chosen})
    return target


def find_live_experiment(session: Session, experiment_id: str, *, by: Caller) -> bool:
    """Whether runs can be made in it; raises NotFound when it is none of the project's."""
    rows = _EXPERIMENT.rows(session, id=experiment_id, project=by.project.id)
    if not rows:
        raise NotFound("experiment_not_found", name=experiment_id[:100])
    if rows[0][0]:
        raise Conflict("experiment_deleted", name=rows[0][1][:100])
    return True


def set_state(session: Session, run: RunRow, state: str | None, end_ms: int | None, *, by: Caller) -> None:
    """What a locked run from outside says of itself. One of the platform is as its workload is, whatever it says."""
    if run.workload_id is not None:
        return
    if state is not None:
        run.state = state
        run.end_ms = (end_ms or int(by.now.timestamp() * 1000)) if state in FINAL else None
    elif end_ms is not None:
        run.end_ms = end_ms
    run.changed_at, run.revision = by.now, run.revision + 1
    announce(session, RUNS_TOPIC)


class Telling:
    """Those who look at a run are told that it grew, at most once a second for each run."""

    MOST = 10_000

    def __init__(self) -> None:
        self._told: dict[str, datetime] = {}
        self._lock = Lock()

    def is_due(self, run_id: str, now: datetime) -> bool:
        with self._lock:
            if (before := self._told.get(run_id)) is not None and now - before < TELL_EVERY:
                return False
            if len(self._told) >= self.MOST:
                self._told.clear()
            self._told[run_id] = now
            return True


def note_growth(session: Session, run_id: str, now: datetime) -> None:
    _CHANGED.run(session, b_run=run_id, changed_at=now)
    announce(session, RUNS_TOPIC)


def _bind(name: str, column: Any) -> Any:
    return sa.bindparam(name, type_=column.type)


_runs, _experiments = table_of(RunRow), table_of(ExperimentRow)
_GIVEN = (
    "id", "project_id", "experiment_id", "number", "name", "name_key", "settings", "state", "start_ms", "links",
    "made_in", "attempts_before", "metrics_open", "revision", "changed_at", "created_at", "created_by",
    "created_by_id",
)  # fmt: skip
_ADD_RUN = Prepared(sa.insert(_runs).values({name: _bind(name, _runs.c[name]) for name in _GIVEN}))
_COUNT = Prepared(
    sa.update(_experiments)
    .where(_experiments.c.id == sa.bindparam("b_id", type_=sa.Text()))
    .values(runs_count=_experiments.c.runs_count + 1, updated_at=_bind("updated_at", _experiments.c.updated_at))
)
_EXPERIMENT = Prepared(
    sa.select(_experiments.c.deleted_at.is_not(None), _experiments.c.name).where(
        _experiments.c.id == sa.bindparam("id", type_=sa.Text()),
        _experiments.c.project_id == sa.bindparam("project", type_=sa.Text()),
    )
)
_CHANGED = Prepared(
    sa.update(_runs)
    .where(_runs.c.id == sa.bindparam("b_run", type_=sa.Text()))
    .values(changed_at=_bind("changed_at", _runs.c.changed_at), revision=_runs.c.revision + 1)
)
