"""A run's state in Tidemill's words and in MLflow's."""

from tidemill.kernel.errors import Invalid

STATES = {
    "pending": "SCHEDULED",
    "starting": "SCHEDULED",
    "running": "RUNNING",
    "stopping": "RUNNING",
    "completed": "FINISHED",
    "failed": "FAILED",
    "stopped": "KILLED",
}
_OURS = {
    "SCHEDULED": "pending",
    "RUNNING": "running",
    "FINISHED": "completed",
    "FAILED": "failed",
    "KILLED": "stopped",
}
_NUMBERS = {1: "RUNNING", 2: "SCHEDULED", 3: "FINISHED", 4: "FAILED", 5: "KILLED"}


def state_of(status: object) -> str:
    """Our word for a status, which may also come as the number it has on MLflow's wire."""
    name = _NUMBERS.get(status) if isinstance(status, int) else status
    if not isinstance(name, str) or name not in _OURS:
        raise Invalid("run_status_unknown", field="status", given=str(status)[:50], allowed=", ".join(_OURS))
    return _OURS[name]
