"""What is wrong with a shape, as a code that those above put into words."""

from typing import Any


class BadShape(ValueError):
    """A shape is not as its kind wants it; `code` names the reason."""

    def __init__(self, code: str, **params: Any) -> None:
        self.code, self.params = code, params
        super().__init__(code)
