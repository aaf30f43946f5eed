"""What the guide asks of results, recorded calls and cards, hand records and evaluations. Changes nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from overtrick.bridge import SEATS
from overtrick.bridge.notation import parse_contract, parse_result
from overtrick.bws.boards import boards_of
from overtrick.bws.breach import Breach, repeated
from overtrick.bws.contents import Contents
from overtrick.bws.hands import deal_of
from overtrick.bws.results import DECLARERS
from overtrick.bws.rows import CallRow, CardRow, FreeRow, ResultRow, RoundRow
from overtrick.bws.schema import SEAT_WORDS, SUIT_WORDS
from overtrick.errors import BadInput

_CONTRACT = re.compile(r"[1-7] (?:C|D|H|S|NT)(?: xx?)?")
_RESULT = re.compile(r"=|-(?:[1-9]|1[0-3])|\+[1-6]")
_LEAD = re.compile(r"[CDHS](?:[2-9]|10|[JQKA])")
_CALL = re.compile(r"[1-7](?:C|D|H|S|NT)|XX?|PASS|SkipBid")
_CARD = re.compile(r"[CDHS][2-9TJQKAx]")
_REMARK = re.compile(r"Not played|Arbitral score|[456]0%-[456]0%")

Rounds = dict[tuple[int, int, int], RoundRow]


def breaches(contents: Contents) -> Iterator[Breach]:
    """Every breach in what was played."""
    rounds = {(row.section, row.table, row.round): row for row in contents.rounds}
    yield from _results("ReceivedData", contents.results, rounds)
    yield from _results("IntermediateData", contents.contracts, rounds)
    yield from _recorded("BiddingData", contents.calls, rounds)
    yield from _recorded("PlayData", contents.cards, rounds)
    sections = {row.id for row in contents.sections}
    yield from _hand_records(contents, sections)
    yield from _evaluations(contents, sections)


def _results(table: str, rows: tuple[ResultRow, ...], rounds: Rounds) -> Iterator[Breach]:
    for id in repeated(row.id for row in rows):
        yield Breach(table, f"ID {id}", "An ID is unique.")
    before: dict[tuple[int, int, int, int], int] = {}
    for row in sorted(rows, key=lambda row: row.id):
        if row.erased:
            continue
        if row.place in before:
            rule = f"Row {before[row.place]} has a result for the same board too; the later one counts."
            yield Breach(table, f"ID {row.id}", rule, True)
        before[row.place] = row.id
    for row in rows:
        if row.erased:
            continue
        where = f"ID {row.id}"
        for rule, is_warning in _place_rules(row, rounds):
            yield Breach(table, where, rule, is_warning)
        for rule in _text_rules(row, is_intermediate=table == "IntermediateData"):
            yield Breach(table, where, rule)


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
    if row.declarer not in (row.ns, row.ew, played.south, played.west):
        yield f"Declarer {row.declarer} is neither pair.", False
    elif row.contract and row.contract != "PASS" and row.ns != row.ew:
        north_south = row.direction in ("N", "S", "NS")
        switched = row.remarks == "Wrong direction"
        expected = row.ns if north_south is not switched else row.ew
        if row.direction in DECLARERS and row.declarer in (row.ns, row.ew) and row.declarer != expected:
            yield f"Pair {row.declarer} does not sit {row.direction}, and there is no remark about it.", True


def _text_rules(row: ResultRow, *, is_intermediate: bool) -> Iterator[str]:
    if row.direction not in DECLARERS:
        yield f"NS/EW is NS, EW, N, S, E or W, not {row.direction!r}."
    if row.lead and not _LEAD.fullmatch(row.lead):
        yield f"{row.lead!r} is no lead card, such as S2, DA or C10."
    if row.suspicious not in (0, 1, 2):
        yield f"SuspiciousContract is 0, 1 or 2, not {row.suspicious}."
    if is_intermediate and row.result:
        yield "A board that is still being played has no result."
    if not row.contract:
        if row.result:
            yield "Without a contract there is no result."
        if not _REMARK.fullmatch(row.remarks):
            yield f"A result without a contract says why in its remarks, and not {row.remarks!r}."
    elif row.contract == "PASS":
        if row.result:
            yield "A board that was passed out has no result."
    elif not _CONTRACT.fullmatch(row.contract):
        yield f"{row.contract!r} is no contract, such as 1 H, 4 S x or 3 NT xx."
    elif not is_intermediate:
        yield from _result_rules(row)


def _result_rules(row: ResultRow) -> Iterator[str]:
    if not _RESULT.fullmatch(row.result):
        yield f"{row.result!r} is no result: -1 to -13, = and +1 to +6 are."
        return
    contract = parse_contract(row.contract, SEATS[0])
    assert contract is not None
    try:
        parse_result(row.result, contract)
    except BadInput:
        yield f"{row.contract} cannot have the result {row.result}."


def _recorded(
    table: str, rows: tuple[CallRow, ...] | tuple[CardRow, ...], rounds: Rounds
) -> Iterator[Breach]:
    for id in repeated(row.id for row in rows):
        yield Breach(table, f"ID {id}", "An ID is unique.")
    for row in rows:
        where = f"ID {row.id}"
        if (row.section, row.table, row.round) not in rounds:
            yield Breach(
                table, where, f"There is no section {row.section}, table {row.table}, round {row.round}."
            )
        if row.direction not in ("N", "E", "S", "W"):
            yield Breach(table, where, f"Direction is N, S, E or W, not {row.direction!r}.")
        if row.counter < 1:
            yield Breach(table, where, "The order is counted from 1.")
        if isinstance(row, CallRow) and not _CALL.fullmatch(row.call):
            yield Breach(table, where, f"{row.call!r} is no bid, such as 1C, 3NT, X, XX, PASS or SkipBid.")
        if isinstance(row, CardRow) and not _CARD.fullmatch(row.card):
            yield Breach(table, where, f"{row.card!r} is no card, such as D2, ST or Cx.")


def _hand_records(contents: Contents, sections: set[int]) -> Iterator[Breach]:
    for section, board in repeated((row.section, row.board) for row in contents.hand_records):
        yield Breach(
            "HandRecord", f"section {section}, board {board}", "A board of a section has one record."
        )
    for row in contents.hand_records:
        where = f"section {row.section}, board {row.board}"
        if row.section not in sections:
            yield Breach("HandRecord", where, f"There is no section {row.section}.")
        if row.board < 1:
            yield Breach("HandRecord", where, "A board has a number above zero.")
        for rule in card_rules(row):
            yield Breach("HandRecord", where, rule)


def card_rules(row: FreeRow) -> Iterator[str]:
    """What is wrong with the cards of a hand record: 13 a hand, 13 a suit, 52 in all, each once."""
    cards = {(seat, suit): str(row.get(seat + suit) or "") for seat in SEAT_WORDS for suit in SUIT_WORDS}
    for (seat, suit), ranks in cards.items():
        wrong = sorted(set(ranks) - set("23456789TJQKA"))
        if "10" in ranks:
            yield f"{seat}{suit} is {ranks!r}: the ten is T and not 10."
        elif wrong:
            yield f"{seat}{suit} is {ranks!r}: {wrong[0]!r} is no card."
    total = sum(len(ranks) for ranks in cards.values())
    if total != 52:
        yield f"There are {total} cards and not 52."
    for seat in SEAT_WORDS:
        held = sum(len(cards[seat, suit]) for suit in SUIT_WORDS)
        if held != 13:
            yield f"{seat} has {held} cards and not 13."
    for suit in SUIT_WORDS:
        held = sum(len(cards[seat, suit]) for seat in SEAT_WORDS)
        if held != 13:
            yield f"There are {held} {suit.lower()} and not 13."
        doubled = [
            rank
            for rank, count in Counter("".join(cards[seat, suit] for seat in SEAT_WORDS)).items()
            if count > 1
        ]
        if doubled:
            yield f"The {doubled[0]} of {suit.lower()} is there twice."


def _evaluations(contents: Contents, sections: set[int]) -> Iterator[Breach]:
    deals = {}
    for row in contents.hand_records:
        try:
            deals[row.section, row.board] = deal_of(row)
        except BadInput:
            continue
    for section, board in repeated((row.section, row.board) for row in contents.evaluations):
        yield Breach(
            "HandEvaluation", f"section {section}, board {board}", "A board of a section has one record."
        )
    for row in contents.evaluations:
        where = f"section {row.section}, board {row.board}"
        if row.section not in sections:
            yield Breach("HandEvaluation", where, f"There is no section {row.section}.")
        for seat in SEAT_WORDS:
            for strain in (*SUIT_WORDS, "Notrump"):
                tricks = row.get(seat + strain)
                if tricks is not None and not 0 <= tricks <= 13:
                    yield Breach("HandEvaluation", where, f"{seat}{strain} is from 0 to 13, not {tricks}.")
        deal = deals.get((row.section, row.board))
        if deal is None:
            continue
        for held in SEATS:
            points = row.get(f"{held.name.title()}Hcp")
            if points is not None and points != deal[held].hcp:
                yield Breach(
                    "HandEvaluation",
                    where,
                    f"{held.name.title()} has {deal[held].hcp} high card points, not {points}.",
                )
