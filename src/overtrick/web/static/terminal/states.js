// This file owns the state table of a terminal in the browser: which stage shows which screen, which rules it needs,
// and what every key does there. A stage or a key that is not in the table does not exist.

import * as director from "./director.js";
import * as display from "./display.js";
import * as entry from "./entry.js";
import * as evening from "./evening.js";
import * as players from "./players.js";
import * as recorder from "./recorder.js";
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

const TO_CONTRACT = { Cancel: entry.again };

// A row: `isAllowed` says whether the rules let this stage be shown; `hasTable` whether the terminal is at a table,
// so that the director can be called; `showsExtras` whether scores and ranking can be looked at from here.
const state = (screen, keys = {}, isAllowed = () => true, { hasTable = true, showsExtras = false } = {}) => ({
  screen,
  keys,
  isAllowed,
  hasTable,
  showsExtras,
});

const always = () => true;

export const STATES = {
  [Stage.LOG_ON]: state(display.logOn, { Choose: evening.choose }, always, { hasTable: false }),
  [Stage.TAKE_OVER]: state(display.takeOver, { Confirm: evening.takeOver, Cancel: evening.toLobby }, always, {
    hasTable: false,
  }),
  [Stage.CONNECTING]: state(display.connecting, { Cancel: evening.toLobby }, always, { hasTable: false }),
  [Stage.STARTING_POSITIONS]: state(
    display.startingPositions,
    { Confirm: players.confirmPositions },
    (rules) => rules.confirm_starting_positions,
  ),
  [Stage.NUMBERS]: state(display.numbers, { Number: players.giveNumber, Cancel: players.leaveNumber }),
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
      Board: entry.giveBoard,
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
      Bid: entry.giveBid,
      PassOut: entry.passOut,
      NoPlay: entry.noPlay,
      Cancel: entry.leaveContract,
      ChangePlayer: players.changePlayer,
    },
    always,
    { showsExtras: true },
  ),
  [Stage.AUCTION]: state(
    display.auction,
    { MakeCall: recorder.giveCall, NoPlay: entry.noPlay, Cancel: recorder.takeBackCall },
    (rules) => rules.record_bidding,
  ),
  [Stage.PLAY]: state(
    display.play,
    { PlayCard: recorder.giveCard, Result: recorder.claim, Cancel: recorder.takeBackCard },
    (rules) => rules.record_play,
  ),
  [Stage.DECLARER]: state(display.declarer, {
    Declarer: entry.giveDeclarer,
    Double: entry.giveDouble,
    ...TO_CONTRACT,
  }),
  [Stage.PAIR]: state(
    display.pair,
    { PairNumber: entry.givePair, Confirm: entry.skipPair, ...TO_CONTRACT },
    (rules) => rules.pair_number_entry !== PairNumberEntry.NEVER,
  ),
  [Stage.LEAD]: state(
    display.lead,
    { Lead: entry.giveLead, Confirm: entry.confirmLead, ...TO_CONTRACT },
    (rules) => rules.lead_entry !== LeadEntry.NEVER,
  ),
  [Stage.RESULT]: state(display.result, { Result: entry.giveResult, ...TO_CONTRACT }),
  [Stage.VERIFY]: state(display.verify, { Confirm: entry.accept, ...TO_CONTRACT }),
  [Stage.RESULTS]: state(
    display.results,
    {
      Confirm: evening.goOn,
      More: evening.more,
      Repeat: evening.repeat,
      ShowHand: evening.showHand,
    },
    (rules) => rules.view_results !== ViewResults.NONE,
  ),
  [Stage.HAND]: state(
    display.hand,
    { Confirm: evening.toResults, Cancel: evening.toResults },
    (rules) => rules.view_hand_record && rules.view_results !== ViewResults.NONE,
  ),
  [Stage.ENTER_HAND]: state(
    display.enterHand,
    { Cards: evening.giveCards, Cancel: evening.leaveCards },
    (rules) => rules.enter_hand_record !== HandEntry.NEVER,
  ),
  [Stage.RECAP]: state(
    display.recap,
    { Confirm: evening.goOn, Correct: entry.correct },
    (rules) => rules.score_recap !== ScoreRecap.NEVER || rules.auto_score_recap,
  ),
  [Stage.RANKING]: state(
    display.ranking,
    { Confirm: evening.goOn },
    (rules) => rules.ranking !== ShowRanking.NEVER,
  ),
  [Stage.NEXT]: state(display.nextSeating, { Confirm: evening.goOn }, (rules) => rules.show_next_seating),
  [Stage.WAITING]: state(display.waiting, {}, always, { showsExtras: true }),
  [Stage.SUMMARY]: state(
    display.summary,
    { Confirm: evening.goOn },
    (rules) => rules.summary !== SummaryPoints.NONE,
  ),
  [Stage.END]: state(display.end, { Confirm: evening.logOff }, always, { showsExtras: true }),
  [Stage.PIN]: state(display.pin, { Pin: director.givePin, Cancel: director.leave }),
  [Stage.MENU]: state(display.menu, {
    Assign: director.assign,
    Erase: director.erase,
    ViewBoard: director.viewBoard,
    Status: director.status,
    Swap: director.swap,
    ChangePlayers: director.changePlayers,
    WrongDirection: director.wrongDirection,
    Reset: director.reset,
    Cancel: director.leave,
  }),
  [Stage.STATUS]: state(display.status, { Confirm: director.toMenu, Cancel: director.toMenu }),
  [Stage.VIEW_BOARD]: state(display.viewBoard, { Confirm: director.toMenu, Cancel: director.toMenu }),
};

// The stages that the director is in, or is about to be.
export const BEHIND_THE_PIN = [Stage.PIN, Stage.MENU, Stage.STATUS, Stage.VIEW_BOARD];

const LANGUAGE = { ChooseLanguage: evening.chooseLanguage };

// What every key does now, as the table and the rules have it.
export function keysOf(machine) {
  if (machine.conflicts.length) return { Confirm: seen, ...LANGUAGE };
  const { keys, hasTable, showsExtras } = STATES[machine.stage];
  const found = { ...keys, ...LANGUAGE };
  if (!hasTable || !machine.snapshot) return found;
  const { rules } = machine;
  if (!BEHIND_THE_PIN.includes(machine.stage)) {
    found.Director = director.openMenu;
    if (rules.reset_key) found.Reset = director.reset;
  }
  if (rules.director_calls) found.CallDirector = evening.callDirector;
  if (showsExtras) {
    if (rules.score_recap === ScoreRecap.ALWAYS) found.ShowScores = evening.showScores;
    if (rules.ranking === ShowRanking.ALWAYS) found.ShowRanking = evening.showRanking;
  }
  if (!rules.correction) delete found.Correct;
  if (!rules.repeat_results) delete found.Repeat;
  if (!rules.view_hand_record) delete found.ShowHand;
  if (rules.number_entry === NumberEntry.NEVER && !rules.numbers_during_play) delete found.ChangePlayer;
  return found;
}

// A conflict has been seen; the director can still find it under the status.
function seen(machine) {
  const [first, ...rest] = machine.conflicts;
  machine.conflicts = rest;
  machine.refused = [...machine.refused, first];
}
