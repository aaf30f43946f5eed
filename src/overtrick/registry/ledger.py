"""The ledger of master points: awards by player, event and year; totals, titles and ranking lists.

The ranking list of a year has every player with points of its type up to that year. Juniors are at most as old as the
junior limit in that year, seniors at least as old as the senior limit. Limits and a player's country are stored with
the year from which they apply. The senior list of senior points (SMP) includes all ages, as the specification requires.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from enum import IntEnum
from sqlite3 import Connection
from typing import NamedTuple

from overtrick.errors import BadInput
from overtrick.registry.database import Registry
from overtrick.registry.people import (
    Conflict,
    Decisions,
    ImportOutcome,
    People,
    Person,
    RowProblem,
    import_all,
)


class Title(IntEnum):
    """The title of a player."""

    NONE = 0
    MASTER = 1
    LIFE_MASTER = 2
    GRAND_MASTER = 3


class PointsType(IntEnum):
    """The type of points that a ranking list counts."""

    EMP = 1
    RP = 2
    SMP = 3


class RankType(IntEnum):
    """The group of players in a ranking list; from 11 on, one list for each country."""

    ALL = 1
    WOMEN = 2
    SENIOR = 3
    JUNIOR = 4
    COUNTRY_ALL = 11
    COUNTRY_WOMEN = 12
    COUNTRY_SENIOR = 13
    COUNTRY_JUNIOR = 14


class MasterPointAward(NamedTuple):
    """The points that a player won in an event."""

    id: int | None
    magic_id: int | None
    office_id: int | None
    member_code: str
    year: int | None
    day: date | None
    event_id: int | None
    event: str
    serie: str
    rank: int | None
    emp: int | None
    rp: int | None
    smp: int | None


class PlayerTotals(NamedTuple):
    """A player with the points won up to a year."""

    magic_id: int | None
    office_id: int | None
    member_code: str
    country: str
    last_name: str
    first_name: str
    sex: str
    birth: date | None
    year: int | None
    last_active: int | None
    emp: int | None
    rp: int | None
    smp: int | None
    title: int | None


class RankingPlace(NamedTuple):
    """A place in a ranking list."""

    magic_id: int | None
    year: int | None
    points_type: int | None
    rank_type: int | None
    country: str
    rank: int | None


@dataclass(frozen=True, slots=True)
class AgeLimits:
    """The age limits of one year."""

    junior: int
    senior: int


_COUNTRY = (
    "coalesce((SELECT country FROM countries WHERE player = people.rowid AND from_year <= :year "
    "ORDER BY from_year DESC LIMIT 1), '')"
)
_TOTALS = f"""SELECT magic_id, office_id, member_code, {_COUNTRY} AS country, last_name, first_name, sex, birth,
    :year AS year, last_active, coalesce(emp, 0) AS emp, coalesce(rp, 0) AS rp, coalesce(smp, 0) AS smp,
    coalesce((SELECT max(title) FROM titles WHERE player = people.rowid AND year <= :year), 0) AS title
FROM people LEFT JOIN added ON added.player = people.rowid ORDER BY magic_id, people.rowid"""


def _add_up(connection: Connection, year: int) -> None:
    """Store each player's sum of points and last active year, up to a year, in `temp.added`."""
    connection.execute("DROP TABLE IF EXISTS temp.added")
    connection.execute(
        "CREATE TEMP TABLE added (player INTEGER PRIMARY KEY, emp INTEGER, rp INTEGER, smp INTEGER,"
        " last_active INTEGER)"
    )
    connection.execute(
        "INSERT INTO added SELECT player, sum(emp), sum(rp), sum(smp), max(year) FROM awards "
        "WHERE year <= ? GROUP BY player",
        (year,),
    )


class Ledger:
    """The master points of a registry."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry

    def import_awards(
        self, lines: Iterable[tuple[int, MasterPointAward]], *, partial: bool = False
    ) -> ImportOutcome:
        """Import awards by line. An award with a known id is not changed; if it differs, it is a conflict.

        If a line is refused, nothing is imported unless `partial`.
        """

        def import_lines(connection: Connection, outcome: ImportOutcome) -> None:
            for line, award in lines:
                self._import_award(connection, line, award, outcome)

        return import_all(self.registry, partial, import_lines)

    def _import_award(
        self, connection: Connection, line: int, award: MasterPointAward, outcome: ImportOutcome
    ) -> None:
        player = self._player(connection, line, award, outcome)
        if player is None:
            return
        if award.year is None or not 1900 <= award.year <= 2999:
            outcome.refusals.append(
                RowProblem(line, "year", f"{award.year} is not a year from 1900 to 2999.")
            )
            return
        if not award.event:
            outcome.refusals.append(RowProblem(line, "event", "The event has no name."))
            return
        values = (
            player,
            award.year,
            award.day and award.day.isoformat(),
            award.event_id,
            award.event,
            award.serie,
            award.rank,
            award.emp or 0,
            award.rp or 0,
            award.smp or 0,
        )
        stored = connection.execute("SELECT * FROM awards WHERE id = ?", (award.id,)).fetchone()
        if stored is None:
            connection.execute(
                "INSERT INTO awards VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (award.id, *values)
            )
            outcome.added += 1
        elif stored[1:] == values:
            outcome.same += 1
        else:
            outcome.conflicts.append(Conflict(line, "id", repr(stored[1:]), repr(values)))

    def put_event(
        self,
        event: str,
        division: str,
        day: date,
        awards: Iterable[MasterPointAward],
        *,
        replaces: bool = False,
    ) -> ImportOutcome:
        """Enter all awards of an event on a day; a repeat with the same awards changes nothing.

        If the ledger has other awards for the event and day, replace them with `replaces`, otherwise raise BadInput.
        Awards of unknown players are listed as refusals; the others are entered.
        """
        outcome = ImportOutcome()
        lines: list[tuple[int, MasterPointAward]] = []
        for line, award in enumerate(awards, 1):
            lines.append((line, award._replace(year=day.year, day=day, event=event, serie=division)))
        with self.registry.writing() as connection:
            existing = {
                tuple(row)
                for row in connection.execute(
                    "SELECT player, rank, emp, rp, smp FROM awards WHERE event = ? AND serie = ? AND day = ?",
                    (event, division, day.isoformat()),
                )
            }
            new_awards = {
                (player, award.rank, award.emp or 0, award.rp or 0, award.smp or 0)
                for line, award in lines
                if (player := self._player(connection, line, award, outcome)) is not None
            }
            if new_awards == existing:
                outcome.same = len(existing)
                return outcome
            if existing and not replaces:
                raise BadInput(
                    f"The ledger has {len(existing)} other awards of {event} of {day.isoformat()}. Nothing was entered."
                )
            connection.execute(
                "DELETE FROM awards WHERE event = ? AND serie = ? AND day = ?",
                (event, division, day.isoformat()),
            )
            connection.executemany(
                "INSERT INTO awards VALUES (NULL, ?, ?, ?, NULL, ?, ?, ?, ?, ?, ?)",
                [
                    (player, day.year, day.isoformat(), event, division, *figures)
                    for player, *figures in sorted(new_awards, key=lambda row: (row[1] or 0, row[0]))
                ],
            )
            outcome.added, outcome.changed = len(new_awards - existing), len(existing - new_awards)
        return outcome

    def _player(
        self, connection: Connection, line: int, award: MasterPointAward, outcome: ImportOutcome
    ) -> int | None:
        """Return the row id of an award's player; if its keys fit none or several, add a refusal and return None."""
        players = connection.execute(
            "SELECT DISTINCT rowid FROM people WHERE magic_id = ? OR office_id = ? OR member_code = ?",
            (award.magic_id, award.office_id, award.member_code or None),
        ).fetchall()
        if len(players) == 1:
            return int(players[0][0])
        sentence = "Its keys belong to several players." if players else "There is no player with these keys."
        outcome.refusals.append(RowProblem(line, "magic_id", sentence))
        return None

    def awards(self, year: int | None = None) -> Iterator[MasterPointAward]:
        """Yield every award, or those of one year, by id."""
        with self.registry.reading() as connection:
            for row in connection.execute(
                "SELECT awards.id, magic_id, office_id, member_code, year, day, event_id, event, serie, rank, "
                "emp, rp, smp FROM awards JOIN people ON people.rowid = player "
                "WHERE :year IS NULL OR year = :year ORDER BY awards.id",
                {"year": year},
            ):
                id, magic_id, office_id, code, in_year, day, *rest = row
                when = day and date.fromisoformat(day)
                yield MasterPointAward(id, magic_id, office_id, code or "", in_year, when, *rest)

    def set_title(self, magic_id: int, year: int, title: Title) -> bool:
        """Set a player's title from a year on; return False if there is no such player. Earlier higher titles stay."""
        with self.registry.writing() as connection:
            cursor = connection.execute(
                "INSERT INTO titles SELECT rowid, ?, ? FROM people WHERE magic_id = ? "
                "ON CONFLICT DO UPDATE SET title = excluded.title",
                (year, int(title), magic_id),
            )
            return cursor.rowcount > 0

    def set_limit(self, kind: str, from_year: int, age: int) -> None:
        """Set the highest age of juniors, or the lowest of seniors, from a year on. Raise BadInput for another kind."""
        if kind not in ("junior", "senior"):
            raise BadInput(f"There are limits for junior and senior, not for {kind!r}.")
        with self.registry.writing() as connection:
            connection.execute(
                "INSERT INTO limits VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET age = excluded.age",
                (kind, from_year, age),
            )

    def limits(self, year: int) -> AgeLimits:
        """Return the age limits of a year."""
        with self.registry.reading() as connection:
            ages = [
                connection.execute(
                    "SELECT age FROM limits WHERE kind = ? AND from_year <= ? ORDER BY from_year DESC LIMIT 1",
                    (kind, year),
                ).fetchone()[0]
                for kind in ("junior", "senior")
            ]
        return AgeLimits(*ages)

    def totals(self, year: int) -> Iterator[PlayerTotals]:
        """Yield every player with the totals up to a year, by Magic's key."""
        with self.registry.reading() as connection:
            _add_up(connection, year)
            for row in connection.execute(_TOTALS, {"year": year}):
                born = row[7] and date.fromisoformat(row[7])
                yield PlayerTotals._make(row)._replace(member_code=row[2] or "", birth=born)

    def ranks(self, year: int) -> Iterator[RankingPlace]:
        """Yield the places of every ranking list of a year by points type, rank type, country, rank and player."""
        limits = self.limits(year)
        with self.registry.reading() as connection:
            _add_up(connection, year)
            connection.execute("DROP TABLE IF EXISTS temp.standing")
            connection.execute(
                f"""CREATE TEMP TABLE standing AS SELECT magic_id, sex, added.emp, added.rp, added.smp,
                    {_COUNTRY} AS country, :year - cast(substr(birth, 1, 4) AS INTEGER) AS age
                FROM added JOIN people ON people.rowid = player""",
                {"year": year},
            )
            for points in PointsType:
                for kind in RankType:
                    yield from map(
                        RankingPlace._make,
                        connection.execute(_ranking_sql(points, kind, limits), {"year": year}),
                    )

    def import_totals(
        self,
        lines: Iterable[tuple[int, PlayerTotals]],
        decisions: Decisions | None = None,
        *,
        partial: bool = False,
    ) -> ImportOutcome:
        """Import players and totals of the other side: merge the players, store the totals apart from our ledger.

        If a line is refused, nothing is imported unless `partial`.
        """

        def import_lines(connection: Connection, outcome: ImportOutcome) -> None:
            connection.execute("DROP TABLE IF EXISTS temp.said")
            connection.execute(
                "CREATE TEMP TABLE said (line INTEGER PRIMARY KEY, country TEXT, year INTEGER, active INTEGER,"
                " emp INTEGER, rp INTEGER, smp INTEGER, title INTEGER)"
            )
            refusals: list[RowProblem] = []
            people = _people_of(connection, lines, refusals)
            People(self.registry).merge_in_transaction(connection, people, decisions or Decisions(), outcome)
            outcome.refusals += refusals
            _store_reported(connection, outcome)

        return import_all(self.registry, partial, import_lines)

    def import_ranks(
        self, lines: Iterable[tuple[int, RankingPlace]], *, partial: bool = False
    ) -> ImportOutcome:
        """Import ranking lists of the other side; refuse a rank that contradicts its totals.

        If a line is refused, nothing is imported unless `partial`.
        """

        def import_lines(connection: Connection, outcome: ImportOutcome) -> None:
            connection.execute("DROP TABLE IF EXISTS temp.ranked")
            connection.execute(
                "CREATE TEMP TABLE ranked (line INTEGER PRIMARY KEY, year INTEGER, points_type INTEGER,"
                " rank_type INTEGER, country TEXT, player INTEGER, rank INTEGER)"
            )
            connection.executemany(
                "INSERT INTO ranked VALUES (?, ?, ?, ?, ?, (SELECT rowid FROM people WHERE magic_id = ?), ?)",
                _checked_ranks(lines, outcome.refusals),
            )
            _refuse_ranks(connection, outcome)
            before = connection.total_changes
            connection.execute(
                """INSERT INTO told_ranks SELECT year, points_type, rank_type, country, player, rank FROM ranked
                WHERE true ON CONFLICT DO UPDATE SET rank = excluded.rank WHERE rank <> excluded.rank"""
            )
            outcome.added = connection.total_changes - before

        return import_all(self.registry, partial, import_lines)


def _ranking_sql(points: PointsType, kind: RankType, limits: AgeLimits) -> str:
    """Return the SQL of one ranking list; it reads `temp.standing`."""
    column = points.name.lower()
    by_country = kind >= RankType.COUNTRY_ALL
    group = RankType(kind - 10 if by_country else kind)
    if points is PointsType.SMP and group is RankType.SENIOR:
        group = RankType.ALL
    condition = {
        RankType.ALL: "true",
        RankType.WOMEN: "sex = 'W'",
        RankType.SENIOR: f"age >= {limits.senior}",
        RankType.JUNIOR: f"age <= {limits.junior}",
    }[group]
    country, partition, has_country = (
        ("country", "PARTITION BY country", "country <> ''") if by_country else ("''", "", "true")
    )
    return f"""SELECT magic_id, :year AS year, {int(points)} AS points_type, {int(kind)} AS rank_type,
        {country} AS country, rank() OVER ({partition} ORDER BY {column} DESC) AS rank
    FROM standing WHERE {column} > 0 AND {condition} AND {has_country} ORDER BY country, rank, magic_id"""


def _people_of(
    connection: Connection, lines: Iterable[tuple[int, PlayerTotals]], refusals: list[RowProblem]
) -> Iterator[tuple[int, Person]]:
    """Yield the player of each valid line, and store its totals in `temp.said`; list the others as refusals."""
    for line, row in lines:
        if row.year is None or not 1900 <= row.year <= 2999:
            refusals.append(RowProblem(line, "year", f"{row.year} is not a year from 1900 to 2999."))
            continue
        if row.title not in (None, 0, 1, 2, 3):
            refusals.append(RowProblem(line, "title", f"A title is 0 to 3, not {row.title}."))
            continue
        if row.last_active is not None and row.last_active > row.year:
            refusals.append(RowProblem(line, "last_active", f"{row.last_active} is after {row.year}."))
            continue
        connection.execute(
            "INSERT INTO said VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                line,
                row.country,
                row.year,
                row.last_active,
                row.emp or 0,
                row.rp or 0,
                row.smp or 0,
                row.title or 0,
            ),
        )
        yield line, Person._make((*row[:3], *row[4:8]))


def _store_reported(connection: Connection, outcome: ImportOutcome) -> None:
    """Store totals, countries and titles of the merged lines; list totals that differ from ours as conflicts."""
    for line, ours, theirs in connection.execute(
        """SELECT line, ours, said.emp || '/' || said.rp || '/' || said.smp AS theirs FROM said
        JOIN incoming USING (line) JOIN (
            SELECT player, said.year AS upto,
                   sum(awards.emp) || '/' || sum(awards.rp) || '/' || sum(awards.smp) AS ours
            FROM said JOIN incoming USING (line) JOIN awards USING (player)
            WHERE awards.year <= said.year GROUP BY player, said.year
        ) AS known ON known.player = incoming.player AND known.upto = said.year
        WHERE ours <> theirs ORDER BY line"""
    ).fetchall():
        outcome.conflicts.append(Conflict(line, "emp", ours, theirs))
    connection.execute(
        """INSERT INTO told_totals SELECT player, year, active, emp, rp, smp FROM said JOIN incoming USING (line)
        WHERE player IS NOT NULL ON CONFLICT DO UPDATE SET last_active = excluded.last_active,
            emp = excluded.emp, rp = excluded.rp, smp = excluded.smp"""
    )
    connection.execute(
        """INSERT INTO countries SELECT player, year, country FROM said JOIN incoming USING (line)
        WHERE country <> '' AND player IS NOT NULL AND country IS NOT (
            SELECT country FROM countries WHERE countries.player = incoming.player
            AND from_year <= said.year ORDER BY from_year DESC LIMIT 1)
        ON CONFLICT DO UPDATE SET country = excluded.country"""
    )
    connection.execute(
        """INSERT INTO titles SELECT player, year, title FROM said JOIN incoming USING (line)
        WHERE player IS NOT NULL AND title > coalesce((SELECT max(title) FROM titles
            WHERE titles.player = incoming.player AND titles.year <= said.year), 0)
        ON CONFLICT DO UPDATE SET title = excluded.title"""
    )


def _checked_ranks(
    lines: Iterable[tuple[int, RankingPlace]], refusals: list[RowProblem]
) -> Iterator[tuple[object, ...]]:
    points_types, rank_types = {int(member) for member in PointsType}, {int(member) for member in RankType}
    for line, row in lines:
        if row.points_type not in points_types:
            refusals.append(
                RowProblem(line, "points_type", f"The points type is 1, 2 or 3, not {row.points_type}.")
            )
        elif row.rank_type not in rank_types:
            refusals.append(
                RowProblem(line, "rank_type", f"The rank type is 1 to 4 or 11 to 14, not {row.rank_type}.")
            )
        elif bool(row.country) != (row.rank_type > 4):
            refusals.append(
                RowProblem(line, "country", "A country is for the lists 11 to 14, and only for them.")
            )
        elif row.rank is None or row.rank < 1:
            refusals.append(RowProblem(line, "rank", f"Ranks count from 1, not {row.rank}."))
        elif row.year is None or not 1900 <= row.year <= 2999:
            refusals.append(RowProblem(line, "year", f"{row.year} is not a year from 1900 to 2999."))
        else:
            yield line, row.year, row.points_type, row.rank_type, row.country, row.magic_id, row.rank


def _refuse_ranks(connection: Connection, outcome: ImportOutcome) -> None:
    """Refuse ranks of unknown players, duplicates in a list, and ranks that contradict the imported totals."""
    problems = [
        RowProblem(line, "magic_id", "There is no player with this key; import file 3B first.")
        for (line,) in connection.execute("SELECT line FROM ranked WHERE player IS NULL")
    ]
    problems += [
        RowProblem(line, "magic_id", f"Line {first} has a rank for this player in this list already.")
        for line, first in connection.execute(
            """SELECT line, first FROM (SELECT line, min(line) OVER (PARTITION BY year, points_type, rank_type,
                country, player) AS first FROM ranked WHERE player IS NOT NULL) WHERE line <> first"""
        )
    ]
    problems += [
        RowProblem(
            line, "rank", f"Rank {rank} with {points} points comes after rank {before} with {earlier}."
        )
        for line, rank, points, before, earlier in connection.execute(
            """SELECT line, rank, points, before, earlier FROM (
                SELECT line, rank, points, lag(rank) OVER list AS before, lag(points) OVER list AS earlier FROM (
                    SELECT line, year, points_type, rank_type, country, rank, CASE points_type
                        WHEN 1 THEN emp WHEN 2 THEN rp ELSE smp END AS points
                    FROM ranked JOIN told_totals USING (player, year))
                WINDOW list AS (PARTITION BY year, points_type, rank_type, country ORDER BY rank, points DESC, line))
            WHERE (rank = before) <> (points = earlier) OR points > earlier"""
        )
    ]
    connection.executemany("DELETE FROM ranked WHERE line = ?", [(refusal.line,) for refusal in problems])
    outcome.refusals += problems
