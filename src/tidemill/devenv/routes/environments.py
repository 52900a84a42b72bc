"""Environments over HTTP."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request

from tidemill.accounts.access import Caller, needs
from tidemill.accounts.passwords import Passwords, generate_password
from tidemill.devenv import apps, idle, saving, service, starting
from tidemill.devenv.schemas import (
    EnvironmentCopy,
    EnvironmentCreate,
    EnvironmentPatch,
    EnvironmentView,
    OpenedView,
    PasswordSet,
    Port,
    SavedImageView,
)
from tidemill.devenv.service import NewPassword
from tidemill.devenv.views import environment_view, environment_views
from tidemill.images.schemas import NewImage
from tidemill.kernel.db import Database
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession, never_replayed
from tidemill.workloads.lifecycle import State

router = Router(tags=["environments"], prefix="/projects/{project}/environments")

EnvironmentPath = Annotated[str, Path(description="An environment's name or id", max_length=200)]
Reader = Annotated[Caller, needs("environment.read")]
Writer = Annotated[Caller, needs("environment.write")]


def _hashed(request: Request, body: EnvironmentCreate | EnvironmentCopy | PasswordSet) -> NewPassword:
    """Hashing takes time: it is done before the transaction begins."""
    passwords: Passwords = request.app.state.passwords
    if body.password is not None:
        return NewPassword(passwords.hash_new(body.password), None)
    made = generate_password()
    return NewPassword(passwords.hash(made), made)


def _for_create(request: Request, body: EnvironmentCreate, caller: Writer) -> NewPassword:
    del caller
    return _hashed(request, body)


def _for_copy(request: Request, body: EnvironmentCopy, caller: Writer) -> NewPassword:
    del caller
    return _hashed(request, body)


def _for_set(request: Request, body: PasswordSet, caller: Writer) -> NewPassword:
    del caller
    return _hashed(request, body)


@router.get("")
def list_environments(
    page: Paging,
    request: Request,
    caller: Reader,
    session: ReadSession,
    mine: Annotated[bool, Query(description="Only those the caller made")] = False,
    state: Annotated[State | None, Query(description="Only those in this state")] = None,
) -> Page[EnvironmentView]:
    return service.list_environments(
        session,
        page,
        mine=mine,
        state=state,
        view=lambda rows: environment_views(session, rows, request=request, by=caller),
        by=caller,
    )


@router.post("", status_code=201)
@never_replayed
def create_environment(
    body: EnvironmentCreate,
    request: Request,
    caller: Writer,
    password: Annotated[NewPassword, Depends(_for_create)],
    session: WriteSession,
) -> EnvironmentView:
    """Makes an environment; a password that was made for it is in this answer and never shown again."""
    row = service.create_environment(session, body, password=password, by=caller)
    if body.start:
        starting.start(request.app, session, row, by=caller)
    return environment_view(session, row, request=request, by=caller, password=password.shown)


@router.get("/{environment}")
def get_environment(
    environment: EnvironmentPath, request: Request, caller: Reader, session: ReadSession
) -> EnvironmentView:
    row = service.get_environment(session, environment, by=caller)
    return environment_view(session, row, request=request, by=caller)


@router.patch("/{environment}")
def update_environment(
    environment: EnvironmentPath, body: EnvironmentPatch, request: Request, caller: Writer, session: WriteSession
) -> EnvironmentView:
    row = service.get_environment(session, environment, by=caller, lock=True)
    service.update_environment(session, row, body, by=caller)
    return environment_view(session, row, request=request, by=caller)


@router.delete("/{environment}", status_code=204)
def delete_environment(
    environment: EnvironmentPath,
    caller: Writer,
    session: WriteSession,
    confirm: Annotated[str, Query(max_length=400, description="The environment's name, typed again")],
) -> None:
    """Removes an environment with all of its files."""
    row = service.get_environment(session, environment, by=caller, lock=True)
    service.delete_environment(session, row, confirm=confirm, by=caller)


@router.post("/{environment}/start", status_code=202)
def start_environment(
    environment: EnvironmentPath, request: Request, caller: Writer, session: WriteSession
) -> EnvironmentView:
    row = service.get_environment(session, environment, by=caller, lock=True)
    starting.start(request.app, session, row, by=caller)
    return environment_view(session, row, request=request, by=caller)


@router.post("/{environment}/stop", status_code=202)
def stop_environment(
    environment: EnvironmentPath, request: Request, caller: Writer, session: WriteSession
) -> EnvironmentView:
    """Its files and what was installed stay."""
    row = service.get_environment(session, environment, by=caller, lock=True)
    starting.stop(session, row, by=caller)
    return environment_view(session, row, request=request, by=caller)


@router.post("/{environment}/keep-alive")
def keep_environment_alive(
    environment: EnvironmentPath, request: Request, caller: Writer, session: WriteSession
) -> EnvironmentView:
    """Says that it is still needed: the time without use begins anew."""
    row = service.get_environment(session, environment, by=caller, lock=True)
    idle.keep_alive(session, row)
    service.record(session, "environment.keep_alive", row, by=caller)
    return environment_view(session, row, request=request, by=caller)


@router.post("/{environment}/copy", status_code=201)
@never_replayed
def copy_environment(
    environment: EnvironmentPath,
    body: EnvironmentCopy,
    request: Request,
    caller: Writer,
    password: Annotated[NewPassword, Depends(_for_copy)],
    session: WriteSession,
) -> EnvironmentView:
    """The same settings, under another name, with a password of its own."""
    source = service.get_environment(session, environment, by=caller)
    row = service.copy_environment(session, source, body.name, password=password, by=caller)
    return environment_view(session, row, request=request, by=caller, password=password.shown)


@router.post("/{environment}/password")
@never_replayed
def set_environment_password(
    environment: EnvironmentPath,
    request: Request,
    caller: Writer,
    password: Annotated[NewPassword, Depends(_for_set)],
    session: WriteSession,
) -> EnvironmentView:
    """Gives it a new password for SSH; one that was made is in this answer and never shown again."""
    row = service.get_environment(session, environment, by=caller, lock=True)
    service.set_password(session, row, password=password, by=caller)
    return environment_view(session, row, request=request, by=caller, password=password.shown)


@router.post("/{environment}/open")
@never_replayed
def open_environment(
    environment: EnvironmentPath,
    request: Request,
    caller: Writer,
    app: Annotated[apps.App, Query()] = "jupyter",
    port: Annotated[Port | None, Query(description="With `app=port`")] = None,
    node: Annotated[int, Query(ge=0, le=10_000)] = 0,
) -> OpenedView:
    """An address that opens JupyterLab, TensorBoard or any port in a browser, once, within a minute."""
    db: Database = request.app.state.db
    with db.read() as session:
        row = service.get_environment(session, environment, by=caller)
    return apps.open_environment(request, row, app=app, port=port, node=node, by=caller)


@router.post("/{environment}/save-image", status_code=202)
def save_environment_as_image(
    environment: EnvironmentPath, body: NewImage, request: Request, caller: Writer
) -> SavedImageView:
    """Keeps the running environment's software as a new image of the project."""
    db: Database = request.app.state.db
    with db.read() as session:
        row = service.get_environment(session, environment, by=caller)
    return saving.save_as_image(request.app, row, body, by=caller)
