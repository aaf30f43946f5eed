"""The plan of a new session from a chosen movement: sections, players and deals.

Depends on movements and events; writes no file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, time
from pathlib import Path

from overtrick.bridge import Deal
from overtrick.errors import BadInput
from overtrick.event import OpenEvent, SessionPlan
from overtrick.event.hands import HandRecord
from overtrick.event.movement import SectionPlan, table_plans
from overtrick.event.seating import SessionPlayer
from overtrick.event.setup import GameKind, GroupPlan, is_letters, natural_id
from overtrick.movements import Movement, howell, individual, mitchell, round_robin
from overtrick.scoring import Method

MOVEMENTS = ("mitchell", "howell", "individual", "round-robin")


def choose_movement(name: str, tables: int, boards_per_round: int, rounds: int | None = None) -> Movement:
    """Return a movement by its name.

    >>> choose_movement("mitchell", 7, 3).rounds, choose_movement("howell", 4, 3).winners
    (7, 1)
    """
    match name:
        case "mitchell":
            return mitchell(tables, boards_per_round, rounds)
        case "howell":
            return howell(tables, boards_per_round, rounds)
        case "individual":
            return individual(tables, boards_per_round, rounds)
        case "round-robin":
            movement = round_robin(2 * tables, boards_per_round)
            if rounds is not None and rounds != movement.rounds:
                raise BadInput(
                    f"A round robin of {2 * tables} pairs has {movement.rounds} rounds, not {rounds}."
                )
            return movement
        case _:
            raise BadInput(f"There is no movement {name!r}; choose one of {', '.join(MOVEMENTS)}.")


def plan_evening(
    movement: Movement,
    *,
    guid: str,
    name: str,
    day: date,
    starts: time | None = None,
    sections: tuple[str, ...] = ("A",),
    together: bool = False,
    method: Method = Method.MATCHPOINTS,
    players: tuple[SessionPlayer, ...] = (),
    deals: Mapping[int, Deal] | None = None,
) -> OpenEvent:
    """Return an event of one session in which every section plays the movement, scored together or separately."""
    for letters in sections:
        if not is_letters(letters):
            raise BadInput(f"{letters!r} are not section letters; use A to Z, AA to ZZ or AAA to ZZZ.")
    if len(set(sections)) < len(sections):
        raise BadInput("A section is named twice.")
    game = GameKind.PAIRS
    if movement.is_individual:
        game = GameKind.INDIVIDUAL
    elif movement.is_teams:
        game = GameKind.TEAMS
    first = natural_id(sections[0])
    groups = {letters: first if together else natural_id(letters) for letters in sections}
    return OpenEvent(
        guid,
        (
            SessionPlan(
                guid,
                name,
                day,
                tuple(
                    GroupPlan(
                        number, method, sections=tuple(name for name in sections if groups[name] == number)
                    )
                    for number in dict.fromkeys(groups.values())
                ),
                tuple(
                    (
                        SectionPlan(letters, groups[letters], movement.winners, game, id=natural_id(letters)),
                        tuple(replace(table, group=0) for table in table_plans(movement, letters)),
                    )
                    for letters in sections
                ),
                starts,
                players=players,
                hand_records=tuple(
                    HandRecord(number, board, deal)
                    for number in dict.fromkeys(groups.values())
                    for board, deal in sorted((deals or {}).items())
                    if board in movement.boards
                ),
            ),
        ),
    )


def read_deals(path: str | Path) -> dict[int, Deal]:
    """Read the deals of a PBN, LIN or DUP file, by board."""
    from overtrick.bridge.deal_files import deals_by_board, read_deal_file

    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise BadInput(f"The file cannot be read: {error.strerror}.", where=str(path)) from None
    deals = deals_by_board(read_deal_file(content, name=str(path)))
    if not deals:
        raise BadInput("There is no deal with a board number in the file.", where=str(path))
    return deals
