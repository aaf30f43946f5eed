"""Who sits at the table: starting positions, players' numbers before play, in each round, or when someone changes."""

from datetime import datetime

from overtrick.bridge import Seat, Side
from overtrick.control import inputs
from overtrick.control.machine import Machine, Stage
from overtrick.control.numbers import find_name, is_possible
from overtrick.control.snapshot import Sitting
from overtrick.event.seating import Participation, PutParticipations, Source
from overtrick.event.settings import NameSource, NumberEntry


def known_player(machine: Machine, seat: Seat, number: int) -> Sitting | None:
    """Who is known to sit there in a round."""
    wanted = max(number, 1)
    for sitting in machine.known.players:
        if (sitting.round, sitting.seat) == (wanted, seat):
            return sitting
    return None


def begin(machine: Machine) -> None:
    """The table has its terminal: confirm where everyone sits, ask for their numbers, or go on playing."""
    machine.drop_draft()
    machine.steps = ()
    machine.has_ended = False
    machine.resets = machine.known.resets
    if machine.rules.confirm_starting_positions and not machine.results():
        machine.go(Stage.STARTING_POSITIONS)
    else:
        after_positions(machine)


def after_positions(machine: Machine) -> None:
    """Ask for the numbers before play, where they are asked for, else go on."""
    rules, known = machine.rules, machine.known
    missing = [seat for seat in known.first_seats if not _number(machine, seat, 0)]
    is_asked = rules.number_entry is not NumberEntry.NEVER and machine.numbers_asked < 0
    # A table that never plays asks too: its pair sits out and plays elsewhere later.
    seats = known.first_seats if rules.number_entry is NumberEntry.EVERY_ROUND else tuple(missing)
    if is_asked and seats and not machine.results():
        ask(machine, seats, 0)
    else:
        machine.go_on()


def confirm_positions(machine: Machine, key: inputs.Confirm, at: datetime) -> None:
    """Everyone sits where the terminal says."""
    after_positions(machine)


def ask(machine: Machine, seats: tuple[Seat, ...], number: int, by_director: bool = False) -> None:
    """Ask these seats for their numbers, from round `number` on."""
    machine.is_directors_change = by_director
    machine.seats, machine.typed, machine.numbers_round = seats, (), number
    machine.numbers_asked = max(machine.numbers_asked, number)
    machine.go(Stage.NUMBERS)


def preloaded(machine: Machine, seat: Seat) -> str:
    """The number that stands in the entry before anything is typed."""
    is_first = machine.numbers_round == 0
    if machine.rules.preload_numbers or is_first:
        return _number(machine, seat, machine.numbers_round)
    return ""


def _number(machine: Machine, seat: Seat, number: int) -> str:
    found = known_player(machine, seat, number)
    return found.number if found else ""


def give_number(machine: Machine, key: inputs.Number, at: datetime) -> None:
    """A number for the seat that is asked, if its federation can have given it."""
    rules = machine.rules
    number = key.number.strip()
    seat = machine.seats[len(machine.typed)]
    if not number:
        number = preloaded(machine, seat)
    if not number and rules.numbers_required:
        machine.tell("number-required")
    elif number and not is_possible(number, rules.number_rules):
        machine.tell("number-impossible", number=number)
    elif number and number in machine.typed:
        machine.tell("number-twice", number=number)
    else:
        machine.typed = (*machine.typed, number)
        if len(machine.typed) == len(machine.seats):
            machine.go(Stage.PLAYERS)


def leave_number(machine: Machine, key: inputs.Cancel, at: datetime) -> None:
    """The seat before, or none at all where numbers are not required."""
    if machine.typed:
        machine.typed = machine.typed[:-1]
    elif not machine.rules.numbers_required:
        after_numbers(machine)


def numbers_again(machine: Machine, key: inputs.Cancel, at: datetime) -> None:
    """From the first seat."""
    machine.typed = ()
    machine.go(Stage.NUMBERS)


def confirm_numbers(machine: Machine, key: inputs.Confirm, at: datetime) -> None:
    """These are the players: seat them."""
    known = machine.known
    given = []
    for seat, number in zip(machine.seats, machine.typed, strict=True):
        if number and number != _number(machine, seat, machine.numbers_round):
            # The event knows the session's own players, first and last names; others it is told as one finds them.
            is_own = machine.rules.name_source is NameSource.SESSION and number in (known.names or {})
            first, _, last = ("" if is_own else name_of(machine, number)).rpartition(" ")
            given.append(
                Participation(
                    known.section, known.table, seat, number, first, last, round=machine.numbers_round
                )
            )
    if given:
        machine.emit(
            PutParticipations(known.session, tuple(given), Source.TERMINAL, must_be_known=False),
        )
    after_numbers(machine)


def name_of(machine: Machine, number: str) -> str:
    """The name that belongs to a number, where one is known."""
    return find_name(number, machine.known.names or {}, machine.rules.numbers_as_text)


def after_numbers(machine: Machine) -> None:
    """Go on: with the board that is being played, or with the round."""
    machine.seats, machine.typed = (), ()
    if machine.numbers_round == 0:
        machine.go_on()
    elif machine.back in (Stage.BOARD, Stage.CONTRACT) and machine.open_boards():
        machine.start_board()
    else:
        machine.go(Stage.ROUND)


def change_player(machine: Machine, key: inputs.ChangePlayer, at: datetime) -> None:
    """Another player has a seat, from this round on."""
    here, rules = machine.here(), machine.rules
    if here is None or not here.at(key.seat):
        machine.tell("nobody-there")
        return
    is_before = machine.stage is Stage.ROUND and len(machine.open_boards()) == len(here.boards)
    is_round = rules.number_entry is NumberEntry.EVERY_ROUND or (
        rules.number_entry is NumberEntry.FIRST_ROUND and machine.round == 1
    )
    if not rules.numbers_during_play and not (is_before and is_round):
        machine.tell("not-allowed")
        return
    machine.back = machine.stage
    ask(machine, (key.seat,), machine.round)


def start_round(machine: Machine, key: inputs.Confirm, at: datetime) -> None:
    """The round begins: with its players' numbers where every round asks for them, else with its first board."""
    here = machine.here()
    if here is None:
        machine.go_on()
        return
    if (
        machine.rules.number_entry is NumberEntry.EVERY_ROUND
        and machine.numbers_asked < machine.round
        and machine.round > 1
        and len(machine.open_boards()) == len(here.boards)
    ):
        machine.back = Stage.BOARD
        seats = (*Side.NS.seats, *Side.EW.seats)
        ask(machine, tuple(seat for seat in seats if here.at(seat)), machine.round)
    elif machine.open_boards():
        machine.start_board()
    else:
        machine.go_on()
