"""Access files against other programs: a table ReceivedData of 50,000 rows is read, inserted and polled."""

import importlib.util
import random
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.measure import Benchmark, Pair, register
from overtrick import jet
from overtrick.jet import Column, ColumnType

ROWS = 50_000
TEXT, INTEGER, YES_NO, DATE = ColumnType.TEXT, ColumnType.INTEGER, ColumnType.YES_NO, ColumnType.DATE
PROCESSED = ("Processed", "Processed1", "Processed2", "Processed3", "Processed4")
RECEIVED_DATA = [
    Column("ID", ColumnType.LONG, autonumber=True),
    *(
        Column(name, INTEGER)
        for name in ("Section", "Table", "Round", "Board", "PairNS", "PairEW", "Declarer")
    ),
    Column("NS/EW", TEXT, size=2, allow_zero_length=True),
    Column("Contract", TEXT, size=10, allow_zero_length=True),
    Column("Result", TEXT, size=10, allow_zero_length=True),
    Column("LeadCard", TEXT, size=10, allow_zero_length=True),
    Column("Remarks", TEXT, size=255, allow_zero_length=True),
    Column("DateLog", DATE),
    Column("TimeLog", DATE),
    *(Column(name, YES_NO) for name in (*PROCESSED, "Erased", "ExternalUpdate", "Suspicious")),
]
# Node reads the table once for each line on its standard input, so that its start is not measured.
NODE_SCRIPT = """
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
const MDBReader = (await import(process.argv[2])).default;
for await (const path of createInterface({ input: process.stdin })) {
  console.log(new MDBReader(readFileSync(path)).getTable("ReceivedData").getData().length);
}
"""


def results() -> Iterator[dict[str, Any]]:
    """Yield the rows of the results of a large event."""
    rnd = random.Random(8)
    started = datetime(2026, 1, 10, 13, 30)
    for n in range(ROWS):
        logged_at = started + timedelta(seconds=n * 2)
        denomination = rnd.choice(["C", "D", "H", "S", "NT"])
        yield {
            "Section": 1 + n % 8,
            "Table": 1 + n // 8 % 20,
            "Round": 1 + n // 160 % 13,
            "Board": 1 + n % 26,
            "PairNS": 1 + n % 40,
            "PairEW": 41 + n % 40,
            "Declarer": 1 + n % 80,
            "NS/EW": "NSEW"[n % 4],
            "Contract": f"{rnd.randrange(1, 8)} {denomination}{rnd.choice(['', ' x'])}",
            "Result": rnd.choice(["=", "+1", "+2", "-1", "-2"]),
            "LeadCard": f"{rnd.choice('SHDC')}{rnd.choice('23456789TJQKA')}",
            "Remarks": rnd.choice(["", "", "", "Wrong direction"]),
            "DateLog": datetime(logged_at.year, logged_at.month, logged_at.day),
            "TimeLog": datetime(1899, 12, 30, logged_at.hour, logged_at.minute, logged_at.second),
            "Processed": n % 3 == 0,
        }


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.unlink(missing_ok=True)
    with jet.create(path) as db:
        db.create_table("ReceivedData", RECEIVED_DATA).insert_many(rows)


def read(path: Path) -> None:
    with jet.open(path) as db:
        assert len(list(db["ReceivedData"].rows())) == ROWS


@contextmanager
def event_file() -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "event.mdb"
        write(path, list(results()))
        yield path


@contextmanager
def against_access_parser() -> Iterator[Pair]:
    from access_parser import AccessParser

    with event_file() as path:
        yield Pair(lambda: read(path), lambda: AccessParser(str(path)).parse_table("ReceivedData"), ROWS)


@contextmanager
def against_mdb_reader() -> Iterator[Pair]:
    entry = MDB_READER / "lib" / "node" / "index.js"
    with event_file() as path:
        script = path.with_name("read.mjs")
        script.write_text(NODE_SCRIPT)
        with subprocess.Popen(
            ["node", str(script), entry.as_uri()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as node:
            assert node.stdin is not None
            assert node.stdout is not None
            ask, answer = node.stdin, node.stdout

            def peer() -> None:
                ask.write(f"{path}\n")
                ask.flush()
                assert int(answer.readline()) == ROWS

            yield Pair(lambda: read(path), peer, ROWS)
            ask.close()


def exporter(path: Path) -> Callable[[], object]:
    command = ["mdb-export", str(path), "ReceivedData"]
    return lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


@contextmanager
def against_mdb_export() -> Iterator[Pair]:
    with event_file() as path:
        yield Pair(lambda: read(path), exporter(path), ROWS)


@contextmanager
def inserting() -> Iterator[Pair]:
    rows = list(results())
    with event_file() as path:
        new = path.with_name("new.mdb")
        yield Pair(lambda: write(new, rows), exporter(path), ROWS)


@contextmanager
def polling() -> Iterator[Pair]:
    with event_file() as path, jet.open(path) as db:
        assert path.stat().st_size > 3_500_000
        list(db["ReceivedData"].rows())
        yield Pair(
            lambda: [db.changed() for _ in range(100)],
            lambda: [sleep_a_millisecond() for _ in range(100)],
            100,
        )


def sleep_a_millisecond() -> bool:
    time.sleep(0.001)
    return True


def register_reader(
    name: str, peer: str, bar: float, prepare: Callable[[], AbstractContextManager[Pair]], repeats: int = 7
) -> None:
    register(Benchmark(name, "polls" if "poll" in name else "rows", peer, bar, prepare, repeats))


MDB_READER = Path(__file__).parents[1] / "tests" / "jet" / "node_modules" / "mdb-reader"
if importlib.util.find_spec("access_parser") is not None:
    register_reader("jet reads", "access-parser", 20, against_access_parser, repeats=1)
if shutil.which("node") is not None and MDB_READER.exists():
    register_reader("jet reads", "mdb-reader", 1.5, against_mdb_reader)
if shutil.which("mdb-export") is not None:
    register_reader("jet reads", "mdb-export", 0.5, against_mdb_export)
    register_reader("jet inserts", "mdb-export reading", 0.15, inserting)
register_reader("jet polls a file that did not change", "a millisecond", 1, polling)
