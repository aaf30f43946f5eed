"""The control software's half of a `.bws` file, writing: what has happened, as rows.

Rows are reconciled by natural key: what says the same already is left alone, and a row that the scoring program has
just flagged waits until its flag has been taken. Nothing is written that the facts do not say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any

from overtrick.bridge import Seat, Side
from overtrick.bridge.notation import write_spaced
from overtrick.bws.contents import Contents, live
from overtrick.bws.edits import AddTable, Edit, Insert, Put, Update
from overtrick.bws.frame import Frame, frame_of
from overtrick.bws.guid import guid_text, plain_guid
from overtrick.bws.hands import deal_values, evaluation_values
from overtrick.bws.players import NAME_LENGTH, name_finder
from overtrick.bws.reading import STATUSES
from overtrick.bws.results import contract_values, fresh, result_differs, result_values
from overtrick.bws.rows import NO_DAY, FreeRow, PlayerNumberRow, ResultRow, log_fields, moment, same
from overtrick.bws.shares import Spot, spoken, spots_of
from overtrick.event import Fact, Session
from overtrick.event.hands import HandEvaluated, HandRecordSet, HandSource
from overtrick.event.movement import RoundsSet, TableAdded
from overtrick.event.recording import CallRecorded, CardRecorded, ContractRecorded
from overtrick.event.results import Place, ResultErased, ResultJudged, ResultRecorded
from overtrick.event.seating import Chair, Player, Seated, Unseated
from overtrick.event.settings import SettingsII
from overtrick.event.setup import StatusChanged
from overtrick.event.tables import LoggedOff, LoggedOn

LOGGED_ON, LOGGED_OFF = 1, 2


@dataclass(slots=True)
class Touched:
    """What facts are about, by natural key: nothing else is looked at."""

    results: set[Place] = field(default_factory=set)
    erased: set[Place] = field(default_factory=set)
    """Of these results, those that were erased meanwhile: one that stands again is a new row."""
    contracts: set[Place] = field(default_factory=set)
    recorded: list[CallRecorded | CardRecorded] = field(default_factory=list)
    chairs: set[Chair] = field(default_factory=set)
    hands: set[tuple[int, int]] = field(default_factory=set)
    evaluations: set[tuple[int, int]] = field(default_factory=set)
    tables: set[tuple[str, int]] = field(default_factory=set)
    is_status: bool = False


def touched(facts: Iterable[Fact]) -> Touched:
    """What these facts are about."""
    found = Touched()
    for fact in facts:
        match fact:
            case ResultRecorded() | ResultErased() | ResultJudged():
                place = fact.section, fact.table, fact.round, fact.board
                found.results.add(place)
                if isinstance(fact, ResultErased):
                    found.erased.add(place)
            case ContractRecorded():
                found.contracts.add((fact.section, fact.table, fact.round, fact.board))
            case CallRecorded() | CardRecorded():
                found.recorded.append(fact)
            case Seated() | Unseated():
                found.chairs.add((fact.section, fact.table, fact.round, fact.seat))
            case HandRecordSet():
                # The scoring program's own records are in the file already.
                if fact.source is not HandSource.SCORING_PROGRAM:
                    found.hands.add((fact.group, fact.board))
                found.evaluations.add((fact.group, fact.board))
            case HandEvaluated():
                found.evaluations.add((fact.group, fact.board))
            case LoggedOn() | LoggedOff() | TableAdded() | RoundsSet():
                found.tables.add((fact.section, fact.table))
            case StatusChanged():
                found.is_status = True
    return found


def rows_for(
    contents: Contents,
    session: Session,
    facts: Iterable[Fact],
    *,
    at: datetime,
    guids: Mapping[int, str] | None = None,
    lookup: Iterable[Player] = (),
    spots: Collection[Spot] | None = None,
) -> list[Edit]:
    """The edits that make a file say what these facts say, as the session stands after them.

    A number without a name gets the one that is loaded in the file or in `lookup`, as the section's settings say.
    Where the file is shared, `spots` are the tables that are ours: rows of others are left alone.
    """
    frame = frame_of(contents, guids)
    found = touched(facts)
    if spots is not None:
        found = _of_spots(found, frame, spots)
    return [
        *_results(contents, frame, session, found, at),
        *_contracts(contents, frame, session, found.contracts),
        *_recorded(contents, frame, found.recorded),
        *_chairs(contents, frame, session, found.chairs, at, lookup),
        *_hands(contents, frame, session, found.hands),
        *_evaluations(contents, frame, session, found.evaluations),
        *_tables(contents, frame, session, found.tables),
        *(_status(contents, frame, session, is_shared=spots is not None) if found.is_status else ()),
    ]


def _of_spots(found: Touched, frame: Frame, spots: Collection[Spot]) -> Touched:
    """What facts are about, at these tables alone; a deal is everybody's."""

    def is_ours(letters: str, table: int) -> bool:
        return (frame.ids.get(letters, 0), table) in spots

    return Touched(
        results={place for place in found.results if is_ours(*place[:2])},
        erased={place for place in found.erased if is_ours(*place[:2])},
        contracts={place for place in found.contracts if is_ours(*place[:2])},
        recorded=[fact for fact in found.recorded if is_ours(fact.section, fact.table)],
        chairs={chair for chair in found.chairs if is_ours(*chair[:2])},
        hands=found.hands,
        evaluations=found.evaluations,
        tables={table for table in found.tables if is_ours(*table)},
        is_status=found.is_status,
    )


def everything(session: Session) -> list[Fact]:
    """The facts that a session as it stands amounts to, for a file that may have missed some of them."""
    chairs = session.seating.chairs.values()
    return [
        *session.results.standing.values(),
        *session.results.erased.values(),
        *session.recording.contracts.values(),
        *session.recording.calls.values(),
        *session.recording.cards.values(),
        *chairs,
        *(
            HandEvaluated(record.group, record.board, record.tricks)
            for record in session.hands.records.values()
            if record.tricks is not None
        ),
        *session.tables.logged_on.values(),
        StatusChanged(session.setup.status),
    ]


# Results and contracts --------------------------------------------------------------------------------------


def _results(
    contents: Contents, frame: Frame, session: Session, found: Touched, at: datetime
) -> Iterator[Edit]:
    standing = contents.standing()
    by_place: dict[tuple[int, int, int, int], list[ResultRow]] = {}
    for row in contents.results:
        by_place.setdefault(row.place, []).append(row)
    for place in sorted(found.results):
        id = frame.ids.get(place[0])
        if id is None:
            continue
        key = id, *place[1:]
        rows = [row for row in by_place.get(key, []) if not row.erased]
        if any(row.external_update for row in by_place.get(key, [])):
            continue
        recorded = session.results.standing.get(place)
        values = result_values(recorded) if recorded else None
        if recorded is None or values is None:
            yield from _erased(rows if recorded is None else [], at)
            continue
        values |= _partners(session, place, values)
        live_row = standing.get(key)
        differs = live_row is not None and result_differs(live_row, values)
        if live_row is not None and place in found.erased and (differs or not _is_of(live_row, recorded)):
            yield from _erased(rows, at)
            live_row = None
        if live_row is None:
            yield Insert(
                "ReceivedData", {**place_values(key), **values, **fresh(recorded.at), "Erased": False}
            )
        elif differs:
            yield Update("ReceivedData", {"ID": live_row.id}, {**values, **changed(live_row, recorded.at)})


def _erased(rows: Iterable[ResultRow], at: datetime) -> Iterator[Edit]:
    for row in rows:
        yield Update("ReceivedData", {"ID": row.id}, {"Erased": True, **changed(row, at)})


def _is_of(row: ResultRow, recorded: ResultRecorded) -> bool:
    """Whether a row was logged for this entry, and not for an earlier one that said the same."""
    return moment(row.day, row.at, recorded.at.date()) == recorded.at.replace(microsecond=0)


def place_values(key: tuple[int, int, int, int]) -> dict[str, int]:
    """The fields of a place."""
    return dict(zip(("Section", "Table", "Round", "Board"), key, strict=True))


def _partners(session: Session, place: Place, values: Mapping[str, Any]) -> dict[str, int]:
    """The players of an individual: the other two, for files that have columns for them, and who declared."""
    played = session.movement.round(*place[:3])
    if played is None or not (played.south or played.west):
        return {}
    declarer = played.number(Seat(values["NS/EW"]))
    return {"South": played.south, "West": played.west, "Declarer": declarer}


def changed(row: ResultRow, at: datetime) -> dict[str, Any]:
    """The log fields and flags of a row that has changed: nobody has seen it yet, whatever flag they use."""
    return {**fresh(at), **dict.fromkeys(row.custom, False)}


def _contracts(contents: Contents, frame: Frame, session: Session, places: set[Place]) -> Iterator[Edit]:
    known = live(contents.contracts)
    for place in sorted(places):
        id = frame.ids.get(place[0])
        recorded = session.recording.contracts.get(place)
        if id is None or recorded is None:
            continue
        key = id, *place[1:]
        values = contract_values(recorded.contract, recorded.lead, recorded.ns, recorded.ew)
        values |= _partners(session, place, values)
        row = known.get(key)
        if row is None:
            yield Insert("IntermediateData", {**place_values(key), **values, **fresh(recorded.at)})
        elif result_differs(row, values):
            yield Update("IntermediateData", {"ID": row.id}, {**values, **changed(row, recorded.at)})


def _recorded(contents: Contents, frame: Frame, facts: list[CallRecorded | CardRecorded]) -> Iterator[Edit]:
    """Every call and card is a row of its own, an erased one too; what was the last word already is not repeated."""
    last: dict[tuple[str, int, int, int, int, int], tuple[str, str, bool]] = {}
    for call in sorted(contents.calls, key=lambda row: row.id):
        key = call.section, call.table, call.round, call.board, call.counter
        last["call", *key] = call.direction, call.call.casefold(), call.erased
    for card in sorted(contents.cards, key=lambda row: row.id):
        key = card.section, card.table, card.round, card.board, card.counter
        last["card", *key] = card.direction, card.card.casefold(), card.erased
    for fact in facts:
        id = frame.ids.get(fact.section)
        if id is None:
            continue
        is_call = isinstance(fact, CallRecorded)
        text = call_field(fact.call) if isinstance(fact, CallRecorded) else fact.card
        key = id, fact.table, fact.round, fact.board, fact.counter
        said = fact.seat.value, text.casefold(), fact.is_erased
        if last.get(("call" if is_call else "card", *key)) == said:
            continue
        last["call" if is_call else "card", *key] = said
        yield Insert(
            "BiddingData" if is_call else "PlayData",
            {
                **place_values(key[:4]),
                "Counter": fact.counter,
                "Direction": fact.seat.value,
                "Bid" if is_call else "Card": text,
                **log_fields(fact.at),
                "Erased": fact.is_erased,
            },
        )


def call_field(call: str) -> str:
    """A call as the file writes it.

    >>> [call_field(call) for call in ("1C", "3NT", "Pass", "X", "SkipBid")]
    ['1C', '3NT', 'PASS', 'X', 'SkipBid']
    """
    return write_spaced(None) if call == "Pass" else call


# People -----------------------------------------------------------------------------------------------------


def _chairs(
    contents: Contents,
    frame: Frame,
    session: Session,
    chairs: set[Chair],
    at: datetime,
    lookup: Iterable[Player],
) -> Iterator[Edit]:
    finder = name_finder(contents, lookup) if chairs else None
    rows: dict[tuple[int, int, int, str], PlayerNumberRow] = {}
    for row in contents.player_numbers:
        rows[row.section, row.table, row.round, row.direction.upper()] = row
    for chair in sorted(chairs, key=lambda chair: (*chair[:3], chair[3].value)):
        letters, table, _, seat = chair
        id = frame.ids.get(letters)
        if id is None:
            continue
        number, known = _chair_row(rows, session, id, chair)
        seated = session.seating.chairs.get(chair)
        player = seated.player if seated else Player("")
        if seated and seated.number in session.seating.players:
            player = session.seating.players[seated.number]
        name = player.name
        if finder and player.number and not name:
            settings = session.settings.second.get(letters, SettingsII())
            name = finder.find(player.number, settings.name_source)
        name = name[:NAME_LENGTH]
        if known is None:
            if not (player.number or name):
                continue
        elif known.updated:
            continue
        else:
            if player.number and not name and known.number == player.number:
                # A name that we do not know stays as another program has found it.
                name = known.name
            if (known.number, known.name) == (player.number, name):
                continue
        yield Put(
            "PlayerNumbers",
            {"Section": id, "Table": table, "Direction": seat.value, "Round": number},
            {
                "Number": player.number,
                "Name": name,
                "TimeLog": datetime.combine(NO_DAY, at.time().replace(microsecond=0)),
                "Processed": False,
            },
        )


def _chair_row(
    rows: Mapping[tuple[int, int, int, str], PlayerNumberRow], session: Session, id: int, chair: Chair
) -> tuple[int, PlayerNumberRow | None]:
    """Under which round a chair is in the file, and its row: the first round is kept as 0 unless East-West moves."""
    letters, table, number, seat = chair
    moves = session.setup.sections[letters].ew_moves if letters in session.setup.sections else 0
    if number > 1 or (number == 1 and moves and seat.side is Side.EW):
        return number, rows.get((id, table, number, seat.value))
    first = rows.get((id, table, 1, seat.value))
    start = rows.get((id, table, 0, seat.value))
    return (1, first) if number == 1 and first is not None and start is None else (0, start)


# Hands, tables and the session ------------------------------------------------------------------------------


def _sections_of(frame: Frame, session: Session, group: int) -> list[int]:
    return [
        frame.ids[letters]
        for letters, section in sorted(session.setup.sections.items())
        if section.group == group and letters in frame.ids
    ]


def _hands(contents: Contents, frame: Frame, session: Session, keys: set[tuple[int, int]]) -> Iterator[Edit]:
    if keys and not contents.has("HandRecord"):
        yield AddTable("HandRecord")
    known = {(row.section, row.board): row for row in contents.hand_records}
    for group, board in sorted(keys):
        record = session.hands.records.get((group, board))
        if record is None:
            continue
        values = deal_values(record.deal)
        for id in _sections_of(frame, session, group):
            if not _says(known.get((id, board)), values):
                yield Put("HandRecord", {"Section": id, "Board": board}, values)


def _says(row: FreeRow | None, values: Mapping[str, Any]) -> bool:
    return row is not None and all(same(row.get(name), value) for name, value in values.items())


def _evaluations(
    contents: Contents, frame: Frame, session: Session, keys: set[tuple[int, int]]
) -> Iterator[Edit]:
    known = {(row.section, row.board): row for row in contents.evaluations}
    is_first = True
    for group, board in sorted(keys):
        record = session.hands.records.get((group, board))
        if record is None or record.tricks is None:
            continue
        if is_first and not contents.has("HandEvaluation"):
            yield AddTable("HandEvaluation")
        is_first = False
        values: Mapping[str, int] = evaluation_values(record.deal, record.tricks)
        if contents.has("HandEvaluation"):
            values = {name: each for name, each in values.items() if contents.has("HandEvaluation", name)}
        for id in _sections_of(frame, session, group):
            if not _says(known.get((id, board)), values):
                yield Put("HandEvaluation", {"Section": id, "Board": board}, values)


def _tables(
    contents: Contents, frame: Frame, session: Session, tables: set[tuple[str, int]]
) -> Iterator[Edit]:
    rows = {(row.section, row.table): row for row in contents.tables}
    for letters, number in sorted(tables):
        row = rows.get((frame.ids.get(letters, 0), number))
        if row is None or (letters, number) not in session.movement.tables:
            continue
        is_on = (letters, number) in session.tables.logged_on
        values = {"Status": 1, "LogOnOff": LOGGED_ON if is_on else LOGGED_OFF}
        if (row.status, row.log_on_off) != (1, values["LogOnOff"]):
            yield Update("Tables", {"Section": row.section, "Table": row.table}, values)


def _status(contents: Contents, frame: Frame, session: Session, *, is_shared: bool) -> Iterator[Edit]:
    """The state of the session; where others play too, theirs may be further than ours."""
    number = STATUSES.index(session.setup.status)
    for row in contents.sessions:
        is_right = row.status >= number if is_shared else row.status == number
        if frame.guids.get(row.id) == session.opened.session and not is_right:
            yield Update("Session", {"ID": row.id}, {"Status": number})


# Taking a file over -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TakenOver:
    """What a control program writes when it starts, and what it has to say about it."""

    edits: tuple[Edit, ...]
    sentences: tuple[str, ...] = ()


def take_over(
    contents: Contents,
    sessions: Mapping[str, Session],
    *,
    computer: str,
    today: date,
    guids: Mapping[int, str] | None = None,
    clients: Collection[int] | None = None,
) -> TakenOver:
    """Our computer's record, guids and dates that are missing, and the state of every table of ours.

    Where the file is shared, `clients` are those whose tables we handle; alone we handle them all.
    """
    frame = frame_of(contents, guids)
    handled = {0, *(row.id for row in contents.clients)} if clients is None else clients
    edits: list[Edit] = [*client_row(contents, computer), *session_rows(contents, frame, today)]
    spots = spots_of(contents, handled)
    for session in sessions.values():
        ours = {
            (letters, number)
            for letters, number in session.movement.tables
            if (frame.ids.get(letters, 0), number) in spots
        }
        edits += _tables(contents, frame, session, ours)
    return TakenOver(tuple(edits), tuple(spoken(contents, frame, handled, computer)))


def client_row(contents: Contents, computer: str) -> Iterator[Edit]:
    """Our computer's record, if it is not there."""
    if contents.has("Clients") and not any(row.computer == computer for row in contents.clients):
        yield Insert("Clients", {"Computer": computer})


def session_rows(contents: Contents, frame: Frame, today: date) -> Iterator[Edit]:
    """The guids and dates that sessions of the file are without."""
    for row in contents.sessions:
        values: dict[str, Any] = {}
        if not plain_guid(row.guid):
            values["GUID"] = guid_text(frame.guids[row.id])
        if row.day is None:
            values["Date"] = datetime.combine(today, time())
        if values:
            yield Update("Session", {"ID": row.id}, values)
