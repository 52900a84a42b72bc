"""YAML from strangers: plain values only, and no nesting that would keep the parser busy for ever."""

from itertools import accumulate
from typing import Any

from tidemill.datasets.reasons import Malformed

_MAX_DEPTH = 50


def load(text: str) -> Any:
    """The document. Raises ValueError."""
    import yaml

    if max(accumulate((c in "[{") - (c in "]}") for c in text if c in "[]{}"), default=0) > _MAX_DEPTH:
        raise Malformed("too_deep")
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise Malformed("not_yaml") from error
