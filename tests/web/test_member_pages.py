"""The club's members at the desk: suggestions, numbers looked up, changes, lists and their duplicates."""

import re
from collections.abc import Callable

import httpx
import pytest

from overtrick.bridge import Seat
from overtrick.event.seating import SessionPlayer
from overtrick.registry import Members, RegistrySide, open_registry_of
from overtrick.web import member_pages
from tests.web.running import Running, collapse, form_of, token_of

Post = Callable[..., httpx.Response]

CSV = b"EBU No,Forename,Surname\n7,Anna,Berg\n8,Bo,Ek\n11,Cy,Fisk\n11,Di,Gran\n"


@pytest.fixture
def post(browser: httpx.Client) -> Post:
    token = token_of(browser.get("/desk/password").text)

    def send(path: str, *, files: object = None, **form: object) -> httpx.Response:
        return browser.post(path, data={"token": token, **form}, files=files)  # type: ignore[arg-type]

    return send


@pytest.fixture
def members(pages: Running) -> list[str]:
    with open_registry_of(pages.journal.documents, create=RegistrySide.MAGIC) as registry:
        known = Members(registry)
        known.add("7", "Ann", "Berg")
        known.add("", "Bo", "Ek")
    return names(pages)


def names(pages: Running) -> list[str]:
    with open_registry_of(pages.journal.documents) as registry:
        return [f"{member.name} {member.number}".strip() for member in Members(registry).find()]


def test_members_and_players_of_earlier_sessions_are_suggested(
    browser: httpx.Client, pages: Running, guid: str, members: list[str]
) -> None:
    player = next(iter(pages.session(guid).seating.players.values()))

    def suggest(text: str) -> list[dict[str, str]]:
        answer = browser.get("/desk/members/suggest", params={"q": text})
        assert answer.status_code == 200
        return list(answer.json())

    assert suggest("ann be") == [{"first": "Ann", "last": "Berg", "number": "7"}]
    known = {"first": player.first_name, "last": player.last_name, "number": player.number}
    assert suggest(player.number) == [known]
    assert known in suggest(player.last_name.upper())
    assert suggest("") == suggest("nobody of this name") == []


def test_name_of_a_number_and_number_of_a_name_are_looked_up_when_saved(
    browser: httpx.Client, post: Post, pages: Running, guid: str, members: list[str]
) -> None:
    form = {"number-A-1-0-N": "7", "last-A-1-0-N": "", "last-A-2-0-S": "Stranger", "number-A-3-0-N": "4711"}
    form |= {"first-A-1-0-S": "bo", "last-A-1-0-S": "ek", "last-A-3-0-N": ""}
    assert post(f"/desk/{guid}/act/players", **form).status_code == 303
    chairs = pages.session(guid).seating.chairs
    assert chairs["A", 1, 1, Seat.NORTH].player == SessionPlayer("7", "Ann", "Berg")
    assert chairs["A", 1, 1, Seat.SOUTH].player == SessionPlayer("", "bo", "ek")
    assert chairs["A", 2, 1, Seat.SOUTH].player == SessionPlayer("", "", "Stranger")
    assert chairs["A", 3, 1, Seat.NORTH].player == SessionPlayer("4711", "", "")
    post(f"/desk/{guid}/act/players", **{"last-A-1-0-N": ""})
    post(f"/desk/{guid}/act/players", **{"first-A-4-0-W": "ANN", "last-A-4-0-W": "Berg"})
    assert pages.session(guid).seating.chairs["A", 4, 1, Seat.WEST].number == "7"


def test_number_that_the_director_removed_stays_removed(
    post: Post, pages: Running, guid: str, members: list[str]
) -> None:
    act = f"/desk/{guid}/act/players"
    post(act, **{"first-A-1-0-N": "Ann", "last-A-1-0-N": "Berg"})
    assert pages.session(guid).seating.chairs["A", 1, 1, Seat.NORTH].number == "7"
    post(
        act,
        **{
            "was-A-1-0-N": "Ann\tBerg\t7",
            "first-A-1-0-N": "Ann",
            "last-A-1-0-N": "Berg",
            "number-A-1-0-N": "",
        },
    )
    assert pages.session(guid).seating.chairs["A", 1, 1, Seat.NORTH].number == ""


def test_member_is_added_renamed_found_and_removed(browser: httpx.Client, post: Post, pages: Running) -> None:
    assert "No members yet" in browser.get("/desk/members").text
    assert not (pages.folder / "people.registry").exists(), "looking creates nothing"
    assert post("/desk/members", do="add", first="Ann", last="Berg", number="7").status_code == 303
    page = browser.get("/desk/members?q=berg").text
    (key,) = re.findall(r'name="key" value="(\d+)"', page)
    answer = post("/desk/members", key=key, first="Ann", last="<b>", number="8", q="a b", page="1")
    assert answer.headers["location"] == "/desk/members?q=a+b&page=1"
    assert "&lt;b&gt;" in browser.get("/desk/members").text
    assert post("/desk/members", do="add", first="Bo", last="Ek", number="8").status_code == 400
    assert post("/desk/members", do="remove", key="x").status_code == 400
    assert post("/desk/members", do="remove", key=key).status_code == 303
    assert names(pages) == []


def test_members_have_pages(
    browser: httpx.Client, members: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(member_pages, "PAGE", 1)
    first, second = (browser.get("/desk/members", params={"page": page}).text for page in "12")
    assert ("Berg" in first, "Berg" in second) == (True, False)
    assert "page=2" in first
    assert "page=1" in second
    assert browser.get("/desk/members?page=99").status_code == 200


def test_list_is_shown_with_duplicates_and_saved_as_decided(
    post: Post, pages: Running, members: list[str]
) -> None:
    shown = post("/desk/members/import", files={"file": ("members.csv", CSV)})
    page = collapse(shown.text)
    assert "Line 2: Anna Berg 7" in page
    assert "Same number as Ann Berg 7" in page
    assert "Same name as Bo Ek" in page
    assert "left out: line 5" in page
    assert names(pages) == members
    form = form_of(shown.text, "/desk/members/import")
    assert (form["choice-2"], form["choice-3"]) == ("keep", "take")
    answer = post("/desk/members/import", **{**form, "choice-2": "take"})
    assert answer.headers["location"].endswith("1+member+added%2C+2+changed.")
    assert names(pages) == ["Anna Berg 7", "Bo Ek 8", "Cy Fisk 11"]


def test_list_that_was_decided_for_other_members_is_shown_again(
    post: Post, pages: Running, members: list[str]
) -> None:
    form = form_of(
        post("/desk/members/import", files={"file": ("members.csv", CSV)}).text, "/desk/members/import"
    )
    post("/desk/members", do="add", first="Cy", last="Fisk", number="")
    again = post("/desk/members/import", **form)
    assert "have changed meanwhile" in again.text
    assert "Bo Ek 8" not in names(pages)


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"<x/>", b"\x00\x01\x00\x00rubbish"])
def test_file_without_members_is_refused_with_a_sentence(post: Post, content: bytes) -> None:
    answer = post("/desk/members/import", files={"file": ("x", content)})
    assert answer.status_code == 400
    assert "problem" in answer.text


def test_pasted_list_is_shown_with_numbers_before_it_is_saved(
    browser: httpx.Client, post: Post, pages: Running, guid: str, members: list[str]
) -> None:
    paste = f"/desk/{guid}/players/paste"
    assert "Paste a list" in browser.get(paste).text
    before = pages.session(guid).seating.chairs
    shown = post(
        paste,
        section="A",
        order="sides",
        list="Ann Berg & Cy Fisk\nEW 2: 77 Di Gran / Ed Hall\n99. A B & C D",
    )
    page = collapse(shown.text)
    assert 'Ann Berg <span class="soft">7</span> &amp; Cy Fisk' in page
    assert "There is no pair 99 without a name. It is left out." in page
    assert pages.session(guid).seating.chairs == before
    form = form_of(shown.text, f"/desk/{guid}/act/players")
    assert post(f"/desk/{guid}/act/players", **form).headers["location"] == f"/desk/{guid}/players"
    chairs = pages.session(guid).seating.chairs
    assert chairs["A", 1, 1, Seat.NORTH].player == SessionPlayer("7", "Ann", "Berg")
    assert chairs["A", 1, 1, Seat.SOUTH].player == SessionPlayer("", "Cy", "Fisk")
    assert chairs["A", 2, 1, Seat.EAST].player == SessionPlayer("77", "Di", "Gran")


def test_pasted_list_for_no_section_is_refused(post: Post, guid: str) -> None:
    assert post(f"/desk/{guid}/players/paste", section="Z", list="A B & C D").status_code == 400
    assert "no name" in post(f"/desk/{guid}/players/paste", section="A", list="12").text
