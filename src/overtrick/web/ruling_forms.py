"""Parse the forms of rulings into commands: adjusted scores, moved results, penalties, fouled boards, rule sets.

Has no dependency on requests.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from decimal import Decimal, InvalidOperation

from overtrick.bridge import Award, Outcome, Side, Weighted
from overtrick.bridge.outcome import parse_percent
from overtrick.digits import parse_digits
from overtrick.directing.missing_pairs import missing_command
from overtrick.errors import BadInput
from overtrick.event import Command, Session, SessionTransaction
from overtrick.event.movement import Contestant, contestants
from overtrick.event.place import Place
from overtrick.event.results import (
    CorrectResult,
    EnterResult,
    EraseResult,
    JudgeResult,
    Origin,
    ResultEntry,
    Suspicion,
)
from overtrick.event.rulings import (
    AdjustmentUnit,
    AdjustScore,
    Appeal,
    BoardVersion,
    ChooseRules,
    ContestantStatus,
    FoulBoard,
    MoveResult,
    NoteRuling,
    RuleMatch,
    SetContestantStatus,
    SetCorrectionPeriod,
    WithdrawAdjustment,
    can_have_vps,
    has_matches,
    rules_of,
)
from overtrick.event.setup import GameKind
from overtrick.scoring.rules import RULE_SETS, ScoringRules, parse_rules, rule_set
from overtrick.web.forms import Form, parse_typed, read_lead, read_line, read_number, read_outcome
from overtrick.web.view_models import read_place

NOTHING_CHANGED = "Nothing was changed."
ROWS = 6
"""Rows of a weighted score in a form."""
LONGEST_REASON = 500
LONGEST_PERIOD = timedelta(days=3653)
LONGEST_RULES = 10_000
"""Characters of a club's own rule set; longer text is cut off."""

MODES = {
    "result": "Result",
    "award": "Not played or award",
    "weighted": "Weighted score",
    "split": "Split score",
    "move": "Move",
}
"""The forms for one result, and their labels."""


# The result of a board --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RuledOutcome:
    """The outcome of a form; `ew` is None if `ns` is for both sides."""

    ns: Outcome
    ew: Outcome | None = None


def read_ruling(form: Form) -> RuledOutcome:
    """Return the outcome that a form gives a board; raise BadInput if it is incomplete.

    >>> str(read_ruling({"as": "award", "kind": "award", "share-ns": "60", "share-ew": "40"}).ns)
    '60-40'
    >>> weighted = {"percent-ns-1": "60", "result-ns-1": "4s n =", "percent-ns-2": "40", "result-ns-2": "4sn-1"}
    >>> str(read_ruling({"as": "weighted", **weighted}).ns)
    '60 % of 4SN=, 40 % of 4SN-1'
    """
    match form.get("as", "result"):
        case "award":
            return RuledOutcome(_read_award(form))
        case "weighted":
            ns = _read_weighted(form, Side.NS)
            if ns is None:
                raise BadInput(f"Enter at least one result with its percentage. {NOTHING_CHANGED}")
            return RuledOutcome(ns, _read_weighted(form, Side.EW))
        case "split":
            return RuledOutcome(_read_split(form, Side.NS), _read_split(form, Side.EW))
    return RuledOutcome(read_outcome(form))


def _read_award(form: Form) -> Outcome:
    kind = form.get("kind", "")
    if kind in ("NP", "Cancelled", "Arbitral"):
        return Outcome.parse(kind)
    if kind != "award":
        raise BadInput(
            f"Choose whether the board was not played, is cancelled, or gets an award. {NOTHING_CHANGED}"
        )
    shares = [parse_percent(form.get(f"share-{side}", "").strip().rstrip("% ")) for side in ("ns", "ew")]
    if shares[0] is None or shares[1] is None:
        raise BadInput(
            f"Enter a percentage from 0 to 100 for each side, such as 60 and 40. {NOTHING_CHANGED}"
        )
    return Award(shares[0], shares[1])


def _read_weighted(form: Form, side: Side) -> Outcome | None:
    """Return the weighted score of a side; None if all its rows are empty."""
    name = side.value.lower()
    parts = []
    for row in range(1, ROWS + 1):
        percent = form.get(f"percent-{name}-{row}", "").strip().rstrip("% ")
        result = form.get(f"result-{name}-{row}", "").strip()[:40]
        if not percent and not result:
            continue
        share = parse_percent(percent)
        if share is None or not share:
            raise BadInput(
                f"Row {row} of the weighted score needs a percentage from 0.01 to 100. {NOTHING_CHANGED}"
            )
        if not result:
            raise BadInput(
                f"Row {row} of the weighted score needs a result, such as 4SN= or +420. {NOTHING_CHANGED}"
            )
        parts.append((share, _parse_result(result, f"Row {row}")))
    if not parts:
        return None
    total = sum((Decimal(share) for share, _ in parts), Decimal(0))
    if total != 100:
        raise BadInput(
            f"The percentages add up to {total.normalize():f}. They must add up to exactly 100. {NOTHING_CHANGED}"
        )
    return parts[0][1] if len(parts) == 1 else Weighted(tuple(parts))


def _parse_result(text: str, where: str) -> Outcome:
    try:
        return parse_typed(text)
    except BadInput:
        raise BadInput(
            f"{where}: {text!r} is not a result. Type it like 4SN=, 3NTE-1, Pass or +420. {NOTHING_CHANGED}"
        ) from None


def _read_split(form: Form, side: Side) -> Outcome:
    """Return one side's outcome of a split score: an award if the text is a percentage, else a result."""
    text = form.get(f"split-{side.value.lower()}", "").strip()[:200]
    words = {Side.NS: "North-South", Side.EW: "East-West"}[side]
    if not text:
        raise BadInput(f"Enter a result or a percentage for {words}. {NOTHING_CHANGED}")
    if text.endswith("%"):
        share = parse_percent(text.rstrip("% "))
        if share is None:
            raise BadInput(f"{words}: {text!r} is not a percentage from 0 to 100. {NOTHING_CHANGED}")
        # Only this side's share is used.
        return Award(share, share)
    return _parse_result(text, words)


def result_command(session: Session, form: Form, now: datetime) -> Command:
    """Return the command to enter, correct, erase or judge a result, including the note of a ruling."""
    place = place_of(form)
    guid, incarnation = session.opened.session, session.opened.incarnation
    match form.get("do", "save"):
        case "erase":
            return EraseResult(guid, *place, Origin.DESK, incarnation)
        case "confirm":
            return JudgeResult(guid, *place, Suspicion.CONFIRMED)
        case "suspect":
            return JudgeResult(guid, *place, Suspicion.SUSPICIOUS)
    ruled = RuledOutcome(Outcome.parse("Arbitral")) if form.get("do") == "pending" else read_ruling(form)
    commands = list(_entry_commands(session, place, ruled, form, now))
    standing = session.results.standing.get(place)
    note = _note_command(session, place, form, now, standing.outcome if standing else None)
    return SessionTransaction(guid, (*commands, *note)) if note or len(commands) > 1 else commands[0]


def _entry_commands(
    session: Session, place: Place, ruled: RuledOutcome, form: Form, now: datetime
) -> Iterator[Command]:
    guid, incarnation = session.opened.session, session.opened.incarnation
    standing = session.results.standing.get(place)
    is_wrong_direction = standing.is_wrong_direction if standing else False
    lead = read_lead(form) if "lead" in form else standing.lead if standing else None

    def entry(outcome: Outcome, side: Side | None) -> ResultEntry:
        return ResultEntry(
            *place, outcome=outcome, at=now, side=side, lead=lead, is_wrong_direction=is_wrong_direction
        )

    shown_text = form.get("was", "")
    shown_outcome = Outcome.parse(shown_text) if shown_text else None
    first = entry(ruled.ns, None if ruled.ew is None else Side.NS)
    if standing is not None:
        yield CorrectResult(guid, first, Origin.DESK, shown_outcome, incarnation)
    else:
        yield EnterResult(guid, first, Origin.DESK, incarnation)
    if ruled.ew is not None:
        yield CorrectResult(guid, entry(ruled.ew, Side.EW), Origin.DESK, None, incarnation)


def _note_command(
    session: Session, place: Place, form: Form, now: datetime, table_result: Outcome | None
) -> tuple[NoteRuling, ...]:
    """Return the command to set or clear the note of a result; empty if there was none and none is given."""
    if "reason" not in form:
        return ()
    reason = read_line(form, "reason", LONGEST_REASON)
    previous = session.rulings.notes.get(place)
    appeal = _read_appeal(form)
    if previous is None and not reason and appeal is Appeal.NONE:
        return ()
    first_result = previous.table_result if previous else table_result
    return (NoteRuling(session.opened.session, *place, reason, now, appeal, first_result),)


def _read_appeal(form: Form) -> Appeal:
    appeal = {member.value: member for member in Appeal}.get(form.get("appeal") or Appeal.NONE.value)
    if appeal is None:
        raise BadInput(f"Choose the state of the appeal. {NOTHING_CHANGED}")
    return appeal


def place_of(form: Form) -> Place:
    """Return the place in a form; raise BadInput if there is none."""
    place = read_place(form.get("place", ""))
    if place is None:
        raise BadInput(f"The form does not name a board. {NOTHING_CHANGED}")
    return place


def move_command(session: Session, form: Form, now: datetime) -> Command:
    """Return the command to move a result to another board or reverse its direction, with the reason as a note."""
    place = place_of(form)
    target_text = form.get("to", "")
    to_round = to_board = None
    if target_text:
        numbers = [parse_digits(part, 5) for part in target_text.split("-")]
        if len(numbers) != 2 or None in numbers:
            raise BadInput(f"Choose the board that the result belongs to. {NOTHING_CHANGED}")
        to_round, to_board = numbers
    shown_text = form.get("was", "")
    standing = session.results.standing.get(place)
    is_wrong = bool(form.get("turned"))
    is_same = (to_round, to_board) in ((None, None), place[2:])
    if is_same and standing is not None and is_wrong == standing.is_wrong_direction:
        raise BadInput(f"Choose another board, or change the direction. {NOTHING_CHANGED}")
    guid = session.opened.session
    move = MoveResult(
        guid,
        *place,
        Origin.DESK,
        now,
        to_board,
        to_round,
        bool(form.get("exchange")),
        is_wrong,
        Outcome.parse(shown_text) if shown_text else None,
    )
    reason = read_line(form, "reason", LONGEST_REASON)
    if not reason:
        return move
    # The note of an earlier ruling moves with its result.
    earlier_note = session.rulings.notes.get(place)
    target = (*place[:2], to_round or place[2], to_board or place[3])
    words = f"{earlier_note.reason} {reason}".strip()[:LONGEST_REASON] if earlier_note else reason
    note = NoteRuling(guid, *target, words, now, earlier_note.appeal if earlier_note else Appeal.NONE)
    return SessionTransaction(guid, (move, note))


# The rulings of the session ---------------------------------------------------------------------------------


def write_contestant(contestant: Contestant) -> str:
    """Return a contestant as text for forms.

    >>> write_contestant(("A", 7, Side.EW)), write_contestant(("", 12, None))
    ('A-7-EW', '-12-')
    """
    section, number, side = contestant
    return f"{section}-{number}-{side.value if side else ''}"


def read_contestant(session: Session, form: Form) -> Contestant:
    """Return the contestant that a form names; raise BadInput if there is no such contestant."""
    text = form.get("who", "")
    by_key = {
        write_contestant(contestant): contestant
        for contestant in (*contestants(session), *session.rulings.statuses)
    }
    if text not in by_key:
        raise BadInput(f"Choose a pair, player or team. {NOTHING_CHANGED}")
    return by_key[text]


def adjustment_command(session: Session, form: Form, now: datetime) -> AdjustScore:
    """Return the command for a penalty or a bonus; raise BadInput without a unit, an amount or a reason."""
    contestant = read_contestant(session, form)
    unit = {member.value: member for member in AdjustmentUnit}.get(form.get("unit", ""))
    if unit is None:
        raise BadInput(f"Choose a unit for the penalty or bonus. {NOTHING_CHANGED}")
    try:
        amount = Decimal(form.get("amount", "").strip()[:20].replace(",", "."))
    except InvalidOperation:
        amount = Decimal(0)
    if not amount.is_finite() or amount <= 0:
        raise BadInput(f"Enter an amount greater than 0, such as 10. {NOTHING_CHANGED}")
    board = read_number(form, "board", 1, 9_999, "board") if form.get("board", "").strip() else None
    round_ = read_number(form, "round", 1, 9_999, "round") if form.get("round", "").strip() else None
    sign = 1 if form.get("kind") == "bonus" else -1
    reason = read_line(form, "reason", LONGEST_REASON)
    if not reason:
        raise BadInput(f"Enter the reason; it is printed with the results. {NOTHING_CHANGED}")
    return AdjustScore(session.opened.session, *contestant, sign * amount, unit, reason, now, board, round_)


def withdrawal_command(session: Session, form: Form, now: datetime) -> WithdrawAdjustment:
    """Return the command to withdraw a penalty or a bonus."""
    number = read_number(form, "adjustment", 1, 9_999_999, "number")
    return WithdrawAdjustment(session.opened.session, number, now)


VERSIONS = ("", "B", "C")
"""The names of the deals of a fouled board; the empty one is the board as dealt."""


def foul_command(session: Session, form: Form) -> FoulBoard:
    """Return the command that records which tables played which deal of a fouled board."""
    board = read_number(form, "board", 1, 9_999, "board")
    tables: dict[str, list[tuple[str, int, int]]] = {name: [] for name in VERSIONS}
    for field, name in form.items():
        if not field.startswith("version-"):
            continue
        place = read_place(f"{field.removeprefix('version-')}-{board}")
        if place is None or name not in tables:
            raise BadInput(f"Choose which cards each table played. {NOTHING_CHANGED}")
        tables[name].append(place[:3])
    if not any(tables.values()):
        raise BadInput(f"Choose a board that was played. {NOTHING_CHANGED}")
    versions = tuple(BoardVersion(name, tuple(played_at)) for name, played_at in tables.items() if played_at)
    return FoulBoard(session.opened.session, board, versions, read_line(form, "reason", LONGEST_REASON))


def status_command(session: Session, form: Form) -> Command:
    """Return the command to set whether a pair ranks; a pair that withdraws also leaves its remaining rounds."""
    section, number, side = read_contestant(session, form)
    status = {member.value: member for member in ContestantStatus}.get(form.get("status", ""))
    if status is None:
        raise BadInput(f"Choose whether the pair, player or team ranks. {NOTHING_CHANGED}")
    guid, reason = session.opened.session, read_line(form, "reason", LONGEST_REASON)
    set_status = SetContestantStatus(guid, section, number, side, status, reason)
    if status is not ContestantStatus.WITHDRAWN or section not in session.setup.sections:
        return set_status
    setup = session.setup.sections[section]
    leaving = missing_command(session, section, -number if side is Side.EW else number)
    # A section can have only one pair missing from the start. A second pair without results stays in the movement and
    # only gets the status.
    is_second = not leaving.tables and setup.missing_pair not in (0, leaving.plan.missing_pair)
    if setup.game is not GameKind.PAIRS or is_second:
        return set_status
    return SessionTransaction(guid, (leaving, set_status))


RuledMatch = tuple[int, Contestant, Contestant]
"""A match: its round and its two teams or pairs."""


def matches_by_key(session: Session) -> dict[str, RuledMatch]:
    """Return the matches of teams, and of pairs with victory points, by their keys in forms.

    They are in the order of rounds and tables.
    """
    by_place: dict[tuple[str, int, int], list[Contestant]] = {}
    for contestant, rounds in contestants(session).items():
        for place in rounds:
            if has_matches(session, place[0]):
                by_place.setdefault(place, []).append(contestant)
    matches: dict[str, RuledMatch] = {}
    for (_, _, number), teams in sorted(by_place.items(), key=lambda item: (item[0][2], item[0])):
        if len(teams) == 2:
            one, other = sorted(teams, key=lambda contestant: (contestant[0], contestant[1]))
            key = f"{number}/{write_contestant(one)}/{write_contestant(other)}"
            matches.setdefault(key, (number, one, other))
    return matches


def match_command(session: Session, form: Form) -> RuleMatch:
    """Return the command that voids or shortens a match of teams or pairs, or restores it as it was played."""
    match_ = matches_by_key(session).get(form.get("match", ""))
    if match_ is None:
        raise BadInput(f"Choose a match. {NOTHING_CHANGED}")
    number, one, other = match_
    reason = read_line(form, "reason", LONGEST_REASON)
    kind = form.get("kind", "")
    if kind not in MATCH_KINDS:
        raise BadInput(f"Choose how the match counts. {NOTHING_CHANGED}")
    if kind != "played" and not reason:
        raise BadInput(f"Enter the reason; it is printed with the results. {NOTHING_CHANGED}")
    points = boards = None
    if kind == "points":
        points = _read_points(form, "points-one"), _read_points(form, "points-other")
    elif kind == "short":
        boards = read_number(form, "boards", 1, 999, "number of boards")
    guid = session.opened.session
    return RuleMatch(guid, number, one, other, reason, kind in ("void", "points"), points, boards)


MATCH_KINDS = {
    "void": "Void: it counts for neither side",
    "points": "Void, with points for each team",
    "short": "Shortened: scored on the scale for its own number of boards",
    "played": "As it was played",
}
"""The ways in which a match counts, and their labels."""


def _read_points(form: Form, field: str) -> Decimal:
    try:
        points = Decimal(form.get(field, "").strip()[:20].replace(",", "."))
    except InvalidOperation:
        points = Decimal("NaN")
    if not points.is_finite():
        raise BadInput(f"Enter the points of each team, such as 12 and 8. {NOTHING_CHANGED}")
    return points


# The rules --------------------------------------------------------------------------------------------------


def read_rules(form: Form, current: ScoringRules) -> ScoringRules:
    """Return the rule set that a form chooses: pasted, built in, or `current`, the one in use."""
    own = form.get("own", "").strip()[:LONGEST_RULES]
    if own:
        return parse_rules(own)
    name = form.get("rules", "")
    if name == current.name:
        return current
    if name not in RULE_SETS:
        raise BadInput(f"Choose a rule set. {NOTHING_CHANGED}")
    return rule_set(name)


def rules_command(session: Session, form: Form) -> ChooseRules:
    """Return the command for the rule set of a scoring group."""
    number = read_number(form, "group", 1, 9_999, "scoring group")
    group = session.setup.groups.get(number)
    if group is None:
        raise BadInput(f"There is no scoring group {number}. {NOTHING_CHANGED}")
    before = rules_of(session, number)
    return ChooseRules(
        session.opened.session,
        number,
        read_rules(form, before.rule_set),
        pairs_vps=bool(form.get("vps")) and can_have_vps(group.method),
        is_knockout=bool(form.get("knockout")) and group.method.is_teams,
        boards_per_match=before.boards_per_match,
        single_top=before.single_top,
    )


def period_command(session: Session, form: Form, now: datetime) -> SetCorrectionPeriod:
    """Return the command that sets or ends the correction period.

    The form has a date and time, or a time alone, which means its next occurrence.
    """
    guid = session.opened.session
    if form.get("do") == "final":
        return SetCorrectionPeriod(guid, None)
    local_now = now.astimezone()
    text = form.get("until", "").strip()[:40]
    try:
        if len(text) <= 5:
            until = datetime.combine(local_now.date(), time.fromisoformat(text.zfill(5))).astimezone()
            until += timedelta(days=until <= local_now)
        else:
            until = datetime.fromisoformat(text)
            until = until.astimezone() if until.tzinfo is None else until
    except (ValueError, OverflowError):
        raise BadInput(
            f"Enter the date and time when the correction period ends. {NOTHING_CHANGED}"
        ) from None
    if not abs(until - now) < LONGEST_PERIOD:
        raise BadInput(f"Enter a date and time within ten years. {NOTHING_CHANGED}")
    return SetCorrectionPeriod(guid, until)
