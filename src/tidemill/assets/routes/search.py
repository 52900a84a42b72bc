"""Search over everything."""

from typing import Annotated

from fastapi import Query

from tidemill.accounts.access import Caller, signed_in
from tidemill.assets import searching
from tidemill.assets.schemas import FoundList
from tidemill.kernel.fields import Text
from tidemill.kernel.routing import ReadSession, Router

router = Router(tags=["search"])


@router.get("/search")
def search_everything(
    caller: Annotated[Caller, signed_in()],
    session: ReadSession,
    q: Annotated[Text, Query(max_length=200, description="Part of a name")],
    limit: Annotated[int, Query(ge=1, le=50)] = 20,
) -> FoundList:
    """Projects, assets and (for administrators) users by name, as far as the caller may read them."""
    return FoundList(items=searching.search(session, q, limit=limit, by=caller))
