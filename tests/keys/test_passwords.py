import pytest

from overtrick.keys import check_password, hash_password


def test_the_same_password_is_kept_differently_each_time() -> None:
    assert hash_password("seven no trump") != hash_password("seven no trump")


@pytest.mark.parametrize(
    "kept",
    [
        "",
        "seven",
        "plain$1$1$1$$",
        "scrypt$1$8$1$AA==$AA==",
        "scrypt$x$8$1$AA==$AA==",
        "scrypt$999999999$8$1$AA==$AA==",
        "scrypt$2$8$1$?$?",
    ],
)
def test_text_that_is_no_hash_matches_no_password(kept: str) -> None:
    assert not check_password("", kept)
    assert not check_password("seven", kept)
