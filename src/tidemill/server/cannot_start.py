"""Why Tidemill does not start, said in one line."""

from tidemill.kernel.errors import TidemillError


class CannotStart(TidemillError):
    """The operator has to do something first; the message says what."""

    default_code = "up_failed"
