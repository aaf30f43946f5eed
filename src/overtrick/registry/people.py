"""Merging of the players of two sides: by either key or member code, then by name and date of birth.

A federation's file has a hundred thousand players, and few of them have changed. They are compared in the database;
only those that differ are handled one by one in Python.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple

from overtrick.registry.database import Registry


class Person(NamedTuple):
    """The keys and personal data of a player; unknown values are None or empty."""

    magic_id: int | None
    office_id: int | None
    member_code: str
    last_name: str
    first_name: str
    sex: str
    birth: date | None


FIELDS = Person._fields
_COLUMNS = ", ".join(FIELDS).replace("member_code", "coalesce(member_code, '')")
KEYS = FIELDS[:3]
SEXES = frozenset(("M", "W", ""))


@dataclass(frozen=True, slots=True)
class RowProblem:
    """A line that cannot be imported, with the reason; `column` may be empty.

    >>> print(RowProblem(3, "dateBirth", "'1970-02-30' is not a date."))
    line 3, column dateBirth: '1970-02-30' is not a date.
    """

    line: int
    column: str
    sentence: str

    def __str__(self) -> str:
        return self.words()

    def words(self, others: int = 0) -> str:
        """Return the sentence; `others` is the number of other lines with the same problem."""
        lines = f"line {self.line}" + (f" and {others} more" if others else "")
        column = f", column {self.column}" if self.column else ""
        return f"{lines}{column}: {self.sentence}"


DIFFERS = " OR ".join(f"(incoming.{name} IS NOT people.{name} AND incoming.{name} <> '')" for name in FIELDS)
"""SQL condition: the line has a value that is missing or different in the registry."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A difference between the two sides that a person has to resolve.

    >>> print(Conflict(3, "csTeam", "Sweden", "Sverige"))
    line 3, column csTeam: we have 'Sweden', the file has 'Sverige'.
    """

    line: int
    column: str
    ours: str
    theirs: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: we have {self.ours!r}, the file has {self.theirs!r}."


@dataclass(frozen=True, slots=True)
class Decisions:
    """A person's decisions about conflicts, by line."""

    accepted: frozenset[int] = frozenset()
    """The lines where the file is right, or where the player is the same person."""
    apart: frozenset[int] = frozenset()
    """The lines where the player is another person of the same name."""
    accepts_all: bool = False

    def __contains__(self, line: object) -> bool:
        return self.accepts_all or line in self.accepted


@dataclass(slots=True)
class ImportOutcome:
    """The outcome of an import: counts of lines, refusals, conflicts and notes."""

    added: int = 0
    changed: int = 0
    same: int = 0
    refusals: list[RowProblem] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class _Refused(Exception):
    """An internal signal that rolls back a transaction."""


def import_all(
    registry: Registry, partial: bool, import_lines: Callable[[sqlite3.Connection, ImportOutcome], None]
) -> ImportOutcome:
    """Import lines in one transaction. If a line is refused, nothing is imported unless `partial`."""
    outcome = ImportOutcome()
    try:
        with registry.writing() as connection:
            import_lines(connection, outcome)
            if outcome.refusals and not partial:
                raise _Refused
    except _Refused:
        return ImportOutcome(refusals=outcome.refusals)
    return outcome


class People:
    """The players of a registry."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry

    def merge(
        self,
        lines: Iterable[tuple[int, Person]],
        decisions: Decisions | None = None,
        *,
        partial: bool = False,
    ) -> ImportOutcome:
        """Merge a list of players into the registry. If a line is refused, nothing is imported unless `partial`."""
        return import_all(
            self.registry,
            partial,
            lambda connection, outcome: self.merge_in_transaction(
                connection, lines, decisions or Decisions(), outcome
            ),
        )

    def merge_in_transaction(
        self,
        connection: sqlite3.Connection,
        lines: Iterable[tuple[int, Person]],
        decisions: Decisions,
        outcome: ImportOutcome,
    ) -> None:
        """Merge players inside the caller's transaction; `temp.incoming` then has the player of each line."""
        connection.execute("DROP TABLE IF EXISTS temp.incoming")
        connection.execute(
            "CREATE TEMP TABLE incoming (line INTEGER PRIMARY KEY, magic_id INTEGER, office_id INTEGER,"
            " member_code TEXT, last_name TEXT, first_name TEXT, sex TEXT, birth TEXT, player INTEGER, same INTEGER)"
        )
        connection.executemany(
            f"INSERT INTO incoming (line, {', '.join(FIELDS)}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            _checked(lines, outcome.refusals),
        )
        (total,) = connection.execute("SELECT count(*) FROM incoming").fetchone()
        if connection.execute("SELECT 1 FROM people LIMIT 1").fetchone():
            self._find_same(connection)
            self._find_known(connection, outcome)
            self._find_namesakes(connection, decisions, outcome)
            self._merge_known(connection, decisions, outcome)
        outcome.added = self._add(connection)
        outcome.same = total - outcome.added - outcome.changed

    def _find_same(self, connection: sqlite3.Connection) -> None:
        """Find the players of lines without differences by the other side's key: nearly all lines."""
        other = self.registry.side.other_key
        connection.execute(
            f"UPDATE incoming SET (player, same) = (SELECT rowid, 1 FROM people "
            f"WHERE people.{other} = incoming.{other} AND ({DIFFERS}) IS NOT TRUE)"
        )

    def _find_known(self, connection: sqlite3.Connection, outcome: ImportOutcome) -> None:
        """Find the players of the remaining lines by any key; refuse lines with keys of several players."""
        ambiguous = connection.execute(
            """SELECT line, a.rowid, a.last_name, b.rowid, b.last_name, c.rowid, c.last_name FROM incoming
            LEFT JOIN people a ON a.magic_id = incoming.magic_id
            LEFT JOIN people b ON b.office_id = incoming.office_id
            LEFT JOIN people c ON c.member_code = incoming.member_code
            WHERE player IS NULL AND (a.rowid <> b.rowid OR a.rowid <> c.rowid OR b.rowid <> c.rowid)"""
        ).fetchall()
        for line, *matches in ambiguous:
            names = {matches[place]: matches[place + 1] for place in (0, 2, 4) if matches[place] is not None}
            players = " and ".join(repr(name) for name in names.values())
            column = "member_code" if matches[4] is not None else "office_id"
            outcome.refusals.append(
                RowProblem(line, column, f"Its keys belong to several players: {players}.")
            )
        connection.executemany("DELETE FROM incoming WHERE line = ?", [(line,) for line, *_ in ambiguous])
        connection.execute(
            """UPDATE incoming SET player = coalesce(
                (SELECT rowid FROM people WHERE magic_id = incoming.magic_id),
                (SELECT rowid FROM people WHERE office_id = incoming.office_id),
                (SELECT rowid FROM people WHERE member_code = incoming.member_code)) WHERE player IS NULL"""
        )

    def _find_namesakes(
        self, connection: sqlite3.Connection, decisions: Decisions, outcome: ImportOutcome
    ) -> None:
        """Match lines without a known key to players of the same name whose keys do not contradict theirs.

        One player with the same date of birth is a match; anything else is a conflict, unless a person has decided.
        Of several lines about the same player, refuse the last.
        """
        rows = connection.execute(
            """SELECT line, people.rowid, incoming.first_name || ' ' || incoming.last_name,
                   incoming.birth IS NOT NULL AND incoming.birth = people.birth
            FROM incoming JOIN people USING (last_name, first_name)
            WHERE player IS NULL
              AND (incoming.birth IS NULL OR people.birth IS NULL OR incoming.birth = people.birth)
              AND (incoming.magic_id IS NULL OR people.magic_id IS NULL)
              AND (incoming.office_id IS NULL OR people.office_id IS NULL)
              AND (incoming.member_code IS NULL OR people.member_code IS NULL)
            ORDER BY line"""
        ).fetchall()
        candidates: dict[int, list[tuple[int, str, bool]]] = {}
        for line, player, name, is_same in rows:
            candidates.setdefault(line, []).append((player, name, bool(is_same)))
        for line, people in candidates.items():
            if line in decisions.apart:
                continue
            name = people[0][1].strip()
            certain = [player for player, _, is_same in people if is_same]
            if len(certain) == 1 or (line in decisions and len(people) == 1):
                player = certain[0] if certain else people[0][0]
                connection.execute("UPDATE incoming SET player = ? WHERE line = ?", (player, line))
                outcome.notes.append(f"line {line}: {name} was joined with the {name} that we have.")
            else:
                outcome.conflicts.append(Conflict(line, "last_name", f"{name}, maybe the same", name))
                connection.execute("DELETE FROM incoming WHERE line = ?", (line,))
        claimed = connection.execute(
            # Lines without differences have distinct keys, so no two of them are about the same player.
            "SELECT max(line), player FROM incoming WHERE player IN (SELECT player FROM incoming WHERE same IS NULL) "
            "GROUP BY player HAVING count(*) > 1"
        ).fetchall()
        for line, _ in claimed:
            outcome.refusals.append(RowProblem(line, "last_name", "Another line is about the same player."))
            connection.execute("DELETE FROM incoming WHERE line = ?", (line,))

    def _merge_known(
        self, connection: sqlite3.Connection, decisions: Decisions, outcome: ImportOutcome
    ) -> None:
        """Write values that are missing in the registry, and accepted ones; list other differences as conflicts."""
        theirs = ", ".join(f"incoming.{name}" for name in FIELDS)
        ours = ", ".join(f"people.{name}" for name in FIELDS)
        row = connection.execute(
            f"SELECT line, player, {theirs}, {ours} FROM incoming JOIN people ON people.rowid = player "
            f"WHERE same IS NULL AND ({DIFFERS}) ORDER BY line"
        ).fetchall()
        for line, player, *values in row:
            changes: dict[str, object] = {}
            for name, new, old in zip(FIELDS, values[:7], values[7:], strict=True):
                if new in (None, "") or new == old:
                    continue
                if old in (None, "") or line in decisions:
                    changes[name] = new
                else:
                    outcome.conflicts.append(Conflict(line, name, str(old), str(new)))
            if not changes:
                continue
            columns = ", ".join(f"{name} = ?" for name in changes)
            try:
                connection.execute(
                    f"UPDATE people SET {columns} WHERE rowid = ?", (*changes.values(), player)
                )
                outcome.changed += 1
            except sqlite3.IntegrityError:
                outcome.refusals.append(RowProblem(line, next(iter(changes)), "Another player has this key."))

    def _add(self, connection: sqlite3.Connection) -> int:
        """Add the new players, assigning keys of our side to those without one; return their number."""
        own, other = self.registry.side.own_key, self.registry.side.other_key
        (base,) = connection.execute(
            f"SELECT max((SELECT coalesce(max({own}), 0) FROM people),"
            f" (SELECT coalesce(max({own}), 0) FROM incoming))"
        ).fetchone()
        (added,) = connection.execute("SELECT count(*) FROM incoming WHERE player IS NULL").fetchone()
        connection.execute(
            f"""UPDATE incoming SET player = coalesce({own}, ? + numbered.number) FROM
            (SELECT line, row_number() OVER (PARTITION BY {own} IS NULL ORDER BY line) AS number
             FROM incoming WHERE player IS NULL)
            AS numbered WHERE incoming.line = numbered.line""",
            (base,),
        )
        connection.execute(
            f"""INSERT INTO people ({own}, {other}, member_code, last_name, first_name, sex, birth)
            SELECT player, {other}, member_code, last_name, first_name, sex, birth FROM incoming
            WHERE same IS NULL AND NOT EXISTS (SELECT 1 FROM people WHERE people.rowid = player) ORDER BY line"""
        )
        return int(added)

    def every(self) -> Iterator[Person]:
        """Yield every player, by the key of our side."""
        with self.registry.reading() as connection:
            for row in connection.execute(
                f"SELECT {_COLUMNS} FROM people ORDER BY {self.registry.side.own_key}"
            ):
                yield _person(row)

    def find(self, field_name: str, key: int | str) -> Person | None:
        """Return the player with this key, or None; `field_name` is one of KEYS."""
        assert field_name in KEYS
        with self.registry.reading() as connection:
            row = connection.execute(
                f"SELECT {_COLUMNS} FROM people WHERE {field_name} = ?", (key,)
            ).fetchone()
        return row and _person(row)

    def highest_key(self) -> int:
        """Return Magic's highest key; 0 if there is none."""
        with self.registry.reading() as connection:
            return int(connection.execute("SELECT coalesce(max(magic_id), 0) FROM people").fetchone()[0])

    def set_country(self, magic_id: int, from_year: int, country: str) -> bool:
        """Set a player's country from a year on; return False if there is no such player."""
        with self.registry.writing() as connection:
            cursor = connection.execute(
                "INSERT INTO countries SELECT rowid, ?, ? FROM people WHERE magic_id = ? "
                "ON CONFLICT DO UPDATE SET country = excluded.country",
                (from_year, country, magic_id),
            )
            return cursor.rowcount > 0


def _person(row: tuple[Any, ...]) -> Person:
    *fields, birth = row
    return Person._make((*fields, birth and date.fromisoformat(birth)))


def _checked(lines: Iterable[tuple[int, Person]], refusals: list[RowProblem]) -> Iterator[tuple[object, ...]]:
    """Yield the valid lines as rows of the database; refuse one with a key of an earlier line.

    >>> refusals = []
    >>> lines = [(2, Person(7, None, "", "Berg", "", "", None)), (3, Person(7, None, "", "Ek", "", "", None))]
    >>> list(_checked(lines, refusals))
    [(2, 7, None, None, 'Berg', '', '', None)]
    >>> refusals[0].sentence
    '7 is in line 2 already.'
    """
    lines_by_key: tuple[dict[Any, int], ...] = tuple({} for _ in KEYS)
    for line, person in lines:
        refusal = _refusal(line, person, lines_by_key)
        if refusal is None:
            *keys, code, last_name, first_name, sex, birth = person
            yield line, *keys, code or None, last_name, first_name, sex, birth and birth.isoformat()
        else:
            refusals.append(refusal)


def _refusal(line: int, person: Person, lines_by_key: tuple[dict[Any, int], ...]) -> RowProblem | None:
    """Return the problem of a line, or None; `lines_by_key` has the line of each key so far."""
    for place, lines in enumerate(lines_by_key):
        key = person[place]
        if key is None or key == "":
            continue
        if lines.setdefault(key, line) != line:
            return RowProblem(line, KEYS[place], f"{key} is in line {lines[key]} already.")
        if isinstance(key, int) and key < 1:
            return RowProblem(line, KEYS[place], f"A key is a number above zero, not {key}.")
    if person.sex not in SEXES:
        return RowProblem(line, "sex", f"The sex is M, W or empty, not {person.sex!r}.")
    if not (person.last_name or person.first_name):
        return RowProblem(line, "last_name", "The player has no name.")
    return None
