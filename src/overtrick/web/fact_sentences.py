"""Sentences for the facts of a session, for the log. Has no dependency on pages."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from overtrick.bridge.contract import Contract
from overtrick.errors import OvertrickError
from overtrick.event import Fact
from overtrick.event.calls import CallAnswered, DirectorCalled
from overtrick.event.clock import ClockSet
from overtrick.event.filing import Filing, SessionFiled
from overtrick.event.further_rankings import FurtherRankingsSet, PlayerDetailsSet
from overtrick.event.hands import HandEvaluated, HandRecordSet
from overtrick.event.held_entries import EntryHeld, HeldEntrySettled
from overtrick.event.instructions import InstructionCleared, InstructionTaken
from overtrick.event.movement import RoundsSet, TableAdded, TableDropped, TableGrouped, WaitingSet
from overtrick.event.recording import CallRecorded, CardRecorded, ContractRecorded
from overtrick.event.results import ResultErased, ResultJudged, ResultRecorded, Suspicion
from overtrick.event.rulings import (
    AdjustmentMade,
    AdjustmentWithdrawn,
    Appeal,
    BoardFouled,
    ContestantStatus,
    ContestantStatusSet,
    CorrectionPeriodSet,
    MatchRuled,
    RulesChosen,
    RulingNoted,
)
from overtrick.event.seating import PlayerSet, Seated, Unseated
from overtrick.event.settings import SettingsIIISet, SettingsIISet
from overtrick.event.setup import (
    GroupDropped,
    GroupSet,
    QueuesCleared,
    SectionDropped,
    SectionSet,
    SessionChanged,
    SessionOpened,
    StatusChanged,
)
from overtrick.event.tables import LoggedOff, LoggedOn, TableReset
from overtrick.scoring.rules import title
from overtrick.web.session_setup import METHOD_WORDS
from overtrick.web.view_models import SEAT_NAMES, boards_text, contract_words, sides_words


def fact_sentence(fact: Fact) -> str:
    """Return a fact as a sentence; the words of its kind if there is none in `SENTENCES`.

    >>> fact_sentence(TableDropped("A", 3))
    'Table A3 removed.'
    """
    write = SENTENCES.get(type(fact))
    if write is not None:
        return write(fact)
    return f"{fact.kind.replace('-', ' ').capitalize()}."


def _table_words(fact: Any) -> str:
    return f"Table {fact.section}{fact.table}"


def _board_words(fact: Any) -> str:
    return f"{_table_words(fact)}, round {fact.round}, board {fact.board}"


def _clock_time(moment: datetime) -> str:
    return f"{moment.astimezone():%H:%M}"


def outcome_words(fact: ResultRecorded) -> str:
    """Return the outcome of a result in words, for each side where they differ."""
    return sides_words(fact.outcome, fact.outcome_ew)


def _result_sentence(fact: ResultRecorded) -> str:
    words = outcome_words(fact)
    if fact.lead:
        words += f", lead {fact.lead.symbol}"
    if fact.is_wrong_direction:
        words += ", pairs sat in the wrong direction"
    doubt = ", suspicious" if fact.suspicion is Suspicion.SUSPICIOUS else ""
    return f"{_board_words(fact)}: {words}{doubt} (pairs {fact.ns} and {fact.ew}, by {fact.origin.value})."


def _judgement_sentence(fact: ResultJudged) -> str:
    words = {
        Suspicion.SUSPICIOUS: "result marked as suspicious",
        Suspicion.CONFIRMED: "result confirmed by the director",
        Suspicion.NONE: "result no longer suspicious",
    }
    return f"{_board_words(fact)}: {words[fact.suspicion]}."


def _contract_sentence(fact: ContractRecorded) -> str:
    words = "passed out" if fact.contract == "Pass" else fact.contract
    try:
        contract = Contract.parse(fact.contract)
        words = (
            f"{contract.level}{contract.strain.symbol}{contract.doubling.sign} by {contract.declarer.value}"
        )
    except OvertrickError:
        pass
    lead = f", lead {fact.lead.symbol}" if fact.lead else ""
    return f"{_board_words(fact)}: contract {words}{lead}."


def _recording_sentence(fact: CallRecorded | CardRecorded) -> str:
    item = fact.call if isinstance(fact, CallRecorded) else fact.card
    verb = "took back" if fact.is_erased else "called" if isinstance(fact, CallRecorded) else "played"
    return f"{_board_words(fact)}: {SEAT_NAMES[fact.seat]} {verb} {item}."


def _rounds_sentence(fact: RoundsSet) -> str:
    if not fact.rounds:
        return f"{_table_words(fact)}: round {fact.first} and later rounds removed."
    last = fact.first + len(fact.rounds) - 1
    rounds = f"round {last}" if last == fact.first else f"rounds {fact.first} to {last}"
    first = fact.rounds[0]
    if first.ns and first.ew:
        first_words = f"{first.ns} against {first.ew} on {boards_text(first.boards)}"
    else:
        first_words = f"{first.ns or first.ew} sitting out" if first.ns or first.ew else "no pairs"
    return f"{_table_words(fact)}: {rounds} set, starting with {first_words}."


def _seat_sentence(fact: Seated) -> str:
    name = f"{fact.first_name} {fact.last_name}".strip() or "a player"
    number = f" ({fact.number})" if fact.number else ""
    since = f" from round {fact.round}" if fact.round > 1 else ""
    return f"{_table_words(fact)}: {name}{number} is {SEAT_NAMES[fact.seat]}{since}, by {fact.source.value}."


def _section_sentence(fact: SectionSet) -> str:
    winners = {0: "", 1: ", one winner", 2: ", two winners"}[fact.winners]
    missing = f", pair {abs(fact.missing_pair)} missing" if fact.missing_pair else ""
    return f"Section {fact.section} plays {fact.game.value}{winners}{missing}, in scoring group {fact.group}."


def _clock_sentence(fact: ClockSet) -> str:
    times = f"{fact.board_seconds / 60:g} minutes per board and {fact.move_seconds / 60:g} to move"
    if fact.started is None:
        return f"Clock off; {times}."
    if fact.paused is not None:
        return f"Clock paused at {_clock_time(fact.paused)}; {times}."
    return f"Clock running: round {fact.first} started at {_clock_time(fact.started)}; {times}."


def _call_sentence(fact: DirectorCalled) -> str:
    where = f", round {fact.round}, board {fact.board}" if fact.board else ""
    return f"{_table_words(fact)}{where}: director called."


def _rules_sentence(fact: RulesChosen) -> str:
    parts = [
        title(fact.rule_set),
        "victory points for pairs" if fact.pairs_vps else "",
        "knock-out" if fact.is_knockout else "",
        f"{fact.boards_per_match} boards a match" if fact.boards_per_match else "",
        "a top is n - 1" if fact.single_top else "",
    ]
    return (
        f"Scoring group {fact.group} is scored by the rules of {', '.join(part for part in parts if part)}."
    )


def _contestant(fact: AdjustmentMade | ContestantStatusSet) -> str:
    return f"{fact.section}{fact.number}" + (f" {fact.side.value}" if fact.side else "")


def _adjustment_sentence(fact: AdjustmentMade) -> str:
    place = (f" on board {fact.board}" if fact.board else "") + (
        f" in round {fact.round}" if fact.round else ""
    )
    return f"Adjustment {fact.adjustment}: {_contestant(fact)} {fact.amount:+} {fact.unit.value}{place}. {fact.reason}"


def _fouled_sentence(fact: BoardFouled) -> str:
    versions = "; ".join(
        f"{version.name or 'the usual deal'} at "
        + ", ".join(f"{section}{table} round {number}" for section, table, number in version.tables)
        for version in fact.versions
    )
    return f"Board {fact.board}: {versions}.{f' {fact.reason}' if fact.reason else ''}"


def _standing_sentence(fact: ContestantStatusSet) -> str:
    words = {
        ContestantStatus.RANKED: "ranks",
        ContestantStatus.UNRANKED: "plays without standing",
        ContestantStatus.WITHDRAWN: "has withdrawn",
    }
    return f"{_contestant(fact)} {words[fact.status]}.{f' {fact.reason}' if fact.reason else ''}"


def _note_sentence(fact: RulingNoted) -> str:
    if not fact.reason and fact.appeal is Appeal.NONE:
        return f"{_board_words(fact)}: note on the ruling removed."
    before = f" The result at the table was {contract_words(fact.table_result)}." if fact.table_result else ""
    appeal = "" if fact.appeal is Appeal.NONE else f" Appeal {fact.appeal.value}."
    return f"{_board_words(fact)}: ruling. {fact.reason}{before}{appeal}"


def _match_sentence(fact: MatchRuled) -> str:
    one, other = (f"{section}{number}" for section, number, _ in (fact.one, fact.other))
    words = "counts as it was played"
    if fact.is_void:
        words = "is void"
        if fact.points_one is not None:
            words += f", {fact.points_one} to {fact.points_other}"
    elif fact.boards is not None:
        words = f"has {fact.boards} boards"
    return f"The match of {one} and {other} in round {fact.round} {words}.{f' {fact.reason}' if fact.reason else ''}"


def _period_sentence(fact: CorrectionPeriodSet) -> str:
    if fact.until is None:
        return "No correction period."
    return f"Results are provisional until {fact.until.astimezone():%Y-%m-%d %H:%M}."


FILING_WORDS = {
    Filing.LISTED: "put back in the list",
    Filing.ARCHIVED: "archived",
    Filing.BINNED: "moved to the bin",
}

SENTENCES: dict[type[Fact], Callable[[Any], str]] = {
    SessionOpened: lambda fact: f"Session “{fact.name}” created for {fact.day}.",
    SessionChanged: lambda fact: f"Session renamed “{fact.name}”, for {fact.day}.",
    StatusChanged: lambda fact: f"Session {fact.status.value}.",
    SessionFiled: lambda fact: f"Session {FILING_WORDS[fact.filing]}.",
    GroupSet: lambda fact: (
        f"Scoring group {fact.group}{f' “{fact.name}”' if fact.name else ''} is scored by "
        f"{METHOD_WORDS.get(fact.method, fact.method.value)}."
    ),
    GroupDropped: lambda fact: f"Scoring group {fact.group} removed.",
    SectionSet: _section_sentence,
    SectionDropped: lambda fact: f"Section {fact.section} removed.",
    QueuesCleared: lambda fact: "Queues for the scoring program cleared.",
    TableAdded: lambda fact: f"{_table_words(fact)} added.",
    TableDropped: lambda fact: f"{_table_words(fact)} removed.",
    TableGrouped: lambda fact: f"{_table_words(fact)} is compared with the tables of group {fact.group}.",
    RoundsSet: _rounds_sentence,
    WaitingSet: lambda fact: (
        f"{_table_words(fact)} {'waits for another round' if fact.is_waiting else 'is finished'} after its last round."
    ),
    PlayerSet: lambda fact: (
        f"Player {fact.number} is {f'{fact.first_name} {fact.last_name}'.strip() or '–'}."
    ),
    Seated: _seat_sentence,
    Unseated: lambda fact: f"{_table_words(fact)}: {SEAT_NAMES[fact.seat]} is empty.",
    ResultRecorded: _result_sentence,
    ResultErased: lambda fact: (
        f"{_board_words(fact)}: result erased{f', because {fact.cause}' if fact.cause else ''} "
        f"(by {fact.origin.value})."
    ),
    ResultJudged: _judgement_sentence,
    RulesChosen: _rules_sentence,
    AdjustmentMade: _adjustment_sentence,
    AdjustmentWithdrawn: lambda fact: f"Adjustment {fact.adjustment} withdrawn.",
    BoardFouled: _fouled_sentence,
    ContestantStatusSet: _standing_sentence,
    RulingNoted: _note_sentence,
    MatchRuled: _match_sentence,
    CorrectionPeriodSet: _period_sentence,
    ContractRecorded: _contract_sentence,
    CallRecorded: _recording_sentence,
    CardRecorded: _recording_sentence,
    HandRecordSet: lambda fact: f"Hand record of board {fact.board} set, from {fact.source.value}.",
    HandEvaluated: lambda fact: f"Board {fact.board} analysed (double dummy).",
    SettingsIISet: lambda fact: f"Bridgemate II settings of section {fact.section} saved.",
    SettingsIIISet: lambda fact: f"Phone and Bridgemate 3 settings of section {fact.section} saved.",
    DirectorCalled: _call_sentence,
    CallAnswered: lambda fact: f"Director call {fact.status.value}.",
    LoggedOn: lambda fact: f"{_table_words(fact)}: terminal connected.",
    LoggedOff: lambda fact: f"{_table_words(fact)}: terminal disconnected.",
    TableReset: lambda fact: f"{_table_words(fact)}: terminal reset.",
    EntryHeld: lambda fact: (
        f"{_table_words(fact)}: an entry without the director's PIN waits for confirmation."
    ),
    HeldEntrySettled: lambda fact: (
        f"{_table_words(fact)}: the director {'confirmed' if fact.is_confirmed else 'refused'} an entry."
    ),
    ClockSet: _clock_sentence,
    PlayerDetailsSet: lambda fact: f"Details of {fact.name or f'player {fact.number}'} saved.",
    FurtherRankingsSet: lambda fact: "Further rankings chosen.",
    InstructionTaken: lambda fact: f"Instruction from the session file carried out ({fact.where}).",
    InstructionCleared: lambda fact: f"Instruction cleared in the session file ({fact.where}).",
}
