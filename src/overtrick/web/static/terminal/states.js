// The state table of a terminal.
//
// A terminal is a state machine. Its state is a Machine (machine.js), and the part of the state that decides what is
// on the screen is `machine.stage`, one of the values in stages.js. STATES has one row for each stage:
//
//   screen       function (machine) -> screen   the screen to show (display.js); it only reads the machine
//   keys         key kind -> handler            the keys that work here; handler(machine, key, at) changes the machine
//   isAllowed    function (rules) -> boolean    whether the section's settings let the stage be shown
//   hasTable     boolean                        whether the terminal is at a table here
//   showsExtras  boolean                        whether scores and ranking can be opened from here
//
// A key that is not in the row does nothing: Terminal.press returns false, and draw.js does not draw it. `keysOf` adds
// the keys that do not belong to one stage:
//
//   ChooseLanguage            everywhere
//   Director                  at a table, outside the director's menu; asks for the PIN
//   Reset                     the same, if the settings have a reset key
//   CallDirector              at a table, if the settings allow calls
//   WithdrawCall              the same, while the table has an open call
//   ShowScores, ShowRanking   if the row has showsExtras and the settings always allow them
//
// and removes those that the settings forbid (Correct, Repeat, ShowHand, ChangePlayer, SkipLead) and, for a correction,
// PendRuling: only the director takes a result away.
//
// The way through the stages:
//
//   LOG_ON -> (TAKE_OVER) -> CONNECTING -> (STARTING_POSITIONS) -> (NUMBERS -> PLAYERS) -> ROUND
//
//   ROUND -> (BOARD) -> CONTRACT -> DECLARER -> (PAIR) -> (LEAD) -> RESULT -> VERIFY      a board, entered
//   ROUND -> (BOARD) -> AUCTION -> PLAY -> VERIFY                                         a board, recorded
//
//   after a board:     (RESULTS <-> HAND) -> (ENTER_HAND) -> the next board
//   after a round:     (RESULTS) -> (ENTER_HAND) -> (RECAP) -> (RANKING) -> (NEXT) -> ROUND or WAITING
//   after the session: (RANKING) -> (SUMMARY) -> END -> LOG_ON
//
//   PIN -> MENU <-> STATUS, VIEW_BOARD      from any stage at a table, and back to `machine.back`
//
// Stages in parentheses depend on the settings. Settings also mix the two ways through a board: without a recorded
// auction CONTRACT comes before PLAY, and without recorded play LEAD and RESULT follow AUCTION. Cancel goes one step
// back; from DECLARER to VERIFY it goes to CONTRACT.
//
// Two things override the row of the current stage:
//   1. While `machine.conflicts` is not empty, the terminal shows the first refused entry, and Confirm removes it from
//      the list. The stage below does not change.
//   2. After every key and every snapshot, Terminal.settle (terminal.js) leaves a stage that no longer applies: the
//      settings changed, the board got a result elsewhere, the movement changed, or another device took the table.
//
// Stages are stored on devices. Keep the values in stages.js when you rename one, and keep a row for each value:
// Terminal.read refuses a memory whose stage has no row.

import * as director from "./director.js";
import * as display from "./display.js";
import * as entry from "./entry.js";
import * as players from "./players.js";
import * as recorder from "./recorder.js";
import * as flow from "./session_flow.js";
import { Stage } from "./stages.js";
import {
  HandEntry,
  LeadEntry,
  NumberEntry,
  PairNumberEntry,
  ScoreRecap,
  ShowRanking,
  SummaryPoints,
  ViewResults,
} from "./vocabulary.js";

const TO_CONTRACT = { Cancel: entry.enterAgain };

// Return a row of the table.
const state = (screen, keys = {}, isAllowed = () => true, { hasTable = true, showsExtras = false } = {}) => ({
  screen,
  keys,
  isAllowed,
  hasTable,
  showsExtras,
});

const always = () => true;

export const STATES = {
  [Stage.LOG_ON]: state(display.logOn, { Choose: flow.choose }, always, { hasTable: false }),
  [Stage.TAKE_OVER]: state(display.takeOver, { Confirm: flow.takeOver, Cancel: flow.toLobby }, always, {
    hasTable: false,
  }),
  [Stage.CONNECTING]: state(display.connecting, { Cancel: flow.toLobby }, always, { hasTable: false }),
  [Stage.STARTING_POSITIONS]: state(
    display.startingPositions,
    { Confirm: players.confirmPositions },
    (rules) => rules.confirm_starting_positions,
  ),
  [Stage.NUMBERS]: state(display.numbers, { Number: players.enterNumber, Cancel: players.leaveNumber }),
  [Stage.PLAYERS]: state(display.players, { Confirm: players.confirmNumbers, Cancel: players.numbersAgain }),
  [Stage.ROUND]: state(
    display.roundInformation,
    { Confirm: players.startRound, ChangePlayer: players.changePlayer },
    always,
    { showsExtras: true },
  ),
  [Stage.BOARD]: state(
    display.board,
    {
      Board: entry.enterBoard,
      Confirm: entry.confirmBoard,
      Cancel: entry.leaveBoard,
      ChangePlayer: players.changePlayer,
    },
    always,
    { showsExtras: true },
  ),
  [Stage.CONTRACT]: state(
    display.contract,
    {
      Bid: entry.enterBid,
      PassOut: entry.passOut,
      NoPlay: entry.noPlay,
      PendRuling: entry.pendRuling,
      Cancel: entry.leaveContract,
      ChangePlayer: players.changePlayer,
    },
    always,
    { showsExtras: true },
  ),
  [Stage.AUCTION]: state(
    display.auction,
    {
      MakeCall: recorder.enterCall,
      NoPlay: entry.noPlay,
      PendRuling: entry.pendRuling,
      Cancel: recorder.takeBackCall,
    },
    (rules) => rules.record_bidding,
  ),
  [Stage.PLAY]: state(
    display.play,
    { PlayCard: recorder.enterCard, Result: recorder.claim, Cancel: recorder.takeBackCard },
    (rules) => rules.record_play,
  ),
  [Stage.DECLARER]: state(display.declarer, {
    Declarer: entry.enterDeclarer,
    Double: entry.enterDoubling,
    ...TO_CONTRACT,
  }),
  [Stage.PAIR]: state(
    display.pair,
    { PairNumber: entry.enterPair, Confirm: entry.skipPair, ...TO_CONTRACT },
    (rules) => rules.pair_number_entry !== PairNumberEntry.NEVER,
  ),
  [Stage.LEAD]: state(
    display.lead,
    { Lead: entry.enterLead, Confirm: entry.confirmLead, SkipLead: entry.skipLead, ...TO_CONTRACT },
    (rules) => rules.lead_entry !== LeadEntry.NEVER,
  ),
  [Stage.RESULT]: state(display.result, { Result: entry.enterResult, ...TO_CONTRACT }),
  [Stage.VERIFY]: state(display.verify, { Confirm: entry.confirmResult, ...TO_CONTRACT }),
  [Stage.RESULTS]: state(
    display.results,
    {
      Confirm: flow.goOn,
      More: flow.more,
      Repeat: flow.repeat,
      ShowHand: flow.showHand,
    },
    (rules) => rules.view_results !== ViewResults.NONE,
  ),
  [Stage.HAND]: state(
    display.hand,
    { Confirm: flow.toResults, Cancel: flow.toResults },
    (rules) => rules.view_hand_record && rules.view_results !== ViewResults.NONE,
  ),
  [Stage.ENTER_HAND]: state(
    display.enterHand,
    { Cards: flow.enterHandCards, Cancel: flow.leaveCards },
    (rules) => rules.enter_hand_record !== HandEntry.NEVER,
  ),
  [Stage.RECAP]: state(
    display.recap,
    { Confirm: flow.goOn, Correct: entry.correct },
    (rules) => rules.score_recap !== ScoreRecap.NEVER || rules.auto_score_recap,
  ),
  [Stage.RANKING]: state(
    display.ranking,
    { Confirm: flow.goOn },
    (rules) => rules.ranking !== ShowRanking.NEVER,
  ),
  [Stage.NEXT]: state(display.nextSeating, { Confirm: flow.goOn }, (rules) => rules.show_next_seating),
  [Stage.WAITING]: state(display.waiting, {}, always, { showsExtras: true }),
  [Stage.SUMMARY]: state(
    display.summary,
    { Confirm: flow.goOn },
    (rules) => rules.summary !== SummaryPoints.NONE,
  ),
  [Stage.END]: state(display.end, { Confirm: flow.logOff }, always, { showsExtras: true }),
  [Stage.PIN]: state(display.pin, { Pin: director.receivePinCheck, Cancel: director.leaveMenu }),
  [Stage.MENU]: state(display.menu, {
    Assign: director.assign,
    Erase: director.erase,
    ViewBoard: director.viewBoard,
    Status: director.status,
    Swap: director.swap,
    ChangePlayers: director.changePlayers,
    WrongDirection: director.wrongDirection,
    Reset: director.reset,
    Cancel: director.leaveMenu,
  }),
  [Stage.STATUS]: state(display.status, { Confirm: director.toMenu, Cancel: director.toMenu }),
  [Stage.VIEW_BOARD]: state(display.viewBoard, { Confirm: director.toMenu, Cancel: director.toMenu }),
};

// The stages of the director's menu, including the question for its PIN.
export const BEHIND_THE_PIN = [Stage.PIN, Stage.MENU, Stage.STATUS, Stage.VIEW_BOARD];

const LANGUAGE = { ChooseLanguage: flow.chooseLanguage };

// Return the handlers of the keys that work now, by key kind.
export function keysOf(machine) {
  if (machine.conflicts.length) return { Confirm: confirmConflict, ...LANGUAGE };
  const { keys, hasTable, showsExtras } = STATES[machine.stage];
  const handlers = { ...keys, ...LANGUAGE };
  if (!hasTable || !machine.snapshot) return handlers;
  const { rules } = machine;
  if (!BEHIND_THE_PIN.includes(machine.stage)) {
    handlers.Director = director.openMenu;
    if (rules.reset_key) handlers.Reset = director.reset;
  }
  if (rules.director_calls) {
    handlers.CallDirector = flow.callDirector;
    if (flow.callOf(machine).id) handlers.WithdrawCall = flow.withdrawCall;
  }
  if (showsExtras) {
    if (rules.score_recap === ScoreRecap.ALWAYS) handlers.ShowScores = flow.showScores;
    if (rules.ranking === ShowRanking.ALWAYS) handlers.ShowRanking = flow.showRanking;
  }
  if (!rules.correction) delete handlers.Correct;
  if (!rules.repeat_results) delete handlers.Repeat;
  if (!rules.view_hand_record) delete handlers.ShowHand;
  if (rules.lead_entry === LeadEntry.CHECKED) delete handlers.SkipLead;
  if (machine.draft.is_correction) delete handlers.PendRuling;
  if (rules.number_entry === NumberEntry.NEVER && !rules.numbers_during_play) delete handlers.ChangePlayer;
  return handlers;
}

// Remove the conflict that the players have confirmed; the director's status still lists it.
function confirmConflict(machine) {
  const [first, ...rest] = machine.conflicts;
  machine.conflicts = rest;
  machine.refused = [...machine.refused, first];
}
