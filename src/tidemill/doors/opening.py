"""Addresses to be opened in a browser: the apps origin, with a ticket in them."""

from urllib.parse import quote

from fastapi import Request

from tidemill.accounts.access import Caller
from tidemill.doors.office import Grant, Office, base_path
from tidemill.kernel.addresses import apps_url


def open_app(
    request: Request,
    *,
    workload_id: str,
    node: int = 0,
    port: int,
    permission: str,
    by: Caller,
    path: str = "",
    token_of: str | None = None,
) -> str:
    """An address that opens a port of a running workload, once, for the caller who just showed the permission.

    It goes on working for as long as their session is good, they hold `permission` in the workload's project, and the
    workload runs. `path` is what to open below the port's own path. `token_of`: the program was started
    with `Office.app_token` of this owner as its token.
    """
    office: Office = request.app.state.doors_office
    grant = Grant(
        user_id=by.user_id or "",
        session_id=by.session_id,
        token_id=by.token_id,
        workload_id=workload_id,
        node=node,
        port=port,
        permission=permission,
        token_of=token_of,
    )
    ticket = office.ticket(grant, now=by.now)
    below = base_path(workload_id, node, port) + quote(path.lstrip("/"))
    return f"{apps_url(request, workload_id)}{below}?ticket={ticket}"
