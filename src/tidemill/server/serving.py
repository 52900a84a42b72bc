"""The product as it serves: put together on a ground that was checked, run until somebody stops it."""

import gc
import logging
import socket
import sys
from collections.abc import Sequence

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
from tidemill.server.home import is_open_to_others
from tidemill.server.rooms import ROOMS
from tidemill.server.running import Origin, run_until_stopped
from tidemill.server.saying import say

log = logging.getLogger("tidemill.up")

SWITCH_EVERY_S = 0.001


def run(
    settings: Settings,
    db: Database,
    listening: Sequence[list[socket.socket]],
    *,
    url: str,
    language: i18n.Language,
    reset_password_of: str | None,
) -> None:
    """Serves at these doors: pages and API, apps, and SSH where that is wanted."""
    app = create_app(settings, db=db)
    app.state.ssh_gateway.listeners = [one for door in listening[2:] for one in door]
    _first_start(app, language)
    if reset_password_of is not None:
        _reset_password(app, reset_password_of, language)
    _warn(settings, language)
    # What is loaded by now stays: there is no need to look through it for rubbish again and again.
    gc.freeze()
    gc.enable()
    # Threads take turns often: who saves one annotation does not wait while others read in thousands.
    sys.setswitchinterval(SWITCH_EVERY_S)
    origins = [Origin(app, listening[0]), Origin(create_apps_app(settings, app), listening[1])]
    run_until_stopped(
        origins,
        settings,
        on_ready=lambda: say("up_ready", language, version=__version__, url=url, home=settings.home),
        on_stop=lambda: _begin_to_stop(app, language),
    )


def _first_start(app: FastAPI, language: i18n.Language) -> None:
    """Rooms make what must exist. A generated password is said before anything else can go wrong."""
    for room in ROOMS:
        room.first_start(app)
    if password := app.state.first_admin_password:
        say("up_first_admin", language, user=FIRST_ADMINISTRATOR, password=password)
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
    say("up_password_reset", language, user=user, password=password)


def _warn(settings: Settings, language: i18n.Language) -> None:
    if not site.is_built():
        log.warning(i18n.message("up_no_web", language))
    if is_open_to_others(settings.home):
        log.warning(i18n.message("up_home_open", language, home=settings.home))
    if not doors.is_loopback(settings.host) and not (settings.public_url or "").startswith("https://"):
        log.warning(i18n.message("up_plain_http", language, host=settings.host))


def _begin_to_stop(app: FastAPI, language: i18n.Language) -> None:
    app.state.stopping.set()
    say("up_stopping", language)
