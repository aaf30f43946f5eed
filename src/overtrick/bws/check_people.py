"""What the guide asks of players' numbers and names, and of the settings. Reads, and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator

from overtrick.bridgemate.settings import in_file
from overtrick.bws.breach import Breach, repeated
from overtrick.bws.contents import Contents
from overtrick.bws.players import NAME_LENGTH, compares_text, key_of, number_of
from overtrick.bws.rows import FreeRow, is_number
from overtrick.event.settings import is_pin


def breaches(contents: Contents) -> Iterator[Breach]:
    """Every breach in people and settings."""
    yield from _chairs(contents)
    yield from _names(contents)
    yield from _settings(contents)


def _chairs(contents: Contents) -> Iterator[Breach]:
    tables = {(row.section, row.table) for row in contents.tables}
    keys = [(row.section, row.table, row.direction, row.round) for row in contents.player_numbers]
    for section, table, direction, number in repeated(keys):
        yield Breach(
            "PlayerNumbers",
            f"section {section}, table {table}, {direction}, round {number}",
            "A direction has one record in a round.",
        )
    for row in contents.player_numbers:
        where = f"section {row.section}, table {row.table}, {row.direction}"
        if (row.section, row.table) not in tables:
            yield Breach("PlayerNumbers", where, "There is no such table.", True)
        if row.direction not in ("N", "E", "S", "W"):
            yield Breach("PlayerNumbers", where, f"Direction is N, S, E or W, not {row.direction!r}.")
        if row.round < 0:
            yield Breach("PlayerNumbers", where, f"Round is 0 or more, not {row.round}.")
    numbers = [(row.round, row.number) for row in contents.player_numbers if is_number(row.number)]
    for number, player in repeated(numbers):
        yield Breach("PlayerNumbers", f"round {number}", f"Number {player} sits at two places.", True)
    if not contents.player_numbers:
        return
    known = {(section, table, direction) for section, table, direction, _ in keys}
    for section, table in sorted(tables):
        missing = [each for each in "NSEW" if (section, table, each) not in known]
        if missing:
            yield Breach(
                "PlayerNumbers",
                f"section {section}, table {table}",
                f"A table has four records; {', '.join(missing)} not there.",
            )


def _names(contents: Contents) -> Iterator[Breach]:
    as_text = compares_text(contents)
    for row in contents.player_names:
        where = f"ID {row.id}" if row.id else f"strID {row.text_id!r}"
        if not is_number(number_of(row)):
            yield Breach("PlayerNames", where, "A name must be accompanied by a number.")
        if len(row.name) > NAME_LENGTH:
            yield Breach("PlayerNames", where, f"A name has at most {NAME_LENGTH} characters.")
    keys = (key_of(number_of(row), as_text) for row in contents.player_names if is_number(number_of(row)))
    for number in repeated(keys):
        yield Breach("PlayerNames", f"number {number}", "The number is there twice.", True)


def _settings(contents: Contents) -> Iterator[Breach]:
    sections = {row.id for row in contents.sections}
    for section in repeated(row.section for row in contents.settings):
        yield Breach("Settings", f"section {section}", "A section has one record.")
    for row in contents.settings:
        where = f"section {row.section}"
        if row.section not in sections and len(contents.settings) > 1:
            yield Breach("Settings", where, f"There is no section {row.section}.")
        for rule in _rules(row):
            yield Breach("Settings", where, rule)


def _rules(row: FreeRow) -> Iterator[str]:
    for setting in in_file():
        name, value = setting.column, row.get(setting.column)
        limits = setting.limits if setting.choices is None else (0, len(setting.choices.in_file) - 1)
        if limits is not None and isinstance(value, int) and not limits[0] <= value <= limits[1]:
            yield f"{name} is from {limits[0]} to {limits[1]}, not {value}."
        if setting.word == "pin" and value is not None and not is_pin(str(value)):
            yield f"{name} is always four digits, not {value!r}."
        if setting.switch and value and row.get(setting.switch) is False:
            yield f"{name} requires {setting.switch}."
    if row.get("BM2GameSummary") and row.get("BM2Ranking") == 0:
        yield "BM2GameSummary requires BM2Ranking 1 or 2."
