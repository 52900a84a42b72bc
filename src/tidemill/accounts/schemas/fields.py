"""Fields several of this room's schemas share."""

import re
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, Field, StringConstraints
from pydantic_core import PydanticCustomError

from tidemill.kernel.fields import Text

DISPLAY_NAME_MAX = 100
MAIL_MAX = 254
SECRET_MAX = 1024

_MAIL = re.compile(r"[^@\s\x00-\x1f\x7f\"(),:;<>\[\]\\]{1,64}@[^@\s\x00-\x1f\x7f\"(),:;<>\[\]\\]+\.[^@\s.]+")

UserKind = Literal["administrator", "member", "annotator"]
LanguageChoice = Literal["en", "zh-CN"]


def check_mail(text: str) -> str:
    """Empty, or something that looks like a mail address."""
    if text and not _MAIL.fullmatch(text):
        raise PydanticCustomError("mail_invalid", "not a mail address")
    return text


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise PydanticCustomError("field_time", "out of range") from None


DisplayName = Annotated[Text, StringConstraints(max_length=DISPLAY_NAME_MAX, strip_whitespace=True)]
Mail = Annotated[Text, StringConstraints(max_length=MAIL_MAX, strip_whitespace=True), AfterValidator(check_mail)]
Secret = Annotated[str, Field(max_length=SECRET_MAX, min_length=1)]
"""A password as sent; its own rule (length) is a setting and checked by the service."""
Moment = Annotated[AwareDatetime, AfterValidator(_in_utc)]
