"""Tidemill: data in, models out, services up, and what the services see back in as data.

In a training script, two lines give it curves:

    import tidemill
    tidemill.log(loss=0.3, step=1)

(outside of the platform after `tidemill.start_run(experiment="boats")`), and another its data:
`tidemill.data.open("boats@3")`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tidemill.sdk import data
    from tidemill.sdk.outside import start_run
    from tidemill.sdk.tracking import flush, log, run

__version__ = "0.1.0"
__all__ = ["__version__", "data", "flush", "log", "run", "start_run"]

_IN_TRACKING = frozenset({"flush", "log", "run"})


def __getattr__(name: str) -> Any:
    """Importing `tidemill` costs nothing; its functions are loaded when they are first used."""
    if name in _IN_TRACKING:
        from tidemill.sdk import tracking

        return getattr(tracking, name)
    if name == "start_run":
        from tidemill.sdk import outside

        return outside.start_run
    if name == "data":
        from tidemill.sdk import data

        return data
    raise AttributeError(f"module 'tidemill' has no attribute {name!r}")
