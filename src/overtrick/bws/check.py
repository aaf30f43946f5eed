"""Find every violation of the developer's guide in a `.bws` file, with table, row and rule. Read-only.

A violation is something that the guide forbids. A warning is something it advises against, or that other programs may
read differently; an older file with fewer tables and fields is neither.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from overtrick.bridge import SEATS
from overtrick.bridge.notation import parse_contract, parse_result
from overtrick.bridgemate.limits import TableLoad, violations
from overtrick.bridgemate.settings import in_file
from overtrick.bws import schema
from overtrick.bws.boards import boards_of
from overtrick.bws.contents import Contents
from overtrick.bws.hands import deal_of
from overtrick.bws.instructions import is_instruction
from overtrick.bws.movement import rounds_by_table
from overtrick.bws.players import NAME_LENGTH, compares_text, key_of, number_of
from overtrick.bws.results import DECLARERS
from overtrick.bws.rows import (
    TEAMS,
    CallRow,
    CardRow,
    FreeRow,
    ResultRow,
    RoundRow,
    SectionRow,
    has_two_winners,
    is_player_number,
    repeats_numbers,
)
from overtrick.bws.schema import SEAT_WORDS, SUIT_WORDS
from overtrick.errors import BadInput
from overtrick.event.settings import is_pin
from overtrick.event.setup import Generation, is_letters
from overtrick.guid import plain_guid

Key = TypeVar("Key", bound=Hashable)

_CONTRACT = re.compile(r"[1-7] (?:C|D|H|S|NT)(?: xx?)?")
_RESULT = re.compile(r"=|-(?:[1-9]|1[0-3])|\+[1-6]")
_LEAD = re.compile(r"[CDHS](?:[2-9]|10|[JQKA])")
_CALL = re.compile(r"[1-7](?:C|D|H|S|NT)|XX?|PASS|SkipBid")
_CARD = re.compile(r"[CDHS][2-9TJQKAx]")
_REMARK = re.compile(r"Not played|Arbitral score|[456]0%-[456]0%")

Rounds = dict[tuple[int, int, int], RoundRow]


@dataclass(frozen=True, slots=True)
class RuleViolation:
    """A rule that a row violates."""

    table: str
    row: str
    rule: str
    is_warning: bool = False

    def __str__(self) -> str:
        where = f"{self.table}, {self.row}" if self.row else self.table
        return f"{where}: {self.rule}"


def repeated(values: Iterable[Key]) -> list[Key]:
    """Return the values that occur more than once, in the order of their first occurrence.

    >>> repeated([3, 1, 3, 2, 1])
    [3, 1]
    """
    return [value for value, count in Counter(values).items() if count > 1]


def check(contents: Contents, generation: Generation = Generation.III) -> tuple[RuleViolation, ...]:
    """Return every violation in a file for table units of a generation, table by table."""
    rounds = {(row.section, row.table, row.round): row for row in contents.rounds}
    sections = {row.id for row in contents.sections}
    return (
        *_layout(contents),
        *_clients(contents),
        *_sessions(contents),
        *_sections(contents),
        *_tables(contents),
        *_rounds(contents),
        *_section_movements(contents),
        *_pairs_at_two_tables(contents),
        *_matches(contents),
        *_limits(contents, generation),
        *_results("ReceivedData", contents.results, rounds),
        *_results("IntermediateData", contents.contracts, rounds),
        *_recorded("BiddingData", contents.calls, rounds),
        *_recorded("PlayData", contents.cards, rounds),
        *_hand_records(contents, sections),
        *_evaluations(contents, sections),
        *_player_numbers(contents),
        *_player_names(contents),
        *_settings(contents),
    )


def _layout(contents: Contents) -> Iterator[RuleViolation]:
    for table, columns in contents.columns.items():
        expected = {field.name.casefold() for field in schema.TABLES[table]}
        expected |= {name.casefold() for name in (*schema.INDIVIDUAL_FIELDS, *schema.BCS_FIELDS)}
        extra = [name for name in columns if name.casefold() not in expected]
        for name in extra:
            if not name.startswith("custom_"):
                yield RuleViolation(
                    table,
                    f"field {name}",
                    "The name of an added field must start with custom_.",
                    True,
                )
        is_added = [name in extra for name in columns]
        if any(added and not next_added for added, next_added in pairwise(is_added)):
            yield RuleViolation(table, "", "Added fields must come after the existing ones.")
        if extra and table in ("BiddingData", "PlayData"):
            yield RuleViolation(
                table, "", "The table is read-only: a program should not add fields to it.", True
            )


def _clients(contents: Contents) -> Iterator[RuleViolation]:
    for id in repeated(row.id for row in contents.clients):
        yield RuleViolation("Clients", f"ID {id}", "The ID must be unique.")
    for row in contents.clients:
        if not row.computer:
            yield RuleViolation("Clients", f"ID {row.id}", "The computer has no name.")


def _sessions(contents: Contents) -> Iterator[RuleViolation]:
    for id in repeated(row.id for row in contents.sessions):
        yield RuleViolation("Session", f"ID {id}", "The ID must be unique.")
    for guid in repeated(plain_guid(row.guid) for row in contents.sessions if plain_guid(row.guid)):
        yield RuleViolation("Session", f"GUID {guid}", "The GUID must be unique.")
    for row in contents.sessions:
        where = f"ID {row.id}"
        if row.guid and not plain_guid(row.guid):
            yield RuleViolation("Session", where, f"{row.guid!r} is not in the format of a GUID.")
        if row.status not in (0, 1, 2):
            yield RuleViolation("Session", where, f"Status is 0, 1 or 2, not {row.status}.")


def _sections(contents: Contents) -> Iterator[RuleViolation]:
    sessions = {row.id for row in contents.sessions}
    for id in repeated(row.id for row in contents.sections):
        yield RuleViolation("Section", f"ID {id}", "The ID must be unique.")
    for letters in repeated(row.letter for row in contents.sections):
        yield RuleViolation("Section", f"Letter {letters}", "The section's letters must be unique.")
    tables = Counter(row.section for row in contents.tables)
    for row in contents.sections:
        where = f"ID {row.id}"
        if not 1 <= row.id <= 78:
            yield RuleViolation("Section", where, "The ID must be from 1 to 78.")
        if not is_letters(row.letter):
            yield RuleViolation(
                "Section", where, f"Letters are A to Z, AA to ZZ or AAA to ZZZ, not {row.letter!r}."
            )
        if row.tables != tables[row.id]:
            yield RuleViolation(
                "Section", where, f"Tables is {row.tables}, but there are {tables[row.id]} tables."
            )
        if contents.has("Session") and contents.has("Section", "Session") and row.session not in sessions:
            yield RuleViolation("Section", where, f"There is no session {row.session}.")
        if not 1 <= row.scoring_type <= 4:
            yield RuleViolation("Section", where, f"ScoringType is 1 to 4, not {row.scoring_type}.")
        if row.winners not in (0, 1, 2):
            yield RuleViolation("Section", where, f"Winners is 0, 1 or 2, not {row.winners}.")
        if abs(row.ew_moves) >= max(tables[row.id], 1) and row.ew_moves:
            yield RuleViolation(
                "Section", where, f"East-West cannot move {row.ew_moves} tables among {tables[row.id]}.", True
            )


# Tables and rounds


def _tables(contents: Contents) -> Iterator[RuleViolation]:
    sections = {row.id for row in contents.sections}
    clients = {row.id for row in contents.clients}
    rounds = rounds_by_table(contents)
    for section, table in repeated((row.section, row.table) for row in contents.tables):
        yield RuleViolation("Tables", f"section {section}, table {table}", "The table has two records.")
    for row in contents.tables:
        where = f"section {row.section}, table {row.table}"
        if row.section not in sections:
            yield RuleViolation("Tables", where, f"There is no section {row.section}.")
        if row.table < 1:
            yield RuleViolation("Tables", where, "The table number must be above zero.")
        if row.computer == 0:
            yield RuleViolation("Tables", where, "The table is assigned to no computer.", True)
        elif row.computer not in clients:
            yield RuleViolation("Tables", where, f"There is no client {row.computer}.")
        if row.status not in (0, 1):
            yield RuleViolation("Tables", where, f"Status is 0 or 1, not {row.status}.")
        if row.log_on_off not in (1, 2):
            yield RuleViolation("Tables", where, f"LogOnOff is 1 or 2, not {row.log_on_off}.")
        if row.instruction and not is_instruction(row.instruction):
            yield RuleViolation(
                "Tables", where, f"The value {row.instruction} of UpdateFromRound has no meaning."
            )
        if row.group < 0:
            yield RuleViolation("Tables", where, f"Group is from 0 to 127, not {row.group}.")
        if (row.section, row.table) not in rounds and row.instruction != 999:
            yield RuleViolation("Tables", where, "The table has no rounds.")


def _rounds(contents: Contents) -> Iterator[RuleViolation]:
    sections = {row.id for row in contents.sections}
    tables = {(row.section, row.table) for row in contents.tables}
    keys = ((row.section, row.table, row.round) for row in contents.rounds)
    for section, table, number in repeated(keys):
        yield RuleViolation(
            "RoundData",
            f"section {section}, table {table}, round {number}",
            "The round has two records.",
        )
    for row in contents.rounds:
        where = f"section {row.section}, table {row.table}, round {row.round}"
        if row.section not in sections:
            yield RuleViolation("RoundData", where, f"There is no section {row.section}.")
        elif (row.section, row.table) not in tables:
            yield RuleViolation("RoundData", where, f"Section {row.section} has no table {row.table}.")
        if row.round < 1:
            yield RuleViolation("RoundData", where, "Rounds are numbered from 1.")
        if min(row.ns, row.ew, row.south, row.west) < 0:
            yield RuleViolation("RoundData", where, "A pair number cannot be negative.")
        yield from _boards(row, where)


def _boards(row: RoundRow, where: str) -> Iterator[RuleViolation]:
    boards: tuple[int, ...] = ()
    try:
        boards = boards_of(row)
    except BadInput as bad:
        yield RuleViolation("RoundData", where, str(bad))
        return
    if row.custom and min(row.low, row.high) < 1:
        yield RuleViolation(
            "RoundData", where, "LowBoard and HighBoard must be above zero even with custom boards."
        )
    elif row.custom and (row.low, row.high) != (boards[0], boards[-1]):
        yield RuleViolation(
            "RoundData",
            where,
            f"LowBoard and HighBoard should be {boards[0]} and {boards[-1]}, as the custom boards are.",
            True,
        )
    if row.ns and row.ew and not boards:
        yield RuleViolation("RoundData", where, "Two pairs meet without boards.")
    if not row.ns and not row.ew and boards:
        yield RuleViolation("RoundData", where, "Nobody plays, so LowBoard and HighBoard must be 0.")


def _by_section(contents: Contents) -> defaultdict[int, list[RoundRow]]:
    sections: defaultdict[int, list[RoundRow]] = defaultdict(list)
    for row in contents.rounds:
        sections[row.section].append(row)
    return sections


def _section_movements(contents: Contents) -> Iterator[RuleViolation]:
    rounds = _by_section(contents)
    for section in contents.sections:
        tables: defaultdict[int, set[int]] = defaultdict(set)
        for row in rounds[section.id]:
            tables[row.table].add(row.round)
        last = max((number for numbers in tables.values() for number in numbers), default=0)
        for table, numbers in sorted(tables.items()):
            missing = [number for number in range(1, min(last, 1024) + 1) if number not in numbers]
            if missing:
                yield RuleViolation(
                    "RoundData",
                    f"section {section.id}, table {table}",
                    f"Rounds must be complete: {_missing_rounds_text(missing)} missing.",
                )
        yield from _directions(section, rounds[section.id])
        if section.winners == 0 and tables and contents.has("Section", "Winners"):
            yield RuleViolation("Section", f"ID {section.id}", "Winners should be set to 1 or 2.", True)


def _missing_rounds_text(numbers: list[int]) -> str:
    first = ", ".join(str(number) for number in numbers[:5]) + (" …" if len(numbers) > 5 else "")
    return f"round {first} is" if len(numbers) == 1 else f"rounds {first} are"


def _directions(section: SectionRow, rows: list[RoundRow]) -> Iterator[RuleViolation]:
    where = f"ID {section.id}"
    ns = {row.ns for row in rows if row.ns}
    ew = {row.ew for row in rows if row.ew}
    repeats = repeats_numbers(rows)
    if section.winners == 1 and repeats and not any(row.south or row.west for row in rows):
        yield RuleViolation(
            "Section", where, "With one winner no number can sit North-South and East-West in one round."
        )
    if section.winners == 2 and ns & ew and not repeats:
        pairs = ", ".join(str(number) for number in sorted(ns & ew)[:5])
        yield RuleViolation(
            "Section",
            where,
            f"With two winners every pair keeps its direction, but pair {pairs} does not.",
        )
    if section.missing_pair and section.missing_pair not in ns | ew:
        yield RuleViolation(
            "Section", where, f"No round names the missing pair {section.missing_pair}.", True
        )
    if section.missing_pair and repeats:
        yield RuleViolation(
            "Section",
            where,
            "Where North-South and East-West have the same numbers MissingPair is 0, "
            "and the missing pair is 0 in its rounds.",
        )


def _pairs_at_two_tables(contents: Contents) -> Iterator[RuleViolation]:
    """Yield a violation for each pair that sits at two tables in one round."""
    across = bool(contents.sessions) and contents.sessions[0].across_field
    sections = {row.id: row for row in contents.sections}
    individuals = {row.section for row in contents.rounds if row.south or row.west}
    rounds = _by_section(contents)
    two_winner_sections = {row.id for row in contents.sections if has_two_winners(row, rounds[row.id])}
    tables_of: defaultdict[tuple[int, int, str, int], list[str]] = defaultdict(list)
    for row in contents.rounds:
        section = sections.get(row.section)
        if section is None:
            continue
        number_scope = -section.session if across else row.section
        seats = [(row.ns, "NS"), (row.ew, "EW")]
        if row.section in individuals:
            seats = [(number, "") for number in (row.ns, row.ew, row.south, row.west)]
        for number, side in seats:
            if number > 0:
                key = number_scope, row.round, side if row.section in two_winner_sections else "", number
                tables_of[key].append(f"section {row.section}, table {row.table}")
    for (_, number, side, pair), places in sorted(tables_of.items()):
        if len(places) > 1:
            pair_text = f"Pair {pair} {side}".rstrip()
            yield RuleViolation(
                "RoundData",
                f"{places[1]}, round {number}",
                f"{pair_text} sits at {places[0]} in this round too.",
            )


def _matches(contents: Contents) -> Iterator[RuleViolation]:
    teams = {row.id for row in contents.sections if row.scoring_type == TEAMS}
    groups: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for row in contents.tables:
        if row.section in teams:
            groups[row.group].append((row.section, row.table))
    rounds = rounds_by_table(contents)
    for section, table in groups.pop(0, []):
        yield RuleViolation(
            "Tables",
            f"section {section}, table {table}",
            "In a team game the two tables of a match must have a group number.",
        )
    for group, tables in sorted(groups.items()):
        where = f"group {group}"
        if len(tables) != 2:
            yield RuleViolation(
                "Tables", where, f"A match has two tables, but {len(tables)} have this group."
            )
            continue
        first_table, second_table = (
            {row.round: (row.low, row.high, row.custom) for row in rounds.get(table, [])} for table in tables
        )
        for number in sorted(set(first_table) & set(second_table)):
            if first_table[number] != second_table[number]:
                yield RuleViolation(
                    "RoundData",
                    f"{where}, round {number}",
                    "The tables of a match play the same boards.",
                    True,
                )


def _limits(contents: Contents, generation: Generation) -> Iterator[RuleViolation]:
    letters = {row.id: row.letter for row in contents.sections}
    rounds = rounds_by_table(contents)
    loads = []
    for row in contents.tables:
        boards = []
        played = rounds.get((row.section, row.table), [])
        for round_row in played:
            try:
                boards.append(boards_of(round_row))
            except BadInput:
                boards.append(())
        loads.append(
            TableLoad(
                letters.get(row.section, str(row.section)),
                row.table,
                max((round_row.round for round_row in played), default=0),
                tuple(len(numbers) for numbers in boards),
                max((board for numbers in boards for board in numbers), default=0),
                max(
                    (
                        max(round_row.ns, round_row.ew, round_row.south, round_row.west)
                        for round_row in played
                    ),
                    default=0,
                ),
                row.group,
            )
        )
    for problem in violations(generation, loads):
        yield RuleViolation("Tables", problem.where, problem.sentence)


# What was played


def _results(table: str, rows: tuple[ResultRow, ...], rounds: Rounds) -> Iterator[RuleViolation]:
    for id in repeated(row.id for row in rows):
        yield RuleViolation(table, f"ID {id}", "The ID must be unique.")
    previous_ids: dict[tuple[int, int, int, int], int] = {}
    for row in sorted(rows, key=lambda row: row.id):
        if row.erased:
            continue
        if row.place in previous_ids:
            rule = f"Row {previous_ids[row.place]} has a result for the same board too; the later one counts."
            yield RuleViolation(table, f"ID {row.id}", rule, True)
        previous_ids[row.place] = row.id
    for row in rows:
        if row.erased:
            continue
        where = f"ID {row.id}"
        for rule, is_warning in _place_rules(row, rounds):
            yield RuleViolation(table, where, rule, is_warning)
        for rule in _text_rules(row, is_intermediate=table == "IntermediateData"):
            yield RuleViolation(table, where, rule)


def _place_rules(row: ResultRow, rounds: Rounds) -> Iterator[tuple[str, bool]]:
    played = rounds.get((row.section, row.table, row.round))
    if played is None:
        yield f"There is no section {row.section}, table {row.table}, round {row.round}.", False
        return
    try:
        boards = boards_of(played)
    except BadInput:
        boards = ()
    if row.board not in boards:
        yield f"Board {row.board} is not played in this round.", False
    if (row.ns, row.ew) != (played.ns, played.ew):
        yield f"Pairs {played.ns} and {played.ew} meet there, not {row.ns} and {row.ew}.", False
    pairs = {row.ns, row.ew, played.south, played.west} - {0}
    if row.declarer not in pairs and (row.declarer or row.contract):
        # Some programs write declarer 0 for a board that was passed out. That is only a warning.
        yield (
            f"Declarer {row.declarer} is neither of the two pairs.",
            row.contract == "PASS" and row.declarer == 0,
        )
    elif row.contract and row.contract != "PASS" and row.ns != row.ew:
        north_south = row.direction in ("N", "S", "NS")
        switched = row.remarks == "Wrong direction"
        expected = row.ns if north_south is not switched else row.ew
        if row.direction in DECLARERS and row.declarer in (row.ns, row.ew) and row.declarer != expected:
            yield f"Pair {row.declarer} does not sit {row.direction}, and there is no remark about it.", True


def _text_rules(row: ResultRow, *, is_intermediate: bool) -> Iterator[str]:
    if row.direction not in DECLARERS and not (row.contract == "PASS" and not row.direction):
        yield f"NS/EW is NS, EW, N, S, E or W, not {row.direction!r}."
    if row.lead and not _LEAD.fullmatch(row.lead):
        yield f"{row.lead!r} is not a lead card such as S2, DA or C10."
    if row.suspicious not in (0, 1, 2):
        yield f"SuspiciousContract is 0, 1 or 2, not {row.suspicious}."
    if is_intermediate and row.result:
        yield "A board that is still being played has no result."
    if not row.contract:
        if row.result:
            yield "Without a contract there is no result."
        if not _REMARK.fullmatch(row.remarks):
            yield f"A result without a contract must have a remark such as Not played, not {row.remarks!r}."
    elif row.contract == "PASS":
        if row.result:
            yield "A board that was passed out has no result."
    elif not _CONTRACT.fullmatch(row.contract):
        yield f"{row.contract!r} is not a contract such as 1 H, 4 S x or 3 NT xx."
    elif not is_intermediate:
        yield from _result_rules(row)


def _result_rules(row: ResultRow) -> Iterator[str]:
    if not _RESULT.fullmatch(row.result):
        yield f"{row.result!r} is not a result: -1 to -13, = or +1 to +6."
        return
    contract = parse_contract(row.contract, SEATS[0])
    assert contract is not None
    try:
        parse_result(row.result, contract)
    except BadInput:
        yield f"{row.contract} cannot have the result {row.result}."


def _recorded(
    table: str, rows: tuple[CallRow, ...] | tuple[CardRow, ...], rounds: Rounds
) -> Iterator[RuleViolation]:
    for id in repeated(row.id for row in rows):
        yield RuleViolation(table, f"ID {id}", "The ID must be unique.")
    for row in rows:
        where = f"ID {row.id}"
        if (row.section, row.table, row.round) not in rounds:
            yield RuleViolation(
                table, where, f"There is no section {row.section}, table {row.table}, round {row.round}."
            )
        if row.direction not in ("N", "E", "S", "W"):
            yield RuleViolation(table, where, f"Direction is N, S, E or W, not {row.direction!r}.")
        if row.counter < 1:
            yield RuleViolation(table, where, "Counter starts at 1.")
        if isinstance(row, CallRow) and not _CALL.fullmatch(row.call):
            yield RuleViolation(
                table, where, f"{row.call!r} is not a bid such as 1C, 3NT, X, XX, PASS or SkipBid."
            )
        if isinstance(row, CardRow) and not _CARD.fullmatch(row.card):
            yield RuleViolation(table, where, f"{row.card!r} is not a card such as D2, ST or Cx.")


def _hand_records(contents: Contents, sections: set[int]) -> Iterator[RuleViolation]:
    for section, board in repeated((row.section, row.board) for row in contents.hand_records):
        yield RuleViolation(
            "HandRecord", f"section {section}, board {board}", "A board of a section has one record."
        )
    for row in contents.hand_records:
        where = f"section {row.section}, board {row.board}"
        if row.section not in sections:
            yield RuleViolation("HandRecord", where, f"There is no section {row.section}.")
        if row.board < 1:
            yield RuleViolation("HandRecord", where, "The board number must be above zero.")
        for rule in card_rules(row):
            yield RuleViolation("HandRecord", where, rule)


def card_rules(row: FreeRow) -> Iterator[str]:
    """Yield the problems with the cards of a hand record: 13 a hand, 13 a suit, 52 in all, each once."""
    cards = {(seat, suit): str(row.get(seat + suit) or "") for seat in SEAT_WORDS for suit in SUIT_WORDS}
    for (seat, suit), ranks in cards.items():
        wrong = sorted(set(ranks) - set("23456789TJQKA"))
        if "10" in ranks:
            yield f"{seat}{suit} is {ranks!r}: the ten is T and not 10."
        elif wrong:
            yield f"{seat}{suit} is {ranks!r}: {wrong[0]!r} is not a card."
    total = sum(len(ranks) for ranks in cards.values())
    if total != 52:
        yield f"There are {total} cards and not 52."
    for seat in SEAT_WORDS:
        number = sum(len(cards[seat, suit]) for suit in SUIT_WORDS)
        if number != 13:
            yield f"{seat} has {number} cards and not 13."
    for suit in SUIT_WORDS:
        number = sum(len(cards[seat, suit]) for seat in SEAT_WORDS)
        if number != 13:
            yield f"There are {number} {suit.lower()} and not 13."
        doubled = [
            rank
            for rank, count in Counter("".join(cards[seat, suit] for seat in SEAT_WORDS)).items()
            if count > 1
        ]
        if doubled:
            yield f"The {doubled[0]} of {suit.lower()} is there twice."


def _evaluations(contents: Contents, sections: set[int]) -> Iterator[RuleViolation]:
    deals = {}
    for row in contents.hand_records:
        try:
            deals[row.section, row.board] = deal_of(row)
        except BadInput:
            continue
    for section, board in repeated((row.section, row.board) for row in contents.evaluations):
        yield RuleViolation(
            "HandEvaluation", f"section {section}, board {board}", "A board of a section has one record."
        )
    for row in contents.evaluations:
        where = f"section {row.section}, board {row.board}"
        if row.section not in sections:
            yield RuleViolation("HandEvaluation", where, f"There is no section {row.section}.")
        for seat in SEAT_WORDS:
            for strain in (*SUIT_WORDS, "Notrump"):
                tricks = row.get(seat + strain)
                if tricks is not None and not 0 <= tricks <= 13:
                    yield RuleViolation(
                        "HandEvaluation", where, f"{seat}{strain} is from 0 to 13, not {tricks}."
                    )
        deal = deals.get((row.section, row.board))
        if deal is None:
            continue
        for seat_held in SEATS:
            points = row.get(f"{seat_held.name.title()}Hcp")
            if points is not None and points != deal[seat_held].hcp:
                yield RuleViolation(
                    "HandEvaluation",
                    where,
                    f"{seat_held.name.title()} has {deal[seat_held].hcp} high card points, not {points}.",
                )


# People and settings


def _player_numbers(contents: Contents) -> Iterator[RuleViolation]:
    tables = {(row.section, row.table) for row in contents.tables}
    keys = [(row.section, row.table, row.direction, row.round) for row in contents.player_numbers]
    for section, table, direction, number in repeated(keys):
        yield RuleViolation(
            "PlayerNumbers",
            f"section {section}, table {table}, {direction}, round {number}",
            "The direction has two records in this round.",
        )
    for row in contents.player_numbers:
        where = f"section {row.section}, table {row.table}, {row.direction}"
        if (row.section, row.table) not in tables:
            yield RuleViolation("PlayerNumbers", where, "There is no such table.", True)
        if row.direction not in ("N", "E", "S", "W"):
            yield RuleViolation("PlayerNumbers", where, f"Direction is N, S, E or W, not {row.direction!r}.")
        if row.round < 0:
            yield RuleViolation("PlayerNumbers", where, f"Round is 0 or more, not {row.round}.")
    numbers = [(row.round, row.number) for row in contents.player_numbers if is_player_number(row.number)]
    for number, player in repeated(numbers):
        yield RuleViolation("PlayerNumbers", f"round {number}", f"Number {player} sits at two places.", True)
    if not contents.player_numbers:
        return
    seated = {(section, table, direction) for section, table, direction, _ in keys}
    for section, table in sorted(tables):
        missing = [direction for direction in "NSEW" if (section, table, direction) not in seated]
        if missing:
            yield RuleViolation(
                "PlayerNumbers",
                f"section {section}, table {table}",
                f"A table has four records; {', '.join(missing)} missing.",
            )


def _player_names(contents: Contents) -> Iterator[RuleViolation]:
    as_text = compares_text(contents)
    for row in contents.player_names:
        where = f"ID {row.id}" if row.id else f"strID {row.text_id!r}"
        if not is_player_number(number_of(row)):
            yield RuleViolation("PlayerNames", where, "A name must be accompanied by a number.")
        if len(row.name) > NAME_LENGTH:
            yield RuleViolation("PlayerNames", where, f"A name has at most {NAME_LENGTH} characters.")
    keys = (
        key_of(number_of(row), as_text) for row in contents.player_names if is_player_number(number_of(row))
    )
    for number in repeated(keys):
        yield RuleViolation("PlayerNames", f"number {number}", "The number occurs twice.", True)


def _settings(contents: Contents) -> Iterator[RuleViolation]:
    sections = {row.id for row in contents.sections}
    for section in repeated(row.section for row in contents.settings):
        yield RuleViolation("Settings", f"section {section}", "The section has two records.")
    for row in contents.settings:
        where = f"section {row.section}"
        if row.section not in sections and len(contents.settings) > 1:
            yield RuleViolation("Settings", where, f"There is no section {row.section}.")
        for rule in _setting_rules(row):
            yield RuleViolation("Settings", where, rule)


def _setting_rules(row: FreeRow) -> Iterator[str]:
    for setting in in_file():
        name, value = setting.column, row.get(setting.column)
        limits = setting.limits if setting.choices is None else (0, len(setting.choices.in_file) - 1)
        if limits is not None and isinstance(value, int) and not limits[0] <= value <= limits[1]:
            yield f"{name} is from {limits[0]} to {limits[1]}, not {value}."
        if setting.name == "pin" and value is not None and not is_pin(str(value)):
            yield f"{name} is always four digits, not {value!r}."
        if setting.switch and value and row.get(setting.switch) is False:
            yield f"{name} requires {setting.switch}."
    if row.get("BM2GameSummary") and row.get("BM2Ranking") == 0:
        yield "BM2GameSummary requires BM2Ranking 1 or 2."
