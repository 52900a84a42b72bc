"""Taking an item back to an earlier revision: a new revision with the old content, so that nothing is lost."""

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.annotation import history, saving
from tidemill.annotation.saving import Done, Wish
from tidemill.assets.lookup import Place
from tidemill.datasets.annotations import unpack
from tidemill.datasets.states import ITEM_STATES
from tidemill.kernel.errors import Conflict


def restore(session: Session, place: Place, seq: int, *, revision: int | None, base: int | None, by: Caller) -> Done:
    """Gives an item the annotations and state of one of its revisions; none at all for None."""
    current = saving.load_current(session, place, seq, project_id=by.project.id)
    if current.revision != base:
        details = saving.conflict_details(session, current, seq)
        raise Conflict("annotation_conflict", field="base", details=details)
    if revision is None:
        body, state = "[]", "unlabelled"
    else:
        found = history.find(session, current.revision, revision)
        body, state = found.body, ITEM_STATES[found.state]
    wish = Wish(seq, base, unpack(body), state, reason="restore")
    return saving.write(session, current, wish, body, by=by)
