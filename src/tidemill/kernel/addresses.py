"""Under which addresses browsers reach us."""

from fastapi import Request

from tidemill.kernel.settings import Settings

VIEWERS = "viewers"


def apps_url(request: Request, workload_id: str = VIEWERS) -> str:
    """Where what workloads and viewers serve is reached: as set, or at the next port of the host that was asked.

    `*` in the setting stands for one label of the host name: each workload is then an origin of its own.
    """
    settings: Settings = request.app.state.settings
    if settings.apps_url:
        return settings.apps_url.rstrip("/").replace("*", apps_label(workload_id))
    host = request.url.hostname or settings.host
    return f"{request.url.scheme}://{f'[{host}]' if ':' in host else host}:{settings.apps_port}"


def apps_label(workload_id: str) -> str:
    """A workload's id as a label of a host name."""
    return workload_id.replace("_", "-")
