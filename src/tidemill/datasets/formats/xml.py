"""XML from strangers: no document types, no entities, no outside files."""

import re
from contextlib import suppress
from xml.etree import ElementTree

from tidemill.datasets.media import encodings
from tidemill.datasets.reasons import Malformed

_DOCTYPE = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_DECLARED = re.compile(r"^\s*<\?xml[^>]*\?>")


def parse(data: bytes) -> ElementTree.Element:
    """The top element. Raises ValueError for what is no XML, and for XML with a document type: entities in it could
    grow without end."""
    if b"<" not in data[:200] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Malformed("not_xml")
    if _DOCTYPE.search(data.replace(b"\0", b"")):
        raise Malformed("xml_document_type")
    if data.isascii() or encodings.guess(data) == "utf-8":
        with suppress(ElementTree.ParseError, ValueError, LookupError):
            return ElementTree.fromstring(data)  # noqa: S314 — see above
    # Often the declared encoding is not the one it is in.
    text = _DECLARED.sub("", encodings.decode(data).text)
    try:
        return ElementTree.fromstring(text)  # noqa: S314 — see above
    except ElementTree.ParseError as error:
        raise Malformed("xml_damaged", at_line=error.position[0], at_column=error.position[1]) from error
