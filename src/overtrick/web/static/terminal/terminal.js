// The terminal at a table: keys in, screens and entries out. Pure: no DOM, no network, no clock.
//
// A terminal works from a snapshot of its table, so it keeps working without the network. Every command that it makes
// waits in its outbox until the server has acknowledged or refused it. Whenever a key was pressed or a snapshot came,
// `settle` compares the stage with what is known now and leaves a stage that no longer applies.

import { NOT_PLAYED } from "./bridge.js";
import { startAgain } from "./director.js";
import { conflict } from "./display.js";
import { emptyDraft } from "./entry.js";
import { ENTERING, Machine, NEW_MACHINE } from "./machine.js";
import { begin } from "./players.js";
import { callOf } from "./session_flow.js";
import { Stage } from "./stages.js";
import { BEHIND_THE_PIN, keysOf, STATES } from "./states.js";
import { Language, NumberEntry, Reason } from "./vocabulary.js";

const isSameTable = (one, other) => one.section === other.section && one.table === other.table;

// Return whether two JSON values are deeply equal.
const equal = (one, other) => {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => equal(one[name], other[name]));
};

// Return whether a stored field has the type that a new machine has there; a missing field will do.
const isLike = (value, blank) =>
  value === undefined ||
  blank === null ||
  (typeof value === typeof blank && value !== null && Array.isArray(value) === Array.isArray(blank));

// Return whether the entries made now are the director's, who has typed the PIN.
const isDirectors = ({ stage, is_directors_change: isChange, draft }) =>
  BEHIND_THE_PIN.includes(stage) ||
  (isChange && [Stage.NUMBERS, Stage.PLAYERS].includes(stage)) ||
  (stage === Stage.VERIFY && draft.outcome === NOT_PLAYED);

// Return whether this is a terminal's stored memory. An earlier version may have written fewer fields.
const isMemory = (memory) =>
  typeof memory?.device === "string" &&
  Object.entries(NEW_MACHINE).every(([name, blank]) => isLike(memory[name], blank)) &&
  [memory.stage, memory.back].every((stage) => stage === undefined || Object.hasOwn(STATES, stage));

// Return whether nothing of a board is entered yet. After the end of the session, a board is only finished.
const isUntouched = ({ level, calls, outcome, is_correction: isCorrection }) =>
  !level && !calls.length && !outcome && !isCorrection;

export class Terminal {
  // `device` is this device's id. `run` must be new whenever the memory starts empty: entry ids contain it, and two
  // runs must never make the same id.
  constructor(device, session, tables, run) {
    this.machine = new Machine({ device, session, lobby: tables, run });
  }

  // Return the terminal that `write` has written; throw an error if the text is not a terminal's memory.
  static read(text) {
    const memory = JSON.parse(text);
    if (!isMemory(memory)) throw new Error("This is not the memory of a terminal.");
    const terminal = Object.create(Terminal.prototype);
    terminal.machine = new Machine(memory);
    return terminal;
  }

  write() {
    return JSON.stringify(this.machine);
  }

  // Return what to show now: the screen, the keys that work, the notice, and the head's figures.
  get display() {
    const { machine } = this;
    const screen = machine.conflicts.length ? conflict(machine) : STATES[machine.stage].screen(machine);
    return {
      screen,
      language: this.language,
      keys: Object.keys(keysOf(machine)).sort(),
      notice: machine.notice,
      call: callOf(machine).status,
      unsent: machine.outbox.length,
    };
  }

  // Return the language that the player chose, else the section's.
  get language() {
    const { machine } = this;
    return machine.language ?? (machine.snapshot ? machine.rules.language : Language.ENGLISH);
  }

  // Press a key; return whether it works now.
  press(key, at) {
    const handler = keysOf(this.machine)[key.kind];
    if (!handler) return false;
    this.machine.notice = null;
    handler(this.machine, key, at);
    this.settle();
    if (!isDirectors(this.machine)) this.machine.permission = "";
    return true;
  }

  // Return the entries to send now, oldest first. With the offline setting that is none before the last board.
  unsent() {
    const { machine } = this;
    if (!machine.snapshot || !machine.rules.is_offline) return machine.outbox;
    const isDone =
      [Stage.CONNECTING, Stage.WAITING, Stage.END].includes(machine.stage) || !machine.roundToPlay();
    return isDone ? machine.outbox : [];
  }

  // Note that the server accepted an entry, which brought the session to this version. A held entry waits until the
  // director confirms it.
  acknowledge(id, version, isHeld = false) {
    const { machine } = this;
    const entry = machine.reply(id, version);
    if (entry && isHeld) machine.tell("unconfirmed");
    const { snapshot } = machine;
    if (!entry || !snapshot || entry.command.kind !== "log-on") return;
    if (isSameTable(entry.command, snapshot)) {
      machine.snapshot = { ...snapshot, terminal: entry.command.terminal };
    }
  }

  // Note which timeline the server's journal has. After a failover another server may lack entries that the lost one
  // had acknowledged. They are sent again (the server ignores an id that it has), and snapshots count though their
  // versions are lower.
  setTimeline(timeline) {
    const { machine } = this;
    const previous = machine.timeline;
    if (!timeline || previous === timeline) return;
    machine.timeline = timeline;
    if (!previous) return;
    const resent = machine.acknowledged ?? [];
    machine.acknowledged = [];
    machine.outbox = [...resent, ...machine.outbox];
    const ids = new Set(resent.map(({ id }) => id));
    machine.kept = machine.kept.map((kept) => (ids.has(kept.entry) ? { ...kept, version: null } : kept));
    if (machine.snapshot) machine.snapshot = { ...machine.snapshot, version: 0 };
  }

  // Note that the server refused an entry, and show the players which one and why.
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

  // Take a new snapshot of the chosen table (null: the table is gone) and the list of tables. Ignore an old snapshot.
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
    machine.snapshot = this.withEarlierRanks(snapshot);
    machine.kept = machine.kept.filter((kept) => kept.version === null || kept.version > snapshot.version);
    // This device may have had the table before: only a snapshot taken after its log-on answers the log-on.
    const isAnswer = snapshot.terminal === machine.device && !this.isLoggingOn();
    if (machine.stage === Stage.CONNECTING && isAnswer) begin(machine);
    this.settle();
  }

  // Return a snapshot with the known ranks of the rounds for which it has none: the server sends those of few rounds,
  // and a rank that was shown must not vanish.
  withEarlierRanks(snapshot) {
    const previous = this.machine.snapshot;
    if (!previous || !isSameTable(previous, snapshot) || previous.incarnation !== snapshot.incarnation)
      return snapshot;
    const newRounds = new Set(snapshot.ranks.map(({ round }) => round));
    const earlier = previous.ranks.filter(({ round }) => !newRounds.has(round));
    return earlier.length ? { ...snapshot, ranks: [...earlier, ...snapshot.ranks] } : snapshot;
  }

  // Return whether a log-on waits for its answer.
  isLoggingOn() {
    return this.machine.outbox.some((waiting) => waiting.command.kind === "log-on");
  }

  // Restart a half-entered board or player number: the new settings may ask for something else.
  beginAgain() {
    const { machine } = this;
    const isBehind = BEHIND_THE_PIN.includes(machine.stage);
    const stage = isBehind ? machine.back : machine.stage;
    let firstStage;
    if (ENTERING.includes(stage)) {
      machine.draft = emptyDraft(machine.draft);
      firstStage = Stage.CONTRACT;
    } else if (stage === Stage.NUMBERS || stage === Stage.PLAYERS) {
      machine.typed = [];
      firstStage = Stage.NUMBERS;
    } else {
      return;
    }
    machine.tell("settings-changed");
    if (isBehind) machine.back = firstStage;
    else machine.go(firstStage);
  }

  // Return whether a snapshot is older than the current one, or than an entry that the server has answered.
  isOld(snapshot) {
    const { machine } = this;
    const previous = machine.snapshot;
    const answeredVersion = Math.max(0, ...machine.kept.map((kept) => kept.version ?? 0));
    if (!previous || !isSameTable(previous, snapshot)) return false;
    if (snapshot.incarnation !== previous.incarnation) return snapshot.incarnation < previous.incarnation;
    return snapshot.version < Math.max(previous.version, answeredVersion);
  }

  // Leave a stage that no longer applies after a key or a snapshot. Entries in the outbox are never lost by this.
  settle() {
    const { machine } = this;
    if (!STATES[machine.stage].hasTable) return;
    if (!machine.snapshot) {
      startAgain(machine);
    } else if (machine.tableSnapshot.terminal !== machine.device && !this.isLoggingOn()) {
      machine.tell("replaced");
      startAgain(machine);
    } else if (machine.tableSnapshot.resets > machine.resets) {
      machine.tell("was-reset");
      startAgain(machine);
    } else if (BEHIND_THE_PIN.includes(machine.stage)) {
      this.settleBehind();
    } else if (this.isObsolete(machine.stage)) {
      this.leave(machine.stage);
    }
  }

  // Go on from a stage that no longer applies. A round that others have completed still shows its end-of-round screens.
  leave(stage) {
    const { machine } = this;
    const isPlaying = stage === Stage.ROUND || stage === Stage.BOARD || ENTERING.includes(stage);
    machine.steps = [];
    if (isPlaying && machine.currentRound()?.is_played && !machine.openBoards().length) {
      machine.dropDraft();
      machine.showStages(machine.afterRound());
    } else if (stage === Stage.WAITING && machine.rules.show_next_seating) {
      // The next round has been drawn: first show the waiting pairs where they play it.
      machine.showStages([{ stage: Stage.NEXT, board: 0 }]);
    } else {
      machine.goOn();
    }
  }

  // While the director's menu is open, check the stage below it instead.
  settleBehind() {
    const { machine } = this;
    if (machine.back !== Stage.ROUND && this.isObsolete(machine.back)) {
      machine.dropDraft();
      machine.steps = [];
      machine.back = Stage.ROUND;
    }
  }

  // Return whether the rules, the movement or the results no longer allow a stage.
  isObsolete(stage) {
    const { machine } = this;
    const { rules, tableSnapshot } = machine;
    if (!STATES[stage].isAllowed(rules)) return true;
    if (ENTERING.includes(stage))
      return (tableSnapshot.has_ended && isUntouched(machine.draft)) || this.draftIsOvertaken();
    const tableRound = machine.currentRound();
    switch (stage) {
      case Stage.BOARD:
        return tableSnapshot.has_ended || !machine.openBoards().length;
      case Stage.ROUND:
        return tableSnapshot.has_ended || !tableRound?.is_played || !machine.openBoards().length;
      case Stage.WAITING:
      case Stage.END:
        return Boolean(machine.roundToPlay()) || (stage === Stage.WAITING) !== tableSnapshot.is_waiting;
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
        return machine.dealIsKnown(machine.shown_board) || tableRound === null;
      case Stage.NEXT:
        return !tableSnapshot.onward.some((onward) => onward.round === machine.round);
      case Stage.RESULTS:
      case Stage.RECAP:
        return !tableRound?.is_played;
      default:
        return false;
    }
  }

  // Return whether the half-entered board is not played here any more, or has a result from elsewhere; tell the
  // players.
  draftIsOvertaken() {
    const { machine } = this;
    const { draft } = machine;
    const tableRound = machine.currentRound();
    if (!tableRound?.is_played || !tableRound.boards.includes(draft.board)) {
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
