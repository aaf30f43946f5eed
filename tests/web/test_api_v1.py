"""Version 1 of the API: sessions that programs set up and run, typed rankings, problem details, and its description."""

import json
import re
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from overtrick.event.calls import CallDirector, CallStatus
from overtrick.event.movement import contestants
from overtrick.event.rulings import ContestantStatus
from overtrick.keys import RateLimit, TokenScope
from overtrick.web.problem_details import PROBLEMS
from tests.web.running import STARTS, Running
from tests.web.test_api import bearer

ASSUMED = {"game": "pairs", "boards": 12, "sections": [{"count": 6}]}
DEALS = '[Board "1"]\n[Deal "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"]\n'
"""Assumptions of the tests: a small session, and one deal."""


@pytest.fixture
def writer(browser: httpx.Client, pages: Running) -> httpx.Client:
    """A program that may direct sessions."""
    browser.headers.update(bearer(pages, TokenScope.DIRECT))
    return browser


def new_session(writer: httpx.Client, **more: Any) -> str:
    answer = writer.post("/api/v1/sessions", json={**ASSUMED, **more})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["session"])


def changed(answer: httpx.Response) -> bool:
    assert answer.status_code == 200, answer.text
    return bool(answer.json()["changed"])


def problem(answer: httpx.Response, status: int) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    found: dict[str, Any] = answer.json()
    assert (found["type"], found["status"], found["title"]) == ("about:blank", status, PROBLEMS[status][1])
    assert found["detail"]
    return found


def test_program_sets_up_and_runs_a_session(writer: httpx.Client, pages: Running) -> None:
    offers = writer.get("/api/v1/movements", params={"count": 6, "boards": 12}).json()
    chosen = offers[-1]
    guid = new_session(writer, name="Thursday", sections=[{"count": 6, "movement": chosen["name"]}])
    base = f"/api/v1/sessions/{guid}"
    session = pages.session(guid)
    assert session.opened.name == "Thursday"
    assert len(session.movement.section("A")) == chosen["tables"] == 3
    assert session.movement.rounds("A") == chosen["rounds"]

    seats = [
        {"section": "A", "table": 1, "seat": "N", "number": "12", "first_name": "Ann", "last_name": "Berg"},
        {"section": "A", "table": 1, "seat": "S", "last_name": "Bo Ek"},
    ]
    assert changed(writer.put(f"{base}/players", json={"seats": seats}))
    assert {
        (seat["seat"], seat["name"]) for seat in writer.get(f"{base}/seating/1").json()[0]["players"]
    } == {
        ("N", "Ann Berg"),
        ("S", "Bo Ek"),
    }
    assert changed(writer.put(f"{base}/deals", content=DEALS.encode()))
    assert not changed(writer.put(f"{base}/deals", content=DEALS.encode()))
    other = DEALS.replace("N:", "E:").encode()
    assert problem(writer.put(f"{base}/deals", content=other), 409)["code"] == "not-confirmed"
    assert changed(writer.put(f"{base}/deals", content=other, params={"replace": True}))
    assert [(each["board"], each["deal"][:2]) for each in writer.get(f"{base}/deals").json()] == [(1, "N:")]

    place = {
        "section": "A",
        "table": 1,
        "round": 1,
        "board": session.movement.tables["A", 1].rounds[0].boards[0],
    }
    assert changed(writer.put(f"{base}/status", json={"status": "started"}))
    assert changed(writer.post(f"{base}/results", json={**place, "outcome": "4SN="}))
    assert writer.get(f"{base}/results").json()[0]["score"] in (420, 620)
    assert changed(writer.put(f"{base}/status", json={"status": "finished"}))
    assert writer.get(base).json()["status"] == "finished"


def test_session_that_is_sent_twice_with_one_key_is_set_up_once(writer: httpx.Client) -> None:
    key = {"idempotency-key": "evening 1"}
    first, second = (writer.post("/api/v1/sessions", json=ASSUMED, headers=key).json() for _ in range(2))
    assert first["session"] == second["session"]
    assert (first["changed"], second["changed"]) == (True, False)
    assert len(writer.get("/api/v1/sessions").json()) == 1
    assert new_session(writer) != first["session"]


def test_impossible_session_is_refused_with_a_sentence(writer: httpx.Client) -> None:
    impossible: list[tuple[dict[str, Any], str]] = [
        (
            {"sections": [{"count": 6, "movement": "None"}]},
            "There is no movement 'None' on offer. There are: ",
        ),
        ({"method": "team-imps"}, "is not a scoring method for this game"),
        ({"game": "swiss"}, "needs the number of rounds"),
        ({"event": "F" * 32}, "There is no such event"),
        ({"sections": [{"count": 3}]}, "Enter 4 to 60 pairs"),
    ]
    for more, sentence in impossible:
        answer = writer.post("/api/v1/sessions", json={**ASSUMED, **more})
        assert sentence in problem(answer, 400)["detail"]
    assert writer.get("/api/v1/sessions").json() == []


def test_second_session_of_an_event_has_the_next_section(writer: httpx.Client, pages: Running) -> None:
    event = pages.session(new_session(writer)).opened.event
    swiss = {"game": "swiss", "boards": 4, "rounds": 3, "sections": [{"count": 8}], "first_round": "halves"}
    second = pages.session(new_session(writer, event=event, **swiss))
    assert (second.opened.event, set(second.setup.sections)) == (event, {"B"})


def test_ranking_has_numbers_as_numbers(writer: httpx.Client, guid: str) -> None:
    tables = (
        writer.get(f"/api/sessions/{guid}/ranking").json(),
        writer.get(f"/api/v1/sessions/{guid}/ranking").json(),
    )
    assert len(tables[0]) == len(tables[1]) == 2
    for old, new in zip(*tables, strict=True):
        ranks = [(line["rank"].rstrip("="), "=" in line["rank"]) for line in old["lines"]]
        assert [(str(line["rank"]), line["is_shared"]) for line in new["lines"]] == ranks
        for before, line in zip(old["lines"], new["lines"], strict=True):
            who = line["contestant"]
            assert f"{who['section']}{who['number']} {who['side']}" == before["contestant"]
            assert all(player["name"] in before["names"] for player in line["players"])
            assert len(line["players"]) == 2
            assert (line["score"], line["boards"]) == (before["score"], before["boards"])


def test_shared_rank_is_a_number_that_is_marked_as_shared(writer: httpx.Client, pages: Running) -> None:
    guid = new_session(writer)
    for (section, table), at in pages.session(guid).movement.tables.items():
        board = {"section": section, "table": table, "round": 1, "board": at.rounds[0].boards[0]}
        assert changed(writer.post(f"/api/v1/sessions/{guid}/results", json={**board, "outcome": "Pass"}))
    old = writer.get(f"/api/sessions/{guid}/ranking").json()[0]["lines"]
    new = writer.get(f"/api/v1/sessions/{guid}/ranking").json()[0]["lines"]
    assert {line["rank"] for line in old} == {"1="}
    assert {(line["rank"], line["is_shared"]) for line in new} == {(1, True)}


def test_program_answers_calls(writer: httpx.Client, pages: Running, guid: str) -> None:
    pages.do(CallDirector(guid, "call-1", "A", 2, STARTS, 3, 9))
    base = f"/api/v1/sessions/{guid}/calls"
    (call,) = writer.get(base).json()
    assert (call["call"], call["table"], call["status"]) == ("call-1", 2, "launched")
    assert changed(writer.put(f"{base}/call-1", json={"status": "resolved"}))
    assert pages.session(guid).calls.calls["call-1"].status is CallStatus.RESOLVED
    assert problem(writer.put(f"{base}/call-9", json={"status": "resolved"}), 404)["problems"][0][
        "reason"
    ] == ("unknown-entry")


def test_program_gives_rulings(writer: httpx.Client, pages: Running, guid: str) -> None:
    base = f"/api/v1/sessions/{guid}"
    session = pages.session(guid)
    place = min(session.results.standing)
    at = dict(zip(("section", "table", "round", "board"), place, strict=True))
    section, number, side = next(iter(contestants(session)))
    who = {"section": section, "number": number, "side": side.value if side else None}

    def rule(**ruling: Any) -> None:
        assert changed(writer.post(f"{base}/rulings", json=ruling)), ruling

    rule(kind="result", **at, outcome="60-40", reason="Too slow", appeal="pending")
    rule(kind="result", **at, outcome="4SN=", outcome_ew="4SN-1", reason="Split")
    rule(kind="move", **at, wrong_direction=True, reason="Sat the other way")
    rule(kind="adjustment", contestant=who, amount=-10, unit="% of a top", reason="Late")
    rule(kind="standing", contestant=who, status="without standing", reason="Guests")
    tables = [{**at, "version": "B"}]
    del tables[0]["board"]
    rule(kind="fouled board", board=at["board"], tables=tables, reason="Two cards changed")
    rule(kind="rules", group=1, rules="EBU", victory_points=True)
    rule(kind="match", round=1, one=who, other=opponent(pages, guid, who), counts="void", reason="Fire alarm")
    rule(kind="correction period", until="2030-01-01T00:00:00Z")

    rulings = pages.session(guid).rulings
    assert rulings.notes[place].reason == "Split Sat the other way"
    assert str(pages.session(guid).results.standing[place].outcome) == "4SN="
    assert rulings.statuses[section, number, side].status is ContestantStatus.UNRANKED
    assert rulings.versions[place] == "B"
    assert rulings.rules[1].rule_set.name == "EBU"
    assert len(rulings.matches) == 1
    assert rulings.provisional_until == datetime(2030, 1, 1, tzinfo=UTC)
    (adjustment,) = writer.get(f"{base}/adjustments").json()
    assert (adjustment["amount"], adjustment["contestant"]) == (-10.0, who)
    assert changed(writer.delete(f"{base}/adjustments/{adjustment['adjustment']}"))
    assert pages.session(guid).rulings.adjustments == {}
    wrong = {
        "kind": "adjustment",
        "contestant": {**who, "number": 99},
        "amount": -1,
        "unit": "MP",
        "reason": "?",
    }
    assert problem(writer.post(f"{base}/rulings", json=wrong), 400)["code"] == "bad-input"


def opponent(pages: Running, guid: str, who: dict[str, Any]) -> dict[str, Any]:
    """Return the contestant that meets another one in round 1."""
    rounds = {
        (section, number, side.value if side else None): {place for place in places if place[2] == 1}
        for (section, number, side), places in contestants(pages.session(guid)).items()
    }
    ours = who["section"], who["number"], who["side"]
    other = next(one for one, places in rounds.items() if one != ours and places & rounds[ours])
    return dict(zip(("section", "number", "side"), other, strict=True))


def test_errors_are_problem_details_with_stable_codes(
    browser: httpx.Client, pages: Running, guid: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = f"/api/v1/sessions/{guid}"
    read, write = bearer(pages, TokenScope.READ), bearer(pages, TokenScope.WRITE)
    result = {"section": "A", "table": 1, "round": 1, "board": 99, "outcome": "4SN="}
    unauthorised = browser.get(f"{base}/results")
    assert unauthorised.headers["www-authenticate"] == "Bearer"
    found = [
        problem(unauthorised, 401),
        problem(browser.post(f"{base}/results", json=result, headers=read), 403),
        problem(browser.post("/api/v1/sessions", json=ASSUMED, headers=write), 403),
        problem(browser.get(f"/api/v1/sessions/{'F' * 32}"), 404),
        problem(browser.get("/api/v1/nothing"), 404),
        problem(browser.put(f"{base}/results"), 405),
        problem(browser.post(f"{base}/results", content=b"x" * 100_000), 413),
        problem(browser.get(f"/api/v1/{'a' * 5000}"), 414),
        problem(browser.get("/api/v1/sessions", headers={"host": "evil.example"}), 421),
    ]
    assert [each["code"] for each in found] == [
        *("unauthorised", "not-allowed", "not-allowed", "unknown-session", "not-found", "method-not-allowed"),
        *("too-large", "too-long", "unknown-host"),
    ]
    refused = problem(browser.post(f"{base}/results", json=result, headers=write), 404)
    assert refused["code"] == "refused"
    assert [each["reason"] for each in refused["problems"]] == ["unknown-place"]
    invalid = problem(
        browser.post(f"{base}/results", json={**result, "x": 1, "table": "?"}, headers=write), 422
    )
    assert invalid["code"] == "invalid-fields"
    assert {each["where"]: each["reason"] for each in invalid["problems"]} == {
        "body.table": "int_parsing",
        "body.x": "extra_forbidden",
    }
    monkeypatch.setattr(RateLimit, "take", lambda limit, who: False)
    limited = browser.get(base)
    assert problem(limited, 429)["code"] == "too-often"
    assert limited.headers["retry-after"]


def test_stream_has_the_described_schemas(writer: httpx.Client, pages: Running, guid: str) -> None:
    jsonschema = pytest.importorskip("jsonschema_rs")  # as schemathesis checks answers
    document = writer.get("/api/v1/openapi.json").json()
    schemas = document["components"]["schemas"]
    answer = document["paths"]["/sessions/{session}/facts"]["get"]["responses"]["200"]["content"]
    reference = answer["text/event-stream"]["schema"]["$ref"]
    assert reference == "#/components/schemas/FactEvent"
    version = writer.get(f"/api/v1/sessions/{guid}").json()["version"]
    kinds = set()
    with writer.stream("GET", f"/api/v1/sessions/{guid}/facts") as stream:
        last = ""
        for line in stream.iter_lines():
            if line.startswith("id: "):
                last = line[4:]
            if line.startswith("data: "):
                event = json.loads(line[6:])
                kinds.add(event["kind"])
                schema = schemas["FactEvent"]["discriminator"]["mapping"][event["kind"]]
                jsonschema.validate({"$ref": schema, "components": {"schemas": schemas}}, event)
                if last == str(version):
                    break
    assert {"session-opened", "hand-record-set", "result-recorded", "seated"} <= kinds


def test_description_is_valid_and_every_example_is_accepted(browser: httpx.Client) -> None:
    from overtrick.web import api_schemas

    document = browser.get("/api/v1/openapi.json").json()
    names = re.findall(r'"\$ref": "#/components/schemas/([^"]+)"', json.dumps(document))
    assert set(names) <= set(document["components"]["schemas"])
    operations = [each for methods in document["paths"].values() for each in methods.values()]
    assert len({each["operationId"] for each in operations}) == len(operations)
    examples = {
        name: schema["examples"]
        for name, schema in document["components"]["schemas"].items()
        if "examples" in schema
    }
    bodies = {
        each["requestBody"]["content"]["application/json"]["schema"].get("$ref", "").rpartition("/")[2]
        for each in operations
        if "application/json" in each.get("requestBody", {}).get("content", {})
    } - {""}
    assert bodies | {"ResultRuling", "AdjustmentRuling", "RankingTableItem", "Problem"} <= set(examples)
    for name, each in examples.items():
        for example in each:
            getattr(api_schemas, name).model_validate(example)


def test_docs_lead_to_the_reference_which_loads_nothing_from_elsewhere(browser: httpx.Client) -> None:
    page = browser.get("/docs", follow_redirects=True)
    assert page.url.path == "/api/v1/"
    assert "/api/v1/sessions/{session}/ranking" in page.text
    assert 'id="result-recorded"' in page.text
    assert "&#34;outcome&#34;: &#34;4SxN+1&#34;" in page.text
    assert not re.search(r"(?:src|href)=\"?(?:https?:)?//", page.text)


DOCS = Path(__file__).parents[2] / "docs"


def run_script(pages: Running, script: str) -> str:
    """Run commands of a page against the server, and return what they print."""
    token = pages.keys.new_token("my program", TokenScope.DIRECT)
    done = subprocess.run(
        ["bash"],
        input="set -eu\n" + script.replace("http://127.0.0.1:8080", pages.address).replace("ot_…", token),
        cwd=DOCS / "examples",
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_recipe_with_curl_sets_up_a_session_and_prints_its_ranking(
    pages: Running, require_program: Callable[[str], str]
) -> None:
    require_program("curl")
    recipe = (
        (DOCS / "how-to" / "recipes.md").read_text(encoding="utf-8").split("## Drive a session with curl")[1]
    )
    (script,) = re.findall(r"```sh\n(.*?)```", recipe, flags=re.DOTALL)
    printed = run_script(pages, script)
    assert '"table":1' in printed
    ranking = json.loads(printed[printed.rindex('[{"title"') :])
    assert [line["boards"] for line in ranking[0]["lines"]] == [1, 1]


def test_commands_of_the_docs_page_work_as_they_stand(
    pages: Running, require_program: Callable[[str], str]
) -> None:
    """The page with curl, run by a shell; JSON below a block is what it answers."""
    require_program("curl")
    pages.keys.set_password("seven no trump")
    section = (
        (DOCS / "reference" / "api.md").read_text(encoding="utf-8").split("## With curl")[1].split("\n## ")[0]
    )
    found = re.findall(r"```(sh|json)\n(.*?)```", section, flags=re.DOTALL)[1:]  # the first makes the token
    script, expected = [], {}
    for number, (language, text) in enumerate(found):
        if language == "json":
            expected[number - 1] = json.loads(text)
        else:
            script.append(f"{text}\necho; echo '=== {number}'\n")
    parts = re.split(r"\n=== (\d+)\n", run_script(pages, "".join(script)))
    answers = dict(zip(map(int, parts[1::2]), parts[0::2], strict=False))
    assert len(expected) == 2
    for number, answer in expected.items():
        assert json.loads(answers[number]) == answer | {
            name: json.loads(answers[number])[name] for name in ("version",) if name in answer
        }
    ranking = next(json.loads(each) for each in answers.values() if '"lines"' in each)
    assert ranking[0]["lines"][0]["rank"] == 1
    stream = next(each for each in answers.values() if "event: fact" in each)
    assert {"session-opened", "result-recorded", "adjustment-made"} <= set(
        re.findall(r'"kind": "([^"]+)"', stream)
    )
