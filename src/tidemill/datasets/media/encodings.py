"""Which encoding bytes are in: byte order marks, UTF-8, UTF-16, GB18030, Shift-JIS, and Windows-1252 for the rest.

A guess is made on a piece of the text; decoding never fails, it replaces what does not fit and says so.
"""

import codecs
import re
from bisect import bisect
from dataclasses import dataclass

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE_BYTES = 1 << 16
_ALPHABETS = (0x0180, 0x0250, 0x02B0, 0x0370, 0x0400, 0x0530, 0x0590, 0x0600, 0x0700)
"""Where Unicode's alphabets of two-byte letters begin after Latin: more Latin, phonetic, marks, Greek, Cyrillic, …"""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text, the encoding it was in, and whether every byte fitted."""

    text: str
    encoding: str
    is_whole: bool


def decode(data: bytes, encoding: str | None = None) -> Decoded:
    """The text of the bytes, in the encoding given or guessed."""
    chosen = encoding or guess(data)
    try:
        return Decoded(data.decode(chosen), chosen, True)
    except (UnicodeDecodeError, LookupError):
        known = chosen if _is_known(chosen) else "utf-8"
        return Decoded(data.decode(known, "replace"), known, False)


def guess(data: bytes) -> str:
    """The encoding the bytes are most likely in; a piece may end in the middle of a character."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    piece = data[:_SAMPLE_BYTES]
    wide = _guess_utf16(piece)
    if wide:
        return wide
    if _fits(data, "utf-8"):
        return "gb18030" if _is_mixed(piece) and _share_chinese(piece) == 1.0 else "utf-8"
    chinese, japanese = _share_chinese(piece), _share_japanese(piece)
    if max(chinese, japanese) >= 0.5:
        return "gb18030" if chinese >= japanese else "cp932"
    # Mostly ASCII with a stray byte here and there is a European text or a damaged UTF-8 one.
    return "utf-8" if _is_damaged_utf8(piece) else "cp1252" if _fits(piece, "cp1252") else "latin-1"


def _guess_utf16(piece: bytes) -> str | None:
    """Without a mark: in UTF-16 every other byte of ASCII text is zero, which no other text holds."""
    if len(piece) < 4 or 0 not in piece:
        return None
    even, odd = piece[0::2].count(0), piece[1::2].count(0)
    half = len(piece) / 2
    if odd > 0.2 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.2 * half and odd < 0.05 * half:
        return "utf-16-be"
    return None


def _is_mixed(piece: bytes) -> bool:
    """Short Chinese text can be valid UTF-8 by chance; then it is words of letters from several alphabets."""
    if piece.isascii():
        return False
    text = piece.decode("utf-8", "ignore")
    words = re.findall("[^\x00-\x7f]+", text)
    if any(character >= "\u0800" for word in words for character in word):
        return False
    return any(len({bisect(_ALPHABETS, ord(character)) for character in word}) > 1 for word in words)


def _fits(data: bytes, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        decoder.decode(data, final=len(data) < _SAMPLE_BYTES)
    except UnicodeDecodeError:
        return False
    return True


def _share_chinese(piece: bytes) -> float:
    """The share of double-byte characters that are common ones of GB2312; 0 where the bytes are no GB18030."""
    if not _fits_but_for_the_end(piece, "gb18030"):
        return 0.0
    good, total = 0, 0
    for lead, trail in _pairs(piece, range(0x81, 0xFF)):
        total += 1
        # Level 1 of GB2312 (3,755 everyday characters), its punctuation and full-width letters.
        good += trail >= 0xA1 and (0xB0 <= lead <= 0xD7 or lead in (0xA1, 0xA3))
    return good / total if total else 0.0


def _share_japanese(piece: bytes) -> float:
    """The share of characters that are kana, level-1 kanji or punctuation; 0 where the bytes are no Shift-JIS."""
    if not _fits_but_for_the_end(piece, "cp932"):
        return 0.0
    good, total = 0, 0
    leads = [*range(0x81, 0xA0), *range(0xE0, 0xFD)]
    for lead, trail in _pairs(piece, leads):
        total += 1
        good += lead in (0x81, 0x82, 0x83) or 0x88 <= lead <= 0x97 or (lead == 0x98 and trail <= 0x72)
    # Half-width katakana are rare in real text, and what other encodings look like.
    narrow = sum(0xA1 <= byte <= 0xDF for byte in _singles(piece, leads))
    return good / (total + narrow) if total + narrow else 0.0


def _fits_but_for_the_end(piece: bytes, encoding: str) -> bool:
    try:
        codecs.getincrementaldecoder(encoding)().decode(piece)
    except UnicodeDecodeError:
        return False
    return True


def _pairs(piece: bytes, leads: "range | list[int]") -> list[tuple[int, int]]:
    found, place, known = [], 0, set(leads)
    while place < len(piece) - 1:
        if piece[place] in known:
            found.append((piece[place], piece[place + 1]))
            place += 1
        place += 1
    return found


def _singles(piece: bytes, leads: list[int]) -> list[int]:
    found, place, known = [], 0, set(leads)
    while place < len(piece):
        if piece[place] in known:
            place += 1
        else:
            found.append(piece[place])
        place += 1
    return found


def _is_damaged_utf8(piece: bytes) -> bool:
    """More good multi-byte characters than bad bytes."""
    text = piece.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = sum(1 for character in text if character > "\x7f") - bad
    return good > bad


def _is_known(encoding: str) -> bool:
    try:
        codecs.lookup(encoding)
    except LookupError:
        return False
    return True
