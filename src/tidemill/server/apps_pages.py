"""The few pages of our own on the apps origin, in the reader's language: there is nothing here (yet), you may not."""

from html import escape

from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse

from tidemill.kernel import i18n

_PAGE = """<!doctype html>
<html lang="{language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">{refresh}
<title>{title}</title><style>
:root {{ color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }}
body {{ max-width: 36rem; margin: 18vh auto 0; padding: 0 1.5rem; }}
h1 {{ font-size: 1.3rem; }}
</style></head><body><h1>{title}</h1><p>{text}</p></body></html>
"""
TRY_AGAIN_S = 3


def closed_page(connection: HTTPConnection, status: int = 401) -> HTMLResponse:
    """Nobody we know, or not any more."""
    return _page(connection, "app_closed", status)


def nothing_there_page(connection: HTTPConnection, *, port: int) -> HTMLResponse:
    """The workload runs, but nothing answers at this port: it may be starting, so the page looks again by itself."""
    return _page(connection, "app_not_there", 502, refresh=True, port=port)


def _page(
    connection: HTTPConnection, code: str, status: int, *, refresh: bool = False, **params: object
) -> HTMLResponse:
    language = i18n.pick_language(connection.headers.get("Accept-Language"))
    body = _PAGE.format(
        language=language,
        refresh=f'<meta http-equiv="refresh" content="{TRY_AGAIN_S}">' if refresh else "",
        title=escape(i18n.message(code, language, **params)),
        text=escape(i18n.find_hint(code, language, **params) or ""),
    )
    headers = {"Content-Language": language, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
    return HTMLResponse(body, status, headers)
