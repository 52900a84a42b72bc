"""Trainings as people see them."""

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.jobs.texts import say
from tidemill.kernel.errors import NotFound
from tidemill.models.tables import EvaluationRow, TrainingRow
from tidemill.models.training.schemas import ChosenView, TrainingView
from tidemill.training.metrics.series import last_values
from tidemill.training.tables import RunRow
from tidemill.training.views import run_view


def training_view(session: Session, run: RunRow, *, by: Caller) -> TrainingView:
    """What was chosen for a run, and how far it is; raises NotFound for a run that was started otherwise."""
    row = session.get(TrainingRow, run.id)
    if row is None:
        raise NotFound("training_none", name=run.name)
    values = last_values(session, [run.id]).get(run.id, {})
    name, _, number = row.dataset.rpartition("@")
    evaluation = sa.select(EvaluationRow.id).where(EvaluationRow.run_id == run.id).order_by(EvaluationRow.id.desc())
    return TrainingView(
        run=run.name,
        dataset=row.dataset,
        dataset_name=name,
        dataset_version=int(number),
        algorithm=row.algorithm,
        labelled=row.labelled,
        choices=[
            ChosenView(
                name=one["name"],
                value=one["value"],
                is_default=one["is_default"],
                reason=say(one["reason"], by.language),
            )
            for one in row.choices
        ],
        evaluation=session.scalar(evaluation.limit(1)),
        model=run_view(session, run, by.language).model,
        progress=values.get("progress"),
        remaining_s=values.get("remaining_s"),
    )
