"""Random keys at a terminal, a director who interferes, and a network that comes and goes.

The oracle knows the settings, not the terminal's rules: it says by itself which screens and results they forbid.
"""

import random
from dataclasses import dataclass, field, fields, replace
from datetime import timedelta
from enum import Enum

from overtrick.bridge import (
    AWARDS,
    CALLS,
    CARDS,
    PASS,
    SEATS,
    Deal,
    Doubling,
    NotPlayed,
    Outcome,
    PassedOut,
    Played,
    Side,
    Strain,
    Undecided,
)
from overtrick.control import Entry, Terminal, inputs, memory, screens
from overtrick.event import Rejection, SessionPlan
from overtrick.event.calls import AnswerCall, CallStatus
from overtrick.event.hands import HandRecord, PutHandRecords
from overtrick.event.movement import (
    DropTable,
    ReplaceRounds,
    Round,
    SectionPlan,
    SetMovement,
    SetWaiting,
    TablePlan,
)
from overtrick.event.results import CorrectResult, EnterResult, EraseResult, Origin, PutResults, ResultEntry
from overtrick.event.seating import Player, PutParticipations, PutPlayers
from overtrick.event.settings import (
    RANGES,
    HandEntry,
    Language,
    LeadEntry,
    NumberEntry,
    NumberRules,
    PairNumberEntry,
    PutSettings,
    ScoreRecap,
    SettingsII,
    SettingsIII,
    ShowNames,
    ShowRanking,
    SummaryPoints,
    ViewResults,
)
from overtrick.event.tables import LogOn, ResetTable
from tests.control.room import Room
from tests.event.evenings import SESSION, plan, rounds

PLANS: tuple[SessionPlan, ...] = (
    plan(
        tables=(
            TablePlan(1, rounds((1, 2, 1), (1, 3, 3), (1, 4, 5), boards=2)),
            TablePlan(2, rounds((3, 4, 1), (4, 2, 3), (2, 3, 5), boards=2)),
        )
    ),
    # a sit-out first, an empty round, a rover's table, pairs of the same number
    plan(
        section=SectionPlan("A", 1, winners=2),
        tables=(
            TablePlan(1, (Round(1, 0, (1, 2)), Round(1, 1, (1, 2)), Round(0, 0), Round(1, 3, (5, 6)))),
            TablePlan(2, rounds((2, 2, 1), (2, 3, 3), (2, 1, 5), boards=2)),
            TablePlan(3, (Round(3, 0), Round(3, 0))),
        ),
    ),
)


def random_settings(chance: random.Random) -> SettingsII | SettingsIII:
    """Settings of either generation, every one of them anywhere in its range."""
    kind = chance.choice((SettingsII, SettingsIII))
    values: dict[str, object] = {}
    for each in fields(kind):
        default = getattr(kind(), each.name)
        if isinstance(default, bool):
            values[each.name] = chance.random() < 0.5
        elif isinstance(default, Enum):
            values[each.name] = chance.choice(list(type(default)))
        elif isinstance(default, int):
            values[each.name] = chance.randint(*RANGES[each.name])
    values["pin"] = chance.choice(("0000", "1234"))
    return kind(**values)  # type: ignore[arg-type]


# What settings forbid -----------------------------------------------------------------------------------------


def forbidden(settings: SettingsII | SettingsIII, screen: screens.Screen) -> bool:
    """Whether settings forbid a screen, or something that it shows."""
    if isinstance(settings, SettingsII):
        return _forbidden_ii(settings, screen)
    return _forbidden_iii(settings, screen)


def _forbidden_ii(s: SettingsII, screen: screens.Screen) -> bool:
    match screen:
        case screens.StartingPositionsScreen():
            return True
        case screens.RoundScreen():
            named = s.show_names is ShowNames.EVERY_ROUND or (
                s.show_names is ShowNames.FIRST_ROUND and screen.round == 1
            )
            return (bool(screen.players) and not named) or (screen.ns is not None and not s.show_pair_numbers)
        case screens.NumberScreen():
            return screen.is_required is not s.numbers_required
        case screens.PairScreen():
            return s.pair_number_entry is PairNumberEntry.NEVER
        case screens.LeadScreen():
            return not s.ask_lead or s.record_play
        case screens.AuctionScreen():
            return not s.record_bidding or (bool(screen.deal) and not s.show_hands_while_recording)
        case screens.PlayScreen():
            return not s.record_play or (bool(screen.deal) and not s.show_hands_while_recording)
        case screens.ResultScreen():
            return screen.method is not s.result_entry
        case screens.BoardScreen() | screens.ContractScreen():
            return screen.remaining is not None and not s.show_remaining_boards
        case screens.ResultsScreen():
            shown = sum(line.count for line in screen.lines)
            own = any(line.is_own for line in screen.lines)
            alone = own and not s.show_own_result
            too_many = bool(s.maximum_results) and len(screen.lines) > s.maximum_results
            percent = screen.points is not None and not s.show_percentage
            paged = len(screen.lines) > (4 if "4 lines" in s.overview.value else 6)
            wide = any(len(line.scores) != (2 if "2 col" in s.overview.value else 1) for line in screen.lines)
            kind = screen.is_frequency is not s.overview.value.startswith("frequency")
            return not s.show_results or alone or too_many or percent or paged or wide or kind or shown < 0
        case screens.HandScreen():
            return not s.view_hand_record
        case screens.EnterHandScreen():
            return s.enter_hand_record is HandEntry.NEVER
        case screens.RecapScreen():
            return not (s.score_recap or s.auto_score_recap) or screen.can_correct is not s.score_correction
        case screens.RankingScreen():
            return s.ranking is ShowRanking.NEVER
        case screens.NextScreen():
            return not s.show_next_seating
        case screens.SummaryScreen():
            return not s.summary or s.ranking is ShowRanking.NEVER or s.summary_points is SummaryPoints.NONE
    return False


def _forbidden_iii(s: SettingsIII, screen: screens.Screen) -> bool:
    match screen:
        case screens.StartingPositionsScreen():
            return not s.confirm_starting_positions or screen.north_at_bottom is not s.north_at_bottom
        case screens.RoundScreen():
            return screen.north_at_bottom is not s.north_at_bottom
        case screens.NumberScreen():
            return screen.is_required is not s.numbers_required
        case screens.PairScreen() | screens.AuctionScreen() | screens.PlayScreen():
            return True
        case screens.LeadScreen():
            return s.lead_entry is LeadEntry.NEVER
        case screens.ResultScreen():
            return screen.method is not s.result_entry
        case screens.ResultsScreen():
            others = any(not line.is_own for line in screen.lines)
            wide = any(len(line.scores) != (2 if s.two_score_columns else 1) for line in screen.lines)
            percent = screen.points is not None and "%" in screen.points[0] and not s.view_percentages
            return (
                s.view_results is ViewResults.NONE
                or (s.view_results is ViewResults.OWN and others)
                or wide
                or percent
            )
        case screens.HandScreen():
            return not s.view_hand_record
        case screens.EnterHandScreen():
            return s.enter_hand_record is HandEntry.NEVER
        case screens.RecapScreen():
            return s.score_recap is ScoreRecap.NEVER or screen.can_correct is not s.reentry
        case screens.RankingScreen():
            return s.ranking is ShowRanking.NEVER
        case screens.NextScreen():
            return not s.show_next_seating
        case screens.SummaryScreen():
            return not s.summary
    return False


def asks_numbers(settings: SettingsII | SettingsIII) -> bool:
    """Whether players are ever asked for their numbers, or may give them."""
    if isinstance(settings, SettingsII):
        return settings.ask_numbers
    return settings.number_entry is not NumberEntry.NEVER or settings.number_entry_during_play


def forbidden_keys(settings: SettingsII | SettingsIII, screen: screens.Screen) -> set[type[inputs.Input]]:
    """The keys that settings forbid, except in the director's menu."""
    found: set[type[inputs.Input]] = set()
    if not settings.director_calls:
        found.add(inputs.CallDirector)
    if isinstance(screen, screens.MenuScreen):
        return found
    if isinstance(settings, SettingsII):
        if not settings.reset_key:
            found.add(inputs.Reset)
        if not settings.score_correction:
            found.add(inputs.Correct)
        if not settings.score_recap:
            found.add(inputs.ShowScores)
        if not settings.repeat_results:
            found.add(inputs.Repeat)
    else:
        if not settings.reentry:
            found.add(inputs.Correct)
        if settings.score_recap is not ScoreRecap.ALWAYS:
            found.add(inputs.ShowScores)
        found.add(inputs.Repeat)
    if settings.ranking is not ShowRanking.ALWAYS:
        found.add(inputs.ShowRanking)
    if not settings.view_hand_record:
        found.add(inputs.ShowHand)
    if not asks_numbers(settings):
        found.add(inputs.ChangePlayer)
    return found


# What may be entered ------------------------------------------------------------------------------------------


def check_entry(room: Room, settings: SettingsII | SettingsIII, entry: Entry, was_director: bool) -> None:
    """An entry is one that is possible at a table, whatever was pressed."""
    command = entry.command
    if isinstance(command, EnterResult | CorrectResult):
        outcome = command.entry.outcome
        assert isinstance(outcome, Played | PassedOut | NotPlayed | Undecided) or outcome in AWARDS
        if isinstance(outcome, Played):
            assert -(outcome.contract.level + 6) <= outcome.overtricks <= 7 - outcome.contract.level
        if isinstance(outcome, Undecided) or outcome in AWARDS:
            assert was_director, "only the director gives an award"
        if isinstance(settings, SettingsII):
            strict = settings.ask_lead and settings.validate_lead
            has_lead = settings.ask_lead
            wrong = settings.pair_number_entry is not PairNumberEntry.NEVER
        else:
            strict = settings.lead_entry is LeadEntry.CHECKED
            has_lead = settings.lead_entry is not LeadEntry.NEVER
            wrong = False
        if not was_director:
            if isinstance(outcome, Played):
                assert (command.entry.lead is not None) is has_lead
            assert wrong or not command.entry.is_wrong_direction
        if strict and not was_director and isinstance(outcome, Played) and command.entry.lead:
            deal = DEALS.get(command.entry.board)
            if deal is not None:
                assert command.entry.lead in deal[outcome.contract.declarer.next]
    if isinstance(command, PutParticipations):
        rules = settings.number_rules if isinstance(settings, SettingsII) else NumberRules.NONE
        for given in command.participations:
            assert given.number
            if rules is NumberRules.ACBL:
                assert len(given.number) == 7
            elif rules is not NumberRules.NONE:
                assert given.number.isdigit()


DEALS: dict[int, Deal] = {number: Deal.dealt_by(random.Random(number)) for number in (1, 2, 5)}
"""Boards 3, 4 and 6 have no hand record to begin with."""


INTERRUPTIONS = (
    screens.PinScreen,
    screens.MenuScreen,
    screens.StatusScreen,
    screens.ViewBoardScreen,
    screens.ConflictScreen,
)
"""Screens from which a terminal comes back to where it was."""


# Keys ---------------------------------------------------------------------------------------------------------

ALL_KEYS: tuple[type[inputs.Input], ...] = (
    inputs.Choose, inputs.Confirm, inputs.Cancel, inputs.More, inputs.Repeat, inputs.Number,
    inputs.ChangePlayer, inputs.Board, inputs.Bid, inputs.PassOut, inputs.NoPlay, inputs.Double,
    inputs.Declarer, inputs.PairNumber, inputs.Lead, inputs.MakeCall, inputs.PlayCard,
    inputs.Result, inputs.Cards, inputs.ShowScores,
    inputs.ShowRanking, inputs.ShowHand, inputs.Correct, inputs.ChooseLanguage, inputs.CallDirector,
    inputs.Director, inputs.Pin, inputs.Reset, inputs.Assign, inputs.Erase, inputs.ViewBoard,
    inputs.Status, inputs.Swap, inputs.ChangePlayers, inputs.WrongDirection,
)  # fmt: skip

RARE = (inputs.Reset, inputs.Director, inputs.Cancel, inputs.CallDirector, inputs.ChangePlayer, inputs.NoPlay)
NUMBERS = ("", "1000004", "1000005", "490714", "7", "007", "12", "13", "abc", " ", "9" * 30)


def random_key(chance: random.Random, terminal: Terminal) -> inputs.Input:
    """Mostly a key that works, mostly with a sensible value."""
    working = sorted(terminal.display.keys, key=lambda key: key.__name__)
    likely = [key for key in working if key not in RARE and key is not inputs.ChooseLanguage]
    dice = chance.random()
    if dice < 0.8 and likely:
        kind = chance.choice(likely)
    elif dice < 0.97:
        kind = chance.choice(working)
    else:
        kind = chance.choice(ALL_KEYS)
    return make_key(chance, kind)


def make_key(chance: random.Random, kind: type[inputs.Input]) -> inputs.Input:
    number = chance.randint(0, 4) if chance.random() < 0.95 else chance.randint(-5, 300)
    board = chance.randint(1, 6) if chance.random() < 0.95 else chance.randint(-5, 300)
    values: dict[type[inputs.Input], inputs.Input] = {
        inputs.Choose: inputs.Choose(chance.choice("AAAB"), chance.randint(0, 4)),
        inputs.Number: inputs.Number(chance.choice(NUMBERS)),
        inputs.ChangePlayer: inputs.ChangePlayer(chance.choice(SEATS)),
        inputs.Board: inputs.Board(board),
        inputs.Bid: inputs.Bid(
            chance.randint(1, 7) if chance.random() < 0.95 else chance.randint(-3, 12),
            chance.choice(list(Strain)),
        ),
        inputs.Double: inputs.Double(chance.choice(list(Doubling))),
        inputs.Declarer: inputs.Declarer(chance.choice(SEATS)),
        inputs.PairNumber: inputs.PairNumber(number),
        inputs.Lead: inputs.Lead(chance.choice(CARDS)),
        inputs.MakeCall: inputs.MakeCall(PASS if chance.random() < 0.6 else chance.choice(CALLS)),
        inputs.PlayCard: inputs.PlayCard(chance.choice(CARDS)),
        inputs.Result: inputs.Result(chance.randint(-14, 14)),
        inputs.Correct: inputs.Correct(board),
        inputs.ChooseLanguage: inputs.ChooseLanguage(chance.choice(list(Language))),
        inputs.Pin: inputs.Pin(chance.choice(("0000", "1234"))),
        inputs.Erase: inputs.Erase(number, board),
        inputs.ViewBoard: inputs.ViewBoard(board),
        inputs.Swap: inputs.Swap(chance.choice(list(Side))),
        inputs.WrongDirection: inputs.WrongDirection(number, board),
    }
    if kind is inputs.Assign:
        outcome = chance.choice((*AWARDS, Undecided(), NotPlayed(), PassedOut(), Outcome.parse("1NTN=")))
        return inputs.Assign(number, board, outcome)
    if kind is inputs.Cards:
        count = 13 if chance.random() < 0.9 else chance.randint(0, 20)
        start = chance.randint(0, 3) * 13
        return inputs.Cards(CARDS[start : start + count])
    return values.get(kind) or kind()


# The evening --------------------------------------------------------------------------------------------------


@dataclass
class RandomEvening:
    """A terminal in a room in which anything may happen."""

    seed: int
    seen: set[type[screens.Screen]] = field(default_factory=set)
    notices: set[str] = field(default_factory=set)
    entries: int = 0
    conflicts: int = 0

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.settings = random_settings(self.chance)
        planned = self.chance.choice(PLANS)
        self.tables = [table.table for table in planned.sections[0][1]]
        self.room = Room(self.settings, planned=planned)
        self.room.do(
            PutHandRecords(SESSION, tuple(HandRecord(1, board, deal) for board, deal in DEALS.items()))
        )
        self.room.do(PutPlayers(SESSION, (Player("7", "Ann", "North"), Player("1000004", "Bob", "South"))))
        self.terminal = self.room.terminal()
        self.known = self.settings
        self.is_directors_change = False
        self.refused: set[str] = set()
        self.log_ons: set[str] = set()

    def step(self) -> None:
        """One key, and perhaps something from outside."""
        room, chance, terminal = self.room, self.chance, self.terminal
        room.at += timedelta(seconds=1)
        before = {entry.id for entry in terminal.machine.outbox}
        was_director = isinstance(terminal.display.screen, screens.MenuScreen)
        key = random_key(chance, terminal)
        works = type(key) in terminal.display.keys
        frozen = memory.write(terminal) if not works else ""
        assert terminal.press(key, room.at) is works
        if works and isinstance(key, inputs.ChangePlayers):
            self.is_directors_change = True
        if not works:
            assert memory.write(terminal) == frozen, "a key that does not work changes nothing"
        for entry in terminal.machine.outbox:
            if entry.id not in before:
                self.entries += 1
                if isinstance(entry.command, LogOn):
                    self.log_ons.add(entry.id)
                check_entry(room, self.known, entry, was_director)
        self.look()
        if chance.random() < 0.75:
            self.deliver()
        if chance.random() < 0.02:
            self.interfere()
        if chance.random() < 0.01:
            self.restart()

    def look(self) -> None:
        """The screen is one that the settings allow."""
        shown = self.terminal.display
        self.seen.add(type(shown.screen))
        if shown.notice:
            self.notices.add(shown.notice.key)
        assert not forbidden(self.known, shown.screen), (self.known, shown)
        assert not forbidden_keys(self.known, shown.screen) & shown.keys, (self.known, shown)
        if isinstance(shown.screen, screens.NumberScreen | screens.PlayersScreen):
            assert asks_numbers(self.known) or self.is_directors_change, (self.known, shown)
        elif not isinstance(shown.screen, INTERRUPTIONS):
            self.is_directors_change = False

    def deliver(self) -> None:
        terminal = self.terminal
        sent = terminal.unsent()
        self.room.deliver(terminal)
        if terminal.machine.snapshot is not None:
            # It has been told, and what it shows is judged by the settings of now.
            self.known = self.settings
        for entry in sent:
            answer = self.room.taken[entry.id]
            if isinstance(answer, Rejection) and entry.id not in self.log_ons:
                self.refused.add(entry.id)
        kept = {one.entry.id for one in (*terminal.machine.conflicts, *terminal.machine.refused)}
        assert kept >= self.refused, "a refused entry was lost"
        self.conflicts = len(self.refused)
        self.look()

    def restart(self) -> None:
        """The terminal is switched off and on again."""
        again = memory.read(memory.write(self.terminal))
        assert again.machine == self.terminal.machine
        self.terminal = again

    def interfere(self) -> None:
        """The director, the scoring program or another terminal does something."""
        room, chance = self.room, self.chance
        table, number, board = chance.choice(self.tables), chance.randint(1, 4), chance.randint(1, 6)
        what = chance.randint(0, 10)
        if what == 0:
            entry = ResultEntry("A", table, number, board, Outcome.parse("3NTW-1"), room.at)
            room.try_to(PutResults(SESSION, (entry,), Origin.DESK))
        elif what == 1:
            room.try_to(EraseResult(SESSION, "A", table, number, board, Origin.DESK))
        elif what == 2:
            self.settings = random_settings(chance)
            stored = room.view.session.settings
            other = stored.third if isinstance(self.settings, SettingsII) else stored.second
            if "A" in other:
                # One generation at a time plays in a room.
                self.settings = random_settings_of(chance, type(next(iter(other.values()))))
            room.do(PutSettings(SESSION, (("A", self.settings),)))
        elif what == 3:
            room.try_to(SetWaiting(SESSION, "A", table, chance.random() < 0.5))
        elif what == 4:
            room.try_to(ResetTable(SESSION, "A", table, room.at))
        elif what == 5:
            room.try_to(LogOn(SESSION, "A", table, "another", room.at, takes_over=True))
        elif what == 6 and chance.random() < 0.3:
            room.try_to(ReplaceRounds(SESSION, "A", table, number, (Round(1, 2, (board,)),)))
        elif what == 7 and chance.random() < 0.1:
            room.try_to(DropTable(SESSION, "A", table))
        elif what == 8:
            for call in room.view.session.calls.calls.values():
                room.try_to(AnswerCall(SESSION, call.call, chance.choice(list(CallStatus)), room.at))
        elif what == 9:
            section = replace(SectionPlan("A", 1), winners=2)
            room.try_to(
                SetMovement(SESSION, section, (TablePlan(table, rounds((5, 6, 1), (7, 8, 3), boards=2)),))
            )

    def play(self, steps: int) -> None:
        """That many keys; in the end everything is delivered."""
        for _ in range(steps):
            self.step()
        self.deliver()


def random_settings_of(chance: random.Random, kind: type) -> SettingsII | SettingsIII:
    for _ in range(1000):
        made = random_settings(chance)
        if isinstance(made, kind):
            return made
    raise AssertionError(f"no {kind.__name__} in a thousand")
