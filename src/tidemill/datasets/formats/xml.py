"""XML from strangers: no document types, no entities, no outside files."""

import re
from contextlib import suppress
from xml.etree import ElementTree

from tidemill.datasets.media import encodings

_DOCTYPE = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_DECLARED = re.compile(r"^\s*<\?xml[^>]*\?>")


def parse(data: bytes) -> ElementTree.Element:
    """The top element. Raises ValueError for what is no XML, and for XML with a document type: entities in it could
    grow without end."""
    if b"<" not in data[:200] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError("not XML")
    if _DOCTYPE.search(data.replace(b"\0", b"")):
        raise ValueError("it has a document type")
    if data.isascii() or encodings.guess(data) == "utf-8":
        with suppress(ElementTree.ParseError, ValueError, LookupError):
            return ElementTree.fromstring(data)  # noqa: S314 — see above
    # Often the declared encoding is not the one it is in.
    text = _DECLARED.sub("", encodings.decode(data).text)
    try:
        return ElementTree.fromstring(text)  # noqa: S314 — see above
    except ElementTree.ParseError as error:
        raise ValueError(str(error)) from error
