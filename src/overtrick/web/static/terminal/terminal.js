// The terminal at a table: keys in, screens and entries out. Touches no screen, no socket and no clock.
// It works from a snapshot of its table, so it goes on without the network; what it wants to happen waits in its
// outbox until it is acknowledged, entry by entry.

import { NOT_PLAYED } from "./bridge.js";
import { startAgain } from "./director.js";
import { conflict } from "./display.js";
import { afresh } from "./entry.js";
import { isCalling } from "./evening.js";
import { ENTERING, Machine, NEW_MACHINE } from "./machine.js";
import { begin } from "./players.js";
import { Stage } from "./stages.js";
import { BEHIND_THE_PIN, keysOf, STATES } from "./states.js";
import { CallStatus, Language, NumberEntry, Reason } from "./vocabulary.js";

const sameTable = (one, other) => one.section === other.section && one.table === other.table;

// Whether two values are the same through and through.
const equal = (one, other) => {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => equal(one[name], other[name]));
};

// Whether a value can stand where a machine starts with another: a list for a list, a text for a text.
const isLike = (value, blank) =>
  value === undefined ||
  blank === null ||
  (typeof value === typeof blank && value !== null && Array.isArray(value) === Array.isArray(blank));

// Whether what is entered now is entered by the director, who has given the PIN.
const isDirectors = ({ stage, is_directors_change: isChange, draft }) =>
  BEHIND_THE_PIN.includes(stage) ||
  (isChange && [Stage.NUMBERS, Stage.PLAYERS].includes(stage)) ||
  (stage === Stage.VERIFY && draft.outcome === NOT_PLAYED);

// Whether this is what a terminal has written, perhaps one of an earlier version with fewer fields.
const isMemory = (kept) =>
  typeof kept?.device === "string" &&
  Object.entries(NEW_MACHINE).every(([name, blank]) => isLike(kept[name], blank)) &&
  [kept.stage, kept.back].every((stage) => stage === undefined || Object.hasOwn(STATES, stage));

export class Terminal {
  // `device` is its own id; `run` must be new whenever its memory starts empty: two runs must never share ids.
  constructor(device, session, tables, run) {
    this.machine = new Machine({ device, session, lobby: tables, run });
  }

  // The terminal that was written; an error where that is no terminal's memory.
  static read(text) {
    const kept = JSON.parse(text);
    if (!isMemory(kept)) throw new Error("This is not the memory of a terminal.");
    const terminal = Object.create(Terminal.prototype);
    terminal.machine = new Machine(kept);
    return terminal;
  }

  write() {
    return JSON.stringify(this.machine);
  }

  // What to show now.
  get display() {
    const { machine } = this;
    const screen = machine.conflicts.length ? conflict(machine) : STATES[machine.stage].screen(machine);
    const call = machine.snapshot?.call ?? (isCalling(machine) ? CallStatus.LAUNCHED : null);
    return {
      screen,
      language: this.language,
      keys: Object.keys(keysOf(machine)).sort(),
      notice: machine.notice,
      call,
      unsent: machine.outbox.length,
    };
  }

  // The player's language, else the section's.
  get language() {
    const { machine } = this;
    return machine.language ?? (machine.snapshot ? machine.rules.language : Language.ENGLISH);
  }

  // Press a key; whether it is one that works now.
  press(key, at) {
    const handler = keysOf(this.machine)[key.kind];
    if (!handler) return false;
    this.machine.notice = null;
    handler(this.machine, key, at);
    this.settle();
    if (!isDirectors(this.machine)) this.machine.permission = "";
    return true;
  }

  // What should be sent now, oldest first. Offline that is nothing before the last board is played.
  unsent() {
    const { machine } = this;
    if (!machine.snapshot || !machine.rules.is_offline) return machine.outbox;
    const isDone =
      [Stage.CONNECTING, Stage.WAITING, Stage.END].includes(machine.stage) || !machine.roundToPlay();
    return isDone ? machine.outbox : [];
  }

  // An entry has been taken in; the session's stream is at this version with it. A held one waits for the director.
  acknowledge(id, version, isHeld = false) {
    const { machine } = this;
    const taken = machine.reply(id, version);
    if (taken && isHeld) machine.tell("unconfirmed");
    const known = machine.snapshot;
    if (!taken || !known || taken.command.kind !== "log-on") return;
    if (sameTable(taken.command, known)) machine.snapshot = { ...known, terminal: taken.command.terminal };
  }

  // The journal is on the server of this timeline. Another one than before may lack what was acknowledged: that is sent
  // again, and counts once, and its snapshots are believed though they are older.
  follow(timeline) {
    const { machine } = this;
    const before = machine.timeline;
    if (!timeline || before === timeline) return;
    machine.timeline = timeline;
    if (!before) return;
    const again = machine.acknowledged ?? [];
    machine.acknowledged = [];
    machine.outbox = [...again, ...machine.outbox];
    const ids = new Set(again.map(({ id }) => id));
    machine.kept = machine.kept.map((kept) => (ids.has(kept.entry) ? { ...kept, version: null } : kept));
    if (machine.snapshot) machine.snapshot = { ...machine.snapshot, version: 0 };
  }

  // An entry has been refused: the players are shown what and why.
  refuse(id, reason, sentence) {
    const { machine } = this;
    const refused = machine.reply(id, 0);
    if (!refused) return;
    machine.kept = machine.kept.filter((kept) => kept.entry !== id);
    const { kind, takes_over: takesOver, section, table } = refused.command;
    if (kind === "log-on" && machine.stage === Stage.CONNECTING) {
      if (reason === Reason.NOT_ALLOWED && !takesOver) {
        machine.go(Stage.TAKE_OVER);
      } else {
        machine.tell("no-such-table", { table: `${section}${table}` });
        machine.go(Stage.LOG_ON);
      }
      return;
    }
    machine.conflicts = [...machine.conflicts, { entry: refused, reason, sentence }];
    this.settle();
  }

  // What is known now of the chosen table, and of the tables to choose from; an older snapshot is ignored.
  update(snapshot, tables = null) {
    const { machine } = this;
    if (tables !== null) machine.lobby = tables;
    if (snapshot === null) {
      if (machine.snapshot !== null) {
        machine.snapshot = null;
        machine.tell("table-gone");
        startAgain(machine);
      }
      return;
    }
    const isChosen = machine.choice?.[0] === snapshot.section && machine.choice[1] === snapshot.table;
    if (!isChosen || this.isOld(snapshot)) return;
    if (machine.snapshot && !equal(machine.snapshot.rules, snapshot.rules)) this.beginAgain();
    machine.snapshot = snapshot;
    machine.kept = machine.kept.filter((kept) => kept.version === null || kept.version > snapshot.version);
    // A table may have been ours before: only what was taken after our log-on counts as an answer to it.
    const isAnswer = snapshot.terminal === machine.device && !this.isLoggingOn();
    if (machine.stage === Stage.CONNECTING && isAnswer) begin(machine);
    this.settle();
  }

  // Whether a log-on has not been answered yet.
  isLoggingOn() {
    return this.machine.outbox.some((waiting) => waiting.command.kind === "log-on");
  }

  // What was asked of a half-entered board, or of a player, may not be what the new settings ask.
  beginAgain() {
    const { machine } = this;
    const isBehind = BEHIND_THE_PIN.includes(machine.stage);
    const stage = isBehind ? machine.back : machine.stage;
    let first;
    if (ENTERING.includes(stage)) {
      machine.draft = afresh(machine.draft);
      first = Stage.CONTRACT;
    } else if (stage === Stage.NUMBERS || stage === Stage.PLAYERS) {
      machine.typed = [];
      first = Stage.NUMBERS;
    } else {
      return;
    }
    machine.tell("settings-changed");
    if (isBehind) machine.back = first;
    else machine.go(first);
  }

  isOld(snapshot) {
    const { machine } = this;
    const before = machine.snapshot;
    const answered = Math.max(0, ...machine.kept.map((kept) => kept.version ?? 0));
    if (!before || !sameTable(before, snapshot)) return false;
    if (snapshot.incarnation !== before.incarnation) return snapshot.incarnation < before.incarnation;
    return snapshot.version < Math.max(before.version, answered);
  }

  // Leave what the newest snapshot, or the last key, has made senseless; nothing entered is lost by it.
  settle() {
    const { machine } = this;
    if (!STATES[machine.stage].hasTable) return;
    if (!machine.snapshot) {
      startAgain(machine);
    } else if (machine.known.terminal !== machine.device && !this.isLoggingOn()) {
      machine.tell("replaced");
      startAgain(machine);
    } else if (machine.known.resets > machine.resets) {
      machine.tell("was-reset");
      startAgain(machine);
    } else if (BEHIND_THE_PIN.includes(machine.stage)) {
      this.settleBehind();
    } else if (this.isSenseless(machine.stage)) {
      this.leave(machine.stage);
    }
  }

  // Go on from a stage that makes no sense any more: a round that others have ended still ends as it should.
  leave(stage) {
    const { machine } = this;
    const isPlaying = stage === Stage.ROUND || stage === Stage.BOARD || ENTERING.includes(stage);
    machine.steps = [];
    if (isPlaying && machine.here()?.is_played && !machine.openBoards().length) {
      machine.dropDraft();
      machine.follow(machine.afterRound());
    } else if (stage === Stage.WAITING && machine.rules.show_next_seating) {
      // The round has been drawn: those who wait here are told first where they play it.
      machine.follow([{ stage: Stage.NEXT, board: 0 }]);
    } else {
      machine.goOn();
    }
  }

  // The stage that the director will go back to must still make sense.
  settleBehind() {
    const { machine } = this;
    if (machine.back !== Stage.ROUND && this.isSenseless(machine.back)) {
      machine.dropDraft();
      machine.steps = [];
      machine.back = Stage.ROUND;
    }
  }

  isSenseless(stage) {
    const { machine } = this;
    const { rules, known } = machine;
    if (!STATES[stage].isAllowed(rules)) return true;
    if (ENTERING.includes(stage)) return this.draftIsOvertaken();
    const here = machine.here();
    switch (stage) {
      case Stage.BOARD:
        return !machine.openBoards().length;
      case Stage.ROUND:
        return !here?.is_played || !machine.openBoards().length;
      case Stage.WAITING:
      case Stage.END:
        return Boolean(machine.roundToPlay()) || (stage === Stage.WAITING) !== known.is_waiting;
      case Stage.NUMBERS:
      case Stage.PLAYERS: {
        const isAsked = rules.number_entry !== NumberEntry.NEVER || rules.numbers_during_play;
        return (
          machine.roundOf(Math.max(machine.numbers_round, 1)) === null ||
          !(isAsked || machine.is_directors_change)
        );
      }
      case Stage.HAND:
        return !machine.dealOf(machine.shown_board);
      case Stage.ENTER_HAND:
        return machine.dealIsKnown(machine.shown_board) || here === null;
      case Stage.NEXT:
        return !known.onward.some((onward) => onward.round === machine.round);
      case Stage.RESULTS:
      case Stage.RECAP:
        return !here?.is_played;
      default:
        return false;
    }
  }

  // Whether the board that is half entered has gone, or has got a result from elsewhere.
  draftIsOvertaken() {
    const { machine } = this;
    const { draft } = machine;
    const here = machine.here();
    if (!here?.is_played || !here.boards.includes(draft.board)) {
      machine.tell("movement-changed");
      return true;
    }
    const standing = machine.resultOf(machine.round, draft.board);
    if (draft.is_correction) {
      if (!standing || standing.outcome !== draft.was) {
        machine.tell("board-has-result", { board: draft.board });
        return true;
      }
      return !machine.rules.correction;
    }
    if (standing) {
      machine.tell("board-has-result", { board: draft.board });
      return true;
    }
    return false;
  }
}
