"""Small team events that the tests of many rooms begin with."""

from overtrick.bridge import Outcome
from overtrick.event import Fact, JournalState
from overtrick.event.team_rules import PutTeamFacts, SetTeamEvent
from overtrick.event.teams import (
    Competitor,
    CompetitorSet,
    Division,
    DivisionSet,
    Member,
    Pairing,
    Room,
    RosterSet,
    RoundDrawn,
    Segment,
    Team,
    TeamBoardRecorded,
    TeamBoardResult,
    TeamEvent,
    TeamFormat,
    TeamSet,
)
from overtrick.scoring import Method
from tests.event.evenings import do

EVENT = "6D115AF1ABEB4462A299B1FE86274940"


def put(journal_state: JournalState, *facts: Fact) -> list[object]:
    """Have these be so, which must succeed."""
    return do(journal_state, PutTeamFacts(EVENT, facts))


def teams(
    count: int,
    format: TeamFormat = TeamFormat.ROUND_ROBIN,
    method: Method | None = Method.VPS_CONTINUOUS,
    boards: int = 16,
    players: int = 4,
) -> JournalState:
    """A team event with one serie, teams 101, 102, …, and players 1001, 1002, … four to a team."""
    journal_state = JournalState()
    do(journal_state, SetTeamEvent(EVENT, "European Teams", 5))
    facts: list[Fact] = [DivisionSet(Division(1, "Open", format, method, boards))]
    for number in range(1, count + 1):
        facts.append(TeamSet(Team(100 + number, 1, number, f"Team {number}", 0, "SWE", "SWE")))
        roster = []
        for seat in range(1, players + 1):
            player = 1000 + 10 * number + seat
            facts.append(CompetitorSet(Competitor(player, f"First{player}", f"Last{player}", f"M{player}")))
            roster.append(Member(player, "", seat))
        facts.append(RosterSet(100 + number, tuple(roster)))
    put(journal_state, *facts)
    return journal_state


def event(journal_state: JournalState) -> TeamEvent:
    """The team event."""
    return journal_state.team_events[EVENT]


def drawn(round_: int, *matches: tuple[int, int], segments: int = 1) -> RoundDrawn:
    """A round of the only serie."""
    return RoundDrawn(
        1,
        round_,
        segments,
        tuple(Pairing(table, home, away) for table, (home, away) in enumerate(matches, start=1)),
    )


def board(round_: int, segment: int, home: int, room: Room, number: int, outcome: str) -> TeamBoardRecorded:
    """A result of one room."""
    return TeamBoardRecorded(
        Segment(1, round_, segment, home), TeamBoardResult(room, number, Outcome.parse(outcome))
    )
