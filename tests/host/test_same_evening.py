"""The same evening twice: driven by a session file alone, and by the Data Connector with the vendor's own client.

A Swiss evening: two tables begin and wait, late pairs make a third and a fourth, which is not needed after all, results
are polled and corrected, rounds and deals come while the tables wait, and the control software ends by itself.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

from bridgemate_dataconnector import DataConnectorClient
from bridgemate_dataconnector import dto as vendor
from bridgemate_dataconnector.dto import DataConnectorResponseData as Data
from bridgemate_dataconnector.dto import ErrorType

from overtrick.bridge import Deal, Outcome, Seat, Side
from overtrick.bws.check import check
from overtrick.bws.contents import open_contents
from overtrick.bws.hands import deal_values
from overtrick.bws.results import result_values
from overtrick.bws.rows import NO_DAY
from overtrick.bws.scoring_changes import RemoveTable, SendHandRecords, SendRounds, changes, correction
from overtrick.bws.scoring_news import new_results
from overtrick.bws.scoring_side import create
from overtrick.connector.client import Client
from overtrick.control.orders import StartOptions, parse_command_line
from overtrick.event import OpenEvent
from overtrick.event.calls import CallStatus
from overtrick.event.hands import HandRecord
from overtrick.event.movement import Round, SectionPlan, TablePlan
from overtrick.event.place import Place
from overtrick.event.results import PutResults, ResultEntry
from overtrick.event.settings import SettingsII
from overtrick.event.setup import Generation, Status
from overtrick.host.control import ControlSoftware
from overtrick.host.runtime import open_runtime
from overtrick.host.session_file import open_session_file_control
from overtrick.scoring import Ranking
from tests.bws.conftest import do
from tests.connector import samples
from tests.connector.running import Running, running
from tests.event.evenings import SESSION, plan
from tests.host.players import SEVEN, Players

QUIET = SettingsII(show_results=False, show_next_seating=False, auto_shutdown=True)
FIRST = {1: (1, 2), 2: (3, 4)}
LATE = {3: (5, 6), 4: (7, 8)}
SWISS = {2: {1: (1, 3), 2: (5, 2), 3: (4, 6)}, 3: {1: (5, 1), 2: (6, 3), 3: (2, 4)}}
BOARDS = {1: (1, 2), 2: (3, 4), 3: (5, 6)}
DEALS = {board: Deal.dealt_by(random.Random(board)) for board in (5, 6)}


class ScoringProgram(Protocol):
    """Actions of a scoring program in an evening, over any connection to the control software."""

    def send_rounds(self, number: int, pairs: dict[int, tuple[int, int]], *, waits: bool) -> None:
        """Send one round of these tables; a table that is new is added."""

    def remove_table(self, table: int) -> None:
        """Take a table away."""

    def send_deals(self, deals: dict[int, Deal]) -> None:
        """Send hand records."""

    def correct(self, place: Place, outcome: str) -> None:
        """Correct a result."""

    def poll(self) -> list[Place]:
        """Return the new results, and mark them as read."""

    def is_running(self) -> bool:
        """Return whether the control software still runs."""


def evening(players: Players, scoring: ScoringProgram) -> list[Ranking]:
    """Play the evening; return its ranking."""
    control = players.control

    def look() -> None:
        assert not control.tick()

    def play(number: int, *tables: int) -> None:
        for table in tables:
            players.play_round(table)
        look()
        assert sorted(scoring.poll()) == [
            ("A", table, number, board) for table in tables for board in BOARDS[number]
        ]
        assert scoring.poll() == []

    # Late pairs come while the others sit down; two of them go home again.
    look()
    players.sit_down(1, 2)
    scoring.send_rounds(1, LATE, waits=True)
    look()
    players.sit_down(3, 4)
    scoring.remove_table(4)
    look()
    assert players.phone(4).snapshot is None
    play(1, 1, 2, 3)
    assert players.is_waiting((1, 2, 3))

    # A result was entered wrongly.
    scoring.correct(("A", 1, 1, 1), "6NTS=")
    look()
    assert players.played()["A", 1, 1, 1] == "6NTS="
    assert scoring.poll() == [], "our own correction is no news"

    # The next rounds come while the tables wait, the last with its deals.
    scoring.send_rounds(2, SWISS[2], waits=True)
    look()
    play(2, 1, 2, 3)
    scoring.send_deals(DEALS)
    look()
    scoring.send_rounds(3, SWISS[3], waits=False)
    look()
    view = control.view(SESSION)
    assert view is not None
    assert {board: record.deal for (_, board), record in view.session.hands.records.items()} == DEALS
    for table in (1, 2, 3):
        players.play_round(table)
    assert players.is_done((1, 2, 3))
    assert scoring.is_running()
    players.log_off(1, 2, 3)
    assert control.tick(), "the last result is in, and every table has logged off"
    assert not scoring.is_running()
    assert len(scoring.poll()) == 6
    view = control.view(SESSION)
    assert view is not None
    assert view.session.setup.status is Status.FINISHED
    assert len(players.played()) == 18
    return view.rankings(1)


# By the file ------------------------------------------------------------------------------------------------


class ByFile:
    """A scoring program that follows the `.bws` guide."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.is_over = False

    def _change(self, *wanted: Any) -> None:
        do(self.path, *changes(open_contents(self.path), wanted))

    def send_rounds(self, number: int, pairs: dict[int, tuple[int, int]], *, waits: bool) -> None:
        self._change(
            *(
                SendRounds("A", table, number, (Round(*who, BOARDS[number]),), waits=waits)
                for table, who in pairs.items()
            )
        )

    def remove_table(self, table: int) -> None:
        self._change(RemoveTable("A", table))

    def send_deals(self, deals: dict[int, Deal]) -> None:
        self._change(SendHandRecords("A", tuple(HandRecord(1, board, deal) for board, deal in deals.items())))

    def correct(self, place: Place, outcome: str) -> None:
        right = ResultEntry(*place, Outcome.parse(outcome), SEVEN.replace(tzinfo=None))
        do(self.path, correction(open_contents(self.path), right))

    def poll(self) -> list[Place]:
        news = new_results(open_contents(self.path), today=SEVEN.date())
        assert news.problems == ()
        do(self.path, *news.marks)
        return [
            (entry.section, entry.table, entry.round, entry.board)
            for command in news.commands
            if isinstance(command, PutResults)
            for entry in command.entries
        ]

    def is_running(self) -> bool:
        # The session's state is all that a file says of it.
        return open_contents(self.path).sessions[0].status < 2


def _by_file(path: Path) -> list[Ranking]:
    tables = tuple(TablePlan(table, (Round(*who, BOARDS[1]),)) for table, who in FIRST.items())
    planned = plan(section=SectionPlan("A", 1, winners=1), tables=tables, settings=(("A", QUIET),))
    create(path, OpenEvent(SESSION, (planned,)), computer="CLUB")
    players, scoring = Players(SESSION), ByFile(path)
    start = parse_command_line([f"/f:[{path}]", "/s", "/r"])
    with open_session_file_control(
        start, computer="CLUB", now=lambda: players.now, generation=Generation.II, evaluates=False
    ) as control:
        players.control = control
        scoring.send_rounds(1, FIRST, waits=True)
        ranking = evening(players, scoring)
        _is_as_the_guide_says(path, players)
        return ranking


def _is_as_the_guide_says(path: Path, players: Players) -> None:
    """Look at every row that the control software has written."""
    contents = open_contents(path)
    assert [str(violation) for violation in check(contents, Generation.II) if not violation.is_warning] == []
    assert [(row.id, row.computer) for row in contents.clients] == [(1, "CLUB")]
    assert contents.sessions[0].status == 2
    assert [row.table for row in contents.tables] == [1, 2, 3], "the record of the removed table is gone"
    for table in contents.tables:
        assert (table.computer, table.status, table.log_on_off, table.instruction) == (1, 1, 2, 0)
    view = players.control.view(SESSION)
    assert view is not None
    standing = view.session.results.standing
    assert len(contents.results) == len(standing) == 18, "a correction is made in the row"
    assert [row.id for row in contents.results] == list(range(1, 19))
    for row in contents.results:
        recorded = standing["A", row.table, row.round, row.board]
        values = result_values(recorded)
        assert values is not None
        said = (row.ns, row.ew, row.declarer, row.direction, row.contract, row.result, row.lead, row.remarks)
        names = ("PairNS", "PairEW", "Declarer", "NS/EW", "Contract", "Result", "LeadCard", "Remarks")
        assert said == tuple(values[name] for name in names)
        played = view.session.movement.round("A", row.table, row.round)
        assert played is not None
        assert (row.ns, row.ew) == (played.ns, played.ew)
        side = Seat(row.direction).side
        assert row.declarer == (played.ns if side is Side.NS else played.ew)
        assert row.day is not None
        assert row.at is not None
        assert (row.day.time().hour, row.at.date()) == (0, NO_DAY)
        if (row.table, row.round, row.board) != (1, 1, 1):
            assert SEVEN.date() == row.day.date()
            assert abs(row.at.replace(year=2026, month=3, day=2, tzinfo=SEVEN.tzinfo) - SEVEN) < timedelta(
                hours=3
            )
        assert row.processed
        assert not row.external_update
        assert not row.erased
    assert {row.place[1:3] for row in contents.results} == {(t, n) for t in (1, 2, 3) for n in (1, 2, 3)}
    assert len(contents.hand_records) == 2


# By the Data Connector --------------------------------------------------------------------------------------


def _ok(response: vendor.ScoringProgramResponse) -> None:
    assert response.error_type is ErrorType.None_, response.serialized_data


class ByConnector:
    """A scoring program that uses the Data Connector through the vendor's client."""

    def __init__(self, client: DataConnectorClient, served: Running) -> None:
        self.client = client
        self.served = served
        self.rounds: dict[int, list[dict[str, Any]]] = {}
        self.waits: dict[int, bool] = {}

    def _tables(self, number: int, pairs: dict[int, tuple[int, int]], waits: bool) -> list[dict[str, Any]]:
        boards = BOARDS[number]
        for table, who in pairs.items():
            made = samples.round_(number, *who, table=table)
            made |= {"LowBoardNumber": boards[0], "HighBoardNumber": boards[-1]}
            self.rounds.setdefault(table, []).append(made)
            self.waits[table] = waits
        return [self._table(table) for table in self.rounds]

    def _table(self, table: int) -> dict[str, Any]:
        made = samples.table(table, [])
        return made | {"Rounds": self.rounds[table], "KeepBridgematesAlive": self.waits[table]}

    def initialize(self) -> None:
        """Open the event: start, reset, read, end after the last result, and nothing of before."""
        settings = samples.settings2(
            VerificationTime=2, BM2AutoBoardNumber=True, BM2Ranking=0, BM2TDCall=True
        )
        section = samples.section(Tables=self._tables(1, FIRST, True))
        made = samples.init(
            samples.session(samples.scoring_group(1, section)),
            Commands=1 + 2 + 4 + 32 + 128,
            PlayerData=[],
            Participations=[],
            Handrecords=[],
            Bridgemate2Settings=[settings],
            Bridgemate3Settings=None,
        )
        _ok(self.client.initialize(vendor.InitDTO.from_dict(made)))

    def _update(self, *tables: dict[str, Any]) -> None:
        update = samples.section_update(Tables=list(tables))
        _ok(self.client.update_movement(vendor.SectionUpdateDTO.from_dict(update)))

    def send_rounds(self, number: int, pairs: dict[int, tuple[int, int]], *, waits: bool) -> None:
        self._update(*self._tables(number, pairs, waits))

    def remove_table(self, table: int) -> None:
        del self.rounds[table]
        self._update(*(self._table(each) for each in self.rounds))

    def send_deals(self, deals: dict[int, Deal]) -> None:
        records = [
            vendor.HandrecordDTO.from_dict(samples.handrecord(board) | deal_values(deal))
            for board, deal in deals.items()
        ]
        _ok(self.client.send_handrecords(SESSION, records))

    def correct(self, place: Place, outcome: str) -> None:
        assert outcome == "6NTS="
        assert place == ("A", 1, 1, 1)
        south = vendor.TableDirection.South.value
        corrected = samples.result(1, Level=6, TotalTricks=12, DeclarerDirection=south)
        _ok(self.client.send_results(SESSION, [vendor.ResultDTO.from_dict(corrected)]))

    def poll(self) -> list[Place]:
        polled = self.client.poll_for_results(SESSION)
        if polled:
            _ok(self.client.accept_queue_data(SESSION, Data.Results))
        return [
            (str(result.section_letters), result.table_number, result.round_number, result.board_number)
            for result in polled
        ]

    def is_running(self) -> bool:
        with Client.over_http(self.served.http, club="CLUB001", licence="key") as client:
            answer = client.manage(2)
        assert answer is not None
        assert [each.SessionGuid for each in answer.SessionInformation or []] == [SESSION] * answer.IsRunning
        return answer.IsRunning


@contextmanager
def _served(players: Players) -> Iterator[ByConnector]:
    with running() as served:
        scoring = ByConnector(DataConnectorClient("CLUB001", "key", served.http), served)
        scoring.initialize()
        with (
            open_runtime(served.journal) as runtime,
            ControlSoftware(
                runtime, StartOptions(), now=lambda: players.now, generation=Generation.II, evaluates=False
            ) as control,
        ):
            players.control = control
            yield scoring


def _by_connector() -> list[Ranking]:
    players = Players(SESSION)
    with _served(players) as scoring:
        return evening(players, scoring)


def test_both_evenings_end_with_the_same_ranking(tmp_path: Path) -> None:
    by_file, by_connector = _by_file(tmp_path / "monday.bws"), _by_connector()
    assert len(by_file[0].standings) == 6
    assert [replace(ranking, field="") for ranking in by_file] == [
        replace(ranking, field="") for ranking in by_connector
    ]


def test_a_call_goes_to_the_scoring_program_and_back() -> None:
    players = Players(SESSION)
    with _served(players) as scoring:
        players.control.tick()
        players.sit_down(1)
        players.phone(1).call_director(1, 1)
        (call,) = scoring.client.poll_for_td_calls(SESSION)
        call.status = vendor.TdCallDTO.TdCallStatus_InProgress
        _ok(scoring.client.send_td_calls(SESSION, [call]))
        snapshot = players.phone(1).snapshot
        assert snapshot is not None
        assert snapshot.call is CallStatus.IN_PROGRESS
