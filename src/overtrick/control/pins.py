"""The director's PIN of a section: that of its settings or, if none is set, one derived from the secret key."""

from overtrick.control.device_location import OwnPhone, TablePlace
from overtrick.control.snapshot import table_rules
from overtrick.event import Session
from overtrick.event.setup import Generation
from overtrick.keys import KeyRing

UNSET = frozenset({"", "0000"})
"""The values that mean no PIN in session files and DTOs."""


def director_pin(session: Session, section: str, keys: KeyRing, generation: Generation | None = None) -> str:
    """Return the PIN that opens the director's menu at the tables of a section."""
    pin = table_rules(session, section, generation).pin
    return keys.session_pin(session.opened.session) if pin in UNSET else pin


def permission_scope(
    session: Session, place: TablePlace | OwnPhone, keys: KeyRing, generation: Generation | None = None
) -> str:
    """Return the scope of a permission: a place, the session's incarnation, and the current PIN."""
    opened = session.opened
    pin = director_pin(session, place.section, keys, generation)
    return f"{opened.session}/{opened.incarnation}/{place}/{pin}"


def pins_in_words(session: Session, keys: KeyRing, generation: Generation | None = None) -> str:
    """Return the director's PINs of a session as text: one PIN alone, or several with their sections."""
    pins = {
        section: director_pin(session, section, keys, generation)
        for section in sorted(session.setup.sections)
    }
    if len(set(pins.values())) == 1:
        return next(iter(pins.values()))
    return ", ".join(f"{section}: {pin}" for section, pin in pins.items())
