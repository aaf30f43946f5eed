"""A federation's 100,000 players in and out, and their ranking lists, against only reading and writing the lines."""

import os
import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path

from bench.measure import Benchmark, Pair, register
from overtrick.magic.files import write_file
from overtrick.magic.people import import_people, write_people
from overtrick.magic.rows import FileKind
from overtrick.registry import Ledger, MasterPointAward, Person, Registry, RegistrySide, open_registry

PLAYERS = 100_000
AWARDS = 3 * PLAYERS
YEAR = 2006


def players() -> Iterator[Person]:
    generator = random.Random(1)
    for number in range(1, PLAYERS + 1):
        birth = date(1930, 1, 1) + timedelta(days=generator.randrange(25_000))
        name = f"Lastname{generator.randrange(PLAYERS)}"
        yield Person(None, number, f"EBL{number:06}", name, f"First{number % 997}", "MW"[number % 2], birth)


def awards() -> Iterator[tuple[int, MasterPointAward]]:
    generator = random.Random(2)
    for number in range(1, AWARDS + 1):
        year, player = generator.randrange(1995, YEAR + 1), generator.randrange(1, PLAYERS + 1)
        points = generator.randrange(1, 200), generator.randrange(50), generator.randrange(20)
        yield (
            number,
            MasterPointAward(number, player, None, "", year, None, 7, "European Teams", "Open", 3, *points),
        )


def copy_lines(source: Path, target: Path) -> None:
    """Read lines and write them durably, as the simplest program would."""
    with (
        source.open(encoding="utf-8", newline=None) as lines,
        target.open("w", encoding="utf-8", newline="") as out,
    ):
        for line in lines:
            out.write("\t".join(line.rstrip("\n").split("\t")) + "\r\n")
        out.flush()
        os.fsync(out.fileno())


@contextmanager
def in_and_out() -> Iterator[Pair]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "3A.txt"
        write_file(source, FileKind.PLAYERS, players())

        def ours() -> None:
            path = folder / "people.registry"
            for old_file in folder.glob("people.registry*"):
                old_file.unlink()
            with open_registry(path, create=RegistrySide.MAGIC) as registry:
                import_people(source, registry)
                write_people(folder / "out.txt", registry, FileKind.PLAYERS, YEAR)

        def peer() -> None:
            copy_lines(source, folder / "copy.txt")

        ours()
        if (folder / "out.txt").read_bytes().count(b"\r\n") != PLAYERS + 1:
            raise SystemExit("The written file does not have all players that were imported.")
        yield Pair(ours, peer, PLAYERS)


@contextmanager
def federation(work: Callable[[Registry, Path], None], file_name: str) -> Iterator[Pair]:
    """Yield a pair that writes a file from a registry with all players and awards, and copies the lines of the file."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "3A.txt"
        write_file(source, FileKind.PLAYERS, players())
        with open_registry(folder / "people.registry", create=RegistrySide.MAGIC) as registry:
            import_people(source, registry)
            Ledger(registry).import_awards(awards())
            with registry.writing() as connection:
                connection.execute(
                    "INSERT INTO countries SELECT magic_id, 0, substr('SWENORDENFINISLESTLATLTUPOLGER', "
                    "1 + 3 * (magic_id % 10), 3) FROM people"
                )
            work(registry, folder)
            lines = (folder / file_name).read_bytes().count(b"\n")
            yield Pair(
                lambda: work(registry, folder),
                lambda: copy_lines(folder / file_name, folder / "copy.txt"),
                lines,
            )


def ranking_lists(registry: Registry, folder: Path) -> None:
    (folder / "3D.txt").unlink(missing_ok=True)
    write_people(folder / "3D.txt", registry, FileKind.RANKS, YEAR)


def totals(registry: Registry, folder: Path) -> None:
    (folder / "3B.txt").unlink(missing_ok=True)
    write_people(folder / "3B.txt", registry, FileKind.TOTALS, YEAR)


PEER = "read and write the lines"
# 100,000 players take about two seconds.
register(Benchmark("magic 3A in and out", "players", PEER, 1 / 25, in_and_out, repeats=5))
register(
    Benchmark(
        "magic 3D ranking lists",
        "ranks",
        PEER,
        1 / 12.8,
        lambda: federation(ranking_lists, "3D.txt"),
        repeats=3,
    )
)
register(
    Benchmark("magic 3B totals", "players", PEER, 1 / 11.6, lambda: federation(totals, "3B.txt"), repeats=3)
)
