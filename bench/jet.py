"""Access files against the programs of others: reading, writing and polling; exits 1 when a bar is missed.

    python -m bench.jet [--rows 50000]

Each reader is run a few times and its best time counts. `mdb-reader` is measured inside Node, without its start.
"""

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from overtrick import jet
from overtrick.jet import Column, ColumnType

ROUNDS = 5
TEXT, INTEGER, YES_NO, DATE = ColumnType.TEXT, ColumnType.INTEGER, ColumnType.YES_NO, ColumnType.DATE
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
    *(Column(name, YES_NO) for name in ("Processed", *(f"Processed{n}" for n in range(1, 5)), "Erased")),
    Column("ExternalUpdate", YES_NO),
    Column("Suspicious", YES_NO),
]

NODE_SCRIPT = """
import { readFileSync } from "node:fs";
const MDBReader = (await import(process.argv[2])).default;
const times = [];
for (let round = 0; round < 5; round++) {
  const began = performance.now();
  const rows = new MDBReader(readFileSync(process.argv[3])).getTable("ReceivedData").getData();
  times.push(performance.now() - began);
  if (rows.length !== Number(process.argv[4])) throw new Error("rows are missing");
}
console.log(Math.min(...times) / 1000);
"""


def results(count: int) -> Iterator[dict[str, Any]]:
    """Results as a large event has them."""
    rnd = random.Random(8)
    began = datetime(2026, 1, 10, 13, 30)
    for n in range(count):
        at = began + timedelta(seconds=n * 2)
        yield {
            "Section": 1 + n % 8,
            "Table": 1 + n // 8 % 20,
            "Round": 1 + n // 160 % 13,
            "Board": 1 + n % 26,
            "PairNS": 1 + n % 40,
            "PairEW": 41 + n % 40,
            "Declarer": 1 + n % 80,
            "NS/EW": "NSEW"[n % 4],
            "Contract": f"{rnd.randrange(1, 8)} {rnd.choice(['C', 'D', 'H', 'S', 'NT'])}{rnd.choice(['', ' x'])}",
            "Result": rnd.choice(["=", "+1", "+2", "-1", "-2"]),
            "LeadCard": f"{rnd.choice('SHDC')}{rnd.choice('23456789TJQKA')}",
            "Remarks": rnd.choice(["", "", "", "Wrong direction"]),
            "DateLog": datetime(at.year, at.month, at.day),
            "TimeLog": datetime(1899, 12, 30, at.hour, at.minute, at.second),
            "Processed": n % 3 == 0,
        }


def best(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The shortest time that some work took, in seconds."""
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def read_with_jet(path: Path) -> list[jet.Row]:
    """Every row, from opening the file on."""
    with jet.open(path) as db:
        return list(db["ReceivedData"].rows())


def mdb_reader_time(path: Path, count: int) -> float | None:
    """The time of the npm package, where the tests have installed it."""
    package = Path(__file__).parents[1] / "tests" / "jet" / "node_modules" / "mdb-reader"
    node = shutil.which("node")
    if node is None or not package.exists():
        return None
    entry = next(package.glob("lib/node/index.js"), package / "lib" / "index.js")
    with tempfile.NamedTemporaryFile("w", suffix=".mjs") as script:
        script.write(NODE_SCRIPT)
        script.flush()
        command = [node, script.name, entry.as_uri(), str(path), str(count)]
        return float(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def access_parser_time(path: Path) -> float | None:
    """The time of the Python package access-parser, once, because it is slow."""
    try:
        from access_parser import AccessParser
    except ImportError:
        return None
    return best(lambda: AccessParser(str(path)).parse_table("ReceivedData"), rounds=1)


class Report:
    """Prints figures beside their bars."""

    def __init__(self) -> None:
        self.missed = 0

    def ratio(self, what: str, ours: float, theirs: float | None, bar: float) -> None:
        """Compare two speeds, both in rows a second."""
        if theirs is None:
            print(f"{what:48} not installed")
            return
        print(
            f"{what:48} {ours / theirs:8.2f} times   bar {bar}   {'ok' if ours / theirs >= bar else 'MISSED'}"
        )
        self.missed += ours / theirs < bar


def main() -> None:
    """Measure everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=50_000)
    count = parser.parse_args().rows
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "event.mdb"
        rows = list(results(count))

        def write() -> None:
            path.unlink(missing_ok=True)
            with jet.create(path) as db:
                db.create_table("ReceivedData", RECEIVED_DATA).insert_many(rows)

        inserted = count / best(write, rounds=3)
        read = count / best(lambda: read_with_jet(path))
        print(f"{count} rows of {len(RECEIVED_DATA)} columns, {path.stat().st_size / 1e6:.1f} MB")
        print(f"read {read:,.0f} rows/s, inserted {inserted:,.0f} rows/s")
        exporter = shutil.which("mdb-export")
        exported = None
        if exporter is not None:
            command = [exporter, str(path), "ReceivedData"]
            exported = count / best(lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True))
            print(f"mdb-export reads {exported:,.0f} rows/s")
        node = mdb_reader_time(path, count)
        parser_time = access_parser_time(path)
        report.ratio("reading against access-parser", read, count / parser_time if parser_time else None, 20)
        report.ratio("reading against mdb-reader", read, count / node if node else None, 1.5)
        report.ratio("reading against mdb-export", read, exported, 0.5)
        report.ratio("inserting against mdb-export reading", inserted, exported, 0.15)
        with jet.open(path) as db:
            list(db["ReceivedData"].rows())
            poll = best(lambda: [db.changed() for _ in range(100)]) / 100
        print(f"{'polling a file that did not change':48} {poll * 1e6:8.1f} µs      bar 1000   "
              f"{'ok' if poll < 1e-3 else 'MISSED'}")  # fmt: skip
        report.missed += poll >= 1e-3
    sys.exit(1 if report.missed else 0)


if __name__ == "__main__":
    main()
