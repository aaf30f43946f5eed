"""Results of robots that are entered in an event, and the teams that the event allows."""

import asyncio
import random
import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from tests.waiting import wait_for_async

from overtrick.bridge import SEATS, Deal, Outcome
from overtrick.bridge.pbn import write_pbn
from overtrick.cli.tm import _open_event_tables
from overtrick.directing.team_tables import plan_team_tables
from overtrick.errors import BadInput
from overtrick.event import Rejection
from overtrick.event.movement import Round, SectionPlan, TablePlan
from overtrick.event.setup import GroupPlan
from overtrick.event.state import OpenEvent, SessionPlan
from overtrick.event.team_rules import PutTeamFacts, SetTeamEvent
from overtrick.event.teams import Division, DivisionSet, Pairing, RoundDrawn, Team, TeamFormat, TeamSet
from overtrick.host.lookup import do
from overtrick.host.runtime import open_runtime
from overtrick.scoring import Method
from overtrick.tablemanager.client import sit_in
from overtrick.tablemanager.player import Player
from overtrick.tablemanager.records import RecordFile, game_of
from overtrick.tablemanager.results import EventTable
from overtrick.tablemanager.robots.legal import Legal
from overtrick.tablemanager.rules import Board, BoardRecord, TableRules
from overtrick.tablemanager.server import TableServer
from overtrick.tablemanager.sessions import EventTables, SessionParameters, serve_tables
from overtrick.tablemanager.table import BridgeTable

GUID = "6D115AF1ABEB4462A299B1FE86274949"


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "club.overtrick"
    tables = (TablePlan(1, (Round(1, 2, (1, 2)), Round(1, 3, (3, 4)))),)
    plan = SessionPlan(
        GUID,
        "Robots",
        date(2026, 2, 3),
        (GroupPlan(1, Method.MATCHPOINTS),),
        ((SectionPlan("A", 1, winners=1), tables),),
    )
    with open_runtime(path) as runtime:
        assert not isinstance(runtime.do(OpenEvent(GUID, (plan,))), Rejection)
    return path


def standing(journal: Path) -> dict[tuple[int, int], Outcome | None]:
    with open_runtime(journal, create=False) as runtime, runtime.read(GUID) as session:
        assert session is not None
        return {(result.round, result.board): result.outcome for result in session.results.standing.values()}


def test_results_of_robots_are_entered_in_the_event(journal: Path) -> None:
    chance = random.Random(2)
    boards = [Board.numbered(number, Deal.dealt_by(chance)) for number in (1, 2, 3)]

    async def session() -> list[BoardRecord]:
        with _open_event_tables(str(journal), GUID, "A1") as tables:
            assert tables is not None
            server = TableServer(
                BridgeTable(boards, TableRules(trick_pause=0.0)),
                record=lambda record: tables.enter(1, record.result),
            )
            (port,) = await server.open()
            robot = Legal(1)
            await asyncio.gather(
                *(
                    sit_in(
                        Player(seat.side.value, seat, robot.choose_call, robot.choose_card), "127.0.0.1", port
                    )
                    for seat in SEATS
                )
            )
            await server.close()
            return server.records

    records = asyncio.run(session())
    assert standing(journal) == {
        (1, 1): records[0].outcome,
        (1, 2): records[1].outcome,
        (2, 3): records[2].outcome,
    }


def record(number: int) -> BoardRecord:
    board = Board.numbered(number, Deal.dealt_by(random.Random(number)))
    return BoardRecord(board, "A", "B", (), (), (), Outcome.parse("60-40"))


def test_result_for_an_unknown_board_table_or_session_is_rejected(journal: Path) -> None:
    with _open_event_tables(str(journal), GUID, "A1") as tables:
        assert tables is not None
        with pytest.raises(BadInput, match="Board 9 is not played at table A1"):
            tables.enter(1, record(9).result)
        with pytest.raises(BadInput, match="no table A2"):
            tables.enter(2, record(1).result)
    assert standing(journal) == {}
    with pytest.raises(BadInput, match="no session"), _open_event_tables(str(journal), "F" * 32, "A1"):
        pass
    with pytest.raises(BadInput, match="--session"), _open_event_tables(str(journal), None, "A1"):
        pass


def test_adjusted_board_is_entered_as_an_award(journal: Path) -> None:
    with _open_event_tables(str(journal), GUID, "A1") as tables:
        assert tables is not None
        tables.enter(1, record(1).result)
    assert standing(journal) == {(1, 1): Outcome.parse("60-40")}


def test_board_recorded_before_a_kill_is_entered_once_when_the_session_is_resumed(
    journal: Path, tmp_path: Path
) -> None:
    boards = [record(number).board for number in (1, 2)]
    deals, out = tmp_path / "deals.pbn", tmp_path / "out.pbn"
    deals.write_bytes(write_pbn([game_of(record(board.number)) for board in boards]))
    file = RecordFile(out)
    for number in (1, 2):
        file.write(record(number))
    printed: list[str] = []

    def resume() -> None:
        parameters = SessionParameters(deals, None, None, (0,), "127.0.0.1", out, resume=True)
        with _open_event_tables(str(journal), GUID, "A1") as tables:
            asyncio.run(serve_tables(parameters, TableRules(closing=0.0), 1, printed.append, tables))

    with _open_event_tables(str(journal), GUID, "A1") as tables:
        assert tables is not None
        tables.enter(
            1, replace(record(1).result, outcome=Outcome.parse("50-50"))
        )  # the director has changed it since
    resume()
    expected = {(1, 1): Outcome.parse("50-50"), (1, 2): Outcome.parse("60-40")}
    assert standing(journal) == expected
    resume()
    assert standing(journal) == expected
    assert not [line for line in printed if "not entered" in line]


def test_event_table_is_parsed_from_section_and_number() -> None:
    assert EventTable.parse(" b12 ") == EventTable("B", 12)
    with pytest.raises(BadInput, match="not a table"):
        EventTable.parse("12")


async def _answer_to(parameters: SessionParameters, hello: str, event: EventTables | None = None) -> str:
    """Open a table and return its answer to a request for a seat."""
    printed: list[str] = []
    serving = asyncio.ensure_future(
        serve_tables(parameters, TableRules(closing=0.0), 1, printed.append, event)
    )
    try:
        await wait_for_async(lambda: printed or serving.done())
        if serving.done():
            await serving
        port = int(re.search(r"port (\d+)", printed[-1])[1])  # type: ignore[index]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"{hello}\r\n".encode())
        line = await asyncio.wait_for(reader.readline(), 30)
        if line.startswith(b"Error"):
            assert await asyncio.wait_for(reader.read(), 30) == b""  # closed
        writer.close()
        return line.decode().strip()
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)


@pytest.fixture
def deals(tmp_path: Path) -> Path:
    path = tmp_path / "deals.pbn"
    path.write_bytes(write_pbn([game_of(record(number)) for number in (1, 2)]))
    return path


def hello(team: str, seat: str) -> str:
    return f'Connecting "{team}" as {seat} using protocol version 18'


def test_resumed_session_refuses_a_team_that_did_not_play_before(deals: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.pbn"
    RecordFile(out).write(record(1))  # A against B
    parameters = SessionParameters(deals, None, None, (0,), "127.0.0.1", out, resume=True)
    assert (
        asyncio.run(_answer_to(parameters, hello("C", "North"))) == 'Error: seat North is kept for team "A".'
    )
    assert asyncio.run(_answer_to(parameters, hello("A", "East"))) == 'Error: seat East is kept for team "B".'
    assert asyncio.run(_answer_to(parameters, hello("b", "East"))) == 'East ("b") seated'


def test_second_set_seats_only_the_same_teams_in_each_others_seats(deals: Path, tmp_path: Path) -> None:
    first = tmp_path / "first.pbn"
    RecordFile(first).write(record(1))  # A against B
    parameters = SessionParameters(
        deals, None, None, (0,), "127.0.0.1", tmp_path / "second.pbn", False, first
    )
    assert (
        asyncio.run(_answer_to(parameters, hello("A", "North"))) == 'Error: seat North is kept for team "B".'
    )
    assert asyncio.run(_answer_to(parameters, hello("B", "North"))) == 'North ("B") seated'
    missing = replace(parameters, rotated_from=tmp_path / "none.pbn")
    with pytest.raises(BadInput, match=r"no file .*none.pbn"):
        asyncio.run(_answer_to(missing, hello("B", "North")))


def team_journal(path: Path) -> str:
    """Create a journal in which Amber plays Blue at table A1 (open room); return the guid of the session."""
    event, guid = "AB" * 16, "CD" * 16
    facts = (
        DivisionSet(Division(1, "Open", TeamFormat.KNOCK_OUT, Method.TEAM_IMPS)),
        *(TeamSet(Team(100 + number, 1, number, name)) for number, name in ((1, "Amber"), (2, "Blue"))),
        RoundDrawn(1, 1, 1, (Pairing(1, 101, 102),)),
    )
    with open_runtime(path) as runtime:
        do(runtime, PutTeamFacts(event, facts, SetTeamEvent(event, "League", 1)))
        with runtime.writer.reading() as state:
            league = state.team_events[event]
            laid = plan_team_tables(
                state, league, league.divisions[1], 1, 1, (1, 2), session=guid, day=date(2026, 3, 2)
            )
        do(runtime, laid.command)
    return guid


def test_table_of_a_team_event_refuses_teams_that_do_not_play_there(deals: Path, tmp_path: Path) -> None:
    guid = team_journal(tmp_path / "league.overtrick")
    parameters = SessionParameters(deals, None, None, (0,), "127.0.0.1", None, resume=False)
    answers = {}
    with _open_event_tables(str(tmp_path / "league.overtrick"), guid, "A1") as tables:
        for team, seat in (("Green", "North"), ("Blue", "North"), ("Amber", "North"), ("BLUE", "East")):
            answers[team, seat] = asyncio.run(_answer_to(parameters, hello(team, seat), tables))
    assert answers == {
        ("Green", "North"): 'Error: seat North is kept for team "Amber".',
        ("Blue", "North"): 'Error: seat North is kept for team "Amber".',
        ("Amber", "North"): 'North ("Amber") seated',
        ("BLUE", "East"): 'East ("BLUE") seated',
    }


def test_records_of_teams_that_differ_from_the_event_are_not_resumed(deals: Path, tmp_path: Path) -> None:
    guid = team_journal(tmp_path / "league.overtrick")
    out = tmp_path / "out.pbn"
    RecordFile(out).write(record(1))  # A against B
    parameters = SessionParameters(deals, None, None, (0,), "127.0.0.1", out, resume=True)
    with (
        _open_event_tables(str(tmp_path / "league.overtrick"), guid, "A1") as tables,
        pytest.raises(BadInput, match=r"NS is 'Amber' in the event, and 'A' in out\.pbn"),
    ):
        asyncio.run(_answer_to(parameters, hello("A", "North"), tables))
