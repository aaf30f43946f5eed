"""Closed to strangers and players: sessions after logging out, files, paths, and the attempts of the director."""

import os
import stat
import sys
from pathlib import Path

import httpx
import pytest

from overtrick.errors import BadInput, OvertrickError
from overtrick.keys import KeyRing
from overtrick.store import open_journal
from overtrick.store.codec import event_codec
from overtrick.store.errors import DamagedJournal, JournalUnavailable
from overtrick.store.folder import make_folder
from overtrick.store.sqlite import copy_journal
from overtrick.web.access_control import COOKIE
from overtrick.web.app import sentence_for
from tests.web.running import Running, token_of

PASSWORD = "seven no trump"


def log_in(pages: Running) -> httpx.Client:
    browser = httpx.Client(base_url=pages.address, timeout=20)
    assert browser.post("/desk/login", data={"password": PASSWORD}).status_code == 303
    return browser


def test_logging_out_ends_the_session_at_the_server_and_no_other(pages: Running) -> None:
    pages.keys.set_password(PASSWORD)
    browser, other = log_in(pages), log_in(pages)
    kept = {COOKIE: browser.cookies[COOKIE]}
    page = browser.get("/desk").text
    assert browser.post("/desk/logout", data={"token": token_of(page)}).status_code == 303
    again = httpx.get(f"{pages.address}/desk", cookies=kept)
    assert again.status_code == 303
    assert "/desk/login" in again.headers["location"]
    assert other.get("/desk").status_code == 200


def test_logout_holds_in_other_processes_until_the_cookie_expires(
    tmp_path: Path,
) -> None:
    time = 1_000.0
    keys = KeyRing(tmp_path, clock=lambda: time)
    shown = keys.new_pass()
    keys.end_pass(shown)
    assert not KeyRing(tmp_path, clock=lambda: time).is_pass(shown)
    time += 15 * 3600
    later = keys.new_pass()
    keys.end_pass(later)
    assert (tmp_path / "keys.json").read_text().count(shown.split(".")[2]) == 0


# Files --------------------------------------------------------------------------------------------------------------


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_journal_copies_keys_and_folder_are_private_to_their_owner(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        folder = tmp_path / "data"
        make_folder(folder, is_private=True)
        KeyRing(folder)
        with open_journal(folder / "it.journal", event_codec()):
            companions = [mode_of(path) for path in folder.iterdir()]
            copy_journal(folder / "it.journal", folder / "copy.journal")
        assert mode_of(folder) == 0o700
        assert set(companions) == {0o600}
        assert {mode_of(path) for path in folder.iterdir()} == {0o600}
    finally:
        os.umask(before)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_old_journal_and_folder_become_private_when_opened(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    make_folder(folder)
    KeyRing(folder)
    with open_journal(folder / "it.journal", event_codec()):
        pass
    (folder / "it.journal").chmod(0o644)
    folder.chmod(0o755)
    make_folder(folder, is_private=True)
    with open_journal(folder / "it.journal", event_codec()):
        assert mode_of(folder / "it.journal") == 0o600
    assert mode_of(folder) == 0o700


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_folder_created_by_others_keeps_its_mode(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o755)
    make_folder(folder, is_private=True)
    assert mode_of(folder) == 0o755


# Errors -------------------------------------------------------------------------------------------------------------


def test_error_shown_to_players_contains_no_path(pages: Running, guid: str) -> None:
    code = pages.keys.table_code(guid, "A", 1)
    (pages.folder / "keys.json").rename(pages.folder / "moved.json")
    for accept in ("application/json", "text/html"):
        for path in (f"/t/{guid}/A1/table.json?code={code}", "/desk", "/api/sessions"):
            answer = httpx.get(f"{pages.address}{path}", headers={"accept": accept})
            assert answer.status_code == 500
            assert str(pages.folder) not in answer.text
            assert "keys.json" not in answer.text


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            JournalUnavailable("No host named db7; nothing was written.", where="postgresql://db7/x"),
            "cannot reach its data",
        ),
        (JournalUnavailable("It is kept on this device."), "kept on this device"),
        (DamagedJournal("A fact is damaged.", where="/home/x/it.journal"), "are in the log"),
        (BadInput("No such round.", where="/home/x"), "No such round."),
        (BadInput("No such round.", where="table A3"), "table A3: No such round."),
    ],
)
def test_sentence_for_players_names_no_file_and_no_server(error: OvertrickError, words: str) -> None:
    said = sentence_for(error)
    assert words in said
    assert "/home" not in said
    assert "db7" not in said
    assert str(error) == sentence_for(error, is_director=True)


# Attempts -----------------------------------------------------------------------------------------------------------


def test_wrong_table_codes_do_not_use_up_the_attempts_at_the_password(pages: Running, guid: str) -> None:
    pages.keys.set_password(PASSWORD)
    for _ in range(12):
        httpx.get(f"{pages.address}/t/{guid}/A1/table.json", headers={"x-table-code": "GUESS234"})
        httpx.get(f"{pages.address}/join?code=GUESS234")
        httpx.get(f"{pages.address}/api/sessions", headers={"authorization": "Bearer ot_wrong"})
    assert httpx.post(f"{pages.address}/desk/login", data={"password": PASSWORD}).status_code == 303


def test_strangers_who_try_passwords_do_not_lock_out_the_director_at_this_computer(pages: Running) -> None:
    from overtrick.web.access_control import AccessControl, TooManyAttempts

    pages.keys.set_password(PASSWORD)
    door = AccessControl(pages.keys)

    def request(host: str, **headers: str) -> object:
        from starlette.requests import Request

        given = [(name.encode(), value.encode()) for name, value in headers.items()]
        return Request({"type": "http", "headers": given, "client": (host, 1)})

    while door.all_passwords.take(""):
        pass
    with pytest.raises(TooManyAttempts):
        door.try_password(request("192.0.2.1"), PASSWORD)  # type: ignore[arg-type]
    assert door.try_password(request("127.0.0.1"), PASSWORD)  # type: ignore[arg-type]
