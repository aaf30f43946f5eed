"""Parse the desk's forms into commands. Has no dependency on requests."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from uuid import uuid4

from overtrick.bridge import Card, Outcome, Seat
from overtrick.bridge.notation import parse_lead
from overtrick.digits import parse_digits
from overtrick.errors import BadInput, OvertrickError
from overtrick.event import SessionTransaction
from overtrick.event.seating import Participation, PutParticipations, PutPlayers, SessionPlayer, Source
from overtrick.event.session import Session

Form = Mapping[str, str]
LONGEST_NAME = 60
LONGEST_RESULT = 200
"""The maximum length of a typed result; a weighted score consists of several results."""


def form_id(form: Form, about: str, file: bytes = b"") -> str:
    """Return the idempotency key of a form: the same form sent again has the same key, a changed one has another.

    The field `once` tells two forms with equal content apart; a form without it gets a new key every time.
    """
    once = form.get("once", "")[:64] or uuid4().hex
    content = sorted((name, value) for name, value in form.items() if name not in ("once", "token"))
    whole = repr((once, about, content)).encode("utf-8", "surrogatepass")
    return hashlib.sha256(whole + file).hexdigest()


def read_outcome(form: Form) -> Outcome:
    """Return the outcome of a form, as typed or from its fields; raise BadInput if it has none.

    >>> str(read_outcome({"typed": "4s x n +1"})), str(read_outcome({"kind": "Pass"}))
    ('4SxN+1', 'Pass')
    >>> str(read_outcome({"kind": "played", "level": "3", "strain": "NT", "declarer": "W", "tricks": "="}))
    '3NTW='
    """
    typed = form.get("typed", "").strip()[:LONGEST_RESULT]
    if typed:
        return parse_typed(typed)
    kind = form.get("kind", "played")
    if kind != "played":
        return Outcome.parse(kind[:20])
    if not all(form.get(part) for part in ("level", "strain", "declarer", "tricks")):
        raise BadInput("Enter the level, strain, declarer and tricks. Nothing was changed.")
    return Outcome.parse(
        "".join(form.get(part, "")[:3] for part in ("level", "strain", "doubling", "declarer", "tricks"))
    )


def parse_typed(typed: str) -> Outcome:
    """Parse a typed outcome; lower case, spaces and suit symbols are allowed. Raise BadInput.

    >>> str(parse_typed("3n w +1")), str(parse_typed("60% 4s n =, 40 % of 4♠ n-1")), str(parse_typed("not played"))
    ('3NTW+1', '60 % of 4SN=, 40 % of 4SN-1', 'NP')
    """
    parts = [_PART.fullmatch(part) for part in typed.replace(";", ",").split(",")]
    if all(parts):
        return Outcome.parse(", ".join(f"{part[1]}% {_normalise(part[2])}" for part in parts if part))
    return Outcome.parse(_normalise(typed))


_PART = re.compile(r"\s*([0-9.]+)\s*%\s*(?:of\s)?(.*\S.*)", re.IGNORECASE)


def _normalise(typed: str) -> str:
    """Return a typed result in the spelling of `Outcome.parse`."""
    typed = "".join(typed.split())
    words = {
        "pass": "Pass",
        "passedout": "Pass",
        "np": "NP",
        "notplayed": "NP",
        "arbitral": "Arbitral",
        "pending": "Arbitral",
        "rulingpending": "Arbitral",
        "cancelled": "Cancelled",
        "canceled": "Cancelled",
    }
    if typed.lower() in words:
        return words[typed.lower()]
    text = typed.upper().replace("*", "X").replace("–", "-").replace("−", "-")
    for symbol, letter in zip("♠♥♦♣", "SHDC", strict=True):
        text = text.replace(symbol, letter)
    if len(text) >= 3 and text[0].isdigit() and text[1] == "N" and text[2] != "T":
        text = f"{text[0]}NT{text[2:]}"
    return text.replace("X", "x")


def read_lead(form: Form) -> Card | None:
    """Return the lead of a form; None where it is empty. Raise BadInput if it is not a card."""
    text = form.get("lead", "").strip()[:4]
    try:
        return parse_lead(text)
    except (OvertrickError, ValueError) as error:
        raise BadInput(f"{text!r} is not a card. Type a card like SK or D10. Nothing was changed.") from error


def read_line(form: Form, field: str, longest: int = LONGEST_NAME) -> str:
    """Return a typed text on one line, at most `longest` characters, without control characters.

    >>> read_line({"name": " 5 cards\\r\\nNorth passes\\x00 "}, "name")
    '5 cards North passes'
    """
    text = " ".join(form.get(field, "").split())[:longest]
    return "".join(letter for letter in text if letter.isprintable())


def read_day(form: Form) -> date | None:
    """Return the date of a form; None if it has none. Raise BadInput if it is no date.

    >>> read_day({"day": "2026-01-08"}), read_day({})
    (datetime.date(2026, 1, 8), None)
    """
    text = form.get("day", "").strip()
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise BadInput(
            f"{text[:20]!r} is not a date. Enter one such as 2026-01-08. Nothing was changed."
        ) from None
    if not 1900 <= day.year <= 2999:
        raise BadInput("Enter a date from 1900 to 2999. Nothing was changed.")
    return day


def read_number(form: Form, field: str, least: int, most: int, noun: str) -> int:
    """Return the number in a field, such as a table's; raise BadInput if it is not from `least` to `most`."""
    return _number_in(form, field, least, most, f"Enter a {noun} from {least} to {most}.")


def read_count(form: Form, field: str, least: int, most: int, unit: str) -> int:
    """Return the count in a field; raise BadInput if it is not from `least` to `most`.

    >>> read_count({"pairs": "3"}, "pairs", 4, 60, "pairs")
    Traceback (most recent call last):
    ...
    overtrick.errors.BadInput: Enter 4 to 60 pairs.
    """
    return _number_in(form, field, least, most, f"Enter {least} to {most} {unit}.")


def _number_in(form: Form, field: str, least: int, most: int, problem: str) -> int:
    number = parse_digits(form.get(field, "").strip())
    if number is None or not least <= number <= most:
        raise BadInput(problem)
    return number


@dataclass(frozen=True, slots=True)
class TypedSeat:
    """A seat in the form of names, with the player as typed; one without name and number empties the seat."""

    section: str
    table: int
    round: int
    """0 for the first round; a latecomer is named in the round in which they first sit."""
    seat: Seat
    player: SessionPlayer
    is_complete: bool = False
    """True if only the number of a shown player was removed, so that it must not be looked up."""


def seat_key(section: str, table: int, number: int, seat: Seat) -> str:
    """Return the end of the field names of a seat in the form of names.

    >>> seat_key("A", 3, 0, Seat.NORTH)
    'A-3-0-N'
    """
    return f"{section}-{table}-{number}-{seat.value}"


def seat_words(player: SessionPlayer | None) -> str:
    """Return a player as the form of names remembers them, to tell which seats the director has changed."""
    return "\t".join((player.first_name, player.last_name, player.number)) if player else ""


_SEAT_FIELD = re.compile(r"last-([A-Z]{1,3})-(\d{1,4})-(\d{1,3})-([NESW])")


def changed_seats(form: Form) -> list[TypedSeat]:
    """Return the seats of a form of names that differ from the form as it was shown.

    Other seats are left alone: a table may have entered its numbers since.
    """
    seats = []
    for field in form:
        match = _SEAT_FIELD.fullmatch(field)
        if match is None:
            continue
        key = field.removeprefix("last-")
        player = SessionPlayer(
            read_line(form, f"number-{key}")[:20],
            read_line(form, f"first-{key}"),
            read_line(form, f"last-{key}"),
        )
        previous = form.get(f"was-{key}")
        if previous is None or previous.strip() != seat_words(player).strip():
            section, table, number, seat = match.groups()
            names = seat_words(player).rpartition("\t")[0]
            is_complete = previous is not None and not player.number and previous.rpartition("\t")[0] == names
            seats.append(TypedSeat(section, int(table), int(number), Seat(seat), player, is_complete))
    return seats


def seats_command(session: Session, seats: Iterable[TypedSeat]) -> SessionTransaction:
    """Return the command for typed names: the players with numbers, then the seats."""
    guid = session.opened.session
    players: dict[str, SessionPlayer] = {}
    seated: list[Participation] = []
    for typed in seats:
        player = typed.player
        if player.number and player.name:
            players[player.number] = player
        seated.append(
            Participation(
                typed.section,
                typed.table,
                typed.seat,
                player.number,
                player.first_name,
                player.last_name,
                round=typed.round,
                is_removal=not (player.number or player.name),
            )
        )
    put_players = (PutPlayers(guid, tuple(players.values())),) if players else ()
    put_seats = PutParticipations(guid, tuple(seated), Source.DESK, must_be_known=False, unique_names=True)
    return SessionTransaction(guid, (*put_players, put_seats))
