"""Where the entries of phones arrive: by the table's code, once, and nothing that makes no sense."""

import httpx
import pytest

from overtrick.bridge import Outcome, Seat
from tests.web.running import Running


@pytest.fixture
def phone(pages: Running, guid: str) -> httpx.Client:
    code = pages.keys.table_code(guid, "A", 1)
    return httpx.Client(base_url=f"{pages.address}/t/{guid}/A1", headers={"x-table-code": code}, timeout=20)


def result(pages: Running, guid: str, **changes: object) -> dict[str, object]:
    board = pages.session(guid).movement.tables["A", 1].rounds[2].boards[0]
    return {
        "id": "entry-0001",
        "kind": "result",
        "round": 3,
        "board": board,
        "outcome": "3NTN=",
        "incarnation": 1,
        **changes,
    }


def test_the_same_entry_twice_counts_once(pages: Running, guid: str, phone: httpx.Client) -> None:
    board = result(pages, guid)["board"]
    held = next(iter(pages.session(guid).hands.records[1, board].deal[Seat.EAST]))  # type: ignore[index]
    given = result(pages, guid, lead=held.value.replace("T", "10"))
    head = pages.journal.head(f"session/{guid}/1")
    assert phone.post("/entries", json=given).json()["sentence"] == "Taken."
    assert phone.post("/entries", json=given).status_code == 200
    assert pages.journal.head(f"session/{guid}/1") == head + 1
    stands = pages.session(guid).results.standing["A", 1, 3, given["board"]]  # type: ignore[index]
    assert stands.outcome == Outcome.parse("3NTN=")
    other = phone.post("/entries", json={**given, "id": "entry-0002", "outcome": "Pass"})
    assert other.status_code == 409
    assert other.json()["is_refused"]


def test_a_table_needs_its_own_code(pages: Running, guid: str, phone: httpx.Client) -> None:
    other = pages.keys.table_code(guid, "A", 2)
    given = result(pages, guid)
    for code in ("", "AAAAAAAA", other):
        headers = {"x-table-code": code}
        assert phone.get("/table.json", headers=headers).status_code == 403
        assert phone.post("/entries", json=given, headers=headers).status_code == 403
    assert phone.post("/entries", json=given, headers={"origin": "http://evil.example"}).status_code == 403
    for _ in range(4):
        phone.get("/table.json", headers={"x-table-code": "GUESS234"})
    assert "too often" in phone.get("/table.json", headers={"x-table-code": "GUESS234"}).text
    assert phone.get("/table.json").status_code == 200


def test_an_entry_for_an_earlier_start_of_the_session_is_refused(
    pages: Running, guid: str, phone: httpx.Client
) -> None:
    assert phone.post("/entries", json=result(pages, guid, incarnation=2)).status_code == 409


@pytest.mark.parametrize(
    "changes",
    [
        {"id": ""},
        {"id": None},
        {"kind": "erase"},
        {"board": "1"},
        {"board": -1},
        {"round": True},
        {"outcome": "8SN="},
        {"outcome": None},
        {"lead": "ZZ"},
        {"incarnation": None},
    ],
)
def test_an_entry_that_makes_no_sense(
    pages: Running, guid: str, phone: httpx.Client, changes: dict[str, object]
) -> None:
    head = pages.journal.heads()
    assert phone.post("/entries", json=result(pages, guid, **changes)).status_code == 400
    assert pages.journal.heads() == head


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{", b"[" * 5000, b"\xff"])
def test_what_is_no_entry(phone: httpx.Client, body: bytes) -> None:
    assert phone.post("/entries", content=body).status_code == 400


def test_what_a_terminal_knows(pages: Running, guid: str, phone: httpx.Client) -> None:
    table = phone.get("/table.json").json()
    assert [played["round"] for played in table["rounds"]] == [1, 2, 3, 4]
    assert len(table["rounds"][0]["results"]) == len(table["rounds"][0]["boards"])
    assert table["rounds"][2]["results"] == {}
    assert table["rounds"][0]["players"]["N"]
    assert phone.get("/manifest.json").json()["short_name"] == "Table A1"
    assert httpx.get(f"{pages.address}/t/{guid}/A99", follow_redirects=True).status_code in (200, 404)
    assert (
        phone.post("/entries", json={"id": "log-on-01", "kind": "log-on", "device": "phone"}).status_code
        == 200
    )
    assert pages.session(guid).tables.logged_on["A", 1].terminal == "phone"
