"""The round clock on pages: its reading, the late tables, and the director's buttons.

The journal stores only the clock's settings; `control.clock` computes the reading at a time.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from overtrick.control.clock import ClockPhase, ClockReading, RoundClock
from overtrick.errors import BadInput
from overtrick.event import Command, Session, SessionTransaction
from overtrick.event.clock import AddTime, PauseClock, ResumeClock, SetTiming, StartClock, StopClock
from overtrick.event.movement import is_played
from overtrick.event.setup import Status
from overtrick.web.api_schemas import ClockItem
from overtrick.web.forms import Form, number_of
from overtrick.web.session_projection import Regions, SessionProjection
from overtrick.web.site import Site, render
from overtrick.web.view_models import current_round, last_round


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
    return RoundClock(tuple(counts), session.clock.now)


def clock_item(projection: SessionProjection, now: datetime) -> ClockItem:
    """Return the clock's reading and the late tables. Must stay cheap: every screen asks at the end of a round."""
    clock = projection.keep("round clock", projection.reshaped, partial(round_clock, projection.view.session))
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


def clock_regions(projection: SessionProjection) -> Regions:
    """Render the clock in the page header; clock.js fetches its reading, again whenever the settings change.

    A session that has ended shows no clock; if it is opened again, the clock is back.
    """
    session = projection.view.session
    has_ended = session.setup.status is Status.FINISHED
    clock = replace(session.clock.now, started=None) if has_ended else session.clock.now
    return {"clock": render("part/clock.html", clock=clock, guid=session.opened.session)}


def clock_tab(projection: SessionProjection) -> Regions:
    """Render the round clock tab: buttons, times and the schedule."""
    session = projection.view.session
    clock = round_clock(session)
    each = sum((clock.play(boards) for boards in clock.boards), timedelta())
    whole = each + clock.move * max(0, len(clock.boards) - 1)
    return {
        "clock-keys": render(
            "part/clock_keys.html",
            clock=session.clock.now,
            guid=session.opened.session,
            round=current_round(projection.view),
            rounds=[
                PlannedRound(number, boards, clock.begins(number), clock.ends(number))
                for number, boards in enumerate(clock.boards, start=1)
            ],
            length=f"{whole // timedelta(hours=1)} h {whole // timedelta(minutes=1) % 60:02} min",
        )
    }


def clock_command(session: Session, form: Form, now: datetime) -> tuple[Command, str]:
    """Return the command for a clock button, and the message to show when it is done. Raise BadInput."""
    guid = session.opened.session
    match form.get("do", ""):
        case "start":
            number = number_of(form, "round", 1, 999, "round")
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
    guid, before = session.opened.session, session.clock.now
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
    going_on: list[Command] = [timing, StartClock(guid, begins, number)]
    if before.paused is not None:
        going_on.append(PauseClock(guid, before.paused))
    return SessionTransaction(guid, tuple(going_on))


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


class ClockPages:
    """The round clock as JSON, for every screen that shows it."""

    def __init__(self, site: Site) -> None:
        self.site = site

    def routes(self) -> list[Route]:
        """Return the clock route."""
        return [Route("/live/{session}/clock", self.now)]

    async def now(self, request: Request) -> Response:
        """Return the clock's reading as JSON, to count down from; raise NotAllowed if results are not public."""
        self.site.check_results(request)
        read_clock = partial(clock_item, now=self.site.now())
        item = await self.site.live.look(request.path_params["session"], read_clock)
        return JSONResponse(item.model_dump())
