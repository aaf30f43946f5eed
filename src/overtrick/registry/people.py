"""Players of two sides found and joined: by either key or by member code, and by name and date of birth.

A file of a federation has a hundred thousand players, of whom few have changed: they are compared inside the
database, and only those that differ are looked at one by one.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date

from overtrick.registry.book import Registry, indexes, insert_columns, separators
from overtrick.registry.lines import (
    FIELDS,
    KEYS,
    LINES_AT_A_TIME,
    PersonColumns,
    PersonFields,
    Refusal,
    Seen,
    are_fine_alone,
    as_stored,
    columns_of,
)

DIFFERS = " OR ".join(f"(incoming.{name} IS NOT people.{name} AND incoming.{name} <> '')" for name in FIELDS)
"""Whether a line says something that we do not have, or have otherwise."""

Pieces = Callable[[], Iterable[PersonColumns]]
"""A list of players from its beginning, as often as it is asked for."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Both sides have something, and it is not the same; a person has to decide."""

    line: int
    field: str
    ours: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Decisions:
    """What a person decided about lines that differ."""

    accepted: frozenset[int] = frozenset()
    """The file is right, or this is the same person."""
    apart: frozenset[int] = frozenset()
    """This is someone else of the same name."""
    accepts_all: bool = False

    def accepts(self, line: int) -> bool:
        """Whether the file is right in this line."""
        return self.accepts_all or line in self.accepted


@dataclass(slots=True)
class Joined:
    """What became of the lines of a file."""

    added: int = 0
    changed: int = 0
    same: int = 0
    refusals: list[Refusal] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class TakeNothing(Exception):
    """Ends a transaction without a change, when something was refused that should not be left out."""


class People:
    """The players of a registry."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry

    def take(
        self,
        lines: Iterable[tuple[int, PersonFields]],
        decisions: Decisions | None = None,
        *,
        partial: bool = False,
    ) -> Joined:
        """Join a list of players with ours. Where something is refused, nothing is taken unless `partial`."""
        known = list(lines)
        return self.take_columns(lambda: columns_of(known), decisions, partial=partial)

    def take_columns(
        self, pieces: Pieces, decisions: Decisions | None = None, *, partial: bool = False
    ) -> Joined:
        """The same for a list that comes in pieces, each field by field."""
        joined = Joined()
        try:
            with self.registry.writing() as connection:
                self.take_in(connection, pieces, decisions or Decisions(), joined, remember=False)
                if joined.refusals and not partial:
                    raise TakeNothing
        except TakeNothing:
            return Joined(refusals=joined.refusals)
        return joined

    def take_in(
        self,
        connection: sqlite3.Connection,
        pieces: Pieces,
        decisions: Decisions,
        joined: Joined,
        *,
        remember: bool = True,
    ) -> None:
        """The same inside a transaction of the caller's; `temp.incoming` then knows the player of each line."""
        is_first = connection.execute("SELECT 1 FROM people LIMIT 1").fetchone() is None
        if is_first and not remember:
            if not self._add_faultless(connection, pieces()):
                self._add_first(connection, pieces(), joined)
            (joined.added,) = connection.execute("SELECT count(*) FROM people").fetchone()
            return
        connection.execute("DROP TABLE IF EXISTS temp.incoming")
        connection.execute(
            "CREATE TEMP TABLE incoming (line INTEGER PRIMARY KEY, magic_id INTEGER, office_id INTEGER,"
            " member_code TEXT, last_name TEXT, first_name TEXT, sex TEXT, birth TEXT, player INTEGER, same INTEGER)"
        )
        seen = Seen()
        for piece in pieces():
            numbers, columns = seen.checked(piece, joined.refusals)
            insert_columns(connection, "incoming", ("line", *FIELDS), (numbers, *as_stored(columns)))
        (total,) = connection.execute("SELECT count(*) FROM incoming").fetchone()
        if not is_first:
            self._find_same(connection)
            self._find_known(connection, joined)
            self._find_namesakes(connection, decisions, joined)
            self._join(connection, decisions, joined)
        joined.added = self._add(connection)
        joined.same = total - joined.added - joined.changed

    def _add_faultless(self, connection: sqlite3.Connection, pieces: Iterable[PersonColumns]) -> bool:
        """Everyone, into a registry that is empty; False, and nobody, where a line needs a closer look.

        That no key is there twice is seen when the indexes are made, without remembering any.
        """
        own = self.registry.side.own_key
        place = FIELDS.index(own)
        have_keys: set[bool] = set()
        connection.execute("SAVEPOINT faultless")
        try:
            self._drop_indexes(connection)
            for _, columns in pieces:
                have_keys.update(key is not None for key in columns[place])
                if len(have_keys) > 1 or not are_fine_alone(columns):
                    connection.execute("ROLLBACK TO faultless")
                    return False
                stored = as_stored(columns)
                if have_keys == {True}:
                    insert_columns(connection, "people", FIELDS, stored)
                else:
                    others = [name for name in FIELDS if name != own]
                    insert_columns(connection, "people", others, [*stored[:place], *stored[place + 1 :]])
            self._make_indexes(connection)
        except sqlite3.IntegrityError:
            connection.execute("ROLLBACK TO faultless")
            return False
        return True

    def _add_first(
        self, connection: sqlite3.Connection, pieces: Iterable[PersonColumns], joined: Joined
    ) -> None:
        """Everyone who can be taken, into a registry that is empty: there is nobody to be compared with."""
        own, seen = self.registry.side.own_key, Seen()
        place = FIELDS.index(own)
        self._drop_indexes(connection)
        for piece in pieces:
            _, columns = seen.checked(piece, joined.refusals)
            for row in zip(*as_stored(columns), strict=True):
                # Where the database gave this key a moment ago, nobody has seen it yet, so it can be another.
                connection.execute(
                    f"UPDATE people SET {own} = (SELECT max({own}) + 1 FROM people) WHERE {own} = ?",
                    (row[place],),
                )
                connection.execute(
                    f"INSERT INTO people ({', '.join(FIELDS)}) VALUES (?, ?, ?, ?, ?, ?, ?)", row
                )
        self._make_indexes(connection)

    def _drop_indexes(self, connection: sqlite3.Connection) -> None:
        """They are made faster at the end."""
        connection.execute("DROP INDEX people_by_other_key")
        connection.execute("DROP INDEX people_by_member_code")

    def _make_indexes(self, connection: sqlite3.Connection) -> None:
        for statement in indexes(self.registry.side).split(";")[:-1]:
            connection.execute(statement)

    def _find_same(self, connection: sqlite3.Connection) -> None:
        """The player of each line that says nothing new, by the key of the other side: that is nearly all of them."""
        other = self.registry.side.other_key
        connection.execute(
            f"UPDATE incoming SET (player, same) = (SELECT rowid, 1 FROM people "
            f"WHERE people.{other} = incoming.{other} AND ({DIFFERS}) IS NOT TRUE)"
        )

    def _find_known(self, connection: sqlite3.Connection, joined: Joined) -> None:
        """The player of each line by its keys; keys of two players are refused."""
        wrong = connection.execute(
            """SELECT line, a.rowid, a.last_name, b.rowid, b.last_name, c.rowid, c.last_name FROM incoming
            LEFT JOIN people a ON a.magic_id = incoming.magic_id
            LEFT JOIN people b ON b.office_id = incoming.office_id
            LEFT JOIN people c ON c.member_code = incoming.member_code
            WHERE player IS NULL AND (a.rowid <> b.rowid OR a.rowid <> c.rowid OR b.rowid <> c.rowid)"""
        ).fetchall()
        for line, *found in wrong:
            names = {found[place]: found[place + 1] for place in (0, 2, 4) if found[place] is not None}
            who = " and ".join(repr(name) for name in names.values())
            at = "member_code" if found[4] is not None else "office_id"
            joined.refusals.append(Refusal(line, at, f"Its keys are those of several players: {who}."))
        connection.executemany("DELETE FROM incoming WHERE line = ?", [(line,) for line, *_ in wrong])
        connection.execute(
            """UPDATE incoming SET player = coalesce(
                (SELECT rowid FROM people WHERE magic_id = incoming.magic_id),
                (SELECT rowid FROM people WHERE office_id = incoming.office_id),
                (SELECT rowid FROM people WHERE member_code = incoming.member_code)) WHERE player IS NULL"""
        )

    def _find_namesakes(self, connection: sqlite3.Connection, decisions: Decisions, joined: Joined) -> None:
        """Lines without a known key whose name we have, of someone with no key of the other side."""
        found = connection.execute(
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
        for line, player, name, is_same in found:
            candidates.setdefault(line, []).append((player, name, bool(is_same)))
        for line, people in candidates.items():
            if line in decisions.apart:
                continue
            name = people[0][1].strip()
            sure = [player for player, _, is_same in people if is_same]
            if len(sure) == 1 or (decisions.accepts(line) and len(people) == 1):
                player = sure[0] if sure else people[0][0]
                connection.execute("UPDATE incoming SET player = ? WHERE line = ?", (player, line))
                joined.notes.append(f"line {line}: {name} was joined with the {name} that we have.")
            else:
                joined.differences.append(Difference(line, "last_name", f"{name}, maybe the same", name))
                connection.execute("DELETE FROM incoming WHERE line = ?", (line,))
        claimed = connection.execute(
            # Lines that say nothing new have a key each, so two of them are not about the same player.
            "SELECT max(line), player FROM incoming WHERE player IN (SELECT player FROM incoming WHERE same IS NULL) "
            "GROUP BY player HAVING count(*) > 1"
        ).fetchall()
        for line, _ in claimed:
            joined.refusals.append(Refusal(line, "last_name", "Another line is about the same player."))
            connection.execute("DELETE FROM incoming WHERE line = ?", (line,))

    def _join(self, connection: sqlite3.Connection, decisions: Decisions, joined: Joined) -> None:
        """What the lines say that we do not have, or have otherwise."""
        theirs = ", ".join(f"incoming.{name}" for name in FIELDS)
        ours = ", ".join(f"people.{name}" for name in FIELDS)
        found = connection.execute(
            f"SELECT line, player, {theirs}, {ours} FROM incoming JOIN people ON people.rowid = player "
            f"WHERE same IS NULL AND ({DIFFERS}) ORDER BY line"
        ).fetchall()
        for line, player, *values in found:
            changes: dict[str, object] = {}
            for name, new, old in zip(FIELDS, values[:7], values[7:], strict=True):
                if new in (None, "") or new == old:
                    continue
                if old in (None, "") or decisions.accepts(line):
                    changes[name] = new
                else:
                    joined.differences.append(Difference(line, name, str(old), str(new)))
            if not changes:
                continue
            columns = ", ".join(f"{name} = ?" for name in changes)
            try:
                connection.execute(
                    f"UPDATE people SET {columns} WHERE rowid = ?", (*changes.values(), player)
                )
                joined.changed += 1
            except sqlite3.IntegrityError:
                joined.refusals.append(Refusal(line, next(iter(changes)), "Another player has this key."))

    def _add(self, connection: sqlite3.Connection) -> int:
        """Everyone who is not known; a key that our side gives is given."""
        own, other = self.registry.side.own_key, self.registry.side.other_key
        (base,) = connection.execute(
            f"SELECT max((SELECT coalesce(max({own}), 0) FROM people),"
            f" (SELECT coalesce(max({own}), 0) FROM incoming))"
        ).fetchone()
        (added,) = connection.execute("SELECT count(*) FROM incoming WHERE player IS NULL").fetchone()
        connection.execute(
            f"""UPDATE incoming SET player = coalesce({own}, ? + numbered.number) FROM
            (SELECT line, row_number() OVER (ORDER BY line) AS number FROM incoming WHERE player IS NULL)
            AS numbered WHERE incoming.line = numbered.line""",
            (base,),
        )
        connection.execute(
            f"""INSERT INTO people ({own}, {other}, member_code, last_name, first_name, sex, birth)
            SELECT player, {other}, member_code, last_name, first_name, sex, birth FROM incoming
            WHERE same IS NULL AND NOT EXISTS (SELECT 1 FROM people WHERE people.rowid = player) ORDER BY line"""
        )
        return int(added)

    def every(self) -> Iterator[PersonFields]:
        """Every player, by the key of our side."""
        with self.registry.reading() as connection:
            for row in connection.execute(self._every()):
                yield (*row[:2], row[2] or "", *row[3:6], row[6] and date.fromisoformat(row[6]))

    def every_joined(self, separator: str, end: str) -> Iterator[str]:
        """The same as text, some players at a time, with a separator between fields and an end after each player.

        The text is made inside the database, which takes half of the time that it takes outside.
        """
        own = self.registry.side.own_key
        line = separators(separator, end, FIELDS)
        select = (
            f"SELECT group_concat(line, ''), max({own}) FROM (SELECT {own}, printf(?, {', '.join(FIELDS)}) AS line "
            f"FROM people WHERE {own} > ? ORDER BY {own} LIMIT {LINES_AT_A_TIME})"
        )
        last = 0
        with self.registry.reading() as connection:
            while True:
                text, last = connection.execute(select, (line, last)).fetchone()
                if last is None:
                    return
                yield text

    def _every(self) -> str:
        return f"SELECT {', '.join(FIELDS)} FROM people ORDER BY {self.registry.side.own_key}"

    def find(self, field_name: str, key: int | str) -> PersonFields | None:
        """The player with this key; `field_name` is one of KEYS."""
        assert field_name in KEYS
        with self.registry.reading() as connection:
            row = connection.execute(
                f"SELECT {', '.join(FIELDS)} FROM people WHERE {field_name} = ?", (key,)
            ).fetchone()
        if row is None:
            return None
        return (*row[:2], row[2] or "", *row[3:6], row[6] and date.fromisoformat(row[6]))

    def highest_key(self) -> int:
        """The highest of Magic's keys; 0 when there is none."""
        with self.registry.reading() as connection:
            return int(connection.execute("SELECT coalesce(max(magic_id), 0) FROM people").fetchone()[0])

    def move(self, magic_id: int, from_year: int, country: str) -> bool:
        """Have a player belong to a country from a year on; False when there is no such player."""
        with self.registry.writing() as connection:
            done = connection.execute(
                "INSERT INTO countries SELECT rowid, ?, ? FROM people WHERE magic_id = ? "
                "ON CONFLICT DO UPDATE SET country = excluded.country",
                (from_year, country, magic_id),
            )
            return done.rowcount > 0
