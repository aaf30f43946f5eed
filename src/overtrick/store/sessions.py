"""The list of sessions: a derived table with a row for each, so that sessions need not be folded to list them.

Reconciliation: the due executor settles a session (executes all that is due in it) and then stores its line, with the
versions of the session's and the event's stream that the line shows. A session is unsettled if one of these
streams has grown since, or if it has no line. The table may be emptied at any time: then every session is visited once
more, and until then its line shows it as it was opened.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, bindparam, func, literal_column, or_, select

from overtrick.event import Event, Session, event_stream, session_stream
from overtrick.event.filing import Filing, SessionFiled, Stage
from overtrick.event.setup import SessionChanged, SessionOpened, Status, StatusChanged
from overtrick.store.engine import JournalEngine, Row
from overtrick.store.errors import JournalUnavailable
from overtrick.store.journal import Journal
from overtrick.store.tables import journal, sessions, streams

LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A session in the list of all sessions."""

    session: str
    incarnation: int
    event: str
    club: str
    name: str
    day: date
    status: Status
    filing: Filing
    tables: int
    results: int
    """The number of results that stand."""
    is_running: bool
    """True if the scoring program has started the event and has not shut it down."""
    version: int = 0
    event_version: int = 0
    """The versions of the two streams when nothing was due; 0 if the session was never settled."""
    facts: int = 0
    changed: datetime = LONG_AGO
    """The present number of facts of the session, and the time of the last one."""

    @property
    def stream(self) -> str:
        """Return the stream of the session."""
        return session_stream(self.session, self.incarnation)

    @property
    def stage(self) -> Stage:
        """Return the stage in the life of the session."""
        return Stage.of(self.status, self.filing)

    @classmethod
    def of(cls, session: Session, event: Event, *, version: int = 0, event_version: int = 0) -> "SessionLine":
        """Return the line of a session in its present state."""
        opened = session.opened
        return cls(
            opened.session,
            opened.incarnation,
            opened.event,
            event.club,
            opened.name,
            opened.day,
            session.setup.status,
            session.filing.place,
            len(session.movement.tables),
            len(session.results.standing),
            event.is_running,
            version,
            event_version,
        )


class _Statements(NamedTuple):
    """The SQL statements of the list."""

    put: str
    every: str
    newest: str
    behind: str
    unsettled: str
    missing: str
    events: str
    changed: str


class SessionList:
    """The list of all sessions of a journal, for pages and for the due executor."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._engine = journal.engine
        self._sql = self._engine.compile_once(_compile)

    def note(self, lines: Iterable[SessionLine]) -> None:
        """Store the lines of settled sessions."""
        rows = [_row(line) for line in lines]
        if rows:
            with self._journal.writing() as cursor:
                cursor.executemany(self._sql.put, rows)

    def lines(
        self,
        text: str = "",
        *,
        first: int = 0,
        most: int | None = None,
        every: bool = False,
        stages: Collection[Stage] = tuple(Stage),
    ) -> list[SessionLine]:
        """Return the sessions whose names, dates or guids contain a text, the last that changed first.

        `first` is the number of lines to skip, `most` the number to return. Unless `every`, only the newest
        incarnation of each session is returned. `stages` are the stages that they may be in.
        """
        missing = self._complete()
        if text or missing or every or most is None:
            rows = self._engine.rows(self._sql.every)
        else:
            # The stage of a line that is behind is not known yet, so those lines come in addition.
            stage_flags = {f"is_{stage.name.lower()}": int(stage in stages) for stage in Stage}
            rows = self._engine.rows(self._sql.newest, {"most": first + most, **stage_flags})
            rows = list(dict.fromkeys([*rows, *self._engine.rows(self._sql.behind)]))
        lines = self._up_to_date([_line(row) for row in rows] + missing)
        if not every:
            newest = {line.session: line for line in sorted(lines, key=lambda line: line.incarnation)}
            lines = list(newest.values())
        words = text.casefold()
        lines = [
            line
            for line in lines
            if line.stage in stages and words in f"{line.name}\n{line.day}\n{line.session}".casefold()
        ]
        lines.sort(key=lambda line: line.session)
        lines.sort(key=lambda line: line.changed, reverse=True)
        return lines[first : None if most is None else first + most]

    def _up_to_date(self, lines: list[SessionLine]) -> list[SessionLine]:
        """Return the lines, with the names, dates, statuses and filings that changed after the lines were stored."""
        changes_by_stream: dict[str, dict[str, Any]] = {}
        for stream, kind, schema, body in self._engine.rows(self._sql.changed):
            changes = changes_by_stream.setdefault(stream, {})
            match self._journal.codec.decode(kind, schema, body):
                case SessionChanged() as fact:
                    changes |= {"name": fact.name, "day": fact.day}
                case StatusChanged() as fact:
                    changes["status"] = fact.status
                case SessionFiled() as fact:
                    changes["filing"] = fact.filing
        return [
            replace(line, **changes_by_stream[line.stream]) if line.stream in changes_by_stream else line
            for line in lines
        ]

    def unsettled(self) -> list[tuple[str, int, int]]:
        """Return the streams in which something may be due, with their versions and those of their events.

        The stream that changed last is at the end.
        """
        self._complete()
        return [
            (stream, version, event_version)
            for stream, version, event_version in self._engine.rows(self._sql.unsettled)
        ]

    def running_events(self) -> list[str]:
        """Return the running events, and those whose state is not known yet."""
        lines = self._complete()
        events = [event for (event,) in self._engine.rows(self._sql.events)]
        return [*dict.fromkeys([*events, *(line.event for line in lines)])]

    def _complete(self) -> list[SessionLine]:
        """Make lines for sessions that have none, and store them; return those that could not be stored."""
        missing = [self._first_line(stream) for (stream,) in self._engine.rows(self._sql.missing)]
        if not missing:
            return []
        try:
            self.note(missing)
        except JournalUnavailable:  # the journal may be read-only
            return missing
        return []

    def _first_line(self, stream: str) -> SessionLine:
        """Return the line of a session in the state in which it was opened."""
        first = next(iter(self._journal.read(stream)))
        assert isinstance(first.fact, SessionOpened)
        session, event = Session(), Event(first.fact.event)
        session.apply(first.fact)
        for entry in self._journal.read(event_stream(event.event)):
            event.apply(entry.fact)
        return replace(SessionLine.of(session, event), facts=self._journal.head(stream), changed=first.at)


def _compile(engine: JournalEngine) -> _Statements:
    sql = engine.compile
    key = ("session", "incarnation")
    updated = [column.name for column in sessions.c if column.name not in (*key, "stream")]
    return _Statements(
        put=sql(engine.upsert(sessions, [*key], updated)),
        every=sql(_lines()),
        newest=sql(_newest()),
        behind=sql(_lines().where(_is_behind(), _is_newest())),
        unsettled=sql(_unsettled()),
        missing=sql(
            select(streams.c.stream)
            .outerjoin(sessions, sessions.c.stream == streams.c.stream)
            .where(streams.c.stream.like(literal_column("'session/%'")), sessions.c.stream.is_(None))
        ),
        events=sql(_events()),
        changed=sql(_changed()),
    )


def _row(line: SessionLine) -> dict[str, Any]:
    return {
        "stream": line.stream,
        "session": line.session,
        "incarnation": line.incarnation,
        "event": line.event,
        "club": line.club,
        "name": line.name,
        "day": line.day.isoformat(),
        "status": line.status.value,
        "filing": line.filing.value,
        "tables": line.tables,
        "results": line.results,
        "is_running": int(line.is_running),
        "version": line.version,
        "event_version": line.event_version,
    }


def _line(row: Row) -> SessionLine:
    session, incarnation, event, club, name, day, status, filing, tables, results, is_running, *rest = row
    version, event_version, facts, changed = rest
    return SessionLine(
        session,
        incarnation,
        event,
        club,
        name,
        date.fromisoformat(day),
        Status(status),
        Filing(filing),
        tables,
        results,
        bool(is_running),
        version,
        event_version,
        facts,
        datetime.fromisoformat(changed),
    )


def _lines() -> Select[Any]:
    columns = [column for column in sessions.c if column.name != "stream"]
    return select(*columns, streams.c.version, streams.c.changed).join_from(
        sessions, streams, streams.c.stream == sessions.c.stream
    )


LISTED_FACTS = (SessionChanged, StatusChanged, SessionFiled)
"""The facts that change the name, the date or the stage of a session."""


def _is_behind() -> ColumnElement[bool]:
    return streams.c.version > sessions.c.version


def _changed() -> Select[Any]:
    """Select the facts about name, date and stage that may be newer than a session's line.

    `in_` makes SQLite search the journal by its primary key; for a join it reads all of the journal.
    """
    is_listed = or_(*(journal.c.kind == literal_column(f"'{fact.kind}'") for fact in LISTED_FACTS))
    stored_version = func.coalesce(sessions.c.version, literal_column("0"))
    behind = (
        select(streams.c.stream)
        .outerjoin(sessions, sessions.c.stream == streams.c.stream)
        .where(streams.c.version > stored_version, streams.c.stream.like(literal_column("'session/%'")))
    )
    return (
        select(journal.c.stream, journal.c.kind, journal.c.schema, journal.c.body)
        .where(journal.c.stream.in_(behind), is_listed)
        .order_by(journal.c.version)
    )


def _is_newest() -> ColumnElement[bool]:
    newer = sessions.alias("newer")
    return ~(
        select(newer.c.session)
        .where(newer.c.session == sessions.c.session, newer.c.incarnation > sessions.c.incarnation)
        .exists()
    )


def _is_in(stage: Stage) -> ColumnElement[bool]:
    """Return the condition that a line is in a stage, if that stage is wanted."""
    matches = [
        (sessions.c.status == literal_column(f"'{status.value}'"))
        & (sessions.c.filing == literal_column(f"'{filing.value}'"))
        for status in Status
        for filing in Filing
        if Stage.of(status, filing) is stage
    ]
    return (bindparam(f"is_{stage.name.lower()}") == literal_column("1")) & or_(*matches)


def _newest() -> Select[Any]:
    is_wanted = or_(*(_is_in(stage) for stage in Stage))
    lines = _lines().where(_is_newest(), is_wanted).order_by(streams.c.changed.desc(), sessions.c.session)
    return lines.limit(bindparam("most")).offset(literal_column("0"))


def _with_event() -> tuple[Any, Any]:
    """Return the join of sessions with their events' streams, and the version of the latter."""
    of_event = streams.alias("of_event")
    joined = sessions.outerjoin(
        of_event, of_event.c.stream == literal_column("'event/'").concat(sessions.c.event)
    )
    return joined, func.coalesce(of_event.c.version, literal_column("0"))


def _unsettled() -> Select[Any]:
    joined, event_version = _with_event()
    return (
        select(streams.c.stream, streams.c.version, event_version)
        .select_from(joined.join(streams, streams.c.stream == sessions.c.stream))
        .where(
            (streams.c.version > sessions.c.version) | (event_version > sessions.c.event_version),
            _is_newest(),
        )
        .order_by(streams.c.changed)
    )


def _events() -> Select[Any]:
    joined, event_version = _with_event()
    is_running = sessions.c.is_running == literal_column("1")
    return (
        select(sessions.c.event)
        .select_from(joined)
        .where(is_running | (event_version > sessions.c.event_version))
        .distinct()
    )
