"""What the guide asks of tables, rounds and boards. Reads, and changes nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from overtrick.bridgemate.limits import TableLoad
from overtrick.bridgemate.limits import breaches as over_limits
from overtrick.bws.boards import boards_of
from overtrick.bws.breach import Breach, repeated
from overtrick.bws.contents import Contents
from overtrick.bws.directions import repeats_numbers, two_winners
from overtrick.bws.instructions import is_instruction
from overtrick.bws.movement import rounds_by_table
from overtrick.bws.rows import TEAMS, RoundRow, SectionRow
from overtrick.errors import BadInput
from overtrick.event.setup import Generation


def breaches(contents: Contents, generation: Generation) -> Iterator[Breach]:
    """Every breach in tables and rounds."""
    yield from _tables(contents)
    yield from _rounds(contents)
    yield from _whole_sections(contents)
    yield from _seats(contents)
    yield from _matches(contents)
    yield from _limits(contents, generation)


def _tables(contents: Contents) -> Iterator[Breach]:
    sections = {row.id for row in contents.sections}
    clients = {row.id for row in contents.clients}
    rounds = rounds_by_table(contents)
    for section, table in repeated((row.section, row.table) for row in contents.tables):
        yield Breach("Tables", f"section {section}, table {table}", "A table has one record.")
    for row in contents.tables:
        where = f"section {row.section}, table {row.table}"
        if row.section not in sections:
            yield Breach("Tables", where, f"There is no section {row.section}.")
        if row.table < 1:
            yield Breach("Tables", where, "A table has a number above zero.")
        if row.computer == 0:
            yield Breach("Tables", where, "The table is assigned to no computer.", True)
        elif row.computer not in clients:
            yield Breach("Tables", where, f"There is no client {row.computer}.")
        if row.status not in (0, 1):
            yield Breach("Tables", where, f"Status is 0 or 1, not {row.status}.")
        if row.log_on_off not in (1, 2):
            yield Breach("Tables", where, f"LogOnOff is 1 or 2, not {row.log_on_off}.")
        if row.instruction and not is_instruction(row.instruction):
            yield Breach("Tables", where, f"UpdateFromRound has no meaning for {row.instruction}.")
        if row.group < 0:
            yield Breach("Tables", where, f"Group is from 0 to 127, not {row.group}.")
        if (row.section, row.table) not in rounds and row.instruction != 999:
            yield Breach("Tables", where, "The table has no rounds.")


def _rounds(contents: Contents) -> Iterator[Breach]:
    sections = {row.id for row in contents.sections}
    tables = {(row.section, row.table) for row in contents.tables}
    keys = ((row.section, row.table, row.round) for row in contents.rounds)
    for section, table, number in repeated(keys):
        yield Breach(
            "RoundData", f"section {section}, table {table}, round {number}", "A round has one record."
        )
    for row in contents.rounds:
        where = f"section {row.section}, table {row.table}, round {row.round}"
        if row.section not in sections:
            yield Breach("RoundData", where, f"There is no section {row.section}.")
        elif (row.section, row.table) not in tables:
            yield Breach("RoundData", where, f"Section {row.section} has no table {row.table}.")
        if row.round < 1:
            yield Breach("RoundData", where, "Rounds are numbered from 1.")
        if min(row.ns, row.ew, row.south, row.west) < 0:
            yield Breach("RoundData", where, "A pair has no number below zero.")
        yield from _boards(row, where)


def _boards(row: RoundRow, where: str) -> Iterator[Breach]:
    boards: tuple[int, ...] = ()
    try:
        boards = boards_of(row)
    except BadInput as bad:
        yield Breach("RoundData", where, str(bad))
        return
    if row.custom and min(row.low, row.high) < 1:
        yield Breach(
            "RoundData", where, "LowBoard and HighBoard must be above zero also beside custom boards."
        )
    elif row.custom and (row.low, row.high) != (boards[0], boards[-1]):
        yield Breach(
            "RoundData",
            where,
            f"LowBoard and HighBoard should be {boards[0]} and {boards[-1]}, as the custom boards are.",
            True,
        )
    if row.ns and row.ew and not boards:
        yield Breach("RoundData", where, "Two pairs meet without boards.")
    if not row.ns and not row.ew and boards:
        yield Breach("RoundData", where, "Nobody plays, so LowBoard and HighBoard must be 0.")


def _by_section(contents: Contents) -> defaultdict[int, list[RoundRow]]:
    found: defaultdict[int, list[RoundRow]] = defaultdict(list)
    for row in contents.rounds:
        found[row.section].append(row)
    return found


def _whole_sections(contents: Contents) -> Iterator[Breach]:
    rounds = _by_section(contents)
    for section in contents.sections:
        tables: defaultdict[int, set[int]] = defaultdict(set)
        for row in rounds[section.id]:
            tables[row.table].add(row.round)
        last = max((number for numbers in tables.values() for number in numbers), default=0)
        for table, numbers in sorted(tables.items()):
            missing = [number for number in range(1, min(last, 1024) + 1) if number not in numbers]
            if missing:
                yield Breach(
                    "RoundData",
                    f"section {section.id}, table {table}",
                    f"Always include all rounds: {_few(missing)} not there.",
                )
        yield from _directions(section, rounds[section.id])
        if section.winners == 0 and tables and contents.has("Section", "Winners"):
            yield Breach("Section", f"ID {section.id}", "Winners should be set to 1 or 2.", True)


def _few(numbers: list[int]) -> str:
    shown = ", ".join(str(number) for number in numbers[:5]) + (" …" if len(numbers) > 5 else "")
    return f"round {shown} is" if len(numbers) == 1 else f"rounds {shown} are"


def _directions(section: SectionRow, rows: list[RoundRow]) -> Iterator[Breach]:
    where = f"ID {section.id}"
    ns = {row.ns for row in rows if row.ns}
    ew = {row.ew for row in rows if row.ew}
    repeats = repeats_numbers(rows)
    if section.winners == 1 and repeats and not any(row.south or row.west for row in rows):
        yield Breach(
            "Section", where, "With one winner no number can sit North-South and East-West in one round."
        )
    if section.winners == 2 and ns & ew and not repeats:
        who = ", ".join(str(number) for number in sorted(ns & ew)[:5])
        yield Breach(
            "Section",
            where,
            f"With two winners every pair keeps its direction, but pair {who} does not.",
        )
    if section.missing_pair and section.missing_pair not in ns | ew:
        yield Breach("Section", where, f"No round names the missing pair {section.missing_pair}.", True)
    if section.missing_pair and repeats:
        yield Breach(
            "Section",
            where,
            "Where North-South and East-West have the same numbers MissingPair is 0, "
            "and the missing pair is 0 in its rounds.",
        )


def _seats(contents: Contents) -> Iterator[Breach]:
    """Whoever is asked to sit at two tables in one round."""
    across = bool(contents.sessions) and contents.sessions[0].across_field
    sections = {row.id: row for row in contents.sections}
    individuals = {row.section for row in contents.rounds if row.south or row.west}
    rounds = _by_section(contents)
    two_win = {row.id for row in contents.sections if two_winners(row, rounds[row.id])}
    found: defaultdict[tuple[int, int, str, int], list[str]] = defaultdict(list)
    for row in contents.rounds:
        section = sections.get(row.section)
        if section is None:
            continue
        home = -section.session if across else row.section
        seats = [(row.ns, "NS"), (row.ew, "EW")]
        if row.section in individuals:
            seats = [(number, "") for number in (row.ns, row.ew, row.south, row.west)]
        for number, side in seats:
            if number > 0:
                key = home, row.round, side if row.section in two_win else "", number
                found[key].append(f"section {row.section}, table {row.table}")
    for (_, number, side, pair), places in sorted(found.items()):
        if len(places) > 1:
            who = f"Pair {pair} {side}".rstrip()
            yield Breach(
                "RoundData", f"{places[1]}, round {number}", f"{who} sits at {places[0]} in this round too."
            )


def _matches(contents: Contents) -> Iterator[Breach]:
    teams = {row.id for row in contents.sections if row.scoring_type == TEAMS}
    groups: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for row in contents.tables:
        if row.section in teams:
            groups[row.group].append((row.section, row.table))
    rounds = rounds_by_table(contents)
    for section, table in groups.pop(0, []):
        yield Breach(
            "Tables",
            f"section {section}, table {table}",
            "In a team game the two tables of a match have a group number.",
        )
    for group, tables in sorted(groups.items()):
        where = f"group {group}"
        if len(tables) != 2:
            yield Breach("Tables", where, f"A match is at two tables, and {len(tables)} have this group.")
            continue
        here, there = (
            {row.round: (row.low, row.high, row.custom) for row in rounds.get(table, [])} for table in tables
        )
        for number in sorted(set(here) & set(there)):
            if here[number] != there[number]:
                yield Breach(
                    "RoundData",
                    f"{where}, round {number}",
                    "The tables of a match play the same boards.",
                    True,
                )


def _limits(contents: Contents, generation: Generation) -> Iterator[Breach]:
    letters = {row.id: row.letter for row in contents.sections}
    rounds = rounds_by_table(contents)
    loads = []
    for row in contents.tables:
        boards = []
        played = rounds.get((row.section, row.table), [])
        for each in played:
            try:
                boards.append(boards_of(each))
            except BadInput:
                boards.append(())
        loads.append(
            TableLoad(
                letters.get(row.section, str(row.section)),
                row.table,
                max((each.round for each in played), default=0),
                tuple(len(each) for each in boards),
                max((board for each in boards for board in each), default=0),
                max((max(each.ns, each.ew, each.south, each.west) for each in played), default=0),
                row.group,
            )
        )
    for problem in over_limits(generation, loads):
        yield Breach("Tables", problem.where, problem.sentence)
