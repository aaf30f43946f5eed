"""The queues of one session: changes by the control side, as items for the scoring program. Pure: no I/O.

A queue is folded from the facts of a session's stream and the clearings of clubs. `items` turns one fact into items.
Their id is the one that the journal drew for the fact. All sessions share one sequence of ids, because shipped clients
remember the last id of a data type and not of a session. `SessionQueues` keeps the items and which of them are current:
an item is replaced by a later one with the same key, and removed with its table, section or scoring group.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from types import MappingProxyType
from typing import Any

from overtrick.bridge import Deal, Outcome, Played, Side, Tricks
from overtrick.bridgemate.levels import level_of
from overtrick.connector import wire_codes
from overtrick.connector.wire.envelope import json_text
from overtrick.connector.wire.model import WireModel
from overtrick.connector.wire.numbers import QueueKind
from overtrick.connector.wire.play import ParticipationDTO, PlayerDataDTO, ResultDTO, TdCallDTO
from overtrick.event.calls import CallAnswered, CallStatus, DirectorCalled
from overtrick.event.fact import Fact
from overtrick.event.hands import HandEvaluated, HandRecordSet
from overtrick.event.movement import RoundsSet, TableDropped
from overtrick.event.results import ResultErased, ResultRecorded
from overtrick.event.seating import PlayerSet, Seated, SessionPlayer, Unseated
from overtrick.event.setup import GroupDropped, QueuesCleared, SectionDropped, SectionSet, SessionOpened
from overtrick.store.tables import SCORING as SCORING

PROGRAM = "scoring program"
"""The start of the actor's name in facts that come from a connected program."""
CONTROL = "control"
"""The side of everyone else: desk, phones, robots, imports."""


Key = tuple[Any, ...]

MAKING_ITEMS = frozenset(
    {
        ResultRecorded,
        ResultErased,
        PlayerSet,
        Seated,
        Unseated,
        HandRecordSet,
        HandEvaluated,
        DirectorCalled,
        CallAnswered,
    }
)


def makes_item(side: str, fact: Any) -> bool:
    """Return whether a fact needs an item id: it may become an item, or it clears all items before it."""
    kind = type(fact)
    return kind is QueuesCleared or (side != SCORING and kind in MAKING_ITEMS)


@dataclass(frozen=True, slots=True)
class QueueItem:
    """One item of a queue; `text` is its DTO as JSON."""

    id: int
    kind: QueueKind
    key: Key
    text: str


@dataclass(slots=True)
class QueueContext:
    """Data from earlier facts of a session that is needed to make items."""

    session: str = ""
    zone: tzinfo | None = None
    """The time zone of the club; None means that of this computer."""
    players: dict[str, SessionPlayer] = field(default_factory=dict)
    groups: dict[str, int] = field(default_factory=dict)
    """The scoring group of each section."""
    deals: dict[tuple[int, int], Deal] = field(default_factory=dict)
    """The deals that the control side entered."""
    calls: dict[str, DirectorCalled] = field(default_factory=dict)

    def section_of(self, group: int) -> str:
        """Return the first section of a scoring group, which hand records on the wire name; empty if it has none."""
        return min(
            (letters for letters, section_group in self.groups.items() if section_group == group), default=""
        )


def items(fact: Fact, id: int, context: QueueContext) -> list[QueueItem]:
    """Return the items for a fact, all with this id. The fact is not yet in `context`."""
    match fact:
        case ResultRecorded():
            return _result_items(fact, id, context)
        case ResultErased():
            deleted = _place(context, fact.place) | {"IsDeleted": True}
            return [_item(id, QueueKind.RESULTS, fact.place, ResultDTO, deleted)]
        case PlayerSet():
            player = SessionPlayer(fact.number, fact.first_name, fact.last_name, fact.country)
            return [_player_item(id, context, player)]
        case Seated():
            return _seat_items(fact, id, context)
        case Unseated():
            chair = (fact.section, fact.table, fact.round, fact.seat)
            return [_chair_item(id, context, chair, IsRemoval=True)]
        case HandRecordSet():
            return [_hand_item(id, context, fact.group, fact.board, fact.deal, fact.tricks)]
        case HandEvaluated() if deal := context.deals.get((fact.group, fact.board)):
            return [_hand_item(id, context, fact.group, fact.board, deal, fact.tricks)]
        case DirectorCalled():
            return [_call_item(id, context, fact, CallStatus.LAUNCHED)]
        case CallAnswered() if call := context.calls.get(fact.call):
            return [_call_item(id, context, call, fact.status)]
    return []


def _item(
    id: int, kind: QueueKind, key: Key, dto_type: type[WireModel], figures: dict[str, Any]
) -> QueueItem:
    return QueueItem(id, kind, key, json_text(dto_type(**figures)))


def _place(context: QueueContext, place: tuple[str, int, int, int]) -> dict[str, Any]:
    section, table, number, board = place
    return {
        "SessionGuid": context.session,
        "SectionLetters": section,
        "TableNumber": table,
        "RoundNumber": number,
        "BoardNumber": board,
        "ScoringDirection": 3,
    }


def _outcomes(fact: ResultRecorded) -> list[tuple[Side | None, Outcome]]:
    """Return (None, outcome) for both sides together, or one pair for each side if they differ."""
    sides: list[tuple[Side | None, Outcome | None]] = [(None, fact.outcome)]
    if fact.outcome_ew is not None:
        sides = [(Side.NS, fact.outcome), (Side.EW, fact.outcome_ew)]
    return [(side, outcome) for side, outcome in sides if outcome is not None]


def can_be_sent(fact: ResultRecorded) -> bool:
    """Return whether the wire can express a result: it has no number for a pending ruling."""
    return all(isinstance(outcome, Played) or level_of(outcome) is not None for _, outcome in _outcomes(fact))


def _result_items(fact: ResultRecorded, id: int, context: QueueContext) -> list[QueueItem]:
    """Return one item, or one for each side if they differ; none for a result that the wire cannot express."""
    if not can_be_sent(fact):
        return []
    result = []
    for side, outcome in _outcomes(fact):
        figures = wire_codes.result_figures(outcome, side, fact.ns, fact.ew, fact.is_wrong_direction)
        assert figures is not None
        dto = _place(context, fact.place) | {"PairNorthSouth": fact.ns, "PairEastWest": fact.ew} | figures
        if fact.lead is not None:
            dto |= {"LeadCardRank": int(fact.lead.rank), "LeadCardSuit": fact.lead.suit + 1}
        key = fact.place if side is None else (*fact.place, side)
        result.append(_item(id, QueueKind.RESULTS, key, ResultDTO, dto))
    return result


def _player_item(id: int, context: QueueContext, player: SessionPlayer) -> QueueItem:
    figures = {
        "SessionGuid": context.session,
        "PlayerNumber": player.number,
        "FirstName": player.first_name,
        "LastName": player.last_name,
        "CountryCode": player.country or None,
    }
    return _item(id, QueueKind.PLAYERS, (player.number,), PlayerDataDTO, figures)


def _chair_item(id: int, context: QueueContext, chair: Key, **figures: Any) -> QueueItem:
    section, table, number, seat = chair
    figures |= {
        "SessionGuid": context.session,
        "SectionLetters": section,
        "TableNumber": table,
        "RoundNumber": number,
        "Direction": wire_codes.wire_seat(seat),
    }
    return _item(id, QueueKind.PARTICIPATIONS, chair, ParticipationDTO, figures)


def _seat_items(fact: Seated, id: int, context: QueueContext) -> list[QueueItem]:
    """Return a participation, preceded by the player if the number or the name of that number is new."""
    result = []
    player = fact.player
    if player.number and player.name and context.players.get(player.number) != player:
        result.append(_player_item(id, context, player))
    chair = (fact.section, fact.table, fact.round, fact.seat)
    result.append(
        _chair_item(
            id,
            context,
            chair,
            PlayerNumber=player.number or None,
            FirstName=player.first_name or None,
            LastName=player.last_name or None,
            CountryCode=player.country or None,
            IsPlayerSwap=fact.is_swap,
        )
    )
    return result


def _hand_item(
    id: int, context: QueueContext, group: int, board: int, deal: Deal, tricks: Tricks | None
) -> QueueItem:
    dto = wire_codes.handrecord(context.session, group, context.section_of(group), board, deal, tricks)
    return QueueItem(id, QueueKind.HAND_RECORDS, (group, board), json_text(dto))


def _call_item(id: int, context: QueueContext, call: DirectorCalled, status: CallStatus) -> QueueItem:
    local_time = call.at.astimezone(context.zone)
    figures = {
        "SessionGuid": context.session,
        "SectionLetters": call.section,
        "TableNumber": call.table,
        "RoundNumber": call.round,
        "Hour": local_time.hour,
        "Minute": local_time.minute,
        "Status": wire_codes.CALL_NUMBERS[status],
    }
    return _item(id, QueueKind.CALLS, (call.section, call.table, call.call), TdCallDTO, figures)


def _update_context(context: QueueContext, fact: Fact, side: str) -> None:
    """Update the context with a fact."""
    match fact:
        case SessionOpened():
            context.session = fact.session
        case SectionSet():
            context.groups[fact.section] = fact.group
        case SectionDropped():
            context.groups.pop(fact.section, None)
        case PlayerSet():
            context.players[fact.number] = SessionPlayer(
                fact.number, fact.first_name, fact.last_name, fact.country
            )
        case Seated() if fact.number and fact.player.name:
            context.players[fact.number] = fact.player
        case HandRecordSet():
            context.deals.pop((fact.group, fact.board), None)
            if side == CONTROL:
                context.deals[fact.group, fact.board] = fact.deal
        case DirectorCalled():
            context.calls[fact.call] = fact


def _replaced_keys(fact: Fact, context: QueueContext) -> list[tuple[QueueKind, Key]]:
    """Return the keys of the items that a fact of the control or the scoring side replaces."""
    match fact:
        case ResultRecorded() if not can_be_sent(fact):
            return []  # the item of the table's own result stays current
        case ResultRecorded() | ResultErased():
            place = fact.place
            return [(QueueKind.RESULTS, key) for key in (place, (*place, Side.NS), (*place, Side.EW))]
        case PlayerSet():
            return [(QueueKind.PLAYERS, (fact.number,))]
        case Seated() | Unseated():
            return [(QueueKind.PARTICIPATIONS, (fact.section, fact.table, fact.round, fact.seat))]
        case HandRecordSet() | HandEvaluated():
            return [(QueueKind.HAND_RECORDS, (fact.group, fact.board))]
        case CallAnswered() if call := context.calls.get(fact.call):
            return [(QueueKind.CALLS, (call.section, call.table, call.call))]
    return []


def _reported_key(kind: QueueKind, key: Key) -> tuple[QueueKind, Key]:
    """Return the key of an item without a side, so that both halves of a split score share it."""
    return kind, key[:4] if kind is QueueKind.RESULTS else key


_AT_TABLES = (QueueKind.RESULTS, QueueKind.PARTICIPATIONS, QueueKind.CALLS)


def _removed_items(fact: Fact) -> tuple[tuple[QueueKind, ...], Callable[[Key], bool]] | None:
    """Return the kinds of items that a fact removes, and a predicate for their keys; None if it removes none.

    Items are removed with their round, table, section or scoring group.
    """
    match fact:
        case RoundsSet():
            table = (fact.section, fact.table)
            return (QueueKind.RESULTS,), lambda key: key[:2] == table and key[2] >= fact.first
        case TableDropped():
            return _AT_TABLES, lambda key: key[:2] == (fact.section, fact.table)
        case SectionDropped():
            return _AT_TABLES, lambda key: key[0] == fact.section
        case GroupDropped():
            return (QueueKind.HAND_RECORDS,), lambda key: key[0] == fact.group
    return None


class SessionQueues:
    """All queues of one session, folded from the facts of its stream in order.

    `cleared` has, by club, the id up to which the queues of all sessions were cleared; the key "" means all clubs.
    """

    def __init__(self, zone: tzinfo | None = None, cleared: Mapping[str, int] = MappingProxyType({})) -> None:
        self._context = QueueContext(zone=zone)
        self._cleared = cleared
        self._floors: dict[str, int] = {}
        self._items: dict[QueueKind, list[QueueItem]] = {kind: [] for kind in QueueKind}
        self._ids: dict[QueueKind, list[int]] = {kind: [] for kind in QueueKind}
        self._current: dict[QueueKind, dict[Key, QueueItem]] = {kind: {} for kind in QueueKind}
        self._reported: dict[tuple[QueueKind, Key], int] = {}
        """The id of the last item that the control side has reported, by `_reported_key`."""

    def apply(self, id: int, side: str, fact: Fact) -> None:
        """Apply one fact; its items get this id."""
        if side == SCORING and type(fact) is ResultRecorded:
            # Fast path: most facts are results that the scoring program sends in batches.
            self._remove_replaced(fact, side)
            self._apply_scoring_change(fact)
            return
        if isinstance(fact, QueuesCleared):
            self._floors[fact.club] = id  # older journals have this fact in the session's stream
            return
        self._remove_replaced(fact, side)
        if side == SCORING:
            self._apply_scoring_change(fact)
        else:
            for item in items(fact, id, self._context):
                self._items[item.kind].append(item)
                self._ids[item.kind].append(id)
                self._reported[_reported_key(item.kind, item.key)] = item.id
                self._make_current(item)
        _update_context(self._context, fact, side)

    def _make_current(self, item: QueueItem) -> None:
        current = self._current[item.kind]
        current.pop(item.key, None)  # dicts keep the order of insertion: the newest comes last
        current[item.key] = item

    def _apply_scoring_change(self, fact: Fact) -> None:
        """Replace the current item by the scoring program's change, if the control side has reported that key before.

        The new item has the id of the last reported one: a poll for all items returns the change, a poll for new items
        does not.
        """
        if not self._reported:
            return
        reported = (_reported_key(kind, key) for kind, key in _replaced_keys(fact, self._context))
        id = max((self._reported.get(key, 0) for key in reported), default=0)
        if id and not isinstance(fact, ResultErased | Unseated):
            for item in items(fact, id, self._context):
                if _reported_key(item.kind, item.key) in self._reported:
                    self._make_current(item)

    def _remove_replaced(self, fact: Fact, side: str) -> None:
        for kind, key in _replaced_keys(fact, self._context):
            self._current[kind].pop(key, None)
        if removed := _removed_items(fact):
            kinds, is_removed = removed
            for kind in kinds:
                if kind is QueueKind.RESULTS and side != SCORING:
                    continue  # the control side also erases these results, and those facts make items
                current = self._current[kind]
                for key in [key for key in current if is_removed(key)]:
                    del current[key]
                for reported in [
                    reported_key
                    for reported_key in self._reported
                    if reported_key[0] is kind and is_removed(reported_key[1])
                ]:
                    del self._reported[reported]

    def floor(self, club: str) -> int:
        """Return the id up to which the queues were cleared, for this club or for all."""
        return max(
            floors.get(club_key, 0) for floors in (self._floors, self._cleared) for club_key in (club, "")
        )

    def newest(self, kind: QueueKind) -> int:
        """Return the id of the newest item of a kind; 0 if there is none."""
        return self._ids[kind][-1] if self._ids[kind] else 0

    def new(self, kind: QueueKind, after: int, club: str) -> list[QueueItem]:
        """Return the current items of the control side with ids above `after` that were not cleared, in order."""
        start = bisect_right(self._ids[kind], max(after, self.floor(club)))
        current = self._current[kind]
        return [item for item in self._items[kind][start:] if current.get(item.key) is item]

    def all(self, kind: QueueKind, club: str) -> list[QueueItem]:
        """Return the current item of each key that the control side has reported, unless it was cleared, in order."""
        floor = self.floor(club)
        current = list(self._current[kind].values())
        return [item for item in current if item.id > floor] if floor else current


def payload(polled: Iterable[QueueItem]) -> str:
    """Return items as a JSON array, the payload of the response to a poll.

    >>> payload([])
    '[]'
    """
    return "[" + ",".join(item.text for item in polled) + "]"
