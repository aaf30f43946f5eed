"""Access to the pages, and the headers that browsers get."""

import contextlib

import httpx
import pytest

from overtrick.event.results import EraseResult, Origin
from overtrick.web.request_guard import LARGEST, is_known_host
from tests.waiting import wait_for
from tests.web.running import Running, running, token_of

PASSWORD = "seven no trump"


def test_every_answer_tells_browsers_to_load_nothing_from_elsewhere(browser: httpx.Client, guid: str) -> None:
    for path in (
        "/",
        f"/live/{guid}",
        f"/results/{guid}/",
        f"/desk/{guid}/results",
        "/nowhere",
        "/api/sessions",
        "/static/app.js",
    ):
        answer = browser.get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert "http://" not in answer.text.replace("http://www.w3.org", "")
        assert "https://" not in answer.text
        assert "style=" not in answer.text
        assert "onclick" not in answer.text


def test_the_first_page_is_small(browser: httpx.Client, guid: str) -> None:
    for path in ("/", f"/live/{guid}", f"/desk/{guid}/rounds"):
        parts = [path, "/static/style.css", "/static/app.js", "/static/desk.js", "/static/live.js"]
        assert sum(len(browser.get(part).content) for part in parts) < 100_000


@pytest.mark.parametrize("host", ["evil.example", "", "127.0.0.1.evil.example", "localhost.evil.example:80"])
def test_request_with_a_foreign_host_header_is_refused(browser: httpx.Client, host: str) -> None:
    assert browser.get("/desk", headers={"host": host}).status_code in (400, 421)
    assert not is_known_host(host)


def test_the_desk_on_this_computer_needs_no_password_but_forms_need_our_pages(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    page = browser.get("/desk/password")
    cookie = page.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    form = {"do": "public", "token": token_of(page.text)}
    for headers in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}):
        assert browser.post("/desk/password", data=form, headers=headers).status_code == 403
    assert browser.post("/desk/password", data={**form, "token": "x"}).status_code == 403
    assert httpx.post(f"{pages.address}/desk/password", data=form).status_code == 403
    assert pages.keys.results_public
    assert browser.post("/desk/password", data=form).status_code == 303
    assert not pages.keys.results_public


@pytest.mark.parametrize(
    "act",
    [
        *("result", "call", "table", "players", "settings", "session", "movement", "missing"),
        *("clock", "hands"),
    ],
)
def test_form_without_our_csrf_token_changes_nothing(
    browser: httpx.Client, pages: Running, guid: str, act: str
) -> None:
    before = pages.journal.heads()
    browser.get("/desk")
    at = f"/desk/{guid}/act/{act}"
    for form in ({}, {"token": "x"}, {"token": "é" * 40}):
        assert browser.post(at, data={"do": "start", "round": "1", **form}).status_code == 403
    assert browser.post("/desk/new", data={"count-1": "8"}).status_code == 403
    assert pages.journal.heads() == before


def test_with_a_password_everyone_has_to_log_in(browser: httpx.Client, pages: Running, guid: str) -> None:
    pages.keys.set_password(PASSWORD)
    for path in (
        "/desk",
        "/desk/new",
        f"/desk/{guid}/results",
        f"/desk/{guid}/results/stream",
        "/t1",
        "/desk/password",
    ):
        answer = browser.get(path)
        assert answer.status_code == 303, path
        assert answer.headers["location"].startswith("/desk/login")
    assert browser.post("/desk/login", data={"password": "wrong"}).status_code == 403
    answer = browser.post("/desk/login?next=//evil.example", data={"password": PASSWORD})
    assert answer.headers["location"] == "/desk"
    assert browser.get(f"/desk/{guid}/results").status_code == 200
    page = browser.get("/desk")
    assert browser.post("/desk/logout", data={"token": token_of(page.text)}).status_code == 303
    assert browser.get("/desk").status_code == 303


def test_guessing_passwords_is_rate_limited(browser: httpx.Client, pages: Running) -> None:
    pages.keys.set_password(PASSWORD)
    answers = [browser.post("/desk/login", data={"password": f"guess {number}"}) for number in range(10)]
    assert [answer.status_code for answer in answers] == [403] * 8 + [429] * 2
    assert "Too many attempts" in answers[-1].text
    assert answers[-1].headers["retry-after"] == "15"
    locked = browser.post("/desk/login?next=/desk/new", data={"password": PASSWORD})
    assert "Too many attempts" in locked.text
    assert 'action="/desk/login?next=/desk/new"' in locked.text
    assert PASSWORD not in locked.text


def test_form_for_a_code_keeps_the_code_after_too_many_attempts(browser: httpx.Client, guid: str) -> None:
    answers = [browser.get("/join", params={"code": f"ABCD 234{number}"}) for number in range(9)]
    assert [answer.status_code for answer in answers] == [404] * 8 + [429]
    assert 'value="ABCD 2348"' in answers[-1].text


def test_access_page_keeps_its_form_after_too_many_attempts_without_passwords(
    browser: httpx.Client, pages: Running
) -> None:
    pages.keys.set_password(PASSWORD)
    browser.post("/desk/login", data={"password": PASSWORD})
    form = {"token": token_of(browser.get("/desk/password").text), "new": "new secret", "again": "new secret"}
    answers = [browser.post("/desk/password", data={**form, "old": f"guess {number}"}) for number in range(9)]
    assert [answer.status_code for answer in answers] == [403] * 8 + [429]
    assert 'name="again"' in answers[-1].text
    assert "new secret" not in answers[-1].text


def test_one_address_cannot_use_all_connections(
    monkeypatch: pytest.MonkeyPatch, pages: Running, guid: str
) -> None:
    monkeypatch.setattr("overtrick.web.request_guard.MOST_AT_ONCE", 3)
    at = f"{pages.address}/live/{guid}/stream"
    with httpx.Client(timeout=20) as client, contextlib.ExitStack() as following:
        for _ in range(3):
            assert following.enter_context(client.stream("GET", at)).status_code == 200
        refused = client.get(at, headers={"accept": "application/json"})
        assert refused.status_code == 503
        assert "this address" in refused.json()["sentence"]
        other = httpx.HTTPTransport(local_address="127.0.0.2")
        with httpx.Client(transport=other, timeout=20) as elsewhere, elsewhere.stream("GET", at) as answer:
            assert answer.status_code == 200
    wait_for(lambda: httpx.get(f"{pages.address}/").status_code == 200)


def test_stream_ends_when_access_is_withdrawn(pages: Running, guid: str) -> None:
    director = httpx.Client(base_url=pages.address, timeout=20)
    director.get("/desk")
    for path in (f"/live/{guid}/stream", f"/results/{guid}/follow/version", f"/desk/{guid}/results/stream"):
        pages.keys.set_results_public(True)
        with director.stream("GET", path) as following:
            pieces = following.iter_text()
            assert any("event:" in piece for piece in pieces)
            pages.keys.set_results_public(False)
            pages.keys.set_password(f"{PASSWORD} {path}")
            pages.do(EraseResult(guid, *next(iter(pages.session(guid).results.standing)), Origin.DESK, 1))
            assert not any("event:" in piece for piece in pieces)
        director.cookies.set("overtrick_desk", pages.keys.new_pass())


def test_a_proxy_on_this_computer_is_not_the_director(browser: httpx.Client) -> None:
    assert browser.get("/desk", headers={"x-forwarded-for": "10.0.0.9"}).status_code == 403


def test_pages_open_to_other_devices_need_a_password(tmp_path_factory: pytest.TempPathFactory) -> None:
    from overtrick.host.web import NeedsPassword

    with pytest.raises(NeedsPassword), running(tmp_path_factory.mktemp("open"), "0.0.0.0"):
        pass


def test_too_large_requests_are_refused(browser: httpx.Client, guid: str) -> None:
    large = b"x" * (LARGEST + 1)
    assert browser.post("/desk/login", content=large).status_code == 413

    def dripping() -> object:
        for _ in range(5):
            yield b"password=" + b"y" * (LARGEST // 4)

    headers = {"content-type": "application/x-www-form-urlencoded"}
    assert browser.post("/desk/login", content=dripping(), headers=headers).status_code == 413  # type: ignore[arg-type]
    assert browser.get("/" + "a" * 5000).status_code == 414


def test_private_results_are_shown_only_to_the_director(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    pages.keys.set_password(PASSWORD)
    pages.keys.set_results_public(False)
    for path in (f"/live/{guid}", f"/live/{guid}/stream", "/results", f"/results/{guid}/", "/live"):
        assert browser.get(path).status_code == 403, path
    assert browser.get("/api/sessions").status_code == 401
    browser.post("/desk/login", data={"password": PASSWORD})
    assert browser.get(f"/results/{guid}/").status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/live/X",
        "/results/X/",
        "/desk/X/results",
        "/results/X/../../keys.json",
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/desk/X/nothing",
        "/results/%00/",
    ],
)
def test_unknown_pages_are_not_found(browser: httpx.Client, path: str) -> None:
    answer = browser.get(path)
    assert answer.status_code == 404
    assert "Traceback" not in answer.text
