"""A Swiss section: the rounds that are drawn and that are not, and the commands that draw, lengthen and shorten it.

The movement is the state: in a round that is still to be drawn nobody sits at any table, and its boards follow those
before it; tables wait as long as there is one. The section's format tells a Swiss one whose rounds are all drawn.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from overtrick.bridge import Seat, Side
from overtrick.event import Command, Session, SessionTransaction
from overtrick.event.movement import (
    EMPTY,
    Round,
    SectionPlan,
    SetMovement,
    TablePlan,
    boards_to_play,
    sitting,
)
from overtrick.event.seating import Participation, PutParticipations, Source
from overtrick.event.setup import GameKind, Lot, SectionFormat, SectionSet
from overtrick.movements import Draw, Rounds
from overtrick.movements.model import sets_of_boards
from overtrick.movements.round_robins import Match


@dataclass(frozen=True, slots=True)
class MissingBoards:
    """Boards of a drawn round that have no result at a table."""

    round: int
    table: int
    boards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SwissSection:
    """A Swiss section as it stands."""

    section: str
    boards: tuple[tuple[int, ...], ...]
    """Of every round, drawn or still to be."""
    drawn: Rounds
    """The rounds that are drawn; there is at least one."""
    has_begun: bool
    """True if anything is entered in the last round that is drawn."""
    missing: tuple[MissingBoards, ...]
    """The boards without a result, in all rounds that are drawn."""
    lots: Mapping[int, int]
    """The lot that each round was drawn by, where one was."""

    @property
    def planned(self) -> int:
        """Return the number of rounds to be played."""
        return len(self.boards)

    @property
    def last(self) -> int:
        """Return the last round that is drawn."""
        return len(self.drawn.matches)

    @property
    def number(self) -> int:
        """Return the round that can be drawn now: the next, or the last one again while nothing is entered in it.

        Beyond the last that is planned it is none.
        """
        return self.last + 1 if self.has_begun else self.last

    @property
    def is_again(self) -> bool:
        """True if the round that can be drawn is on the tables already."""
        return self.number == self.last

    @property
    def can_draw(self) -> bool:
        """True if there is a round that can be drawn."""
        return self.number <= self.planned

    @property
    def is_due(self) -> bool:
        """True if the next round can be drawn, and everything before it is scored."""
        return self.can_draw and not self.is_again and not self.missing

    @property
    def before(self) -> Rounds:
        """Return the rounds before the one that can be drawn."""
        return Rounds(self.drawn.matches[: self.number - 1])

    @property
    def unscored(self) -> tuple[MissingBoards, ...]:
        """Return the boards without a result in the rounds before the one that can be drawn."""
        return tuple(each for each in self.missing if each.round < self.number)

    @property
    def everyone(self) -> list[int]:
        """Return everyone who ever sat here."""
        return sorted({pair for played in self.drawn.matches for match in played for pair in match if pair})

    @property
    def present(self) -> list[int]:
        """Return everyone in the last round that is drawn."""
        return sorted({pair for match in self.drawn.matches[-1] for pair in match if pair})

    def line(self, number: int) -> str:
        """Return a round that is drawn, as `Draw` writes it."""
        played = self.drawn.matches[number - 1]
        waiting = [max(match) for match in played if not all(match)]
        return str(Draw(tuple(match for match in played if all(match)), waiting[0] if waiting else 0))

    @property
    def on_tables(self) -> str:
        """Return the round that can be drawn as it is on the tables; an empty text where it is not drawn yet."""
        return self.line(self.number) if self.is_again else ""


def swiss_of(session: Session, section: str) -> SwissSection | None:
    """Return a section as a Swiss one; None where it is none."""
    known = session.setup.sections.get(section)
    if known is None or known.game is not GameKind.PAIRS or known.combi or session.winners(section) != 1:
        return None
    found = _rounds_of(session, known)
    if found is None:
        return None
    boards, drawn = found
    is_open = len(drawn) < len(boards)
    if not drawn or not (is_open or known.format is SectionFormat.SWISS):
        return None
    return SwissSection(
        section,
        tuple(boards),
        Rounds(tuple(drawn)),
        any(place[0] == section and place[2] >= len(drawn) for place in session.results.standing),
        tuple(_missing(session, section, len(drawn))),
        {drawn_by.round: drawn_by.lot for drawn_by in known.lots},
    )


def _rounds_of(
    session: Session, known: SectionSet
) -> tuple[list[tuple[int, ...]], list[tuple[Match, ...]]] | None:
    """Return the boards of every round and the matches of those that are drawn.

    None where the tables of a round play different boards, or a round is drawn after one that is not.
    """
    tables = session.movement.section(known.section).values()
    boards: list[tuple[int, ...]] = []
    drawn: list[tuple[Match, ...]] = []
    for number in range(session.movement.rounds(known.section)):
        here = [at.rounds[number] for at in tables if number < len(at.rounds)]
        sets = {played.boards for played in here if played.boards}
        seated = [sitting(known, played) for played in here]
        matches = tuple((played.ns, played.ew) for played in seated if played.ns or played.ew)
        if len(sets) > 1 or (matches and len(drawn) < number):
            return None
        boards.append(sets.pop() if sets else _following(boards))
        if matches:
            drawn.append(matches)
    return boards, drawn


def _following(boards: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Return as many boards as in the round before, the next ones."""
    return (
        sets_of_boards(1, len(boards[-1]), max(boards[-1], default=0) + 1)[0] if boards and boards[-1] else ()
    )


def _missing(session: Session, section: str, last: int) -> Iterator[MissingBoards]:
    left: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for place in boards_to_play(session):
        letters, table, number, board = place
        if letters == section and number <= last and place not in session.results.standing:
            left[number, table].append(board)
    for (number, table), boards in sorted(left.items()):
        yield MissingBoards(number, table, tuple(boards))


def swiss_name(lots: Sequence[Lot]) -> str:
    """Return the name that a Swiss section has for display where nobody names it; it tells the lots to everyone.

    >>> swiss_name(()), swiss_name((Lot(1, 4711), Lot(3, 12)))
    ('Swiss', 'Swiss, round 1 by lot 4711, round 3 by lot 12')
    """
    return ", ".join(["Swiss", *(f"round {each.round} by lot {each.lot}" for each in lots)])


def opening_plan(section: str, group: int, lot: int = 0) -> SectionPlan:
    """Return the features of a Swiss section that begins, its first round drawn by this lot, if by any."""
    lots = (Lot(1, lot),) if lot else ()
    return SectionPlan(section, group, 1, name=swiss_name(lots), format=SectionFormat.SWISS, lots=lots)


def opening_tables(draw: Draw, boards: Sequence[tuple[int, ...]]) -> tuple[TablePlan, ...]:
    """Return the tables of a Swiss section that begins: its first round, and those that are still to be drawn."""
    return tuple(
        TablePlan(
            station.table,
            (Round(station.ns, station.ew, station.boards), *(EMPTY,) * (len(boards) - 1)),
            is_waiting=len(boards) > 1,
        )
        for station in draw.stations(1, boards[0])
    )


def draw_command(session: Session, swiss: SwissSection, draw: Draw, lot: int = 0) -> Command:
    """Return the command that seats a drawn round, all of it or nothing; players keep their seats in it.

    A pair that has come late is at a new table in the rounds before, where it sits out.
    """
    number = swiss.number
    tables = session.movement.section(swiss.section)
    stations = draw.stations(number, swiss.boards[number - 1])
    late = [pair for pair in sorted(draw.numbers) if number > 1 and pair not in swiss.everyone]
    fresh = dict(enumerate(late, start=max(tables) + 1))
    numbers = sorted({*tables, *fresh})
    numbers += range(max(numbers) + 1, max(numbers) + 1 + len(stations) - len(numbers))
    rounds = {
        table: Round(station.ns, station.ew, station.boards)
        for table, station in zip(numbers, stations, strict=False)
    }
    plans = []
    for table in numbers:
        have = min(len(tables[table].rounds) if table in tables else 0, number - 1)
        sat_out = Round(fresh[table], 0) if table in fresh else EMPTY
        plans.append(
            TablePlan(
                table,
                (sat_out,) * (number - 1 - have)
                + (rounds.get(table, EMPTY), *(EMPTY,) * (swiss.planned - number)),
                have + 1,
                is_waiting=number < swiss.planned,
            )
        )
    lots = [Lot(before, kept) for before, kept in swiss.lots.items() if before < number]
    plan = _plan(session, swiss.section, (*lots, Lot(number, lot)) if lot else tuple(lots))
    moving = SetMovement(session.opened.session, plan, tuple(plans))
    chairs = tuple(_moved_chairs(session, swiss.section, number, rounds)) if swiss.is_again else ()
    if not chairs:
        return moving
    return SessionTransaction(
        session.opened.session,
        (moving, PutParticipations(session.opened.session, chairs, Source.DESK, must_be_known=False)),
    )


def length_command(session: Session, swiss: SwissSection, rounds: int) -> SetMovement:
    """Return the command for a total number of rounds, at least those drawn; added ones are as long as the last one."""
    plans = []
    for table, at in session.movement.section(swiss.section).items():
        have = min(len(at.rounds), swiss.last)
        plans.append(TablePlan(table, (EMPTY,) * (rounds - have), have + 1, is_waiting=rounds > swiss.last))
    known = session.setup.sections[swiss.section]
    return SetMovement(session.opened.session, _plan(session, swiss.section, known.lots), tuple(plans))


def _plan(session: Session, section: str, lots: tuple[Lot, ...]) -> SectionPlan:
    known = session.setup.sections[section]
    # A name that somebody gave is kept; ours follows the lots.
    name = swiss_name(lots) if known.name in ("", swiss_name(known.lots)) else known.name
    return replace(session.plan(section), name=name, format=SectionFormat.SWISS, lots=lots)


def _moved_chairs(
    session: Session, section: str, number: int, rounds: Mapping[int, Round]
) -> Iterator[Participation]:
    """Yield everyone who was given a chair in a round, in the chair that their pair has in it now."""
    seats = {
        pair: (table, side)
        for table, played in rounds.items()
        for pair, side in ((played.ns, Side.NS), (played.ew, Side.EW))
        if pair
    }
    left: list[Participation] = []
    taken: list[Participation] = []
    for (letters, table, entered, seat), seated in session.seating.chairs.items():
        was = session.movement.round(section, table, number)
        if letters != section or entered != number or was is None:
            continue
        left.append(Participation(section, table, seat, round=number, is_removal=True))
        pair = was.ns if seat.side is Side.NS else was.ew
        if pair in seats:
            now, side = seats[pair]
            first, second = (Seat.NORTH, Seat.SOUTH) if side is Side.NS else (Seat.EAST, Seat.WEST)
            taken.append(
                Participation(
                    section,
                    now,
                    first if seat in (Seat.NORTH, Seat.EAST) else second,
                    seated.number,
                    seated.first_name,
                    seated.last_name,
                    seated.country,
                    number,
                )
            )
    yield from left
    yield from taken
