"""From an entry's settings to a workload."""

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.kinds import DATASET
from tidemill.assets.lookup import Found, resolve_reference
from tidemill.datasets.counting import STATE, get_many
from tidemill.datasets.states import STATE_CODES
from tidemill.datasets.tables import DatasetRow, DatasetVersionRow
from tidemill.inference.services import check_source, find_address
from tidemill.inference.settings import CodeSettings, ModelSettings, ModelSource
from tidemill.inference.tables import InferenceRunRow
from tidemill.kernel.errors import Conflict, Invalid
from tidemill.models.evaluations.service import resolve_model
from tidemill.models.naming import name_for
from tidemill.models.pythons import RUNTIME, image_for
from tidemill.models.tables import FactsRow
from tidemill.training import launching as training
from tidemill.workloads.specs import get_wanted_spec
from tidemill.workloads.wanted import Input, Wanted

KIND = "batch"
PROGRAM = "tidemill.inference.worker.program"
PLACE = "inference-works"
DATASET_FOLDER = "dataset"
MODEL_FOLDER = "model"
TOKEN = "TIDEMILL_SERVICE_TOKEN"  # noqa: S105 — the name of a variable
TOKEN_SCOPES = ("inference.work", "upload.write")
RETRIES = 3
WORKERS_USUAL_MAX = 4
"""As many as this are started unasked: each holds the model in memory."""
_DATA = {
    "image-classification": "image", "object-detection": "image", "segmentation": "image", "keypoints": "image",
    "ocr": "image", "text-classification": "text", "audio-classification": "audio", "audio-transcription": "audio",
    "tabular": "table",
}  # fmt: skip
"""What models of each task look at."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a run will use, found before the transaction that starts it."""

    settings: CodeSettings | ModelSettings
    """With every reference naming its version."""
    model: Found | None = None
    facts: FactsRow | None = None
    dataset: Found | None = None
    source: str = ""
    address: dict[str, Any] | None = None
    """Of a service: its `name`, the `environment` its program finds it by, and whether our own token opens it."""
    own_python: bool = False


def check(session: Session, settings: CodeSettings | ModelSettings, *, allow: list[str], by: Caller) -> None:
    """Raises when something that the settings name is not there."""
    if isinstance(settings, CodeSettings):
        training.check(session, _task(settings, by), by=by)
        return
    _dataset(session, settings.dataset, by=by)
    get_wanted_spec(session, settings.spec)
    if isinstance(settings.source, ModelSource):
        resolve_model(session, settings.source.model, by=by, field="settings.source.model")
    else:
        check_source(session, settings.source, allow=allow, by=by)


def look_up(state: Any, settings: CodeSettings | ModelSettings, *, by: Caller, is_pinned: bool = False) -> Known:
    """Everything the settings name, as it is now; `is_pinned` where a run began with it already."""
    own = state.settings.models_own_python
    with state.db.read() as session:
        if isinstance(settings, CodeSettings):
            task = settings.as_task() if is_pinned else training.pin(session, settings.as_task(), by=by)
            return Known(CodeSettings.of_task(task), source=", ".join(task.models))
        dataset = _dataset(session, settings.dataset, by=by)
        pinned = settings.model_copy(update={"dataset": name_for(dataset, by)})
        if not isinstance(settings.source, ModelSource):
            address = find_address(session, state.settings, settings.source, by=by)
            return Known(pinned, dataset=dataset, source=address["name"], address=address, own_python=own)
        model = resolve_model(session, settings.source.model, by=by, field="source.model")
    facts = state.facts.ensure(model.version.id)
    name = name_for(model, by)
    if facts is None or not facts.facts.get("is_runnable"):
        raise Invalid("model_not_runnable", field="source.model", name=name)
    with state.db.read() as session:
        _check_data(session, facts, dataset, name, by=by)
    pinned = pinned.model_copy(update={"source": ModelSource(type="model", model=name)})
    return Known(pinned, model, facts, dataset, name, own_python=own)


def fill(session: Session, run: InferenceRunRow, known: Known, *, by: Caller) -> None:
    """What the run is about, written into its row."""
    run.source = known.source
    run.settings = known.settings.model_dump(mode="json")
    if not isinstance(known.settings, ModelSettings) or known.dataset is None:
        run.dataset = ", ".join(known.settings.datasets) if isinstance(known.settings, CodeSettings) else ""
        return
    version = _version(session, known.dataset.version.id)
    counted = get_many(session, [version.vid], STATE).get(version.vid, {})
    codes = [str(STATE_CODES[one]) for one in known.settings.states] or [str(code) for code in STATE_CODES.values()]
    run.total = sum(counted.get(code, 0) for code in codes)
    run.vid, run.upto = version.vid, version.next_seq - 1
    run.dataset, run.dataset_version_id = name_for(known.dataset, by), known.dataset.version.id
    run.model_version_id = known.model.version.id if known.model else None
    run.task = known.facts.task if known.facts else ""
    if not run.total:
        raise Conflict("inference_no_items", field="dataset", name=run.dataset)


def wanted(
    session: Session, run: InferenceRunRow, known: Known, *, workspace: str | None, token: str | None, by: Caller
) -> Wanted:
    """What is submitted for one more go of the run."""
    if isinstance(known.settings, CodeSettings):
        task = known.settings.as_task()
        environment = {**training.told(task), "TIDEMILL_RUN_NAME": run.name}
        return training.wanted_for(
            session,
            task,
            kind=KIND,
            owner_id=run.id,
            name=run.name,
            environment=environment,
            workspace=workspace,
            token_scopes=("project.read", "algorithm.read", "model.read", "dataset.read"),
            by=by,
        )
    return _of_program(session, run, known, known.settings, workspace=workspace, token=token, by=by)


def workers_for(session: Session, settings: ModelSettings) -> tuple[int, int]:
    """How many processes look at items, and how many threads each has."""
    cpus = get_wanted_spec(session, settings.spec).cpus
    workers = settings.workers or max(1, min(WORKERS_USUAL_MAX, int(cpus)))
    return workers, max(1, int(cpus / workers))


def _of_program(
    session: Session,
    run: InferenceRunRow,
    known: Known,
    settings: ModelSettings,
    *,
    workspace: str | None,
    token: str | None,
    by: Caller,
) -> Wanted:
    assert known.dataset is not None
    del by
    inputs = [Input(known.dataset.version.id, f"{DATASET_FOLDER}/{known.dataset.asset.name}")]
    if known.model is not None:
        inputs.append(Input(known.model.version.id, f"{MODEL_FOLDER}/{known.model.asset.name}"))
    _, threads = workers_for(session, settings)
    environment = {
        "TIDEMILL_WORK": run.id,
        "TIDEMILL_WORK_PLACE": PLACE,
        "TIDEMILL_RUNTIME_THREADS": str(threads),
        **(known.address["environment"] if known.address else {}),
    }
    scopes = (*TOKEN_SCOPES, "service.call") if known.address and known.address["is_own"] else TOKEN_SCOPES
    return Wanted(
        kind=KIND,
        owner_id=run.id,
        name=run.name,
        command=("python", "-m", PROGRAM),
        image=image_for(RUNTIME, own_python=known.own_python),
        spec=settings.spec,
        inputs=tuple(inputs),
        environment=environment,
        secrets={TOKEN: token} if token else {},
        workspace=workspace,
        priority=settings.priority,
        retries=RETRIES,
        time_limit_s=settings.time_limit_s,
        token_scopes=scopes,
    )


def _task(settings: CodeSettings, by: Caller) -> Any:
    del by
    return settings.as_task()


def _dataset(session: Session, text: str, *, by: Caller) -> Found:
    found = resolve_reference(session, text, by=by, kind=DATASET, field="settings.dataset")
    _version(session, found.version.id)
    return found


def _version(session: Session, version_id: str) -> DatasetVersionRow:
    return session.scalars(sa.select(DatasetVersionRow).where(DatasetVersionRow.version_id == version_id)).one()


def _check_data(session: Session, facts: FactsRow, dataset: Found, name: str, *, by: Caller) -> None:
    kind = session.scalars(sa.select(DatasetRow.data_type).where(DatasetRow.asset_id == dataset.asset.id)).one()
    needed = _DATA.get(facts.task)
    if needed is not None and needed != kind:
        raise Invalid(
            "inference_other_data",
            field="dataset",
            name=name,
            task=facts.task,
            dataset=name_for(dataset, by),
            data=kind,
        )
