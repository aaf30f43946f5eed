"""A team match at the tables: people at terminals score it, and it lands in the team event by itself."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest
from typer.testing import CliRunner

from overtrick.bridge import Card
from overtrick.bws.scoring_side import create
from overtrick.cli import app
from overtrick.control.orders import StartOptions, parse_command_line
from overtrick.directing.team_results import report_segment
from overtrick.directing.team_tables import TeamTableLayout, plan_team_tables
from overtrick.errors import BadInput
from overtrick.event import OpenEvent, Transaction
from overtrick.event.setup import Generation
from overtrick.event.team_rules import PutTeamFacts, SetTeamEvent
from overtrick.event.teams import (
    Competitor,
    CompetitorSet,
    Division,
    DivisionSeated,
    DivisionSet,
    LineUp,
    LineUpSet,
    Member,
    Pairing,
    Room,
    RosterSet,
    RoundDrawn,
    Segment,
    Team,
    TeamFormat,
    TeamSet,
)
from overtrick.host.control import ControlSoftware
from overtrick.host.lookup import do, find_division, open_team_view, put
from overtrick.host.runtime import Runtime, open_runtime
from overtrick.host.session_file import open_session_file_control
from overtrick.scoring import UNIT, Method
from overtrick.store import CommandBatch, Journal
from overtrick.store.errors import JournalUnavailable
from tests.host.players import SEVEN, Players

EVENT = "AB" * 16
TODAY = date(2026, 3, 2)


def league(runtime: Runtime) -> None:
    """Two teams of two series rounds: the second round is a match of two segments."""
    facts = [
        DivisionSet(Division(1, "Open", TeamFormat.KNOCK_OUT, Method.TEAM_IMPS)),
        *(TeamSet(Team(100 + number, 1, number, name)) for number, name in ((1, "Amber"), (2, "Blue"))),
        *(CompetitorSet(Competitor(number, "P", str(number), f"C{number}")) for number in range(1, 9)),
        RosterSet(101, tuple(Member(number) for number in range(1, 5))),
        RosterSet(102, tuple(Member(number) for number in range(5, 9))),
        RoundDrawn(1, 1, 1, (Pairing(1, 101, 102),)),
        RoundDrawn(1, 2, 2, (Pairing(1, 102, 101),)),
        LineUpSet(Segment(1, 2, 2, 102), Room.OPEN, LineUp(5, 6, 1, 2)),
    ]
    do(runtime, PutTeamFacts(EVENT, tuple(facts), SetTeamEvent(EVENT, "League", 1)))


def lay(runtime: Runtime, round_: int, segment: int, session: str) -> TeamTableLayout:
    with runtime.writer.reading() as state:
        event = state.team_events[EVENT]
        division = find_division(event, "Open")
        return plan_team_tables(state, event, division, round_, segment, (1, 2), session=session, day=TODAY)


def score(players: Players, section: str) -> None:
    """North makes four spades in the open room and is down one in the closed: 10 IMPs on board 1, 12 on board 2."""
    for table, outcome in ((1, "4SN="), (2, "4SN-1")):
        players.sit_down(table, section=section)
        for _ in range(2):
            players.play_board(table, outcome, Card.parse("HA"))


def test_segment_scored_at_terminals_reaches_the_team_event(tmp_path: Path) -> None:
    with open_runtime(tmp_path / "league.overtrick") as runtime:
        league(runtime)
        for session, (round_, segment, section) in {"1" * 32: (1, 1, "A"), "2" * 32: (2, 2, "B")}.items():
            laid = lay(runtime, round_, segment, session)
            assert [(room, at) for _, room, at, _ in laid.tables] == [(one, section) for one in Room]
            do(runtime, laid.command)
            players = Players(session)
            players.runs = 10 * round_  # A telephone that starts again does not count from where it was.
            players.control = ControlSoftware(runtime, StartOptions(), now=lambda: SEVEN, evaluates=False)
            score(players, section)
        with open_team_view(runtime, "League") as view:
            lines = {(line.segment.round, line.segment.number): line for line in view.figures(1)}
            assert (lines[1, 1].home.imps, lines[1, 1].away.imps) == (22 * UNIT, 0)
            assert not lines[2, 1].is_played
            assert (lines[2, 2].home.team, lines[2, 2].home.imps, lines[2, 2].away.imps) == (
                102,
                22 * UNIT,
                0,
            )
            assert view.line_up(Segment(1, 2, 2, 102), Room.OPEN) == LineUp(5, 6, 1, 2)
            with pytest.raises(BadInput, match="Amber - Blue has results on 2 boards"):
                report_segment(view, Segment(1, 1, 1, 101), 0, 0)


def test_laying_a_round_on_tables_is_one_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "league.overtrick"
    with open_runtime(path) as runtime:
        league(runtime)
        before = runtime.journal.heads()
    append_all = Journal.append_all
    appended: list[set[str]] = []

    def fail_after_the_first(journal: Journal, batches: Sequence[CommandBatch]) -> object:
        if appended:
            raise JournalUnavailable("The power went.")
        appended.append({span.stream for batch in batches for span in batch.spans})
        return append_all(journal, batches)

    monkeypatch.setattr(Journal, "append_all", fail_after_the_first)
    arguments = ["teams", "tables", "League", "Open", "1", "1-2", "--journal", str(path)]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.exception
    ((*streams,),) = appended
    assert sorted(stream.partition("/")[0] for stream in streams) == ["event", "session", "teams"]
    session = next(stream for stream in streams if stream.startswith("session/")).split("/")[1]
    assert done.output.splitlines()[-1] == f"session\t{session}"
    with pytest.raises(JournalUnavailable):
        CliRunner().invoke(
            app,
            ["teams", "tables", "League", "Open", "2", "1-2", "--journal", str(path)],
            catch_exceptions=False,
        )
    with open_runtime(path) as runtime:
        assert runtime.journal.heads().keys() - before.keys() == {
            one for one in streams if "teams" not in one
        }


def test_session_file_with_table_groups_reaches_the_seated_serie(tmp_path: Path) -> None:
    """The file of a scoring program that knows nothing of the team event, and the control software on it."""
    session, path = "1" * 32, tmp_path / "league.bws"
    with open_runtime(tmp_path / "plan.overtrick") as runtime:
        league(runtime)
        laid = lay(runtime, 1, 1, session).command
    assert isinstance(laid, Transaction)
    _, planned = laid.commands
    assert isinstance(planned, OpenEvent)
    create(path, planned, computer="CLUB")
    start = parse_command_line([f"/f:[{path}]"])
    with open_session_file_control(
        start, computer="CLUB", now=lambda: SEVEN, generation=Generation.II, evaluates=False
    ) as control:
        league(control.runtime)
        put(control.runtime, EVENT, [DivisionSeated(1, session, "A", 1)])
        players = Players(session)
        players.control = control
        score(players, "A")
        with open_team_view(control.runtime, "League") as view:
            line = view.figures(1)[0]
            assert (line.home.team, line.home.imps, line.away.imps) == (101, 22 * UNIT, 0)
