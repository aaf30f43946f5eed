"""How the numbers of a `.bws` file name what an event names otherwise: sessions, sections and scoring groups.

Knows which section is which letters, belongs to which session and scores with which others; not who plays.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from overtrick.bws.contents import Contents
from overtrick.bws.rows import TEAMS, RecordedRow, ResultRow, SectionRow, SessionRow
from overtrick.event.place import Place
from overtrick.event.setup import SECTION_LETTERS, is_letters
from overtrick.guid import derived_guid, plain_guid
from overtrick.scoring import Method

METHODS = {1: Method.MATCHPOINTS, 2: Method.BUTLER, 3: Method.CROSS_IMPS, 4: Method.TEAM_IMPS}
"""What the scoring types are."""


def scoring_type(method: Method) -> int:
    """The scoring type of a method: all that compare pairs by IMPs with a datum are 2, all team methods 4.

    >>> scoring_type(Method.BUTLER_TRIMMED_3), scoring_type(Method.VPS_CONTINUOUS)
    (2, 4)
    """
    if method.is_teams:
        return TEAMS
    if method is Method.MATCHPOINTS:
        return 1
    return 2 if method.value.startswith("butler") else 3


@dataclass(frozen=True, slots=True)
class Unread:
    """Something in a file that could not be taken as it is: where, and what became of it."""

    table: str
    row: str
    sentence: str
    is_error: bool = False
    """True if the guide has the control software refuse it, instead of making the best of it."""
    instead: str = ""
    """What a program that does not refuse it has taken, as a sentence."""

    def __str__(self) -> str:
        told = f"{self.sentence} {self.instead}" if self.instead else self.sentence
        return f"{self.table}, {self.row}: {told}" if self.row else f"{self.table}: {told}"

    @property
    def for_control(self) -> Unread:
        """The same for the control software, which takes nothing instead of what it refuses."""
        return replace(self, instead="") if self.is_error else self


@dataclass(frozen=True, slots=True)
class Frame:
    """The names of a file's sessions, sections and scoring groups."""

    sessions: tuple[SessionRow, ...]
    """Those of the file, or one that is implied."""
    guids: Mapping[int, str]
    """The guid of each session, by its ID."""
    sections: Mapping[int, SectionRow]
    letters: Mapping[int, str]
    """The letters of each section, by its ID."""
    session_of: Mapping[int, int]
    """The session of each section."""
    groups: Mapping[int, int]
    """The scoring group of each section: the lowest ID of the sections that score together."""
    unread: tuple[Unread, ...] = ()
    ids: Mapping[str, int] = field(default_factory=dict)
    """The ID of each section, by its letters."""

    def guid_of(self, section: int) -> str:
        """The guid of a section's session."""
        return self.guids[self.session_of[section]]

    def place_of(self, row: ResultRow | RecordedRow) -> Place:
        """Return the place of a row's board; the section is empty where the file has no such section."""
        return self.letters.get(row.section, ""), row.table, row.round, row.board

    def sections_of(self, session: int) -> list[int]:
        """The sections of a session, by rising ID."""
        return sorted(section for section, owner in self.session_of.items() if owner == session)


def frame_of(contents: Contents, guids: Mapping[int, str] | None = None) -> Frame:
    """The names in a file; `guids` are for sessions that have none in the file."""
    unread: list[Unread] = []
    sessions = _sessions(contents, unread)
    named: dict[int, str] = {}
    for session in sessions:
        guid = plain_guid(session.guid)
        if session.guid and not guid:
            unread.append(Unread("Session", f"ID {session.id}", f"{session.guid!r} is no guid."))
        guid = guid or (guids or {}).get(session.id) or derived_guid(contents.name, session.id)
        if guid in named.values():
            unread.append(Unread("Session", f"ID {session.id}", "Its guid belongs to another session too."))
            guid = derived_guid(contents.name + guid, session.id)
        named[session.id] = guid
    sections, letters = _sections(contents, unread)
    session_of = {}
    known = {session.id for session in sessions}
    for id, section in sections.items():
        if section.session not in known and contents.sessions and section.session:
            unread.append(
                Unread("Section", f"ID {id}", f"There is no session {section.session}; the first is meant.")
            )
        session_of[id] = section.session if section.session in known else sessions[0].id
    groups = _groups(contents, sections, session_of)
    return Frame(
        sessions,
        named,
        sections,
        letters,
        session_of,
        groups,
        tuple(unread),
        {letter: id for id, letter in letters.items()},
    )


def _sessions(contents: Contents, unread: list[Unread]) -> tuple[SessionRow, ...]:
    found: dict[int, SessionRow] = {}
    for session in contents.sessions:
        if session.id in found:
            unread.append(Unread("Session", f"ID {session.id}", "The ID is there twice; the first counts."))
            continue
        found[session.id] = session
    return tuple(found.values()) or (SessionRow(id=1, name=contents.name),)


def _sections(contents: Contents, unread: list[Unread]) -> tuple[dict[int, SectionRow], dict[int, str]]:
    sections: dict[int, SectionRow] = {}
    letters: dict[int, str] = {}
    for section in contents.sections:
        where = f"ID {section.id}"
        text = section.letter.upper()
        if section.id in sections or text in letters.values():
            unread.append(Unread("Section", where, "Its ID or letter is there twice; the first counts."))
            continue
        if not is_letters(text):
            unread.append(Unread("Section", where, f"{section.letter!r} are no letters of a section."))
            continue
        sections[section.id] = section
        letters[section.id] = text
    if contents.sections or contents.has("Section"):
        return sections, letters
    # A file without sections still has tables and rounds that name them.
    for id in sorted({row.section for row in contents.rounds if 1 <= row.section <= 78}):
        sections[id] = SectionRow(id=id)
        letters[id] = SECTION_LETTERS[id - 1]
    return sections, letters


def _groups(
    contents: Contents, sections: Mapping[int, SectionRow], session_of: Mapping[int, int]
) -> dict[int, int]:
    """Return which sections score together: with tables in one group or, without groups, if the settings say so.

    In team games groups are matches, and teams meet in others in each round: all sections of a session score together,
    unless a number plays twice in a round and they are different fields.
    """
    leader = {id: id for id in sections}

    def find(id: int) -> int:
        while leader[id] != id:
            id = leader[id]
        return id

    def join(ids: list[int]) -> None:
        together: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        for id in ids:
            together[session_of[id], sections[id].scoring_type].append(find(id))
        for found in together.values():
            lowest = min(found)
            for id in found:
                leader[id] = lowest

    grouped: defaultdict[int, set[int]] = defaultdict(set)
    for table in contents.tables:
        if table.section in sections:
            grouped[table.group].add(table.section)
    for group, members in sorted(grouped.items()):
        if group:
            join(sorted(members))
    for session in set(session_of.values()):
        teams = [
            id for id, row in sections.items() if row.scoring_type == TEAMS and session_of[id] == session
        ]
        sitting = Counter(
            (row.round, side, number)
            for row in contents.rounds
            if row.section in teams
            for side, number in enumerate((row.ns, row.ew))
            if number
        )
        if max(sitting.values(), default=0) == 1:
            join(teams)
    if contents.settings and contents.settings[0].get("GroupSections"):
        join(sorted(grouped.get(0, set(sections) if not contents.tables else set())))
    return {id: find(id) for id in sections}
