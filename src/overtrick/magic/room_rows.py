"""Import of the two rooms of a match: line-ups (2C) and boards (2D)."""

from dataclasses import replace

from overtrick.bridge import (
    Award,
    Card,
    NotPlayed,
    Outcome,
    PassedOut,
    Played,
    Seat,
    Undecided,
    vulnerability,
)
from overtrick.bridge.notation import parse_contract, parse_lead
from overtrick.errors import OvertrickError
from overtrick.event.teams import (
    LineUp,
    LineUpSet,
    Pairing,
    Room,
    TeamBoardRecorded,
    TeamBoardResult,
    TeamEvent,
    TeamFormat,
)
from overtrick.magic.matches import SegmentPlace, locate_segment, refuse_repeat
from overtrick.magic.merge import FileMerge, Rows
from overtrick.magic.rows import SEATS, BoardRow, LineUpRow, RoomColumns
from overtrick.magic.values import write_decimal
from overtrick.registry import Conflict
from overtrick.views.team_results_from_tables import RoomResult
from overtrick.views.teams import BoardFigures, TeamView


def import_line_ups(merge: FileMerge, rows: Rows) -> None:
    """Import 2C: the line-ups."""
    first_lines: dict[tuple[object, ...], int] = {}

    def import_row(row: LineUpRow) -> None:
        place = locate_segment(merge, row.human, row.ids)
        try:
            room = Room(row.human.room.capitalize())
        except ValueError:
            raise merge.refuse("csRoom", f"The room is Open or Closed, not {row.human.room!r}.") from None
        refuse_repeat(merge, first_lines, place.guid, place.segment, room)
        home, away = place.segment.home, place.away
        ns, ew = (home, away) if room is Room.OPEN else (away, home)
        event = merge.events[place.guid]
        current = event.line_ups.get((place.segment, room), LineUp())
        ids = []
        for seat, team, name, code, ours in zip(
            SEATS,
            (ns, ns, ew, ew),
            row.names,
            row.member_codes,
            (current.north, current.south, current.east, current.west),
            strict=True,
        ):
            ids.append(
                merge.resolve(f"csPlayerName{seat}", ours, _find_seated(merge, event, team, seat, name, code))
            )
        merge.put(place.guid, LineUpSet(place.segment, room, LineUp(*ids)), "csRoom")

    merge.run(rows, import_row)


def _find_seated(merge: FileMerge, event: TeamEvent, team: int, seat: str, name: str, code: str) -> int:
    if not (name or code):
        return 0
    people = [event.players[member.player] for member in event.rosters.get(team, ())]
    candidates = [person for person in people if code and person.member_code == code]
    candidates = candidates or [
        person for person in people if person.name == name and not (code and person.member_code)
    ]
    if len(candidates) != 1:
        problem = (
            f"{len(candidates)} players are called {name!r}"
            if candidates
            else f"There is no player {name or code!r}"
        )
        raise merge.refuse(f"csPlayerName{seat}", f"{problem} in {event.teams[team].name}.")
    return candidates[0].id


def import_boards(merge: FileMerge, rows: Rows) -> None:
    """Import 2D: the results of each board in both rooms."""
    first_lines: dict[tuple[object, ...], int] = {}

    def import_row(row: BoardRow) -> None:
        place = locate_segment(merge, row.human, row.ids)
        if row.board is None or not 1 <= row.board <= 9999:
            raise merge.refuse("nBoard", "The board number is missing, or not between 1 and 9999.")
        refuse_repeat(merge, first_lines, place.guid, place.segment, row.board)
        results = {
            room: _result(merge, row.board, columns, room.value)
            for room, columns in ((Room.OPEN, row.open), (Room.CLOSED, row.closed))
        }
        _check_imps(merge, row, place, results)
        event = merge.events[place.guid]
        for room, result in results.items():
            if result is None:
                continue
            theirs = TeamBoardResult(room, row.board, result.outcome, result.lead, result.outcome_ew)
            ours = event.boards.get(place.segment, {}).get((room, row.board))
            if ours is not None and ours != theirs and merge.line not in merge.accepted:
                column = f"csContract{room.value}"
                merge.conflicts.append(Conflict(merge.line, column, _result_text(ours), _result_text(theirs)))
                continue
            merge.put(place.guid, TeamBoardRecorded(place.segment, theirs), "nBoard")

    merge.run(rows, import_row)


def _result_text(result: TeamBoardResult) -> str:
    lead = f" lead {result.lead.value}" if result.lead else ""
    split = f" for East-West {result.outcome_ew}" if result.outcome_ew else ""
    return f"{result.outcome}{split}{lead}"


def _result(merge: FileMerge, board: int, columns: RoomColumns, room: str) -> RoomResult | None:
    if not any(value not in (None, "") for value in columns):
        return None
    try:
        outcome = _outcome(columns)
        lead: Card | None = parse_lead(columns.lead)
    except (OvertrickError, ValueError) as error:
        raise merge.refuse(f"csContract{room}", str(error)) from error
    if lead is not None and not isinstance(outcome, Played):
        raise merge.refuse(f"csLead{room}", "A lead needs a contract that was played.")
    ns = outcome.ns_score(vulnerability(board)) or 0
    file_ns, file_ew = columns.result_ns, columns.result_ew
    # The side with the negative score may have an empty cell, 0 or the negative score.
    is_same_ns = file_ns in (None, ns) or (file_ns == 0 and ns < 0)
    is_same_ew = file_ew in (None, -ns) or (file_ew == 0 and ns > 0)
    if not is_same_ns:
        raise merge.refuse(f"nResultNS{room}", f"{outcome} on board {board} is {ns}, not {file_ns}.")
    if is_same_ew:
        return RoomResult(outcome, None, lead)
    if file_ns != ns or file_ew is None:
        raise merge.refuse(f"nResultEW{room}", f"{outcome} on board {board} is {-ns}, not {file_ew}.")
    outcome_ew = _east_west_outcome(merge, outcome, board, file_ew, room)
    merge.notes.append(
        f"line {merge.line}: in the {room.lower()} room board {board} is {outcome} for North-South and "
        f"{outcome_ew} for East-West."
    )
    return RoomResult(outcome, outcome_ew, lead)


def _east_west_outcome(merge: FileMerge, outcome: Outcome, board: int, file_ew: int, room: str) -> Outcome:
    """Return the separate outcome of East-West, if its score is not the opposite of North-South's.

    There is one contract for both sides, so the outcome is that contract with other tricks, or a score of 0.
    """
    if file_ew == 0:
        return PassedOut()
    if isinstance(outcome, Played):
        for tricks in range(14):
            other = Played(outcome.contract, tricks)
            if other.ns_score(vulnerability(board)) == -file_ew:
                return other
    raise merge.refuse(
        f"nResultEW{room}",
        f"{outcome} on board {board} is {-(outcome.ns_score(vulnerability(board)) or 0)}, not {file_ew}. It is not "
        "a separate result for East-West either: no number of tricks in this contract gives that score.",
    )


def _outcome(columns: RoomColumns) -> Outcome:
    word = columns.contract
    if not word:
        raise ValueError("A result needs a contract, Pass, NP, Arbitral or an award such as 60-40.")
    for outcome in (NotPlayed(), Undecided(), PassedOut()):
        if word.lower() == str(outcome).lower():
            return outcome
    if "-" in word and isinstance(award := Outcome.parse(word), Award):
        return award
    declarer = columns.declarer[:1].upper()
    if declarer not in ("N", "E", "S", "W"):
        raise ValueError(f"The declarer must be N, E, S or W, not {columns.declarer!r}.")
    contract = parse_contract(word, Seat(declarer))
    assert contract is not None
    if columns.tricks is None:
        raise ValueError(f"{word} needs the number of tricks.")
    return Played(contract, columns.tricks)


def _check_imps(
    merge: FileMerge, row: BoardRow, place: SegmentPlace, rooms: dict[Room, RoomResult | None]
) -> None:
    """Refuse the row if its IMPs are not those of its results.

    Scores that do not balance are as each side has them or, in a knock-out, averaged (Law 12C4). Files do not say which
    matches are knock-outs, so either is accepted.
    """
    if row.imps_home is None and row.imps_away is None:
        return
    assert row.board is not None
    pairing = Pairing(1, place.segment.home, place.away)
    results = {
        (room, row.board): TeamBoardResult(room, row.board, result.outcome, None, result.outcome_ew)
        for room, result in rooms.items()
        if result is not None
    }
    division = merge.events[place.guid].divisions[place.segment.serie]
    figures = row.imps_home or 0, row.imps_away or 0
    own: list[BoardFigures] = []
    for format in dict.fromkeys((division.format, TeamFormat.ROUND_ROBIN, TeamFormat.KNOCK_OUT)):
        view = TeamView(
            TeamEvent(
                divisions={division.id: replace(division, format=format)}, boards={place.segment: results}
            )
        )
        lines = view.board_figures(place.segment, pairing)
        if all((line.imps_home or 0, line.imps_away or 0) == figures for line in lines):
            return
        own = own or lines
    for line in own:
        for side, theirs, ours in (
            ("Home", row.imps_home, line.imps_home),
            ("Away", row.imps_away, line.imps_away),
        ):
            if (theirs or 0) != (ours or 0):
                raise merge.refuse(
                    f"fIMP{side}",
                    f"It is {write_decimal(theirs) or '0'}, but the results give {write_decimal(ours) or '0'}.",
                )
