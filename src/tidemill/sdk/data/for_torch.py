"""Items for torch's DataLoader. torch is loaded only when an item set is made for it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tidemill.sdk.data.items import Item

if TYPE_CHECKING:
    from torch.utils.data import Dataset as TorchDataset

    from tidemill.sdk.data.dataset import Dataset

    Base = TorchDataset[Any]
else:
    # A DataLoader asks for nothing but a length and items by number.
    Base = object


class ItemDataset(Base):
    """What a function makes of each item, by number. Goes to other processes as a path and places, not as items."""

    def __init__(self, items: "Dataset", transform: Callable[[Item], Any] | None) -> None:
        self._items = items
        self._transform = transform

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: int) -> Any:
        item = self._items[index]
        return item if self._transform is None else self._transform(item)
