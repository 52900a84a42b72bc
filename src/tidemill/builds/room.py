"""What this room gives to the house."""

from tidemill.kernel.rooms import Room

room = Room(name="builds")
