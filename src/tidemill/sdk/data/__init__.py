"""Annotated data in scripts: `tidemill.data.open("boats@3")`, without an export step.

    import tidemill

    boats = tidemill.data.open("boats@3")  # in a run: what the run was given, without a name the only one
    train, test = boats.labelled().split(test=0.2, seed=0)
    for item in train:
        print(item.path, item.annotations)

A dataset is read line by line where it lies: what it needs of memory is a few bytes an item.
"""

from tidemill.sdk.data.dataset import Dataset
from tidemill.sdk.data.items import Item, Label
from tidemill.sdk.data.opening import open, open_folder

__all__ = ["Dataset", "Item", "Label", "open", "open_folder"]
