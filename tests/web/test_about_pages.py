"""The first visit, which sets the password, and the page about the program."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from overtrick.host.web import PageServerSettings
from overtrick.web.access_control import COOKIE
from tests.web.running import Running, running

KEY = "the key of the first visit"
PASSWORD = "seven no trump"
CHOSEN = {"key": KEY, "new": PASSWORD, "again": PASSWORD}


@pytest.fixture
def new_desk(tmp_path: Path) -> Iterator[Running]:
    """Serve a desk that has no password and asks for the key of the first visit."""
    with running(PageServerSettings(tmp_path, 0, start_key=KEY)) as pages:
        yield pages


def test_first_visit_with_the_key_sets_the_password_once_and_opens_the_desk(new_desk: Running) -> None:
    with httpx.Client(base_url=new_desk.address) as browser:
        assert browser.get("/desk").status_code == 403
        assert KEY in browser.get("/desk/start", params={"key": KEY}).text
        differs = browser.post("/desk/start", data=CHOSEN | {"again": "six no trump"})
        weak = browser.post("/desk/start", data=CHOSEN | dict.fromkeys(("new", "again"), "aaaaaaaa"))
        assert [differs.status_code, weak.status_code] == [400, 400]
        assert not new_desk.keys.has_password
        answer = browser.post("/desk/start", data=CHOSEN)
        assert (answer.status_code, answer.headers["location"]) == (303, "/desk")
        assert "Set up a session" in browser.get("/desk").text
        later = browser.post("/desk/start", data={"key": KEY, "new": "another one", "again": "another one"})
        assert later.status_code == 303
    assert new_desk.keys.is_password(PASSWORD)


@pytest.mark.parametrize(
    ("key", "headers"),
    [
        ("wrong", {}),
        ("", {}),
        (KEY, {"host": "evil.example"}),
        (KEY, {"host": "192.0.2.7"}),
        (KEY, {"x-forwarded-for": "192.0.2.7"}),
        (KEY, {"origin": "http://evil.example"}),
        (KEY, {"sec-fetch-site": "cross-site"}),
    ],
)
def test_first_visit_without_the_key_or_from_elsewhere_changes_nothing(
    new_desk: Running, key: str, headers: dict[str, str]
) -> None:
    answer = httpx.post(f"{new_desk.address}/desk/start", data=CHOSEN | {"key": key}, headers=headers)
    assert answer.status_code in (403, 421)
    assert COOKIE not in answer.cookies
    assert not new_desk.keys.has_password


def test_local_request_without_the_key_is_no_director_before_there_is_a_password(new_desk: Running) -> None:
    for path in ("/desk/about", "/desk/password", "/desk/new"):
        answer = httpx.get(new_desk.address + path)
        assert answer.status_code == 403 or answer.headers["location"].startswith("/desk/login")
        assert COOKIE not in answer.cookies


def test_about_page_of_a_server_that_others_stop_has_no_stop(pages: Running) -> None:
    page = httpx.get(f"{pages.address}/desk/about").text
    assert "Overtrick is running well" in page
    assert "Stop Overtrick" not in page
