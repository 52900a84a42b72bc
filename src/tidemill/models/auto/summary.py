"""How far looking at suggestions is."""

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.lookup import Place
from tidemill.datasets import counting
from tidemill.datasets.doubts import MILLION
from tidemill.datasets.lookup import open_version
from tidemill.datasets.states import SUGGESTED
from tidemill.datasets.tables import ITEMS, SUGGESTIONS, WorkRow
from tidemill.datasets.works.states import DONE
from tidemill.models.auto.schemas import SuggestionsSummary

SAMPLE = 50_000
_doubt, _item = SUGGESTIONS.c, ITEMS.c


def summarise(session: Session, place: Place, *, by: Caller) -> SuggestionsSummary:
    """Of very many items only some are looked at: shares hardly differ, and nobody waits."""
    opened = open_version(session, place, project_id=by.project.id)
    joined = SUGGESTIONS.join(ITEMS, sa.and_(_item.vid == _doubt.vid, _item.seq == _doubt.seq))
    some = (
        sa.select(_doubt.doubt, _doubt.least, _item.state)
        .select_from(joined)
        .where(_doubt.vid == opened.vid)
        .limit(SAMPLE)
        .subquery()
    )
    tenth = some.c.least // (MILLION // 10)
    counted = session.execute(
        sa.select(tenth, sa.func.count()).where(some.c.state == SUGGESTED, some.c.least.is_not(None)).group_by(tenth)
    ).all()
    looked, doubt = session.execute(sa.select(sa.func.count(), sa.func.avg(some.c.doubt)).select_from(some)).one()
    tenths = [0] * 10
    for place_in, count in counted:
        tenths[min(9, int(place_in))] += count
    newest = session.scalar(
        sa.select(WorkRow)
        .where(WorkRow.vid == opened.vid, WorkRow.kind == "auto", WorkRow.state == DONE)
        .order_by(WorkRow.created_at.desc())
        .limit(1)
    )
    return SuggestionsSummary(
        suggested=counting.get_count(session, opened.vid, counting.STATE, SUGGESTED),
        looked_at=looked,
        sampled=looked >= SAMPLE,
        mean_uncertainty=None if doubt is None else float(doubt) / MILLION,
        by_certainty=tenths,
        source=newest.asked["source"]["name"] if newest else None,
        work=newest.id if newest else None,
    )
