"""The course of an evening at a terminal: logging on, what is shown between boards, hand records, the end."""

from datetime import datetime

from overtrick.bridge import SEATS, Card, Deal, Hand
from overtrick.control import inputs
from overtrick.control.listing import pages
from overtrick.control.machine import Machine, Stage
from overtrick.event import calls
from overtrick.event.hands import HandRecord, HandSource, PutHandRecords
from overtrick.event.settings import ScoreRecap, ShowRanking
from overtrick.event.tables import LogOff, LogOn


def choose(machine: Machine, key: inputs.Choose, at: datetime) -> None:
    """A table: one that another terminal serves asks first."""
    found = [table for table in machine.lobby if (table.section, table.table) == (key.section, key.table)]
    if not found:
        machine.tell("no-such-table", table=f"{key.section}{key.table}")
        return
    machine.choice = key.section, key.table
    if found[0].terminal not in ("", machine.device):
        machine.go(Stage.TAKE_OVER)
    else:
        _log_on(machine, at, takes_over=False)


def take_over(machine: Machine, key: inputs.Confirm, at: datetime) -> None:
    """Yes, this terminal is at that table now."""
    _log_on(machine, at, takes_over=True)


def _log_on(machine: Machine, at: datetime, takes_over: bool) -> None:
    if machine.choice is None or not machine.session:
        machine.go(Stage.LOG_ON)
        return
    machine.emit(LogOn(machine.session, *machine.choice, machine.device, at, takes_over))
    machine.go(Stage.CONNECTING)


def to_lobby(machine: Machine, key: inputs.Cancel, at: datetime) -> None:
    """Another table."""
    machine.choice = None
    machine.go(Stage.LOG_ON)


def go_on(machine: Machine, key: inputs.Confirm, at: datetime) -> None:
    """Seen."""
    machine.next_step()


def more(machine: Machine, key: inputs.More, at: datetime) -> None:
    """The next page."""
    if machine.page + 1 < pages(machine, machine.shown_board):
        machine.page += 1


def repeat(machine: Machine, key: inputs.Repeat, at: datetime) -> None:
    """The list again, where that is allowed."""
    if machine.rules.repeat_results:
        machine.page = 0
    else:
        machine.tell("not-allowed")


def show_hand(machine: Machine, key: inputs.ShowHand, at: datetime) -> None:
    """The hand record of the board just played."""
    if not machine.rules.view_hand_record:
        machine.tell("not-allowed")
    elif machine.shown_board not in (machine.known.deals or {}):
        machine.tell("no-hand-record", board=machine.shown_board)
    else:
        machine.go(Stage.HAND)


def to_results(machine: Machine, key: inputs.Confirm | inputs.Cancel, at: datetime) -> None:
    """Back from the hand to the results."""
    machine.go(Stage.RESULTS)


def give_cards(machine: Machine, key: inputs.Cards, at: datetime) -> None:
    """A hand of the deal that is entered; after three the fourth follows."""
    taken = {card for hand in machine.hands for card in hand}
    given = {card.value for card in key.cards}
    if len(key.cards) != 13 or len(given) != 13:
        machine.tell("not-thirteen")
        return
    if taken & given:
        machine.tell("card-twice", card=min(taken & given))
        return
    machine.hands = (*machine.hands, tuple(sorted(given)))
    if len(machine.hands) < 3:
        return
    rest = {card.value for card in Card} - taken - given
    hands = (*machine.hands, tuple(sorted(rest)))
    deal = Deal({seat: Hand(Card(card) for card in hand) for seat, hand in zip(SEATS, hands, strict=True)})
    known = machine.known
    record = HandRecord(known.group, machine.shown_board, deal)
    machine.emit(PutHandRecords(known.session, (record,), HandSource.TERMINAL))
    machine.next_step()


def leave_cards(machine: Machine, key: inputs.Cancel, at: datetime) -> None:
    """The hand before, or no deal at all."""
    if machine.hands:
        machine.hands = machine.hands[:-1]
    else:
        machine.next_step()


def show_scores(machine: Machine, key: inputs.ShowScores, at: datetime) -> None:
    """The scores of this round, where they can be looked at."""
    if machine.rules.score_recap is ScoreRecap.ALWAYS:
        machine.steps = ()
        machine.go(Stage.RECAP)
    else:
        machine.tell("not-allowed")


def show_ranking(machine: Machine, key: inputs.ShowRanking, at: datetime) -> None:
    """The running ranking, where it is always shown."""
    if machine.rules.ranking is not ShowRanking.ALWAYS:
        machine.tell("not-allowed")
    elif not machine.ranks():
        machine.tell("no-ranking")
    else:
        machine.steps = ()
        machine.go(Stage.RANKING)


def log_off(machine: Machine, key: inputs.Confirm, at: datetime) -> None:
    """The session is over for this terminal."""
    known = machine.known
    machine.emit(LogOff(known.session, known.section, known.table, at))
    machine.snapshot = None
    machine.choice = None
    machine.go(Stage.LOG_ON)


def call_director(machine: Machine, key: inputs.CallDirector, at: datetime) -> None:
    """The director, please: one call at a time."""
    known = machine.known
    if not machine.rules.director_calls:
        machine.tell("not-allowed")
    elif known.call is not None or is_calling(machine):
        machine.tell("director-is-called")
    else:
        identity = machine.next_id()
        machine.emit(
            calls.CallDirector(
                known.session,
                identity,
                known.section,
                known.table,
                at,
                machine.round,
                machine.draft.board,
            ),
            identity,
        )
        machine.tell("director-is-called")


def is_calling(machine: Machine) -> bool:
    """Whether a call is still in the outbox."""
    return any(isinstance(entry.command, calls.CallDirector) for entry in machine.outbox)


def choose_language(machine: Machine, key: inputs.ChooseLanguage, at: datetime) -> None:
    """Another language, for this terminal."""
    machine.language = key.language
