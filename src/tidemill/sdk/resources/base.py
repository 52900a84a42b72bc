"""What all groups of calls share."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from tidemill.sdk.paging import Listing
from tidemill.sdk.patience import Patience
from tidemill.sdk.refs import address

if TYPE_CHECKING:
    from tidemill.sdk.client import Client

T = TypeVar("T")


class Resource:
    """A group of calls of one client."""

    def __init__(self, client: "Client") -> None:
        self._client = client
        self._call = client.transport.call

    def _listing(
        self, path: str, read: Callable[[Mapping[str, Any]], T], params: Mapping[str, Any] | None = None
    ) -> Listing[T]:
        return Listing(lambda asked: self._call("GET", path, params=asked), read, params or {})

    def _in_project(self, project: str | None, *parts: str | int) -> str:
        return address("projects", self._client.project_name(project), *parts)

    def _until(
        self,
        found: T,
        look: Callable[[], T],
        is_so: Callable[[T], bool],
        watch: Callable[[T], None] | None,
    ) -> T:
        """Looks again and again until it is so; `watch` is shown what was seen each time."""
        for wait in Patience(total_s=float("inf"), first_s=0.1, longest_s=2.0).waits():
            if watch:
                watch(found)
            if is_so(found):
                break
            self._client.transport.sleep(wait)
            found = look()
        return found


def given(**fields: Any) -> dict[str, Any]:
    """The fields that were given, for a body; leave one out by not passing it (None means not given)."""
    return {name: value for name, value in fields.items() if value is not None}
