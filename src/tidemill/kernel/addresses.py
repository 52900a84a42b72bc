"""Under which addresses browsers reach us."""

from fastapi import Request

from tidemill.kernel.settings import Settings


def apps_url(request: Request) -> str:
    """Where what workloads and viewers serve is reached: as set, or at the next port of the host that was asked."""
    settings: Settings = request.app.state.settings
    if settings.apps_url:
        return settings.apps_url.rstrip("/")
    host = request.url.hostname or settings.host
    return f"{request.url.scheme}://{f'[{host}]' if ':' in host else host}:{settings.apps_port}"
