"""A session and its view, without a journal: commands are decided and applied at once."""

from overtrick.event import Command, JournalState, OpenEvent, Rejection, decide
from overtrick.event.settings import PutSettings, SettingsII, SettingsIII
from overtrick.views import SessionView
from tests.event.evenings import SESSION, plan


class SessionWithoutJournal:
    """One session of two tables, and its view."""

    def __init__(self, *settings: SettingsII | SettingsIII) -> None:
        self.state = JournalState()
        self.view = SessionView()
        self.do(OpenEvent(SESSION, (plan(),)))
        for each in settings:
            self.do(PutSettings(SESSION, tuple((section.section, each) for section, _ in plan().sections)))

    def do(self, command: Command) -> None:
        """Carry out a command that has to succeed."""
        decided = decide(self.state, command)
        assert not isinstance(decided, Rejection), str(decided)
        for made in decided:
            self.state.apply(made.stream, made.fact)
            if made.stream == self.state.stream(SESSION):
                self.view.apply(made.fact)
