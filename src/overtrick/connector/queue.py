"""The queues of one session: changes by the control side, as items for the scoring program. Pure: no I/O.

A queue is folded from the facts of a session's stream and the clearings of clubs. `items` turns one fact into items.
Their id is the one that the journal drew for the fact: ids rise across all sessions, because shipped clients remember
the last id of a data type and not of a session. `SessionQueues` keeps the items and which of them are current: an item
is replaced by a later one with the same key, and removed with its table, section or scoring group.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from enum import Enum
from types import MappingProxyType
from typing import Any

from overtrick.bridge import Deal, Outcome, Played, Side, Tricks
from overtrick.bridgemate.levels import level_of
from overtrick.connector import wire_codes
from overtrick.connector.wire.numbers import DataType
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
"""The first words of the actor in facts of a program on the wire."""
CONTROL = "control"
"""The side of everyone else: desk, phones, robots, imports."""


class QueueKind(Enum):
    """The kind of items in a queue. The names of the members make the names of the marks, which are stored."""

    RESULTS = DataType.Results
    PLAYERS = DataType.PlayerData
    PARTICIPATIONS = DataType.Participations
    HAND_RECORDS = DataType.Handrecords
    CALLS = DataType.TdCalls

    @property
    def mark(self) -> str:
        """Return the name of the mark for the last accepted item."""
        return self.name.lower().replace("_", "-")

    @property
    def offered(self) -> str:
        """Return the name of the mark for the last offered item."""
        return f"{self.mark}/offered"


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
    """One item: its text is the DTO, ready to be sent."""

    id: int
    kind: QueueKind
    key: Key
    text: str


@dataclass(slots=True)
class QueueContext:
    """Data of earlier facts of the session that later items need."""

    session: str = ""
    zone: tzinfo | None = None
    """The time zone of the club; None is that of this computer."""
    players: dict[str, SessionPlayer] = field(default_factory=dict)
    groups: dict[str, int] = field(default_factory=dict)
    """The scoring group of each section."""
    deals: dict[tuple[int, int], Deal] = field(default_factory=dict)
    """The deals that the control side entered."""
    calls: dict[str, DirectorCalled] = field(default_factory=dict)

    def section_of(self, group: int) -> str:
        """Return the first section of a scoring group; hand records on the wire name one."""
        return min((letters for letters, home in self.groups.items() if home == group), default="")


def items(fact: Fact, id: int, known: QueueContext) -> list[QueueItem]:
    """Return the items that a fact of the control side makes; `known` is the context before it."""
    match fact:
        case ResultRecorded():
            return _result_items(fact, id, known)
        case ResultErased():
            deleted = _place(known, fact.place) | {"IsDeleted": True}
            return [_item(id, QueueKind.RESULTS, fact.place, ResultDTO, deleted)]
        case PlayerSet():
            player = SessionPlayer(fact.number, fact.first_name, fact.last_name, fact.country)
            return [_player_item(id, known, player)]
        case Seated():
            return _seat_items(fact, id, known)
        case Unseated():
            chair = (fact.section, fact.table, fact.round, fact.seat)
            return [_chair_item(id, known, chair, IsRemoval=True)]
        case HandRecordSet():
            return [_hand_item(id, known, fact.group, fact.board, fact.deal, fact.tricks)]
        case HandEvaluated() if deal := known.deals.get((fact.group, fact.board)):
            return [_hand_item(id, known, fact.group, fact.board, deal, fact.tricks)]
        case DirectorCalled():
            return [_call_item(id, known, fact, CallStatus.LAUNCHED)]
        case CallAnswered() if call := known.calls.get(fact.call):
            return [_call_item(id, known, call, fact.status)]
    return []


def _item(id: int, kind: QueueKind, key: Key, wire: type, figures: dict[str, Any]) -> QueueItem:
    return QueueItem(id, kind, key, wire.model_construct(**figures).model_dump_json())  # type: ignore[attr-defined]


def _place(known: QueueContext, place: tuple[str, int, int, int]) -> dict[str, Any]:
    section, table, number, board = place
    return {
        "SessionGuid": known.session,
        "SectionLetters": section,
        "TableNumber": table,
        "RoundNumber": number,
        "BoardNumber": board,
        "ScoringDirection": 3,
    }


def _outcomes(fact: ResultRecorded) -> list[tuple[Side | None, Outcome]]:
    """Return the outcome for both sides, or one for each side where they differ."""
    sides: list[tuple[Side | None, Outcome | None]] = [(None, fact.outcome)]
    if fact.outcome_ew is not None:
        sides = [(Side.NS, fact.outcome), (Side.EW, fact.outcome_ew)]
    return [(side, happened) for side, happened in sides if happened is not None]


def can_be_sent(fact: ResultRecorded) -> bool:
    """Return whether the wire can express a result; it cannot express a pending ruling."""
    return all(isinstance(each, Played) or level_of(each) is not None for _, each in _outcomes(fact))


def _result_items(fact: ResultRecorded, id: int, known: QueueContext) -> list[QueueItem]:
    """Return one item, or one for each side where they differ; none for a result that the wire cannot express."""
    if not can_be_sent(fact):
        return []
    made = []
    for side, happened in _outcomes(fact):
        figures = wire_codes.result_figures(happened, side, fact.ns, fact.ew, fact.is_wrong_direction)
        assert figures is not None
        dto = _place(known, fact.place) | {"PairNorthSouth": fact.ns, "PairEastWest": fact.ew} | figures
        if fact.lead is not None:
            dto |= {"LeadCardRank": int(fact.lead.rank), "LeadCardSuit": fact.lead.suit + 1}
        key = fact.place if side is None else (*fact.place, side)
        made.append(_item(id, QueueKind.RESULTS, key, ResultDTO, dto))
    return made


def _player_item(id: int, known: QueueContext, player: SessionPlayer) -> QueueItem:
    figures = {
        "SessionGuid": known.session,
        "PlayerNumber": player.number,
        "FirstName": player.first_name,
        "LastName": player.last_name,
        "CountryCode": player.country or None,
    }
    return _item(id, QueueKind.PLAYERS, (player.number,), PlayerDataDTO, figures)


def _chair_item(id: int, known: QueueContext, chair: Key, **figures: Any) -> QueueItem:
    section, table, number, seat = chair
    figures |= {
        "SessionGuid": known.session,
        "SectionLetters": section,
        "TableNumber": table,
        "RoundNumber": number,
        "Direction": wire_codes.wire_seat(seat),
    }
    return _item(id, QueueKind.PARTICIPATIONS, chair, ParticipationDTO, figures)


def _seat_items(fact: Seated, id: int, known: QueueContext) -> list[QueueItem]:
    """Return a participation, preceded by the player if the number or its name is new."""
    made = []
    player = fact.player
    if player.number and player.name and known.players.get(player.number) != player:
        made.append(_player_item(id, known, player))
    chair = (fact.section, fact.table, fact.round, fact.seat)
    made.append(
        _chair_item(
            id,
            known,
            chair,
            PlayerNumber=player.number or None,
            FirstName=player.first_name or None,
            LastName=player.last_name or None,
            CountryCode=player.country or None,
            IsPlayerSwap=fact.is_swap,
        )
    )
    return made


def _hand_item(
    id: int, known: QueueContext, group: int, board: int, deal: Deal, tricks: Tricks | None
) -> QueueItem:
    dto = wire_codes.handrecord(known.session, group, known.section_of(group), board, deal, tricks)
    return QueueItem(id, QueueKind.HAND_RECORDS, (group, board), dto.model_dump_json())


def _call_item(id: int, known: QueueContext, call: DirectorCalled, status: CallStatus) -> QueueItem:
    wall = call.at.astimezone(known.zone)
    figures = {
        "SessionGuid": known.session,
        "SectionLetters": call.section,
        "TableNumber": call.table,
        "RoundNumber": call.round,
        "Hour": wall.hour,
        "Minute": wall.minute,
        "Status": wire_codes.CALL_NUMBERS[status],
    }
    return _item(id, QueueKind.CALLS, (call.section, call.table, call.call), TdCallDTO, figures)


def _learn(known: QueueContext, fact: Fact, side: str) -> None:
    """Update the context with a fact."""
    match fact:
        case SessionOpened():
            known.session = fact.session
        case SectionSet():
            known.groups[fact.section] = fact.group
        case SectionDropped():
            known.groups.pop(fact.section, None)
        case PlayerSet():
            known.players[fact.number] = SessionPlayer(
                fact.number, fact.first_name, fact.last_name, fact.country
            )
        case Seated() if fact.number and fact.player.name:
            known.players[fact.number] = fact.player
        case HandRecordSet():
            known.deals.pop((fact.group, fact.board), None)
            if side == CONTROL:
                known.deals[fact.group, fact.board] = fact.deal
        case DirectorCalled():
            known.calls[fact.call] = fact


def _overtaken(fact: Fact, known: QueueContext) -> list[tuple[QueueKind, Key]]:
    """Return the keys of the items that a fact replaces, whichever side made it."""
    match fact:
        case ResultRecorded() if not can_be_sent(fact):
            return []  # the result that the table reported stays
        case ResultRecorded() | ResultErased():
            place = fact.place
            return [(QueueKind.RESULTS, key) for key in (place, (*place, Side.NS), (*place, Side.EW))]
        case PlayerSet():
            return [(QueueKind.PLAYERS, (fact.number,))]
        case Seated() | Unseated():
            return [(QueueKind.PARTICIPATIONS, (fact.section, fact.table, fact.round, fact.seat))]
        case HandRecordSet() | HandEvaluated():
            return [(QueueKind.HAND_RECORDS, (fact.group, fact.board))]
        case CallAnswered() if call := known.calls.get(fact.call):
            return [(QueueKind.CALLS, (call.section, call.table, call.call))]
    return []


def _reported_key(kind: QueueKind, key: Key) -> tuple[QueueKind, Key]:
    """Return the key of an item without its side: both halves of a split score share it."""
    return kind, key[:4] if kind is QueueKind.RESULTS else key


_AT_TABLES = (QueueKind.RESULTS, QueueKind.PARTICIPATIONS, QueueKind.CALLS)


def _gone(fact: Fact) -> tuple[tuple[QueueKind, ...], Callable[[Key], bool]] | None:
    """Return the kinds of items that a fact removes with their round, table, section or group, and a test of keys."""
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

    `cleared` has, by club, the id up to which the queues of all sessions were cleared.
    """

    def __init__(self, zone: tzinfo | None = None, cleared: Mapping[str, int] = MappingProxyType({})) -> None:
        self._known = QueueContext(zone=zone)
        self._cleared = cleared
        self._floors: dict[str, int] = {}
        self._items: dict[QueueKind, list[QueueItem]] = {kind: [] for kind in QueueKind}
        self._ids: dict[QueueKind, list[int]] = {kind: [] for kind in QueueKind}
        self._standing: dict[QueueKind, dict[Key, QueueItem]] = {kind: {} for kind in QueueKind}
        self._reported: dict[tuple[QueueKind, Key], int] = {}
        """By key without side, the id of the last item that the control side has reported."""

    def apply(self, id: int, side: str, fact: Fact) -> None:
        """Apply one fact, whose items have this id."""
        if side == SCORING and type(fact) is ResultRecorded:
            # Fast path: most facts are results in batches of the scoring program.
            self._forget(fact, side)
            self._follow(fact)
            return
        if isinstance(fact, QueuesCleared):
            self._floors[fact.club] = id  # older journals have this fact in the session's stream
            return
        self._forget(fact, side)
        if side == SCORING:
            self._follow(fact)
        else:
            for item in items(fact, id, self._known):
                self._items[item.kind].append(item)
                self._ids[item.kind].append(id)
                self._reported[_reported_key(item.kind, item.key)] = item.id
                self._stand(item)
        _learn(self._known, fact, side)

    def _stand(self, item: QueueItem) -> None:
        standing = self._standing[item.kind]
        standing.pop(item.key, None)  # dicts keep the order of insertion: the newest comes last
        standing[item.key] = item

    def _follow(self, fact: Fact) -> None:
        """Make a change by the scoring program current, under the old id, where the control side reported before.

        A poll for everything then shows the correction, and a poll for new items does not.
        """
        if not self._reported:
            return
        reported = (_reported_key(kind, key) for kind, key in _overtaken(fact, self._known))
        id = max((self._reported.get(key, 0) for key in reported), default=0)
        if id and not isinstance(fact, ResultErased | Unseated):
            for item in items(fact, id, self._known):
                if _reported_key(item.kind, item.key) in self._reported:
                    self._stand(item)

    def _forget(self, fact: Fact, side: str) -> None:
        for kind, key in _overtaken(fact, self._known):
            self._standing[kind].pop(key, None)
        if gone := _gone(fact):
            kinds, is_gone = gone
            for kind in kinds:
                if kind is QueueKind.RESULTS and side != SCORING:
                    continue  # the control side also deletes their results, which makes items
                standing = self._standing[kind]
                for key in [key for key in standing if is_gone(key)]:
                    del standing[key]
                for known in [each for each in self._reported if each[0] is kind and is_gone(each[1])]:
                    del self._reported[known]

    def floor(self, club: str) -> int:
        """Return the id up to which the queues were cleared for this club."""
        return max(floors.get(each, 0) for floors in (self._floors, self._cleared) for each in (club, ""))

    def newest(self, kind: QueueKind) -> int:
        """Return the id of the newest item of a kind; 0 if there is none."""
        return self._ids[kind][-1] if self._ids[kind] else 0

    def new(self, kind: QueueKind, after: int, club: str) -> list[QueueItem]:
        """Return every current item above the mark, in order."""
        start = bisect_right(self._ids[kind], max(after, self.floor(club)))
        standing = self._standing[kind]
        return [item for item in self._items[kind][start:] if standing.get(item.key) is item]

    def all(self, kind: QueueKind, club: str) -> list[QueueItem]:
        """Return the current item of each key that the control side has reported, in order."""
        floor = self.floor(club)
        current = list(self._standing[kind].values())
        return [item for item in current if item.id > floor] if floor else current


def payload(polled: Iterable[QueueItem]) -> str:
    """Return items as the JSON array that a poll answers.

    >>> payload([])
    '[]'
    """
    return "[" + ",".join(item.text for item in polled) + "]"
