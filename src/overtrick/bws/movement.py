"""The movement of a `.bws` file: conversion of sections, tables and rounds to plans of an event, and back.

Depends on no players or results.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import replace
from typing import Any

from overtrick.bws.boards import board_values, boards_of
from overtrick.bws.contents import Contents
from overtrick.bws.id_map import IdMap, ReadProblem
from overtrick.bws.rows import TEAMS, RoundRow, SectionRow, has_two_winners, repeats_numbers
from overtrick.errors import BadInput
from overtrick.event.movement import EMPTY, Mates, Round, SectionPlan, TablePlan
from overtrick.event.setup import GameKind

MOST_ROUNDS = 1024
"""The highest round number; a higher one is a mistake, and all rounds before it would have to be filled in."""


def section_plan(contents: Contents, id_map: IdMap, id: int, problems: list[ReadProblem]) -> SectionPlan:
    """Return the plan of a section."""
    row = id_map.sections[id]
    rounds = [row for row in contents.rounds if row.section == id]
    game = GameKind.PAIRS
    if any(row.south or row.west for row in rounds):
        game = GameKind.INDIVIDUAL
    elif row.scoring_type == TEAMS:
        game = GameKind.TEAMS
    winners = _winners(row, rounds, game, problems)
    return SectionPlan(
        id_map.letters[id],
        id_map.groups[id],
        winners,
        game,
        missing_pair=_missing_pair(replace(row, winners=winners), rounds),
        ew_moves=row.ew_moves,
        id=id,
    )


def _missing_pair(row: SectionRow, rounds: list[RoundRow]) -> int:
    """Return the missing pair; with two winners, a pair that only sits East-West gets a negative number."""
    missing = row.missing_pair
    only_ew = missing in {row.ew for row in rounds} and missing not in {row.ns for row in rounds}
    return -missing if only_ew and has_two_winners(row, rounds) else missing


def _winners(row: SectionRow, rounds: list[RoundRow], game: GameKind, problems: list[ReadProblem]) -> int:
    where = f"ID {row.id}"
    if row.winners not in (0, 1, 2):
        problems.append(
            ReadProblem("Section", where, f"Winners is 1 or 2, not {row.winners}; the movement decides.")
        )
        return 0
    if row.winners == 1 and game is not GameKind.INDIVIDUAL and repeats_numbers(rounds):
        problems.append(
            ReadProblem(
                "Section",
                where,
                "Winners is 1, but a number sits North-South and East-West in one round; it was read as 2.",
            )
        )
        return 2
    return row.winners


def table_plans(
    contents: Contents, id_map: IdMap, session: int, problems: list[ReadProblem]
) -> dict[int, list[TablePlan]]:
    """Return the tables of a session's sections, with all their rounds."""
    ids = set(id_map.sections_of(session))
    is_first_session = session == id_map.sessions[0].id
    listed = {(row.section, row.table): row for row in contents.tables}
    rounds = rounds_by_table(contents)
    for section, table in sorted(set(rounds) | set(listed)):
        if is_first_session and section not in id_map.letters:
            table_name = "Tables" if (section, table) in listed else "RoundData"
            problems.append(
                ReadProblem(
                    table_name, f"section {section}, table {table}", "There is no such section in the file."
                )
            )
    keys = sorted(listed if contents.tables else rounds)
    tables: dict[tuple[int, int], TablePlan] = {}
    for section, table in keys:
        if section not in ids:
            continue
        where = f"section {section}, table {table}"
        if table < 1:
            problems.append(ReadProblem("Tables", where, "The table number must be above zero."))
            continue
        table_row = listed.get((section, table))
        group = table_row.group if table_row else 0
        if not 0 <= group <= 127:
            problems.append(
                ReadProblem("Tables", where, f"A group is from 0 to 127, not {group}; 0 is used.")
            )
            group = 0
        played = table_rounds(rounds.get((section, table), []), problems)
        if not played:
            problems.append(ReadProblem("Tables", where, "The table has no rounds, so it was left out."))
            continue
        tables[section, table] = TablePlan(table, played, group=group)
    for section, table in sorted(set(rounds) - set(keys)):
        if section in ids:
            problems.append(
                ReadProblem(
                    "RoundData",
                    f"section {section}, table {table}",
                    "There is no such table; it was left out.",
                )
            )
    tables |= _matches(tables, id_map)
    plans: dict[int, list[TablePlan]] = {}
    for (section, _), plan in tables.items():
        plans.setdefault(section, []).append(plan)
    return plans


def rounds_by_table(contents: Contents) -> dict[tuple[int, int], list[RoundRow]]:
    """Return the rows of rounds, by section and table."""
    tables: dict[tuple[int, int], list[RoundRow]] = {}
    for row in contents.rounds:
        tables.setdefault((row.section, row.table), []).append(row)
    return tables


def table_rounds(rows: list[RoundRow], problems: list[ReadProblem], first: int = 1) -> tuple[Round, ...]:
    """Return a table's rounds from `first` on; a gap becomes a round without play, and is reported."""
    rounds: dict[int, Round] = {}
    for row in rows:
        where = f"section {row.section}, table {row.table}, round {row.round}"
        if not 1 <= row.round <= MOST_ROUNDS:
            problems.append(
                ReadProblem("RoundData", where, f"{row.round} is not a round number; the row was left out.")
            )
            continue
        if row.round < first:
            continue
        if row.round in rounds:
            problems.append(ReadProblem("RoundData", where, "The round occurs twice; the last counts."))
        rounds[row.round] = _round(row, where, problems)
    last = max(rounds, default=0)
    missing = [number for number in range(first, last + 1) if number not in rounds]
    if missing:
        numbers = ", ".join(str(number) for number in missing[:5]) + (" …" if len(missing) > 5 else "")
        problems.append(
            ReadProblem(
                "RoundData",
                f"section {rows[0].section}, table {rows[0].table}",
                f"Of {last} rounds {numbers} {'is' if len(missing) == 1 else 'are'} missing; nobody plays then.",
            )
        )
    return tuple(rounds.get(number, EMPTY) for number in range(first, last + 1))


def _round(row: RoundRow, where: str, problems: list[ReadProblem]) -> Round:
    numbers = [row.ns, row.ew, row.south, row.west]
    if min(numbers) < 0:
        problems.append(
            ReadProblem("RoundData", where, "A pair number cannot be negative; it was read as no pair.")
        )
        numbers = [max(number, 0) for number in numbers]
    ns, ew, south, west = numbers
    boards: tuple[int, ...] = ()
    try:
        boards = boards_of(row)
    except BadInput as bad:
        instead = ""
        if row.custom:
            with suppress(BadInput):
                boards = boards_of(replace(row, custom=""))
                instead = f"Boards {row.low} to {row.high} are used."
        problems.append(ReadProblem("RoundData", where, str(bad), is_error=bool(row.custom), instead=instead))
    if ns and ew and not boards:
        problems.append(ReadProblem("RoundData", where, "Two pairs meet without boards; nobody plays."))
        return EMPTY
    return Round(ns, ew, boards, south, west)


def _matches(tables_of: dict[tuple[int, int], TablePlan], id_map: IdMap) -> dict[tuple[int, int], TablePlan]:
    """Return the plans of team matches: two tables of one group that play the same boards with crossing pairs."""
    tables_by_group: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for (section, table), plan in tables_of.items():
        if id_map.sections[section].scoring_type == TEAMS and plan.group:
            tables_by_group[plan.group].append((section, table))
    plans: dict[tuple[int, int], TablePlan] = {}
    for tables in tables_by_group.values():
        if len(tables) != 2:
            continue
        for table_key, mates_key in (tables, reversed(tables)):
            other = tables_of[mates_key]
            rounds = tuple(
                _with_mates(
                    played, other.rounds[index], Mates(id_map.letters[mates_key[0]], mates_key[1], index + 1)
                )
                if index < len(other.rounds)
                else played
                for index, played in enumerate(tables_of[table_key].rounds)
            )
            plans[table_key] = replace(tables_of[table_key], rounds=rounds)
    return plans


def _with_mates(played: Round, mates_round: Round, mates: Mates) -> Round:
    """Return the round of one table of a match with its mates; unchanged if the other table does not match it."""
    if (
        not (played.ns and played.ew and mates_round.ns and mates_round.ew)
        or played.boards != mates_round.boards
    ):
        return played
    crossed = (played.ns, played.ew) == (mates_round.ew, mates_round.ns)
    return replace(
        played, mates=mates, team_ns=played.ns if crossed else 0, team_ew=played.ew if crossed else 0
    )


def round_values(section: int, table: int, number: int, played: Round) -> dict[str, Any]:
    """Return the fields of one round; the other two players of an individual get columns if the file has them."""
    values: dict[str, Any] = {
        "Section": section,
        "Table": table,
        "Round": number,
        "NSPair": played.ns,
        "EWPair": played.ew,
        **board_values(played.boards if played.ns or played.ew else ()),
    }
    if played.south or played.west:
        values |= {"South": played.south, "West": played.west}
    return values
