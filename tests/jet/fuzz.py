"""Damages Access files on purpose and reads them: nothing but an OvertrickError may come of it, and soon.

    python tests/jet/fuzz.py --seconds 3600 FILE...

Every damage is made from a seed, so what is reported can be made again with `--seed N --count 1`.
"""

import argparse
import contextlib
import os
import random
import re
import resource
import signal
import struct
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from types import FrameType

from overtrick import jet
from overtrick.errors import OvertrickError
from overtrick.jet import Column, ColumnType, Index
from overtrick.jet.index_tree import IndexTree

LONGEST = 5
"""Seconds of work that one file may take; seconds of waiting for others on a busy machine do not count."""
MOST_MEMORY = 600 * 1024
"""Kilobytes that the process may use for it."""
SPECIAL = [
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    63,
    64,
    127,
    128,
    255,
    256,
    2047,
    2048,
    4095,
    4096,
    0x7FFF,
    0x8000,
    0xC000,
    0xFFFF,
]


class TooSlow(Exception):
    """A file took longer than it may."""


def damage(original: bytes, rnd: random.Random) -> bytes:
    """One to twelve kinds of harm, in pages that are used more often than not."""
    content = bytearray(original)
    size = 2048 if original[0x14] == 0 else 4096
    pages = len(content) // size
    for _ in range(rnd.choice([1, 1, 2, 3, 5, 12])):
        if len(content) < size * 2:
            break
        pages = len(content) // size
        page = rnd.choice([rnd.randrange(pages), rnd.randrange(min(pages, 24))]) * size
        at = page + rnd.choice([rnd.randrange(64), rnd.randrange(size)])
        harm = rnd.randrange(10)
        if harm < 3:
            content[at] = rnd.choice([rnd.randrange(256), 0, 255, content[at] ^ 1 << rnd.randrange(8)])
        elif harm == 3:
            struct.pack_into(
                "<H", content, min(at, len(content) - 2), rnd.choice([*SPECIAL, rnd.randrange(65536)])
            )
        elif harm == 4:
            number = rnd.choice(
                [*SPECIAL, rnd.randrange(pages), rnd.randrange(pages) << 8, 0xFFFFFFFF, page // size]
            )
            struct.pack_into("<I", content, min(at, len(content) - 4), number)
        elif harm == 5:
            other = rnd.randrange(pages) * size
            content[page : page + size] = content[other : other + size]
        elif harm == 6:
            content[at : at + rnd.randrange(64)] = b""
        elif harm == 7:
            length = min(rnd.randrange(200), len(content) - at)
            content[at : at + length] = rnd.randbytes(length)
        elif harm == 8:
            del content[rnd.randrange(len(content)) :]
        else:
            content[page : page + size] = bytes(size)
    return bytes(content)


def read_everything(path: Path) -> int:
    """Read all that can be read of a file; how many values there were."""
    values = 0
    with jet.open(path) as db:
        for name in [*db.tables, "MSysObjects", "MSysACEs"]:
            try:
                table = db[name]
                values += len(table.columns)
                for row in table.rows():
                    values += len(row)
                for index in table.definition.indexes:
                    for _ in IndexTree(db.file, index, table.page).entries():
                        values += 1
            except OvertrickError:
                continue
    return values


def write_something(path: Path, rnd: random.Random) -> None:
    """Try each kind of change on a damaged file."""
    with jet.open(path, "r+") as db:
        for name in db.tables[:6]:
            try:
                table = db[name]
                rows = list(table.rows())
                text = [c.name for c in table.columns if c.type in (ColumnType.TEXT, ColumnType.MEMO)]
                if rows:
                    table.update(rnd.choice(rows), dict.fromkeys(text[:2], "x"))
                table.insert(dict.fromkeys(text[:3], "y"))
                if rows:
                    table.delete(rnd.choice(rows))
                table.add_column(Column("custom_Fuzz", ColumnType.LONG))
            except OvertrickError:
                continue


def make_sample(path: Path) -> None:
    """Make a file with every type, memos of every form, moved and deleted rows, trees and long definitions."""
    kinds = [kind for kind in ColumnType if not kind.name.startswith("UNKNOWN")]
    columns = [Column("ID", ColumnType.LONG, autonumber=True)]
    columns += [Column(kind.name, kind, size=30 if kind is ColumnType.BINARY else 0) for kind in kinds]
    with jet.create(path, clock=lambda: datetime(2026, 1, 1)) as db:
        indexes = [Index("PK", ("ID",), primary=True), Index("TextIndex", ("TEXT", "LONG"))]
        table = db.create_table("All", columns, indexes)
        for n in range(150):
            table.insert(
                YES_NO=n % 2, LONG=n, TEXT=f"text {n}" * (1 + n % 9), MEMO="m" * (1 + n * 37),
                OLE=b"o" * (n % 100), DATE=datetime(2020, 1, 1), DOUBLE=n / 3, NUMERIC=n,
            )  # fmt: skip
        for n, row in enumerate(list(table.rows())):
            if n % 5 == 0:
                table.delete(row)
            elif n % 3 == 0:
                table.update(row, TEXT="grown " * 40)
        db.create_table(
            "Wide", [Column(f"Column with a name {n}", kinds[n % 10], default="0") for n in range(160)]
        )
        db["Wide"].insert()


def _too_slow(_signal: int, _frame: FrameType | None) -> None:
    raise TooSlow


def _within(seconds: float, work: Callable[[], object], outcomes: Counter[str], good: str, seed: int) -> None:
    """Do one thing in time; count what came of it, and say what must not come of it."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        work()
        outcomes[good] += 1
    except OvertrickError as error:
        outcomes[f"{good}: {type(error).__name__}"] += 1
    except Exception:
        outcomes["failed"] += 1
        print(f"seed {seed}, {good}:\n{traceback.format_exc()}", file=sys.stderr, flush=True)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _peak_memory() -> int:
    """KB of memory that this process has had at most, since the last time that was forgotten."""
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s*(\d+)", status.read_text()) if status.exists() else None
    return int(found[1]) if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _forget_peak_memory() -> None:
    """Begin anew, where the system can: whatever ran before in this process may have had much."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def fuzz(samples: Sequence[bytes], first_seed: int, count: int | None, seconds: float) -> Counter[str]:
    """Damage and read until the count or the time is reached; what came of it, where `failed` must be none."""
    outcomes: Counter[str] = Counter()
    signal.signal(signal.SIGPROF, _too_slow)
    began = time.monotonic()
    _forget_peak_memory()
    had = _peak_memory()
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        path = Path(folder) / "damaged.mdb"
        seed = first_seed
        while (count is None or seed < first_seed + count) and time.monotonic() - began < seconds:
            rnd = random.Random(seed)
            damaged = damage(rnd.choice(samples), rnd)
            path.write_bytes(damaged)
            _within(LONGEST, lambda: read_everything(path), outcomes, "read", seed)
            if path.read_bytes() != damaged:
                outcomes["failed"] += 1
                print(f"seed {seed}: reading changed the file", file=sys.stderr)
            if seed % 8 == 0:
                _within(
                    LONGEST, partial(write_something, path, random.Random(seed)), outcomes, "written", seed
                )
            used = _peak_memory() - had
            if used > MOST_MEMORY:
                outcomes["failed"] += 1
                print(f"seed {seed}: {used} KB of memory", file=sys.stderr)
                break
            seed += 1
    outcomes["files"] = seed - first_seed
    outcomes["KB of memory"] = _peak_memory() - had
    return outcomes


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int)
    wanted = parser.parse_args()
    setattr(os, "fsync", lambda fd: None)  # noqa: B010
    with tempfile.TemporaryDirectory() as folder:
        make_sample(Path(folder) / "sample.mdb")
        samples = [(Path(folder) / "sample.mdb").read_bytes(), *(path.read_bytes() for path in wanted.files)]
    outcomes = fuzz(samples, wanted.seed, wanted.count, wanted.seconds)
    for outcome, number in sorted(outcomes.items()):
        print(f"{outcome}: {number}")
    sys.exit(1 if outcomes["failed"] else 0)


if __name__ == "__main__":
    main()
