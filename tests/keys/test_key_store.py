"""The keys of a data folder: what is valid, what is not, and what a reader of the file learns."""

import os
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick.errors import BadInput
from overtrick.keys import KeyRing, KeysDamaged, TokenScope, WeakPassword
from overtrick.keys.key_store import CODE_LENGTH, PASS_SECONDS


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def test_a_password_survives_a_restart_and_is_not_in_the_file(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    assert not ring.has_password
    assert not ring.is_password("")
    ring.set_password("seven no trump")
    again = KeyRing(tmp_path)
    assert again.has_password
    assert again.is_password("seven no trump")
    assert not again.is_password("seven no trumps")
    assert "seven" not in (tmp_path / "keys.json").read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no mode of a file")
def test_only_the_owner_can_read_the_file(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        ring = KeyRing(tmp_path)
        ring.set_results_public(False)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "keys.json").stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["keys.json"]


@pytest.mark.parametrize("password", ["", "short", "aaaaaaaaaaaa", "x" * 201])
def test_a_weak_password_is_refused_and_the_old_one_stays(tmp_path: Path, password: str) -> None:
    ring = KeyRing(tmp_path)
    ring.set_password("seven no trump")
    with pytest.raises(WeakPassword):
        ring.set_password(password)
    assert ring.is_password("seven no trump")


def test_a_pass_ends_with_its_time_with_the_password_and_when_everyone_is_logged_out(tmp_path: Path) -> None:
    clock = Clock()
    ring = KeyRing(tmp_path, clock)
    first = ring.new_pass()
    assert ring.is_pass(first)
    clock.now += PASS_SECONDS + 1
    assert not ring.is_pass(first)
    second = ring.new_pass()
    ring.set_password("seven no trump")
    assert not ring.is_pass(second)


@given(st.text(max_size=80))
@settings(max_examples=30)
def test_arbitrary_text_is_no_pass_form_token_or_program_token(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    ring = KeyRing(tmp_path_factory.mktemp("keys"))
    assert not ring.is_pass(text)
    assert not ring.is_form_token(ring.new_pass(), text)
    assert ring.token_scope(text) is None
    assert not ring.is_table_code("S", "A", 1, text)


def test_a_form_belongs_to_the_browser_it_was_made_for(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    one, other = ring.new_pass(), ring.new_pass()
    assert ring.is_form_token(one, ring.form_token(one))
    assert not ring.is_form_token(other, ring.form_token(one))


def test_every_table_has_a_code_of_its_own_that_stays(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    places = [(session, section, table) for session in "XY" for section in "AB" for table in range(1, 41)]
    codes = [ring.table_code(*place) for place in places]
    assert len(set(codes)) == len(places)
    assert all(len(code) == CODE_LENGTH for code in codes)
    assert [KeyRing(tmp_path).table_code(*place) for place in places] == codes
    code = codes[0]
    assert ring.is_table_code(*places[0], f"{code[:4].lower()} {code[4:]}")
    assert not ring.is_table_code(*places[1], code)
    other = tmp_path / "other"
    other.mkdir()
    assert KeyRing(other).table_code(*places[0]) != code


def test_tokens_are_shown_once_and_can_be_dropped(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    token = ring.new_token("scorer", TokenScope.WRITE)
    assert token not in (tmp_path / "keys.json").read_text()
    assert KeyRing(tmp_path).token_scope(token) == ("scorer", TokenScope.WRITE)
    newer = ring.new_token("scorer", TokenScope.READ)
    assert ring.token_scope(token) is None
    assert ring.token_scope(newer) == ("scorer", TokenScope.READ)
    assert ring.tokens() == {"scorer": TokenScope.READ}
    assert ring.drop_token("scorer")
    assert not ring.drop_token("scorer")
    assert ring.token_scope(newer) is None
    with pytest.raises(BadInput):
        ring.new_token("", TokenScope.READ)


def test_change_by_another_process_is_seen_at_once(tmp_path: Path) -> None:
    server, command_line = KeyRing(tmp_path), KeyRing(tmp_path)
    shown = server.new_pass()
    token = command_line.new_token("scorer", TokenScope.READ)
    assert server.token_scope(token) == ("scorer", TokenScope.READ)
    command_line.set_password("seven no trump")
    assert server.has_password
    assert not server.is_pass(shown)
    server.set_results_public(False)
    assert command_line.tokens() == {"scorer": TokenScope.READ}


def test_licence_key_of_a_club_is_stored_and_removed(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    ring.set_licence("12", "key")
    ring.set_licence("13", "other")
    ring.set_licence("13", "")
    assert KeyRing(tmp_path).licences == {"12": "key"}
    with pytest.raises(BadInput):
        ring.set_licence("", "key")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "null",
        '{"format": 2}',
        '{"format": 1}',
        "\xff",
        '{"format": 1, "secret": "zz", "tokens": {}}',
    ],
)
def test_a_damaged_file_is_refused_and_left(tmp_path: Path, text: str) -> None:
    (tmp_path / "keys.json").write_text(text, encoding="latin-1")
    with pytest.raises(KeysDamaged):
        KeyRing(tmp_path)
    assert (tmp_path / "keys.json").read_text(encoding="latin-1") == text
