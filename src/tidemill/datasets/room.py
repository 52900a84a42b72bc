"""What this room gives to the house."""

from tidemill.datasets.routes import datasets, items, labels
from tidemill.kernel.rooms import Room

room = Room(name="datasets", routers=[module.router for module in (datasets, labels, items)])
