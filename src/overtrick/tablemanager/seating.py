"""The rules for assigning seats. Has no dependency on conversations."""

import math
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from overtrick.bridge import SEATS, Seat
from overtrick.errors import BadInput
from overtrick.tablemanager.messages import ANY_SEAT, VERSION, Connecting, decode_if_utf8
from overtrick.words import counted

MAX_TEAM = 80
"""The longest team name."""


FILE_NAME_RULE = (
    'must be valid in a file name: no < > : " / \\ | ? *, no full stop at the end, no device name such as CON'
)
"""The document's rule for team names, as the end of a sentence."""

_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


def is_file_name(name: str) -> bool:
    """Return whether a name is valid as a file name on every operating system.

    >>> [is_file_name(name) for name in ("Blue Chip 2.1", "A/B", "why?", "nul", "etc.", "")]
    [True, False, False, False, False, False]
    """
    is_plain = name.isprintable() and not set(name) & set('<>:"/\\|?*')
    return bool(name) and is_plain and name[-1] not in ". " and not _DEVICES.fullmatch(name)


class SeatRefused(BadInput):
    """A player was refused a seat."""

    code = "seat-refused"


@dataclass(frozen=True, slots=True)
class SeatState:
    """The state of a seat: its team (None: any team may sit there) and whether a player is connected."""

    seat: Seat
    team: str | None = None
    occupied: bool = False
    reserved_seconds: float = 0.0
    """Seconds for which it is still reserved for the lost player's address; 0 if this guest has that address."""


def same_team(one: str, other: str) -> bool:
    """Return whether two names are of the same team; ignore case, and accents, which not every program can send.

    >>> same_team("Blue Chip", "BLUE chip"), same_team("Ålborg", "Alborg"), same_team("A", "B")
    (True, True, False)
    """
    return _folded(one) == _folded(other)


def _folded(name: str) -> str:
    letters = unicodedata.normalize("NFKD", decode_if_utf8(name).strip())
    return "".join(letter for letter in letters if not unicodedata.combining(letter)).casefold()


def seat_for(message: Connecting, chairs: Iterable[SeatState], only: Seat | None = None) -> Seat:
    """Return the seat for a player; raise SeatRefused with the reason if there is none.

    `only` is the seat of the port that the player connected to.
    """
    if message.version != VERSION:
        raise SeatRefused(f"protocol version {message.version} is not supported, use version {VERSION}.")
    team = message.team
    if not team or len(team) > MAX_TEAM or not team.isprintable():
        raise SeatRefused(f"a team name must have 1 to {MAX_TEAM} printable characters.")
    if not is_file_name(team):
        raise SeatRefused(f"a team name {FILE_NAME_RULE}.")
    by_seat = {chair.seat: chair for chair in chairs}
    if message.seat.upper() == ANY_SEAT:
        # Prefer the team's own seats and those opposite a partner, so that both teams can ask for any seat.
        own = [seat for seat in SEATS if by_seat[seat].team is not None]
        opposite = [seat for seat in SEATS if by_seat[seat.partner].team is not None]
        for seat in dict.fromkeys((*own, *opposite, *SEATS)):
            if only in (None, seat) and _refusal_reason(team, seat, by_seat) is None:
                return seat
        raise SeatRefused("no seat is free for this team.")
    try:
        seat = Seat.parse(message.seat)
    except BadInput:
        raise SeatRefused("name a seat: North, East, South or West.") from None
    if only not in (None, seat):
        raise SeatRefused(f"this port is for {only.title if only else ''}, not for {seat.title}.")
    fault = _refusal_reason(team, seat, by_seat)
    if fault is not None:
        raise SeatRefused(fault)
    return seat


def _refusal_reason(team: str, seat: Seat, chairs: dict[Seat, SeatState]) -> str | None:
    chair, partner = chairs[seat], chairs[seat.partner]
    if chair.occupied:
        return f"seat {seat.title} is taken."
    if chair.team is not None and not same_team(chair.team, team):
        return f'seat {seat.title} is kept for team "{chair.team}".'
    if chair.reserved_seconds:
        # "taken" is the document's word, and tells our player that it may ask again.
        return (
            f"seat {seat.title} is taken: it is kept for the address of its lost player "
            f"for {counted(math.ceil(chair.reserved_seconds), 'second')} more."
        )
    if partner.team is not None and not same_team(partner.team, team):
        return f'team name differs from the partner\'s, which is "{partner.team}".'
    for opponent in (seat.next, seat.previous):
        name = chairs[opponent].team
        if name is not None and same_team(name, team):
            return "team name is used by the opponents."
    return None
