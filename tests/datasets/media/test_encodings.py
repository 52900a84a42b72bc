"""Texts in the encodings people have."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemill.datasets.media import encodings, texts

CHINESE = "数据集的标注质量决定模型的上限，训练之前请仔细检查每一张图片。"
JAPANESE = "これは日本語のテキストです。カメラで撮影した画像を確認してください。"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030"])
@pytest.mark.parametrize("text", [CHINESE, "label\ttext\n好\t" + CHINESE, "a" * 3000 + "\n" + CHINESE * 50])
def test_chinese_in_every_encoding(encoding: str, text: str) -> None:
    if encoding.startswith("utf-16-"):
        # Without a mark only what is ASCII in it tells.
        text = "name,label\n" * 5 + text
    assert encodings.decode(text.encode(encoding)).text == text


def test_japanese_in_shift_jis() -> None:
    assert encodings.decode(JAPANESE.encode("cp932")).text == JAPANESE
    assert encodings.decode(("name,label\n" + JAPANESE).encode("cp932")).encoding == "cp932"


@pytest.mark.parametrize("text", ["café crème à la carte", "Größenänderung für Straße", "où êtes-vous"])
def test_european_texts(text: str) -> None:
    assert encodings.decode(text.encode("utf-8")).text == text
    assert encodings.decode(text.encode("cp1252")).text == text


@pytest.mark.parametrize("text", ["小猫", "图片", "联通", "训练图片"])
def test_short_chinese_that_is_valid_utf_8_by_chance(text: str) -> None:
    assert encodings.decode(text.encode("gb18030")).text == text
    assert encodings.decode(text.encode("utf-8")).text == text


@pytest.mark.parametrize("text", ["Привет, где ты?", "καλημέρα κόσμε", "שלום עולם", "مرحبا بالعالم"])
def test_other_alphabets_stay_utf_8(text: str) -> None:
    assert encodings.decode(text.encode()).text == text


def test_what_does_not_fit_is_replaced_and_said() -> None:
    damaged = CHINESE.encode()[:40] + b"\xff" + CHINESE.encode()[39:]
    found = encodings.decode(damaged)
    assert not found.is_whole
    assert found.text.startswith(CHINESE[:13])
    assert encodings.decode(b"abc", "no-such-encoding").text == "abc"


@given(st.binary(max_size=300))
def test_any_bytes_are_decoded(data: bytes) -> None:
    assert isinstance(encodings.decode(data).text, str)


def test_a_file_that_is_ascii_for_long_may_be_chinese_later() -> None:
    for encoding in ("utf-8", "gb18030"):
        data = b"plain line\n" * 20_000 + CHINESE.encode(encoding)
        found = list(texts.lines(io.BytesIO(data)))
        assert found[-1] == (20_001, CHINESE)


def test_lines_end_as_they_do_everywhere() -> None:
    data = "a\r\nb\rc\nd\u0085e".encode()
    assert [line for _, line in texts.lines(io.BytesIO(data))] == ["a", "b", "c", "d\u0085e"]
