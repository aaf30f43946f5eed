"""The setup of a session: its data, scoring groups and sections. Movements are a topic of their own."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date, time
from enum import Enum
from string import ascii_uppercase
from typing import TYPE_CHECKING

from overtrick.bridge import Side
from overtrick.event.command import Command
from overtrick.event.fact import Fact, fact
from overtrick.event.rejection import Problem, Reason, Rejection, reject, rejected
from overtrick.scoring import Method

__all__ = [
    "ChangeSession",
    "ClearQueues",
    "Combi",
    "GameKind",
    "Generation",
    "GroupDropped",
    "GroupPlan",
    "GroupSet",
    "Lot",
    "QueuesCleared",
    "SectionDropped",
    "SectionFormat",
    "SectionSet",
    "SessionChanged",
    "SessionOpened",
    "SetGroups",
    "SetStatus",
    "Status",
    "StatusChanged",
]

if TYPE_CHECKING:
    from overtrick.event.session import Session


class GameKind(Enum):
    """The kind of contestants in a section."""

    PAIRS = "pairs"
    INDIVIDUAL = "individual"
    TEAMS = "teams"


class Status(Enum):
    """The status of a session."""

    NOT_STARTED = "not started"
    STARTED = "started"
    FINISHED = "finished"


class Generation(Enum):
    """The generations of Bridgemate table units."""

    PRO = "Pro"
    II = "II"
    III = "III"


class SectionFormat(Enum):
    """The origin of a section's rounds."""

    MOVEMENT = "movement"
    """The movement gives them; rounds in which nobody sits are still to be drawn."""
    SWISS = "swiss"
    """Each round is drawn when the one before it is scored."""


@dataclass(frozen=True, slots=True)
class Lot:
    """The random seed of a round that was drawn by lot; the same lot always gives the same draw."""

    round: int
    lot: int


@dataclass(frozen=True, slots=True)
class Combi:
    """The two sections whose sit-out pairs meet in a combi section."""

    ns: str
    ew: str


# Facts ------------------------------------------------------------------------------------------------------


@fact("session-opened")
class SessionOpened(Fact):
    """A session was opened; `incarnation` counts how often its guid was opened."""

    session: str
    event: str
    incarnation: int
    name: str
    day: date
    starts: time | None = None
    shown_in_app: bool = False
    across_field: bool = False
    """Pairs move across sections, so a number is one pair in the whole session."""
    ew_return_home: bool = False
    generation: Generation | None = None
    """The table units in use; None: phones."""


@fact("session-changed", schema=2)
class SessionChanged(Fact):
    """The session has this name, date, time and way of moving."""

    name: str
    day: date
    starts: time | None
    shown_in_app: bool
    across_field: bool
    ew_return_home: bool
    order: int = 0
    """The number of the last order to show the session in the app that was followed or overridden."""


@fact("status-changed", schema=2)
class StatusChanged(Fact):
    """The session was started, finished, or set back to an earlier status."""

    status: Status
    basis: str = ""
    """The inputs of the decision (`results.status_basis`); for an automatic decision, followed by a slash and a digest
    of its other inputs. Empty in older journals."""


@fact("group-set")
class GroupSet(Fact):
    """A scoring group was added or changed."""

    group: int
    method: Method
    name: str = ""


@fact("group-dropped")
class GroupDropped(Fact):
    """A scoring group was removed."""

    group: int


@fact("section-set", schema=3)
class SectionSet(Fact):
    """A section was added or changed."""

    section: str
    id: int
    group: int
    winners: int
    game: GameKind
    name: str = ""
    missing_pair: int = 0
    """The pair that does not play, 0 for none; negative: an East-West pair, if there are two winners."""
    ew_moves: int = 0
    """The number of tables by which East-West moves between registering and the first round."""
    combi: Combi | None = None
    explicit_seating: bool = False
    """True if seats are entered for every round instead of following from the movement."""
    format: SectionFormat = SectionFormat.MOVEMENT
    lots: tuple[Lot, ...] = ()
    """The lots of the rounds that were drawn by lot, by round."""

    def is_missing(self, pair: int, side: Side) -> bool:
        """Return whether this pair is the section's missing pair."""
        if not self.missing_pair or not pair:
            return False
        if self.missing_pair < 0:
            return side is Side.EW and pair == -self.missing_pair
        return pair == self.missing_pair and (self.winners != 2 or side is Side.NS)


@fact("section-dropped")
class SectionDropped(Fact):
    """A section was removed, with its tables and seats; earlier facts erased its results."""

    section: str


@fact("queues-cleared")
class QueuesCleared(Fact):
    """The queues of this club, or of all clubs if empty, were cleared."""

    club: str = ""


# Commands ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChangeSession(Command):
    """Change the session's name, date, time or way of moving; None: unchanged."""

    session: str
    name: str | None = None
    day: date | None = None
    starts: time | None = None
    shown_in_app: bool | None = None
    across_field: bool | None = None
    ew_return_home: bool | None = None
    order: int = 0
    """The number of the order that this follows (`Event.show_order`); 0 if a person decides."""


@dataclass(frozen=True, slots=True)
class SetStatus(Command):
    """Start a session, finish it, or set it back to an earlier status."""

    session: str
    status: Status
    basis: str = ""
    """The inputs of an automatic decision; empty if a person decides."""


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """A request to set or remove a scoring group; `sections` move to it, its other sections stay."""

    number: int
    method: Method
    name: str = ""
    sections: tuple[str, ...] = ()
    is_dropped: bool = False


@dataclass(frozen=True, slots=True)
class SetGroups(Command):
    """Set or remove scoring groups, and move sections to them."""

    session: str
    groups: tuple[GroupPlan, ...]


@dataclass(frozen=True, slots=True)
class ClearQueues(Command):
    """Clear the queues of a club in all sessions; without a club, of all clubs."""

    club: str = ""


# State ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class SessionSetup:
    """The features, scoring groups and sections of a session."""

    opened: SessionOpened | None = None
    status: Status = Status.NOT_STARTED
    groups: dict[int, GroupSet] = field(default_factory=dict)
    sections: dict[str, SectionSet] = field(default_factory=dict)
    status_basis: str = ""
    """The inputs of the last decision about the status."""
    status_changes: int = 0
    """The number of decisions about the status."""
    order: int = 0
    """The number of the last order to show the session in the app that was followed or overridden."""

    def copy(self) -> SessionSetup:
        """Return a copy that can be changed independently."""
        return replace(self, groups=dict(self.groups), sections=dict(self.sections))


def apply(setup: SessionSetup, fact: Fact) -> None:
    """Apply one fact to the setup, in place."""
    match fact:
        case SessionOpened():
            setup.opened = fact
        case SessionChanged() if setup.opened:
            setup.opened = replace(
                setup.opened,
                name=fact.name,
                day=fact.day,
                starts=fact.starts,
                shown_in_app=fact.shown_in_app,
                across_field=fact.across_field,
                ew_return_home=fact.ew_return_home,
            )
            setup.order = max(setup.order, fact.order)
        case StatusChanged():
            setup.status = fact.status
            setup.status_basis = fact.basis
            setup.status_changes += 1
        case GroupSet():
            setup.groups[fact.group] = fact
        case GroupDropped():
            del setup.groups[fact.group]
        case SectionSet():
            setup.sections[fact.section] = fact
        case SectionDropped():
            del setup.sections[fact.section]


# Rules ------------------------------------------------------------------------------------------------------

SECTION_LETTERS = tuple(letter * times for times in (1, 2, 3) for letter in ascii_uppercase)
"""The letters that a section can have, in the order of their natural ids."""
HIGHEST_SECTION_ID = len(SECTION_LETTERS)


def is_letters(text: str) -> bool:
    """Return whether these are the letters of a section: one letter, once, twice or three times.

    >>> [letters for letters in ("A", "CC", "ZZZ", "AB", "a", "AAAA", "") if is_letters(letters)]
    ['A', 'CC', 'ZZZ']
    """
    return text in SECTION_LETTERS


def natural_id(section: str) -> int:
    """Return the id that follows from the letters of a section.

    >>> natural_id("A"), natural_id("Z"), natural_id("AA"), natural_id("ZZZ")
    (1, 26, 27, 78)
    """
    return ord(section[0]) - ord("A") + 1 + 26 * (len(section) - 1)


def free_id(session: Session, section: str) -> int:
    """Return the id for a new section: its natural one, or else the lowest that is free."""
    used = {section_set.id for section_set in session.setup.sections.values()}
    natural = natural_id(section)
    if natural not in used:
        return natural
    return next(number for number in range(1, len(used) + 2) if number not in used)


def change_session(session: Session, command: ChangeSession) -> tuple[Fact, ...] | Rejection:
    """Decide about the features of a session; an order that was followed or overridden already changes nothing."""
    opened, order = session.opened, session.setup.order
    if 0 < command.order <= order:
        return ()
    changed = SessionChanged(
        name=opened.name if command.name is None else command.name,
        day=command.day or opened.day,
        starts=command.starts or opened.starts,
        shown_in_app=opened.shown_in_app if command.shown_in_app is None else command.shown_in_app,
        across_field=opened.across_field if command.across_field is None else command.across_field,
        ew_return_home=opened.ew_return_home if command.ew_return_home is None else command.ew_return_home,
        order=command.order or order,
    )
    unchanged = SessionChanged(
        opened.name,
        opened.day,
        opened.starts,
        opened.shown_in_app,
        opened.across_field,
        opened.ew_return_home,
        order,
    )
    return () if changed == unchanged else (changed,)


def set_groups(session: Session, command: SetGroups) -> tuple[Fact, ...] | Rejection:
    """Decide about scoring groups; rejected if a group that has sections would be removed."""
    setup = session.setup
    problems: list[Problem] = []
    facts: list[Fact] = []
    group_of_section = {section.section: section.group for section in setup.sections.values()}
    moved_sections: dict[str, int] = {}
    numbers = [plan.number for plan in command.groups]
    problems += [
        Problem(Reason.NOT_ALLOWED, f"Scoring group {number} is listed twice.")
        for number in sorted({number for number in numbers if numbers.count(number) > 1})
    ]
    for plan in command.groups:
        where = f"scoring group {plan.number}"
        if plan.number < 1:
            problems.append(Problem(Reason.NOT_ALLOWED, "A scoring group has a number above zero.", where))
        if plan.is_dropped:
            if plan.sections:
                problems.append(
                    Problem(
                        Reason.NOT_ALLOWED, "A scoring group that is deleted cannot be given sections.", where
                    )
                )
            if plan.number not in setup.groups:
                problems.append(
                    Problem(Reason.UNKNOWN_ENTRY, "There is no such scoring group to delete.", where)
                )
            continue
        for section in plan.sections:
            if section not in group_of_section:
                problems.append(Problem(Reason.UNKNOWN_PLACE, f"There is no section {section}.", where))
            elif section in moved_sections and moved_sections[section] != plan.number:
                problems.append(
                    Problem(Reason.NOT_ALLOWED, f"Section {section} cannot be in two scoring groups.", where)
                )
            moved_sections[section] = plan.number
        planned = GroupSet(plan.number, plan.method, plan.name)
        if setup.groups.get(plan.number) != planned:
            facts.append(planned)
    group_of_section |= moved_sections
    for section, number in moved_sections.items():
        if section in setup.sections and setup.sections[section].group != number:
            facts.append(replace(setup.sections[section], group=number))
    for plan in command.groups:
        if not plan.is_dropped or plan.number not in setup.groups:
            continue
        remaining = sorted(section for section, number in group_of_section.items() if number == plan.number)
        if remaining:
            problems.append(
                Problem(
                    Reason.NOT_ALLOWED,
                    f"It cannot be deleted while it has sections ({', '.join(remaining)}).",
                    f"scoring group {plan.number}",
                )
            )
        else:
            facts.append(GroupDropped(plan.number))
    return rejected(problems) or tuple(facts)


def section_problems(session: Session, planned: SectionSet) -> list[Problem]:
    """Return the problems of a section's features, without its movement."""
    where = f"section {planned.section}"
    problems: list[Problem] = []

    def add_problem(sentence: str) -> None:
        problems.append(Problem(Reason.NOT_ALLOWED, sentence, where))

    if not is_letters(planned.section):
        add_problem("A section has one letter, A to Z, or the same letter twice or three times.")
    if planned.group < 1:
        add_problem("Its scoring group has a number above zero.")
    if planned.winners not in (0, 1, 2):
        add_problem(f"It has one winner or two, not {planned.winners}.")
    if not 1 <= planned.id <= HIGHEST_SECTION_ID:
        add_problem(f"Its id is from 1 to {HIGHEST_SECTION_ID}, not {planned.id}.")
    for other in session.setup.sections.values():
        if other.id == planned.id and other.section != planned.section:
            add_problem(f"Section {other.section} has the id {planned.id} already.")
    if planned.combi is not None:
        for source in (planned.combi.ns, planned.combi.ew):
            if source == planned.section or source not in session.setup.sections:
                add_problem(
                    f"A combi section takes its pairs from other sections, and there is no section {source}."
                )
    return problems


def unknown_section(section: str) -> Rejection:
    """Return the rejection for an unknown section."""
    return reject(Reason.UNKNOWN_PLACE, f"There is no section {section}.")
