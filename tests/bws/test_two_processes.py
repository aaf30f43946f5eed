"""A scoring program and a control program, each a process of its own, on one file at the same time."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from overtrick.bws.contents import open_contents
from tests.bws.files import Rows, mitchell

CONTROL = """
import sys
from overtrick import jet
from overtrick.bws.edits import Insert, Update, carry_out
from tests.bws.files import result

with jet.open(sys.argv[1], "r+") as db:
    for number in range(1, 61):
        row = result(0, 1, 1, 1 + number % 2, 1, 1, Remarks=f"entry {number}", Erased=number > 2)
        del row["ID"]
        carry_out(db, [Insert("ReceivedData", row)])
        if number % 10 == 0:
            # A correction of an earlier row, as a terminal makes it.
            changed = {"Remarks": f"correction {number}", "Processed": False}
            carry_out(db, [Update("ReceivedData", {"ID": number - 5}, changed)])
    carry_out(db, [Update("Session", {"ID": 1}, {"Status": 2})])
"""

SCORING = """
import sys
from datetime import date
from overtrick import jet
from overtrick.bws.contents import read_contents
from overtrick.bws.edits import carry_out
from overtrick.bws.scoring_news import new_results

with jet.open(sys.argv[1], "r+") as db:
    while True:
        contents = read_contents(db)
        news = new_results(contents, today=date(2026, 3, 2))
        for row in sorted(contents.results, key=lambda row: row.id):
            if not row.processed:
                print(row.id, row.remarks, sep=";")
        carry_out(db, news.marks)
        if contents.sessions[0].status == 2 and not news.marks:
            break
"""


def test_scoring_program_and_control_in_two_processes_lose_no_result(make: Callable[[Rows], Path]) -> None:
    path = make(mitchell())
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(path)],
            cwd=Path(__file__).parents[2],
            stdout=subprocess.PIPE,
            text=True,
        )
        for program in (SCORING, CONTROL)
    ]
    said = [program.communicate(timeout=50)[0] for program in programs]
    assert [program.returncode for program in programs] == [0, 0]
    heard = [line.split(";") for line in said[0].splitlines()]
    contents = open_contents(path)
    assert [row.id for row in contents.results] == list(range(1, 61))
    assert all(row.processed for row in contents.results)
    # The last thing that the scoring program heard of every row is what the row says.
    assert dict(heard) == {str(row.id): row.remarks for row in contents.results}
    assert sum(row.remarks.startswith("correction") for row in contents.results) == 6
