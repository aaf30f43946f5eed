"""Players of two sides found and joined: by either key or by member code, and by name and date of birth.

A file of a federation has a hundred thousand players, of whom few have changed: they are compared inside the
database, and only those that differ are looked at one by one.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date

from overtrick.registry.book import Registry, indexes, joined_texts, separators

PersonFields = tuple[int | None, int | None, str, str, str, str, date | None]
"""Magic's key, the office's key, member code, last name, first name, sex, date of birth."""

FIELDS = ("magic_id", "office_id", "member_code", "last_name", "first_name", "sex", "birth")
KEYS = FIELDS[:3]
SEXES = ("M", "W", "")


@dataclass(frozen=True, slots=True)
class Refusal:
    """A line that cannot be taken, and why; `field` is one of FIELDS, or empty."""

    line: int
    field: str
    sentence: str


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
        joined = Joined()
        try:
            with self.registry.writing() as connection:
                self.take_in(connection, lines, decisions or Decisions(), joined, remember=False)
                if joined.refusals and not partial:
                    raise TakeNothing
        except TakeNothing:
            return Joined(refusals=joined.refusals)
        return joined

    def take_in(
        self,
        connection: sqlite3.Connection,
        lines: Iterable[tuple[int, PersonFields]],
        decisions: Decisions,
        joined: Joined,
        *,
        remember: bool = True,
    ) -> None:
        """The same inside a transaction of the caller's; `temp.incoming` then knows the player of each line."""
        is_first = connection.execute("SELECT 1 FROM people LIMIT 1").fetchone() is None
        if is_first and not remember:
            self._add_first(connection, lines, joined)
            (joined.added,) = connection.execute("SELECT count(*) FROM people").fetchone()
            return
        connection.execute("DROP TABLE IF EXISTS temp.incoming")
        connection.execute(
            "CREATE TEMP TABLE incoming (line INTEGER PRIMARY KEY, magic_id INTEGER, office_id INTEGER,"
            " member_code TEXT, last_name TEXT, first_name TEXT, sex TEXT, birth TEXT, player INTEGER)"
        )
        connection.executemany(
            "INSERT INTO incoming VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)", _checked(lines, joined.refusals)
        )
        (total,) = connection.execute("SELECT count(*) FROM incoming").fetchone()
        if not is_first:
            self._find_known(connection, joined)
            self._find_namesakes(connection, decisions, joined)
            self._join(connection, decisions, joined)
        joined.added = self._add(connection)
        joined.same = total - joined.added - joined.changed

    def _add_first(
        self, connection: sqlite3.Connection, lines: Iterable[tuple[int, PersonFields]], joined: Joined
    ) -> None:
        """Everyone, into a registry that is empty: there is nobody to be compared with."""
        own = self.registry.side.own_key

        def claim(key: int) -> None:
            """Where the database gave this key a moment ago, nobody has seen it yet, so it can be another."""
            connection.execute(
                f"UPDATE people SET {own} = (SELECT max({own}) + 1 FROM people) WHERE {own} = ?", (key,)
            )

        # Indexes are made faster at the end; `_checked` has seen to it that no key is there twice.
        connection.execute("DROP INDEX people_by_other_key")
        connection.execute("DROP INDEX people_by_member_code")
        connection.executemany(
            f"INSERT INTO people ({', '.join(FIELDS)}) VALUES (?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            _checked(lines, joined.refusals, **{f"claim_{own}": claim}),
        )
        for statement in indexes(self.registry.side).split(";")[:-1]:
            connection.execute(statement)

    def _find_known(self, connection: sqlite3.Connection, joined: Joined) -> None:
        """The player of each line by its keys; keys of two players are refused."""
        wrong = connection.execute(
            """SELECT line, a.rowid, a.last_name, b.rowid, b.last_name, c.rowid, c.last_name FROM incoming
            LEFT JOIN people a ON a.magic_id = incoming.magic_id
            LEFT JOIN people b ON b.office_id = incoming.office_id
            LEFT JOIN people c ON c.member_code = incoming.member_code
            WHERE a.rowid <> b.rowid OR a.rowid <> c.rowid OR b.rowid <> c.rowid"""
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
                (SELECT rowid FROM people WHERE member_code = incoming.member_code))"""
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
            "SELECT max(line), player FROM incoming WHERE player IS NOT NULL GROUP BY player HAVING count(*) > 1"
        ).fetchall()
        for line, _ in claimed:
            joined.refusals.append(Refusal(line, "last_name", "Another line is about the same player."))
            connection.execute("DELETE FROM incoming WHERE line = ?", (line,))

    def _join(self, connection: sqlite3.Connection, decisions: Decisions, joined: Joined) -> None:
        """What the lines say that we do not have, or have otherwise."""
        differs = " OR ".join(
            f"(incoming.{name} IS NOT people.{name} AND incoming.{name} <> '')" for name in FIELDS
        )
        theirs = ", ".join(f"incoming.{name}" for name in FIELDS)
        ours = ", ".join(f"people.{name}" for name in FIELDS)
        found = connection.execute(
            f"SELECT line, player, {theirs}, {ours} FROM incoming JOIN people ON people.rowid = player "
            f"WHERE {differs} ORDER BY line"
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
            WHERE NOT EXISTS (SELECT 1 FROM people WHERE people.rowid = player) ORDER BY line"""
        )
        return int(added)

    def every(self) -> Iterator[PersonFields]:
        """Every player, by the key of our side."""
        with self.registry.reading() as connection:
            for row in connection.execute(self._every()):
                yield (*row[:2], row[2] or "", *row[3:6], row[6] and date.fromisoformat(row[6]))

    def every_joined(self, separator: str) -> Iterator[str]:
        """The same with the fields of each player joined to one text."""
        with self.registry.reading() as connection:
            values = {"separators": separators(separator, FIELDS)}
            for (line,) in connection.execute(joined_texts(self._every(), FIELDS), values):
                yield line

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


def _checked(
    lines: Iterable[tuple[int, PersonFields]],
    refusals: list[Refusal],
    claim_magic_id: Callable[[int], None] | None = None,
    claim_office_id: Callable[[int], None] | None = None,
) -> Iterator[tuple[object, ...]]:
    """The lines as the database takes them; a key that was in an earlier line is refused."""
    magic_ids: dict[int, int] = {}
    office_ids: dict[int, int] = {}
    codes: dict[str, int] = {}
    for line, (magic_id, office_id, code, last_name, first_name, sex, birth) in lines:
        if (
            (magic_id is not None and (magic_id < 1 or magic_ids.setdefault(magic_id, line) != line))
            or (office_id is not None and (office_id < 1 or office_ids.setdefault(office_id, line) != line))
            or (code and codes.setdefault(code, line) != line)
            or sex not in SEXES
            or not (last_name or first_name)
        ):
            refusals.append(_refusal(line, magic_id, office_id, code, sex, magic_ids, office_ids, codes))
            continue
        if claim_magic_id is not None and magic_id is not None:
            claim_magic_id(magic_id)
        if claim_office_id is not None and office_id is not None:
            claim_office_id(office_id)
        yield (
            line,
            magic_id,
            office_id,
            code or None,
            last_name,
            first_name,
            sex,
            None if birth is None else birth.isoformat(),
        )


def _refusal(
    line: int,
    magic_id: int | None,
    office_id: int | None,
    code: str,
    sex: str,
    magic_ids: dict[int, int],
    office_ids: dict[int, int],
    codes: dict[str, int],
) -> Refusal:
    for name, number, known in (("magic_id", magic_id, magic_ids), ("office_id", office_id, office_ids)):
        if number is not None and number < 1:
            return Refusal(line, name, f"A key is a number above zero, not {number}.")
        if number is not None and known.get(number, line) != line:
            return Refusal(line, name, f"{number} is in line {known[number]} already.")
    if code and codes.get(code, line) != line:
        return Refusal(line, "member_code", f"{code} is in line {codes[code]} already.")
    if sex not in SEXES:
        return Refusal(line, "sex", f"It is M, W or empty, not {sex!r}.")
    return Refusal(line, "last_name", "The player has no name.")
