"""What this room gives to the house."""

from tidemill.annotation.routes import saving
from tidemill.kernel.rooms import Room

room = Room(name="annotation", routers=[saving.router], is_busy=True)
