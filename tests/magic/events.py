"""A Hypothesis strategy for team events, and helpers that import and export their files."""

from itertools import count
from pathlib import Path

from hypothesis import strategies as st

from overtrick.bridge import Card, Outcome, Played
from overtrick.event import Fact, JournalState
from overtrick.event.team_rules import PutTeamFacts, SetTeamEvent
from overtrick.event.teams import (
    CarryOverSet,
    Competitor,
    CompetitorSet,
    Division,
    DivisionSet,
    LineUp,
    LineUpSet,
    MatchNoted,
    MatchReported,
    Member,
    Pairing,
    Room,
    RosterSet,
    RoundDrawn,
    Segment,
    Team,
    TeamAdjusted,
    TeamBoardRecorded,
    TeamBoardResult,
    TeamEvent,
    TeamFormat,
    TeamSet,
)
from overtrick.magic.export import files_of_kind
from overtrick.magic.files import Encoding, write_file
from overtrick.magic.import_ import ImportResult, plan_import
from overtrick.magic.rows import FileKind
from overtrick.registry import Decisions
from overtrick.scoring import Method
from overtrick.views.teams import TeamView
from tests.event.evenings import do
from tests.event.team_events import EVENT

names = st.text(
    st.characters(codec="cp1252", blacklist_categories=("Cc", "Zs", "Zl", "Zp", "Cf")), min_size=1, max_size=6
)
units = st.integers(-400_000, 400_000)
outcomes = st.sampled_from(
    [
        Outcome.parse(text)
        for text in ("4SN=", "4SxN-1", "3NTE+1", "Pass", "7CxxW=", "60-40", "60-60", "NP", "Arbitral")
    ]
)
outcomes_that_count = st.sampled_from([Outcome.parse(text) for text in ("4SN=", "2DE-3", "60-60", "40-40")])
methods = st.sampled_from(
    [Method.VPS_CONTINUOUS, Method.VPS_DISCRETE, Method.VPS_25_0, Method.TEAM_IMPS, None]
)


@st.composite
def team_events(draw: st.DrawFn) -> JournalState:
    """Return the state of a journal with one team event that uses everything that files can contain."""
    journal_state = JournalState()
    do(journal_state, SetTeamEvent(EVENT, draw(names), draw(st.integers(1, 99))))
    facts: list[Fact] = []
    players, teams = count(501), count(101)
    for division in range(1, draw(st.integers(1, 2)) + 1):
        facts.append(
            DivisionSet(
                Division(
                    division,
                    f"{draw(names)}{division}",
                    draw(st.sampled_from(TeamFormat)),
                    draw(methods),
                    draw(st.integers(0, 20)),
                )
            )
        )
        rosters: dict[int, list[int]] = {}
        for number in range(1, draw(st.integers(2, 5)) + 1):
            team = next(teams)
            foreign = draw(st.sampled_from([0, 9000 + team]))
            facts.append(
                TeamSet(
                    Team(
                        team,
                        division,
                        number,
                        draw(names),
                        foreign,
                        *draw(st.sampled_from([("SWE", "SWE"), ("CHE", "SWI"), ("", "ENG")])),
                    )
                )
            )
            rosters[team] = []
            members = []
            for order in range(draw(st.integers(0, 5))):
                player = next(players)
                code = draw(st.sampled_from(["", f"C{player}"]))
                facts.append(CompetitorSet(Competitor(player, draw(names), f"{draw(names)}{player}", code)))
                role = draw(st.sampled_from(["", "", "PC", "NPC", "Coach"]))
                members.append(Member(player, role, order))
                if members[-1].plays:
                    rosters[team].append(player)
            facts.append(RosterSet(team, tuple(members)))
        for round_ in range(1, draw(st.integers(0, 2)) + 1):
            order_ = draw(st.permutations(sorted(rosters)))
            pairings = tuple(
                Pairing(table, order_[2 * table - 2], order_[2 * table - 1])
                for table in range(1, draw(st.integers(1, len(order_) // 2)) + 1)
            )
            segments = draw(st.integers(1, 3))
            facts.append(RoundDrawn(division, round_, segments, pairings))
            for team in order_[2 * len(pairings) :]:  # the teams with a bye
                facts.append(CarryOverSet(division, round_, team, 0, draw(units) if round_ == 1 else 0))
                for number in range(1, segments + 1):
                    facts.append(TeamAdjusted(division, round_, number, team, 0, draw(units)))
            for match in pairings:
                for team in (match.home, match.away):
                    facts.append(
                        CarryOverSet(division, round_, team, draw(units), draw(units) if round_ == 1 else 0)
                    )
                for number in range(1, segments + 1):
                    facts += draw(_segment(Segment(division, round_, number, match.home), match, rosters))
    do(journal_state, PutTeamFacts(EVENT, tuple(facts)))
    return journal_state


@st.composite
def _segment(draw: st.DrawFn, segment: Segment, match: Pairing, rosters: dict[int, list[int]]) -> list[Fact]:
    facts: list[Fact] = []
    for room in Room:
        ns, ew = (match.home, match.away) if room is Room.OPEN else (match.away, match.home)
        chairs = [
            *draw(st.permutations([*rosters[ns], 0, 0]))[:2],
            *draw(st.permutations([*rosters[ew], 0, 0]))[:2],
        ]
        if any(chairs):
            facts.append(LineUpSet(segment, room, LineUp(*chairs)))
    played = False
    if draw(st.booleans()):
        if played := draw(st.booleans()):
            for room in Room:
                facts.append(TeamBoardRecorded(segment, TeamBoardResult(room, 9, draw(outcomes_that_count))))
        for board in range(1, draw(st.integers(1, 3)) + 1):
            for room in Room:
                outcome = draw(outcomes)
                lead = split = None
                if isinstance(outcome, Played):
                    lead = Card.parse("HT") if draw(st.booleans()) else None
                    split = Played(outcome.contract, 6) if draw(st.booleans()) else None
                facts.append(TeamBoardRecorded(segment, TeamBoardResult(room, board, outcome, lead, split)))
    elif draw(st.booleans()):
        played = True
        facts.append(MatchReported(segment, abs(draw(units)), abs(draw(units)), draw(units), draw(units)))
    if played:
        for team in (match.home, match.away):
            facts.append(
                TeamAdjusted(segment.serie, segment.round, segment.number, team, draw(units), draw(units))
            )
        facts.append(MatchNoted(segment, draw(names)))
    return facts


def only_event(journal_state: JournalState) -> TeamEvent:
    """Return the only team event."""
    (event,) = journal_state.team_events.values()
    return event


def export(
    journal_state: JournalState, folder: Path, *kinds: FileKind, encoding: Encoding = Encoding.UTF_8
) -> list[Path]:
    """Export the only team event; return the files in the order in which they have to be imported."""
    view = TeamView.of(journal_state, only_event(journal_state))
    written = []
    for kind in kinds or (
        FileKind.TEAMS,
        FileKind.SCHEDULE,
        FileKind.LINE_UPS,
        FileKind.BOARDS,
        FileKind.RESULTS,
    ):
        for sheet in files_of_kind(view, kind):
            write_file(folder / sheet.name, sheet.kind, sheet.rows, encoding)
            written.append(folder / sheet.name)
    return written


def import_into(
    journal_state: JournalState,
    path: Path,
    *,
    partial: bool = False,
    accepted: Decisions | None = None,
    encoding: Encoding = Encoding.UTF_8,
) -> ImportResult:
    """Import a file into the state of a journal."""
    result = plan_import(
        path, journal_state, lambda: EVENT, partial=partial, accepted=accepted, encoding=encoding
    )
    for command in result.commands:
        do(journal_state, command)
    return result
