"""The API: tokens, what they allow, the stream of facts, and no request that breaks it."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import httpx
import pytest

from overtrick.bridge import Outcome
from overtrick.event.movement import contestants
from overtrick.event.results import Origin, PutResults, ResultEntry
from overtrick.event.rulings import (
    AdjustmentUnit,
    AdjustScore,
    Appeal,
    ChooseRules,
    NoteRuling,
    SetCorrectionPeriod,
)
from overtrick.event.settings import PutSettings, SettingsII, SettingsIII
from overtrick.keys import TokenScope
from overtrick.scoring.rules import EBU
from tests.web.running import Running


def bearer(pages: Running, scope: TokenScope) -> dict[str, str]:
    return {"authorization": f"Bearer {pages.keys.new_token(scope.value, scope)}"}


def test_public_results_need_no_token_and_others_do(browser: httpx.Client, pages: Running, guid: str) -> None:
    base = f"/api/sessions/{guid}"
    for path in ("", "/ranking", "/boards", "/seating/1"):
        assert browser.get(base + path).status_code == 200, path
    for path in ("/results", "/rounds", "/facts"):
        assert browser.get(base + path).status_code == 401, path
    read = bearer(pages, TokenScope.READ)
    assert browser.get(f"{base}/results", headers=read).status_code == 200
    assert browser.get(base, headers={"authorization": "Bearer wrong"}).status_code == 401
    assert browser.get("/api/sessions/" + "F" * 32).status_code == 404
    ranking = browser.get(f"{base}/ranking").json()
    assert ranking[0]["lines"][0]["rank"].startswith("1")


def test_rulings_are_public_for_boards_played_at_every_table(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    base = f"/api/sessions/{guid}"
    session = pages.session(guid)
    group = next(iter(session.setup.groups))
    who, seats = next(iter(contestants(session).items()))
    until = datetime(2030, 1, 1, tzinfo=UTC)
    late = AdjustScore(guid, *who, Decimal(-10), AdjustmentUnit.TOP_PERCENT, "Late", until)
    for command in (ChooseRules(guid, group, EBU), SetCorrectionPeriod(guid, until), late):
        pages.do(command)
    state = browser.get(base).json()
    assert [one["rules"] for one in state["groups"]] == ["EBU"]
    assert (state["provisional_until"], state["is_appeal_pending"]) == ("2030-01-01T00:00:00Z", False)
    # A board of the last round has not been played everywhere.
    section, table, number = seats[-1]
    played = session.movement.round(section, table, number)
    assert played is not None
    place = (section, table, number, played.boards[-1])
    award = ResultEntry(*place, Outcome.parse("60-40"), until)
    pages.do(PutResults(guid, (award,), Origin.DESK))
    pages.do(NoteRuling(guid, *place, "Too slow", until, Appeal.PENDING))
    everything = browser.get(f"{base}/rulings", headers=bearer(pages, TokenScope.READ)).json()
    assert [(one["kind"], one["reason"], one["appeal"]) for one in everything] == [
        ("award", "Too slow", "pending"),
        ("adjustment", "Late", ""),
    ]
    public = browser.get(f"{base}/rulings").json()
    assert [one["kind"] for one in public] == ["adjustment"]
    assert public[0]["text"].endswith(": -10 % of a top. Late.")
    assert browser.get(base).json()["is_appeal_pending"]


def test_stream_of_facts_hides_the_directors_pin(browser: httpx.Client, pages: Running, guid: str) -> None:
    """With the PIN and a table's card, whoever has a token for reading could do what the director does."""
    pages.do(PutSettings(guid, (("A", SettingsIII(pin="2718")), ("A", SettingsII(pin="3141")))))
    told: list[dict[str, Any]] = []
    kinds = {"settings-ii-set", "settings-iii-set"}
    with browser.stream(
        "GET", f"/api/sessions/{guid}/facts", headers=bearer(pages, TokenScope.READ)
    ) as answer:
        for line in answer.iter_lines():
            if line.startswith("data: ") and (fact := json.loads(line[6:]))["kind"] in kinds:
                told.append(fact)
                if {each["kind"] for each in told} == kinds:
                    break
    assert {each["fact"]["settings"]["pin"] for each in told} == {""}


def test_writing_token_enters_replaces_and_erases_results(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    write, read = bearer(pages, TokenScope.WRITE), bearer(pages, TokenScope.READ)
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


def test_fact_stream_continues_after_the_given_version(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    read = bearer(pages, TokenScope.READ)
    pages.settle(guid)
    *_, last, _ = pages.journal.read(f"session/{guid}/1")
    version = browser.get(f"/api/sessions/{guid}").json()["version"]
    with browser.stream(
        "GET", f"/api/sessions/{guid}/facts", params={"after": version - 2}, headers=read
    ) as stream:
        lines = stream.iter_lines()
        found = [next(line for line in lines if line.startswith(("id: ", "data: "))) for _ in range(4)]
    assert [line for line in found if line.startswith("id")] == [f"id: {version - 1}", f"id: {version}"]
    fact = json.loads(found[1][6:])
    # Commands that are due are executed between the results, so this may be a fact of either.
    assert fact["kind"] == last.fact.kind
    assert fact["fact"] == json.loads(pages.journal.codec.encode(last.fact).body)


def test_fact_stream_continues_after_the_last_event_id_of_a_reconnecting_client(
    browser: httpx.Client, pages: Running, guid: str
) -> None:
    pages.settle(guid)
    version = browser.get(f"/api/sessions/{guid}").json()["version"]
    headers = {**bearer(pages, TokenScope.READ), "Last-Event-ID": str(version - 1)}
    with browser.stream("GET", f"/api/sessions/{guid}/facts", params={"after": 0}, headers=headers) as stream:
        assert next(line for line in stream.iter_lines() if line.startswith("id: ")) == f"id: {version}"


def test_description_loads_nothing_from_elsewhere_and_names_finished_sessions(browser: httpx.Client) -> None:
    description = browser.get("/api/openapi.json").json()
    assert "/sessions/{session}/ranking" in description["paths"]
    assert "any board of a finished session" in description["info"]["description"]
    assert "/api/sessions/{session}/ranking" in browser.get("/api/").text


def test_request_refused_by_the_guard_gets_a_json_sentence(browser: httpx.Client, guid: str) -> None:
    path = f"/api/sessions/{guid}/results"
    for answer, status in (
        (browser.post(path, content=b"x" * 100_000), 413),
        (browser.get(f"/api/{'a' * 5000}"), 414),
        (browser.get("/api/sessions", headers={"host": "evil.example"}), 421),
        (browser.get("/api/nothing"), 404),
        (browser.put(path), 405),
    ):
        assert answer.status_code == status
        assert answer.json()["sentence"]
    described = browser.get("/api/openapi.json").json()
    assert described["components"]["securitySchemes"]["HTTPBearer"]["scheme"] == "bearer"


# Hundreds of requests, each checked against the whole schema: five seconds of a core, more on a busy machine.
@pytest.mark.timeout(180)
def test_schemathesis_finds_no_answer_that_was_not_described(pages: Running, guid: str) -> None:
    schemathesis = pytest.importorskip("schemathesis")
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import strategies as st
    from schemathesis import GenerationMode
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import (
        allow_header_conformance,
        content_type_conformance,
        negative_data_rejection,
        response_headers_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

    checks = [
        not_a_server_error,
        status_code_conformance,
        content_type_conformance,
        response_headers_conformance,
        response_schema_conformance,
        allow_header_conformance,
        negative_data_rejection,
    ]
    headers = bearer(pages, TokenScope.DIRECT)
    seen: dict[str, set[int]] = {}

    def tried(base: str, operation: Any, mode: GenerationMode, examples: int) -> Callable[[], None]:
        @given(
            case=operation.as_strategy(generation_mode=mode),
            is_there=st.sampled_from([True, True, True, False]),
        )
        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        def try_it(case: Any, is_there: bool) -> None:
            # A guid of chance is no session's, and says little about what sessions answer.
            if is_there and mode is GenerationMode.POSITIVE and "session" in case.path_parameters:
                case.path_parameters["session"] = guid
            answer = case.call(base_url=f"{pages.address}{base}", headers=headers)
            case.validate_response(answer, checks=checks)
            seen.setdefault(f"{case.method} {base}{case.path}", set()).add(answer.status_code)

        return try_it

    # Most routes are the same code in both.
    for base, positive, negative in (("/api", 12, 8), ("/api/v1", 6, 4)):
        schema = schemathesis.openapi.from_url(f"{pages.address}{base}/openapi.json")
        for result in schema.get_all_operations():
            operation = result.ok()
            if operation.path.endswith("/facts"):
                continue  # a stream that does not end
            tried(base, operation, GenerationMode.POSITIVE, positive)()
            if "{" in operation.path:
                tried(base, operation, GenerationMode.NEGATIVE, negative)()
    assert all(200 in found for path, found in seen.items() if path.startswith("GET")), seen
    assert {404, 422} <= set().union(*seen.values())
