"""The tabs of the desk, rendered from a session. Read-only."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any

from overtrick.bridge import Undecided, vulnerability
from overtrick.connector.queue import can_be_sent
from overtrick.control.entries import describe, held_command
from overtrick.digits import parse_digits
from overtrick.directing.suspicion import reason_of
from overtrick.directing.swiss import swiss_of
from overtrick.event import Session
from overtrick.event.movement import TablePlan, board_sharing, boards_to_play
from overtrick.event.results import Suspicion, place_in_words
from overtrick.event.rulings import Appeal
from overtrick.event.setup import Status
from overtrick.views import SeatingLine, board_monitor, lost_seats, round_monitor, seating
from overtrick.web import view_models
from overtrick.web.clock_pages import clock_regions, clock_tab
from overtrick.web.fact_sentences import fact_sentence, outcome_words
from overtrick.web.forms import seat_key, seat_words
from overtrick.web.par_text import makeable
from overtrick.web.ruling_view_models import moment_words, rules_words, ruling_lines
from overtrick.web.session_projection import Regions, SessionProjection
from overtrick.web.session_setup import KINDS, MOST_ROUNDS, contestants, movement_sheet
from overtrick.web.site import render
from overtrick.web.terminal_settings import settings_forms
from overtrick.words import counted

Query = Mapping[str, str]
LOG_LINES = 200


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of the log."""

    version: int
    time: str
    words: str
    actor: str


@dataclass(frozen=True, slots=True)
class DeskTab:
    """A tab: its group, its name in addresses, its title, and the function that renders its parts."""

    group: str
    name: str
    title: str
    regions: Callable[[SessionProjection, Query], Regions]


@dataclass(frozen=True, slots=True)
class HeldLine:
    """The entries of a board, or of a whole table, that wait for the director."""

    place: str
    title: str
    words: str


@dataclass(frozen=True, slots=True)
class RemovedLine:
    """The tables that were removed from a section, and the number of results erased with them."""

    section: str
    tables: tuple[int, ...]
    results: int


def common_regions(projection: SessionProjection) -> Regions:
    """Render the parts that are on every tab: the status line and the director calls."""
    view = projection.view
    monitor = round_monitor(view)
    swiss = [swiss_of(view.session, letters) for letters in sorted(view.session.setup.sections)]
    open_calls = sorted(
        (call for call in view.session.calls.calls.values() if call.is_open), key=lambda call: call.at
    )
    return {
        "line": render(
            "part/line.html",
            session=view.session,
            round=view_models.current_round(view, monitor),
            rounds=view_models.last_round(view.session),
            entered=len(view.session.results.standing),
            expected=sum(line.expected for line in board_monitor(view)),
            behind=[line for line in monitor if line.is_behind],
            suspicious=_suspicious(projection),
            pending=_pending(view.session),
            lost_seats=lost_seats(view.session),
            to_draw=[section for section in swiss if section and section.is_due],
        ),
        "calls": render(
            "part/calls.html",
            calls=open_calls,
            held=_held(view.session),
            removed=_removed(view.session),
            unsent=_unsent(projection),
            guid=view.session.opened.session,
        ),
    }


def _unsent(projection: SessionProjection) -> list[tuple[str, str]]:
    """Return place and outcome of each result that cannot be sent to the scoring program; none without a program."""
    if not projection.is_from_connector:
        return []
    standing = projection.view.session.results.standing
    return [
        (place_in_words(*place), outcome_words(result))
        for place, result in sorted(standing.items())
        if not can_be_sent(result)
    ]


def _removed(session: Session) -> list[RemovedLine]:
    """Return the removed tables of each section; none once the session is finished."""
    if session.setup.status is Status.FINISHED:
        return []
    tables: dict[str, list[int]] = {}
    for section, table in sorted(session.movement.removed):
        tables.setdefault(section, []).append(table)
    return [
        RemovedLine(
            section,
            tuple(numbers),
            sum(place[0] == section and place[1] in numbers for place in session.results.erased),
        )
        for section, numbers in tables.items()
    ]


def _held(session: Session) -> list[HeldLine]:
    """Return the entries that wait for the director, by board."""
    return [
        HeldLine(
            "/".join(map(str, place)),
            f"T{place_in_words(*place)[1:]}" if place[3] else f"Table {place[0]}{place[1]}",
            ", then ".join(describe(held_command(entry)) for entry in session.held.at(place)),
        )
        for place in session.held.places()
    ]


def still_open(session: Session) -> list[str]:
    """Return in words what waits for the director: calls, entries to confirm, rulings, tables without a next round."""
    waiting = sum(table.is_waiting for table in session.movement.tables.values())
    counts = (
        (
            sum(call.is_open for call in session.calls.calls.values()),
            "call for the director",
            "calls for the director",
        ),
        (len(session.held.places()), "entry to confirm", "entries to confirm"),
        (_pending(session), "ruling pending", "rulings pending"),
        (waiting, "table waiting for another round", "tables waiting for another round"),
    )
    return [counted(number, one, many) for number, one, many in counts if number]


def _pending(session: Session) -> int:
    """Return the number of boards at tables with a pending ruling or appeal."""
    undecided = {
        place
        for place, result in session.results.standing.items()
        if isinstance(result.outcome, Undecided) or isinstance(result.outcome_ew, Undecided)
    }
    return len(
        undecided | {place for place, note in session.rulings.notes.items() if note.appeal is Appeal.PENDING}
    )


def _suspicious(projection: SessionProjection) -> int:
    return sum(
        result.suspicion is Suspicion.SUSPICIOUS
        for result in projection.view.session.results.standing.values()
    )


def _results(projection: SessionProjection, query: Query) -> Regions:
    result_filter = view_models.ResultFilter.read(query)
    session = projection.view.session
    lines = view_models.result_lines(projection.view, result_filter)
    return {
        "results": render(
            "part/results.html",
            lines=lines,
            reasons={
                line.place: reason_of(session, line.place)
                for line in lines
                if line.suspicion is Suspicion.SUSPICIOUS
            },
            guid=projection.view.session.opened.session,
            wanted=result_filter,
            appeals={place for place, note in session.rulings.notes.items() if note.appeal is Appeal.PENDING},
        )
    }


def _rounds(projection: SessionProjection, query: Query) -> Regions:
    session = projection.view.session
    seats: dict[tuple[str, int, int], SeatingLine] = {}
    monitor = round_monitor(projection.view)
    for section in session.setup.sections:
        for number in {line.round for line in monitor if line.section == section and line.round}:
            for seated in seating(session, section, number):
                seats[section, seated.table, number] = seated
    return {
        "rounds": render(
            "part/rounds.html", lines=monitor, seats=seats, guid=session.opened.session, session=session
        )
    }


def _boards(projection: SessionProjection, query: Query) -> Regions:
    return {"boards": render("part/boards.html", lines=board_monitor(projection.view))}


def _matrix(projection: SessionProjection, query: Query) -> Regions:
    """Render the results as a matrix: a row for each board, a column for each table."""
    session = projection.view.session
    columns = sorted(session.movement.tables)
    cells: dict[tuple[int, str, int], Any] = {}
    for place in boards_to_play(session):
        section, table, _, board = place
        result = session.results.standing.get(place)
        outcome = result.outcome if result and result.outcome_ew is None else None
        score = outcome.ns_score(vulnerability(board)) if outcome else None
        words = outcome_words(result) if result else ""
        cells[board, section, table] = (view_models.write_place(place), result, score, words)
    boards = sorted({board for board, _, _ in cells})
    return {
        "matrix": render(
            "part/matrix.html", columns=columns, boards=boards, cells=cells, guid=session.opened.session
        )
    }


def _players(projection: SessionProjection, query: Query) -> Regions:
    session = projection.view.session
    return {
        "players": render(
            "part/players.html",
            sections={
                letters: view_models.first_seats(session, letters)
                for letters in sorted(session.setup.sections)
            },
            lost_seats=lost_seats(session),
            late={letters: view_models.latecomers(session, letters) for letters in session.setup.sections},
            kinds={
                letters: KINDS[section.game.value].one for letters, section in session.setup.sections.items()
            },
            guid=session.opened.session,
            seat_key=seat_key,
            seat_words=seat_words,
        )
    }


def _calls(projection: SessionProjection, query: Query) -> Regions:
    calls = sorted(projection.view.session.calls.calls.values(), key=lambda call: call.at, reverse=True)
    return {
        "history": render("part/call_history.html", calls=calls, guid=projection.view.session.opened.session)
    }


def _movement(projection: SessionProjection, query: Query) -> Regions:
    session = projection.view.session
    return {
        "movement": render(
            "part/movement.html",
            session=session,
            sections=sorted(session.setup.sections.values(), key=lambda section: section.section),
            pairs={letters: view_models.pairs_of(session, letters) for letters in session.setup.sections},
            counts={letters: contestants(session, letters) for letters in session.setup.sections},
            swiss={letters: swiss_of(session, letters) for letters in session.setup.sections},
            most_rounds=MOST_ROUNDS,
            sheets={
                letters: movement_sheet(
                    TablePlan(number, table.rounds)
                    for number, table in session.movement.section(letters).items()
                )
                for letters in session.setup.sections
            },
            kinds=KINDS,
            sharing=board_sharing(session),
            guid=session.opened.session,
        )
    }


def _hands(projection: SessionProjection, query: Query) -> Regions:
    session = projection.view.session
    return {
        "hands": render(
            "part/hands.html",
            records=sorted(session.hands.records.items()),
            makeable=makeable,
            waiting=sum(record.tricks is None for record in session.hands.records.values()),
            guid=session.opened.session,
            several=len(session.setup.groups) > 1,
        )
    }


def _settings(projection: SessionProjection, query: Query) -> Regions:
    session = projection.view.session
    return {
        "settings": render(
            "part/settings.html",
            sections={
                letters: settings_forms(session, letters) for letters in sorted(session.setup.sections)
            },
            guid=session.opened.session,
            status=session.setup.status,
            opened=session.opened,
        )
    }


def _log(projection: SessionProjection, query: Query) -> Regions:
    before = parse_digits(query.get("before", "")) or 0
    last = min(before - 1, projection.version) if before else projection.version
    entries = islice(projection.journal.read(projection.stream, max(0, last - LOG_LINES)), LOG_LINES)
    lines = [
        LogLine(
            entry.version,
            f"{entry.at.astimezone():%H:%M:%S}",
            fact_sentence(entry.fact),
            entry.actor or entry.side,
        )
        for entry in entries
        if entry.version <= last
    ]
    return {
        "log": render(
            "part/log.html",
            lines=lines[::-1],
            last=projection.version,
            before=before,
            guid=projection.view.session.opened.session,
        )
    }


def _rulings(projection: SessionProjection, query: Query) -> Regions:
    session = projection.view.session
    until = session.rulings.provisional_until
    return {
        "rulings": render(
            "part/rulings.html",
            lines=ruling_lines(projection),
            rules=rules_words(session),
            provisional=moment_words(until) if until else "",
            guid=session.opened.session,
        )
    }


def _cards(projection: SessionProjection, query: Query) -> Regions:
    """Return no regions: the template draws the cards, which do not change."""
    return {}


TABS: dict[str, DeskTab] = {
    tab.name: tab
    for tab in (
        DeskTab("Scores", "results", "Results", _results),
        DeskTab("Scores", "rounds", "Round monitor", _rounds),
        DeskTab("Scores", "boards", "Board monitor", _boards),
        DeskTab("Scores", "matrix", "Result matrix", _matrix),
        DeskTab("Players", "players", "Player names", _players),
        DeskTab("Players", "cards", "Table cards", _cards),
        DeskTab("Director", "calls", "Director calls", _calls),
        DeskTab("Director", "rulings", "Rulings", _rulings),
        DeskTab("Director", "clock", "Round clock", lambda projection, query: clock_tab(projection)),
        DeskTab("Set-up", "movement", "Movement", _movement),
        DeskTab("Set-up", "hands", "Hand records", _hands),
        DeskTab("Set-up", "settings", "Settings", _settings),
        DeskTab("Set-up", "log", "Log", _log),
    )
}
"""The tabs in their order, by name; /t1 to /t5 are shortcuts to the first five."""

TAB_GROUPS: dict[str, list[DeskTab]] = {
    name: list(tabs) for name, tabs in groupby(TABS.values(), key=lambda tab: tab.group)
}
"""The tabs by their group, in order."""

QUERY = frozenset({"section", "table", "round", "board", "pair", "show", "sort", "before"})
"""Query parameters that a tab accepts."""


def tab_regions(tab: DeskTab, query: Query, projection: SessionProjection) -> Regions:
    """Render all parts of a tab, with those that are on every tab."""
    return {**common_regions(projection), **clock_regions(projection), **tab.regions(projection, query)}
