// A player's own phone, which moves with the pair: it logs off when the pair has finished at a table, and logs on at
// the pair's next table as soon as that table is free.

import { startAgain } from "./director.js";
import { command } from "./machine.js";
import { screen } from "./screens.js";
import { Stage } from "./stages.js";

const BETWEEN = [Stage.ROUND, Stage.BOARD, Stage.WAITING, Stage.END];
const nameOf = (place) => (place ? `${place.section}${place.table}` : "");

export class OwnPhone {
  constructor(terminal) {
    this.terminal = terminal;
    this.due = undefined; // the pair's next table; null if there is none, undefined before the first news
    this.isWaiting = false; // true if another round may still be drawn
    this.requestedTable = ""; // the table and round of the last log-on
    this.latest = null; // timeline, incarnation and version of the newest news
    this.finals = []; // the pair's final score, once it has one
  }

  // Take news of the pair's next table. News come from requests and from the stream, so old ones can come after newer.
  // After a failover the journal has another timeline and may lack facts, so its versions cannot be compared.
  receive({ snapshot, timeline, due, is_waiting: isWaiting, is_short: isShort }) {
    const { latest } = this;
    if (snapshot) {
      const { incarnation, version } = snapshot;
      const isSame = timeline === latest?.timeline && incarnation === latest?.incarnation;
      if (isSame && version < latest.version) return;
      this.latest = { timeline, incarnation, version };
    }
    this.due = due;
    this.isWaiting = isWaiting;
    if (!isShort) this.finals = snapshot?.finals ?? [];
  }

  // Return the name of the phone's table, else of its next one.
  get at() {
    const { choice } = this.terminal.machine;
    return choice ? choice.join("") : nameOf(this.due);
  }

  // Log off or on if it is time to; return whether anything was done.
  logOnOrOff(at) {
    const { machine } = this.terminal;
    if (this.due === undefined) return false;
    const isDone =
      machine.snapshot && machine.choice && BETWEEN.includes(machine.stage) && !machine.conflicts.length;
    // The next table is certain only when the server has all entries made here and the snapshot contains them.
    // The answer to an entry can come after the snapshot that contains it, so compare versions.
    const isTaken = ({ version }) => version !== null && version <= machine.snapshot.version;
    if (isDone && !machine.outbox.length && machine.kept.every(isTaken) && this.isElsewhere()) {
      const { session, section, table } = machine.tableSnapshot;
      machine.emit(command("log-off", { session, section, table, at }));
      machine.snapshot = null;
      startAgain(machine);
      return true;
    }
    const next = this.due && `${nameOf(this.due)} ${this.due.round}`;
    if (machine.stage === Stage.TAKE_OVER && this.requestedTable !== next) {
      // The other phone at the table has scored the round meanwhile.
      startAgain(machine);
      return true;
    }
    const isListed = this.due && machine.lobby.some((each) => nameOf(each) === nameOf(this.due));
    if (machine.stage === Stage.LOG_ON && this.due?.is_ready && isListed && this.requestedTable !== next) {
      this.requestedTable = next;
      return this.terminal.press({ kind: "Choose", section: this.due.section, table: this.due.table }, at);
    }
    return false;
  }

  // Return whether the pair is finished here while this table goes on with others.
  isElsewhere() {
    const { machine } = this.terminal;
    if (this.due === null) return machine.stage !== Stage.END; // waiting for a round, the pair leaves the table
    return (
      nameOf(this.due) !== machine.choice.join("") ||
      (this.due.round !== machine.round && machine.stage !== Stage.END)
    );
  }

  // Return the display of a phone between two tables: the next table, the wait for a round, or the end. Any other
  // display is returned unchanged.
  displayBetweenTables(display) {
    if (display.screen.screen !== "LogOnScreen" || this.due === undefined || this.due?.is_ready)
      return display;
    const { due } = this;
    const nextScreen =
      due === null
        ? this.isWaiting
          ? screen("WaitingScreen")
          : screen("EndScreen", { finals: this.finals, sit_outs: [] })
        : screen("NextScreen", {
            places: [
              ...(due.sits_out ?? []).map((round) => ({
                side: due.side,
                round,
                is_sit_out: true,
                after: null,
              })),
              {
                side: due.side,
                table: nameOf(due),
                round: due.round,
                next_side: due.side,
                is_sit_out: false,
              },
            ],
          });
    return { ...display, screen: nextScreen, keys: display.keys.filter((each) => each === "ChooseLanguage") };
  }
}
