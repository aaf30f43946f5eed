"""The rules of a team event, and that its facts are read back from the journal as they were."""

from datetime import date

import pytest

from overtrick.bridge import Card, Outcome
from overtrick.event import Fact, JournalState
from overtrick.event.team_rules import PutTeamFacts, SetTeamEvent
from overtrick.event.teams import (
    CarryOverSet,
    Competitor,
    CompetitorSet,
    Division,
    DivisionSeated,
    DivisionSet,
    LineUp,
    LineUpSet,
    MatchNoted,
    MatchReported,
    Member,
    Room,
    RosterSet,
    Segment,
    Team,
    TeamAdjusted,
    TeamBoardErased,
    TeamBoardRecorded,
    TeamBoardResult,
    TeamDropped,
    TeamSet,
    TournamentMapped,
)
from overtrick.scoring import Method
from overtrick.store.codec import event_codec
from tests.event.evenings import do, refuse
from tests.event.team_events import EVENT, board, drawn, event, put, teams

HOME = Segment(1, 1, 1, 101)


@pytest.fixture
def journal_state() -> JournalState:
    made = teams(4)
    put(made, drawn(1, (101, 102), (103, 104)))
    return made


EVERY_FACT: tuple[Fact, ...] = (
    DivisionSet(Division(2, "Women", method=Method.VPS_25_0)),
    TeamSet(Team(201, 2, 1, "Malmö", 7, "", "SCO")),
    CompetitorSet(Competitor(1, "Zoë", "Ö", "X1", 9, "W", date(1970, 2, 28), "SCO")),
    RosterSet(201, (Member(1, "NPC", 3),)),
    drawn(2, (101, 103), segments=2),
    CarryOverSet(1, 2, 101, 125_000, 0),
    TeamAdjusted(1, 2, 1, 101, -30_000, -5_000, "slow play"),
    LineUpSet(HOME, Room.CLOSED, LineUp(1021, 1022, 1011, 1012)),
    TeamBoardRecorded(HOME, TeamBoardResult(Room.OPEN, 1, Outcome.parse("4SN="), Card.parse("HA"))),
    TeamBoardErased(HOME, Room.OPEN, 1),
    MatchReported(HOME, 400_000, 300_000, 160_000, 40_000),
    MatchNoted(HOME, "on vugraph"),
    TournamentMapped("European Teams - Open", 1),
    DivisionSeated(1, "A" * 32, "A", 3, 1),
    TeamDropped(201),
)


def test_every_fact_is_taken_once_and_read_back(journal_state: JournalState) -> None:
    codec = event_codec()
    for fact in EVERY_FACT:
        assert put(journal_state, fact) == [fact]
        assert codec.decode(*codec.encode(fact)) == fact
        if not isinstance(fact, TeamBoardErased | TeamDropped):
            assert put(journal_state, fact) == [], "the same again is no news"
    opened = journal_state.team_events[EVENT]
    assert (opened.name, opened.id) == ("European Teams", 5)
    assert do(journal_state, SetTeamEvent(EVENT, "European Teams", 5)) == []


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        (DivisionSet(Division(2, "Open")), "Open: Another division has this name already."),
        (
            DivisionSet(Division(2, "X", method=Method.MATCHPOINTS)),
            "scored by IMPs or victory points, not matchpoints",
        ),
        (TeamSet(Team(101, 2, 1, "A")), "There is no division 2"),
        (TeamSet(Team(105, 1, 4, "A")), "Team 4 has the number 4 already"),
        (TeamSet(Team(105, 1, 5, "A\tB")), r"'A\\tB' is not a valid name of a team"),
        (
            CompetitorSet(Competitor(1, "A", "B", "M1011")),
            "First1011 Last1011 has the member code M1011 already",
        ),
        (CompetitorSet(Competitor(1, "A", "B", sex="F")), "The sex is M, W or empty, not 'F'"),
        (RosterSet(102, (Member(1011),)), "First1011 Last1011 plays for Team 1 already"),
        (RosterSet(102, (Member(1),)), "There is no player 1"),
        (RosterSet(102, (Member(1021), Member(1021))), "Player 1021 is in the roster twice"),
        (drawn(2, (101, 102), (101, 103)), "Team 1 has two matches"),
        (drawn(2, (101, 109)), "There is no team 109 in the division"),
        (CarryOverSet(1, 2, 101, 0, 5), "Victory points are carried into the first round only"),
        (LineUpSet(HOME, Room.OPEN, LineUp(1021)), "First1021 Last1021, North, is not a player of Team 1"),
        (LineUpSet(HOME, Room.OPEN, LineUp(1011, 1011)), "A player cannot have two seats"),
        (board(1, 2, 101, Room.OPEN, 1, "4SN="), "no match at home in round 1, segment 2"),
        (board(1, 1, 102, Room.OPEN, 1, "4SN="), "Team 102 has no match at home"),
        (TeamBoardErased(HOME, Room.OPEN, 1), "There is no result of board 1"),
        (TeamDropped(101), "The team is in a draw, so it cannot be removed"),
        (TournamentMapped("X", 9), "There is no division 9"),
    ],
)
def test_impossible_team_fact_is_refused_with_the_reason(
    journal_state: JournalState, fact: Fact, said: str
) -> None:
    before = event(journal_state).copy()
    with pytest.raises(AssertionError, match=said):
        put(journal_state, fact)
    assert event(journal_state) == before


def test_a_match_with_results_cannot_be_drawn_away(journal_state: JournalState) -> None:
    put(journal_state, board(1, 1, 101, Room.OPEN, 1, "4SN="))
    rejection = refuse(journal_state, PutTeamFacts(EVENT, (drawn(1, (101, 103), (102, 104)),)))
    assert "Team 1 - Team 2 has results, so it cannot be removed" in str(rejection)
    put(journal_state, drawn(1, (103, 104), (101, 102)))


def test_a_match_with_boards_is_not_reported(journal_state: JournalState) -> None:
    reported = MatchReported(HOME, 5, 0)
    put(journal_state, reported)
    put(journal_state, board(1, 1, 101, Room.OPEN, 1, "4SN="))
    assert do(journal_state, PutTeamFacts(EVENT, (reported,))) == [], "what was known before"
    rejection = refuse(journal_state, PutTeamFacts(EVENT, (MatchReported(HOME, 6, 0),)))
    assert "Boards of this match have been entered, and they count" in str(rejection)


def test_separate_results_are_scores(journal_state: JournalState) -> None:
    split = TeamBoardResult(Room.OPEN, 1, Outcome.parse("4SN="), None, Outcome.parse("4SN-1"))
    put(journal_state, TeamBoardRecorded(HOME, split))
    assert event(journal_state).boards[HOME][Room.OPEN, 1] == split
    award = TeamBoardResult(Room.OPEN, 1, Outcome.parse("60-40"), None, Outcome.parse("4SN-1"))
    assert "only if both results are scores" in str(
        refuse(journal_state, PutTeamFacts(EVENT, (TeamBoardRecorded(HOME, award),)))
    )


def test_an_event_is_opened_with_its_facts_or_not_at_all() -> None:
    journal_state = JournalState()
    opening = SetTeamEvent(EVENT, "Cup", 5)
    refuse(journal_state, PutTeamFacts(EVENT, (TeamDropped(9),), opening))
    assert journal_state.team_events == {}
    assert len(do(journal_state, PutTeamFacts(EVENT, (DivisionSet(Division(1, "Open")),), opening))) == 2
    assert (event(journal_state).name, list(event(journal_state).divisions)) == ("Cup", [1])
    refuse(journal_state, PutTeamFacts("F" * 32, (), SetTeamEvent("F" * 32, "Another", 5)))
    refuse(journal_state, PutTeamFacts("no guid", (), SetTeamEvent("no guid", "Another", 6)))


def test_one_refused_fact_refuses_all(journal_state: JournalState) -> None:
    before = event(journal_state).copy()
    refuse(journal_state, PutTeamFacts(EVENT, (DivisionSet(Division(2, "Women")), TeamDropped(9))))
    assert event(journal_state) == before
    refuse(journal_state, PutTeamFacts("F" * 32, ()))
    refuse(journal_state, SetTeamEvent("F" * 32, "Another", 5))
