"""Invariants of a `.bws` file and its journal, worked out from the facts alone and not by the product's writer.

`Ownership` looks at every write of the control software while a story is told; `check_evening` looks at the end, when
everything is at rest.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from overtrick.bws.hands import deal_values
from overtrick.event import Fact, Session
from overtrick.event.hands import HandRecordSet, HandSource
from overtrick.event.place import Place
from overtrick.event.recording import CallRecorded, CardRecorded
from overtrick.event.results import (
    CorrectResult,
    EnterResult,
    EraseResult,
    Origin,
    ResultErased,
    ResultJudged,
    ResultRecorded,
    Suspicion,
)
from overtrick.event.setup import Status
from overtrick.store import JournalEntry
from tests.host.file_story import Evening, Snapshot
from tests.host.scoring_program import FLAGS, OUTCOMES, REMOVE_TABLE, WAIT, Flag

RESULT_FIELDS = ("PairNS", "PairEW", "Declarer", "NS/EW", "Contract", "Result", "LeadCard", "Erased")
"""The outcome of a board in a row; a suspicion is beside it."""

OWN_REMARKS = {fields[3] for fields in OUTCOMES.values()}
"""The text of the control software in Remarks: an award, a board that was not played, or nothing."""

LOG_FIELDS = {"DateLog", "TimeLog"}
SUSPICIONS = (Suspicion.NONE, Suspicion.SUSPICIOUS, Suspicion.CONFIRMED)
STATUSES = (Status.NOT_STARTED, Status.STARTED, Status.FINISHED)


def text(value: object) -> str:
    """Return a field as text: nothing and an empty text are the same."""
    return str(value or "").strip()


# Every write ------------------------------------------------------------------------------------------------


@dataclass
class Ownership:
    """Watches that the control software changes nothing that is the scoring program's."""

    evening: Evening
    broken: list[str] = field(default_factory=list)
    written_for: dict[int, int] = field(default_factory=dict)
    """For each row of results how far the journal was when the control software wrote it last."""

    def __post_init__(self) -> None:
        self.evening.on_control_write = self.look
        for (number,) in self.evening.seen["ReceivedData"]:
            self.written_for[number] = 0

    def look(self, before: Snapshot, after: Snapshot) -> None:
        """Compare the rows before and after one write."""
        facts = self.evening.facts()
        for table in before:
            for key in {**before[table], **after[table]}:
                old, new = before[table].get(key), after[table].get(key)
                if old != new:
                    for wrong in self._breaches(table, key, old, new, facts):
                        self.broken.append(f"{table} {key}: {wrong}\n  was {old}\n  is  {new}")

    def _breaches(
        self,
        table: str,
        key: tuple[Any, ...],
        old: dict[str, Any] | None,
        new: dict[str, Any] | None,
        facts: list[JournalEntry],
    ) -> Iterator[str]:
        changed = {name for name in new if old[name] != new[name]} if old and new else set()
        match table:
            case "Section" | "RoundData" | "Settings" | "PlayerNames":
                yield "is the scoring program's"
            case "Clients":
                if old is not None:
                    yield "was changed"
            case "Session":
                if old is None or new is None:
                    yield "was added or deleted"
                elif changed - {"Status", *(name for name in ("GUID", "Date") if not old[name])}:
                    yield f"{changed} are the scoring program's"
            case "Tables":
                yield from self._table_breaches(old, new, changed)
            case "BiddingData" | "PlayData":
                if old is not None:
                    yield "is append-only"
            case "ReceivedData":
                yield from self._result_breaches(old, new, changed, facts)
            case "PlayerNumbers":
                yield from self._chair_breaches(old, new, changed)
            case "HandRecord":
                yield from self._hand_breaches(key, new, facts)

    def _table_breaches(
        self, old: dict[str, Any] | None, new: dict[str, Any] | None, changed: set[str]
    ) -> Iterator[str]:
        if old is None:
            yield "was added"
        elif new is None:
            if old["UpdateFromRound"] != REMOVE_TABLE:
                yield "was deleted although nobody asked for it"
        else:
            strange = changed - {"Status", "LogOnOff", "UpdateFromRound", "CurrentRound", "CurrentBoard"}
            if strange:
                yield f"{strange} are the scoring program's"
            if "UpdateFromRound" in changed and new["UpdateFromRound"]:
                yield "was given an instruction"

    def _result_breaches(
        self,
        old: dict[str, Any] | None,
        new: dict[str, Any] | None,
        changed: set[str],
        facts: list[JournalEntry],
    ) -> Iterator[str]:
        if new is None:
            yield "was deleted"
        elif old is None:
            self.written_for[new["ID"]] = len(facts)
            if any(new.get(flag) for flag in (*FLAGS, "ExternalUpdate")):
                yield "is new and flagged"
        else:
            yield from self._changed_result_breaches(old, new, changed, facts)

    def _changed_result_breaches(
        self, old: dict[str, Any], new: dict[str, Any], changed: set[str], facts: list[JournalEntry]
    ) -> Iterator[str]:
        says = changed & {*RESULT_FIELDS}
        if {text(old["Remarks"]), text(new["Remarks"])} <= OWN_REMARKS:
            says |= changed & {"Remarks"}
        place = self._place_of(new)
        about = [entry for entry in facts if _place(entry.fact) == place]
        newest = about[-1].version if about else 0
        recorded = [entry.fact for entry in about if isinstance(entry.fact, ResultRecorded)]
        if "Erased" in changed and old["Erased"]:
            yield "stands again, where an entry after an erasure is a new row"
        if says or "SuspiciousContract" in changed:
            if newest <= self.written_for.get(new["ID"], 0):
                yield f"{changed} were changed although nothing has happened since the last write"
            self.written_for[new["ID"]] = len(facts)
        else:
            own = changed - {"ExternalUpdate"}
            if own:
                yield f"{own} were changed, but not the result"
        if "ExternalUpdate" in changed and new["ExternalUpdate"]:
            yield "was flagged"
        if says and any(new.get(flag) for flag in FLAGS):
            yield "has another result and still counts as processed"
        if "Remarks" in changed:
            if not says:
                yield "has lost a remark"
            elif recorded and recorded[-1].origin is Origin.SCORING_PROGRAM and not new["Erased"]:
                yield "has lost the remark of its correction"

    def _place_of(self, row: dict[str, Any]) -> Place:
        return _letters(self.evening).get(row["Section"], ""), row["Table"], row["Round"], row["Board"]

    def _chair_breaches(
        self, old: dict[str, Any] | None, new: dict[str, Any] | None, changed: set[str]
    ) -> Iterator[str]:
        if new is None:
            yield "was deleted"
        elif old is not None:
            if not changed & {"Number", "Name"} and changed - {"Updated"}:
                yield f"{changed} were changed, but not the player"
            if "EntrySource" in changed or ("Updated" in changed and new["Updated"]):
                yield f"{changed} are the scoring program's"

    def _hand_breaches(
        self, key: tuple[Any, ...], new: dict[str, Any] | None, facts: list[JournalEntry]
    ) -> Iterator[str]:
        if new is None:
            yield "was deleted"
            return
        deals = [entry.fact for entry in facts if isinstance(entry.fact, HandRecordSet)]
        ours = [fact for fact in deals if fact.board == key[1]]
        if not ours or ours[-1].source is HandSource.SCORING_PROGRAM:
            yield "is the scoring program's"


def _letters(evening: Evening) -> dict[int, str]:
    """Return the letters of the sections by their IDs, also while their records are away."""
    session = evening.session
    return {known.id: known.section for known in session.setup.sections.values()} if session else {}


def _place(fact: Fact) -> Place | None:
    if isinstance(fact, ResultRecorded | ResultErased | ResultJudged):
        return fact.section, fact.table, fact.round, fact.board
    return None


# The end ----------------------------------------------------------------------------------------------------


def check_evening(evening: Evening) -> None:
    """Check everything that must be true when the file is at rest and the scoring program has finished."""
    session = evening.session
    assert session is not None
    check_flags(evening)
    facts = evening.facts()
    problems = [
        *_results(evening, facts),
        *_recorded(evening, facts),
        *_chairs(evening, session),
        *_hands(evening, session),
        *_tables(evening, session),
        *_status(evening, session),
        *_movement(evening, session, facts),
        *_entries(evening, facts),
        *_flags(evening, facts),
    ]
    assert not problems, "\n".join(problems)


@dataclass
class _Row:
    """A row of results as the facts make it."""

    recorded: ResultRecorded
    suspicion: Suspicion
    is_erased: bool = False


def _rendered(facts: list[JournalEntry]) -> dict[Place, list[_Row]]:
    """Return the rows of each board: an entry where none stands is a new row, others change the last.

    The scoring program corrects rows that are there: its correction of a row whose erasure was still to be written
    makes that row stand again.
    """
    rows: dict[Place, list[_Row]] = {}
    for entry in facts:
        fact = entry.fact
        match fact:
            case ResultRecorded():
                found = rows.setdefault(fact.place, [])
                if not found or (found[-1].is_erased and fact.origin is not Origin.SCORING_PROGRAM):
                    found.append(_Row(fact, fact.suspicion))
                else:
                    found[-1] = _Row(fact, fact.suspicion)
            case ResultErased():
                rows[fact.section, fact.table, fact.round, fact.board][-1].is_erased = True
            case ResultJudged():
                rows[fact.section, fact.table, fact.round, fact.board][-1].suspicion = fact.suspicion
    return rows


def _results(evening: Evening, facts: list[JournalEntry]) -> Iterator[str]:
    letters = _letters(evening)
    found: dict[Place, list[dict[str, Any]]] = {}
    # A correction may make a row stand again whose erasure was not written yet; that gets a row of its own then.
    # Log times tell the order of erased rows then.
    rows_by_log = sorted(
        evening.rows("ReceivedData"),
        key=lambda row: (not row["Erased"], row["DateLog"], row["TimeLog"], int(row["ID"])),
    )
    for row in rows_by_log:
        place = letters[row["Section"]], row["Table"], row["Round"], row["Board"]
        found.setdefault(place, []).append(row)
    expected = _rendered(facts)
    for place in sorted({*found, *expected}):
        rows, wanted = found.get(place, []), expected.get(place, [])
        if len(rows) != len(wanted):
            yield f"{place} has {len(rows)} rows of results and should have {len(wanted)}"
            continue
        for row, want in zip(rows, wanted, strict=True):
            if bool(row["Erased"]) is not want.is_erased:
                yield f"{place}, ID {row['ID']}: Erased is {row['Erased']}"
            yield from _differences(evening, place, row, want)


def _differences(evening: Evening, place: Place, row: dict[str, Any], want: _Row) -> Iterator[str]:
    if want.is_erased and row["ID"] in evening.scoring.corrected:
        return  # it was erased while the scoring program corrected it, and says what that wrote last
    contract, result, direction, remark = OUTCOMES[str(want.recorded.outcome)]
    ns, ew = want.recorded.ns, want.recorded.ew
    says = {"Contract": contract, "Result": result, "PairNS": ns, "PairEW": ew}
    says["SuspiciousContract"] = SUSPICIONS.index(want.suspicion)
    if direction:
        says |= {"NS/EW": direction, "Declarer": ns if direction in ("N", "S") else ew}
    if row["ID"] not in evening.scoring.remarked:
        says["Remarks"] = remark
    for name, value in says.items():
        if text(row[name]) != text(value):
            yield f"{place}, ID {row['ID']}: {name} is {row[name]!r} and should be {value!r}"


def _recorded(evening: Evening, facts: list[JournalEntry]) -> Iterator[str]:
    ids = {letters: number for number, letters in _letters(evening).items()}
    calls: list[tuple[Any, ...]] = []
    cards: list[tuple[Any, ...]] = []
    for entry in facts:
        fact = entry.fact
        if isinstance(fact, CallRecorded | CardRecorded):
            word = fact.call if isinstance(fact, CallRecorded) else fact.card
            row = ids[fact.section], fact.table, fact.round, fact.board, fact.counter, fact.seat.value
            (calls if isinstance(fact, CallRecorded) else cards).append((*row, word.upper(), fact.is_erased))
    for table, column, expected in (("BiddingData", "Bid", calls), ("PlayData", "Card", cards)):
        names = ("Section", "Table", "Round", "Board", "Counter", "Direction", column, "Erased")
        rows = sorted(evening.rows(table), key=lambda row: int(row["ID"]))
        found = [tuple(row[name] for name in names) for row in rows]
        found = [(*row[:6], row[6].upper(), bool(row[7])) for row in found]
        if found != expected:
            yield f"{table} has\n  {found}\nand should have\n  {expected}"


def _chairs(evening: Evening, session: Session) -> Iterator[str]:
    letters = _letters(evening)
    rows = evening.look()["PlayerNumbers"]
    tables = {(row["Section"], row["Table"]) for row in evening.rows("Tables")}
    expected: dict[tuple[Any, ...], tuple[str, str]] = {}
    ids = {each: number for number, each in letters.items()}
    for (section, table, round, seat), seated in session.seating.chairs.items():
        expected[ids[section], table, seat.value, 0 if round == 1 else round] = (
            seated.number,
            seated.player.name,
        )
    for key in sorted({*rows, *expected}, key=str):
        row = rows.get(key)
        number, name = expected.get(key, ("", ""))
        if row is None:
            if number or name:
                yield f"PlayerNumbers {key} is missing: {number} {name}"
        elif key[:2] not in tables or key[:2] in evening.scoring.removed:
            continue  # the table was removed, and its seats with it or not
        elif text(row["Number"]) != number or (
            text(row["Name"]) != name and (name or key not in evening.scoring.named)
        ):
            yield f"PlayerNumbers {key} is {row['Number']!r} {row['Name']!r} and should be {number!r} {name!r}"


def _hands(evening: Evening, session: Session) -> Iterator[str]:
    rows = evening.look()["HandRecord"]
    for (group, board), record in session.hands.records.items():
        for section in session.setup.sections.values():
            if section.group != group:
                continue
            row = rows.get((section.id, board))
            if row is None:
                yield f"HandRecord of section {section.section}, board {board} is missing"
            elif any(text(row[name]) != value for name, value in deal_values(record.deal).items()):
                yield f"HandRecord of section {section.section}, board {board} is another deal"


def _tables(evening: Evening, session: Session) -> Iterator[str]:
    letters = _letters(evening)
    for row in evening.rows("Tables"):
        at = letters.get(row["Section"], ""), row["Table"]
        if at not in session.movement.tables:
            continue  # that is looked at with the movement
        log_on_off = 1 if at in session.tables.logged_on else 2
        if (row["Status"], row["LogOnOff"]) != (1, log_on_off):
            yield f"table {at} has Status {row['Status']} and LogOnOff {row['LogOnOff']}, not 1 and {log_on_off}"


def _status(evening: Evening, session: Session) -> Iterator[str]:
    (row,) = evening.rows("Session")
    tables = session.movement.tables
    boards = {
        (section, table, number, board)
        for (section, table), at in tables.items()
        for number, played in enumerate(at.rounds, start=1)
        for board in played.boards
    }
    standing = set(session.results.standing)
    is_over = boards <= standing and not any(table.is_waiting for table in tables.values())
    if standing and row["Status"] != (2 if is_over else 1):
        yield f"Session.Status is {row['Status']}: {len(standing)} results, {len(boards)} boards"
    if (row["Status"] or 0) != STATUSES.index(session.setup.status):
        yield f"Session.Status is {row['Status']}, and the journal says {session.setup.status.value}"


def _movement(evening: Evening, session: Session, facts: list[JournalEntry]) -> Iterator[str]:
    """Every change of rounds was flagged, so the file and the journal have the same rounds."""
    letters = _letters(evening)
    listed = {(letters.get(row["Section"], ""), row["Table"]) for row in evening.rows("Tables")}
    ids = {each: number for number, each in letters.items()}
    unsure = {flag[1:] for flag in evening.scoring.unsure if flag[0] == "Tables"}
    for at in sorted(listed ^ set(session.movement.tables)):
        if (ids[at[0]], at[1]) not in unsure:
            where = "file" if at in listed else "journal"
            yield f"table {at} is in the {where} alone"
    rounds: dict[tuple[str, int], dict[int, tuple[int, int, tuple[int, ...]]]] = {}
    for row in evening.rows("RoundData"):
        boards = tuple(range(row["LowBoard"], row["HighBoard"] + 1))
        at = letters.get(row["Section"], ""), row["Table"]
        rounds.setdefault(at, {})[row["Round"]] = row["NSPair"], row["EWPair"], boards
    for at, table in session.movement.tables.items():
        known = {n: (each.ns, each.ew, each.boards) for n, each in enumerate(table.rounds, start=1)}
        if (ids[at[0]], at[1]) not in unsure and rounds.get(at, {}) != known:
            yield f"table {at} has rounds {rounds.get(at)} in the file and {known} in the journal"
    waiting: dict[tuple[str, int], bool] = {}
    for taken in takings(facts):
        if taken.flag[0] == "Tables" and 0 < abs(taken.value) < 2 * WAIT:
            at = letters.get(taken.flag[1], ""), taken.flag[2]
            if taken.value > 0:
                waiting[at] = taken.value >= WAIT
            elif taken.value == -WAIT:
                waiting[at] = False
    for at, is_waiting in waiting.items():
        if at in session.movement.tables and session.movement.tables[at].is_waiting is not is_waiting:
            yield f"table {at}: waiting for more rounds should be {is_waiting}"


# Instructions -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Taking:
    """A flag that was taken, by a fact `instruction-taken`."""

    flag: Flag
    value: int
    command_id: str
    version: int


def takings(facts: list[JournalEntry]) -> list[Taking]:
    """Return the flags that were taken, in order."""
    return [
        Taking(_flag(entry.fact.where), entry.fact.value, entry.command_id, entry.version)
        for entry in facts
        if entry.fact.kind == "instruction-taken"
    ]


def _flag(where: str) -> Flag:
    """Return the flag of a record.

    >>> _flag("Tables 1/3"), _flag("PlayerNumbers 1/3/N/0")
    (('Tables', 1, 3), ('PlayerNumbers', 1, 3, 'N', 0))
    """
    table, _, key = where.partition(" ")
    return table, *(int(part) if part.isdigit() else part for part in key.split("/"))


def _entries(evening: Evening, facts: list[JournalEntry]) -> Iterator[str]:
    """Every acknowledged entry is there once; it stands, or what took it away is known."""
    causes: dict[str, list[Taking]] = {}
    for taken in takings(facts):
        causes.setdefault(taken.command_id, []).append(taken)
    ids = {letters: number for number, letters in _letters(evening).items()}
    recorded = Counter(
        (entry.fact.place, entry.fact.at, str(entry.fact.outcome))
        for entry in facts
        if isinstance(entry.fact, ResultRecorded) and entry.fact.origin is Origin.TERMINAL
    )
    erased: Counter[Place | None] = Counter(
        _place(entry.fact)
        for entry in facts
        if isinstance(entry.fact, ResultErased) and entry.fact.origin is Origin.TERMINAL
    )
    for entered in evening.acknowledged:
        command = entered.command
        if isinstance(command, EnterResult | CorrectResult):
            given = command.entry
            place = given.section, given.table, given.round, given.board
            times = recorded[place, given.at, str(given.outcome)]
            # An entry that says what stands already makes no fact.
            if times > 1 or (times == 0 and isinstance(command, EnterResult)):
                yield f"{given.outcome} at {place} was acknowledged and is in the journal {times} times"
        elif isinstance(command, EraseResult):
            erased[command.section, command.table, command.round, command.board] -= 1
    for gone, count in erased.items():
        if count > 0:
            yield f"{gone} was erased {count} times more than a table asked for"
    for entry in facts:
        fact = entry.fact
        if not isinstance(fact, ResultErased) or fact.origin is Origin.TERMINAL:
            continue
        reasons = [taken for taken in causes.get(entry.command_id, []) if _explains(taken, fact, ids)]
        if not reasons:
            yield f"{_place(fact)} was erased ({fact.origin.value}, {fact.cause!r}) and no instruction explains it"
        elif fact.origin is not Origin.SCORING_PROGRAM and not fact.cause:
            yield f"{_place(fact)} was erased, and the fact does not name the instruction"


def _explains(taken: Taking, fact: ResultErased, ids: dict[str, int]) -> bool:
    """Return whether an instruction erases this result."""
    if taken.flag[0] == "ReceivedData":
        return fact.origin is Origin.SCORING_PROGRAM
    if taken.flag != ("Tables", ids[fact.section], fact.table):
        return False
    if taken.value == REMOVE_TABLE:
        return True
    first = -taken.value if taken.value < 0 else taken.value % WAIT
    return abs(taken.value) < 2 * WAIT and abs(taken.value) != WAIT and fact.round >= first


def standing_flags(evening: Evening) -> set[Flag]:
    """Return the flags that are still in the file."""
    found: set[Flag] = set()
    for row in evening.rows("Tables"):
        if row["UpdateFromRound"]:
            found.add(("Tables", row["Section"], row["Table"]))
    for row in evening.rows("ReceivedData"):
        if row["ExternalUpdate"]:
            found.add(("ReceivedData", row["ID"]))
    # A scoring program that deletes and adds tables again flags names of tables that are not there at the moment.
    tables = {(row["Section"], row["Table"]) for row in evening.rows("Tables")}
    for key, row in evening.look()["PlayerNumbers"].items():
        is_there = key[:2] in tables or not evening.scoring.is_busy
        if row["Updated"] and key[:2] not in evening.scoring.removed and is_there:
            found.add(("PlayerNumbers", *key))
    return found


def check_flags(evening: Evening) -> None:
    """Check that no flag stands but those that the scoring program knows to be wrong.

    A scoring program that writes an instruction over another one that nobody has taken yet loses that one. A table that
    was to exchange pairs with it cannot be served then: its flag stays, and that was told.
    """
    scoring = evening.scoring
    lost = {flag[1] for flag in scoring.unsure if flag[0] == "Tables"}
    told = " ".join(evening.sentences)
    left = standing_flags(evening) - scoring.excused
    stuck = {flag for flag in left if flag[0] == "Tables" and flag[1] in lost and "sits twice" in told}
    scoring.unsure |= stuck
    left -= stuck
    assert not left, f"{sorted(left, key=str)} are not taken: {evening.sentences[-5:]}"


def _flags(evening: Evening, facts: list[JournalEntry]) -> Iterator[str]:
    """Every flag was taken once; one that may be the flag before it, which was taken, may not be taken again."""
    counts = Counter(taken.flag for taken in takings(facts))
    for flag in sorted({*counts, *evening.scoring.raised}, key=str):
        raised, count = evening.scoring.raised[flag], counts[flag]
        least = raised - evening.scoring.doubtful[flag]
        is_unsure = flag in evening.scoring.unsure or flag[1:3] in evening.scoring.removed
        if count > raised + evening.scoring.hasty[flag] or (count < least and not is_unsure):
            yield f"the flag {flag} was raised {raised} times and taken {count} times"


def check_rest(evening: Evening) -> None:
    """Check that another pass, a restart and a kill change nothing when everything is at rest."""
    for words, change in (("another pass", None), ("a restart", evening.stop), ("a kill", evening.kill)):
        before = evening.state()
        if change is not None:
            change()
        evening.run()
        after = evening.state()
        assert after[0] == before[0], f"{words} changed rows: {differences(before[0], after[0])}"
        assert after[1] == before[1], f"{words} made new facts: {evening.facts()[-3:]}"


def differences(one: Snapshot, other: Snapshot) -> list[str]:
    """Return the rows that differ, in words."""
    return [
        f"{table} {key}: {one[table].get(key)} -> {other[table].get(key)}"
        for table in one
        for key in {**one[table], **other[table]}
        if one[table].get(key) != other[table].get(key)
    ]


def comparable(rows: Snapshot) -> dict[str, list[str]]:
    """Return the rows of a file without IDs and log times; recorded calls and cards stay in their order."""
    found = {}
    for table, each in rows.items():
        hidden = LOG_FIELDS | (
            {"ID"} if table in ("ReceivedData", "IntermediateData", "BiddingData", "PlayData") else set()
        )
        lines = [
            str({name: value for name, value in row.items() if name not in hidden})
            for row in each.values()
            # A seat that nobody has may have a record or none.
            if table != "PlayerNumbers" or row["Number"] or row["Name"]
        ]
        found[table] = lines if table in ("BiddingData", "PlayData") else sorted(lines)
    return found
