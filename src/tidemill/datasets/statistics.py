"""What a version's counters say: nothing is counted here."""

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.lookup import Place
from tidemill.datasets import counting, labels, people
from tidemill.datasets.annotations import SIZES
from tidemill.datasets.counting import get_counts
from tidemill.datasets.lookup import open_version
from tidemill.datasets.schemas import AnnotatorCount, StatisticsView
from tidemill.datasets.service import progress_of
from tidemill.datasets.states import ITEM_STATES


def get_statistics(session: Session, place: Place, *, by: Caller) -> StatisticsView:
    """Items by state, class, annotator; shapes by size and type; duplicates; how far the work is."""
    opened = open_version(session, place, project_id=by.project.id)
    counts = get_counts(session, opened.vid)
    states, totals = counts.get(counting.STATE, {}), counts.get(counting.TOTAL, {})
    done, _, progress = progress_of(states)
    sizes = counts.get(counting.SIZE, {})
    return StatisticsView(
        revision=opened.revision,
        items=totals.get(counting.ITEMS, 0),
        annotations=totals.get(counting.ANNOTATIONS, 0),
        size_bytes=totals.get(counting.BYTES, 0),
        duplicates=totals.get(counting.DUPLICATES, 0),
        states={word: states.get(str(code), 0) for code, word in enumerate(ITEM_STATES)},
        done=done,
        progress=progress,
        labels=labels.views(session, opened.vid, labels.load(session, opened.vid)),
        sizes={size: sizes.get(size, 0) for size in SIZES},
        types=dict(sorted(counts.get(counting.TYPE, {}).items())),
        annotators=_annotators(session, counts.get(counting.ANNOTATOR, {})),
    )


def _annotators(session: Session, counts: dict[str, int]) -> list[AnnotatorCount]:
    names = people.names_of(session, map(int, counts))
    ordered = sorted(counts.items(), key=lambda one: -one[1])
    return [AnnotatorCount(name=names.get(int(number), "?"), items=count) for number, count in ordered]
