"""The state of a terminal and the few moves that all its flows are made of. Knows no key and no screen.

Which key does what in which stage is in `states`, which owns the state table.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any

from overtrick.bridge import Card, Contract, Outcome, Seat
from overtrick.control.rules import Rules
from overtrick.control.snapshot import LobbyTable, OwnResult, Snapshot, TableRound
from overtrick.event import Command
from overtrick.event.hands import PutHandRecords
from overtrick.event.quick import quick_replace, quickly_made
from overtrick.event.results import CorrectResult, EnterResult, Origin, ResultEntry
from overtrick.event.settings import (
    HandEntry,
    Language,
    LeadEntry,
    ScoreRecap,
    ShowRanking,
    SummaryPoints,
    ViewResults,
)


class Stage(Enum):
    """Where a terminal is. A stage shows one screen."""

    LOG_ON = "log on"
    TAKE_OVER = "take over"
    CONNECTING = "connecting"
    STARTING_POSITIONS = "starting positions"
    NUMBERS = "numbers"
    PLAYERS = "players"
    ROUND = "round"
    BOARD = "board"
    AUCTION = "auction"
    CONTRACT = "contract"
    DECLARER = "declarer"
    PAIR = "pair"
    LEAD = "lead"
    PLAY = "play"
    RESULT = "result"
    VERIFY = "verify"
    RESULTS = "results"
    HAND = "hand"
    ENTER_HAND = "enter hand"
    RECAP = "recap"
    RANKING = "ranking"
    NEXT = "next seating"
    WAITING = "waiting"
    SUMMARY = "summary"
    END = "end"
    PIN = "pin"
    MENU = "director's menu"
    STATUS = "status"
    VIEW_BOARD = "view board"

    # A stage is looked up at every key, and each is one object.
    __hash__ = object.__hash__


ENTERING = frozenset(
    {
        Stage.AUCTION,
        Stage.CONTRACT,
        Stage.DECLARER,
        Stage.PAIR,
        Stage.LEAD,
        Stage.PLAY,
        Stage.RESULT,
        Stage.VERIFY,
    }
)
"""The stages in which a board is half entered."""


class Purpose(Enum):
    """What the director's PIN was asked for."""

    MENU = "menu"
    NOT_PLAYED = "not played"


@dataclass(frozen=True, slots=True)
class Notice:
    """A short message beside the screen: a key of the catalogues and its figures."""

    key: str
    about: dict[str, str] = field(default_factory=dict)


@quickly_made
@dataclass(frozen=True, slots=True)
class Entry:
    """Something a terminal wants to happen, with an id of its own: sent twice it counts once.

    The incarnation says for which start of the session it was made.
    """

    id: str
    incarnation: int
    command: Command


@dataclass(frozen=True, slots=True)
class Conflict:
    """An entry that was refused, and why; it stays until someone has seen it."""

    entry: Entry
    reason: str
    sentence: str


@quickly_made
@dataclass(frozen=True, slots=True)
class Kept:
    """What an entry of this device makes of a result until a snapshot says so itself; None is an erasure."""

    entry: str
    section: str
    table: int
    round: int
    board: int
    result: OwnResult | None
    version: int | None = None
    """The version of the stream that has it; None while it is not acknowledged."""


_change_kept = quick_replace(Kept)


@quickly_made
@dataclass(frozen=True, slots=True)
class Draft:
    """A board as far as it is entered."""

    board: int = 0
    level: int = 0
    strain: int = 0
    doubling: int = 0
    declarer: Seat | None = None
    is_wrong_direction: bool = False
    calls: tuple[str, ...] = ()
    cards: tuple[str, ...] = ()
    lead: str = ""
    odd_lead: str = ""
    """A lead that the deal does not have, waiting for a yes."""
    outcome: str = ""
    was: str = ""
    """What stood there, where this is a correction."""
    is_correction: bool = False


NOTHING_ENTERED = Draft()

change_draft = quick_replace(Draft)


@dataclass(frozen=True, slots=True)
class Step:
    """A stage that will be shown, and the board it is about."""

    stage: Stage
    board: int = 0


class Remembered:
    """What a terminal has worked out from its state; it is no part of it, and is not written with it."""

    __slots__ = ("_keys", "_scored")
    _keys: tuple[Rules, dict[Stage, Any]]
    """For these rules what the keys do, by stage."""
    _scored: "Scored"

    def keys_for(self, rules: Rules) -> dict[Stage, Any]:
        """What is remembered of the keys under these rules, by stage; `states` fills it."""
        if getattr(self, "_keys", (None,))[0] is not rules:
            self._keys = rules, {}
        return self._keys[1]

    def scored(self, known: Snapshot, entries: tuple[Kept, ...]) -> "Scored":
        """What a snapshot and the entries since say is scored."""
        before: Scored | None = getattr(self, "_scored", None)
        if before is None or before.known is not known or before.entries is not entries:
            before = self._scored = Scored(known, entries)
        return before

    def scored_the_same(self, before: tuple[Kept, ...], entries: tuple[Kept, ...]) -> None:
        """These entries make the same results as those before."""
        scored: Scored | None = getattr(self, "_scored", None)
        if scored is not None and scored.entries is before:
            scored.entries = entries


class Scored:
    """The results that a snapshot and the entries since make, and the boards that they leave open."""

    __slots__ = ("_open", "entries", "known", "results")

    def __init__(self, known: Snapshot, entries: tuple[Kept, ...]) -> None:
        self.known = known
        self.entries = entries
        self.results = {(result.round, result.board): result for result in known.results}
        for kept in entries:
            if (kept.section, kept.table) == (known.section, known.table):
                if kept.result is None:
                    self.results.pop((kept.round, kept.board), None)
                else:
                    self.results[kept.round, kept.board] = kept.result
        self._open: dict[int, tuple[int, ...]] = {}

    def open_boards(self, number: int) -> tuple[int, ...]:
        """The boards of a round that have no result."""
        found = self._open.get(number)
        if found is None:
            here = self.known.round(number)
            boards = here.boards if here is not None and here.is_played else ()
            found = tuple([board for board in boards if (number, board) not in self.results])
            self._open[number] = found
        return found


@dataclass(slots=True)
class Machine(Remembered):
    """A terminal as it stands. All of it can be written and read back, so another device can go on with it."""

    device: str
    session: str = ""
    lobby: tuple[LobbyTable, ...] = ()
    run: str = ""
    """Makes the ids of this run's entries different from those of any other run of the device."""
    count: int = 0
    snapshot: Snapshot | None = None
    stage: Stage = Stage.LOG_ON
    choice: tuple[str, int] | None = None
    round: int = 0
    draft: Draft = field(default_factory=Draft)
    odd_board: int = 0
    """A board out of order, waiting for a yes."""
    steps: tuple[Step, ...] = ()
    shown_board: int = 0
    page: int = 0
    hands: tuple[tuple[str, ...], ...] = ()
    """The hands of a deal that is being entered."""
    seats: tuple[Seat, ...] = ()
    typed: tuple[str, ...] = ()
    numbers_round: int = 0
    numbers_asked: int = -1
    """The last round whose numbers were asked for; 0 is before play."""
    is_directors_change: bool = False
    """Whether it is the director who lets numbers be asked for, whatever the rules are."""
    back: Stage = Stage.ROUND
    purpose: Purpose = Purpose.MENU
    resets: int = 0
    has_ended: bool = False
    language: Language | None = None
    notice: Notice | None = None
    outbox: tuple[Entry, ...] = ()
    kept: tuple[Kept, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    refused: tuple[Conflict, ...] = ()
    """Conflicts that the players have seen; the director's status shows them."""

    # What is known ------------------------------------------------------------------------------------------

    @property
    def known(self) -> Snapshot:
        """What the terminal knows of its table."""
        if self.snapshot is None:
            raise LookupError("a terminal that is not logged on")
        return self.snapshot

    @property
    def rules(self) -> Rules:
        """What it asks, shows and allows."""
        return self.known.rules

    def results(self) -> Mapping[tuple[int, int], OwnResult]:
        """The results of this table by round and board, with what has not been sent yet."""
        return self.scored(self.known, self.kept).results

    def here(self) -> TableRound | None:
        """The round that is being played."""
        return self.known.round(self.round)

    def open_boards(self, number: int | None = None) -> tuple[int, ...]:
        """The boards of a round that have no result."""
        return self.scored(self.known, self.kept).open_boards(self.round if number is None else number)

    def round_to_play(self) -> int:
        """The round to go on with: not before one that has results, and what was left out comes last; 0 is none."""
        open_rounds = [here.number for here in self.known.rounds if self.open_boards(here.number)]
        latest = max((number for number, _ in self.results()), default=0)
        ahead = [number for number in open_rounds if number >= latest]
        return (ahead or open_rounds or [0])[0]

    def deal_is_known(self, board: int) -> bool:
        """Whether the board has a hand record."""
        return board in self.known.known_deals or self.entered_deal(board)

    def entered_deal(self, board: int) -> bool:
        """Whether this terminal has just entered the deal, and nobody has said no."""
        return any(
            record.board == board
            for entry in self.outbox
            if isinstance(entry.command, PutHandRecords)
            for record in entry.command.records
        )

    # Moves --------------------------------------------------------------------------------------------------

    def tell(self, key: str, **about: object) -> None:
        """Show a short message beside the screen."""
        self.notice = Notice(key, {name: str(value) for name, value in about.items()})

    def go(self, stage: Stage, board: int = 0) -> None:
        """Show another stage."""
        self.stage = stage
        self.page = 0
        if board:
            self.shown_board = board

    def next_id(self) -> str:
        """An id that no other entry has."""
        self.count += 1
        return f"{self.device}.{self.run}.{self.count}"

    def emit(self, command: Command, identity: str = "") -> str:
        """Put a command in the outbox; its id."""
        incarnation = self.snapshot.incarnation if self.snapshot else 0
        entry = Entry(identity or self.next_id(), incarnation, command)
        self.outbox = (*self.outbox, entry)
        return entry.id

    def keep(self, entry: str, number: int, board: int, result: OwnResult | None) -> None:
        """Remember what an entry makes of a result."""
        known = self.known
        self.kept = (*self.kept, Kept(entry, known.section, known.table, number, board, result))

    def drop_draft(self) -> None:
        """Forget the board that is half entered."""
        self.draft = NOTHING_ENTERED
        self.odd_board = 0

    # The order of things ------------------------------------------------------------------------------------

    def follow(self, *steps: Step) -> None:
        """Show these stages one after the other, then go on."""
        self.steps = steps
        self.next_step()

    def next_step(self) -> None:
        """The next stage of what is to be shown, else the next board, else whatever comes after the round."""
        while self.steps:
            step, *rest = self.steps
            self.steps = tuple(rest)
            if self.is_wanted(step):
                self.hands = ()
                self.go(step.stage, step.board)
                return
        if self.open_boards():
            self.start_board()
        else:
            self.go_on()

    def is_wanted(self, step: Step) -> bool:
        """Whether a planned stage still has something to show."""
        if step.stage is Stage.ENTER_HAND:
            return not self.deal_is_known(step.board)
        if step.stage in (Stage.RANKING, Stage.SUMMARY):
            # On the network they follow the last result by a moment, and fill the screen when they come.
            return not self.rules.is_offline
        if step.stage is Stage.NEXT:
            return any(onward.round == self.round for onward in self.known.onward)
        return True

    def ranks(self) -> tuple[tuple[str, str, str], ...]:
        """Side, rank and score of the two pairs of the round."""
        return tuple(
            (rank.side.value, rank.rank, rank.score) for rank in self.known.ranks if rank.round == self.round
        )

    def start_board(self) -> None:
        """Ask for the next board, or begin it where boards come by themselves."""
        self.drop_draft()
        rules, boards = self.rules, self.open_boards()
        here = self.here()
        is_first = here is not None and len(boards) == len(here.boards)
        if not rules.auto_board_number or (rules.first_board_manually and is_first):
            self.go(Stage.BOARD)
        else:
            self.begin_board(boards[0])

    def begin_board(self, board: int) -> None:
        """Enter this board: from its contract, or from where its contract was sent already."""
        self.odd_board = 0
        self.draft = Draft(board)
        self.go(Stage.AUCTION if self.rules.record_bidding else Stage.CONTRACT)
        for begun in self.known.begun:
            if (begun.round, begun.board) == (self.round, board):
                contract = Contract.parse(begun.contract)
                asks_lead = self.rules.lead_entry is not LeadEntry.NEVER
                self.draft = Draft(
                    board,
                    contract.level,
                    contract.strain,
                    contract.doubling,
                    contract.declarer,
                    lead=begun.lead if asks_lead and not self.rules.checks_lead else "",
                )
                # Where leads are checked the card is asked for again, and checked.
                is_led = not asks_lead or bool(self.draft.lead)
                self.go(Stage.PLAY if self.rules.record_play else Stage.RESULT if is_led else Stage.LEAD)

    def after_board(self, board: int) -> None:
        """What follows when a board has its result."""
        rules = self.rules
        steps: list[Step] = []
        if rules.view_results in (ViewResults.OWN, ViewResults.ALL):
            steps.append(Step(Stage.RESULTS, board))
        if rules.enter_hand_record is HandEntry.AFTER_BOARD:
            steps.append(Step(Stage.ENTER_HAND, board))
        if not self.open_boards():
            steps += self.after_round()
        self.follow(*steps)

    def after_round(self) -> list[Step]:
        """What is shown when the last board of a round has its result."""
        rules, here = self.rules, self.here()
        boards = here.boards if here else ()
        steps: list[Step] = []
        if rules.view_results is ViewResults.END_OF_ROUND:
            steps += [Step(Stage.RESULTS, board) for board in boards]
        if rules.enter_hand_record is HandEntry.AFTER_ROUND:
            steps += [Step(Stage.ENTER_HAND, board) for board in boards]
        if rules.auto_score_recap or rules.score_recap is ScoreRecap.END_OF_ROUND:
            steps.append(Step(Stage.RECAP))
        if rules.ranking in (ShowRanking.EVERY_ROUND, ShowRanking.ALWAYS):
            steps.append(Step(Stage.RANKING))
        if rules.show_next_seating:
            steps.append(Step(Stage.NEXT))
        return steps

    def go_on(self) -> None:
        """Go on with the next round, wait for one, or end."""
        self.drop_draft()
        number = self.round_to_play()
        if number:
            self.has_ended = False
            self.round = number
            self.go(Stage.ROUND)
        elif self.known.is_waiting:
            self.go(Stage.WAITING)
        elif self.has_ended:
            self.go(Stage.END)
        else:
            self.has_ended = True
            self.round = max((here.number for here in self.known.rounds if here.is_played), default=0)
            steps = [Step(Stage.RANKING)] if self.rules.ranking is ShowRanking.AT_END else []
            if self.rules.summary is not SummaryPoints.NONE:
                steps.append(Step(Stage.SUMMARY))
            self.follow(*steps, Step(Stage.END))

    # Results ------------------------------------------------------------------------------------------------

    def enter(self, result: OwnResult, at: datetime) -> None:
        """Enter a result of this table, or correct the one that stands."""
        known = self.known
        standing = self.results().get((result.round, result.board))
        entry = ResultEntry(
            known.section,
            known.table,
            result.round,
            result.board,
            Outcome.parse(result.outcome),
            at,
            lead=Card(result.lead) if result.lead else None,
            is_wrong_direction=result.is_wrong_direction,
        )
        command: Command
        if standing is None:
            command = EnterResult(known.session, entry, incarnation=known.incarnation)
        else:
            was = Outcome.parse(standing.outcome) if standing.outcome else None
            command = CorrectResult(known.session, entry, Origin.TERMINAL, was, known.incarnation)
        self.keep(self.emit(command), result.round, result.board, result)

    def reply(self, entry_id: str, version: int) -> Entry | None:
        """Take an acknowledged entry out of the outbox; what it made stays until a snapshot has it too."""
        found = next((entry for entry in self.outbox if entry.id == entry_id), None)
        if found is not None:
            self.outbox = tuple([entry for entry in self.outbox if entry.id != entry_id])
            before = self.kept
            self.kept = tuple(
                [_change_kept(kept, version=version) if kept.entry == entry_id else kept for kept in before]
            )
            self.scored_the_same(before, self.kept)
        return found
