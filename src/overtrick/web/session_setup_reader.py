"""The session that a form asks for, with what the journal and the club have for it: events, letters, own movements."""

from dataclasses import replace

from overtrick.errors import BadInput
from overtrick.event import Event, JournalState, Session
from overtrick.movements import Choice
from overtrick.web.forms import Form, read_count
from overtrick.web.movement_options import read_offered
from overtrick.web.own_movement_pages import section_movement
from overtrick.web.session_projection import SessionProjection
from overtrick.web.session_setup import KINDS, ParentEvent, SessionRequest, parent_event, read_session_request
from overtrick.web.session_setup_again import chosen_movements
from overtrick.web.site import Site


class SessionSetupReader:
    """The reader of the forms that set up a session, for the desk and for programs."""

    def __init__(self, site: Site) -> None:
        self.site = site

    def movements(self, form: Form) -> list[Choice]:
        """Return the movements for the game, the number of contestants and the boards of a form; raise BadInput."""
        kind = KINDS.get(form.get("game", ""), KINDS["pairs"])
        count = read_count(form, "count", kind.least, kind.most, kind.many)
        boards = read_count(form, "boards", 2, 60, "boards")
        offered = read_offered(form, kind.game, self.site.own_movements.movements().values())
        return offered.offers(kind.game, count, boards)

    def read(self, form: Form, parent: ParentEvent | None) -> SessionRequest:
        """Return the session that a form asks for; the movements of a large event can take a second."""
        own = list(self.site.own_movements.movements().values())
        request = read_session_request(form, parent, own)
        if parent is None or not form.get("again") or request.kind.is_swiss:
            return request
        # Offer the movement that a session has, even if no choice in the form leads to it.
        choices = chosen_movements(parent.last, request)
        missing = [
            section.letters
            for number, section in enumerate(request.sections, start=1)
            if f"choice-{number}" not in choices and parent.last.movement.section(section.letters)
        ]
        if not missing:
            return request
        for letters in missing:
            own.append(
                replace(section_movement(parent.last, letters), name=f"movement of section {letters} so far")
            )
        return read_session_request(form, parent, own)

    async def parent_event(self, form: Form) -> ParentEvent | None:
        """Return the event to add the session to; None for a new event.

        If the set-up of a session is changed, that session is the last one, and its letters and groups are free.
        """
        if form.get("again"):
            return await self._event_of(form["again"][:40])
        event = form.get("event", "")
        if not event:
            return None
        lines = [line for line in await self.site.live.sessions() if line.event == event]
        sessions: list[Session] = [
            await self.site.live.read(line.session, lambda projection: projection.view.session.after(()))
            for line in reversed(lines)
        ]
        parent = parent_event(event, sessions)
        letters, groups = await self._used_letters_and_groups(event)
        return replace(parent, letters=parent.letters | letters, groups=parent.groups | groups)

    async def _event_of(self, guid: str) -> ParentEvent:
        """Return the event of a session whose set-up is changed; raise BadInput if a scoring program set it up."""

        def read(projection: SessionProjection) -> Session:
            if projection.is_from_program:
                raise BadInput("A scoring program set up this session. Change the set-up there.")
            return projection.view.session.after(())

        session = await self.site.live.read(guid, read)
        event = session.opened.event
        letters, groups = await self._used_letters_and_groups(event, guid)
        return ParentEvent(event, session.opened.name, letters, groups, session)

    async def _used_letters_and_groups(
        self, event: str, except_session: str = ""
    ) -> tuple[frozenset[str], frozenset[int]]:
        """Return the letters and groups of an event's sessions, those in the bin included, but not of one session."""

        def read(state: JournalState) -> tuple[frozenset[str], frozenset[int]]:
            parent = state.event(event) or Event(event)
            return (
                frozenset(
                    letters
                    for guid, used in parent.letters.items()
                    if guid != except_session
                    for letters in used
                ),
                frozenset(
                    group for guid, used in parent.groups.items() if guid != except_session for group in used
                ),
            )

        return await self.site.read(read)
