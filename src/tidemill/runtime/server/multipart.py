"""Files out of a form (`multipart/form-data`), with what the standard library has."""

from email.message import Message

from tidemill.runtime.server.errors import Malformed

PARTS_MAX = 256


def read_parts(body: bytes, content_type: str) -> list[tuple[str, str, bytes]]:
    """Name, content type (empty where it is not said) and bytes of each part. Raises `Malformed`."""
    about = Message()
    about["content-type"] = content_type
    boundary = about.get_param("boundary")
    if not isinstance(boundary, str) or not boundary:
        raise Malformed("multipart/form-data must say its boundary")
    line = b"--" + boundary.encode("latin-1", "replace")
    pieces = (b"\r\n" + body).split(b"\r\n" + line)
    if len(pieces) < 3 or not pieces[-1].startswith(b"--"):
        raise Malformed("multipart/form-data: the form is cut off, or its boundary is another one")
    if len(pieces) > PARTS_MAX + 2:
        raise Malformed(f"multipart/form-data: at most {PARTS_MAX} parts")
    return [_part(piece) for piece in pieces[1:-1]]


def _part(piece: bytes) -> tuple[str, str, bytes]:
    head, blank, content = piece.partition(b"\r\n\r\n")
    if not blank:
        raise Malformed("multipart/form-data: a part has no end of its head")
    about = Message()
    for line in head.decode("utf-8", "replace").split("\r\n"):
        name, colon, value = line.partition(":")
        if colon:
            about[name.strip()] = value.strip()
    said = about.get_param("name", header="content-disposition")
    return said if isinstance(said, str) else "", about.get_content_type() if "content-type" in about else "", content
