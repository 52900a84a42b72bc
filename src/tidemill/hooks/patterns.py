"""Which events a webhook hears: `model.commit`, `model.*`, `*.commit`, or `*` for all."""

from collections.abc import Iterable

PATTERN = r"^(\*|(\*|[a-z][a-z_]{0,49})\.(\*|[a-z][a-z_]{0,49}))$"


def matches(patterns: Iterable[str], event: str) -> bool:
    """Whether any of the patterns covers the event, an audit action of the form `thing.verb`."""
    return any(_covers(pattern, event) for pattern in patterns)


def _covers(pattern: str, event: str) -> bool:
    if pattern == "*":
        return True
    wanted_thing, _, wanted_verb = pattern.partition(".")
    thing, _, verb = event.partition(".")
    return wanted_thing in {"*", thing} and wanted_verb in {"*", verb}
