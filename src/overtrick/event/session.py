"""The state of one session, made of one part per topic. Only facts change it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from overtrick.event import (
    calls,
    clock,
    filing,
    further_rankings,
    hands,
    held_entries,
    instructions,
    movement,
    recording,
    results,
    rulings,
    seating,
    settings,
    setup,
    tables,
)
from overtrick.event.calls import DirectorCalls
from overtrick.event.clock import SessionClock
from overtrick.event.fact import Fact
from overtrick.event.filing import SessionFiling
from overtrick.event.further_rankings import SessionRankings
from overtrick.event.hands import Hands
from overtrick.event.held_entries import HeldEntries
from overtrick.event.instructions import Instructions
from overtrick.event.movement import SectionPlan, SessionMovement
from overtrick.event.recording import Recording
from overtrick.event.results import SessionResults
from overtrick.event.rulings import SessionRulings
from overtrick.event.seating import Seating
from overtrick.event.settings import Settings
from overtrick.event.setup import SessionOpened, SessionSetup
from overtrick.event.tables import Tables


@dataclass(slots=True)
class Session:
    """The state of one incarnation of a session. Only `apply` changes it."""

    setup: SessionSetup = field(default_factory=SessionSetup)
    movement: SessionMovement = field(default_factory=SessionMovement)
    seating: Seating = field(default_factory=Seating)
    results: SessionResults = field(default_factory=SessionResults)
    recording: Recording = field(default_factory=Recording)
    hands: Hands = field(default_factory=Hands)
    settings: Settings = field(default_factory=Settings)
    calls: DirectorCalls = field(default_factory=DirectorCalls)
    tables: Tables = field(default_factory=Tables)
    clock: SessionClock = field(default_factory=SessionClock)
    instructions: Instructions = field(default_factory=Instructions)
    held: HeldEntries = field(default_factory=HeldEntries)
    rulings: SessionRulings = field(default_factory=SessionRulings)
    further: SessionRankings = field(default_factory=SessionRankings)
    filing: SessionFiling = field(default_factory=SessionFiling)
    _winners: dict[str, int] = field(default_factory=dict, repr=False, compare=False)

    @property
    def opened(self) -> SessionOpened:
        """Return the opening of the session, with later changes; raise LookupError before the first fact."""
        if self.setup.opened is None:
            raise LookupError("a session without its first fact")
        return self.setup.opened

    def winners(self, section: str) -> int:
        """Return the number of winners in a section, 1 or 2, derived from the movement if it was not set."""
        winners = self._winners.get(section)
        if winners is None:
            winners = movement.winners(
                self.setup.sections[section],
                [table for (letters, _), table in self.movement.tables.items() if letters == section],
            )
            self._winners[section] = winners
        return winners

    def plan(self, section: str) -> SectionPlan:
        """Return a plan that leaves a section as it is and fixes its present number of winners."""
        section_set = self.setup.sections[section]
        return replace(SectionPlan.of(section_set), winners=self.winners(section))

    def apply(self, fact: Fact) -> None:
        """Apply one fact to this session, in place."""
        APPLY[type(fact)](self, fact)

    def after(self, facts: Iterable[Fact]) -> Session:
        """Return a copy of the session with these facts applied."""
        later = replace(
            self,
            setup=self.setup.copy(),
            movement=self.movement.copy(),
            seating=self.seating.copy(),
            results=self.results.copy(),
            recording=self.recording.copy(),
            hands=self.hands.copy(),
            settings=self.settings.copy(),
            calls=self.calls.copy(),
            tables=self.tables.copy(),
            clock=self.clock.copy(),
            instructions=self.instructions.copy(),
            held=self.held.copy(),
            rulings=self.rulings.copy(),
            further=self.further.copy(),
            filing=self.filing.copy(),
            _winners={},
        )
        for fact in facts:
            later.apply(fact)
        return later


def _apply_setup(session: Session, fact: Fact) -> None:
    session._winners.clear()
    setup.apply(session.setup, fact)


def _apply_rounds(session: Session, fact: Fact) -> None:
    session._winners.clear()
    movement.apply(session.movement, fact)
    recording.apply(session.recording, fact)
    if session.rulings.versions:
        rulings.apply(session.rulings, fact)


def _apply_table_dropped(session: Session, fact: Fact) -> None:
    _apply_rounds(session, fact)
    seating.apply(session.seating, fact)
    calls.apply(session.calls, fact)
    tables.apply(session.tables, fact)
    held_entries.apply(session.held, fact)


def _apply_section_dropped(session: Session, fact: Fact) -> None:
    _apply_setup(session, fact)
    _apply_table_dropped(session, fact)
    settings.apply(session.settings, fact)


def _apply_group_dropped(session: Session, fact: Fact) -> None:
    _apply_setup(session, fact)
    hands.apply(session.hands, fact)
    rulings.apply(session.rulings, fact)


def _apply_result(session: Session, fact: Fact) -> None:
    # Fast path: most facts of a journal are results.
    results.record(session.results, fact)  # type: ignore[arg-type]
    if session.recording.contracts:
        recording.apply(session.recording, fact)


def _apply_result_erased(session: Session, fact: Fact) -> None:
    results.apply(session.results, fact)
    rulings.apply(session.rulings, fact)


APPLY: dict[type[Fact], Callable[[Session, Fact], None]] = {
    results.ResultRecorded: _apply_result,
    results.ResultErased: _apply_result_erased,
    results.ResultJudged: lambda session, fact: results.apply(session.results, fact),
    **dict.fromkeys(
        (
            rulings.RulesChosen,
            rulings.AdjustmentMade,
            rulings.AdjustmentWithdrawn,
            rulings.BoardFouled,
            rulings.ContestantStatusSet,
            rulings.RulingNoted,
            rulings.MatchRuled,
            rulings.CorrectionPeriodSet,
        ),
        lambda session, fact: rulings.apply(session.rulings, fact),
    ),
    **dict.fromkeys(
        (recording.ContractRecorded, recording.CallRecorded, recording.CardRecorded),
        lambda session, fact: recording.apply(session.recording, fact),
    ),
    **dict.fromkeys(
        (
            setup.SessionOpened,
            setup.SessionChanged,
            setup.StatusChanged,
            setup.GroupSet,
            setup.SectionSet,
            setup.QueuesCleared,
        ),
        _apply_setup,
    ),
    setup.GroupDropped: _apply_group_dropped,
    setup.SectionDropped: _apply_section_dropped,
    **dict.fromkeys(
        (movement.TableAdded, movement.TableGrouped, movement.RoundsSet, movement.WaitingSet), _apply_rounds
    ),
    movement.TableDropped: _apply_table_dropped,
    **dict.fromkeys(
        (seating.PlayerSet, seating.Seated, seating.Unseated),
        lambda session, fact: seating.apply(session.seating, fact),
    ),
    **dict.fromkeys(
        (hands.HandRecordSet, hands.HandEvaluated), lambda session, fact: hands.apply(session.hands, fact)
    ),
    **dict.fromkeys(
        (settings.SettingsIISet, settings.SettingsIIISet),
        lambda session, fact: settings.apply(session.settings, fact),
    ),
    **dict.fromkeys(
        (calls.DirectorCalled, calls.CallAnswered), lambda session, fact: calls.apply(session.calls, fact)
    ),
    **dict.fromkeys(
        (tables.LoggedOn, tables.LoggedOff, tables.TableReset),
        lambda session, fact: tables.apply(session.tables, fact),
    ),
    clock.ClockSet: lambda session, fact: clock.apply(session.clock, fact),
    **dict.fromkeys(
        (instructions.InstructionTaken, instructions.InstructionCleared),
        lambda session, fact: instructions.apply(session.instructions, fact),
    ),
    **dict.fromkeys(
        (held_entries.EntryHeld, held_entries.HeldEntrySettled),
        lambda session, fact: held_entries.apply(session.held, fact),
    ),
    **dict.fromkeys(
        (further_rankings.PlayerDetailsSet, further_rankings.FurtherRankingsSet),
        lambda session, fact: further_rankings.apply(session.further, fact),
    ),
    filing.SessionFiled: lambda session, fact: filing.apply(session.filing, fact),
}
"""The handler of each kind of fact; a topic's `apply` changes only its own part of the state."""
