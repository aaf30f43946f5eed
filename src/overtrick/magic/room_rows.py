"""Import of the two rooms of a match: line-ups (2C) and boards (2D)."""

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
)
from overtrick.magic.matches import SegmentPlace, once, place_of
from overtrick.magic.merge import FileMerge, Rows
from overtrick.magic.rows import SEATS, BoardRow, LineUpRow, RoomColumns
from overtrick.magic.values import write_decimal
from overtrick.registry import Conflict
from overtrick.views.team_results_from_tables import RoomResult
from overtrick.views.teams import TeamView


def take_line_ups(joining: FileMerge, rows: Rows) -> None:
    """Import 2C: the line-ups."""
    seen: dict[tuple[object, ...], int] = {}

    def take(row: LineUpRow) -> None:
        place = place_of(joining, row.human, row.ids)
        try:
            room = Room(row.human.room.capitalize())
        except ValueError:
            raise joining.refuse("csRoom", f"It is Open or Closed, not {row.human.room!r}.") from None
        once(joining, seen, place.guid, place.segment, room)
        home, away = place.segment.home, place.away
        ns, ew = (home, away) if room is Room.OPEN else (away, home)
        event = joining.events[place.guid]
        before = event.line_ups.get((place.segment, room), LineUp())
        found = []
        for seat, team, name, code, ours in zip(
            SEATS,
            (ns, ns, ew, ew),
            row.names,
            row.member_codes,
            (before.north, before.south, before.east, before.west),
            strict=True,
        ):
            found.append(
                joining.merge(f"csPlayerName{seat}", ours, _seated(joining, event, team, seat, name, code))
            )
        joining.put(place.guid, LineUpSet(place.segment, room, LineUp(*found)), "csRoom")

    joining.run(rows, take)


def _seated(joining: FileMerge, event: TeamEvent, team: int, seat: str, name: str, code: str) -> int:
    if not (name or code):
        return 0
    people = [event.players[member.player] for member in event.rosters.get(team, ())]
    fits = [person for person in people if code and person.member_code == code]
    fits = fits or [person for person in people if person.name == name and not (code and person.member_code)]
    if len(fits) != 1:
        many = f"{len(fits)} people are called {name!r}" if fits else f"There is no {name or code!r}"
        raise joining.refuse(f"csPlayerName{seat}", f"{many} in {event.teams[team].name}.")
    return fits[0].id


def take_boards(joining: FileMerge, rows: Rows) -> None:
    """Import 2D: the results of each board in both rooms."""
    seen: dict[tuple[object, ...], int] = {}

    def take(row: BoardRow) -> None:
        place = place_of(joining, row.human, row.ids)
        if row.board is None or not 1 <= row.board <= 9999:
            raise joining.refuse("nBoard", f"{row.board} is no number of a board.")
        once(joining, seen, place.guid, place.segment, row.board)
        read = {
            room: _result(joining, row.board, columns, room.value)
            for room, columns in ((Room.OPEN, row.open), (Room.CLOSED, row.closed))
        }
        _check_imps(joining, row, place, read)
        event = joining.events[place.guid]
        for room, result in read.items():
            if result is None:
                continue
            wanted = TeamBoardResult(room, row.board, result.outcome, result.lead, result.outcome_ew)
            ours = event.boards.get(place.segment, {}).get((room, row.board))
            if ours is not None and ours != wanted and joining.line not in joining.accepted:
                column = f"csContract{room.value}"
                joining.conflicts.append(Conflict(joining.line, column, _words(ours), _words(wanted)))
                continue
            joining.put(place.guid, TeamBoardRecorded(place.segment, wanted), "nBoard")

    joining.run(rows, take)


def _words(result: TeamBoardResult) -> str:
    lead = f" lead {result.lead.value}" if result.lead else ""
    split = f" for East-West {result.outcome_ew}" if result.outcome_ew else ""
    return f"{result.outcome}{split}{lead}"


def _result(joining: FileMerge, board: int, columns: RoomColumns, room: str) -> RoomResult | None:
    if not any(value not in (None, "") for value in columns):
        return None
    try:
        outcome = _outcome(columns)
        lead: Card | None = parse_lead(columns.lead)
    except (OvertrickError, ValueError) as error:
        raise joining.refuse(f"csContract{room}", str(error)) from error
    if lead is not None and not isinstance(outcome, Played):
        raise joining.refuse(f"csLead{room}", "There is a lead only where a contract was played.")
    ns = outcome.ns_score(vulnerability(board)) or 0
    given_ns, given_ew = columns.result_ns, columns.result_ew
    # The side that a result is not good for may have nothing, 0 or the same with a minus.
    is_same_ns = given_ns in (None, ns) or (given_ns == 0 and ns < 0)
    is_same_ew = given_ew in (None, -ns) or (given_ew == 0 and ns > 0)
    if not is_same_ns:
        raise joining.refuse(f"nResultNS{room}", f"{outcome} on board {board} is {ns}, not {given_ns}.")
    if is_same_ew:
        return RoomResult(outcome, None, lead)
    if given_ns != ns or given_ew is None:
        raise joining.refuse(f"nResultEW{room}", f"{outcome} on board {board} is {-ns}, not {given_ew}.")
    other = _split(joining, outcome, board, given_ew, room)
    joining.notes.append(
        f"line {joining.line}: in the {room.lower()} room board {board} is {outcome} for North-South and {other} for "
        "East-West."
    )
    return RoomResult(outcome, other, lead)


def _split(joining: FileMerge, outcome: Outcome, board: int, given_ew: int, room: str) -> Outcome:
    """Return East-West's outcome if it is not the reverse of North-South's.

    The columns hold a result for each side but one contract, so it is that contract with other tricks, or a board
    without a score.
    """
    if given_ew == 0:
        return PassedOut()
    if isinstance(outcome, Played):
        for tricks in range(14):
            other = Played(outcome.contract, tricks)
            if other.ns_score(vulnerability(board)) == -given_ew:
                return other
    raise joining.refuse(
        f"nResultEW{room}",
        f"{outcome} on board {board} is {-(outcome.ns_score(vulnerability(board)) or 0)}, not {given_ew}; and as a "
        "separate result for East-West it is none, because no number of tricks in this contract makes it.",
    )


def _outcome(columns: RoomColumns) -> Outcome:
    word = columns.contract
    if not word:
        raise ValueError("A result has a contract, Pass, NP, Arbitral or an award such as 60-40.")
    for outcome in (NotPlayed(), Undecided(), PassedOut()):
        if word.lower() == str(outcome).lower():
            return outcome
    if "-" in word and isinstance(award := Outcome.parse(word), Award):
        return award
    declarer = columns.declarer[:1].upper()
    if declarer not in ("N", "E", "S", "W"):
        raise ValueError(f"The declarer is N, E, S or W, not {columns.declarer!r}.")
    contract = parse_contract(word, Seat(declarer))
    assert contract is not None
    if columns.tricks is None:
        raise ValueError(f"{word} has no number of tricks.")
    return Played(contract, columns.tricks)


def _check_imps(
    joining: FileMerge, row: BoardRow, place: SegmentPlace, read: dict[Room, RoomResult | None]
) -> None:
    """Check that the given IMPs are those of the results."""
    if row.imps_home is None and row.imps_away is None:
        return
    assert row.board is not None
    pairing = Pairing(1, place.segment.home, place.away)
    results = {
        (room, row.board): TeamBoardResult(room, row.board, result.outcome, None, result.outcome_ew)
        for room, result in read.items()
        if result is not None
    }
    view = TeamView(TeamEvent(boards={place.segment: results}))
    for line in view.board_figures(place.segment, pairing):
        for side, given, ours in (
            ("Home", row.imps_home, line.imps_home),
            ("Away", row.imps_away, line.imps_away),
        ):
            if (given or 0) != (ours or 0):
                raise joining.refuse(
                    f"fIMP{side}",
                    f"It is {write_decimal(given) or '0'}, but the results make {write_decimal(ours) or '0'}.",
                )
