"""Conversion of result and contract rows to outcomes, and back. Independent of sections and of an event's state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from overtrick.bridge import Card, Contract, NotPlayed, Outcome, PassedOut, Played, Seat, Side, Undecided
from overtrick.bridge.notation import (
    WRONG_DIRECTION,
    EnteredResult,
    TextFields,
    parse_contract,
    parse_lead,
    parse_text_fields,
    write_lead,
    write_spaced,
    write_text_fields,
)
from overtrick.bws.rows import ResultRow, is_same_value, log_fields
from overtrick.errors import BadInput
from overtrick.event.results import ResultRecorded, Suspicion

SUSPICIONS = (Suspicion.NONE, Suspicion.SUSPICIOUS, Suspicion.CONFIRMED)
"""The suspicion for the values 0, 1 and 2 of SuspiciousContract."""

DECLARERS = {
    "N": Seat.NORTH,
    "E": Seat.EAST,
    "S": Seat.SOUTH,
    "W": Seat.WEST,
    "NS": Seat.NORTH,
    "EW": Seat.EAST,
}
"""The declarer for each value of NS/EW; a side without a seat means its first seat."""


@dataclass(frozen=True, slots=True)
class ReportedResult:
    """The result of a board as a row reports it."""

    outcome: Outcome
    is_wrong_direction: bool
    lead: Card | None
    suspicion: Suspicion
    doubt: str = ""
    """The reason why the row looks wrong although it can be read; empty if it does not."""


def read_result(row: ResultRow) -> ReportedResult:
    """Return the result that a row reports; raise BadInput if it cannot be read.

    >>> row = ResultRow(ns=7, ew=22, declarer=7, direction="E", contract="2 S", result="+4")
    >>> reported = read_result(row)
    >>> str(reported.outcome), reported.suspicion.value, reported.doubt
    ('2SE+4', 'suspicious', 'Pair 7 is said to declare from East, where pair 22 sits.')
    """
    declarer = DECLARERS.get(row.direction.upper())
    entry = parse_text_fields(TextFields(row.contract, row.result, row.remarks, declarer))
    suspicion = SUSPICIONS[row.suspicious] if 0 <= row.suspicious < len(SUSPICIONS) else Suspicion.NONE
    doubt = ""
    if isinstance(entry.outcome, Played):
        doubt = _declarer_doubt(row, entry)
        if doubt and suspicion is Suspicion.NONE:
            suspicion = Suspicion.SUSPICIOUS
    lead = None
    try:
        lead = parse_lead(row.lead)
    except BadInput:
        doubt = doubt or f"The lead {row.lead!r} is not a card."
    return ReportedResult(entry.outcome, entry.switched, lead, suspicion, doubt)


def _declarer_doubt(row: ResultRow, entry: EnteredResult) -> str:
    """Return a doubt if the declaring pair sits on the other side and no remark says so; empty if there is none."""
    assert isinstance(entry.outcome, Played)
    seat = entry.outcome.contract.declarer
    if row.ns == row.ew or not row.declarer:
        return ""
    declaring_pair, other_pair = (row.ns, row.ew) if seat.side is Side.NS else (row.ew, row.ns)
    if entry.switched:
        declaring_pair, other_pair = other_pair, declaring_pair
    if row.declarer != other_pair:
        return ""
    return (
        f"Pair {row.declarer} is said to declare from {seat.name.title()}, where pair {declaring_pair} sits."
    )


def contract_of(row: ResultRow) -> tuple[str, Card | None]:
    """Return the contract of a board without a result, as `bridge` prints it, and its lead."""
    declarer = DECLARERS.get(row.direction.upper())
    contract = parse_contract(row.contract, declarer or Seat.NORTH)
    if contract is not None and declarer is None:
        raise BadInput(f"The contract {row.contract!r} has no declarer.")
    return ("Pass" if contract is None else str(contract)), parse_lead(row.lead)


def text_values(
    outcome: Outcome, lead: Card | None, is_wrong_direction: bool, ns: int, ew: int
) -> dict[str, Any]:
    """Return the fields of an outcome for the pairs that the movement has there.

    A board that nobody declared has North-South's number and N, as the control software writes it.

    >>> text_values(Outcome.parse("4SxN+1"), Card.CT, False, 3, 7)["LeadCard"]
    'C10'
    """
    fields = write_text_fields(EnteredResult(outcome, is_wrong_direction))
    seat = fields.declarer or Seat.NORTH
    declarer = ns if (seat.side is Side.NS) is not is_wrong_direction else ew
    return {
        "PairNS": ns,
        "PairEW": ew,
        "Declarer": declarer if fields.declarer else ns,
        "NS/EW": seat.value,
        "Contract": fields.contract,
        "Result": fields.result,
        "LeadCard": write_lead(lead),
        "Remarks": fields.remark,
    }


def result_values(recorded: ResultRecorded) -> dict[str, Any] | None:
    """Return the fields of a standing result; None while only one side has one.

    A row has no field for a result that differs for the two sides: it is written as an arbitral score.
    """
    if recorded.outcome is None:
        return None
    outcome = recorded.outcome
    if recorded.outcome_ew is not None and recorded.outcome_ew != outcome:
        outcome = Undecided()
    values = text_values(outcome, recorded.lead, recorded.is_wrong_direction, recorded.ns, recorded.ew)
    return {**values, "SuspiciousContract": SUSPICIONS.index(recorded.suspicion)}


def is_left_undecided(recorded: ResultRecorded) -> bool:
    """Return whether the row of a result says that the ruling is pending."""
    values = result_values(recorded)
    return values is not None and values["Remarks"] == write_text_fields(EnteredResult(Undecided())).remark


def contract_values(contract: str, lead: Card | None, ns: int, ew: int) -> dict[str, Any]:
    """Return the fields of a board in play.

    >>> contract_values("3NTW", None, 3, 7)["Contract"]
    '3 NT'
    """
    if contract == "Pass":
        return text_values(PassedOut(), lead, False, ns, ew)
    bid = Contract.parse(contract)
    return {
        **text_values(NotPlayed(), lead, False, ns, ew),
        "Declarer": ns if bid.side is Side.NS else ew,
        "NS/EW": bid.declarer.value,
        "Contract": write_spaced(bid),
        "Remarks": "",
    }


def is_own_remark(remark: str) -> bool:
    """Return whether the control software writes such a remark: a result or `Wrong direction`, not a note.

    >>> is_own_remark("60%-40%"), is_own_remark("wrong direction"), is_own_remark(""), is_own_remark("ask table 3")
    (True, True, True, False)
    """
    if not remark or remark.lower() == WRONG_DIRECTION.lower():
        return True
    try:
        parse_text_fields(TextFields("", "", remark, None))
    except BadInput:
        return False
    return True


UNPROCESSED = {
    "Processed": False,
    "Processed1": False,
    "Processed2": False,
    "Processed3": False,
    "Processed4": False,
}
"""The flags of a new or changed row: no program has processed it."""


def log_and_flag_fields(at: datetime) -> dict[str, Any]:
    """Return the log fields and flags of a new or changed row."""
    return {**log_fields(at), **UNPROCESSED, "ExternalUpdate": False}


_COMPARED = {
    "PairNS": "ns",
    "PairEW": "ew",
    "Declarer": "declarer",
    "NS/EW": "direction",
    "Contract": "contract",
    "Result": "result",
    "LeadCard": "lead",
    "Remarks": "remarks",
    "SuspiciousContract": "suspicious",
}


def result_differs(row: ResultRow, values: Mapping[str, Any]) -> bool:
    """Return whether a row differs from these values. The old spellings NS and EW mean N and E."""
    for name, attribute in _COMPARED.items():
        if name not in values or is_same_value(getattr(row, attribute), values[name]):
            continue
        if name == "NS/EW" and (row.direction, values[name]) in (("NS", "N"), ("EW", "E")):
            continue
        if name in ("NS/EW", "Declarer") and values.get("Contract") in ("", "PASS"):
            # Nobody declared, so the declarer in the row does not matter.
            continue
        return True
    return False
