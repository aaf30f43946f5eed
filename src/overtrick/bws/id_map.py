"""The map from the IDs of a `.bws` file to the names of an event: sessions, sections and scoring groups.

Depends on no players or results.
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
"""The scoring method of each value of ScoringType."""


def scoring_type(method: Method) -> int:
    """Return the scoring type of a method: 2 for all datum (Butler) methods, 4 for all team methods.

    >>> scoring_type(Method.BUTLER_TRIMMED_3), scoring_type(Method.VPS_CONTINUOUS)
    (2, 4)
    """
    if method.is_teams:
        return TEAMS
    if method is Method.MATCHPOINTS:
        return 1
    return 2 if method.value.startswith("butler") else 3


@dataclass(frozen=True, slots=True)
class ReadProblem:
    """A problem with a row of a file: its position, and what was done instead."""

    table: str
    row: str
    sentence: str
    is_error: bool = False
    """True if the guide says that the control software refuses such a row."""
    instead: str = ""
    """A sentence about the value that a program uses if it does not refuse the row."""

    def __str__(self) -> str:
        text = f"{self.sentence} {self.instead}" if self.instead else self.sentence
        return f"{self.table}, {self.row}: {text}" if self.row else f"{self.table}: {text}"

    @property
    def for_control(self) -> ReadProblem:
        """Return the problem as the control software reports it: without a substitute for what it refuses."""
        return replace(self, instead="") if self.is_error else self


@dataclass(frozen=True, slots=True)
class IdMap:
    """The names of a file's sessions, sections and scoring groups."""

    sessions: tuple[SessionRow, ...]
    """The sessions of the file, or one that is implied."""
    guids: Mapping[int, str]
    """The guid of each session, by its ID."""
    sections: Mapping[int, SectionRow]
    letters: Mapping[int, str]
    """The letters of each section, by its ID."""
    session_of: Mapping[int, int]
    """The session of each section."""
    groups: Mapping[int, int]
    """The scoring group of each section: the lowest ID of the sections that score together."""
    problems: tuple[ReadProblem, ...] = ()
    ids: Mapping[str, int] = field(default_factory=dict)
    """The ID of each section, by its letters."""

    def guid_of(self, section: int) -> str:
        """Return the guid of a section's session."""
        return self.guids[self.session_of[section]]

    def place_of(self, row: ResultRow | RecordedRow) -> Place:
        """Return the place of a row's board; the section is empty if the file has no such section."""
        return self.letters.get(row.section, ""), row.table, row.round, row.board

    def sections_of(self, session: int) -> list[int]:
        """Return the sections of a session, in ascending order of ID."""
        return sorted(section for section, owner in self.session_of.items() if owner == session)


def build_id_map(contents: Contents) -> IdMap:
    """Build the map of a file; a session without a GUID gets one that follows from the file's name."""
    problems: list[ReadProblem] = []
    sessions = _sessions(contents, problems)
    guids: dict[int, str] = {}
    for session in sessions:
        guid = plain_guid(session.guid)
        if session.guid and not guid:
            problems.append(ReadProblem("Session", f"ID {session.id}", f"{session.guid!r} is not a GUID."))
        guid = guid or derived_guid(contents.name, session.id)
        if guid in guids.values():
            problems.append(ReadProblem("Session", f"ID {session.id}", "Another session has the same GUID."))
            guid = derived_guid(contents.name + guid, session.id)
        guids[session.id] = guid
    sections, letters = _sections(contents, problems)
    session_of = {}
    session_ids = {session.id for session in sessions}
    for id, section in sections.items():
        if section.session not in session_ids and contents.sessions and section.session:
            problems.append(
                ReadProblem(
                    "Section", f"ID {id}", f"There is no session {section.session}; the first one is used."
                )
            )
        session_of[id] = section.session if section.session in session_ids else sessions[0].id
    groups = _groups(contents, sections, session_of)
    return IdMap(
        sessions,
        guids,
        sections,
        letters,
        session_of,
        groups,
        tuple(problems),
        {letter: id for id, letter in letters.items()},
    )


def _sessions(contents: Contents, problems: list[ReadProblem]) -> tuple[SessionRow, ...]:
    sessions: dict[int, SessionRow] = {}
    for session in contents.sessions:
        if session.id in sessions:
            problems.append(
                ReadProblem("Session", f"ID {session.id}", "The ID occurs twice; the first counts.")
            )
            continue
        sessions[session.id] = session
    return tuple(sessions.values()) or (SessionRow(id=1, name=contents.name),)


def _sections(
    contents: Contents, problems: list[ReadProblem]
) -> tuple[dict[int, SectionRow], dict[int, str]]:
    sections: dict[int, SectionRow] = {}
    letters: dict[int, str] = {}
    for section in contents.sections:
        where = f"ID {section.id}"
        text = section.letter.upper()
        if section.id in sections or text in letters.values():
            problems.append(ReadProblem("Section", where, "Its ID or letter occurs twice; the first counts."))
            continue
        if not is_letters(text):
            problems.append(ReadProblem("Section", where, f"{section.letter!r} are not section letters."))
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
    """Return the scoring group of each section: by shared table groups or, without groups, by the settings.

    In team games a table group is a match, which changes from round to round. All team sections of a session score
    together, unless a team number plays twice in a round: then the sections are separate fields.
    """
    # Union-find: each section points to another one of its group, and the lowest ID of the group to itself.
    leader = {id: id for id in sections}

    def find(id: int) -> int:
        while leader[id] != id:
            id = leader[id]
        return id

    def join(ids: list[int]) -> None:
        leaders_by_kind: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        for id in ids:
            leaders_by_kind[session_of[id], sections[id].scoring_type].append(find(id))
        for leaders in leaders_by_kind.values():
            lowest = min(leaders)
            for id in leaders:
                leader[id] = lowest

    sections_by_table_group: defaultdict[int, set[int]] = defaultdict(set)
    for table in contents.tables:
        if table.section in sections:
            sections_by_table_group[table.group].add(table.section)
    for group, members in sorted(sections_by_table_group.items()):
        if group:
            join(sorted(members))
    for session in set(session_of.values()):
        teams = [
            id for id, row in sections.items() if row.scoring_type == TEAMS and session_of[id] == session
        ]
        appearances = Counter(
            (row.round, side, number)
            for row in contents.rounds
            if row.section in teams
            for side, number in enumerate((row.ns, row.ew))
            if number
        )
        if max(appearances.values(), default=0) == 1:
            join(teams)
    if contents.settings and contents.settings[0].get("GroupSections"):
        join(sorted(sections_by_table_group.get(0, set(sections) if not contents.tables else set())))
    return {id: find(id) for id in sections}
