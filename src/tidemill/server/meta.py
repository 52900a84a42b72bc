"""What everyone may know before signing in."""

from fastapi import Request

from tidemill import __version__
from tidemill.kernel.addresses import apps_url
from tidemill.kernel.fields import DESCRIPTION_MAX, NAME_MAX, View
from tidemill.kernel.i18n import LANGUAGES
from tidemill.kernel.routing import Router
from tidemill.kernel.settings import Settings

router = Router(tags=["meta"])


class PasswordRule(View):
    min: int
    max: int


class Limits(View):
    name: int
    description: int
    chunk_bytes: int
    batch_files: int
    batch_bytes: int
    text_edit_bytes: int


class MetaView(View):
    name: str
    version: str
    languages: list[str]
    password: PasswordRule
    apps_url: str
    limits: Limits


@router.get("/meta")
def get_meta(request: Request) -> MetaView:
    """Name and version of this platform, its languages, and the limits forms check before sending."""
    settings: Settings = request.app.state.settings
    return MetaView(
        name="Tidemill",
        version=__version__,
        languages=list(LANGUAGES),
        password=PasswordRule(min=settings.password_min, max=settings.password_max),
        apps_url=apps_url(request),
        limits=Limits(
            name=NAME_MAX,
            description=DESCRIPTION_MAX,
            chunk_bytes=settings.chunk_bytes,
            batch_files=settings.batch_files,
            batch_bytes=settings.batch_bytes,
            text_edit_bytes=settings.text_edit_bytes,
        ),
    )
