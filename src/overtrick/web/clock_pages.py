"""The round clock on pages: its reading, the late tables, the director's buttons, and the pace for the director alone.

The journal stores only the clock's settings; `control.clock` computes the reading at a time.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from overtrick.control.clock import ClockPhase, ClockReading, RoundClock
from overtrick.errors import BadInput
from overtrick.event import Command, Session, SessionTransaction
from overtrick.event.clock import AddTime, PauseClock, ResumeClock, SetTiming, StartClock, StopClock
from overtrick.event.movement import Contestant, is_played
from overtrick.event.seating import SessionPlayer
from overtrick.event.setup import GameKind, Status
from overtrick.scoring import Contestant as Ranked
from overtrick.views import RoundTimes, SessionPace, SessionView, round_times
from overtrick.web.forms import Form, read_number
from overtrick.web.login import LoginPages
from overtrick.web.session_projection import Regions, SessionProjection
from overtrick.web.site import Site, render
from overtrick.web.view_models import current_round, last_round
from overtrick.words import counted

if TYPE_CHECKING:
    from overtrick.web.api_schemas import ClockItem


def round_clock(session: Session) -> RoundClock:
    """Return the clock of a session; a round lasts as long as the most boards that any table plays in it."""
    counts = [0] * last_round(session)
    for (section, _), table in session.movement.tables.items():
        for number, played in enumerate(table.rounds):
            if is_played(session.setup.sections[section], played):
                counts[number] = max(counts[number], len(played.boards))
    for number, count in enumerate(counts):
        # A round that nobody plays yet is still to be drawn: assume the length of the round before it.
        counts[number] = count or counts[max(number - 1, 0)]
    return RoundClock(tuple(counts), session.clock.setting)


def clock_item(projection: SessionProjection, now: datetime) -> "ClockItem":
    """Return the clock's reading and the late tables. Must stay cheap: every screen asks at the end of a round."""
    from overtrick.web.api_schemas import ClockItem  # a desk starts faster without the models of the API

    clock = projection.keep(
        "round clock", projection.shared_version, partial(round_clock, projection.view.session)
    )
    reading = clock.read(now)
    late = clock.late(projection.progress(), now) if clock.setting.started else []
    return ClockItem(
        round=reading.round,
        rounds=len(clock.boards),
        phase=reading.phase.value,
        left=reading.left.total_seconds(),
        warning=reading.warning.total_seconds() if reading.warning else None,
        changes_in=_changes_in(clock, reading),
        late=[f"{line.section}{line.table}" for line in late],
    )


def _changes_in(clock: RoundClock, reading: ClockReading) -> float | None:
    """Return the seconds until the next warning or phase; None while the clock does not run."""
    if reading.phase not in (ClockPhase.PLAYING, ClockPhase.WARNING, ClockPhase.MOVING):
        return None
    steps = [reading.left]
    if reading.phase is not ClockPhase.MOVING:
        steps += [reading.left - warning for warning in clock.warnings if warning < reading.left]
    return min(steps).total_seconds()


@dataclass(frozen=True, slots=True)
class PlannedRound:
    """A round of the schedule; its times are None while the clock is off, or for a round before its first one."""

    number: int
    boards: int
    begins: datetime | None
    ends: datetime | None


def _has_ended(session: Session) -> bool:
    return session.setup.status is Status.FINISHED


def clock_regions(projection: SessionProjection) -> Regions:
    """Render the clock in the page header; clock.js fetches its reading, again whenever the settings change.

    A session that has ended shows no clock; if it is opened again, the clock is back.
    """
    session = projection.view.session
    clock = replace(session.clock.setting, started=None) if _has_ended(session) else session.clock.setting
    return {"clock": render("part/clock.html", clock=clock, guid=session.opened.session)}


def clock_tab(projection: SessionProjection) -> Regions:
    """Render the round clock tab: buttons, times and the schedule."""
    session = projection.view.session
    clock = round_clock(session)
    playing_time = sum((clock.play(boards) for boards in clock.boards), timedelta())
    total = playing_time + clock.move * max(0, len(clock.boards) - 1)
    return {
        "clock-keys": render(
            "part/clock_keys.html",
            clock=session.clock.setting,
            has_ended=_has_ended(session),
            guid=session.opened.session,
            round=current_round(projection.view),
            rounds=[
                PlannedRound(number, boards, clock.begins(number), clock.ends(number))
                for number, boards in enumerate(clock.boards, start=1)
            ],
            length=f"{total // timedelta(hours=1)} h {total // timedelta(minutes=1) % 60:02} min",
        )
    }


def clock_command(session: Session, form: Form, now: datetime) -> tuple[Command, str]:
    """Return the command for a clock button, and the message to show when it is done. Raise BadInput."""
    guid = session.opened.session
    match form.get("do", ""):
        case "start":
            number = read_number(form, "round", 1, 999, "round")
            return StartClock(guid, now, number), f"Round {number} has started."
        case "next":
            number = round_clock(session).read(now).round + 1
            return StartClock(guid, now, number), f"Round {number} has started."
        case "pause":
            return PauseClock(guid, now), "Clock paused."
        case "resume":
            return ResumeClock(guid, now), "Clock running."
        case "stop":
            return StopClock(guid), "Clock off."
        case "add":
            text = form.get("minutes", "")
            if text.removeprefix("-") not in ("1", "2", "5", "10"):
                raise BadInput("The form does not say how many minutes. Nothing was changed.")
            words = "added" if int(text) > 0 else "removed"
            return AddTime(guid, 60 * int(text)), f"{text.removeprefix('-')} min {words}."
        case "timing":
            return _timing(session, form, now), "Times saved."
    raise BadInput("The form does not say what to do with the clock. Nothing was changed.")


def _timing(session: Session, form: Form, now: datetime) -> Command:
    """Return the command that sets other times; the current round keeps its start and a pause continues."""
    guid, before = session.opened.session, session.clock.setting
    timing = SetTiming(
        guid,
        _seconds(form.get("board", ""), "a board"),
        _seconds(form.get("move", ""), "a move"),
        tuple(_seconds(text, "a warning") for text in form.get("warnings", "").split(",") if text.strip()),
    )
    clock = round_clock(session)
    number = clock.read(now).round
    begins = clock.begins(number)
    if begins is None:
        return timing
    commands: list[Command] = [timing, StartClock(guid, begins, number)]
    if before.paused is not None:
        commands.append(PauseClock(guid, before.paused))
    return SessionTransaction(guid, tuple(commands))


def _seconds(text: str, purpose: str) -> int:
    """Convert minutes that a director typed to seconds; raise BadInput if they are not a number.

    >>> _seconds("7.5", "a board"), _seconds(" 2 ", "a move")
    (450, 120)
    """
    try:
        seconds = round(float(text.strip().replace(",", ".")[:8]) * 60)
    except (ValueError, OverflowError) as error:
        raise BadInput(
            f"{text[:20]!r} is not a number of minutes for {purpose}. Nothing was changed."
        ) from error
    return seconds


@dataclass(frozen=True, slots=True)
class PaceFacts:
    """The part of a session that its pace is computed from, independent of later facts."""

    rounds: list[RoundTimes]
    bells: dict[int, datetime]
    players: Mapping[Ranked, tuple[SessionPlayer, ...]]
    ends: datetime | None
    """The end of the clock's schedule."""
    boards: int
    """The most boards of a round."""
    has_ended: bool
    has_first_bell: bool
    """True if the clock was running in the first round, so that its time is known."""
    has_one_section: bool
    are_pairs: bool


def pace_facts(projection: SessionProjection) -> PaceFacts:
    """Collect what the pace is computed from. Quick: all pages of the session wait for it."""
    view = projection.view
    session, clock = view.session, round_clock(view.session)
    sections = session.setup.sections.values()
    bells = _bells(view, clock)
    return PaceFacts(
        round_times(view),
        bells,
        projection.keep("players", projection.shared_version, view.players),
        clock.ends(len(clock.boards)) if clock.boards else None,
        max(clock.boards, default=0),
        session.setup.status is Status.FINISHED,
        1 in bells,
        len(sections) == 1,
        any(section.game is not GameKind.INDIVIDUAL for section in sections),
    )


def pace_part(facts: PaceFacts, now: datetime, end: str = "") -> str:
    """Render the pace of a session: slow tables and pairs, the expected end, and what to leave out.

    `end` is the time of day at which the director wants to end, such as 22:30; without it the clock's schedule counts.
    """
    pace = SessionPace(facts.rounds, now, facts.bells)
    planned = _nearest_time(end, now) or facts.ends
    return render(
        "part/pace.html",
        is_known=pace.board is not None,
        has_ended=facts.has_ended,
        is_measured=facts.has_first_bell,
        tables=pace.slow_tables(),
        pairs=pace.slow_pairs,
        per_round={line.pair: _minutes(line.excess * facts.boards) for line in pace.slow_pairs},
        minutes=_minutes,
        contestant="Pair" if facts.are_pairs else "Player",
        words=partial(_pair_words, facts),
        ends=pace.ends(),
        planned=planned,
        drops=pace.drops(planned) if planned else [],
    )


def _bells(view: SessionView, clock: RoundClock) -> dict[int, datetime]:
    """Return the time at which the clock starts each round; for a round with results as it was set then."""
    bells = {}
    for number in range(1, len(clock.boards) + 1):
        begins = replace(clock, setting=view.clocks.get(number, clock.setting)).begins(number)
        if begins is not None:
            bells[number] = begins
    return bells


def _nearest_time(text: str, now: datetime) -> datetime | None:
    """Return the moment nearest to now with the time of day that a director typed; None if it is not one."""
    try:
        time = datetime.strptime(text[:5], "%H:%M").time()
    except ValueError:
        return None
    today = now.astimezone()
    moment = today.replace(hour=time.hour, minute=time.minute, second=0, microsecond=0)
    if moment < today - timedelta(hours=12):
        return moment + timedelta(days=1)
    return moment - timedelta(days=1) if moment > today + timedelta(hours=12) else moment


def _minutes(length: timedelta) -> str:
    """Return a length in minutes, at least 1.

    >>> _minutes(timedelta(seconds=190)), _minutes(timedelta(seconds=60))
    ('3 minutes', '1 minute')
    """
    return counted(max(1, round(length / timedelta(minutes=1))), "minute")


def _pair_words(facts: PaceFacts, pair: Contestant) -> str:
    """Return a pair's number, and its players as far as they are known."""
    section, number, side = pair
    names = " – ".join(player.name for player in facts.players.get(Ranked(*pair), ()) if player.name)
    return f"{Ranked('' if facts.has_one_section else section, number, side)} {names}".strip()


class ClockPages:
    """The round clock as JSON, for every screen that shows it, and the pace for the director."""

    def __init__(self, site: Site) -> None:
        self.site = site

    def routes(self) -> list[Route]:
        """Return the routes of the clock and the pace."""
        return [
            Route("/live/{session}/clock", self.now),
            Route("/desk/{session}/clock/pace", LoginPages(self.site).guarded(self.pace)),
        ]

    async def now(self, request: Request) -> Response:
        """Return the clock's reading as JSON, to count down from; raise NotAllowed if results are not public."""
        self.site.check_results(request)
        read_clock = partial(clock_item, now=self.site.now())
        item = await self.site.live.read(request.path_params["session"], read_clock)
        return JSONResponse(item.model_dump())

    async def pace(self, request: Request) -> Response:
        """Return the pace as a part of the desk's clock page."""
        facts = await self.site.live.read(request.path_params["session"], pace_facts)
        end = request.query_params.get("end", "")
        return HTMLResponse(await asyncio.to_thread(pace_part, facts, self.site.now(), end))
