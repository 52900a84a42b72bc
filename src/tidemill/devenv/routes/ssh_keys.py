"""The caller's SSH keys over HTTP."""

from typing import Annotated

from fastapi import Path

from tidemill.accounts.access import Caller, signed_in
from tidemill.devenv import keys
from tidemill.devenv.schemas import SshKeyCreate, SshKeyView
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession

router = Router(prefix="/me/ssh-keys", tags=["me"])

Myself = Annotated[Caller, signed_in()]


@router.get("")
def list_my_ssh_keys(page: Paging, caller: Myself, session: ReadSession) -> Page[SshKeyView]:
    """The public keys the caller comes in over SSH with."""
    return keys.list_keys(session, page, by=caller)


@router.post("", status_code=201)
def create_my_ssh_key(body: SshKeyCreate, caller: Myself, session: WriteSession) -> SshKeyView:
    """Registers a public key, as it stands in `~/.ssh/id_ed25519.pub`."""
    return keys.key_view(keys.add_key(session, body, by=caller))


@router.delete("/{key}", status_code=204)
def delete_my_ssh_key(key: Annotated[str, Path(max_length=200)], caller: Myself, session: WriteSession) -> None:
    """Removes a key; whoever is inside by it is shown out."""
    keys.delete_key(session, key, by=caller)
