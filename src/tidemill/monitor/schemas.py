"""The overview on the wire."""

from datetime import datetime

from tidemill.kernel.fields import View


class CountsView(View):
    datasets: int
    algorithms: int
    models: int
    images: int


class ResourceView(View):
    name: str
    """`cpu`, `memory` (bytes), or the kind of an accelerator."""
    capacity: float
    used: float
    """Held by workloads."""


class OverviewView(View):
    counts: CountsView
    workloads: dict[str, int]
    """By state."""
    resources: list[ResourceView]


class UseView(View):
    capacity: float
    used: float


class CurvePointView(View):
    at: datetime
    resources: dict[str, UseView]


class CurvesView(View):
    points: list[CurvePointView]
