"""From a task's settings to a workload."""

import json
from collections.abc import Iterator, Mapping

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.kinds import ALGORITHM, MODEL, Kind
from tidemill.assets.lookup import Found, resolve_reference
from tidemill.kernel.errors import Conflict, Invalid
from tidemill.training.launchers import RESUME, command_of, parameter_variable, run_on
from tidemill.training.settings import TaskSettings
from tidemill.training.tables import RunRow
from tidemill.workloads.specs import get_wanted_spec
from tidemill.workloads.wanted import MLFLOW_URI, Input, Output, Wanted

KIND = "run"
PERSISTENT = "persistent-model"
TOKEN_SCOPES = ("project.read", "training.read", "metric.write", "algorithm.read", "model.read", "dataset.read")
"""What a run may do with its own token: read what it works on, add to its own curves."""


def check(session: Session, settings: TaskSettings, *, by: Caller) -> None:
    """Raises when something that the settings name is not there."""
    list(_inputs(session, settings, by=by))
    if settings.spec is not None:
        get_wanted_spec(session, settings.spec)
    if settings.save_model is not None and not by.may("model.write"):
        raise Invalid("task_save_forbidden", field="save_model")


def pin(session: Session, settings: TaskSettings, *, by: Caller) -> TaskSettings:
    """The settings with every reference naming the version that it means now."""
    algorithm = [_name(found, by) for found in _resolved(session, settings, "algorithm", by)]
    models = [_name(found, by) for found in _resolved(session, settings, "models", by)]
    inputs = [f"{found.asset.kind}:{_name(found, by)}" for found in _resolved(session, settings, "inputs", by)]
    return settings.model_copy(update={"algorithm": next(iter(algorithm), None), "models": models, "inputs": inputs})


def wanted(session: Session, run: RunRow, *, workspace: str | None, resume_from: str | None, by: Caller) -> Wanted:
    """What is submitted for one more go of the run."""
    settings = TaskSettings.model_validate(run.settings)
    environment = _environment(run, settings, resume_from)
    return wanted_for(
        session,
        settings,
        kind=KIND,
        owner_id=run.id,
        name=run.name,
        environment=environment,
        workspace=workspace,
        by=by,
    )


def wanted_for(
    session: Session,
    settings: TaskSettings,
    *,
    kind: str,
    owner_id: str,
    name: str,
    environment: Mapping[str, str],
    workspace: str | None = None,
    token_scopes: tuple[str, ...] = TOKEN_SCOPES,
    by: Caller,
) -> Wanted:
    """What is submitted for a command with these settings, whosever it is."""
    inputs = tuple(_inputs(session, settings, by=by))
    folder = next((one.target for one in inputs if one.mode == "copy"), "")
    window = settings.window
    return Wanted(
        kind=kind,
        owner_id=owner_id,
        name=name,
        command=command_of(settings, folder, _processes(session, settings)),
        image=settings.image,
        spec=settings.spec,
        nodes=settings.nodes,
        run_on=run_on(settings),
        inputs=inputs,
        outputs=(Output(PERSISTENT, settings.save_model),) if settings.save_model else (),
        environment=environment,
        workspace=workspace,
        priority=settings.priority,
        preemptible=settings.preemptible,
        retries=settings.retries,
        time_limit_s=settings.time_limit_s,
        window=(window.start, window.end, window.zone) if window else None,
        token_scopes=token_scopes,
    )


def told(settings: TaskSettings) -> dict[str, str]:
    """The variables and parameters of the settings, as a command finds them."""
    given = {parameter_variable(name): _plain(value) for name, value in settings.parameters.items()}
    return {
        **settings.environment,
        **given,
        "TIDEMILL_PARAMETERS": json.dumps(settings.parameters, ensure_ascii=False),
    }


def _environment(run: RunRow, settings: TaskSettings, resume_from: str | None) -> dict[str, str]:
    # A script that logs with the MLflow client logs to this run, unless it was told of another server.
    for_mlflow = {} if MLFLOW_URI in settings.environment else {"MLFLOW_RUN_ID": run.id}
    found = {**for_mlflow, **told(settings), "TIDEMILL_RUN_ID": run.id, "TIDEMILL_RUN_NAME": run.name}
    return found if resume_from is None else {**found, RESUME: resume_from}


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _processes(session: Session, settings: TaskSettings) -> int:
    if settings.processes_per_node is not None:
        return settings.processes_per_node
    return max(1, int(get_wanted_spec(session, settings.spec).accelerators))


def _inputs(session: Session, settings: TaskSettings, *, by: Caller) -> Iterator[Input]:
    """The algorithm as the run's own files, everything else for reading."""
    taken: set[str] = set()
    for field in ("algorithm", "models", "inputs"):
        for found in _resolved(session, settings, field, by):
            target = f"{found.asset.kind}/{found.asset.name}"
            if target in taken:
                raise Conflict("task_input_twice", field=field, target=target)
            taken.add(target)
            yield Input(found.version.id, target, "copy" if field == "algorithm" else "link")


def _resolved(session: Session, settings: TaskSettings, field: str, by: Caller) -> list[Found]:
    references: dict[str, tuple[list[str], Kind | None]] = {
        "algorithm": ([settings.algorithm] if settings.algorithm else [], ALGORITHM),
        "models": (settings.models, MODEL),
        "inputs": (settings.inputs, None),
    }
    named, kind = references[field]
    return [resolve_reference(session, text, by=by, kind=kind, field=field) for text in named]


def _name(found: Found, by: Caller) -> str:
    own = f"{found.asset.name}@{found.version.number}"
    return own if found.project.id == by.project.id else f"{found.project.name}/{own}"
