"""The rows that the control software writes into a `.bws` file, rendered from the history of its sessions.

Depends on the file's contents, a session's state and its `RowHistory`; writes nothing and has no memory of its own.
"""

# How rows are reconciled
# -----------------------
#
# `rows_due` compares the rows of the file (observed) with the rows that the history asks for (desired) and returns the
# difference as edits. It is level-triggered: it does not react to changes, so it may run at any time and any number of
# times. Whatever a pass missed, by a restart or because another program had removed rows for a while, is due at the
# next one, and a pass right after the edits were carried out returns nothing.
#
# The scoring program writes into the same rows, so a difference alone is no reason for an edit. For a row of results,
# the log time (DateLog and TimeLog) tells which fact the row was written for, and decides:
#
#   row in the file       log time of the row             edit
#   -------------------   -----------------------------   ------------------------------------------------------------
#   ExternalUpdate set    any                             none for this board: the correction has to be imported first
#   none                  -                               Insert, unless the life is past (see `row_history`)
#   found                 at or after the newest fact     none: we wrote it. A difference is the scoring program's: it
#                                                         may write a correction first and set its flag second
#   found                 at or after the newest result,  Update of SuspiciousContract and Erased only: the result is
#                         before the newest fact          there, and only its judgement or erasure is due
#   found                 before the newest result        Update of all fields
#
# Each Update also writes the new log time and resets the Processed flags, so that every reader sees the row again. A
# version that was read from the row itself (`by_peer`) needs no edit.
#
# A note of the scoring program in Remarks survives; a remark that is a result of its own ("Not played") does not.
#
# The other tables follow simpler rules:
#   IntermediateData           the same log-time rule with a single version per board
#   BiddingData, PlayData      only grow, in the order of the facts, because readers follow them by ID. They are
#                              compared as multisets: each row accounts for one fact with the same content
#   PlayerNumbers              a row with Updated set is left alone until `control_side` has read it; a row that was
#                              written for the newest occupant only gets the name, if it has none
#   HandRecord                 overwritten only if it holds a deal that was entered here earlier
#   HandEvaluation             written if it differs
#   Tables, Session            state columns, written if they differ; in a shared file the session's status never goes
#                              back; a missing guid or date is added
#   Clients                    our computer is added if it is missing
#
# In a shared file the rows of tables that other computers handle are skipped. `ownership` lists the owner of each
# column; nothing that belongs to the scoring program is written here.

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import date, datetime, time
from itertools import compress
from typing import Any

from overtrick.bridge import Seat, Side
from overtrick.bridge.notation import write_spaced
from overtrick.bws.contents import Contents, newest_by_board
from overtrick.bws.edits import AddTable, Edit, Insert, Put, Update
from overtrick.bws.event_from_file import STATUSES
from overtrick.bws.hands import deal_of, deal_values, evaluation_values
from overtrick.bws.id_map import IdMap, build_id_map
from overtrick.bws.players import NAME_LENGTH
from overtrick.bws.results import (
    contract_values,
    is_own_remark,
    log_and_flag_fields,
    result_differs,
    result_values,
)
from overtrick.bws.row_history import ResultLife, RowHistory
from overtrick.bws.rows import (
    NO_DAY,
    CallRow,
    CardRow,
    FreeRow,
    PlayerNumberRow,
    ResultRow,
    is_same_value,
    log_datetime,
    log_fields,
)
from overtrick.bws.table_ownership import TableKey
from overtrick.errors import BadInput
from overtrick.event import Session
from overtrick.event.hands import HandSource
from overtrick.event.place import Place
from overtrick.event.recording import CallRecorded
from overtrick.event.seating import Chair, SessionPlayer
from overtrick.guid import guid_text, plain_guid

LOGGED_ON, LOGGED_OFF = 1, 2

PEER_DEAL_SOURCES = (HandSource.SCORING_PROGRAM, HandSource.FILE)
"""Sources of hand records that are not written: they came from the file or belong to the scoring program."""


def rows_due(
    contents: Contents,
    session: Session,
    history: RowHistory,
    *,
    own_tables: Collection[TableKey] | None = None,
) -> list[Edit]:
    """Return the edits that bring the rows of one session up to date.

    `own_tables` are the tables that we write in a shared file; rows of other tables are left alone. None means all.
    """
    id_map = build_id_map(contents)
    own_ids = _OwnSectionIds(id_map, own_tables)
    return [
        *_results(contents, session, history, own_ids),
        *_contracts(contents, session, history, own_ids),
        *_calls_and_cards(contents, history, own_ids),
        *_chairs(contents, session, history, own_ids),
        *_hands(contents, id_map, session, history),
        *_evaluations(contents, id_map, session),
        *_tables(contents, session, history, own_ids),
        *_status(contents, id_map, session, is_shared=own_tables is not None),
    ]


class _OwnSectionIds:
    """A lookup of section IDs by letters, restricted to the tables whose rows we write."""

    def __init__(self, id_map: IdMap, own_tables: Collection[TableKey] | None) -> None:
        self._ids = id_map.ids
        self._own_tables = own_tables

    def id_of(self, letters: str, table: int) -> int | None:
        """Return the ID of a table's section; None if the table is not ours or the section is not in the file now."""
        id = self._ids.get(letters)
        return (
            id if id is not None and (self._own_tables is None or (id, table) in self._own_tables) else None
        )


# Results and contracts --------------------------------------------------------------------------------------


def _results(
    contents: Contents, session: Session, history: RowHistory, own_ids: _OwnSectionIds
) -> Iterator[Edit]:
    by_place: dict[tuple[int, int, int, int], list[ResultRow]] = {}
    for row in sorted(contents.results, key=lambda row: row.id):
        by_place.setdefault(row.place, []).append(row)
    day = session.opened.day
    for place, lives in history.results.items():
        id = own_ids.id_of(place[0], place[1])
        if id is None:
            continue
        key = id, *place[1:]
        rows = by_place.get(key, [])
        if any(row.external_update for row in rows):
            continue  # the correction is imported first
        for life, matched in _match_rows(lives, rows, day):
            if matched is not None and (life.by_peer or _log(matched, day) >= life.log):
                continue  # up to date; if it differs, the scoring program has changed it
            values = result_values(life.recorded)
            if values is None:
                continue  # only one side has a result yet
            values = _fields(contents, "ReceivedData", {**values, **_partners(session, place, values)})
            yield from _result_edits(key, life, values, matched, day)


def _match_rows(
    lives: list[ResultLife], rows: list[ResultRow], day: date
) -> Iterator[tuple[ResultLife, ResultRow | None]]:
    """Pair each life with its row by log time, the newest life first.

    The scoring program may have changed the log time of a row, and older files have no log fields. Therefore, if no log
    time matches, the newest life gets the newest row that is not erased, and an erased life gets any erased row. This
    keeps rows from being added twice.
    """
    free = list(rows)
    matches: list[ResultRow | None] = []
    for life in reversed(lives):
        fitting = [row for row in free if _log(row, day) in life.logs]
        row = max(fitting, key=lambda row: (row.erased == life.is_erased, row.id), default=None)
        if row is not None:
            free.remove(row)
        matches.append(row)
    if matches[0] is None and not lives[-1].is_past:
        matches[0] = max((row for row in free if not row.erased), key=lambda row: row.id, default=None)
    erased = [row for row in free if row.erased]
    for index, life in enumerate(reversed(lives)):
        if matches[index] is None and life.is_erased and not life.is_past and erased:
            matches[index] = erased.pop()
    return zip(lives, reversed(matches), strict=True)


def _log(row: ResultRow, day: date) -> datetime:
    return log_datetime(row.day, row.at, day).replace(microsecond=0)


def _result_edits(
    key: tuple[int, int, int, int],
    life: ResultLife,
    values: dict[str, Any],
    row: ResultRow | None,
    day: date,
) -> Iterator[Edit]:
    """Yield the edit for a life whose newest version is not in the file yet."""
    if row is None:
        if not life.is_past:
            yield Insert(
                "ReceivedData",
                {**place_values(key), **values, **log_and_flag_fields(life.log), "Erased": life.is_erased},
            )
    # An erased row that `_match_rows` gave to an erased life without a matching log time needs no edit.
    elif not (row.erased and life.is_erased and _log(row, day) not in life.logs):
        # The file has the newest result; only its judgement or its erasure is due.
        if _log(row, day) >= life.result_log:
            values = {name: value for name, value in values.items() if name == "SuspiciousContract"}
        elif not values.get("Remarks") and not is_own_remark(row.remarks):
            values.pop("Remarks", None)  # keep the note of the scoring program
        if row.erased is not life.is_erased or result_differs(row, values):
            yield Update(
                "ReceivedData",
                {"ID": row.id},
                {**values, **_change_fields(row, life.log), "Erased": life.is_erased},
            )


def _fields(contents: Contents, table: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return the values whose columns exist in the file; older files lack some."""
    return {name: value for name, value in values.items() if contents.has(table, name)}


def place_values(key: tuple[int, int, int, int]) -> dict[str, int]:
    """Return the key fields of a board's row; `key` is section, table, round and board."""
    return dict(zip(("Section", "Table", "Round", "Board"), key, strict=True))


def _partners(session: Session, place: Place, values: Mapping[str, Any]) -> dict[str, int]:
    """Return the other two players of an individual and the declarer's number; empty for pairs."""
    played = session.movement.round(*place[:3])
    if played is None or not (played.south or played.west):
        return {}
    declarer = played.number(Seat(values["NS/EW"]))
    return {"South": played.south, "West": played.west, "Declarer": declarer}


def _change_fields(row: ResultRow, log: datetime) -> dict[str, Any]:
    """Return the log fields of a changed row and its Processed flags, reset so that every reader sees it again."""
    return {**log_and_flag_fields(log), **dict.fromkeys(row.custom, False)}


def _contracts(
    contents: Contents, session: Session, history: RowHistory, own_ids: _OwnSectionIds
) -> Iterator[Edit]:
    written = newest_by_board(contents.contracts)
    day = session.opened.day
    for place, version in history.contracts.items():
        id = own_ids.id_of(place[0], place[1])
        if id is None:
            continue
        key = id, *place[1:]
        recorded = version.recorded
        row = written.get(key)
        if row is not None and (version.by_peer or _log(row, day) >= version.log):
            continue
        values = contract_values(recorded.contract, recorded.lead, recorded.ns, recorded.ew)
        values = _fields(contents, "IntermediateData", {**values, **_partners(session, place, values)})
        if row is None:
            yield Insert(
                "IntermediateData", {**place_values(key), **values, **log_and_flag_fields(version.log)}
            )
        elif result_differs(row, values):
            yield Update("IntermediateData", {"ID": row.id}, {**values, **_change_fields(row, version.log)})


def _calls_and_cards(contents: Contents, history: RowHistory, own_ids: _OwnSectionIds) -> Iterator[Edit]:
    """Append the calls and cards that are not in the file yet, in the order of their facts.

    Readers follow these tables by ID, so rows are only added. Each row accounts for one fact with the same content; a
    fact without a row is due.
    """
    written: dict[tuple[str, int, int, int, int], list[tuple[object, ...]]] = {}
    compared = {
        table: [contents.has(table, name) for name in ("Counter", "Direction", text, "Erased")]
        for table, text in (("BiddingData", "Bid"), ("PlayData", "Card"))
    }
    recorded_rows: tuple[CallRow | CardRow, ...] = (*contents.calls, *contents.cards)
    for row in recorded_rows:
        table = "BiddingData" if isinstance(row, CallRow) else "PlayData"
        text = row.call if isinstance(row, CallRow) else row.card
        values = row.counter, row.direction, text.casefold(), row.erased
        written.setdefault((table, row.section, row.table, row.round, row.board), []).append(
            tuple(compress(values, compared[table]))
        )
    for fact in history.recorded:
        id = own_ids.id_of(fact.section, fact.table)
        is_call = isinstance(fact, CallRecorded)
        table = "BiddingData" if is_call else "PlayData"
        if id is None or not contents.has(table):
            continue
        text = call_field(fact.call) if isinstance(fact, CallRecorded) else fact.card
        place = id, fact.table, fact.round, fact.board
        content = fact.counter, fact.seat.value, text.casefold(), fact.is_erased
        rows = written.get((table, *place), [])
        if (compared_content := tuple(compress(content, compared[table]))) in rows:
            rows.remove(compared_content)
            continue
        yield Insert(
            table,
            {
                **place_values(place),
                "Counter": fact.counter,
                "Direction": fact.seat.value,
                "Bid" if is_call else "Card": text,
                **log_fields(fact.at),
                "Erased": fact.is_erased,
            },
        )


def call_field(call: str) -> str:
    """Return a call as the file writes it.

    >>> [call_field(call) for call in ("1C", "3NT", "Pass", "X", "SkipBid")]
    ['1C', '3NT', 'PASS', 'X', 'SkipBid']
    """
    return write_spaced(None) if call == "Pass" else call


# Players ----------------------------------------------------------------------------------------------------


def _chairs(
    contents: Contents,
    session: Session,
    history: RowHistory,
    own_ids: _OwnSectionIds,
) -> Iterator[Edit]:
    rows: dict[tuple[int, int, int, str], PlayerNumberRow] = {}
    for row in contents.player_numbers:
        rows[row.section, row.table, row.round, row.direction.upper()] = row
    for chair, version in history.chairs.items():
        id = own_ids.id_of(chair[0], chair[1])
        if id is None:
            continue
        number, chair_row = _chair_row(rows, session, id, chair)
        player = SessionPlayer("")
        if version.seated is not None:
            player = session.seating.player(version.seated)
        name = player.name[:NAME_LENGTH] if contents.has("PlayerNumbers", "Name") else ""
        if chair_row is None:
            if not (player.number or name):
                continue
        elif chair_row.updated or (chair_row.number, chair_row.name) == (player.number, name):
            continue
        elif version.by_peer or _is_logged(chair_row, version.log):
            # The row was written for this player. Only a name that has become known since is added.
            if chair_row.name or not name or chair_row.number != player.number:
                continue
        elif player.number and not name and chair_row.number == player.number:
            continue  # we do not know the name: keep the one in the file
        yield Put(
            "PlayerNumbers",
            {"Section": id, "Table": chair[1], "Direction": chair[3].value, "Round": number},
            {
                "Number": player.number,
                "Name": name,
                "TimeLog": datetime.combine(NO_DAY, version.log.time()),
                "Processed": False,
            },
        )


def _is_logged(row: PlayerNumberRow, log: datetime) -> bool:
    return row.at is not None and row.at.time() == log.time()


def _chair_row(
    rows: Mapping[tuple[int, int, int, str], PlayerNumberRow], session: Session, id: int, chair: Chair
) -> tuple[int, PlayerNumberRow | None]:
    """Return the round number and the row of a chair in the file.

    The file stores the first round as 0, unless East-West moves before play.
    """
    letters, table, number, seat = chair
    ew_moves = session.setup.sections[letters].ew_moves if letters in session.setup.sections else 0
    if number > 1 or (number == 1 and ew_moves and seat.side is Side.EW):
        return number, rows.get((id, table, number, seat.value))
    first = rows.get((id, table, 1, seat.value))
    start = rows.get((id, table, 0, seat.value))
    return (1, first) if number == 1 and first is not None and start is None else (0, start)


# Hands, tables and the session ------------------------------------------------------------------------------


def _sections_of(id_map: IdMap, session: Session, group: int) -> list[int]:
    return [
        id_map.ids[letters]
        for letters, section in sorted(session.setup.sections.items())
        if section.group == group and letters in id_map.ids
    ]


def _hands(contents: Contents, id_map: IdMap, session: Session, history: RowHistory) -> Iterator[Edit]:
    """Yield the edits for deals that players or the director entered, but not for those of the scoring program.

    A row with a deal that was never entered here belongs to the scoring program, and is left alone.
    """
    due = {
        key: versions for key, versions in history.deals.items() if versions.source not in PEER_DEAL_SOURCES
    }
    if due and not contents.has("HandRecord"):
        yield AddTable("HandRecord")
    hands = {(row.section, row.board): row for row in contents.hand_records}
    for (group, board), versions in due.items():
        *earlier, deal = versions.deals
        for id in _sections_of(id_map, session, group):
            row = hands.get((id, board))
            if row is not None:
                try:
                    if deal_of(row) not in earlier:
                        continue
                except BadInput:
                    continue
            yield Put("HandRecord", {"Section": id, "Board": board}, deal_values(deal))


def _has_values(row: FreeRow | None, values: Mapping[str, Any]) -> bool:
    return row is not None and all(is_same_value(row.get(name), value) for name, value in values.items())


def _evaluations(contents: Contents, id_map: IdMap, session: Session) -> Iterator[Edit]:
    evaluations = {(row.section, row.board): row for row in contents.evaluations}
    needs_table = not contents.has("HandEvaluation")
    for (group, board), record in session.hands.records.items():
        if record.tricks is None:
            continue
        if needs_table:
            yield AddTable("HandEvaluation")
            needs_table = False
        values: Mapping[str, int] = evaluation_values(record.deal, record.tricks)
        if contents.has("HandEvaluation"):
            values = {name: value for name, value in values.items() if contents.has("HandEvaluation", name)}
        for id in _sections_of(id_map, session, group):
            if not _has_values(evaluations.get((id, board)), values):
                yield Put("HandEvaluation", {"Section": id, "Board": board}, values)


def _tables(
    contents: Contents, session: Session, history: RowHistory, own_ids: _OwnSectionIds
) -> Iterator[Edit]:
    """Yield the edits for the state of the tables; a record that was removed and added again gets its state back.

    Where auctions or play are recorded, the state includes the current round and board.
    """
    recorded = {(fact.section, fact.table): (fact.round, fact.board) for fact in history.recorded}
    rows = {(row.section, row.table): row for row in contents.tables}
    for letters, number in session.movement.tables:
        row = rows.get((own_ids.id_of(letters, number) or 0, number))
        if row is None:
            continue
        is_on = (letters, number) in session.tables.logged_on
        values = {"Status": 1, "LogOnOff": LOGGED_ON if is_on else LOGGED_OFF}
        present = {"Status": row.status, "LogOnOff": row.log_on_off}
        if current := recorded.get((letters, number)):
            values |= {"CurrentRound": current[0], "CurrentBoard": current[1]}
            present |= {"CurrentRound": row.current_round, "CurrentBoard": row.current_board}
        if _fields(contents, "Tables", present) != _fields(contents, "Tables", values):
            yield Update("Tables", {"Section": row.section, "Table": row.table}, values)


def _status(contents: Contents, id_map: IdMap, session: Session, *, is_shared: bool) -> Iterator[Edit]:
    """Yield the edit for the session's status; in a shared file a later status from another computer stays."""
    status = STATUSES.index(session.setup.status)
    for row in contents.sessions:
        is_current = row.status >= status if is_shared else row.status == status
        is_ours = id_map.guids.get(row.id) == session.opened.session
        if is_ours and not is_current and contents.has("Session", "Status"):
            yield Update("Session", {"ID": row.id}, {"Status": status})


# Records that are written once ------------------------------------------------------------------------------


def client_edits(contents: Contents, computer: str) -> Iterator[Edit]:
    """Yield the edit that adds our computer's record, if it is missing."""
    if contents.has("Clients") and not any(row.computer == computer for row in contents.clients):
        yield Insert("Clients", {"Computer": computer})


def session_edits(contents: Contents, id_map: IdMap, today: date) -> Iterator[Edit]:
    """Yield the edits that add missing guids and dates to the sessions of the file."""
    for row in contents.sessions:
        values: dict[str, Any] = {}
        if not plain_guid(row.guid):
            values["GUID"] = guid_text(id_map.guids[row.id])
        if row.day is None:
            values["Date"] = datetime.combine(today, time())
        if values:
            yield Update("Session", {"ID": row.id}, values)
