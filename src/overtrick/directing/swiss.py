"""A Swiss section: its drawn and undrawn rounds, and the commands that draw, lengthen and shorten it. Pure.

The state is in the movement. A round that is still to be drawn has empty tables, and its boards follow those of the
round before; tables are marked as waiting while there is such a round. `SectionFormat.SWISS` marks a section whose
rounds are all drawn.
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
    without_missing_pair,
)
from overtrick.event.seating import Participation, PutParticipations, Source
from overtrick.event.setup import GameKind, Lot, SectionFormat, SectionSet
from overtrick.movements import Draw, EarlierRounds
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
    """The state of a Swiss section."""

    section: str
    boards: tuple[tuple[int, ...], ...]
    """The boards of every round, drawn or not."""
    drawn: EarlierRounds
    """The drawn rounds; there is at least one."""
    has_begun: bool
    """True if the last drawn round has a result."""
    missing: tuple[MissingBoards, ...]
    """The boards without a result, in all drawn rounds."""
    lots: Mapping[int, int]
    """The lot of each round that was drawn by lot."""

    @property
    def planned(self) -> int:
        """Return the number of rounds to be played."""
        return len(self.boards)

    @property
    def last(self) -> int:
        """Return the number of the last drawn round."""
        return len(self.drawn.matches)

    @property
    def number(self) -> int:
        """Return the number of the round that can be drawn now: the next, or the last one again while it has no result.

        It is above `planned` if no round is left.
        """
        return self.last + 1 if self.has_begun else self.last

    @property
    def is_redraw(self) -> bool:
        """Return whether the round that can be drawn is already drawn, and would be drawn again."""
        return self.number == self.last

    @property
    def can_draw(self) -> bool:
        """Return whether there is a round that can be drawn."""
        return self.number <= self.planned

    @property
    def is_due(self) -> bool:
        """Return whether a new round can be drawn and every board before it has a result."""
        return self.can_draw and not self.is_redraw and not self.missing

    @property
    def before(self) -> EarlierRounds:
        """Return the rounds before the one that can be drawn."""
        return EarlierRounds(self.drawn.matches[: self.number - 1])

    @property
    def unscored(self) -> tuple[MissingBoards, ...]:
        """Return the boards without a result in the rounds before the one that can be drawn."""
        return tuple(match for match in self.missing if match.round < self.number)

    @property
    def everyone(self) -> list[int]:
        """Return the numbers of all pairs in the drawn rounds, ascending."""
        return sorted({pair for matches in self.drawn.matches for match in matches for pair in match if pair})

    @property
    def present(self) -> list[int]:
        """Return the numbers of the pairs in the last drawn round, ascending."""
        return sorted({pair for match in self.drawn.matches[-1] for pair in match if pair})

    def line(self, number: int) -> str:
        """Return a drawn round as `Draw` writes it."""
        played = self.drawn.matches[number - 1]
        waiting = [max(match) for match in played if not all(match)]
        return str(Draw(tuple(match for match in played if all(match)), waiting[0] if waiting else 0))

    @property
    def on_tables(self) -> str:
        """Return the round that would be drawn again as it is now; an empty text for a new round."""
        return self.line(self.number) if self.is_redraw else ""


def swiss_of(session: Session, section: str) -> SwissSection | None:
    """Return the state of a Swiss section; None if the section is not Swiss.

    A section is Swiss if pairs play in it, with one winner and no combi, if all tables of a round play the same boards,
    if the first round is drawn, and if rounds are still to be drawn or the format is `SectionFormat.SWISS`.
    """
    features = session.setup.sections.get(section)
    if (
        features is None
        or features.game is not GameKind.PAIRS
        or features.combi
        or session.winners(section) != 1
    ):
        return None
    rounds = _rounds_of(session, features)
    if rounds is None:
        return None
    boards, drawn = rounds
    is_open = len(drawn) < len(boards)
    if not drawn or not (is_open or features.format is SectionFormat.SWISS):
        return None
    return SwissSection(
        section,
        tuple(boards),
        EarlierRounds(tuple(drawn)),
        any(place[0] == section and place[2] >= len(drawn) for place in session.results.standing),
        tuple(_missing(session, section, len(drawn))),
        {drawn_by.round: drawn_by.lot for drawn_by in features.lots},
    )


def _rounds_of(
    session: Session, features: SectionSet
) -> tuple[list[tuple[int, ...]], list[tuple[Match, ...]]] | None:
    """Return the boards of every round, and the matches of the drawn ones.

    Return None if the tables of a round play different boards, or a drawn round follows one that is not.
    """
    tables = session.movement.section(features.section).values()
    boards: list[tuple[int, ...]] = []
    drawn: list[tuple[Match, ...]] = []
    for number in range(session.movement.rounds(features.section)):
        rounds_here = [table.rounds[number] for table in tables if number < len(table.rounds)]
        sets = {round_.boards for round_ in rounds_here if round_.boards}
        seated = [without_missing_pair(features, round_) for round_ in rounds_here]
        matches = tuple((round_.ns, round_.ew) for round_ in seated if round_.ns or round_.ew)
        if len(sets) > 1 or (matches and len(drawn) < number):
            return None
        boards.append(sets.pop() if sets else _next_boards(boards))
        if matches:
            drawn.append(matches)
    return boards, drawn


def _next_boards(boards: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Return the next boards after those of the last round, as many as it has."""
    return (
        sets_of_boards(1, len(boards[-1]), max(boards[-1], default=0) + 1)[0] if boards and boards[-1] else ()
    )


def _missing(session: Session, section: str, last: int) -> Iterator[MissingBoards]:
    missing: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for place in boards_to_play(session):
        letters, table, number, board = place
        if letters == section and number <= last and place not in session.results.standing:
            missing[number, table].append(board)
    for (number, table), boards in sorted(missing.items()):
        yield MissingBoards(number, table, tuple(boards))


def swiss_name(lots: Sequence[Lot]) -> str:
    """Return the default name of a Swiss section for display; it makes the lots public.

    >>> swiss_name(()), swiss_name((Lot(1, 4711), Lot(3, 12)))
    ('Swiss', 'Swiss, round 1 by lot 4711, round 3 by lot 12')
    """
    return ", ".join(["Swiss", *(f"round {lot.round} by lot {lot.lot}" for lot in lots)])


def opening_plan(section: str, group: int, lot: int = 0) -> SectionPlan:
    """Return the plan of a new Swiss section; `lot` is that of the first round, 0 if it was not drawn by lot."""
    lots = (Lot(1, lot),) if lot else ()
    return SectionPlan(section, group, 1, name=swiss_name(lots), format=SectionFormat.SWISS, lots=lots)


def opening_tables(draw: Draw, boards: Sequence[tuple[int, ...]]) -> tuple[TablePlan, ...]:
    """Return the tables of a new Swiss section: the first round, and empty rounds that are still to be drawn."""
    return tuple(
        TablePlan(
            station.table,
            (Round(station.ns, station.ew, station.boards), *(EMPTY,) * (len(boards) - 1)),
            is_waiting=len(boards) > 1,
        )
        for station in draw.stations(1, boards[0])
    )


def draw_command(session: Session, swiss: SwissSection, draw: Draw, lot: int = 0) -> Command:
    """Return the command that puts a drawn round on the tables, as a whole; players entered for it move with their
    pair.

    A late pair gets a new table, at which it sits out the rounds before.
    """
    number = swiss.number
    tables = session.movement.section(swiss.section)
    stations = draw.stations(number, swiss.boards[number - 1])
    late = [pair for pair in sorted(draw.numbers) if number > 1 and pair not in swiss.everyone]
    new_tables = dict(enumerate(late, start=max(tables) + 1))
    numbers = sorted({*tables, *new_tables})
    numbers += range(max(numbers) + 1, max(numbers) + 1 + len(stations) - len(numbers))
    rounds = {
        table: Round(station.ns, station.ew, station.boards)
        for table, station in zip(numbers, stations, strict=False)
    }
    plans = []
    for table in numbers:
        existing = min(len(tables[table].rounds) if table in tables else 0, number - 1)
        sat_out = Round(new_tables[table], 0) if table in new_tables else EMPTY
        plans.append(
            TablePlan(
                table,
                (sat_out,) * (number - 1 - existing)
                + (rounds.get(table, EMPTY), *(EMPTY,) * (swiss.planned - number)),
                existing + 1,
                is_waiting=number < swiss.planned,
            )
        )
    lots = [Lot(before, lot) for before, lot in swiss.lots.items() if before < number]
    plan = _plan(session, swiss.section, (*lots, Lot(number, lot)) if lot else tuple(lots))
    movement_change = SetMovement(session.opened.session, plan, tuple(plans))
    chairs = tuple(_moved_chairs(session, swiss.section, number, rounds)) if swiss.is_redraw else ()
    if not chairs:
        return movement_change
    return SessionTransaction(
        session.opened.session,
        (
            movement_change,
            PutParticipations(session.opened.session, chairs, Source.DESK, must_be_known=False),
        ),
    )


def length_command(session: Session, swiss: SwissSection, rounds: int) -> SetMovement:
    """Return the command for a total number of rounds, at least those drawn; new ones have as many boards as the
    last.
    """
    plans = []
    for table, table_rounds in session.movement.section(swiss.section).items():
        existing = min(len(table_rounds.rounds), swiss.last)
        plans.append(
            TablePlan(table, (EMPTY,) * (rounds - existing), existing + 1, is_waiting=rounds > swiss.last)
        )
    lots = session.setup.sections[swiss.section].lots
    return SetMovement(session.opened.session, _plan(session, swiss.section, lots), tuple(plans))


def _plan(session: Session, section: str, lots: tuple[Lot, ...]) -> SectionPlan:
    features = session.setup.sections[section]
    # The default name follows the lots; a name that a person chose is kept.
    name = swiss_name(lots) if features.name in ("", swiss_name(features.lots)) else features.name
    return replace(session.plan(section), name=name, format=SectionFormat.SWISS, lots=lots)


def _moved_chairs(
    session: Session, section: str, number: int, rounds: Mapping[int, Round]
) -> Iterator[Participation]:
    """Yield the participations that move the players entered for a round to the seats that their pair has in it now."""
    seats = {
        pair: (table, side)
        for table, round_ in rounds.items()
        for pair, side in ((round_.ns, Side.NS), (round_.ew, Side.EW))
        if pair
    }
    removals: list[Participation] = []
    arrivals: list[Participation] = []
    for (letters, table, from_round, seat), seated in session.seating.chairs.items():
        old_round = session.movement.round(section, table, number)
        if letters != section or from_round != number or old_round is None:
            continue
        removals.append(Participation(section, table, seat, round=number, is_removal=True))
        pair = old_round.ns if seat.side is Side.NS else old_round.ew
        if pair in seats:
            new_table, side = seats[pair]
            first, second = (Seat.NORTH, Seat.SOUTH) if side is Side.NS else (Seat.EAST, Seat.WEST)
            arrivals.append(
                Participation(
                    section,
                    new_table,
                    first if seat in (Seat.NORTH, Seat.EAST) else second,
                    seated.number,
                    seated.first_name,
                    seated.last_name,
                    seated.country,
                    number,
                )
            )
    # All seats are freed first, because a pair may move to where another one was.
    yield from removals
    yield from arrivals
