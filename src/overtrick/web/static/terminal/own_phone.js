// A player's own phone, that moves with the pair: it leaves a table when the round there is over for the pair, and
// logs on where the pair plays next, as soon as those before them are done there.

import { startAgain } from "./director.js";
import { command } from "./machine.js";
import { screen } from "./screens.js";
import { Stage } from "./stages.js";

const BETWEEN = [Stage.ROUND, Stage.BOARD, Stage.WAITING, Stage.END];
const nameOf = (place) => (place ? `${place.section}${place.table}` : "");

export class OwnPhone {
  constructor(terminal) {
    this.terminal = terminal;
    this.due = undefined; // where the pair plays next; null where it has played everything
    this.isWaiting = false; // whether another round may still be drawn
    this.asked = "";
    this.heard = null; // the newest news: its incarnation and its version
  }

  // Where the pair plays next, by news that may have been overtaken by newer ones: what was asked for, and the stream.
  hear({ snapshot, due, is_waiting: isWaiting }) {
    const { heard } = this;
    if (snapshot && snapshot.incarnation === heard?.incarnation && snapshot.version < heard.version) return;
    if (snapshot) this.heard = { incarnation: snapshot.incarnation, version: snapshot.version };
    this.due = due;
    this.isWaiting = isWaiting;
  }

  // The table that the phone is at, else the one it is going to.
  get at() {
    const { choice } = this.terminal.machine;
    return choice ? choice.join("") : nameOf(this.due);
  }

  // Move on where it is time to; whether anything was done.
  move(at) {
    const { machine } = this.terminal;
    if (this.due === undefined) return false;
    const isDone =
      machine.snapshot && machine.choice && BETWEEN.includes(machine.stage) && !machine.conflicts.length;
    // Where the pair plays next is known only when everything that was entered here has been taken in.
    // An answer may come after the news that have the entry already, and nothing more may happen here then.
    const isTaken = ({ version }) => version !== null && version <= machine.snapshot.version;
    if (isDone && !machine.outbox.length && machine.kept.every(isTaken) && this.isElsewhere()) {
      const { session, section, table } = machine.known;
      machine.emit(command("log-off", { session, section, table, at }));
      machine.snapshot = null;
      startAgain(machine);
      return true;
    }
    const wanted = this.due && `${nameOf(this.due)} ${this.due.round}`;
    if (machine.stage === Stage.TAKE_OVER && this.asked !== wanted) {
      // the other phone has scored the round
      startAgain(machine);
      return true;
    }
    const isKnown = this.due && machine.lobby.some((each) => nameOf(each) === nameOf(this.due));
    if (machine.stage === Stage.LOG_ON && this.due?.is_ready && isKnown && this.asked !== wanted) {
      this.asked = wanted;
      return this.terminal.press({ kind: "Choose", section: this.due.section, table: this.due.table }, at);
    }
    return false;
  }

  // Whether the pair plays on at another table, or not at all, while this one goes on with others.
  isElsewhere() {
    const { machine } = this.terminal;
    if (this.due === null) return machine.stage !== Stage.END; // who waits for a round leaves the table to the next
    return (
      nameOf(this.due) !== machine.choice.join("") ||
      (this.due.round !== machine.round && machine.stage !== Stage.END)
    );
  }

  // While the pair is between tables its phone says where to go, that it waits for a round, or that it is over.
  between(display) {
    if (display.screen.screen !== "LogOnScreen" || this.due === undefined || this.due?.is_ready)
      return display;
    const { due } = this;
    const shown =
      due === null
        ? screen(this.isWaiting ? "WaitingScreen" : "EndScreen")
        : screen("NextScreen", {
            places: [
              {
                side: due.side,
                table: nameOf(due),
                round: due.round,
                next_side: due.side,
                is_sit_out: false,
              },
            ],
          });
    return { ...display, screen: shown, keys: display.keys.filter((each) => each === "ChooseLanguage") };
  }
}
