"""Entries of phones: accepted with the table's code, once, each answered; senseless ones are refused."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import msgspec
import pytest

from overtrick.bridge import Outcome, Seat
from overtrick.control import entries, take_snapshot
from overtrick.control.device_location import OwnPhone, own_phones, parse_place
from overtrick.event.results import EnterResult, EraseResult, Origin, ResultEntry, ResultRecorded
from overtrick.event.seating import Participation, PutParticipations, Source
from overtrick.event.settings import Language, PutSettings, SettingsIII
from overtrick.event.setup import SetStatus, Status
from overtrick.event.tables import LogOn
from overtrick.host.simulator import open_evening, plan_evening
from overtrick.views import SessionView
from overtrick.web.vocabulary import texts
from tests.web.running import STARTS, Running, collapse, evening, play

NOW = datetime(2026, 1, 8, 20, 0, tzinfo=UTC)


@pytest.fixture
def phone(pages: Running, guid: str) -> httpx.Client:
    code = pages.keys.table_code(guid, "A", 1)
    return httpx.Client(base_url=f"{pages.address}/t/{guid}/A1", headers={"x-table-code": code}, timeout=20)


def board_of(pages: Running, guid: str, number: int = 3) -> int:
    return pages.session(guid).movement.tables["A", 1].rounds[number - 1].boards[0]


def result(pages: Running, guid: str, identity: str = "entry-0001", **changes: object) -> dict[str, Any]:
    """An entry as a terminal writes it; changes are to the result in it."""
    made = ResultEntry("A", 1, 3, board_of(pages, guid), Outcome.parse("3NTN="), NOW)
    command = entries.write_command(EnterResult(guid, made, incarnation=1))
    command["entry"].update(changes)
    return {"id": identity, "incarnation": 1, "command": command}


def sent(phone: httpx.Client, *entries: object, at: datetime = NOW, **more: Any) -> httpx.Response:
    return phone.post("/entries", json={"sent": at.isoformat(), "entries": entries}, **more)


def test_the_same_entry_twice_counts_once(pages: Running, guid: str, phone: httpx.Client) -> None:
    given = result(pages, guid, lead="ST")
    head = pages.journal.head(f"session/{guid}/1")
    assert sent(phone, given).json() == {"answers": [{"id": "entry-0001", "version": head + 1}]}
    assert sent(phone, given, given).json()["answers"] == [{"id": "entry-0001", "version": head + 1}] * 2
    facts = [entry.fact for entry in pages.journal.read(f"session/{guid}/1", head)]
    assert sum(isinstance(fact, ResultRecorded) for fact in facts) == 1
    stands = pages.session(guid).results.standing["A", 1, 3, given["command"]["entry"]["board"]]
    assert stands.outcome == Outcome.parse("3NTN=")
    assert stands.lead is not None
    (answer,) = sent(phone, result(pages, guid, "entry-0002", outcome="Pass")).json()["answers"]
    assert answer["reason"] == "stale"
    assert answer["sentence"]


def test_the_order_of_entries_is_kept(pages: Running, guid: str, phone: httpx.Client) -> None:
    boards = pages.session(guid).movement.tables["A", 1].rounds[2].boards
    given = [result(pages, guid, f"entry-000{place}", board=board) for place, board in enumerate(boards)]
    versions = [answer["version"] for answer in sent(phone, *given).json()["answers"]]
    assert versions == sorted(versions)
    assert len(set(versions)) == len(boards)


@pytest.mark.parametrize(
    ("clock", "at"),
    [
        ("0001-01-01T00:00:00+00:00", "9999-12-31T23:00:00+00:00"),
        ("9999-12-31T23:00:00-14:00", "0001-01-01T00:00:00+14:00"),
    ],
)
def test_entry_with_an_invalid_time_is_refused(
    pages: Running, guid: str, phone: httpx.Client, clock: str, at: str
) -> None:
    given = {"sent": clock, "entries": [result(pages, guid, at=at)]}
    (answer,) = phone.post("/entries", json=given).json()["answers"]
    assert "not a valid date and time; it was not saved" in answer["sentence"]


def test_entry_with_invalid_unicode_is_refused(pages: Running, guid: str, phone: httpx.Client) -> None:
    seat = Participation("A", 1, Seat.NORTH, "half of a sign")
    command = entries.write_command(PutParticipations(guid, (seat,), Source.TERMINAL))
    entry = {"id": "entry-0001", "incarnation": 1, "command": command}
    body = json.dumps({"sent": NOW.isoformat(), "entries": [entry]}).replace("half of a sign", "\\ud800")
    answer = phone.post("/entries", content=body, headers={"accept": "application/json"})
    assert answer.status_code == 400
    assert "cannot be read" in answer.json()["sentence"]


def test_entry_time_follows_the_age_that_the_device_sends(
    pages: Running, guid: str, phone: httpx.Client
) -> None:
    wrong_clock = datetime(1999, 1, 1, tzinfo=UTC)
    given = result(pages, guid, at=(wrong_clock - timedelta(minutes=10)).isoformat())
    sent(phone, given, at=wrong_clock)
    stands = pages.session(guid).results.standing["A", 1, 3, given["command"]["entry"]["board"]]
    assert timedelta(minutes=9) < datetime.now(UTC) - stands.at < timedelta(minutes=11)
    later = result(pages, guid, "entry-0002", board=board_of(pages, guid) + 1, at=NOW.isoformat())
    sent(phone, later, at=NOW - timedelta(days=3))
    stands = pages.session(guid).results.standing["A", 1, 3, board_of(pages, guid) + 1]
    assert abs(datetime.now(UTC) - stands.at) < timedelta(minutes=1)


def test_a_table_needs_its_own_code(pages: Running, guid: str, phone: httpx.Client) -> None:
    other = pages.keys.table_code(guid, "A", 2)
    given = result(pages, guid)
    for code in ("", "AAAAAAAA", other):
        headers = {"x-table-code": code}
        assert phone.get("/table.json", headers=headers).status_code == 403
        assert sent(phone, given, headers=headers).status_code == 403
    assert sent(phone, given, headers={"origin": "http://evil.example"}).status_code == 403
    for _ in range(4):
        phone.get("/table.json", headers={"x-table-code": "GUESS234"})
    assert "Too many attempts" in phone.get("/table.json", headers={"x-table-code": "GUESS234"}).text
    assert phone.get("/table.json").status_code == 200


def test_an_entry_for_an_earlier_start_of_the_session_is_refused(
    pages: Running, guid: str, phone: httpx.Client
) -> None:
    head = pages.journal.heads()
    (answer,) = sent(phone, {**result(pages, guid), "incarnation": 2}).json()["answers"]
    assert answer["reason"] == "stale"
    late = result(pages, guid)
    late["command"]["incarnation"] = 2
    (answer,) = sent(phone, late).json()["answers"]
    assert answer["reason"] == "stale"
    assert pages.journal.heads() == head


@pytest.mark.parametrize(
    "changes",
    [
        {"board": "1"},
        {"board": -1},
        {"round": True},
        {"outcome": "8SN="},
        {"outcome": None},
        {"lead": "ZZ"},
        {"at": "yesterday"},
        {"at": "2026-01-08T20:00:00"},
        {"table": 2},
        {"section": "B"},
        {"ns": 4},
        {"side": "NS"},
    ],
)
def test_impossible_result_is_refused(
    pages: Running, guid: str, phone: httpx.Client, changes: dict[str, object]
) -> None:
    head = pages.journal.heads()
    given = result(pages, guid, "entry-0001", **changes)
    (answer,) = sent(phone, given).json()["answers"]
    assert answer["reason"] in ("not-allowed", "unknown-place")
    assert pages.journal.heads() == head


@pytest.mark.parametrize(
    "command",
    [
        None,
        {},
        {"kind": "open-event"},
        {"kind": "erase-result", "section": "A", "table": 2, "round": 1, "board": 1, "origin": "terminal"},
        {"kind": "erase-result", "section": "A", "table": 1, "round": 1, "board": 1, "origin": "desk"},
        {"kind": "reset-table", "section": "A", "table": 3, "at": NOW.isoformat()},
        {"kind": "log-on", "section": "A", "table": 1, "terminal": "x" * 65, "at": NOW.isoformat()},
        {"kind": "call-director", "call": "another's", "section": "A", "table": 1, "at": NOW.isoformat()},
        {"kind": "put-participations", "participations": [], "source": "terminal"},
        {
            "kind": "put-participations",
            "participations": [{"section": "A", "table": 2, "seat": "N", "number": "7"}],
            "source": "terminal",
        },
        {"kind": "put-hand-records", "records": [], "source": "terminal"},
    ],
)
def test_forbidden_terminal_requests_are_refused(
    pages: Running, guid: str, phone: httpx.Client, command: dict[str, object] | None
) -> None:
    head = pages.journal.heads()
    wanted = None if command is None else {"session": guid, **command}
    entry = {"id": "entry-0001", "incarnation": 1, "command": wanted}
    (answer,) = sent(phone, entry).json()["answers"]
    assert answer["reason"] == "not-allowed"
    assert pages.journal.heads() == head


@pytest.mark.parametrize("entry", [{}, {"id": ""}, {"id": None}, {"id": "a/../../b"}, [], "entry", None])
def test_entry_without_an_id_is_refused(pages: Running, phone: httpx.Client, entry: object) -> None:
    head = pages.journal.heads()
    assert sent(phone, entry).status_code == 400
    assert pages.journal.heads() == head


BODIES = [
    b"",
    b"[]",
    b"null",
    b"{",
    b"[" * 5000,
    b"\xff",
    b'{"sent": "now", "entries": []}',
    b'{"entries": 1}',
]


@pytest.mark.parametrize("body", BODIES)
def test_invalid_entries_are_refused(phone: httpx.Client, body: bytes) -> None:
    assert phone.post("/entries", content=body).status_code == 400


def test_too_many_entries_at_once_are_refused(pages: Running, guid: str, phone: httpx.Client) -> None:
    assert sent(phone, *[result(pages, guid)] * 41).status_code == 400


def test_table_json_contains_the_snapshot(pages: Running, guid: str, phone: httpx.Client) -> None:
    pages.do(PutSettings(guid, (("A", SettingsIII(pin="2718")),)))
    news = phone.get("/table.json")
    table = news.json()["snapshot"]
    assert [played["number"] for played in table["rounds"]] == [1, 2, 3, 4]
    done = [result for result in table["results"] if result["round"] == 1]
    assert len(done) == len(table["rounds"][0]["boards"])
    assert not [result for result in table["results"] if result["round"] == 3]
    assert [
        sitting["name"] for sitting in table["players"] if (sitting["round"], sitting["seat"]) == (1, "N")
    ]
    assert "2718" not in news.text
    assert table["rules"]["pin"] == ""
    assert phone.get("/manifest.json").json()["short_name"] == "Table A1"
    assert httpx.get(f"{pages.address}/t/{guid}/A99", follow_redirects=True).status_code in (200, 404)
    log_on = {
        "kind": "log-on",
        "session": guid,
        "section": "A",
        "table": 1,
        "terminal": "phone",
        "at": NOW.isoformat(),
    }
    (answer,) = sent(phone, {"id": "log-on-01", "incarnation": 0, "command": log_on}).json()["answers"]
    assert answer["version"]
    assert pages.session(guid).tables.logged_on["A", 1].terminal == "phone"


def test_unknown_table_is_not_found(pages: Running, guid: str) -> None:
    code = pages.keys.table_code(guid, "A", 99)
    news = httpx.get(f"{pages.address}/t/{guid}/A99/table.json", headers={"x-table-code": code})
    assert news.json() == {"is_short": False, "lobby": [], "snapshot": None}


def test_cached_files_of_a_device_are_served(pages: Running) -> None:
    with httpx.Client(base_url=pages.address) as client:
        for path in client.get("/t/parts.json").json():
            answer = client.get(path)
            assert answer.status_code == 200, path
            again = client.get(path, headers={"if-none-match": answer.headers["etag"]})
            assert again.status_code == 304, path
        for language in Language:
            assert client.get(f"/t/texts/{language.value}.json").text == texts(language)
        assert client.get("/t/texts/xx.json").status_code == 404
        assert "export const Doubling" in client.get("/static/terminal/vocabulary.js").text


def test_stream_sends_the_short_form_of_the_table(pages: Running, guid: str, phone: httpx.Client) -> None:
    whole = phone.get("/table.json").json()
    with phone.stream("GET", "/stream") as events:
        line = next(line for line in events.iter_lines() if line.startswith("data: "))
    short = json.loads(json.loads(line.removeprefix("data: "))["table"])
    assert short["is_short"]
    assert not whole["is_short"]
    same = set(whole["snapshot"]) - {"compared", "ranks", "summary"}
    assert {name: short["snapshot"][name] for name in same} == {
        name: whole["snapshot"][name] for name in same
    }
    last = {result["board"] for result in whole["snapshot"]["results"] if result["round"] == 2}
    assert {line["board"] for line in short["snapshot"]["compared"]} == last
    assert [line for line in whole["snapshot"]["compared"] if line["board"] in last] == short["snapshot"][
        "compared"
    ]


def test_snapshot_has_the_layout_of_the_terminals_memory(pages: Running, guid: str) -> None:
    view = SessionView()
    for entry in pages.journal.read(f"session/{guid}/1"):
        view.apply(entry.fact)
    snapshot = take_snapshot(view, "A", 1, 7)
    assert json.loads(msgspec.json.encode(snapshot)) == entries.as_json_types(snapshot)


# A pair's own phone -----------------------------------------------------------------------------------------------


def test_every_pair_has_a_card(pages: Running, guid: str, browser: httpx.Client) -> None:
    page = browser.get(f"/desk/{guid}/cards?for=pairs").text
    session = pages.session(guid)
    pairs = {
        ("NS", played.ns) for at in session.movement.tables.values() for played in at.rounds if played.ns
    }
    pairs |= {
        ("EW", played.ew) for at in session.movement.tables.values() for played in at.rounds if played.ew
    }
    named = [name for name in (f"Pair A {side} {number}<" for side, number in pairs) if name in page]
    phones = own_phones(session)
    assert len(named) == len(phones) == page.count("<h2>Pair ")
    for phone in phones:
        code = phone.code(pages.keys, guid)
        assert f"{code[:4]} {code[4:]}" in page
        to = browser.get(f"/join?code={code.lower()}", follow_redirects=False).headers["location"]
        assert to == f"/t/{guid}/{phone}?code={code}"


def test_pair_cards_of_a_one_winner_movement_name_pairs_by_number(
    pages: Running, browser: httpx.Client
) -> None:
    guid = evening(pages, 7, 0)
    assert pages.session(guid).winners("A") == 1
    page = browser.get(f"/desk/{guid}/cards?for=pairs").text
    assert all(f"<h2>Pair A {number}</h2>" in page for number in range(1, 15))
    assert "Pair A EW" not in page


def test_own_phone_gets_no_results_of_boards_still_to_play(pages: Running, guid: str) -> None:
    session = pages.session(guid)
    hidden = 0
    for phone in own_phones(session):
        code = phone.code(pages.keys, guid)
        played = phone.played_boards(session)
        assert len(played) == 12
        for _, at, _ in phone.rounds(session):
            address = f"{pages.address}/t/{guid}/{phone}/table.json?at={at}"
            snapshot = httpx.get(address, headers={"x-table-code": code}).json()["snapshot"]
            assert len(snapshot["results"]) == 12  # which round is played follows from them
            for result in snapshot["results"]:
                hidden += result["board"] not in played
                assert bool(result["outcome"]) == (result["board"] in played)
                assert result["board"] in played or not result["lead"]
            assert {line["board"] for line in snapshot["compared"]} <= played
    assert hidden


def test_own_phone_gets_the_tables_of_its_pair(pages: Running, guid: str) -> None:
    place = parse_place("A-NS-1")
    assert place is not None
    code = pages.keys.table_code(guid, "A-NS", 1)
    own = httpx.Client(
        base_url=f"{pages.address}/t/{guid}/A-NS-1", headers={"x-table-code": code}, timeout=20
    )
    news = own.get("/table.json").json()
    due = news["due"]
    assert (due["round"], due["is_ready"]) == (3, True)
    assert news["snapshot"]["table"] == due["table"]
    played = pages.session(guid).movement.tables[due["section"], due["table"]].rounds[2]
    assert played.ns == 1 or played.ew == 1
    for board in played.boards:
        made = ResultEntry(due["section"], due["table"], 3, board, Outcome.parse("Pass"), NOW)
        command = entries.write_command(EnterResult(guid, made, incarnation=1))
        (answer,) = sent(own, {"id": f"entry-00{board}", "incarnation": 1, "command": command}).json()[
            "answers"
        ]
        assert "version" in answer
    after = own.get(f"/table.json?at={due['section']}{due['table']}").json()
    assert after["due"]["round"] == 4
    assert after["snapshot"]["table"] == due["table"]
    wrong = httpx.get(
        f"{own.base_url}table.json", headers={"x-table-code": pages.keys.table_code(guid, "A", 1)}
    )
    assert wrong.status_code == 403


def test_own_phone_gets_its_pairs_final_score_after_its_last_board(
    pages: Running, guid: str, browser: httpx.Client
) -> None:
    def finals(phone: OwnPhone) -> list[dict[str, Any]]:
        code = phone.code(pages.keys, guid)
        address = f"{pages.address}/t/{guid}/{phone}/table.json"
        found: list[dict[str, Any]] = httpx.get(address, headers={"x-table-code": code}).json()["snapshot"][
            "finals"
        ]
        return found

    phones = own_phones(pages.session(guid))
    assert finals(phones[0]) == []
    play(pages, guid, 4)
    pages.do(SetStatus(guid, Status.FINISHED))
    page = collapse(browser.get(f"/t/{guid}/{phones[0]}").text)
    assert f'data-results="/results/{guid}/"' in page
    for phone in phones:
        (final,) = finals(phone)
        assert (final["pair"], final["of"], final["is_final"]) == (phone.pair, 4, True)
        assert final["score"].endswith("%")
        card = collapse(browser.get(f"/results/{guid}/{final['card']}").text)
        assert final["score"].removesuffix("%") in card
        assert browser.get(f"/results/{guid}/board-1-{final['best']['board']}.html").status_code == 200


def test_own_phone_of_a_session_that_ends_early_has_no_next_table_and_its_pairs_score(
    pages: Running, guid: str
) -> None:
    phone = own_phones(pages.session(guid))[0]
    address = f"{pages.address}/t/{guid}/{phone}/table.json"

    def news() -> Any:
        return httpx.get(address, headers={"x-table-code": phone.code(pages.keys, guid)}).json()

    pages.do(SetStatus(guid, Status.FINISHED))
    ended = news()
    assert (ended["due"], ended["is_waiting"], ended["snapshot"]["has_ended"]) == (None, False, True)
    (final,) = ended["snapshot"]["finals"]
    assert (final["pair"], final["is_final"]) == (phone.pair, True)
    pages.do(SetStatus(guid, Status.STARTED))
    assert news()["due"]["round"] == 3
    assert news()["snapshot"]["finals"] == []


def test_entry_id_used_in_another_session_is_saved(pages: Running, guid: str, phone: httpx.Client) -> None:
    sent(phone, result(pages, guid))
    other = evening(pages, rounds=2, seed=2)
    code = pages.keys.table_code(other, "A", 1)
    with httpx.Client(base_url=f"{pages.address}/t/{other}/A1", headers={"x-table-code": code}) as second:
        given = result(pages, other)
        (answer,) = sent(second, given).json()["answers"]
        assert answer["version"] == pages.journal.head(f"session/{other}/1")
        place = ("A", 1, 3, given["command"]["entry"]["board"])
        assert str(pages.session(other).results.standing[place].outcome) == "3NTN="
        assert sent(second, given).json()["answers"] == [answer]


def test_entry_saved_under_an_old_style_id_is_not_saved_again(
    pages: Running, guid: str, phone: httpx.Client
) -> None:
    given = result(pages, guid)
    pages.do(entries.read_command(given["command"]), "terminal-A1-entry-0001")
    head = pages.journal.head(f"session/{guid}/1")
    place = ("A", 1, 3, given["command"]["entry"]["board"])
    assert sent(phone, given).json()["answers"] == [{"id": "entry-0001", "version": head}]
    # Also when the director has erased it meanwhile.
    pages.do(EraseResult(guid, *place, Origin.DESK, 1))
    assert sent(phone, given).json()["answers"] == [{"id": "entry-0001", "version": head}]
    assert place not in pages.session(guid).results.standing


def test_log_on_is_repeated_after_a_session_restart(pages: Running, guid: str, phone: httpx.Client) -> None:
    command = entries.write_command(LogOn(guid, "A", 1, "phone-1", NOW))
    given = {"id": "entry-0001", "incarnation": 1, "command": command}
    sent(phone, given)
    assert pages.session(guid).tables.logged_on["A", 1].terminal == "phone-1"
    again = plan_evening(4, 1, STARTS, 24)
    pages.do(open_evening(again))
    assert pages.session(guid).opened.incarnation == 2
    sent(phone, given)
    assert pages.session(guid).tables.logged_on["A", 1].terminal == "phone-1"
