"""Several saves in one request, each a transaction of its own: a journal that comes back from offline."""

from collections.abc import Sequence

from tidemill.accounts.access import Caller
from tidemill.annotation import saving
from tidemill.annotation.saving import Wish
from tidemill.annotation.schemas import AnnotationsSave, SaveAnswer
from tidemill.assets.lookup import Place
from tidemill.datasets.lookup import open_version
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Conflict, TidemillError
from tidemill.kernel.i18n import message


def save_many(db: Database, place: Place, saves: Sequence[AnnotationsSave], *, by: Caller) -> list[SaveAnswer]:
    """One answer a save, in their order; a version that is not there raises."""
    with db.read() as session:
        open_version(session, place, project_id=by.project.id)
    return [_save_one(db, place, one, by=by) for one in saves]


def _save_one(db: Database, place: Place, one: AnnotationsSave, *, by: Caller) -> SaveAnswer:
    wish = Wish(one.seq, one.base, one.annotations, one.state, one.key, merge=one.merge)
    try:
        done = db.write_small(lambda session: saving.save(session, place, wish, by=by))
    except Conflict as error:
        if error.code == "annotation_conflict":
            return SaveAnswer(seq=one.seq, outcome="conflict", conflict=error.details)
        return _refused(one, error, by)
    except TidemillError as error:
        return _refused(one, error, by)
    return SaveAnswer(outcome="saved", **done.view())


def _refused(one: AnnotationsSave, error: TidemillError, by: Caller) -> SaveAnswer:
    words = message(error.code, by.language, **error.params)
    return SaveAnswer(seq=one.seq, outcome="refused", code=error.code, message=words)
