# This file owns the state table of a terminal: which stage shows which screen, which rules it needs, and what every
# key does there. A stage or a key that is not in the table does not exist.
"""The state table of a terminal."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from overtrick.control import director_menu, display, entry, evening, inputs, players, recorder
from overtrick.control.inputs import Input
from overtrick.control.machine import Machine, Stage
from overtrick.control.rules import Rules
from overtrick.control.screens import Screen
from overtrick.event.settings import (
    HandEntry,
    LeadEntry,
    NumberEntry,
    PairNumberEntry,
    ScoreRecap,
    ShowRanking,
    SummaryPoints,
    ViewResults,
)

Handler = Callable[[Machine, Any, datetime], None]
"""What a key does."""


def _always(rules: Rules) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class State:
    """A row of the table."""

    screen: Callable[[Machine], Screen]
    keys: dict[type[Input], Handler] = field(default_factory=dict)
    is_allowed: Callable[[Rules], bool] = _always
    """Whether the rules let this stage be shown."""
    has_table: bool = True
    """Whether the terminal is at a table, so that the director can be called and scores can be looked at."""
    shows_extras: bool = False
    """Whether scores and ranking can be looked at from here."""


_TO_CONTRACT: dict[type[Input], Handler] = {inputs.Cancel: entry.again}

STATES: dict[Stage, State] = {
    Stage.LOG_ON: State(display.log_on, {inputs.Choose: evening.choose}, has_table=False),
    Stage.TAKE_OVER: State(
        display.take_over,
        {inputs.Confirm: evening.take_over, inputs.Cancel: evening.to_lobby},
        has_table=False,
    ),
    Stage.CONNECTING: State(display.connecting, {inputs.Cancel: evening.to_lobby}, has_table=False),
    Stage.STARTING_POSITIONS: State(
        display.starting_positions,
        {inputs.Confirm: players.confirm_positions},
        lambda rules: rules.confirm_starting_positions,
    ),
    Stage.NUMBERS: State(
        display.numbers, {inputs.Number: players.give_number, inputs.Cancel: players.leave_number}
    ),
    Stage.PLAYERS: State(
        display.players, {inputs.Confirm: players.confirm_numbers, inputs.Cancel: players.numbers_again}
    ),
    Stage.ROUND: State(
        display.round_information,
        {inputs.Confirm: players.start_round, inputs.ChangePlayer: players.change_player},
        shows_extras=True,
    ),
    Stage.BOARD: State(
        display.board,
        {
            inputs.Board: entry.give_board,
            inputs.Confirm: entry.confirm_board,
            inputs.Cancel: entry.leave_board,
            inputs.ChangePlayer: players.change_player,
        },
        shows_extras=True,
    ),
    Stage.CONTRACT: State(
        display.contract,
        {
            inputs.Bid: entry.give_bid,
            inputs.PassOut: entry.pass_out,
            inputs.NoPlay: entry.no_play,
            inputs.Cancel: entry.leave_contract,
            inputs.ChangePlayer: players.change_player,
        },
        shows_extras=True,
    ),
    Stage.AUCTION: State(
        display.auction,
        {
            inputs.MakeCall: recorder.give_call,
            inputs.NoPlay: entry.no_play,
            inputs.Cancel: recorder.take_back_call,
        },
        lambda rules: rules.record_bidding,
    ),
    Stage.PLAY: State(
        display.play,
        {
            inputs.PlayCard: recorder.give_card,
            inputs.Result: recorder.claim,
            inputs.Cancel: recorder.take_back_card,
        },
        lambda rules: rules.record_play,
    ),
    Stage.DECLARER: State(
        display.declarer,
        {inputs.Declarer: entry.give_declarer, inputs.Double: entry.give_double, **_TO_CONTRACT},
    ),
    Stage.PAIR: State(
        display.pair,
        {inputs.PairNumber: entry.give_pair, inputs.Confirm: entry.skip_pair, **_TO_CONTRACT},
        lambda rules: rules.pair_number_entry is not PairNumberEntry.NEVER,
    ),
    Stage.LEAD: State(
        display.lead,
        {inputs.Lead: entry.give_lead, inputs.Confirm: entry.confirm_lead, **_TO_CONTRACT},
        lambda rules: rules.lead_entry is not LeadEntry.NEVER,
    ),
    Stage.RESULT: State(display.result, {inputs.Result: entry.give_result, **_TO_CONTRACT}),
    Stage.VERIFY: State(display.verify, {inputs.Confirm: entry.accept, **_TO_CONTRACT}),
    Stage.RESULTS: State(
        display.results,
        {
            inputs.Confirm: evening.go_on,
            inputs.More: evening.more,
            inputs.Repeat: evening.repeat,
            inputs.ShowHand: evening.show_hand,
        },
        lambda rules: rules.view_results is not ViewResults.NONE,
    ),
    Stage.HAND: State(
        display.hand,
        {inputs.Confirm: evening.to_results, inputs.Cancel: evening.to_results},
        lambda rules: rules.view_hand_record and rules.view_results is not ViewResults.NONE,
    ),
    Stage.ENTER_HAND: State(
        display.enter_hand,
        {inputs.Cards: evening.give_cards, inputs.Cancel: evening.leave_cards},
        lambda rules: rules.enter_hand_record is not HandEntry.NEVER,
    ),
    Stage.RECAP: State(
        display.recap,
        {inputs.Confirm: evening.go_on, inputs.Correct: entry.correct},
        lambda rules: rules.score_recap is not ScoreRecap.NEVER or rules.auto_score_recap,
    ),
    Stage.RANKING: State(
        display.ranking,
        {inputs.Confirm: evening.go_on},
        lambda rules: rules.ranking is not ShowRanking.NEVER,
    ),
    Stage.NEXT: State(
        display.next_seating, {inputs.Confirm: evening.go_on}, lambda rules: rules.show_next_seating
    ),
    Stage.WAITING: State(display.waiting, shows_extras=True),
    Stage.SUMMARY: State(
        display.summary,
        {inputs.Confirm: evening.go_on},
        lambda rules: rules.summary is not SummaryPoints.NONE,
    ),
    Stage.END: State(display.end, {inputs.Confirm: evening.log_off}, shows_extras=True),
    Stage.PIN: State(display.pin, {inputs.Pin: director_menu.give_pin, inputs.Cancel: director_menu.leave}),
    Stage.MENU: State(
        display.menu,
        {
            inputs.Assign: director_menu.assign,
            inputs.Erase: director_menu.erase,
            inputs.ViewBoard: director_menu.view_board,
            inputs.Status: director_menu.status,
            inputs.Swap: director_menu.swap,
            inputs.ChangePlayers: director_menu.change_players,
            inputs.WrongDirection: director_menu.wrong_direction,
            inputs.Reset: director_menu.reset,
            inputs.Cancel: director_menu.leave,
        },
    ),
    Stage.STATUS: State(
        display.status, {inputs.Confirm: director_menu.to_menu, inputs.Cancel: director_menu.to_menu}
    ),
    Stage.VIEW_BOARD: State(
        display.view_board, {inputs.Confirm: director_menu.to_menu, inputs.Cancel: director_menu.to_menu}
    ),
}

BEHIND_THE_PIN = frozenset({Stage.PIN, Stage.MENU, Stage.STATUS, Stage.VIEW_BOARD})
"""The stages that the director is in, or is about to be."""


def keys_of(machine: Machine) -> Mapping[type[Input], Handler]:
    """What every key does now, as the table and the rules have it."""
    if machine.conflicts:
        return {inputs.Confirm: seen, **_LANGUAGE}
    stage = machine.stage
    if machine.snapshot is None or not STATES[stage].has_table:
        return {**STATES[stage].keys, **_LANGUAGE}
    rules = machine.snapshot.rules
    known: dict[Stage, dict[type[Input], Handler]] = machine.keys_for(rules)
    if stage not in known:
        known[stage] = _keys_at_table(stage, rules)
    return known[stage]


def _keys_at_table(stage: Stage, rules: Rules) -> dict[type[Input], Handler]:
    state = STATES[stage]
    found = {**state.keys, **_LANGUAGE}
    if stage not in BEHIND_THE_PIN:
        found[inputs.Director] = director_menu.open_menu
        if rules.reset_key:
            found[inputs.Reset] = director_menu.reset
    if rules.director_calls:
        found[inputs.CallDirector] = evening.call_director
    if state.shows_extras:
        if rules.score_recap is ScoreRecap.ALWAYS:
            found[inputs.ShowScores] = evening.show_scores
        if rules.ranking is ShowRanking.ALWAYS:
            found[inputs.ShowRanking] = evening.show_ranking
    if not rules.correction:
        found.pop(inputs.Correct, None)
    if not rules.repeat_results:
        found.pop(inputs.Repeat, None)
    if not rules.view_hand_record:
        found.pop(inputs.ShowHand, None)
    if rules.number_entry is NumberEntry.NEVER and not rules.numbers_during_play:
        found.pop(inputs.ChangePlayer, None)
    return found


def seen(machine: Machine, key: inputs.Confirm, at: datetime) -> None:
    """A conflict has been seen; the director can still find it under the status."""
    first, *rest = machine.conflicts
    machine.conflicts = tuple(rest)
    machine.refused = (*machine.refused, first)


_LANGUAGE: dict[type[Input], Handler] = {inputs.ChooseLanguage: evening.choose_language}
