"""The director's PIN of a section: the one that its settings have, or a random one until one is set."""

from overtrick.control.device_location import OwnPhone, TablePlace
from overtrick.control.snapshot import table_rules
from overtrick.event import Session
from overtrick.event.setup import Generation
from overtrick.keys import KeyRing

UNSET = frozenset({"", "0000"})
"""The PIN in session files and DTOs where nobody has set one."""


def director_pin(session: Session, section: str, keys: KeyRing, generation: Generation | None = None) -> str:
    """Return the PIN that opens the director's menu at the tables of a section."""
    pin = table_rules(session, section, generation).pin
    return keys.session_pin(session.opened.session) if pin in UNSET else pin


def permission_scope(
    session: Session, place: TablePlace | OwnPhone, keys: KeyRing, generation: Generation | None = None
) -> str:
    """Return what a permission for the director's PIN is good for: a place, this start of the session, and this PIN."""
    opened = session.opened
    pin = director_pin(session, place.section, keys, generation)
    return f"{opened.session}/{opened.incarnation}/{place}/{pin}"


def pins_in_words(session: Session, keys: KeyRing, generation: Generation | None = None) -> str:
    """Return the PINs of a session as a director reads them.

    One PIN is named once, several with their sections.
    """
    pins = {
        section: director_pin(session, section, keys, generation)
        for section in sorted(session.setup.sections)
    }
    if len(set(pins.values())) == 1:
        return next(iter(pins.values()))
    return ", ".join(f"{section}: {pin}" for section, pin in pins.items())
