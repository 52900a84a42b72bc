"""A kind of asset, as the command line speaks of it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tidemill.cli.run import Run
from tidemill.cli.words import both

if TYPE_CHECKING:
    from tidemill.sdk.resources.assets import Assets


@dataclass(frozen=True, slots=True)
class Kind:
    """Its name for programs, and its names for people."""

    name: str
    with_article: str
    plural: str
    chinese: str

    def say(self, english: str, chinese: str) -> str:
        """A help text with the kind's name put in."""
        english = english.replace("{thing}", self.name).replace("{a_thing}", self.with_article)
        english = english.replace("{things}", self.plural).replace("{Things}", self.plural.capitalize())
        return both(english, chinese.replace("{thing}", self.chinese))

    def of(self, run: Run) -> "Assets":
        """The calls for this kind."""
        return run.client.algorithms if self.name == "algorithm" else run.client.models
