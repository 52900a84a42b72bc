"""Archives of every kind made by hand, honest and hostile."""

import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Mapping


def zipped(files: Mapping[str, bytes], *, packed: bool = True) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return out.getvalue()


def zipped_raw_names(files: Mapping[bytes, bytes]) -> bytes:
    """As programs write it that know only their own encoding: names as bytes, no mark."""
    body, directory = b"", b""
    for name, data in files.items():
        fields = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 0, zlib.crc32(data), len(data), len(data), len(name), 0)
        directory += struct.pack("<IH", 0x02014B50, 20) + fields + struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + name
        body += struct.pack("<I", 0x04034B50) + fields + name + data
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, len(files), len(files), len(directory), len(body), 0)
    return body + directory + end


def zipped_link(name: str, target: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.txt", b"a")
        info = zipfile.ZipInfo(name)
        info.create_system = 3
        info.external_attr = 0o120777 << 16
        archive.writestr(info, target)
    return out.getvalue()


def zipped_encrypted() -> bytes:
    """The flag alone is enough: it is what a reader goes by."""
    data = bytearray(zipped({"secret.txt": b"x" * 20}, packed=False))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def tarred(files: Mapping[str, bytes], mode: str = "w", *, encoding: str = "utf-8") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, format=tarfile.GNU_FORMAT, encoding=encoding) as archive:  # type: ignore[call-overload]
        for path, data in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def tarred_special(name: str, kind: bytes, target: str = "") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, target
        archive.addfile(info)
        plain = tarfile.TarInfo("a.txt")
        plain.size = 1
        archive.addfile(plain, io.BytesIO(b"a"))
    return out.getvalue()


def rarred(files: Mapping[str, bytes], *, encrypted: bool = False) -> bytes:
    """RAR 5, stored: the format is public, only packing in it is not."""
    out = b"Rar!\x1a\x07\x01\x00" + _rar_block(_number(1) + _number(0) + _number(0))
    for path, data in files.items():
        name = path.encode()
        extra = b"\x30\x01" + b"\x00\x00\x0f" + b"s" * 16 + b"i" * 16 + b"c" * 12 if encrypted else b""
        extra = _number(len(extra) - 1) + extra[1:] if encrypted else b""
        header = _number(2) + _number(0x02 | (0x01 if encrypted else 0))
        header += _number(len(extra)) if encrypted else b""
        header += _number(len(data)) + _number(0x04) + _number(len(data)) + _number(0o100644)
        header += struct.pack("<I", zlib.crc32(data)) + _number(0) + _number(1) + _number(len(name)) + name + extra
        out += _rar_block(header) + data
    return out + _rar_block(_number(5) + _number(0) + _number(0))


def _rar_block(header: bytes) -> bytes:
    sized = _number(len(header)) + header
    return struct.pack("<I", zlib.crc32(sized)) + sized


def _number(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
