"""What this room gives to the house."""

from tidemill.kernel.rooms import Room
from tidemill.transfers.routes import router

room = Room(name="transfers", routers=[router])
