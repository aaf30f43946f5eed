"""Export and import of a journal as lines of JSON, to move it to another engine or to archive it.

The first line names the format, then come all facts, stream by stream and unchanged, then the marks. The last line
counts them, so that a truncated file is detected. Derived tables are rebuilt.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, TextIO

from sqlalchemy import bindparam, insert, select

from overtrick.errors import BadInput
from overtrick.store.derived_tables import rebuild_all
from overtrick.store.engine import Row
from overtrick.store.errors import DamagedJournal, JournalError, UnknownFact
from overtrick.store.journal import CHUNK, Journal
from overtrick.store.tables import journal as facts
from overtrick.store.tables import marks

FORM = 2
"""The form of the exports that are written. In form 1, facts had no item."""


class BadExport(BadInput):
    """A file that is not a complete export; nothing of it was imported."""

    code = "bad-export"


def export_journal(journal: Journal, file: TextIO) -> int:
    """Write every fact and mark as lines of JSON; return the number of facts. The journal may be in use."""

    def write(line: dict[str, Any]) -> None:
        file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")

    write({"overtrick journal": FORM})
    count = 0
    for stream, head in sorted(journal.heads().items()):
        for row in _rows(journal, stream, head):
            write({"fact": dict(zip(facts.c.keys(), row, strict=True))})
            count += 1
    mark_rows = journal.engine.rows(journal.engine.compile(select(marks)))
    for row in sorted(mark_rows):
        write({"mark": dict(zip(marks.c.keys(), row, strict=True))})
    write({"facts": count, "marks": len(mark_rows)})
    return count


def import_journal(journal: Journal, file: Iterable[str]) -> int:
    """Import an export into an empty journal, all or nothing; return the number of facts."""
    engine = journal.engine
    if journal.heads():
        raise JournalError("The journal has facts already; nothing was imported.", where=journal.name)
    count = {"fact": 0, "mark": 0}
    with journal.writing() as cursor:
        engine.lock_tables(cursor)
        statements = {"fact": engine.compile(insert(facts)), "mark": engine.compile(insert(marks))}
        heads: dict[str, int] = {}
        for number, kind, row in _lines(file):
            if kind == "fact":
                _check(journal, row, heads, f"line {number}")
            try:
                cursor.execute(statements[kind], row)
            except engine.failures as error:
                raise BadExport(
                    f"This {kind} cannot be imported ({error}).", where=f"line {number}"
                ) from error
            count[kind] += 1
        rebuild_all(engine, cursor)
    return count["fact"]


def _rows(journal: Journal, stream: str, head: int) -> Iterator[Row]:
    sql = journal.engine.compile(
        select(facts)
        .where(
            facts.c.stream == bindparam("stream"),
            facts.c.version > bindparam("after"),
            facts.c.version <= bindparam("upto"),
        )
        .order_by(facts.c.version)
    )
    for after in range(0, head, CHUNK):
        yield from journal.engine.rows(
            sql, {"stream": stream, "after": after, "upto": min(after + CHUNK, head)}
        )


def _lines(file: Iterable[str]) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield every fact and mark with its line number; raise BadExport if the file is not complete."""
    count = {"fact": 0, "mark": 0}
    columns = {"fact": set(facts.c.keys()), "mark": set(marks.c.keys())}
    is_complete = False
    form: object = None
    number = 0
    for number, text in enumerate(_texts(file), start=1):
        where = f"line {number}"
        try:
            line = json.loads(text)
        except ValueError:
            line = None
        if not isinstance(line, dict) or is_complete:
            raise BadExport("This is not a line of an exported journal.", where=where)
        if number == 1:
            form = line.get("overtrick journal")
            if len(line) != 1 or form not in range(1, FORM + 1):
                raise BadExport(f"This is not an exported journal of form 1 to {FORM}.", where=where)
        elif line.keys() == {"facts", "marks"}:
            is_complete = line == {"facts": count["fact"], "marks": count["mark"]}
            if not is_complete:
                raise BadExport(f"Lines are missing: {count['fact']} facts of {line['facts']}.", where=where)
        else:
            ((kind, row),) = line.items() if len(line) == 1 else (("", None),)
            if form == 1 and kind == "fact" and isinstance(row, dict) and "item" not in row:
                row = {**row, "item": None}
            if kind not in columns or not isinstance(row, dict) or row.keys() != columns[kind]:
                raise BadExport("This is not a line of an exported journal.", where=where)
            count[kind] += 1
            yield number, kind, row
    if not is_complete:
        raise BadExport("The file ends before its last line.", where=f"line {number}")


def _texts(file: Iterable[str]) -> Iterator[str]:
    try:
        yield from file
    except UnicodeDecodeError as error:
        raise BadExport(f"The file is not text ({error.reason}).") from error


def _check(journal: Journal, row: dict[str, Any], heads: dict[str, int], where: str) -> None:
    """Raise BadExport unless the row is a readable fact and the next of its stream."""
    stream = row["stream"]
    if not isinstance(stream, str):
        raise BadExport(f"{stream!r} is not the name of a stream.", where=where)
    heads[stream] = heads.get(stream, 0) + 1
    if row["version"] != heads[stream]:
        raise BadExport(f"Version {heads[stream]} of stream {stream} is missing.", where=where)
    try:
        datetime.fromisoformat(row["at"])
        journal.codec.verify(row["kind"], row["schema"], row["body"])
    except (UnknownFact, DamagedJournal) as error:
        raise type(error)(error.sentence, where=where) from error
    except (TypeError, ValueError) as error:
        raise BadExport(f"This fact cannot be read ({error}).", where=where) from error
