"""Parse the desk's forms into commands. Has no dependency on requests."""

import hashlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from uuid import uuid4

from overtrick.bridge import Card, Outcome, Seat
from overtrick.bridge.notation import parse_lead
from overtrick.bridge.pbn import read_pbn
from overtrick.digits import parse_digits
from overtrick.errors import BadInput, OvertrickError
from overtrick.event import Command
from overtrick.event.hands import HandRecord, HandSource, PutHandRecords
from overtrick.event.results import (
    CorrectResult,
    EnterResult,
    EraseResult,
    JudgeResult,
    Origin,
    ResultEntry,
    Suspicion,
)
from overtrick.event.seating import Participation, PutParticipations, PutPlayers, SessionPlayer, Source
from overtrick.event.session import Session
from overtrick.web.view_models import read_place

Form = Mapping[str, str]
LONGEST_NAME = 60


def form_id(form: Form, about: str, file: bytes = b"") -> str:
    """Return the id of what a form asks for: the same form sent again has the same, a changed one another.

    A form that does not say what makes it one of its own is sent for the first time.
    """
    once = form.get("once", "")[:64] or uuid4().hex
    content = sorted((name, value) for name, value in form.items() if name not in ("once", "token"))
    whole = repr((once, about, content)).encode("utf-8", "surrogatepass")
    return hashlib.sha256(whole + file).hexdigest()


def read_outcome(form: Form) -> Outcome:
    """Return the outcome of a form: typed, or chosen from its fields.

    >>> str(read_outcome({"typed": "4s x n +1"})), str(read_outcome({"kind": "Pass"}))
    ('4SxN+1', 'Pass')
    >>> str(read_outcome({"kind": "played", "level": "3", "strain": "NT", "declarer": "W", "tricks": "="}))
    '3NTW='
    """
    typed = "".join(form.get("typed", "").split())[:20]
    if typed:
        return Outcome.parse(_spelled(typed))
    kind = form.get("kind", "played")
    if kind != "played":
        return Outcome.parse(kind[:20])
    if not all(form.get(part) for part in ("level", "strain", "declarer", "tricks")):
        raise BadInput("Enter the level, strain, declarer and tricks. Nothing was changed.")
    return Outcome.parse(
        "".join(form.get(part, "")[:3] for part in ("level", "strain", "doubling", "declarer", "tricks"))
    )


def _spelled(typed: str) -> str:
    """Return a typed result in the spelling of `Outcome.parse`."""
    words = {"pass": "Pass", "passedout": "Pass", "np": "NP", "notplayed": "NP", "arbitral": "Arbitral"}
    if typed.lower() in words:
        return words[typed.lower()]
    text = typed.upper().replace("*", "X").replace("–", "-").replace("−", "-")
    for symbol, letter in zip("♠♥♦♣", "SHDC", strict=True):
        text = text.replace(symbol, letter)
    if len(text) >= 3 and text[0].isdigit() and text[1] == "N" and text[2] != "T":
        text = f"{text[0]}NT{text[2:]}"
    return text.replace("X", "x")


def read_lead(form: Form) -> Card | None:
    """Return the lead of a form; None where it is empty."""
    text = form.get("lead", "").strip()[:4]
    try:
        return parse_lead(text)
    except (OvertrickError, ValueError) as error:
        raise BadInput(f"{text!r} is not a card. Type a card like SK or D10. Nothing was changed.") from error


def result_command(session: Session, form: Form, now: datetime) -> Command:
    """Return the command to enter, correct, erase or judge the result of a form."""
    place = read_place(form.get("place", ""))
    if place is None:
        raise BadInput("The form does not name a board. Nothing was changed.")
    guid = session.opened.session
    incarnation = session.opened.incarnation
    match form.get("do", "save"):
        case "erase":
            return EraseResult(guid, *place, Origin.DESK, incarnation)
        case "confirm":
            return JudgeResult(guid, *place, Suspicion.CONFIRMED)
        case "suspect":
            return JudgeResult(guid, *place, Suspicion.SUSPICIOUS)
    entry = ResultEntry(*place, outcome=read_outcome(form), at=now, lead=read_lead(form))
    was = form.get("was", "")
    if place in session.results.standing:
        return CorrectResult(guid, entry, Origin.DESK, Outcome.parse(was) if was else None, incarnation)
    return EnterResult(guid, entry, Origin.DESK, incarnation)


def name_of(form: Form, field: str, longest: int = LONGEST_NAME) -> str:
    """Return a text that a person typed, on one line and not too long.

    >>> name_of({"name": " 5 cards\\r\\nNorth passes\\x00 "}, "name")
    '5 cards North passes'
    """
    text = " ".join(form.get(field, "").split())[:longest]
    return "".join(letter for letter in text if letter.isprintable())


def number_of(form: Form, field: str, least: int, most: int, what: str) -> int:
    """Return the number in a field, such as a table's; raise BadInput where it is not in the range."""
    return _number_in(form, field, least, most, f"Enter a {what} from {least} to {most}.")


def count_of(form: Form, field: str, least: int, most: int, unit: str) -> int:
    """Return the count in a field; raise BadInput where it is not in the range.

    >>> count_of({"pairs": "3"}, "pairs", 4, 60, "pairs")
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


def seats_commands(session: Session, form: Form) -> tuple[Command, ...]:
    """Return the commands for a table's names: the players with numbers, then the seats."""
    section = form.get("section", "")[:3]
    table = number_of(form, "table", 1, 9_999, "table")
    # Who came late is named where they first sit.
    entered = number_of(form, "round", 0, 999, "round") if "round" in form else 0
    guid = session.opened.session
    players: list[SessionPlayer] = []
    seats: list[Participation] = []
    for seat in Seat:
        if f"last-{seat.value}" not in form:
            continue
        number = name_of(form, f"number-{seat.value}")[:20]
        first, last = name_of(form, f"first-{seat.value}"), name_of(form, f"last-{seat.value}")
        if number and (first or last):
            players.append(SessionPlayer(number, first, last))
        seats.append(
            Participation(
                section,
                table,
                seat,
                number,
                first,
                last,
                round=entered,
                is_removal=not (number or first or last),
            )
        )
    commands: list[Command] = []
    if players:
        commands.append(PutPlayers(guid, tuple(players)))
    commands.append(PutParticipations(guid, tuple(seats), Source.DESK, must_be_known=False))
    return tuple(commands)


def hands_command(session: Session, groups: Iterable[int], source: bytes, name: str) -> PutHandRecords:
    """Return the command with the deals of a PBN file, for these scoring groups."""
    games = list(read_pbn(source, name=name))
    records = [
        HandRecord(group, game.board, game.deal)
        for group in groups
        for game in games
        if game.board is not None and game.deal is not None
    ]
    if not records:
        raise BadInput("The file has no deal with a board number. Nothing was changed.", where=name)
    return PutHandRecords(session.opened.session, tuple(records), HandSource.DESK)
