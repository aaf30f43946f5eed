"""The API: tokens, what they allow, the stream of facts, and no request that breaks it."""

import json

import httpx
import pytest

from overtrick.keys import Scope
from tests.web.running import Running


def bearer(pages: Running, scope: Scope) -> dict[str, str]:
    return {"authorization": f"Bearer {pages.keys.new_token(scope.value, scope)}"}


def test_public_and_not(browser: httpx.Client, pages: Running, guid: str) -> None:
    base = f"/api/sessions/{guid}"
    for path in ("", "/ranking", "/boards", "/seating/1"):
        assert browser.get(base + path).status_code == 200, path
    for path in ("/results", "/rounds", "/facts"):
        assert browser.get(base + path).status_code == 401, path
    read = bearer(pages, Scope.READ)
    assert browser.get(f"{base}/results", headers=read).status_code == 200
    assert browser.get(base, headers={"authorization": "Bearer wrong"}).status_code == 401
    assert browser.get("/api/sessions/" + "F" * 32).status_code == 404
    ranking = browser.get(f"{base}/ranking").json()
    assert ranking[0]["lines"][0]["rank"].startswith("1")


def test_a_program_enters_replaces_and_erases(browser: httpx.Client, pages: Running, guid: str) -> None:
    write, read = bearer(pages, Scope.WRITE), bearer(pages, Scope.READ)
    path = f"/api/sessions/{guid}/results"
    table, at = next(iter(pages.session(guid).movement.tables.items()))
    board = at.rounds[2].boards[0]
    given = {
        "section": table[0],
        "table": table[1],
        "round": 3,
        "board": board,
        "outcome": "4SxN+1",
        "lead": "D10",
    }
    assert browser.post(path, json=given).status_code == 401
    assert browser.post(path, json=given, headers=read).status_code == 403
    answer = browser.post(path, json=given, headers=write).json()
    assert answer["changed"]
    assert browser.post(path, json=given, headers=write).json() == {"changed": False, "version": None}
    other = {**given, "outcome": "Pass", "lead": None}
    assert browser.post(path, json=other, headers=write).status_code == 409
    assert browser.post(path, json={**other, "replace": True}, headers=write).json()["changed"]
    for bad, status in (
        ({"outcome": "8SN="}, 400),
        ({"board": 99}, 404),
        ({"table": -1}, 422),
        ({"lead": "ZZ"}, 400),
        ({"x": 1}, 422),
    ):
        assert browser.post(path, json={**given, **bad}, headers=write).status_code == status, bad
    gone = browser.delete(f"{path}/{table[0]}/{table[1]}/3/{board}", headers=write)
    assert gone.json()["changed"]
    assert (*table, 3, board) not in pages.session(guid).results.standing


def test_the_stream_goes_on_after_a_version(browser: httpx.Client, pages: Running, guid: str) -> None:
    read = bearer(pages, Scope.READ)
    version = browser.get(f"/api/sessions/{guid}").json()["version"]
    with browser.stream(
        "GET", f"/api/sessions/{guid}/facts", params={"after": version - 2}, headers=read
    ) as stream:
        lines = stream.iter_lines()
        found = [next(line for line in lines if line.startswith(("id: ", "data: "))) for _ in range(4)]
    assert [line for line in found if line.startswith("id")] == [f"id: {version - 1}", f"id: {version}"]
    fact = json.loads(found[1][6:])
    assert fact["kind"] == "result-recorded"
    assert fact["fact"]["section"] == "A"


def test_the_description_loads_nothing_from_elsewhere(browser: httpx.Client) -> None:
    assert "/sessions/{session}/ranking" in browser.get("/api/openapi.json").json()["paths"]
    assert "/api/sessions/{session}/ranking" in browser.get("/api/").text


def test_schemathesis_finds_no_answer_that_was_not_described(pages: Running, guid: str) -> None:
    schemathesis = pytest.importorskip("schemathesis")
    from hypothesis import HealthCheck, Phase, given, settings

    headers = bearer(pages, Scope.WRITE)
    schema = schemathesis.openapi.from_url(f"{pages.address}/api/openapi.json")
    seen: set[int] = set()
    with httpx.Client(timeout=20) as client:
        for result in schema.get_all_operations():
            operation = result.ok()
            if operation.path.endswith("/facts"):
                continue  # a stream that does not end

            @given(case=operation.as_strategy())
            @settings(
                max_examples=15,
                deadline=None,
                database=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            def try_it(case: object) -> None:
                request = case.as_transport_kwargs(base_url=f"{pages.address}/api")  # type: ignore[attr-defined]
                request.pop("cookies", None)
                request["headers"] = {**dict(request.get("headers") or {}), **headers}
                allowed = {"method", "url", "headers", "params", "json", "content", "data"}
                answer = client.request(**{name: value for name, value in request.items() if name in allowed})
                seen.add(answer.status_code)
                assert answer.status_code < 500, (request, answer.text)

            try_it()
    assert 200 in seen
