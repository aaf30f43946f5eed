"""The members of a club: the players of a registry by name and number, and the import of a list of them.

An import is first matched with the registry, so that a person decides about duplicates before anything is written.
Independent of files; `member_lists` parses them.
"""

import sqlite3
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256

from overtrick.errors import BadInput
from overtrick.registry.database import Registry
from overtrick.registry.people import Decisions, ImportOutcome, People, Person

MOST_FOUND = 50
LONGEST_NAME = 60
LONGEST_NUMBER = 20


@dataclass(frozen=True, slots=True)
class Member:
    """A player of the registry with the key of our side and the member number."""

    key: int
    number: str
    first_name: str
    last_name: str

    @property
    def name(self) -> str:
        """Return first and last name."""
        return f"{self.first_name} {self.last_name}".strip()


def fold(text: str) -> str:
    """Return a text in the form that is searched and compared: without case, accents and extra spaces.

    >>> fold("  Zoë  ÅBERG ")
    'zoe aberg'
    """
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(letter for letter in decomposed if not unicodedata.combining(letter)).split())


class Members:
    """The members in a registry."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        registry.connection.create_function("fold", 1, fold, deterministic=True)

    def find(self, text: str = "", first: int = 0, most: int = MOST_FOUND) -> list[Member]:
        """Return the members whose names or numbers contain every word of a text, by last name."""
        return self._select(*_search_condition(text), first, most)

    def count(self, text: str = "") -> int:
        """Return the number of members that contain every word of a text, as in `find`."""
        condition, words = _search_condition(text)
        with self.registry.reading() as connection:
            return int(
                connection.execute(f"SELECT count(*) FROM people WHERE {condition}", words).fetchone()[0]
            )

    def by_number(self, number: str) -> Member | None:
        """Return the member with a number."""
        return next(iter(self._select("member_code = ?", [number], 0, 1)), None)

    def by_name(self, name: str) -> list[Member]:
        """Return the members with a name, first name first."""
        return self._select("fold(first_name || ' ' || last_name) = ?", [fold(name)], 0, MOST_FOUND)

    def _select(self, condition: str, values: Iterable[str], first: int, most: int) -> list[Member]:
        with self.registry.reading() as connection:
            rows = connection.execute(
                f"SELECT rowid, coalesce(member_code, ''), first_name, last_name FROM people WHERE {condition} "
                "ORDER BY fold(last_name), fold(first_name), rowid LIMIT ? OFFSET ?",
                (*values, most, first),
            ).fetchall()
        return [Member(*row) for row in rows]

    def add(self, number: str, first_name: str, last_name: str) -> None:
        """Add a member; raise BadInput without a name, or if the number is another member's."""
        self._write(
            "INSERT INTO people (member_code, first_name, last_name, sex) VALUES (?, ?, ?, '')",
            *_fields(number, first_name, last_name),
        )

    def change(self, key: int, number: str, first_name: str, last_name: str) -> None:
        """Change name and number of a member; raise BadInput as `add`, or if the member no longer exists."""
        values = _fields(number, first_name, last_name)
        changed = self._write(
            "UPDATE people SET member_code = ?, first_name = ?, last_name = ? WHERE rowid = ?", *values, key
        )
        if not changed:
            raise BadInput("This member has been removed. Nothing was changed.")

    def remove(self, key: int) -> None:
        """Remove a member; raise BadInput if the ledger has points, titles or a country of the player."""
        with self.registry.writing() as connection:
            try:
                connection.execute("DELETE FROM people WHERE rowid = ?", (key,))
            except sqlite3.IntegrityError:
                raise BadInput(
                    "The registry has master points, titles or a country of this player, who was not removed."
                ) from None

    def _write(self, statement: str, *values: object) -> int:
        number = values[0]
        with self.registry.writing() as connection:
            try:
                return connection.execute(statement, values).rowcount
            except sqlite3.IntegrityError:
                (first, last) = connection.execute(
                    "SELECT first_name, last_name FROM people WHERE member_code = ?", (number,)
                ).fetchone()
                raise BadInput(f"Number {number} belongs to {first} {last}. Nothing was changed.") from None


def _search_condition(text: str) -> tuple[str, list[str]]:
    """Return the SQL condition that a member contains every word, and its values."""
    words = fold(text).split()[:10]
    haystack = "fold(first_name || ' ' || last_name || ' ' || coalesce(member_code, ''))"
    return " AND ".join([f"instr({haystack}, ?)"] * len(words)) or "1", words


def _fields(number: str, first_name: str, last_name: str) -> tuple[str | None, str, str]:
    if not (first_name or last_name):
        raise BadInput("Enter a name. Nothing was changed.")
    return number[:LONGEST_NUMBER] or None, first_name[:LONGEST_NAME], last_name[:LONGEST_NAME]


# Import -----------------------------------------------------------------------------------------------------


class Sameness(Enum):
    """The relation of a line of a list to the members of the registry."""

    NEW = "new"
    KNOWN = "known"
    SAME_NUMBER = "same number"
    SAME_NAME = "same name"
    REPEATED = "repeated"


class Choice(Enum):
    """A decision about a line."""

    ADD = "add"
    """Add a member."""
    TAKE = "take"
    """Write name and number of the line to the member that the registry has."""
    KEEP = "keep"
    """Leave the registry as it is."""


@dataclass(frozen=True, slots=True)
class MatchedLine:
    """A line of a list with the member that it may be."""

    line: int
    person: Person
    sameness: Sameness
    known: Member | None = None

    @property
    def choices(self) -> tuple[Choice, ...]:
        """Return the possible decisions, the usual one first.

        The same name with two different numbers is usually two people.
        """
        match self.sameness:
            case Sameness.NEW:
                return (Choice.ADD,)
            case Sameness.SAME_NUMBER:
                return Choice.KEEP, Choice.TAKE
            case Sameness.SAME_NAME if self.known and self.known.number and self.person.member_code:
                return Choice.ADD, Choice.TAKE, Choice.KEEP
            case Sameness.SAME_NAME:
                return Choice.TAKE, Choice.ADD, Choice.KEEP
        return (Choice.KEEP,)


@dataclass(frozen=True, slots=True)
class MatchedList:
    """A list of members, matched with the registry line by line."""

    lines: tuple[MatchedLine, ...]

    def of(self, sameness: Sameness) -> list[MatchedLine]:
        """Return the lines with this relation to the registry."""
        return [line for line in self.lines if line.sameness is sameness]

    @property
    def questions(self) -> list[MatchedLine]:
        """Return the lines about which a person decides."""
        return [line for line in self.lines if len(line.choices) > 1]

    @property
    def digest(self) -> str:
        """Return a digest that changes if the list or the registry has changed since a person saw it."""
        return sha256(repr(self.lines).encode()).hexdigest()[:32]


def match_members(registry: Registry, lines: Iterable[tuple[int, Person]]) -> MatchedList:
    """Match a list with the registry, by number and then by name; nothing is written."""
    members = Members(registry)
    everyone = members.find(most=-1)
    by_number = {member.number: member for member in everyone if member.number}
    by_name: dict[str, list[Member]] = {}
    for member in everyone:
        by_name.setdefault(fold(member.name), []).append(member)
    seen: set[tuple[str, str]] = set()
    matched_keys: set[int] = set()
    matched = []
    for line, person in lines:
        name = fold(f"{person.first_name} {person.last_name}")
        identity = (person.member_code, "" if person.member_code else name)
        numbered = by_number.get(person.member_code)
        namesakes = [member for member in by_name.get(name, ()) if member.key not in matched_keys]
        known = numbered or next(iter(namesakes), None)
        if identity in seen:
            sameness, known = Sameness.REPEATED, None
        elif numbered is not None:
            sameness = Sameness.KNOWN if fold(numbered.name) == name else Sameness.SAME_NUMBER
        else:
            sameness = Sameness.SAME_NAME if namesakes else Sameness.NEW
        if sameness is Sameness.SAME_NAME and not person.member_code and len(namesakes) == 1:
            # A list without numbers that is imported again has nothing new.
            sameness = Sameness.KNOWN
        seen.add(identity)
        if known is not None:
            matched_keys.add(known.key)
        matched.append(MatchedLine(line, person, sameness, known))
    return MatchedList(tuple(matched))


def import_members(registry: Registry, matched: MatchedList, choices: Mapping[int, Choice]) -> ImportOutcome:
    """Write a matched list, all or nothing. Lines that are not in `choices` get their usual decision."""
    own_key = registry.side.own_key
    people: list[tuple[int, Person]] = []
    accepted, apart = set(), set()
    for line in matched.lines:
        choice = choices.get(line.line, line.choices[0])
        if choice not in line.choices:
            raise BadInput(f"Line {line.line} does not allow that choice. Nothing was changed.")
        if choice is Choice.ADD:
            people.append((line.line, line.person))
            apart.add(line.line)
        elif choice is Choice.TAKE and line.known is not None:
            key, is_magic = line.known.key, own_key == "magic_id"
            person = line.person._replace(
                magic_id=key if is_magic else None, office_id=None if is_magic else key
            )
            people.append((line.line, person))
            accepted.add(line.line)
    return People(registry).merge(people, Decisions(frozenset(accepted), frozenset(apart)))
