"""Texts as numbers."""

from tidemill.runtime import text_features


def test_words_beside_signs_are_told_apart() -> None:
    assert text_features.runs("体验2D巅峰 倚天：A股") == ["体验", "2d", "巅峰", "倚天", ":", "a", "股"]
    assert text_features.runs("It isn't 3.5!") == ["it", "isn't", "3", ".", "5", "!"]


def test_signs_are_taken_in_runs_and_words_in_pieces() -> None:
    how = text_features.spec(signs=[1, 2], edges=1, words=[1, 2], pieces=[3, 3])
    assert list(text_features.pieces("好吃ok", how)) == [
        "好", "吃", "o", "k", "好吃", "吃o", "ok", "\u0002好", "k\u0003", "#<ok", "#ok>", "ok", "\u0001 ok",
    ]  # fmt: skip
    assert list(text_features.pieces("so so", how)) == ["#<so", "#so>", "#<so", "#so>", "so", "so", "so so"]


def test_letters_without_blanks_are_taken_in_longer_runs() -> None:
    how = text_features.spec(signs=[1, 2], letters=3, words=[1, 1])
    assert "สวั" in text_features.pieces("สวัสดี", how)
    assert "ラーメ" in text_features.pieces("ラーメン店", how)
    assert "ン店" in text_features.pieces("ラーメン店", how)
    assert "メン店" not in text_features.pieces("ラーメン店", how)
    del how["letters"]
    assert "สวั" not in text_features.pieces("สวัสดี", how)


def test_the_same_text_is_the_same_numbers_however_it_is_written() -> None:
    how = text_features.spec()
    assert text_features.hashed("ＡＢＣ  Ｄ", how) == text_features.hashed("abc d", how)
    assert 0 not in text_features.hashed("anything at all", how)


def test_arrays_have_a_row_a_text_and_bear_empty_ones() -> None:
    places, weights, order = text_features.arrays(["", "一二三"], text_features.spec())
    assert places.shape == weights.shape
    assert order.shape == (2, text_features.SHORTEST)
    assert not places[0].any()
    assert not weights[0].any()
    assert (order[1] > 0).sum() == 3
