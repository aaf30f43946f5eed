"""Ranking of a large field against the bridge-scorer package for Node, its growth, and the cost of one new result.

    python -m bench.scoring            compares fields of 500, 5,000 and 50,000 pairs; npm installs bridge-scorer
    python -m bench.scoring FOLDER     uses the node_modules of that folder

Both programs start from travellers in memory (JavaScript objects in Node, a `LargeField` in Overtrick) and end with a
ranking: matchpoints on every board (Overtrick's with Neuberg's formula), the totals, and the ranks. The table also
shows the growth beside that of n log n, and the costs that this leaves out: under `columns` the ratio if Overtrick also
makes the field from four columns of numbers (board, NS, EW, score), which Node need not; then the times to make the
field from lines, to turn the ranking into standings, and to score line by line with `Scorer` instead.
"""

import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import log
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from bench.measure import Benchmark, Pair, register
from overtrick.bridge import Outcome, Side, vulnerability
from overtrick.scoring.field import FieldRanks, LargeField
from overtrick.scoring.lines import Contestant, Line
from overtrick.scoring.session import Options, Scorer

BOARDS = 26
RUNS = 15
OUTCOMES = [
    Outcome.parse(f"{contract}{declarer}{result}")
    for contract in ("1NT", "2S", "3NT", "4H", "4S", "5D", "3Cx", "6H")
    for declarer in "NSEW"
    for result in ("=", "+1", "-1", "-2")
]

# Node ranks once for each line on its standard input, so that its start is not measured.
NODE = """
const scorer = require('bridge-scorer');
const boards = JSON.parse(require('fs').readFileSync(process.argv[2])).map(lines =>
  lines.map(([ns, ew, declaror, score]) => score === 0 ? {ns, ew, score} : {ns, ew, contract: {declaror}, score}));
require('readline').createInterface({input: process.stdin}).on('line', () => {
  const totals = new Float64Array(boards[0].length * 2);
  for (const games of boards) {
    scorer.matchpoints(games);
    for (const game of games) {
      totals[game.ns] += game.matchpointsNS.value;
      totals[game.ew] += game.matchpointsEW.value;
    }
  }
  const half = totals.length / 2;
  scorer.rank(Array.from(totals.subarray(0, half), score => ({score})));
  scorer.rank(Array.from(totals.subarray(half), score => ({score})));
  console.log(totals.reduce((sum, score) => sum + score, 0));
});
"""


def mitchell_lines(pairs: int) -> list[Line]:
    """Return the lines of a Mitchell movement in which all pairs play the same boards."""
    generator = random.Random(pairs)
    tables = pairs // 2
    north_south = [Contestant("", number, Side.NS) for number in range(1, tables + 1)]
    east_west = [Contestant("", number, Side.EW) for number in range(1, tables + 1)]
    lines = []
    for board in range(1, BOARDS + 1):
        for table in range(tables):
            ew = east_west[(table + board) % tables]
            outcome = generator.choice(OUTCOMES)
            lines.append(Line(board, north_south[table], ew, outcome, table=table + 1, round=board))
    return lines


def milliseconds(work: Callable[[], object], runs: int = RUNS) -> list[float]:
    times = []
    for _ in range(runs):
        start = perf_counter()
        work()
        times.append(1000 * (perf_counter() - start))
    return times


@contextmanager
def node_ranking(lines: list[Line], folder: Path) -> Iterator[Callable[[], None]]:
    """Yield a function that ranks the lines with the package bridge-scorer in a folder's node_modules."""
    boards: dict[int, list[list[object]]] = {}
    tables = len(lines) // BOARDS
    for line in lines:
        score = line.outcome.ns_score(vulnerability(line.board)) or 0
        declaror = "N" if score == 0 else str(line.outcome)[-2 if str(line.outcome)[-1] == "=" else -3]
        declarers_score = score if declaror in "NS" else -score
        boards.setdefault(line.board, []).append(
            [line.ns.number - 1, tables + line.ew.number - 1, declaror, declarers_score]
        )
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        travellers, script = Path(scratch) / "travellers.json", Path(scratch) / "rank.cjs"
        travellers.write_text(json.dumps(list(boards.values())))
        script.write_text(NODE)
        with subprocess.Popen(
            ["node", str(script), str(travellers)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as node:
            assert node.stdin is not None
            assert node.stdout is not None
            ask, answer = node.stdin, node.stdout

            def rank() -> None:
                ask.write("\n")
                ask.flush()
                # The sum of all matchpoints: two for each comparison of two tables.
                assert float(answer.readline()) == BOARDS * tables * (tables - 1) * 2

            yield rank
            ask.close()


@contextmanager
def bridge_scorer() -> Iterator[Path]:
    """Yield a folder with the package in its node_modules."""
    with tempfile.TemporaryDirectory() as folder:
        install = ["npm", "install", "--silent", "--prefix", folder, "bridge-scorer@2.4.0"]
        if subprocess.run(install, check=False).returncode:
            raise SystemExit("npm could not install bridge-scorer, so there is nothing to compare with.")
        yield Path(folder)


@contextmanager
def against_node() -> Iterator[Pair]:
    lines = mitchell_lines(5_000)
    field = LargeField(lines)
    with bridge_scorer() as folder, node_ranking(lines, folder) as rank:
        for _ in range(3):  # Node compiles the functions during the first runs.
            rank()
        # Ours takes less than a millisecond, in which caches that are cold after the other's turn would decide.
        yield Pair(lambda: [field.rank() for _ in range(10)], lambda: [rank() for _ in range(10)], 10 * 5_000)


@contextmanager
def growth() -> Iterator[Pair]:
    small, large = (LargeField(mitchell_lines(pairs)) for pairs in (5_000, 50_000))
    yield Pair(large.rank, lambda: [small.rank() for _ in range(10)], 50_000)


@contextmanager
def one_result() -> Iterator[Pair]:
    lines = mitchell_lines(24)
    board = lines[100].board
    session, one_board = (Scorer(options=Options(expected=12)) for _ in range(2))
    for line in lines:
        session.put(line)
        if line.board == board:
            one_board.put(line)
    results = [line for line in lines if line.board == board]

    def enter(scorer: Scorer) -> None:
        for line in results:
            scorer.remove(line.key)
            scorer.put(line)
            scorer.traveller(board)

    for scorer in (session, one_board):
        scorer.rankings()
    yield Pair(lambda: enter(session), lambda: enter(one_board), len(results))


def compare(folder: Path) -> None:
    column_widths = {
        "pairs": 6,
        "bridge-scorer": 14,
        "LargeField": 11,
        "times": 6,
        "first runs": 11,
        "grew": 6,
        "n log n": 8,
        "columns": 8,
        "lines": 9,
        "standings": 10,
        "Scorer": 9,
    }
    print(" ".join(title.rjust(width) for title, width in column_widths.items()))
    previous: tuple[int, float] | None = None
    for pairs in (500, 5_000, 50_000):
        lines = mitchell_lines(pairs)
        with node_ranking(lines, folder) as rank:
            node_times = milliseconds(rank)
        start = perf_counter()
        field = LargeField(lines)
        build_time = 1000 * (perf_counter() - start)
        columns = tuple(
            np.array(column)
            for column in zip(
                *(
                    (
                        line.board,
                        line.ns.number,
                        line.ew.number,
                        line.outcome.ns_score(vulnerability(line.board)),
                    )
                    for line in lines
                ),
                strict=True,
            )
        )

        def from_columns(columns: tuple[Any, ...] = columns) -> FieldRanks:
            return LargeField.of_columns(*columns).rank()

        assert from_columns().rankings() == field.rank().rankings()
        our_times = milliseconds(field.rank)
        from_columns_time = min(milliseconds(from_columns))
        standings_time = min(milliseconds(field.rank().rankings, 3))

        def from_lines(lines: list[Line] = lines) -> None:
            scorer = Scorer()
            for line in lines:
                scorer.put(line)
            scorer.rankings()

        line_by_line_times = milliseconds(from_lines, 3 if pairs <= 5_000 else 1)
        speed_ratio = min(node_times) / min(our_times)
        growth_text = f"{min(our_times) / previous[1]:.1f}×" if previous else ""
        n_log_n = f"{pairs * log(pairs) / (previous[0] * log(previous[0])):.1f}×" if previous else ""
        previous = (pairs, min(our_times))
        print(
            f"{pairs:>6} {min(node_times):>11.2f} ms {min(our_times):>8.2f} ms {speed_ratio:>5.1f}×"
            f" {node_times[0] / our_times[0]:>10.1f}× {growth_text:>6} {n_log_n:>8}"
            f" {min(node_times) / from_columns_time:>7.1f}× {build_time:>6.0f} ms"
            f" {standings_time:>7.1f} ms {min(line_by_line_times):>6.0f} ms"
        )


def main() -> None:
    if len(sys.argv) > 1:
        compare(Path(sys.argv[1]))
    else:
        with bridge_scorer() as folder:
            compare(folder)


if shutil.which("node") is not None and shutil.which("npm") is not None:
    register(Benchmark("scoring a field of 5,000 pairs", "pairs", "bridge-scorer", 20, against_node))
N_LOG_N = 5_000 * log(5_000) / (50_000 * log(50_000))
register(
    Benchmark(
        "scoring a field of 50,000 pairs", "pairs", "ten fields of 5,000, and n log n", 10 * N_LOG_N, growth
    )
)
register(Benchmark("scoring one new result", "results", "in a session of one board", 0.5, one_result))

if __name__ == "__main__":
    main()
