"""Entering a board: its number, contract, declarer, lead and result, and the opponents' yes.

Nothing impossible gets through: a result is one that the contract can have, a lead is a card that the leader had.
"""

from datetime import datetime
from functools import lru_cache

from overtrick.bridge import Card, Contract, Deal, Doubling, NotPlayed, PassedOut, Played, Seat, Strain
from overtrick.control import inputs
from overtrick.control.machine import Draft, Machine, Purpose, Stage, change_draft
from overtrick.control.snapshot import OwnResult
from overtrick.event.recording import EnterContract
from overtrick.event.settings import LeadEntry, PairNumberEntry, ResultEntryMethod


def give_board(machine: Machine, key: inputs.Board, at: datetime) -> None:
    """A board's number: one of this round, without a result, in order where that is verified."""
    here, results = machine.here(), machine.results()
    if here is None or key.board not in here.boards:
        machine.tell("board-not-in-round", board=key.board)
    elif (here.number, key.board) in results:
        machine.tell("board-has-result", board=key.board)
    elif machine.rules.verify_board_order and key.board != machine.open_boards()[0]:
        machine.odd_board = key.board
        machine.tell("board-out-of-order", board=key.board, expected=machine.open_boards()[0])
    else:
        machine.begin_board(key.board)


def confirm_board(machine: Machine, key: inputs.Confirm, at: datetime) -> None:
    """Yes, that board, though it is out of order; or the board that is next."""
    if machine.odd_board in machine.open_boards():
        machine.begin_board(machine.odd_board)
    elif machine.rules.auto_board_number and not machine.rules.first_board_manually:
        machine.begin_board(machine.open_boards()[0])


def leave_board(machine: Machine, key: inputs.Cancel, at: datetime) -> None:
    """Back to the round."""
    machine.odd_board = 0
    machine.go(Stage.ROUND)


def leave_contract(machine: Machine, key: inputs.Cancel, at: datetime) -> None:
    """Another board; a correction is given up."""
    if machine.draft.is_correction:
        machine.drop_draft()
        machine.next_step()
    else:
        machine.drop_draft()
        machine.go(Stage.BOARD)


def give_bid(machine: Machine, key: inputs.Bid, at: datetime) -> None:
    """The contract."""
    if not 1 <= key.level <= 7:
        machine.tell("no-such-contract")
        return
    machine.draft = change_draft(
        afresh(machine.draft), level=key.level, strain=int(key.strain), doubling=machine.draft.doubling
    )
    machine.go(Stage.DECLARER)


def give_double(machine: Machine, key: inputs.Double, at: datetime) -> None:
    """Whether it is doubled."""
    machine.draft = change_draft(machine.draft, doubling=int(key.doubling))


def pass_out(machine: Machine, key: inputs.PassOut, at: datetime) -> None:
    """Four passes."""
    machine.draft = change_draft(afresh(machine.draft), outcome=str(PassedOut()))
    machine.go(Stage.VERIFY)


def no_play(machine: Machine, key: inputs.NoPlay, at: datetime) -> None:
    """Not played: as the rules say, only with the director's PIN."""
    if machine.rules.confirm_not_played:
        machine.back, machine.purpose = Stage.CONTRACT, Purpose.NOT_PLAYED
        machine.go(Stage.PIN)
    else:
        note_not_played(machine)


def note_not_played(machine: Machine) -> None:
    """The board is not played; the opponents still say yes."""
    machine.draft = change_draft(afresh(machine.draft), outcome=str(NotPlayed()))
    machine.go(Stage.VERIFY)


def give_declarer(machine: Machine, key: inputs.Declarer, at: datetime) -> None:
    """Who played it."""
    machine.draft = change_draft(machine.draft, declarer=key.seat, is_wrong_direction=False)
    if machine.rules.pair_number_entry is PairNumberEntry.NEVER:
        to_lead(machine, at)
    else:
        machine.go(Stage.PAIR)


def give_pair(machine: Machine, key: inputs.PairNumber, at: datetime) -> None:
    """The declaring pair's number: the other pair's means that the pairs sat the wrong way round."""
    here, declarer = machine.here(), machine.draft.declarer
    if here is None or declarer is None:
        return
    if key.pair in (here.at(declarer), here.at(declarer.partner)):
        machine.draft = change_draft(machine.draft, is_wrong_direction=False)
    elif key.pair in (here.at(declarer.next), here.at(declarer.previous)):
        machine.draft = change_draft(machine.draft, is_wrong_direction=True)
        machine.tell("wrong-direction")
    else:
        machine.tell("pair-not-here", pair=key.pair)
        return
    to_lead(machine, at)


def skip_pair(machine: Machine, key: inputs.Confirm, at: datetime) -> None:
    """No pair number, where it need not be given."""
    if machine.rules.pair_number_entry is PairNumberEntry.REQUIRED:
        machine.tell("pair-required")
    else:
        to_lead(machine, at)


def to_lead(machine: Machine, at: datetime) -> None:
    """The lead, where it is asked for; where the play is recorded the first card is it."""
    if machine.rules.record_play:
        _send_contract(machine, at)
        machine.go(Stage.PLAY)
    elif machine.rules.lead_entry is LeadEntry.NEVER:
        _to_result(machine, at)
    else:
        machine.go(Stage.LEAD)


def give_lead(machine: Machine, key: inputs.Lead, at: datetime) -> None:
    """The lead: a card of the player to declarer's left, where the deal is known and leads are checked."""
    card = key.card
    if leader_has(machine, card):
        _led(machine, card, at)
    elif machine.rules.lead_entry is LeadEntry.CHECKED_WITH_EXCEPTIONS:
        machine.draft = change_draft(machine.draft, odd_lead=card.value)
        machine.tell("lead-not-held-sure", card=card.value)
    else:
        machine.tell("lead-not-held", card=card.value)


def confirm_lead(machine: Machine, key: inputs.Confirm, at: datetime) -> None:
    """Yes, that card was led, whatever the deal says."""
    if machine.draft.odd_lead and machine.rules.lead_entry is LeadEntry.CHECKED_WITH_EXCEPTIONS:
        _led(machine, Card(machine.draft.odd_lead), at)


def _led(machine: Machine, card: Card, at: datetime) -> None:
    machine.draft = change_draft(machine.draft, lead=card.value, odd_lead="")
    _to_result(machine, at)


def leader_has(machine: Machine, card: Card) -> bool:
    """Whether nothing speaks against this lead."""
    deal = (machine.known.deals or {}).get(machine.draft.board)
    declarer = machine.draft.declarer
    if not machine.rules.checks_lead or deal is None or declarer is None:
        return True
    # Whoever sat the wrong way round held the other side's cards, but the seat still led its own.
    return card in Deal.parse(deal)[declarer.next]


def _to_result(machine: Machine, at: datetime) -> None:
    _send_contract(machine, at)
    machine.go(Stage.RESULT)


def _send_contract(machine: Machine, at: datetime) -> None:
    draft, known = machine.draft, machine.known
    if machine.rules.send_contracts and not draft.is_correction:
        machine.emit(
            EnterContract(
                known.session,
                known.section,
                known.table,
                machine.round,
                draft.board,
                str(contract_of(draft)),
                at,
                Card(draft.lead) if draft.lead else None,
                known.incarnation,
            )
        )


def contract_of(draft: Draft) -> Contract:
    """The contract of a draft that has one."""
    return _contract(draft.level, draft.strain, draft.doubling, draft.declarer or Seat.NORTH)


# There are 420, and every result at every table asks for one.
@lru_cache(maxsize=512)
def _contract(level: int, strain: int, doubling: int, declarer: Seat) -> Contract:
    return Contract(level, Strain(strain), Doubling(doubling), declarer)


def tricks_of(contract: Contract, value: int, method: ResultEntryMethod) -> int | None:
    """The tricks that an entered value means, or None where the contract cannot have that result.

    >>> four_spades = Contract.parse("4SN")
    >>> tricks_of(four_spades, -1, ResultEntryMethod.RELATIVE), tricks_of(four_spades, 9, ResultEntryMethod.TOTAL)
    (9, 9)
    >>> tricks_of(four_spades, 5, ResultEntryMethod.AMERICAN), tricks_of(four_spades, -1, ResultEntryMethod.AMERICAN)
    (11, 9)
    >>> tricks_of(four_spades, 3, ResultEntryMethod.AMERICAN) is None
    True
    """
    match method:
        case ResultEntryMethod.TOTAL:
            tricks = value
        case ResultEntryMethod.RELATIVE:
            tricks = contract.target + value
        case ResultEntryMethod.AMERICAN if value < 0:
            tricks = contract.target + value
        case ResultEntryMethod.AMERICAN:
            # Made is said as the level that was made, so below the contract's own level nothing was.
            tricks = value + 6 if value >= contract.level else -1
    return tricks if 0 <= tricks <= 13 else None


def give_result(machine: Machine, key: inputs.Result, at: datetime) -> None:
    """The result, if the contract can have it."""
    contract = contract_of(machine.draft)
    tricks = tricks_of(contract, key.value, machine.rules.result_entry)
    if tricks is None:
        machine.tell("impossible-result")
        return
    machine.draft = change_draft(machine.draft, outcome=str(Played(contract, tricks)))
    machine.go(Stage.VERIFY)


def again(machine: Machine, key: inputs.Cancel, at: datetime) -> None:
    """The contract again, for the same board."""
    machine.draft = afresh(machine.draft)
    machine.go(Stage.CONTRACT)


def accept(machine: Machine, key: inputs.Confirm, at: datetime) -> None:
    """The opponents say yes: the result is entered."""
    draft = machine.draft
    machine.enter(
        OwnResult(machine.round, draft.board, draft.outcome, draft.lead, draft.is_wrong_direction), at
    )
    machine.drop_draft()
    machine.after_board(draft.board)


def correct(machine: Machine, key: inputs.Correct, at: datetime) -> None:
    """Enter a board of this round again."""
    standing = machine.results().get((machine.round, key.board))
    if standing is None:
        machine.tell("no-result", board=key.board)
        return
    machine.steps = ()
    machine.draft = Draft(key.board, was=standing.outcome, is_correction=True)
    machine.go(Stage.CONTRACT)


def afresh(draft: Draft) -> Draft:
    """The same board, with nothing entered."""
    return Draft(draft.board, was=draft.was, is_correction=draft.is_correction)
