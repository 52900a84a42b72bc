"""`tidemill up`: the one command that touches the server."""

import os
import sys
from pathlib import Path

import click

from tidemill.kernel import i18n


@click.command("up")
@click.option("--home", type=click.Path(path_type=Path), help="Where everything is kept.  [default: ~/.tidemill]")
@click.option("--host", metavar="ADDRESS", help="Address to listen on.  [default: 127.0.0.1]")
@click.option("--port", type=int, metavar="N", help="First port; the next one is used too.  [default: 8700]")
def up(home: Path | None, host: str | None, port: int | None) -> None:
    """Start Tidemill with everything embedded; Ctrl-C stops it.

    Every setting can also be given in the environment (TIDEMILL_HOME, TIDEMILL_PORT, ...) or in tidemill.toml in the
    home.
    """
    language = i18n.locale_language(os.environ)
    try:
        from tidemill.server.main import serve
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.startswith("tidemill"):
            raise
        message = i18n.message("up_part_missing", language, package=missing.name)
        click.echo(f"{message} {i18n.find_hint('up_part_missing', language)}", err=True)
        sys.exit(1)
    sys.exit(serve(home=home, host=host, port=port, language=language))
