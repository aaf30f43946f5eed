"""Start options from BCS's own command line, and sentences about the orders of a scoring program. Pure: no I/O."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

from overtrick.digits import parse_digits
from overtrick.errors import BadInput
from overtrick.event import Order


class FrontTab(Enum):
    """The tab of BCS that is in front after the start."""

    RESULTS = 1
    ROUND_MONITOR = 2
    BOARD_MONITOR = 3
    RESULT_MATRIX = 4
    PLAYER_NAMES = 5


@dataclass(frozen=True, slots=True)
class StartOptions:
    """The options with which the control software starts."""

    file: str = ""
    resets: bool = False
    """True to forget earlier sessions and read the tables again."""
    reads: bool = False
    """True to start reading results at once."""
    is_minimised: bool = False
    hand_records: tuple[int, ...] = ()
    """The ids of the sections whose hand records are imported together with the tables."""
    has_second_generation: bool = False
    """True if Bridgemate II units are used beside Bridgemate 3."""
    tab: FrontTab | None = None
    ends_after_last_result: bool = False


_FILE = re.compile(r"/f:(.+)", re.IGNORECASE | re.DOTALL)
_HANDS = re.compile(r"/h:\[?([0-9, ]*)\]?", re.IGNORECASE)
_TAB = re.compile(r"/t([1-5])", re.IGNORECASE)


def parse_command_line(arguments: list[str]) -> StartOptions:
    """Return the options on BCS's command line; raise BadInput for an unknown parameter or a wrong combination.

    >>> parse_command_line(["/f:[C:\\\\scores\\\\thursday.bws]", "/s", "/r", "/h:[1,2]", "/t2"])
    ... # doctest: +NORMALIZE_WHITESPACE
    StartOptions(file='C:\\\\scores\\\\thursday.bws', resets=True, reads=True, is_minimised=False, hand_records=(1, 2),
          has_second_generation=False, tab=<FrontTab.ROUND_MONITOR: 2>,
          ends_after_last_result=False)
    """
    start = StartOptions()
    for argument in _join_bracketed(arguments):
        word = argument.strip()
        plain = {
            "/s": replace(start, resets=True),
            "/r": replace(start, reads=True),
            "/m": replace(start, is_minimised=True),
            "/pi": replace(start, has_second_generation=True),
        }.get(word.lower())
        if plain is not None:
            start = plain
        elif match := _FILE.fullmatch(word):
            start = replace(start, file=_strip_brackets(match[1]))
        elif match := _HANDS.fullmatch(word):
            parts = [part for part in match[1].replace(" ", "").split(",") if part]
            sections = [section for part in parts if (section := parse_digits(part)) is not None]
            if len(sections) < len(parts):
                raise BadInput("/h names sections by their numbers, such as /h:[1,2].")
            start = replace(start, hand_records=tuple(sections))
        elif match := _TAB.fullmatch(word):
            start = replace(start, tab=FrontTab(int(match[1])))
        elif word:
            raise BadInput(
                f"{word!r} is not a parameter of the control software: use /f:[file], /s, /r, /m, /h:[1,2], "
                "/pi or /t1 to /t5."
            )
    if not start.file and (start.resets or start.reads or start.hand_records):
        raise BadInput("/s, /r and /h need a file: /f:[file].")
    if start.hand_records and not start.resets:
        raise BadInput("/h imports hand records together with the tables, so it needs /s.")
    return start


def _join_bracketed(arguments: list[str]) -> list[str]:
    """Return the arguments, with those joined that the shell split at spaces inside brackets."""
    joined: list[str] = []
    for argument in arguments:
        if joined and joined[-1].count("[") > joined[-1].count("]"):
            joined[-1] += f" {argument}"
        else:
            joined.append(argument)
    return joined


def _strip_brackets(text: str) -> str:
    text = text.strip().strip('"')
    return text[1:-1].strip('"') if text.startswith("[") and text.endswith("]") else text


def parameter_notes(start: StartOptions) -> Iterator[str]:
    """Yield a sentence for each parameter that has no effect in this program.

    >>> list(parameter_notes(StartOptions(is_minimised=True, tab=FrontTab.ROUND_MONITOR)))
    ... # doctest: +NORMALIZE_WHITESPACE
    ['/m has no effect: this program has no window.',
     '/t2 has no effect: this program has no window. The pages of `overtrick desk` show the round monitor.']
    """
    if start.is_minimised:
        yield "/m has no effect: this program has no window."
    if start.has_second_generation:
        yield "/pi has no effect: it starts a second program for Bridgemate II, and phones need none."
    if start.tab is not None:
        yield (
            f"/t{start.tab.value} has no effect: this program has no window. The pages of `overtrick desk` show the "
            f"{start.tab.name.lower().replace('_', ' ')}."
        )


def order_sentences(orders: tuple[Order, ...], name: str) -> Iterator[str]:
    """Yield sentences that say how the program carries out orders, or why it ignores one.

    >>> list(order_sentences((Order.START, Order.READ, Order.MINIMISE), "Friday evening"))
    ['Friday evening is started.', 'The window cannot be minimised: this program has none.']
    """
    if Order.SHUT_DOWN in orders:
        yield f"{name} is shut down."
    if Order.START in orders:
        begins = (
            " again from the beginning; its earlier results no longer count" if Order.RESET in orders else ""
        )
        yield f"{name} is started{begins}."
        if Order.READ not in orders:
            yield "The order to read from the terminals is missing; results are read anyway."
    if Order.SHOW_IN_APP in orders:
        yield "Its sessions are marked to be shown in the app."
    if Order.MINIMISE in orders:
        yield "The window cannot be minimised: this program has none."
    if Order.SHUT_DOWN_AFTER_LAST_RESULT in orders:
        yield "It ends after the last result."
    if Order.LOG_EVERYTHING in orders:
        yield "Everything is logged."
