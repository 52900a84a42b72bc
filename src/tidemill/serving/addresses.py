"""Where services are reached."""

from urllib.parse import quote, urlsplit

from tidemill.kernel.settings import Settings
from tidemill.serving.schemas import GrpcView
from tidemill.workloads.launching import own_url

METADATA = "tidemill-service"


def gateway_url(settings: Settings, host: str | None = None) -> str:
    """Where callers reach the gateway: as settings say, or at the host they reach us by."""
    if settings.gateway_url:
        return settings.gateway_url.rstrip("/")
    return f"http://{_host(settings, host)}:{settings.gateway_port}"


def local_url(settings: Settings) -> str:
    """Where we reach it ourselves."""
    return f"http://{_host(settings, None)}:{settings.gateway_port}"


def service_path(project: str, name: str) -> str:
    return f"/{quote(project, safe='')}/{quote(name, safe='')}"


def service_url(settings: Settings, project: str, name: str, host: str | None = None) -> str:
    return gateway_url(settings, host) + service_path(project, name)


def grpc_view(settings: Settings, project: str, name: str, host: str | None = None) -> GrpcView:
    outside = urlsplit(settings.gateway_url).hostname if settings.gateway_url else None
    address = f"{outside or _host(settings, host)}:{settings.gateway_grpc_port}"
    return GrpcView(address=address, metadata={METADATA: service_path(project, name).lstrip("/")})


def _host(settings: Settings, host: str | None) -> str:
    given = settings.gateway_host or settings.host
    if given in {"0.0.0.0", "::", ""} and host:  # noqa: S104 — asked about, not bound
        found = host
    elif settings.gateway_host and settings.gateway_host not in {"0.0.0.0", "::"}:  # noqa: S104
        found = settings.gateway_host
    else:
        found = urlsplit(own_url(settings)).hostname or "127.0.0.1"
    return f"[{found}]" if ":" in found else found
