import pytest
from hypothesis import given
from hypothesis import strategies as st

from overtrick.jet.errors import ValueRefused
from overtrick.jet.header import codec_of, header_mask
from overtrick.jet.text_encoding import decode_code_page, decode_unicode, encode_code_page, encode_unicode

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=300).filter(
    lambda text: text[:1] != "\ufeff"
)


@given(texts, st.booleans())
def test_unicode_text_decodes_to_what_was_encoded(text: str, compress: bool) -> None:
    raw = encode_unicode(text, compress=compress)
    assert decode_unicode(raw) == text
    assert len(raw) <= 2 * len(text.encode("utf-16-le")) // 2


def test_zero_byte_switches_compression_within_a_text() -> None:
    # One byte a letter, then two for ♠ and ♥, then one again: what Access writes and we read.
    raw = b"\xff\xfe4 \x00" + "♠♥".encode("utf-16-le") + b"\x00 x"
    assert decode_unicode(raw) == "4 ♠♥ x"
    assert decode_unicode(b"\xff\xfeab\x00" + "é♠".encode("utf-16-le")) == "abé♠"


@given(st.binary(max_size=40))
def test_any_bytes_decode_without_an_error(raw: bytes) -> None:
    assert isinstance(decode_unicode(raw), str)
    assert isinstance(decode_unicode(b"\xff\xfe" + raw), str)
    assert encode_code_page(decode_code_page(raw, "cp1252"), "cp1252") == raw


def test_letter_outside_the_code_page_is_refused() -> None:
    assert encode_code_page("Renée €", "cp1252") == b"Ren\xe9e \x80"
    with pytest.raises(ValueRefused, match="'♠' is not in the code page"):
        encode_code_page("4♠", "cp1252")
    assert decode_code_page(b"\xcf\xf0", codec_of(1251)) == "Пр"


def test_header_mask_equals_the_published_bytes() -> None:
    assert header_mask()[:8].hex() == "b56f03626108c255"
    assert len(header_mask()) == 128
