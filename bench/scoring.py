"""Ranking of a large field against the bridge-scorer package for Node, and the cost of one new result.

    python -m bench.scoring            installs bridge-scorer into a temporary folder with npm
    python -m bench.scoring FOLDER     uses the node_modules of that folder

Both sides start from travellers that are in memory in their own shape (objects there, a `LargeField` here), and end
with a ranking: matchpoints on every board (ours with Neuberg's formula),
everyone's total, and the ranks. The best of many runs counts, for both, since a busy machine only ever adds; the
first runs are shown too, when Node has not compiled anything. Beside it, what growing tenfold did to the time, and
n log n would do. Under `columns` the field is made as well, from four columns of plain numbers (board, NS, EW, score),
while Node's objects are there already. Then what else it costs us to get there and away: making the field from lines,
turning the ranking into standings, and scoring line by line with `Scorer` instead.
"""

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from math import log
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

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

NODE = (
    """
const scorer = require('bridge-scorer');
const travellers = JSON.parse(require('fs').readFileSync(process.argv[2]));
const times = [];
for (let run = 0; run < RUNS; run++) {
  const boards = travellers.map(lines => lines.map(([ns, ew, declaror, score]) =>
    score === 0 ? {ns, ew, score} : {ns, ew, contract: {declaror}, score}));
  const start = process.hrtime.bigint();
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
  times.push(Number(process.hrtime.bigint() - start) / 1e6);
}
console.log(JSON.stringify(times));
"""
).replace("RUNS", str(RUNS))


def play(pairs: int) -> list[Line]:
    """Return the results of a Mitchell in which everyone plays the same boards."""
    chance = random.Random(pairs)
    tables = pairs // 2
    north_south = [Contestant("", number, Side.NS) for number in range(1, tables + 1)]
    east_west = [Contestant("", number, Side.EW) for number in range(1, tables + 1)]
    lines = []
    for board in range(1, BOARDS + 1):
        for table in range(tables):
            ew = east_west[(table + board) % tables]
            outcome = chance.choice(OUTCOMES)
            lines.append(Line(board, north_south[table], ew, outcome, table=table + 1, round=board))
    return lines


def milliseconds(work: Callable[[], object], runs: int = RUNS) -> list[float]:
    times = []
    for _ in range(runs):
        start = perf_counter()
        work()
        times.append(1000 * (perf_counter() - start))
    return times


def node_times(lines: list[Line], folder: Path) -> list[float]:
    boards: dict[int, list[list[object]]] = {}
    tables = len(lines) // BOARDS
    for line in lines:
        score = line.outcome.ns_score(vulnerability(line.board)) or 0
        declaror = "N" if score == 0 else str(line.outcome)[-2 if str(line.outcome)[-1] == "=" else -3]
        own = score if declaror in "NS" else -score
        boards.setdefault(line.board, []).append(
            [line.ns.number - 1, tables + line.ew.number - 1, declaror, own]
        )
    with tempfile.TemporaryDirectory() as scratch:
        travellers, script = Path(scratch) / "travellers.json", folder / "bench-scoring.cjs"
        travellers.write_text(json.dumps(list(boards.values())))
        script.write_text(NODE)
        try:
            ran = subprocess.run(
                ["node", str(script), str(travellers)], check=True, capture_output=True, text=True
            )
        finally:
            script.unlink()
    times: list[float] = json.loads(ran.stdout)
    return times


def compare(folder: Path) -> None:
    heads = {
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
    print(" ".join(head.rjust(width) for head, width in heads.items()))
    before: tuple[int, float] | None = None
    for pairs in (500, 5_000, 50_000):
        lines = play(pairs)
        theirs = node_times(lines, folder)
        start = perf_counter()
        field = LargeField(lines)
        build = 1000 * (perf_counter() - start)
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
        ours = milliseconds(field.rank)
        columned = min(milliseconds(from_columns))
        away = min(milliseconds(field.rank().rankings, 3))

        def from_lines(lines: list[Line] = lines) -> None:
            scorer = Scorer()
            for line in lines:
                scorer.put(line)
            scorer.rankings()

        plain = milliseconds(from_lines, 3 if pairs <= 5_000 else 1)
        times = min(theirs) / min(ours)
        grew = f"{min(ours) / before[1]:.1f}×" if before else ""
        n_log_n = f"{pairs * log(pairs) / (before[0] * log(before[0])):.1f}×" if before else ""
        before = (pairs, min(ours))
        print(
            f"{pairs:>6} {min(theirs):>11.2f} ms {min(ours):>8.2f} ms {times:>5.1f}×"
            f" {theirs[0] / ours[0]:>10.1f}× {grew:>6} {n_log_n:>8}"
            f" {min(theirs) / columned:>7.1f}× {build:>6.0f} ms {away:>7.1f} ms {min(plain):>6.0f} ms"
        )


def one_result() -> None:
    print("\none new result, then the ranking (12 tables and 26 boards; the field has room for more)")
    lines = play(24)
    scorer = Scorer(options=Options(expected=12))
    for line in lines:
        scorer.put(line)
    whole = milliseconds(scorer.rankings, 1)[0]
    another = lines[100]
    changed = Line(
        another.board,
        another.ns,
        another.ew,
        Outcome.parse("7NTN="),
        table=another.table,
        round=another.round,
    )

    def correct() -> None:
        scorer.put(changed)
        scorer.rankings()

    print(f"whole session {whole:.2f} ms, one result {min(milliseconds(correct)):.3f} ms")
    print(f"of which the ranking itself {min(milliseconds(scorer.rankings)):.3f} ms")


def main() -> None:
    if len(sys.argv) > 1:
        compare(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                ["npm", "install", "--silent", "--prefix", folder, "bridge-scorer@2.4.0"], check=True
            )
            compare(Path(folder))
    one_result()


if __name__ == "__main__":
    main()
