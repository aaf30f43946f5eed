"""Pages of team events: what happens is worked out and drawn where it shows, and shows wherever it should."""

import asyncio
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import escape

from overtrick.bridge import Outcome, Seat
from overtrick.directing.team_tables import plan_team_tables
from overtrick.event import Command, Fact, Rejection, Transaction
from overtrick.event.results import EraseResult, JudgeResult, Origin, PutResults, ResultEntry, Suspicion
from overtrick.event.seating import Participation, PutParticipations, Source
from overtrick.event.setup import SetStatus, Status
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
    Room,
    RosterSet,
    Segment,
    Team,
    TeamAdjusted,
    TeamBoardErased,
    TeamBoardRecorded,
    TeamBoardResult,
    TeamFormat,
    TeamSet,
)
from overtrick.host.runtime import Runtime, open_runtime
from overtrick.scoring import UNIT, Method
from overtrick.web import live_broadcaster as module
from overtrick.web import site
from overtrick.web import team_pages as pages
from overtrick.web.sse_messages import Regions, as_html, change_message
from overtrick.web.team_projection import LiveTeamEvents, Rendering, TeamEventProjection, _TeamEvents
from tests.event.evenings import NOON
from tests.event.team_events import drawn as drawn_round
from tests.web.patches import patched
from tests.web.test_session_projection import hear, lose_last_fact, sent

HERE, THERE = "A" * 32, "B" * 32
SESSIONS = ("C" * 32, "D" * 32)
BOARDS = 2
OUTCOMES = ("4SN=", "4SN-1", "3NTE=", "Pass", "60-40", "2HxW+1")


@dataclass(slots=True)
class Event:
    """A team event of four teams, 101 to 104, that has drawn two rounds; the first is laid on tables."""

    runtime: Runtime
    guid: str
    format: TeamFormat = TeamFormat.ROUND_ROBIN
    opening: Command | None = field(default=None, repr=False)

    def do(self, command: Command) -> bool:
        """Return whether a command was carried out."""
        return not isinstance(self.runtime.do(command), Rejection)

    def put(self, *facts: Fact) -> bool:
        """Have these be so, where the rules allow it."""
        return self.do(PutTeamFacts(self.guid, facts))

    def begin(self, key: int, base: int) -> None:
        """Set it up."""
        assert self.do(SetTeamEvent(self.guid, f"Event {key}", key))
        facts: list[Fact] = [DivisionSet(Division(1, "Open", self.format, Method.VPS_CONTINUOUS, BOARDS))]
        for number in range(1, 5):
            team = base + number
            people = [10 * team + seat for seat in range(1, 5)]
            facts.append(TeamSet(Team(team, 1, number, f"Team {number}")))
            facts += [CompetitorSet(Competitor(who, "First", f"Last{who}", f"M{who}")) for who in people]
            facts.append(RosterSet(team, tuple(Member(who) for who in people)))
        one, two, three, four = range(base + 1, base + 5)
        facts += [
            drawn_round(1, (one, two), (three, four)),
            drawn_round(2, (one, three), (two, four), segments=2),
        ]
        assert self.put(*facts)

    def lay(self, session: str, round_: int) -> None:
        """Lay a round on the tables of a session."""
        with self.runtime.writer.reading() as state:
            event = state.team_events[self.guid]
            laid = plan_team_tables(
                state,
                event,
                event.divisions[1],
                round_,
                1,
                range(1, BOARDS + 1),
                session=session,
                day=date(2026, 2, 3),
            )
        assert self.do(laid.command)
        assert isinstance(laid.command, Transaction)
        self.opening = self.opening or laid.command.commands[-1]

    def score(self, session: str, table: int, board: int, outcome: str, is_wrong: bool = False) -> bool:
        """A result at a table of a session."""
        with self.runtime.writer.reading() as state:
            known = state.session(session)
            section = next(iter(known.setup.sections)) if known else "A"
        made = Outcome.parse(outcome)
        entry = ResultEntry(section, table, 1, board, made, NOON, is_wrong_direction=is_wrong)
        return self.do(PutResults(session, (entry,), Origin.DESK))


@contextmanager
def event(format: TeamFormat = TeamFormat.ROUND_ROBIN) -> Iterator[Event]:
    """A team event on a journal of its own."""
    with (
        tempfile.TemporaryDirectory() as folder,
        open_runtime(Path(folder) / "teams.journal") as runtime,
    ):
        here = Event(runtime, HERE, format)
        here.begin(1, 100)
        here.lay(SESSIONS[0], 1)
        pages.prepare()
        yield here


@contextmanager
def folded(here: Event) -> Iterator[_TeamEvents]:
    """The events of its journal as pages look at them."""
    fold = _TeamEvents(here.runtime.journal, "test")
    try:
        yield fold
    finally:
        fold.close()


def everything(projection: TeamEventProjection) -> dict[str, Regions]:
    """Every page of an event that needs no password."""
    renderings: dict[str, Rendering] = {
        "event": pages.event_regions,
        "serie": partial(pages.division_regions, 1),
        **{f"team {team}": partial(pages.team_regions, team) for team in projection.event.teams},
        **{
            f"match {round_}.{match.home}": partial(pages.match_regions, 1, round_, match.home)
            for (_, round_), drawing in projection.view.draws.items()
            for match in drawing.pairings
        },
    }
    return {name: page(projection) for name, page in renderings.items()}


# Where it shows -------------------------------------------------------------------------------------------------------


def test_fact_of_one_event_does_not_change_pages_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "POLL_INTERVAL", 0.01)
    made: dict[str, int] = {HERE: 0, THERE: 0}

    def page(guid: str, projection: TeamEventProjection) -> Regions:
        made[guid] += 1
        return {"page": f"{projection.event.teams[max(projection.event.teams)].name} {projection.version}"}

    async def test(here: Event) -> None:
        runtime = LiveTeamEvents(here.runtime.journal)
        async with (
            aclosing(runtime.follow(HERE, "page", partial(page, HERE))) as own,
            aclosing(runtime.follow(THERE, "page", partial(page, THERE))) as others,
        ):
            await hear(own)
            await hear(others)
            for number in range(3):
                assert here.put(TeamSet(Team(104, 1, 4, f"Renamed {number}")))
                assert f"Renamed {number}" in (await hear(own))["page"]
                assert here.score(SESSIONS[0], 1, 1 + number % 2, OUTCOMES[number])
                await hear(own)
            await asyncio.sleep(0.1)
            assert made == {HERE: 7, THERE: 1}
        await runtime.close()

    with event() as here:
        Event(here.runtime, THERE).begin(2, 200)
        asyncio.run(test(here))


def test_result_renders_only_the_page_of_its_own_match(monkeypatch: pytest.MonkeyPatch) -> None:
    renderings: list[str] = []
    render = site.render

    def counted(template: str, **context: object) -> object:
        renderings.append(template)
        return render(template, **context)

    monkeypatch.setattr(pages, "render", counted)
    with event() as here, folded(here) as fold:
        first = everything(fold.projection(HERE))
        assert renderings.count("part/teams_match.html") == 4
        renderings.clear()
        assert here.score(SESSIONS[0], 1, 1, "4SN=")
        second = everything(fold.projection(HERE))
        assert renderings == ["part/teams_match.html"], "rows are drawn for who has none"
        assert [name for name in first if first[name] != second[name]] == ["match 1.101"]
        assert here.score(SESSIONS[0], 2, 1, "4SN-1")
        third = everything(fold.projection(HERE))
        assert {name for name in first if second[name] != third[name]} == {
            *("event", "serie", "match 1.101"),
            *(f"team {team}" for team in (101, 102, 103, 104)),  # whose places have changed
        }


def test_result_recalculates_only_its_own_round() -> None:
    with event(TeamFormat.SWISS) as here, folded(here) as fold:
        before = fold.projection(HERE).view
        rounds = before.figures_of_rounds(1)
        assert here.score(SESSIONS[0], 3, 1, "4SN=")
        assert here.score(SESSIONS[0], 4, 1, "4SN-2")
        assert here.do(JudgeResult(SESSIONS[0], "A", 3, 1, 1, Suspicion.SUSPICIOUS))
        seats = (Participation("A", 1, Seat.NORTH, "M1011", "First", "Last1011", round=1),)
        assert here.do(PutParticipations(SESSIONS[0], seats, Source.TERMINAL, False))
        after = fold.projection(HERE).view
        assert after is before, "who sits where, and what is thought of a result, changes no figure"
        assert after.figures_of_rounds(1)[1] != rounds[1]
        assert here.put(MatchReported(Segment(1, 2, 1, 101), 30 * UNIT, 0))
        assert fold.projection(HERE).view.figures_of_rounds(1)[1] is after.figures_of_rounds(1)[1]
        assert here.put(TeamSet(Team(101, 1, 1, "Other")))
        assert fold.projection(HERE).view is not before


def test_followed_page_of_a_team_event_drops_a_result_that_the_journal_has_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also if another result has its version: then versions do not tell the pages apart."""
    monkeypatch.setattr(module, "POLL_INTERVAL", 0.01)

    def page(projection: TeamEventProjection) -> Regions:
        session = projection.journal_state.session(SESSIONS[0])
        assert session is not None
        return {"page": " ".join(str(result.outcome) for result in session.results.standing.values())}

    async def test(here: Event) -> None:
        journal = here.runtime.journal
        live = LiveTeamEvents(journal)
        async with aclosing(live.follow(HERE, "page", page)) as following:
            assert await hear(following) == {"page": "3NTE="}
            lose_last_fact(journal, SESSIONS[0])
            assert await hear(following) == {"page": ""}
            assert here.score(SESSIONS[0], 1, 1, "4SN=")
            assert await hear(following) == {"page": "4SN="}
            before = await live.page(HERE, "page", page)

            def replace_last_fact(_: object) -> None:
                lose_last_fact(journal, SESSIONS[0])
                assert here.score(SESSIONS[0], 1, 1, "4SN-1")

            await live.read_state(replace_last_fact)  # in the render thread, so that no page looks meanwhile
            assert await hear(following) == {"page": "4SN-1"}
            async with aclosing(live.follow(HERE, "page", page, before.mark)) as again:
                assert await hear(again) == {"page": "4SN-1"}
        await live.close()

    with event() as here:
        assert here.score(SESSIONS[0], 1, 1, "3NTE=")
        asyncio.run(test(here))


def test_event_without_divisions_shows_its_new_name() -> None:
    with event() as here, folded(here) as fold:
        assert here.do(SetTeamEvent(THERE, "Before", 2))
        before = pages.event_regions(fold.projection(THERE))
        assert here.do(SetTeamEvent(THERE, "After", 2))
        piece = change_message("1", before, pages.event_regions(fold.projection(THERE)))
        assert piece is not None
        assert "After" in sent(piece)["page"]


def test_restarted_session_gives_pages_a_higher_version() -> None:
    """Also for who has folded only the new one: its page is never taken for one of the old."""
    with event() as here, folded(here) as fold:
        here.score(SESSIONS[0], 1, 1, "4SN=")
        here.score(SESSIONS[0], 2, 1, "4SN-1")
        before = fold.projection(HERE).version
        assert any(line.is_played for line in fold.projection(HERE).view.figures(1))
        assert here.opening is not None
        assert here.do(here.opening)
        after = fold.projection(HERE)
        assert after.version > before
        assert not any(line.is_played for line in after.view.figures(1))
        with folded(here) as anew:
            assert anew.projection(HERE).version == after.version


# And wherever it should -----------------------------------------------------------------------------------------------

TEAM = st.integers(101, 104)
HOME = st.sampled_from([101, 103, 102])
ROUND = st.integers(1, 2)
BOARD = st.integers(1, BOARDS)
OUTCOME = st.sampled_from(OUTCOMES)
SEGMENT = st.builds(Segment, st.just(1), ROUND, st.integers(1, 2), HOME)
IMPS = st.integers(-5, 40).map(lambda imps: imps * UNIT)
PLACE = (st.sampled_from(SESSIONS), st.sampled_from("AB"), st.integers(1, 4), st.just(1), BOARD)

FACTS = st.one_of(
    st.builds(
        TeamBoardRecorded,
        SEGMENT,
        st.builds(TeamBoardResult, st.sampled_from(Room), BOARD, OUTCOME.map(Outcome.parse)),
    ),
    st.builds(TeamBoardErased, SEGMENT, st.sampled_from(Room), BOARD),
    st.builds(MatchReported, SEGMENT, IMPS, IMPS),
    st.builds(MatchNoted, SEGMENT, st.sampled_from(["", "Late", "<i>"])),
    st.builds(LineUpSet, SEGMENT, st.sampled_from(Room), st.builds(LineUp, st.sampled_from([0, 1011, 1031]))),
    st.builds(TeamAdjusted, st.just(1), ROUND, st.just(1), TEAM, IMPS, IMPS, st.just("Late")),
    st.builds(CarryOverSet, st.just(1), ROUND, TEAM, IMPS, IMPS),
    st.builds(
        TeamSet, st.builds(Team, TEAM, st.just(1), st.integers(1, 4), st.sampled_from(["One & all", "Two"]))
    ),
    st.sampled_from([drawn_round(3, (101, 104)), drawn_round(1, (102, 101), (103, 104))]),
)
COMMANDS = st.one_of(
    FACTS.map(lambda fact: PutTeamFacts(HERE, (fact,))),
    st.builds(EraseResult, *PLACE, st.just(Origin.DESK)),
    st.builds(JudgeResult, *PLACE, st.sampled_from(Suspicion)),
    st.builds(SetStatus, st.sampled_from(SESSIONS), st.sampled_from(Status)),
    st.builds(
        PutParticipations,
        st.sampled_from(SESSIONS),
        st.tuples(
            st.builds(
                Participation,
                *(st.sampled_from("AB"), st.integers(1, 4), st.sampled_from(Seat)),
                *(st.sampled_from(["M1011", "M1042"]), st.just("First"), st.just("Last")),
                round=st.just(1),
            )
        ),
        st.just(Source.TERMINAL),
        st.just(False),
    ),
)
SCORES = st.tuples(st.sampled_from(SESSIONS), st.integers(1, 4), BOARD, OUTCOME, st.booleans())
STEPS = st.lists(st.one_of(SCORES, SCORES, COMMANDS, st.just("anew")), min_size=1, max_size=12)


@settings(max_examples=40, deadline=None)
@given(STEPS, st.sampled_from(TeamFormat), st.integers(1, 3))
def test_cached_and_patched_pages_equal_freshly_rendered_ones(
    steps: Sequence[Command | tuple[str, int, int, str, bool] | str], format: TeamFormat, together: int
) -> None:
    """Any changes, and any number of them between two looks."""
    with event(format) as here, folded(here) as fold:
        here.lay(SESSIONS[1], 2)
        looking = _Looking(here, fold)
        for number, step in enumerate(steps, start=1):
            if isinstance(step, Command):
                here.do(step)
            elif isinstance(step, tuple):
                here.score(*step)
            elif here.opening is not None:
                here.do(here.opening)
            if number % together == 0 or number == len(steps):
                looking.look()


@pytest.mark.parametrize("format", TeamFormat)
def test_two_rounds_from_the_first_board_to_the_last(format: TeamFormat) -> None:
    with event(format) as here, folded(here) as fold:
        here.lay(SESSIONS[1], 2)
        looking = _Looking(here, fold)
        for session, board, table in product(SESSIONS, range(1, BOARDS + 1), range(1, 5)):
            assert here.score(session, table, board, OUTCOMES[(board + table) % 3], is_wrong=table <= 2)
            looking.look()
        for home in (101, 102):
            assert here.put(MatchReported(Segment(1, 2, 2, home), home * UNIT, 3 * UNIT))
            looking.look()
        assert looking.patches >= 6


class _Looking:
    """Somebody for each page of an event, who are all to see what there is."""

    def __init__(self, here: Event, fold: _TeamEvents) -> None:
        self._here, self._fold = here, fold
        self._before = everything(fold.projection(HERE))
        self._browsers = {name: _Browser(page) for name, page in self._before.items()}
        self.patches = 0

    def look(self) -> None:
        """Send everyone what has changed; the pages are as if made anew, and so is what everyone sees."""
        after = everything(self._fold.projection(HERE))
        with folded(self._here) as anew:
            fresh = everything(anew.projection(HERE))
        assert {name: as_html(page) for name, page in after.items()} == {
            name: as_html(page) for name, page in fresh.items()
        }
        for name, page in after.items():
            if name not in self._before:
                self._browsers[name] = _Browser(page)
            elif piece := change_message("1", self._before[name], page):
                part = sent(piece)["page"]
                self.patches += not isinstance(part, str)
                self._browsers[name].take(part)
            assert self._browsers[name].shows == _shown(as_html(page)["page"]), name
        self._before = after


class _Browser:
    """Return the tables of a followed page, and everything around them."""

    def __init__(self, page: Regions) -> None:
        self.shows = _shown(as_html(page)["page"])

    def take(self, part: Any) -> None:
        """The page is sent whole, or as a patch; cells are compared as the HTML that is in them."""
        if isinstance(part, str):
            self.shows = _shown(part)
        else:
            around, tables = self.shows
            html = [
                (number, is_all, [[row[0], *map(_html, row[1:])] for row in rows])
                for number, is_all, rows in part
            ]
            self.shows = around, patched(tables, html)


def _html(cell: str | int | list[str]) -> str | int:
    return cell[0] if isinstance(cell, list) else cell if cell == 0 else str(escape(cell))


def _shown(html: str) -> tuple[str, list[dict[str, tuple[str, ...]]]]:
    """A page without the rows that have a key, and those, table by table, in order."""
    tables = [
        {
            key: tuple(re.findall("<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL))
            for key, row in re.findall('<tr data-row="([^"]*)">(.*?)</tr>', body, re.DOTALL)
        }
        for body in re.findall("<tbody>(.*?)</tbody>", html, re.DOTALL)
    ]
    return re.sub('<tr data-row="[^"]*">.*?</tr>\n', "", html, flags=re.DOTALL), tables
