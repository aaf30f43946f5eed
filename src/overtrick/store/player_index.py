"""The index of players: a derived table with a row for each player of each finished session.

The due executor stores the players of a finished session before it marks the session as settled, so a session whose
players are missing is visited again. The table may be emptied together with the list of sessions; both are then filled
anew. Rows of a reopened session are not returned until it has ended again.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Select, bindparam, delete, func, insert, literal_column, select

from overtrick.event.filing import Filing
from overtrick.event.setup import Status
from overtrick.store.engine import JournalEngine
from overtrick.store.journal import Journal
from overtrick.store.tables import player_results, sessions
from overtrick.views.player_results import PlayerResult


@dataclass(frozen=True, slots=True)
class PlayerSession:
    """A session in which a player played, and the result."""

    session: str
    name: str
    day: date
    result: PlayerResult


@dataclass(frozen=True, slots=True)
class KnownPlayer:
    """A player of the index, with the number of finished sessions."""

    player: str
    name: str
    sessions: int


class _Statements(NamedTuple):
    """The SQL statements of the index."""

    drop: str
    put: str
    of_player: str
    everyone: str


class PlayerIndex:
    """The results of players by their keys."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._engine = journal.engine
        self._sql = self._engine.compile_once(_compile)

    def note(self, stream: str, results: Iterable[PlayerResult]) -> None:
        """Replace the rows of a session by these results."""
        rows = [
            {
                "player": result.player,
                "stream": stream,
                "name": result.name,
                "body": msgspec.json.encode(result).decode(),
            }
            for result in results
        ]
        with self._journal.writing() as cursor:
            cursor.execute(self._sql.drop, {"stream": stream})
            if rows:
                cursor.executemany(self._sql.put, rows)

    def sessions_of(self, player: str) -> list[PlayerSession]:
        """Return the finished sessions of a player, the last first."""
        return [
            PlayerSession(
                session, name, date.fromisoformat(day), msgspec.json.decode(body, type=PlayerResult)
            )
            for session, name, day, body in self._engine.rows(self._sql.of_player, {"player": player})
        ]

    def players(self, text: str = "") -> list[KnownPlayer]:
        """Return the players whose names or numbers contain a text, by name."""
        words = text.casefold()
        players = [
            KnownPlayer(player, name, times)
            for player, name, times in self._engine.rows(self._sql.everyone)
            if words in f"{name}\n{player}".casefold()
        ]
        return sorted(players, key=lambda player: (player.name.casefold(), player.player))


def _is_shown() -> ColumnElement[bool]:
    """Return the condition that a session has ended, is not in the bin, and was not opened anew since."""
    newer = sessions.alias("newer")
    is_old = (
        select(newer.c.session)
        .where(newer.c.session == sessions.c.session, newer.c.incarnation > sessions.c.incarnation)
        .exists()
    )
    has_ended = sessions.c.status == literal_column(f"'{Status.FINISHED.value}'")
    is_binned = sessions.c.filing == literal_column(f"'{Filing.BINNED.value}'")
    return has_ended & ~is_binned & ~is_old


def _joined(*columns: Any) -> Select[Any]:
    joined = player_results.join(sessions, sessions.c.stream == player_results.c.stream)
    return select(*columns).select_from(joined).where(_is_shown())


def _compile(engine: JournalEngine) -> _Statements:
    sql = engine.compile
    return _Statements(
        drop=sql(delete(player_results).where(player_results.c.stream == bindparam("stream"))),
        put=sql(insert(player_results)),
        of_player=sql(_of_player()),
        everyone=sql(_everyone()),
    )


def _of_player() -> Select[Any]:
    columns = sessions.c.session, sessions.c.name, sessions.c.day, player_results.c.body
    return (
        _joined(*columns)
        .where(player_results.c.player == bindparam("player"))
        .order_by(sessions.c.day.desc(), sessions.c.session)
    )


def _everyone() -> Select[Any]:
    name, times = func.max(player_results.c.name), func.count()
    return _joined(player_results.c.player, name, times).group_by(player_results.c.player)
