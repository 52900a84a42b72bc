"""Shapes without corners, as rings."""

import math
from collections.abc import Mapping
from typing import Any

_STEPS = 36


def circle_ring(circle: Mapping[str, Any]) -> list[float]:
    """A polygon around a circle, as many-cornered as the eye wants."""
    ring: list[float] = []
    for step in range(_STEPS):
        angle = 2 * math.pi * step / _STEPS
        ring += [circle["x"] + circle["r"] * math.cos(angle), circle["y"] + circle["r"] * math.sin(angle)]
    return ring
