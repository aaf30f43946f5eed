"""A scoring program that works on a live `.bws` file through a handle of its own, as another process would.

It knows the guide's tables and columns and nothing of the control software. What it does is a generator that pauses
between its writes, because the control software may look into the file there.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from overtrick import jet
from overtrick.bridge import Deal
from overtrick.bws.hands import deal_values

Values = dict[str, Any]
Flag = tuple[Any, ...]
"""A flag of the file: its table, and the key of its row."""

OUTCOMES: dict[str, tuple[str, str, str, str]] = {
    "4SN=": ("4 S", "=", "N", ""),
    "3NTE-1": ("3 NT", "-1", "E", ""),
    "2HxW+1": ("2 H x", "+1", "W", ""),
    "5DS-2": ("5 D", "-2", "S", ""),
    "1NTN+2": ("1 NT", "+2", "N", ""),
    "Pass": ("PASS", "", "", ""),
    "NP": ("", "", "", "Not played"),
    "40-60": ("", "", "", "40%-60%"),
}
"""Outcomes, each with its Contract, Result, NS/EW and Remarks in the file."""

PLAYED = [outcome for outcome, fields in OUTCOMES.items() if fields[2]]
CUSTOM = "custom_VueGraph"
FLAGS = ("Processed", "Processed1", "Processed2", "Processed3", "Processed4", CUSTOM)
"""Columns of results that belong to readers."""

REMOVE_TABLE, RESET, SETTINGS, HAND_RECORDS, WAIT = 999, 998, 997, 996, 256
NONSENSE = 700
MOST_ROUNDS = 5
MOST_TABLES = 5


def deal(number: int) -> Deal:
    """Return one of many deals."""
    return Deal.dealt_by(random.Random(number))


class ScoringProgram:
    """The scoring program of one file. `is_patient`: it waits for a table's flag to be cleared before the next."""

    def __init__(self, path: Path, *, is_patient: bool = True) -> None:
        self._db = jet.open(path, "r+")
        self.is_patient = is_patient
        self.raised: Counter[Flag] = Counter()
        """The number of times that each flag was raised."""
        self.doubtful: Counter[Flag] = Counter()
        """The number of times that a flag was raised and nobody can tell that it is not the one before."""
        self.on_repeat: Callable[[Flag], None] = lambda flag: None
        """Called when a flag says the same as the last time."""
        self._said: dict[Flag, object] = {}
        """Each flag as it was raised last: its value and the rows that it is about."""
        self.unsure: set[Flag] = set()
        """The flags that were taken back or overwritten, perhaps before anybody saw them."""
        self.excused: set[Flag] = set()
        """The flags that cannot be taken while it is in the middle of something."""
        self.removed: set[tuple[int, int]] = set()
        """The tables that it has removed, perhaps to add them again."""
        self.hasty: Counter[Flag] = Counter()
        """The number of times that rounds of a table changed while its flag was up, which may count as instructions."""
        self.corrected: set[int] = set()
        """The results that it has written something else into."""
        self.remarked: set[int] = set()
        """The results whose remarks are its own."""
        self.named: set[tuple[int, int, str, int]] = set()
        """The chairs whose names are its own."""
        self._pair = 100
        self._steps: Iterator[None] | None = None

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    # Taking turns -------------------------------------------------------------------------------------------

    @property
    def is_busy(self) -> bool:
        """True while it is in the middle of an action."""
        return self._steps is not None

    def turn(self, action: str, first: int = 0, second: int = 0) -> None:
        """Go on with what it is in the middle of, or else begin something."""
        if self._steps is None and action:
            self._steps = getattr(self, action)(first, second)
        if self._steps is None:
            return
        try:
            next(self._steps)
        except StopIteration:
            self._steps = None
            self.excused = set()

    def do(self, action: str, first: int = 0, second: int = 0) -> None:
        """Do something from beginning to end."""
        self.finish()
        self.turn(action, first, second)
        self.finish()

    def finish(self) -> None:
        """End what it is in the middle of."""
        while self._steps is not None:
            self.turn("")

    # Rows ---------------------------------------------------------------------------------------------------

    def rows(self, table: str, **key: Any) -> list[Values]:
        """Return the rows with this key."""
        return [dict(row) for row in self._found(table, key)]

    def _found(self, table: str, key: Mapping[str, Any]) -> list[jet.Row]:
        return [
            row for row in self._db[table].rows() if all(row[name] == value for name, value in key.items())
        ]

    def update(self, table: str, values: Mapping[str, Any], **key: Any) -> None:
        """Change the rows with this key."""
        with self._db.writing():
            known = {column.name for column in self._db[table].columns}
            for row in self._found(table, key):
                changed = {name: value for name, value in values.items() if name in known}
                self._note_haste(table, row)
                self._db[table].update(row, changed)

    def insert(self, table: str, *rows: Mapping[str, Any]) -> None:
        """Add rows."""
        with self._db.writing():
            for row in rows:
                self._note_haste(table, row)
                self._db[table].insert(row)

    def delete(self, table: str, **key: Any) -> None:
        """Delete the rows with this key."""
        with self._db.writing():
            for row in self._found(table, key):
                self._note_haste(table, row)
                self._db[table].delete(row)

    def _note_haste(self, table: str, row: Mapping[str, Any]) -> None:
        at = (row["Section"], row["Table"]) if table == "RoundData" else None
        if at in self._instructed():
            self.hasty["Tables", *at] += 1

    def tables(self) -> list[Values]:
        """Return the tables, those first that have the lowest numbers."""
        return sorted(self.rows("Tables"), key=lambda row: (row["Section"], row["Table"]))

    def rounds(self, section: int, table: int) -> dict[int, Values]:
        """Return the rounds of a table."""
        return {row["Round"]: row for row in self.rows("RoundData", Section=section, Table=table)}

    def _free(self) -> list[tuple[int, int]]:
        """Return the tables that may get an instruction: those without a flagged result or name."""
        flagged = {(row["Section"], row["Table"]) for row in self.rows("ReceivedData", ExternalUpdate=True)}
        flagged |= {(row["Section"], row["Table"]) for row in self.rows("PlayerNumbers", Updated=True)}
        if self.is_patient:
            flagged |= self._instructed()
        return [at for row in self.tables() if (at := (row["Section"], row["Table"])) not in flagged]

    def _instructed(self) -> set[tuple[int, int]]:
        """Return the tables whose flags are up."""
        return {(row["Section"], row["Table"]) for row in self.tables() if row["UpdateFromRound"]}

    def _excuse(self, section: int) -> None:
        """Expect that the tables of a section may be left for now."""
        self.excused = {("Tables", section, row["Table"]) for row in self.rows("Tables", Section=section)}

    def _choose(self, first: int) -> tuple[int, int] | None:
        free = self._free()
        return free[first % len(free)] if free else None

    def instruct(self, section: int, table: int, value: int) -> None:
        """Raise the flag of a table."""
        flag = "Tables", section, table
        rows = self.rows("Tables", Section=section, Table=table)
        if not rows:
            return
        if rows[0]["UpdateFromRound"]:
            self.unsure.add(flag)
        self.update("Tables", {"UpdateFromRound": value}, Section=section, Table=table)
        self._note_raised(flag)

    def _note_raised(self, flag: Flag) -> None:
        self.raised[flag] += 1
        said, self._said[flag] = self._said.get(flag), self._about(flag)
        if said == self._said[flag]:
            self.on_repeat(flag)

    def _about(self, flag: Flag) -> object:
        """Return a flag's value and the rows that it is about."""
        match flag:
            case "ReceivedData", number:
                (row,) = self.rows("ReceivedData", ID=number)
                return {name: value for name, value in row.items() if name not in FLAGS}
            case "PlayerNumbers", section, table, direction, number:
                key = {"Section": section, "Table": table, "Direction": direction, "Round": number}
                return [(row["Number"], row["Name"]) for row in self.rows("PlayerNumbers", **key)]
        _, section, table = flag
        (row,) = self.rows("Tables", Section=section, Table=table)
        value = row["UpdateFromRound"]
        if value == SETTINGS:
            return value, self.rows("Settings")
        if value == HAND_RECORDS:
            return value, self.rows("HandRecord", Section=section)
        is_about_rounds = abs(value) < 2 * WAIT and abs(value) != WAIT
        return value, self.rounds(section, table) if is_about_rounds else {}

    # Instructions -------------------------------------------------------------------------------------------

    def send_rounds(self, first: int, second: int) -> Iterator[None]:
        """Send a table's rounds anew from one on, the same or with other boards, and perhaps let it wait."""
        if (chosen := self._choose(first)) is None or not (rounds := self.rounds(*chosen)):
            return
        section, table = chosen
        number = sorted(rounds)[second % len(rounds)]
        if second & 8:
            for later in range(number, max(rounds) + 1):
                low = (rounds[later]["LowBoard"] + 1) % 12 + 1
                boards = {"LowBoard": low, "HighBoard": low + 1}
                self.update("RoundData", boards, Section=section, Table=table, Round=later)
            yield
        self.instruct(section, table, number + (WAIT if second & 16 else 0))

    def add_round(self, first: int, second: int) -> Iterator[None]:
        """Add the next round to every table of a section, as in a Swiss event, with a flag for each."""
        if (chosen := self._choose(first)) is None:
            return
        added = []
        for section, table in self._free():
            rounds = self.rounds(section, table)
            if section != chosen[0] or not rounds or max(rounds) >= MOST_ROUNDS:
                continue
            number = max(rounds) + 1
            self.insert("RoundData", self._round(section, table, number))
            added.append((section, table, number))
        for section, table, number in added:
            yield
            self.instruct(section, table, number + (WAIT if second & 1 else 0))

    def _round(self, section: int, table: int, number: int) -> dict[str, Any]:
        """Return a round between two pairs that sit nowhere else."""
        self._pair += 2
        low = (2 * (table + number) - 1) % 12
        return {
            "Section": section,
            "Table": table,
            "Round": number,
            "NSPair": self._pair,
            "EWPair": self._pair + 1,
            "LowBoard": low,
            "HighBoard": low + 1,
        }

    def remove_rounds(self, first: int, second: int) -> Iterator[None]:
        """Remove the rounds of a table from one on; the first stays."""
        if (chosen := self._choose(first)) is None or len(rounds := self.rounds(*chosen)) < 2:
            return
        section, table = chosen
        number = sorted(rounds)[1 + second % (len(rounds) - 1)]
        for later in range(number, max(rounds) + 1):
            self.delete("RoundData", Section=section, Table=table, Round=later)
        yield
        self.instruct(section, table, -number)

    def exchange(self, first: int, second: int) -> Iterator[None]:
        """Let the North-South pairs of two tables change places in a round, with a flag for each table."""
        if (chosen := self._choose(first)) is None:
            return
        others = [other for other in self._free() if other[0] == chosen[0] and other != chosen]
        if not others:
            return
        other = others[second % len(others)]
        here, there = self.rounds(*chosen), self.rounds(*other)
        if not (both := sorted(set(here) & set(there))):
            return
        number = both[second % len(both)]
        for (section, table), new in ((chosen, there[number]), (other, here[number])):
            self.update("RoundData", {"NSPair": new["NSPair"]}, Section=section, Table=table, Round=number)
        self._excuse(chosen[0])
        for place in (chosen, other):
            yield
            self.instruct(*place, number)

    def send_bad_round(self, first: int, second: int) -> Iterator[None]:
        """Let a pair sit at two tables by mistake; then repair it, or take it back."""
        if (chosen := self._choose(first)) is None:
            return
        here = self.rounds(*chosen)
        section, table = chosen
        wrong = [
            (number, row["NSPair"])
            for other in self.tables()
            if other["Section"] == section and other["Table"] != table and not other["UpdateFromRound"]
            for number, row in self.rounds(section, other["Table"]).items()
            if number in here
        ]
        if not wrong:
            return
        number, pair = wrong[second % len(wrong)]
        key = {"Section": section, "Table": table}
        self.update("RoundData", {"NSPair": pair}, **key, Round=number)
        self._excuse(section)
        self.instruct(section, table, number)
        yield
        self.update("RoundData", {"NSPair": here[number]["NSPair"]}, **key, Round=number)
        if second & 1:
            self._withdraw(section, table)

    def send_nonsense(self, first: int, second: int) -> Iterator[None]:
        """Raise a flag that has no meaning, and take it back."""
        if (chosen := self._choose(first)) is None:
            return
        self.excused = {("Tables", *chosen)}
        self.instruct(*chosen, NONSENSE)
        yield
        self._withdraw(*chosen)

    def _withdraw(self, section: int, table: int) -> None:
        self.unsure.add(("Tables", section, table))
        self.update("Tables", {"UpdateFromRound": 0}, Section=section, Table=table)

    def set_waiting(self, first: int, second: int) -> Iterator[None]:
        """Let a table wait for more rounds, or not."""
        if (chosen := self._choose(first)) is not None:
            self.instruct(*chosen, WAIT if second & 1 else -WAIT)
        yield from ()

    def reset(self, first: int, second: int) -> Iterator[None]:
        """Reset a table's terminal."""
        if (chosen := self._choose(first)) is not None:
            self.instruct(*chosen, RESET)
        yield from ()

    def send_settings(self, first: int, second: int) -> Iterator[None]:
        """Change a setting of a section, and tell one of its tables."""
        if (chosen := self._choose(first)) is None:
            return
        self.update("Settings", {"BM2ScoreRecap": bool(second & 1)}, Section=chosen[0])
        yield
        self.instruct(*chosen, SETTINGS)

    def send_hand_record(self, first: int, second: int) -> Iterator[None]:
        """Write the deal of one of the first three boards, and tell a table of the section."""
        if (chosen := self._choose(first)) is None:
            return
        board = 1 + second % 3
        key = {"Section": chosen[0], "Board": board}
        values = deal_values(deal(second))
        if self.rows("HandRecord", **key):
            self.update("HandRecord", values, **key)
        else:
            self.insert("HandRecord", {**key, **values})
        yield
        self.instruct(*chosen, HAND_RECORDS)

    def remove_table(self, first: int, second: int) -> Iterator[None]:
        """Remove a table that is not used any more."""
        if (chosen := self._choose(first)) is None or len(self.tables()) - len(self._instructed()) < 3:
            return
        section, table = chosen
        self.delete("RoundData", Section=section, Table=table)
        self.removed.add(chosen)
        yield
        self.instruct(section, table, REMOVE_TABLE)

    def add_table(self, first: int, second: int) -> Iterator[None]:
        """Add a table to a section, perhaps one that was removed."""
        sections = sorted(row["ID"] for row in self.rows("Section"))
        if not sections:
            return
        section = sections[first % len(sections)]
        known = {row["Table"] for row in self.rows("Tables", Section=section)}
        table = next(number for number in range(1, 20) if number not in known)
        if not known or table > MOST_TABLES or self.rounds(section, table):
            return
        self.insert("RoundData", *(self._round(section, table, number) for number in (1, 2)))
        self.update("Section", {"Tables": len(known) + 1}, ID=section)
        yield
        self.insert("Tables", _table_row(section, table, UpdateFromRound=1))
        self._note_raised(("Tables", section, table))

    def delete_and_add_again(self, first: int, second: int) -> Iterator[None]:
        """Delete the records of sections, tables and rounds and add them again, as the guide advises."""
        tables = self.tables()
        if not tables or any(row["UpdateFromRound"] for row in tables):
            return
        kept = {name: self.rows(name) for name in ("Section", "RoundData")}
        for name in ("Tables", "RoundData", "Section"):
            self.delete(name)
            yield
        value = 1 if second % 4 == 3 else 0
        for name in ("Section", "RoundData"):
            self.insert(name, *kept[name])
            yield
        for row in tables:
            self.insert(
                "Tables",
                _table_row(row["Section"], row["Table"], UpdateFromRound=value, ComputerID=row["ComputerID"]),
            )
            if value:
                self._note_raised(("Tables", row["Section"], row["Table"]))
            if second & 4:
                yield

    # Results ------------------------------------------------------------------------------------------------

    def _live(self, first: int) -> Values | None:
        """Return a result of a table whose flag is not up."""
        places = {(row["Section"], row["Table"]) for row in self.tables()} - self._instructed()
        rows = [
            row
            for row in self.rows("ReceivedData", Erased=False, ExternalUpdate=False)
            if (row["Section"], row["Table"]) in places
        ]
        rows.sort(key=lambda row: [row[name] for name in ("Section", "Table", "Round", "Board", "ID")])
        return rows[first % len(rows)] if rows else None

    def _flag_result(self, number: int, values: Mapping[str, Any]) -> None:
        self.update("ReceivedData", {**values, "ExternalUpdate": True}, ID=number)
        self._note_raised(("ReceivedData", number))

    def correct(self, first: int, second: int) -> Iterator[None]:
        """Correct a result, in one write or in two, perhaps with a remark of its own."""
        if (row := self._live(first)) is None:
            return
        number = row["ID"]
        self.corrected.add(number)
        values = result_fields(PLAYED[second % len(PLAYED)], row)
        if second & 16:
            values["Remarks"] = f"Ruling {second}"
            self.remarked.add(number)
        if second & 8:
            self.update("ReceivedData", values, ID=number)
            yield
            values = {}
        self._flag_result(number, values)

    def erase(self, first: int, second: int) -> Iterator[None]:
        """Take a result away."""
        if (row := self._live(first)) is not None:
            self._flag_result(row["ID"], {"Erased": True})
        yield from ()

    def correct_wrongly(self, first: int, second: int) -> Iterator[None]:
        """Write a result that no contract can have; then repair it, or take it back."""
        if (row := self._live(first)) is None:
            return
        number = row["ID"]
        before = {name: row[name] for name in ("Contract", "Result", "NS/EW", "Declarer", "Remarks")}
        wrong = {"Contract": "7 NT", "Result": "+1", "NS/EW": "N", "Declarer": row["PairNS"], "Remarks": ""}
        self.excused = {("ReceivedData", number)}
        self.corrected.add(number)
        self._flag_result(number, wrong)
        yield
        if second & 1:
            self.unsure.add(("ReceivedData", number))
            self.update("ReceivedData", {**before, "ExternalUpdate": False}, ID=number)
        else:
            self.update("ReceivedData", result_fields(PLAYED[second % len(PLAYED)], row), ID=number)

    def read_results(self, first: int, second: int) -> Iterator[None]:
        """Read what is new, and mark it as read in one flag or in several."""
        flags = {FLAGS[0]: True, FLAGS[1 + second % (len(FLAGS) - 1)]: True}
        for row in self.rows("ReceivedData", Processed=False):
            self.update("ReceivedData", flags, ID=row["ID"])
        if second & 1:
            self.update("PlayerNumbers", {"Processed": True}, Processed=False)
        yield from ()

    def remark(self, first: int, second: int) -> Iterator[None]:
        """Write a remark of its own to a result, without a flag."""
        if (row := self._live(first)) is not None:
            self.remarked.add(row["ID"])
            self.update("ReceivedData", {"Remarks": f"Seen {second}"}, ID=row["ID"])
        yield from ()

    # People -------------------------------------------------------------------------------------------------

    def name_player(self, first: int, second: int) -> Iterator[None]:
        """Write the name of a player, and flag it."""
        names = ("Section", "Table", "Direction", "Round")
        tables = {(row["Section"], row["Table"]) for row in self.tables()} - self._instructed()
        rows = self.rows("PlayerNumbers", Round=0, Updated=False)
        rows = [row for row in rows if (row["Section"], row["Table"]) in tables]
        if not rows:
            return
        row = sorted(rows, key=lambda row: [row[name] for name in names])[first % len(rows)]
        key = {name: row[name] for name in names}
        self.named.add((row["Section"], row["Table"], row["Direction"], row["Round"]))
        self.update("PlayerNumbers", {"Name": f"Player {second}", "Updated": True, "EntrySource": 0}, **key)
        self._note_raised(("PlayerNumbers", *key.values()))
        yield from ()


def _table_row(section: int, table: int, **values: int) -> dict[str, Any]:
    return {
        "Section": section,
        "Table": table,
        "ComputerID": 1,
        "Status": 0,
        "LogOnOff": 2,
        "UpdateFromRound": 0,
        "CurrentRound": 0,
        "CurrentBoard": 0,
        "Group": 0,
        **values,
    }


def result_fields(outcome: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a corrected result, for the pairs of its row."""
    contract, result, direction, remark = OUTCOMES[outcome]
    return {
        "Contract": contract,
        "Result": result,
        "NS/EW": direction,
        "Declarer": row["PairNS"] if direction in ("N", "S") else row["PairEW"],
        "LeadCard": "",
        "Remarks": remark,
    }


def log_time(at: datetime) -> dict[str, datetime]:
    """Return the log fields of a row that is written at this time."""
    return {
        "DateLog": datetime(at.year, at.month, at.day),
        "TimeLog": datetime(1899, 12, 30, at.hour, at.minute, at.second),
    }


INSTRUCTIONS = (
    "send_rounds",
    "add_round",
    "remove_rounds",
    "exchange",
    "send_bad_round",
    "send_nonsense",
    "set_waiting",
    "reset",
    "send_settings",
    "send_hand_record",
    "remove_table",
    "add_table",
    "delete_and_add_again",
)
"""Its actions on sections and tables."""

RESULT_ACTIONS = ("correct", "erase", "correct_wrongly", "read_results", "remark", "name_player")
"""Its actions on results and names."""
