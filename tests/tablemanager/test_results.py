"""Results of robots in an event, like those of anyone else."""

import asyncio
import random
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from overtrick.bridge import SEATS, Deal, Outcome
from overtrick.bridge.pbn import write_pbn
from overtrick.cli.tm import _entering
from overtrick.errors import BadInput
from overtrick.event import Rejection
from overtrick.event.house import OpenEvent, SessionPlan
from overtrick.event.movement import Round, SectionPlan, TablePlan
from overtrick.event.setup import GroupPlan
from overtrick.host.house import open_house
from overtrick.scoring import Method
from overtrick.tablemanager.client import sit_in
from overtrick.tablemanager.player import Player
from overtrick.tablemanager.records import RecordFile, game_of
from overtrick.tablemanager.results import Place
from overtrick.tablemanager.robots.legal import Legal
from overtrick.tablemanager.rules import Board, BoardRecord, Rules
from overtrick.tablemanager.server import TableServer
from overtrick.tablemanager.sessions import Opening, serve_tables
from overtrick.tablemanager.table import Table

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
    with open_house(path) as house:
        assert not isinstance(house.do(OpenEvent(GUID, (plan,))), Rejection)
    return path


def standing(journal: Path) -> dict[tuple[int, int], Outcome | None]:
    with open_house(journal, create=False) as house, house.read(GUID) as session:
        assert session is not None
        return {(result.round, result.board): result.outcome for result in session.results.standing.values()}


def test_results_of_a_table_of_robots_are_in_the_event(journal: Path) -> None:
    chance = random.Random(2)
    boards = [Board.numbered(number, Deal.dealt_by(chance)) for number in (1, 2, 3)]

    async def session() -> list[BoardRecord]:
        with _entering(str(journal), GUID, "A1") as enter:
            assert enter is not None
            server = TableServer(
                Table(boards, Rules(trick_pause=0.0)), record=lambda record: enter(1, record.result)
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


def test_what_the_event_does_not_know_is_told(journal: Path) -> None:
    with _entering(str(journal), GUID, "A1") as enter:
        assert enter is not None
        with pytest.raises(BadInput, match="Board 9 is not played at table A1"):
            enter(1, record(9).result)
        with pytest.raises(BadInput, match="no table A2"):
            enter(2, record(1).result)
    assert standing(journal) == {}
    with pytest.raises(BadInput, match="no session"), _entering(str(journal), "F" * 32, "A1"):
        pass
    with pytest.raises(BadInput, match="--session"), _entering(str(journal), None, "A1"):
        pass


def test_an_adjusted_board_is_an_award_in_the_event(journal: Path) -> None:
    with _entering(str(journal), GUID, "A1") as enter:
        assert enter is not None
        enter(1, record(1).result)
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
    told: list[str] = []

    def resume() -> None:
        opening = Opening(deals, None, None, (0,), "127.0.0.1", out, resume=True)
        with _entering(str(journal), GUID, "A1") as enter:
            asyncio.run(serve_tables(opening, Rules(closing=0.0), 1, told.append, enter))

    with _entering(str(journal), GUID, "A1") as enter:
        assert enter is not None
        enter(
            1, replace(record(1).result, outcome=Outcome.parse("50-50"))
        )  # and the director has changed it since
    resume()
    expected = {(1, 1): Outcome.parse("50-50"), (1, 2): Outcome.parse("60-40")}
    assert standing(journal) == expected
    resume()
    assert standing(journal) == expected
    assert not [line for line in told if "not in the event" in line]


def test_places() -> None:
    assert Place.parse(" b12 ") == Place("B", 12)
    with pytest.raises(BadInput, match="not a table"):
        Place.parse("12")
