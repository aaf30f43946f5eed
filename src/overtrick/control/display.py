"""From the state of a terminal to its screen. Only reads."""

from overtrick.bridge import SEATS, Doubling, Outcome, Strain
from overtrick.control import recorder, screens
from overtrick.control.listing import own_line, pages, result_lines, scores, spelled
from overtrick.control.machine import Machine
from overtrick.control.players import known_player, name_of, preloaded
from overtrick.control.screens import Player, Screen
from overtrick.event.results import CorrectResult, EnterResult, EraseResult
from overtrick.event.settings import PairNumberEntry, ShowNames, Spelling


def _table(machine: Machine) -> str:
    return f"{machine.known.section}{machine.known.table}"


def _chosen(machine: Machine) -> str:
    return f"{machine.choice[0]}{machine.choice[1]}" if machine.choice else ""


def log_on(machine: Machine) -> Screen:
    """Which table?"""
    return screens.LogOnScreen(tuple((table.section, table.table) for table in machine.lobby))


def take_over(machine: Machine) -> Screen:
    """That one, though it has a terminal?"""
    return screens.TakeOverScreen(_chosen(machine))


def connecting(machine: Machine) -> Screen:
    """One moment."""
    return screens.ConnectingScreen(_chosen(machine))


def _people(machine: Machine, number: int) -> tuple[Player, ...]:
    names = machine.rules.show_names
    if names is ShowNames.NEVER or (names is ShowNames.FIRST_ROUND and number > 1):
        return ()
    here = machine.known.round(max(number, 1))
    found = []
    for seat in SEATS:
        sitting = known_player(machine, seat, number)
        if here is not None and here.at(seat):
            found.append(Player(seat, sitting.number, sitting.name) if sitting else Player(seat))
    return tuple(found)


def starting_positions(machine: Machine) -> Screen:
    """Who sits where?"""
    first = machine.known.round(1)
    return screens.StartingPositionsScreen(
        _table(machine),
        first.ns if first else 0,
        first.ew if first else 0,
        _people(machine, 1),
        machine.rules.north_at_bottom,
    )


def _typed(machine: Machine) -> tuple[Player, ...]:
    return tuple(
        Player(seat, number, name_of(machine, number) if number else "")
        for seat, number in zip(machine.seats, machine.typed, strict=False)
    )


def numbers(machine: Machine) -> Screen:
    """Which number?"""
    seat = machine.seats[len(machine.typed)]
    return screens.NumberScreen(
        seat, preloaded(machine, seat), machine.rules.numbers_required, _typed(machine)
    )


def players(machine: Machine) -> Screen:
    """Are these the players?"""
    return screens.PlayersScreen(_typed(machine))


def round_information(machine: Machine) -> Screen:
    """Who meets."""
    here = machine.here()
    show = machine.rules.show_pair_numbers
    return screens.RoundScreen(
        _table(machine),
        machine.round,
        here.ns if here and show else None,
        here.ew if here and show else None,
        here.boards if here else (),
        _people(machine, machine.round),
        machine.rules.north_at_bottom,
    )


def _remaining(machine: Machine) -> int | None:
    return len(machine.open_boards()) if machine.rules.show_remaining_boards else None


def board(machine: Machine) -> Screen:
    """Which board?"""
    return screens.BoardScreen(machine.round, _remaining(machine), machine.odd_board)


def _entry(machine: Machine) -> tuple[int, int | None, str, str, bool]:
    draft = machine.draft
    contract = ""
    if draft.level:
        strain = Strain(draft.strain)
        letters = strain.letter if machine.rules.spelling is Spelling.LETTERS else strain.symbol
        contract = f"{draft.level}{letters}{Doubling(draft.doubling).sign}"
        if draft.declarer:
            contract += f" {draft.declarer.value}"
    return draft.board, _remaining(machine), contract, draft.lead, draft.is_correction


def contract(machine: Machine) -> Screen:
    """Which contract?"""
    return screens.ContractScreen(*_entry(machine))


def declarer(machine: Machine) -> Screen:
    """Whose?"""
    return screens.DeclarerScreen(*_entry(machine))


def pair(machine: Machine) -> Screen:
    """Which pair's?"""
    required = machine.rules.pair_number_entry is PairNumberEntry.REQUIRED
    return screens.PairScreen(*_entry(machine), required)


def lead(machine: Machine) -> Screen:
    """Which card was led?"""
    return screens.LeadScreen(*_entry(machine), machine.draft.odd_lead)


def _seen_deal(machine: Machine) -> str:
    if not machine.rules.show_hands_while_recording:
        return ""
    return (machine.known.deals or {}).get(machine.draft.board, "")


def auction(machine: Machine) -> Screen:
    """Which call?"""
    turn = recorder.auction_of(machine).turn
    return screens.AuctionScreen(*_entry(machine), machine.draft.calls, turn, _seen_deal(machine))


def play(machine: Machine) -> Screen:
    """Which card?"""
    turn = recorder.play_of(machine).turn
    return screens.PlayScreen(*_entry(machine), machine.draft.cards, turn, _seen_deal(machine))


def result(machine: Machine) -> Screen:
    """How many tricks?"""
    return screens.ResultScreen(*_entry(machine), machine.rules.result_entry)


def verify(machine: Machine) -> Screen:
    """Do the opponents agree?"""
    draft, rules = machine.draft, machine.rules
    outcome = Outcome.parse(draft.outcome)
    return screens.VerifyScreen(
        *_entry(machine),
        spelled(outcome, rules),
        scores(outcome, draft.board, rules),
        draft.is_wrong_direction,
        rules.verification_seconds,
    )


def results(machine: Machine) -> Screen:
    """How did others do?"""
    rules, shown = machine.rules, machine.shown_board
    lines = result_lines(machine, shown)
    start = machine.page * rules.lines
    own = own_line(machine, shown)
    points = None
    if own is not None and own.ns_points is not None and own.ew_points is not None:
        if rules.show_percentage and own.ns_percentage is not None and own.ew_percentage is not None:
            points = (f"{own.ns_percentage:.1f}%", f"{own.ew_percentage:.1f}%")
        elif machine.rules.show_points:
            points = (f"{own.ns_points:g}", f"{own.ew_points:g}")
    return screens.ResultsScreen(
        shown,
        tuple(lines[start : start + rules.lines]),
        machine.page,
        pages(machine, shown),
        rules.is_frequency,
        points,
        rules.repeat_results,
        rules.view_hand_record and shown in (machine.known.deals or {}),
    )


def hand(machine: Machine) -> Screen:
    """The cards."""
    return screens.HandScreen(machine.shown_board, (machine.known.deals or {}).get(machine.shown_board, ""))


def enter_hand(machine: Machine) -> Screen:
    """Which cards?"""
    return screens.EnterHandScreen(machine.shown_board, SEATS[len(machine.hands)])


def recap(machine: Machine) -> Screen:
    """What was scored in this round."""
    rules = machine.rules
    lines = []
    for (number, played), own in sorted(machine.results().items()):
        if number == machine.round and own.outcome:
            outcome = Outcome.parse(own.outcome)
            lines.append((played, spelled(outcome, rules), scores(outcome, played, rules)))
    return screens.RecapScreen(machine.round, tuple(lines), rules.correction)


def ranking(machine: Machine) -> Screen:
    """Where we stand."""
    return screens.RankingScreen(machine.ranks())


def next_seating(machine: Machine) -> Screen:
    """Where to go."""
    return screens.NextScreen(
        tuple(
            screens.NextPlace(
                onward.side,
                f"{onward.section}{onward.table}",
                onward.next_round,
                onward.next_side,
                onward.is_sit_out,
            )
            for onward in machine.known.onward
            if onward.round == machine.round
        )
    )


def waiting(machine: Machine) -> Screen:
    """Not yet."""
    return screens.WaitingScreen()


def summary(machine: Machine) -> Screen:
    """All boards of both pairs."""
    return screens.SummaryScreen(
        tuple((line.side.value, line.board, line.outcome, line.points) for line in machine.known.summary)
    )


def end(machine: Machine) -> Screen:
    """Over."""
    return screens.EndScreen()


def pin(machine: Machine) -> Screen:
    """Four digits."""
    return screens.PinScreen(machine.purpose)


def menu(machine: Machine) -> Screen:
    """The director's choices."""
    return screens.MenuScreen(_table(machine), machine.round)


def status(machine: Machine) -> Screen:
    """How far it is."""
    return screens.StatusScreen(
        _table(machine),
        machine.round,
        len(machine.results()),
        len(machine.outbox),
        tuple(conflict.sentence for conflict in machine.refused),
    )


def view_board(machine: Machine) -> Screen:
    """A board for the director."""
    return screens.ViewBoardScreen(
        machine.shown_board,
        (machine.known.deals or {}).get(machine.shown_board, ""),
        tuple(result_lines(machine, machine.shown_board)),
    )


def conflict(machine: Machine) -> Screen:
    """What was refused."""
    first = machine.conflicts[0]
    command = first.entry.command
    meant, stands = "", ""
    if isinstance(command, EnterResult | CorrectResult):
        meant = str(command.entry.outcome)
        place = command.entry.round, command.entry.board
    elif isinstance(command, EraseResult):
        place = command.round, command.board
    else:
        place = 0, 0
    if machine.snapshot is not None and place in machine.results():
        stands = machine.results()[place].outcome
    return screens.ConflictScreen(meant, stands, first.reason, first.sentence)
