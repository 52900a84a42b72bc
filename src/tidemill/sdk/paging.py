"""Lists that are fetched a page at a time, as far as they are read."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")

Fetch = Callable[[dict[str, Any]], Mapping[str, Any]]


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page: its items, where the next begins, how many there are in all."""

    items: list[T]
    next: str | None
    total: int | None
    raw: Mapping[str, Any]


class Listing(Generic[T]):
    """All that matches. Iterate to read everything; `page` for one page; `total` costs one small call."""

    def __init__(self, fetch: Fetch, read: Callable[[Mapping[str, Any]], T], params: Mapping[str, Any]) -> None:
        self._fetch = fetch
        self._read = read
        self._params = {name: value for name, value in params.items() if value is not None}

    def __iter__(self) -> Iterator[T]:
        cursor = None
        while True:
            page = self.page(limit=self._params.get("limit", 200), cursor=cursor)
            yield from page.items
            cursor = page.next
            if cursor is None:
                return

    def page(self, *, limit: int | None = None, cursor: str | None = None) -> Page[T]:
        """One page; the first without a cursor."""
        asked = {"limit": limit, "cursor": cursor}
        data = self._fetch(self._params | {name: value for name, value in asked.items() if value is not None})
        items = [self._read(item) for item in data["items"]]
        return Page(items, data.get("next"), data.get("total"), data)

    @property
    def total(self) -> int | None:
        return self.page(limit=1).total
