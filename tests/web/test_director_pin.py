"""The director's PIN is checked by the server, and entries that came without it wait for the director."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from overtrick.bridge import Outcome, Seat, Side
from overtrick.control.device_location import TablePlace
from overtrick.control.entries import write_entry
from overtrick.control.orders import StartOptions
from overtrick.control.pins import permission_scope
from overtrick.errors import BadInput
from overtrick.event import Command, Session
from overtrick.event.place import Place
from overtrick.event.results import CorrectResult, EnterResult, EraseResult, Origin, PutResults, ResultEntry
from overtrick.event.seating import Participation, PutParticipations, Source, SwapPlayers
from overtrick.event.settings import NumberEntry, PairNumberEntry, PutSettings, SettingsII, SettingsIII
from overtrick.event.tables import ResetTable
from overtrick.host.control import ControlSoftware, keys_beside, place_words, settle_held
from overtrick.host.lookup import JOURNAL
from overtrick.host.runtime import open_runtime
from overtrick.host.simulator import open_evening, plan_evening
from overtrick.keys import KeyRing
from overtrick.keys.key_store import PERMISSION_SECONDS
from tests.waiting import wait_for
from tests.web.running import STARTS, Running, running

PIN = "2718"
STRICT = SettingsIII(pin=PIN, reentry=False, number_entry=NumberEntry.NEVER, confirm_not_played=True)


def now() -> datetime:
    return datetime.now(UTC)


class Phone:
    """The device of table A1, and what it may show."""

    def __init__(self, pages: Running, guid: str) -> None:
        self.pages, self.guid = pages, guid
        self.count = 0
        code = pages.keys.table_code(guid, "A", 1)
        self.client = httpx.Client(
            base_url=f"{pages.address}/t/{guid}/A1", headers={"x-table-code": code}, timeout=20
        )

    def pin(self, pin: str) -> httpx.Response:
        return self.client.post("/pin", json={"pin": pin}, headers={"accept": "application/json"})

    def permission(self, pin: str = PIN) -> str:
        given: str = self.pin(pin).json()["permission"]
        return given

    def send(self, command: Command, permission: str = "", identity: str = "") -> dict[str, Any]:
        self.count += 1
        entry = write_entry(identity or f"entry-{self.count:04}", 1, command)
        entry |= {"permission": permission} if permission else {}
        body = {"sent": now().isoformat(), "entries": [entry]}
        answer: dict[str, Any] = self.client.post("/entries", json=body).json()["answers"][0]
        return answer

    @property
    def session(self) -> Session:
        return self.pages.session(self.guid)

    def board(self, number: int, index: int = 0) -> int:
        return self.session.movement.tables["A", 1].rounds[number - 1].boards[index]

    def entry(self, number: int, outcome: str, index: int = 0, **more: Any) -> ResultEntry:
        return ResultEntry("A", 1, number, self.board(number, index), Outcome.parse(outcome), now(), **more)

    def enter(self, number: int, outcome: str, index: int = 0, **more: Any) -> EnterResult:
        return EnterResult(self.guid, self.entry(number, outcome, index, **more), incarnation=1)

    def correct(self, number: int, outcome: str, **more: Any) -> CorrectResult:
        return CorrectResult(self.guid, self.entry(number, outcome, **more), Origin.TERMINAL, incarnation=1)

    def erase(self, number: int) -> EraseResult:
        return EraseResult(self.guid, "A", 1, number, self.board(number), Origin.TERMINAL, 1)

    def place(self, number: int, index: int = 0) -> Place:
        return "A", 1, number, self.board(number, index)

    def stands(self, number: int, index: int = 0) -> str:
        found = self.session.results.standing.get(self.place(number, index))
        return "" if found is None else str(found.outcome)


@pytest.fixture
def phone(pages: Running, guid: str) -> Phone:
    pages.do(PutSettings(guid, (("A", STRICT),)))
    return Phone(pages, guid)


def of_the_menu(phone: Phone) -> dict[str, Command]:
    """Return what the director's menu of a terminal sends, in the third round of an evening."""
    seats = (Participation("A", 1, Seat.NORTH, "77", round=3),)
    return {
        "award": phone.enter(3, "60-40"),
        "undecided": phone.enter(3, "Arbitral"),
        "not played": phone.enter(3, "NP"),
        "wrong direction": phone.enter(3, "4SN=", is_wrong_direction=True),
        "correction": phone.correct(2, "Pass"),
        "erasure": phone.erase(1),
        "swap": SwapPlayers(phone.guid, "A", 1, 3, Side.NS),
        "players": PutParticipations(phone.guid, seats, Source.TERMINAL, must_be_known=False),
    }


MENU = ("award", "undecided", "not played", "wrong direction", "correction", "erasure", "swap", "players")


@pytest.mark.parametrize("name", MENU)
def test_director_entry_without_permission_is_held_and_changes_nothing(phone: Phone, name: str) -> None:
    results, chairs = dict(phone.session.results.standing), dict(phone.session.seating.chairs)
    answer = phone.send(of_the_menu(phone)[name])
    assert answer["is_held"]
    assert answer["version"]
    assert phone.session.results.standing == results
    assert phone.session.seating.chairs == chairs
    assert len(phone.session.held.entries) == 1


@pytest.mark.parametrize("name", MENU)
def test_director_entry_with_permission_is_executed(phone: Phone, name: str) -> None:
    answer = phone.send(of_the_menu(phone)[name], phone.permission())
    assert "is_held" not in answer
    assert answer["version"]
    assert not phone.session.held.entries


def test_reset_needs_the_pin_where_the_settings_have_no_reset_key(pages: Running, guid: str) -> None:
    phone, reset = Phone(pages, guid), ResetTable(guid, "A", 1, now())
    pages.do(PutSettings(guid, (("A", SettingsII(reset_key=True)),)))
    assert "is_held" not in phone.send(reset)
    pages.do(PutSettings(guid, (("A", SettingsII(reset_key=False)),)))
    assert phone.send(reset)["is_held"]


PLAYERS: dict[str, tuple[SettingsIII, Callable[[Phone], Command]]] = {
    "a result": (STRICT, lambda phone: phone.enter(3, "4SN=")),
    "a passed out board": (STRICT, lambda phone: phone.enter(3, "Pass")),
    "not played": (SettingsIII(confirm_not_played=False), lambda phone: phone.enter(3, "NP")),
    "a correction of the last round": (SettingsIII(reentry=True), lambda phone: phone.correct(2, "Pass")),
    "numbers of every round": (
        SettingsIII(number_entry=NumberEntry.EVERY_ROUND),
        lambda phone: of_the_menu(phone)["players"],
    ),
    "numbers during play": (
        SettingsIII(number_entry=NumberEntry.NEVER, number_entry_during_play=True),
        lambda phone: of_the_menu(phone)["players"],
    ),
}


@pytest.mark.parametrize("name", PLAYERS)
def test_entries_that_the_settings_allow_need_no_pin(phone: Phone, name: str) -> None:
    settings, made = PLAYERS[name]
    phone.pages.do(PutSettings(phone.guid, (("A", settings),)))
    answer = phone.send(made(phone))
    assert "is_held" not in answer
    assert answer["version"]


def test_correction_of_an_earlier_round_needs_the_pin_also_where_players_correct(phone: Phone) -> None:
    phone.pages.do(PutSettings(phone.guid, (("A", SettingsIII(reentry=True)),)))
    assert phone.send(phone.correct(1, "Pass"))["is_held"]


def test_players_request_a_ruling_but_cannot_erase_a_result(phone: Phone) -> None:
    """A pending ruling is no result, so it needs the PIN only where a board that is not played does."""
    phone.pages.do(PutSettings(phone.guid, (("A", SettingsIII(reentry=True, confirm_not_played=False)),)))
    assert "is_held" not in phone.send(phone.enter(3, "Arbitral"))
    assert phone.stands(3) == "Arbitral"
    assert phone.send(phone.correct(3, "4SN="))["is_held"]
    assert "is_held" not in phone.send(phone.enter(3, "4SN=", index=1))
    assert phone.send(phone.correct(3, "Arbitral", index=1))["is_held"]
    assert phone.stands(3, 1) == "4SN="


@pytest.mark.parametrize("ruling", ["60-40", "Arbitral"])
def test_players_who_may_correct_do_not_correct_a_ruling(phone: Phone, ruling: str) -> None:
    phone.pages.do(PutSettings(phone.guid, (("A", SettingsIII(reentry=True)),)))
    phone.pages.do(PutResults(phone.guid, (phone.entry(3, ruling),), Origin.DESK))
    assert phone.send(phone.correct(3, "7NTN="))["is_held"]
    assert phone.stands(3) == ruling


@pytest.mark.parametrize("when", [NumberEntry.FIRST_ROUND, NumberEntry.EVERY_ROUND])
def test_numbers_of_a_round_that_is_over_need_the_pin(phone: Phone, when: NumberEntry) -> None:
    """A holder of the card could otherwise rename the first pair of the session at its end."""
    phone.pages.do(PutSettings(phone.guid, (("A", SettingsIII(number_entry=when)),)))
    for number in (0, 1):
        seats = (Participation("A", 1, Seat.EAST, f"7{number}", round=number),)
        command = PutParticipations(phone.guid, seats, Source.TERMINAL, must_be_known=False)
        assert phone.send(command)["is_held"]


def test_pair_number_entry_lets_players_say_that_they_sat_the_other_way_round(
    pages: Running, guid: str
) -> None:
    phone = Phone(pages, guid)
    settings = SettingsII(pair_number_entry=PairNumberEntry.REQUIRED)
    pages.do(PutSettings(guid, (("A", settings),)))
    assert "is_held" not in phone.send(phone.enter(3, "4SN=", is_wrong_direction=True))


# Waiting ----------------------------------------------------------------------------------------------------------


def test_later_entries_for_a_held_board_are_held_and_others_saved(phone: Phone) -> None:
    was = phone.stands(2)
    assert phone.send(phone.erase(2))["is_held"]
    assert phone.send(phone.enter(2, "Pass"))["is_held"]
    assert phone.stands(2) == was
    assert "is_held" not in phone.send(phone.enter(3, "4SN="))
    assert phone.stands(3) == "4SN="


def test_held_board_does_not_block_later_rounds(phone: Phone) -> None:
    boards = phone.session.movement.tables["A", 1].rounds[2].boards
    assert phone.send(phone.enter(3, "NP"))["is_held"]
    for index in range(1, len(boards)):
        assert "is_held" not in phone.send(phone.enter(3, "Pass", index))
    assert "version" in phone.send(phone.enter(4, "Pass"))


def test_held_entry_sent_again_waits_once_and_gets_the_same_answer(phone: Phone) -> None:
    first = phone.send(phone.erase(2), identity="entry-held")
    assert phone.send(phone.erase(2), identity="entry-held") == first
    assert len(phone.session.held.entries) == 1


def test_snapshot_shows_the_held_entry_as_unconfirmed_and_contains_no_pin(phone: Phone) -> None:
    phone.send(phone.enter(3, "60-40"))
    phone.send(phone.erase(2))
    news = phone.client.get("/table.json")
    assert PIN not in news.text
    assert news.json()["snapshot"]["rules"]["pin"] == ""
    results = {
        (each["round"], each["board"]): (each["outcome"], each["is_unconfirmed"])
        for each in news.json()["snapshot"]["results"]
    }
    assert results[3, phone.board(3)] == ("60-40", True)
    assert results[2, phone.board(2)] == (phone.stands(2), True)
    assert results[1, phone.board(1)][1] is False


def act(browser: httpx.Client, guid: str, **fields: str) -> httpx.Response:
    page = browser.get(f"/desk/{guid}/results").text
    return browser.post(
        f"/desk/{guid}/act/held",
        data={"token": page.split('data-token="')[1].split('"')[0], **fields},
        headers={"accept": "application/json"},
    )


def test_director_confirms_at_the_desk(phone: Phone, browser: httpx.Client) -> None:
    phone.send(phone.erase(2))
    phone.send(phone.enter(2, "Pass"))
    page = browser.get(f"/desk/{phone.guid}/results").text
    assert "erase the result, then Pass" in page
    place = "/".join(map(str, phone.place(2)))
    answer = act(browser, phone.guid, place=place, do="confirm")
    assert answer.json() == {"sentence": "Confirmed."}
    assert phone.stands(2) == "Pass"
    assert not phone.session.held.entries
    again = act(browser, phone.guid, place=place, do="confirm", once="2")
    assert again.status_code == 400


def test_director_refuses_at_the_desk(phone: Phone, browser: httpx.Client) -> None:
    was = phone.stands(2)
    phone.send(phone.erase(2))
    assert act(browser, phone.guid, place="/".join(map(str, phone.place(2))), do="refuse").status_code == 200
    assert phone.stands(2) == was
    assert not phone.session.held.entries


def test_confirming_an_outdated_entry_changes_nothing(phone: Phone, browser: httpx.Client) -> None:
    phone.send(phone.enter(3, "60-40"))
    entry = phone.entry(3, "4SN=")
    phone.pages.do(PutResults(phone.guid, (entry,), Origin.DESK))
    answer = act(browser, phone.guid, place="/".join(map(str, phone.place(3))), do="confirm")
    assert answer.status_code == 409
    assert phone.stands(3) == "4SN="
    assert len(phone.session.held.entries) == 1


def test_stranger_cannot_confirm(phone: Phone) -> None:
    phone.send(phone.erase(2))
    place = "/".join(map(str, phone.place(2)))
    answer = httpx.post(
        f"{phone.pages.address}/desk/{phone.guid}/act/held", data={"place": place, "do": "confirm"}
    )
    assert answer.status_code == 403
    assert len(phone.session.held.entries) == 1


@pytest.mark.parametrize("is_confirmed", [True, False])
def test_director_settles_with_control_where_there_is_no_desk(phone: Phone, is_confirmed: bool) -> None:
    phone.send(phone.erase(2))
    journal, words = phone.pages.folder / JOURNAL, place_words(phone.place(2))
    with (
        open_runtime(journal) as runtime,
        ControlSoftware(runtime, StartOptions(), evaluates=False) as room,
    ):
        room.tick()
        assert any(f"--confirm {words}" in sentence for sentence in room.sentences)
    was = phone.stands(2)
    assert settle_held(journal, words, is_confirmed=is_confirmed)
    assert phone.stands(2) == ("" if is_confirmed else was)
    with pytest.raises(BadInput):
        settle_held(journal, words, is_confirmed=is_confirmed)


# The PIN ----------------------------------------------------------------------------------------------------------


def test_wrong_pin_gives_no_permission(phone: Phone) -> None:
    assert phone.pin("1234").status_code == 403
    assert phone.client.post("/pin", content=b"[").status_code == 400
    stranger = httpx.post(f"{phone.client.base_url}pin", json={"pin": PIN})
    assert stranger.status_code == 403


def test_right_pin_after_five_wrong_ones_is_refused(phone: Phone) -> None:
    for guess in range(5):
        assert phone.pin(f"100{guess}").status_code == 403
    assert phone.pin(PIN).status_code == 429


def test_entry_with_an_invalid_permission_is_held(pages: Running, phone: Phone) -> None:
    other = pages.keys.new_permission(permission_scope(phone.session, TablePlace("A", 2), pages.keys))
    for shown in (other, "x", "9999999999.00", "."):
        assert phone.send(phone.erase(1), shown)["is_held"]


def test_permission_expires(tmp_path: Path) -> None:
    time = 1_000.0
    keys = KeyRing(tmp_path, clock=lambda: time)
    permission = keys.new_permission("A1")
    assert keys.is_permission("A1", permission)
    assert not keys.is_permission("A2", permission)
    time += PERMISSION_SECONDS
    assert not keys.is_permission("A1", permission)


def test_two_desks_on_one_database_take_no_more_wrong_pins_passwords_and_codes_than_one(
    database: str,
) -> None:
    evening = plan_evening(2, 1, STARTS, 6)
    with running(database) as one, running(database) as other:
        one.do(open_evening(evening))
        one.do(PutSettings(evening.session, (("A", STRICT),)))
        phones = [Phone(one, evening.session), Phone(other, evening.session)]
        answers = [phones[number % 2].pin("0001").status_code for number in range(8)]
        assert answers == [403] * 5 + [429] * 3
        assert [phone.pin(PIN).status_code for phone in phones] == [429, 429]

        one.keys.set_password("seven no trump")
        wait_for(lambda: other.keys.has_password)
        stranger = {"x-forwarded-for": "198.51.100.7"}
        guesses = [
            httpx.post(
                f"{desk.address}/desk/login", data={"password": "guess"}, headers=stranger, timeout=30
            ).text
            for desk in (one, other) * 5
        ]
        assert ["Too many attempts" in text for text in guesses] == [False] * 8 + [True] * 2
        for desk in (one, other):
            right = httpx.post(f"{desk.address}/desk/login", data={"password": "seven no trump"}, timeout=30)
            assert right.status_code == 303, "the director at either computer has tries of his own"

        codes = [
            httpx.get(
                f"{desk.address}/t/{evening.session}/A1/table.json",
                headers={**stranger, "x-table-code": "WRONG234"},
                timeout=30,
            )
            for desk in (one, other) * 5
        ]
        assert [answer.status_code for answer in codes] == [403] * 8 + [429] * 2
        assert codes[-1].headers["retry-after"] == "15"
        joined = httpx.get(f"{one.address}/join", params={"code": "x"}, headers=stranger, timeout=30)
        assert joined.status_code == 429, "both pages take the same tries"


def test_permission_ends_when_the_pin_changes_or_the_session_restarts(pages: Running, phone: Phone) -> None:
    """A director who sets another PIN, because players know this one, also means the phones that have shown it."""
    keys, place, session = pages.keys, TablePlace("A", 1), phone.session
    shown = phone.permission()
    assert keys.is_permission(permission_scope(session, place, keys), shown)
    again = deepcopy(session)
    again.setup.opened = replace(session.opened, incarnation=2)
    assert not keys.is_permission(permission_scope(again, place, keys), shown)
    pages.do(PutSettings(phone.guid, (("A", replace(STRICT, pin="3141")),)))
    assert phone.send(phone.erase(1), shown)["is_held"]


def test_entry_for_an_unknown_board_or_round_is_refused_not_held(phone: Phone) -> None:
    """The director could only refuse it."""
    guid = phone.guid
    for command in (
        EraseResult(guid, "A", 1, -5, phone.board(1), Origin.TERMINAL, 1),
        EraseResult(guid, "A", 1, 0, phone.board(1), Origin.TERMINAL, 1),
        EraseResult(guid, "A", 1, 1, 9_999, Origin.TERMINAL, 1),
        SwapPlayers(guid, "A", 1, -5, Side.NS),
    ):
        assert "reason" in phone.send(command), command
    assert not phone.session.held.entries


def test_pin_is_random_until_it_is_set_and_the_desk_shows_it(
    pages: Running, guid: str, browser: httpx.Client
) -> None:
    phone = Phone(pages, guid)
    for settings in (SettingsIII(), SettingsIII(pin="0000")):
        pages.do(PutSettings(guid, (("A", settings),)))
        assert phone.pin("0000").status_code == 403
        random = pages.keys.session_pin(guid)
        assert random != "0000"
        assert f">{random}<" in browser.get(f"/desk/{guid}/settings").text
        assert phone.permission(random)
    assert pages.keys.session_pin(guid) != pages.keys.session_pin(guid[::-1])


def test_control_shows_the_pin_of_the_pages_on_its_journal(phone: Phone) -> None:
    journal = phone.pages.folder / JOURNAL
    with (
        open_runtime(journal) as runtime,
        ControlSoftware(runtime, StartOptions(), evaluates=False, keys=keys_beside(runtime.journal)) as room,
    ):
        room.tick()
        assert any("PIN" in sentence and PIN in sentence for sentence in room.sentences)
