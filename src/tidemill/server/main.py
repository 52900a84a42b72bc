"""`tidemill up`: one process that checks its ground, brings the database up to date, and serves until told to stop.

What can be wrong with the ground is found before the product is loaded, which takes most of a start.
"""

import os
import sys
from contextlib import ExitStack, closing
from pathlib import Path

import sqlalchemy.exc

from tidemill import __version__
from tidemill.kernel import i18n
from tidemill.kernel.db import Database
from tidemill.kernel.settings import Settings
from tidemill.server import doors
from tidemill.server.cannot_start import CannotStart
from tidemill.server.home import hold_home, prepare_home
from tidemill.server.load_settings import load_settings
from tidemill.server.logs import start_logs
from tidemill.server.saying import say
from tidemill.server.schema import SchemaTooNew, upgrade


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

        from tidemill.server.serving import run

        run(settings, db, listening, url=url, language=language, reset_password_of=reset_password_of)
    say("up_stopped", language)


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
