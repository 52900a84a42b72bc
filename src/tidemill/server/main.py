"""`tidemill up`: one process that checks its ground, brings the database up to date, and serves until told to stop."""

import gc
import logging
import os
import sys
from contextlib import ExitStack, closing
from pathlib import Path

import sqlalchemy.exc
from fastapi import FastAPI

from tidemill import __version__
from tidemill.accounts.access import system_caller
from tidemill.accounts.first_start import FIRST_ADMINISTRATOR
from tidemill.accounts.passwords import generate_password
from tidemill.accounts.users import reset_password
from tidemill.kernel import i18n
from tidemill.kernel.db import Database
from tidemill.kernel.errors import NotFound
from tidemill.kernel.settings import Settings
from tidemill.server import doors, site
from tidemill.server.app import create_app
from tidemill.server.apps import create_apps_app
from tidemill.server.cannot_start import CannotStart
from tidemill.server.home import hold_home, is_open_to_others, prepare_home
from tidemill.server.load_settings import load_settings
from tidemill.server.logs import start_logs
from tidemill.server.rooms import ROOMS
from tidemill.server.running import Origin, run_until_stopped
from tidemill.server.schema import SchemaTooNew, upgrade

log = logging.getLogger("tidemill.up")

SWITCH_EVERY_S = 0.001


def serve(
    *,
    home: Path | None,
    host: str | None,
    port: int | None,
    language: i18n.Language,
    reset_password_of: str | None = None,
) -> int:
    """Runs Tidemill until it is told to stop; the exit code of the process.

    Whoever may write in the home may have a user's password reset: it is the way back in when the last administrator's
    is lost.
    """
    # Whatever we write (databases, blobs, logs, keys) is nobody else's to read.
    os.umask(0o077)
    try:
        _serve(load_settings(language, home=home, host=host, port=port), language, reset_password_of)
    except CannotStart as refusal:
        hint = i18n.find_hint(refusal.code, language, **refusal.params) or ""
        sys.stderr.write(f"{i18n.message(refusal.code, language, **refusal.params)} {hint}\n")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _serve(settings: Settings, language: i18n.Language, reset_password_of: str | None) -> None:
    url = settings.public_url or doors.base_url(settings.host, settings.port)
    prepare_home(settings.home)
    with hold_home(settings.home, url), ExitStack() as open_things:
        start_logs(settings.home)
        listening = [doors.open_door(settings.host, port) for port in _ports(settings)]
        for listener in (socket for door in listening for socket in door):
            open_things.enter_context(listener)
        db = open_things.enter_context(closing(_open_database(settings)))
        app = create_app(settings, db=db)
        app.state.ssh_gateway.listeners = [socket for door in listening[2:] for socket in door]
        _first_start(app, language)
        if reset_password_of is not None:
            _reset_password(app, reset_password_of, language)
        _warn(settings, language)
        # What is loaded by now stays: there is no need to look through it for rubbish again and again.
        gc.freeze()
        # Threads take turns often: who saves one annotation does not wait while others read in thousands.
        sys.setswitchinterval(SWITCH_EVERY_S)
        origins = [Origin(app, listening[0]), Origin(create_apps_app(settings, app), listening[1])]
        run_until_stopped(
            origins,
            settings,
            on_ready=lambda: _say("up_ready", language, version=__version__, url=url, home=settings.home),
            on_stop=lambda: _begin_to_stop(app, language),
        )
    _say("up_stopped", language)


def _ports(settings: Settings) -> list[int]:
    return [settings.port, settings.apps_port, *([settings.ssh_port] if settings.ssh_enabled else [])]


def _open_database(settings: Settings) -> Database:
    try:
        db = Database(settings.effective_database_url)
    except (sqlalchemy.exc.ArgumentError, ImportError, TypeError):
        raise CannotStart("up_database_kind") from None
    if db.url.get_backend_name() not in {"sqlite", "postgresql"}:
        raise CannotStart("up_database_kind")
    try:
        upgrade(db)
    except SchemaTooNew as newer:
        raise CannotStart("up_schema_too_new", revision=newer, version=__version__) from None
    except sqlalchemy.exc.DBAPIError as error:
        reason = str(error.orig).strip().partition("\n")[0]
        raise CannotStart("up_database", url=db.url.render_as_string(), reason=reason) from None
    return db


def _first_start(app: FastAPI, language: i18n.Language) -> None:
    """Rooms make what must exist. A generated password is said before anything else can go wrong."""
    for room in ROOMS:
        room.first_start(app)
    if password := app.state.first_admin_password:
        _say("up_first_admin", language, user=FIRST_ADMINISTRATOR, password=password)
        app.state.first_admin_password = None


def _reset_password(app: FastAPI, user: str, language: i18n.Language) -> None:
    password = generate_password()
    password_hash = app.state.passwords.hash(password)
    by = system_caller(app.state.clock())
    try:
        with app.state.db.write() as session:
            reset_password(session, user, password_hash=password_hash, must_change_password=True, by=by)
    except NotFound:
        raise CannotStart("up_user_unknown", user=user) from None
    _say("up_password_reset", language, user=user, password=password)


def _warn(settings: Settings, language: i18n.Language) -> None:
    if not site.is_built():
        log.warning(i18n.message("up_no_web", language))
    if is_open_to_others(settings.home):
        log.warning(i18n.message("up_home_open", language, home=settings.home))
    if not doors.is_loopback(settings.host) and not (settings.public_url or "").startswith("https://"):
        log.warning(i18n.message("up_plain_http", language, host=settings.host))


def _begin_to_stop(app: FastAPI, language: i18n.Language) -> None:
    app.state.stopping.set()
    _say("up_stopping", language)


def _say(code: str, language: i18n.Language, **params: object) -> None:
    """To the person who started us; a generated password must not reach the log."""
    sys.stdout.write(i18n.message(code, language, **params) + "\n")
    sys.stdout.flush()
