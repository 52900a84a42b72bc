"""Auto-annotation: prepared, asked for, shown."""

from collections.abc import Mapping
from typing import Any, Protocol

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.kinds import DATASET
from tidemill.assets.lookup import Place
from tidemill.datasets import labels
from tidemill.datasets.lookup import Opened, check_draft
from tidemill.datasets.schemas import LabelPut, LabelView
from tidemill.datasets.tables import WorkRow
from tidemill.datasets.works import service as works
from tidemill.datasets.works.service import Asked
from tidemill.datasets.works.states import ENDED
from tidemill.kernel.errors import Conflict, Invalid
from tidemill.kernel.i18n import Language, message
from tidemill.models.auto.naming import suggest
from tidemill.models.auto.schemas import AutoCreate, AutoView, LabelName, MappedLabel, MappingView
from tidemill.models.auto.sources import Resolved
from tidemill.models.pythons import RUNTIME, image_for
from tidemill.models.training.situation import task_of
from tidemill.workloads.wanted import Input

KIND = "auto"
PROGRAM = "tidemill.models.auto.worker"
SOURCE_FOLDER = "source"
TOKEN = "TIDEMILL_SERVICE_TOKEN"  # noqa: S105 — the name of a variable
GATEWAY = "TIDEMILL_GATEWAY_URL"


class Named(Protocol):
    """What has labels: a model, a service, or what a run of batch inference found."""

    @property
    def type(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def task(self) -> str | None: ...
    @property
    def labels(self) -> tuple[str, ...]: ...


class MappingWish(Protocol):
    """What a caller wants the labels to mean."""

    @property
    def mapping(self) -> Mapping[str, int | str | None] | None: ...
    @property
    def make_labels(self) -> bool: ...


def mapping_view(session: Session, opened: Opened, source: Named, *, by: Caller) -> MappingView:
    """What the source's labels seem to mean in the version."""
    known = _known(session, opened)
    found = suggest(source.labels, {name: label.number for name, label in known.items()})
    names = {label.number: label.name for label in known.values()}
    task = task_of(session, opened)
    fits = source.task is None or source.task == task
    problem = None
    if not fits:
        problem = message("auto_other_task", by.language, name=source.name, task=source.task, wanted=task)
    shown = [
        MappedLabel(
            name=label,
            suggested=LabelName(number=found[label].number, name=names[found[label].number])
            if label in found
            else None,
            reason=found[label].how if label in found else None,
        )
        for label in source.labels
    ]
    return MappingView(
        source=source.name,
        task=source.task or task,
        labels=shown,
        unmatched=sum(one.suggested is None for one in shown),
        fits=fits,
        problem=problem,
    )


def create_auto(
    session: Session, opened: Opened, source: Resolved, body: AutoCreate, *, own_python: bool, by: Caller
) -> WorkRow:
    """A work that has the source look at the draft."""
    check_draft(opened)
    task = task_of(session, opened)
    if source.task is not None and source.task != task:
        raise Invalid("auto_other_task", field="source", name=source.name, task=source.task, wanted=task)
    _refuse_second(session, opened)
    mapping = resolve_mapping(session, opened, source, body, by=by)
    inputs = [Input(opened.version_id, SOURCE_FOLDER)]
    if source.version_id is not None and source.folder is not None:
        inputs.append(Input(source.version_id, source.folder))
    asked: dict[str, Any] = {
        "source": {"type": source.type, "name": source.name, "folder": source.folder},
        "task": task,
        "mapping": mapping,
        "threshold": body.threshold,
        "states": list(body.states),
        "label_errors": body.label_errors,
        "make_labels": body.make_labels,
    }
    if source.type == "service":
        asked["source"] |= {"url": source.url, "model": source.model, "is_own": source.gateway is not None}
    wanted = Asked(
        kind="auto",
        asked=asked,
        program=PROGRAM,
        title=f"{opened.name} · {source.name}"[:200],
        inputs=tuple(inputs),
        secrets={TOKEN: source.token} if source.token else {},
        environment={GATEWAY: source.gateway} if source.gateway else {},
        image=image_for(RUNTIME, own_python=own_python),
        spec=body.spec,
        token_scopes=("service.call",) if source.gateway else (),
    )
    return works.begin(session, opened, wanted, by=by)


def auto_view(session: Session, row: WorkRow, opened: Opened, language: Language) -> AutoView:
    names = {label.number: label.name for label in labels.load(session, opened.vid)}
    mapping: Mapping[str, int] = row.asked["mapping"] or {}
    return AutoView(
        **works.fields(row, opened, language),
        source=row.asked["source"]["name"],
        source_type=row.asked["source"]["type"],
        threshold=row.asked["threshold"],
        states=row.asked["states"],
        label_errors=row.asked["label_errors"],
        mapping={
            label: LabelName(number=number, name=names.get(number, str(number))) for label, number in mapping.items()
        },
    )


def _refuse_second(session: Session, opened: Opened) -> None:
    """Two models suggesting at once would write over each other."""
    going = sa.select(WorkRow.id).where(WorkRow.vid == opened.vid, WorkRow.kind == KIND, WorkRow.state.not_in(ENDED))
    if session.scalar(going.limit(1)):
        raise Conflict("auto_running", name=opened.name)


def resolve_mapping(
    session: Session, opened: Opened, source: Named, body: MappingWish, *, by: Caller
) -> dict[str, int] | None:
    """From the source's labels to numbers; None where a service's labels are not known yet."""
    numbers = _numbers(session, opened)
    if body.mapping is not None:
        check_mapping(session, opened, source, body)
        return _given(session, opened, body.mapping, numbers, by=by)
    if source.type == "service" and not source.labels:
        return None
    found = {label: match.number for label, match in suggest(source.labels, numbers).items()}
    if body.make_labels:
        missing = [label for label in source.labels if label not in found]
        found |= _make(session, opened, missing, by=by)
    if not found:
        raise Invalid("auto_nothing_mapped", field="mapping", name=source.name)
    return found


def check_mapping(session: Session, opened: Opened, source: Named, body: MappingWish) -> None:
    """Raises what is wrong with a mapping that was given; makes nothing."""
    numbers = _numbers(session, opened)
    wanted = _wanted(body.mapping or {})
    unknown = sorted(set(wanted) - set(source.labels)) if source.labels else []
    if unknown:
        raise Invalid("auto_label_of_model", field="mapping", label=unknown[0], name=source.name)
    for value in wanted.values():
        is_known = value in numbers or body.make_labels if isinstance(value, str) else value in numbers.values()
        if not is_known:
            raise Invalid("auto_label_of_dataset", field="mapping", label=str(value), name=opened.name)
    if not wanted:
        raise Invalid("auto_nothing_mapped", field="mapping", name=source.name)


def _given(
    session: Session, opened: Opened, mapping: Mapping[str, int | str | None], numbers: dict[str, int], *, by: Caller
) -> dict[str, int]:
    wanted = _wanted(mapping)
    new = [value for value in wanted.values() if isinstance(value, str) and value not in numbers]
    numbers = numbers | _make(session, opened, new, by=by)
    return {label: numbers[value] if isinstance(value, str) else value for label, value in wanted.items()}


def _wanted(mapping: Mapping[str, int | str | None]) -> dict[str, int | str]:
    return {label: value for label, value in mapping.items() if value is not None}


def _make(session: Session, opened: Opened, names: list[str], *, by: Caller) -> dict[str, int]:
    if not names:
        return {}
    place = Place(DATASET, opened.asset_id, str(opened.number))
    unique = list(dict.fromkeys(names))
    made = labels.add_labels(session, place, [LabelPut(name=name, attributes=[]) for name in unique], by=by)
    return {name: label.number for name, label in zip(unique, made.items, strict=True)}


def _numbers(session: Session, opened: Opened) -> dict[str, int]:
    return {name: label.number for name, label in _known(session, opened).items()}


def _known(session: Session, opened: Opened) -> dict[str, LabelView]:
    """The version's labels by name; of two of one name the first."""
    found: dict[str, LabelView] = {}
    for label in labels.views(session, opened.vid, labels.load(session, opened.vid)):
        found.setdefault(label.name, label)
    return found
