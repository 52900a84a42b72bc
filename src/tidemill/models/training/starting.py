"""From a plan to a run: a training task of its own, used again the next time, and one more run of it."""

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.tables import VersionRow
from tidemill.jobs.texts import text
from tidemill.kernel.errors import Conflict
from tidemill.kernel.fields import NAME_MAX, name_key
from tidemill.models.tables import TrainingRow
from tidemill.models.training.planning import Plan
from tidemill.models.views import called
from tidemill.training import runs, tasks
from tidemill.training.schemas import TaskCreate, TaskPatch, TaskStart
from tidemill.training.settings import TaskSettings
from tidemill.training.tables import RunRow, TaskRow

RETRIES = 1
_NAMES_TRIED = 1000


def start(session: Session, plan: Plan, *, name: str | None, by: Caller) -> tuple[RunRow, TaskRow]:
    """A run of the plan; raises the first of its problems."""
    for problem in plan.problems:
        raise problem
    assert plan.algorithm is not None
    settings = settings_of(plan, by)
    algorithm_asset = session.scalars(sa.select(VersionRow.asset_id).where(VersionRow.id == plan.algorithm.id)).one()
    task = _task(session, plan, settings, algorithm_asset, name, by)
    run = runs.start_task(session, task, TaskStart(), by=by)
    session.add(
        TrainingRow(
            run_id=run.id,
            project_id=by.project.id,
            task_id=task.id,
            dataset_asset_id=plan.opened.asset_id,
            dataset_version_id=plan.opened.version_id,
            dataset=plan.opened.name,
            algorithm_asset_id=algorithm_asset,
            algorithm=called(plan.algorithm, by),
            labelled=plan.situation.labelled,
            choices=[
                {
                    "name": one.name,
                    "value": one.value,
                    "is_default": one.is_default,
                    "reason": text(one.reason, **one.params),
                }
                for one in plan.choices
            ],
            created_at=by.now,
        )
    )
    session.flush()
    return run, task


def settings_of(plan: Plan, by: Caller) -> TaskSettings:
    """The plan as a task's settings."""
    assert plan.manifest is not None
    assert plan.algorithm is not None
    function = plan.manifest.functions["train"]
    return TaskSettings(
        algorithm=called(plan.algorithm, by),
        models=[called(plan.model, by)] if plan.model else [],
        inputs=[f"dataset:{plan.opened.name}"],
        image=plan.image,
        spec=plan.spec,
        launcher=function.launcher,
        command=function.command,
        save_model=plan.save_model,
        retries=RETRIES,
        parameters=plan.parameters(),
    )


def _task(
    session: Session, plan: Plan, settings: TaskSettings, algorithm_asset: str, name: str | None, by: Caller
) -> TaskRow:
    earlier = _find_earlier(session, plan, algorithm_asset, name, by)
    if earlier is not None:
        row = tasks.get_task(session, earlier, by=by, lock=True)
        tasks.update_task(session, row, TaskPatch(**settings.model_dump()), by=by)
        return row
    assert plan.algorithm is not None
    wanted = name or _free_name(session, f"{plan.opened.asset}-{plan.algorithm.asset}", by)
    made = tasks.create_task(session, TaskCreate(name=wanted, **settings.model_dump()), by=by)
    return tasks.get_task(session, made.id, by=by, lock=True)


def _find_earlier(session: Session, plan: Plan, algorithm_asset: str, name: str | None, by: Caller) -> str | None:
    """The task of the last training of this dataset with this algorithm, if it is still there."""
    statement = (
        sa.select(TaskRow.id)
        .join(TrainingRow, TrainingRow.task_id == TaskRow.id)
        .where(
            TaskRow.project_id == by.project.id,
            TrainingRow.dataset_asset_id == plan.opened.asset_id,
            TrainingRow.algorithm_asset_id == algorithm_asset,
        )
    )
    if name is not None:
        statement = statement.where(TaskRow.name_key == name_key(name))
    return session.scalar(statement.order_by(TrainingRow.created_at.desc()).limit(1))


def _free_name(session: Session, wanted: str, by: Caller) -> str:
    taken = set(session.scalars(sa.select(TaskRow.name_key).where(TaskRow.project_id == by.project.id)))
    for number in range(1, _NAMES_TRIED):
        end = "" if number == 1 else f"-{number}"
        name = wanted[: NAME_MAX - len(end)].strip() + end
        if name_key(name) not in taken:
            return name
    raise Conflict("name_taken", field="name", name=wanted)
