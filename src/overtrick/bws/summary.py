"""A summary of a `.bws` file in a few figures. Depends on rows alone, so it is quick."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from typing import Any

from overtrick.bws.boards import boards_of
from overtrick.bws.contents import ROW_TYPES, Contents
from overtrick.bws.instructions import parse_instruction
from overtrick.bws.rows import RoundRow, SectionRow, has_two_winners, is_player_number
from overtrick.errors import BadInput
from overtrick.guid import plain_guid

STATUS_WORDS = ("not started", "started", "finished")


def summary(contents: Contents) -> dict[str, Any]:
    """Return the sessions and sections of a file, with counts of its rows."""
    standing = contents.standing()
    letters = {row.id: row.letter for row in contents.sections}
    session_ids = {row.id for row in contents.sessions}
    first = contents.sessions[0].id if contents.sessions else 0
    results = Counter(place[0] for place in standing)
    rounds: defaultdict[int, list[RoundRow]] = defaultdict(list)
    for played in contents.rounds:
        rounds[played.section].append(played)
    return {
        "name": contents.name,
        "sessions": [
            {
                "name": row.name,
                "date": row.day.date().isoformat() if row.day else None,
                "guid": plain_guid(row.guid),
                "status": STATUS_WORDS[row.status] if row.status in range(3) else str(row.status),
                "every_board_has_a_result": _is_complete(own, rounds, standing),
                "sections": [section.letter for section in own],
            }
            for row in contents.sessions
            for own in [
                [
                    section
                    for section in contents.sections
                    if (section.session if section.session in session_ids else first) == row.id
                ]
            ]
        ],
        "sections": [
            _section(row, rounds[row.id], results[row.id])
            for row in sorted(contents.sections, key=lambda row: row.id)
        ],
        "computers": [row.computer for row in contents.clients],
        "results": len(standing),
        "results_not_processed": sum(not row.processed for row in standing.values()),
        "rows_erased": sum(row.erased for row in contents.results),
        "players_seated": sum(
            bool(is_player_number(row.number) or row.name) for row in contents.player_numbers
        ),
        "names": len(contents.player_names),
        "hand_records": len(contents.hand_records),
        "calls": len(contents.calls),
        "cards": len(contents.cards),
        "not_taken": [
            f"{letters.get(row.section, row.section)}{row.table}: {_instruction_words(row.instruction)}"
            for row in contents.tables
            if row.instruction
        ],
        "missing_tables": [name for name in ROW_TYPES if not contents.has(name)],
    }


def _is_complete(
    sections: list[SectionRow],
    rounds: Mapping[int, list[RoundRow]],
    standing: Collection[tuple[int, int, int, int]],
) -> bool:
    """Return whether there are boards and all of them have a result, regardless of Status."""
    places = [
        (played.section, played.table, played.round, board)
        for section in sections
        for played in rounds[section.id]
        if played.ns and played.ew and section.missing_pair not in (played.ns, played.ew)
        for board in _boards(played)
    ]
    return bool(places) and all(place in standing for place in places)


def _boards(played: RoundRow) -> tuple[int, ...]:
    try:
        return boards_of(played)
    except BadInput:
        return ()


def _instruction_words(value: int) -> str:
    instruction = parse_instruction(value)
    return f"{value}, {instruction.kind.value}" if instruction else f"{value}, without meaning"


def _section(section: SectionRow, rows: list[RoundRow], results: int) -> dict[str, Any]:
    is_two_winner = has_two_winners(section, rows)
    numbers = {(row.ns, "NS" if is_two_winner else "") for row in rows} | {
        (row.ew, "EW" if is_two_winner else "") for row in rows
    }
    numbers |= {(number, "") for row in rows for number in (row.south, row.west)}
    return {
        "section": section.letter,
        "tables": len({row.table for row in rows}),
        "rounds": max((row.round for row in rows), default=0),
        "contestants": sum(number > 0 for number, _ in numbers),
        "winners": 2 if is_two_winner else 1,
        "results": results,
    }
