"""The terminal at a table: keys in, screens and entries out. Touches no screen, no socket and no clock.

It works from a snapshot of its table, so it goes on without the network. What it wants to happen waits in its outbox
until it is acknowledged, entry by entry; what is refused becomes a screen that someone has to see.
"""

from dataclasses import replace
from datetime import datetime

from overtrick.control import display, entry
from overtrick.control.director_menu import start_again
from overtrick.control.evening import is_calling
from overtrick.control.inputs import Input
from overtrick.control.machine import ENTERING, Conflict, Entry, Machine, Stage, Step
from overtrick.control.players import begin
from overtrick.control.screens import Display
from overtrick.control.snapshot import LobbyTable, Snapshot
from overtrick.control.states import BEHIND_THE_PIN, STATES, keys_of
from overtrick.event import Reason, Rejection
from overtrick.event.calls import CallStatus
from overtrick.event.settings import Language, NumberEntry
from overtrick.event.tables import LogOn


class Terminal:
    """A terminal. `device` is its own id; `run` must be new whenever its memory starts empty.

    An entry that has the id of an earlier one counts as that one, so two runs must never share ids.

    Give it keys with `press`, send what is in `unsent()` and answer with `acknowledge` or `refuse`, and tell it
    what is new with `update`. `display` says what to show at any time.
    """

    def __init__(self, device: str, session: str, tables: tuple[LobbyTable, ...] = (), *, run: str) -> None:
        self.machine = Machine(device, session, tables, run)

    @property
    def display(self) -> Display:
        """What to show now."""
        machine = self.machine
        screen = display.conflict(machine) if machine.conflicts else STATES[machine.stage].screen(machine)
        call = machine.snapshot.call if machine.snapshot else None
        if call is None and is_calling(machine):
            call = CallStatus.LAUNCHED
        return Display(
            screen,
            self.language,
            frozenset(keys_of(machine)),
            machine.notice,
            call,
            len(machine.outbox),
        )

    @property
    def language(self) -> Language:
        """The player's language, else the section's."""
        machine = self.machine
        if machine.language is not None:
            return machine.language
        return machine.rules.language if machine.snapshot else Language.ENGLISH

    def press(self, key: Input, at: datetime) -> bool:
        """Press a key; whether it is one that works now."""
        machine = self.machine
        handler = keys_of(machine).get(type(key))
        if handler is None:
            return False
        machine.notice = None
        handler(machine, key, at)
        self._settle()
        return True

    def unsent(self) -> tuple[Entry, ...]:
        """What should be sent now, oldest first. Offline that is nothing before the last board is played."""
        machine = self.machine
        if machine.snapshot is None or not machine.rules.is_offline:
            return machine.outbox
        if machine.stage in (Stage.CONNECTING, Stage.WAITING, Stage.END) or not machine.round_to_play():
            return machine.outbox
        return ()

    def acknowledge(self, entry_id: str, version: int) -> None:
        """An entry has been taken in; the session's stream is at this version with it."""
        machine = self.machine
        taken, known = machine.reply(entry_id, version), machine.snapshot
        if taken is None or known is None or not isinstance(taken.command, LogOn):
            return
        if (taken.command.section, taken.command.table) == (known.section, known.table):
            machine.snapshot = replace(known, terminal=taken.command.terminal)

    def refuse(self, entry_id: str, rejection: Rejection) -> None:
        """An entry has been refused: the players are shown what and why."""
        machine = self.machine
        refused = machine.reply(entry_id, 0)
        if refused is None:
            return
        machine.kept = tuple(kept for kept in machine.kept if kept.entry != entry_id)
        command = refused.command
        if isinstance(command, LogOn) and machine.stage is Stage.CONNECTING:
            if rejection.reason is Reason.NOT_ALLOWED and not command.takes_over:
                machine.go(Stage.TAKE_OVER)
            else:
                machine.tell("no-such-table", table=f"{command.section}{command.table}")
                machine.go(Stage.LOG_ON)
            return
        machine.conflicts = (
            *machine.conflicts,
            Conflict(refused, rejection.reason.value, str(rejection)),
        )
        self._settle()

    def update(self, snapshot: Snapshot | None, tables: tuple[LobbyTable, ...] | None = None) -> None:
        """What is known now of the chosen table, and of the tables to choose from; an older snapshot is ignored."""
        machine = self.machine
        if tables is not None:
            machine.lobby = tables
        if snapshot is None:
            if machine.snapshot is not None:
                machine.snapshot = None
                machine.tell("table-gone")
                start_again(machine)
            return
        is_chosen = (snapshot.section, snapshot.table) == machine.choice
        if not is_chosen or self._is_old(snapshot):
            return
        if machine.snapshot is not None and machine.snapshot.rules != snapshot.rules:
            self._begin_again()
        machine.snapshot = snapshot
        machine.kept = tuple(
            kept for kept in machine.kept if kept.version is None or kept.version > snapshot.version
        )
        # A table may have been ours before: only what was taken after our log-on counts as an answer to it.
        is_answer = snapshot.terminal == machine.device and not self._is_logging_on()
        if machine.stage is Stage.CONNECTING and is_answer:
            begin(machine)
        self._settle()

    def _is_logging_on(self) -> bool:
        """Whether a log-on has not been answered yet."""
        return any(isinstance(waiting.command, LogOn) for waiting in self.machine.outbox)

    def _begin_again(self) -> None:
        """What was asked of a half-entered board, or of a player, may not be what the new settings ask."""
        machine = self.machine
        is_behind = machine.stage in BEHIND_THE_PIN
        stage = machine.back if is_behind else machine.stage
        if stage in ENTERING:
            machine.draft = entry.afresh(machine.draft)
            first = Stage.CONTRACT
        elif stage in (Stage.NUMBERS, Stage.PLAYERS):
            machine.typed = ()
            first = Stage.NUMBERS
        else:
            return
        machine.tell("settings-changed")
        if is_behind:
            machine.back = first
        else:
            machine.go(first)

    def _is_old(self, snapshot: Snapshot) -> bool:
        machine, before = self.machine, self.machine.snapshot
        answered = max((kept.version or 0 for kept in machine.kept), default=0)
        if before is None or (before.section, before.table) != (snapshot.section, snapshot.table):
            return False
        if snapshot.incarnation != before.incarnation:
            return snapshot.incarnation < before.incarnation
        return snapshot.version < max(before.version, answered)

    def _settle(self) -> None:
        """Leave what the newest snapshot, or the last key, has made senseless; nothing entered is lost by it."""
        machine, known, stage = self.machine, self.machine.snapshot, self.machine.stage
        if not STATES[stage].has_table:
            return
        if known is None:
            start_again(machine)
            return
        if known.terminal != machine.device and not self._is_logging_on():
            machine.tell("replaced")
            start_again(machine)
        elif known.resets > machine.resets:
            machine.tell("was-reset")
            start_again(machine)
        elif stage in BEHIND_THE_PIN:
            self._settle_behind()
        elif self._is_senseless(stage):
            self._leave(stage)

    def _leave(self, stage: Stage) -> None:
        """Go on from a stage that makes no sense any more: a round that others have ended still ends as it should."""
        machine, here = self.machine, self.machine.here()
        is_playing = stage in (Stage.ROUND, Stage.BOARD, *ENTERING)
        machine.steps = ()
        if is_playing and here is not None and here.is_played and not machine.open_boards():
            machine.drop_draft()
            machine.follow(*machine.after_round())
        elif stage is Stage.WAITING and machine.rules.show_next_seating:
            # The round has been drawn: those who wait here are told first where they play it.
            machine.follow(Step(Stage.NEXT))
        else:
            machine.go_on()

    def _settle_behind(self) -> None:
        """The stage that the director will go back to must still make sense."""
        machine = self.machine
        if machine.back is not Stage.ROUND and self._is_senseless(machine.back):
            machine.drop_draft()
            machine.steps = ()
            machine.back = Stage.ROUND

    def _is_senseless(self, stage: Stage) -> bool:
        machine = self.machine
        if not STATES[stage].is_allowed(machine.rules):
            return True
        if stage in ENTERING:
            return self._draft_is_overtaken()
        if stage is Stage.BOARD:
            return not machine.open_boards()
        here = machine.here()
        if stage is Stage.ROUND:
            return here is None or not here.is_played or not machine.open_boards()
        if stage in (Stage.WAITING, Stage.END):
            return bool(machine.round_to_play()) or (stage is Stage.WAITING) is not machine.known.is_waiting
        if stage in (Stage.NUMBERS, Stage.PLAYERS):
            rules, number = machine.rules, max(machine.numbers_round, 1)
            is_asked = rules.number_entry is not NumberEntry.NEVER or rules.numbers_during_play
            return machine.known.round(number) is None or not (is_asked or machine.is_directors_change)
        if stage is Stage.HAND:
            return machine.shown_board not in (machine.known.deals or {})
        if stage is Stage.ENTER_HAND:
            return machine.deal_is_known(machine.shown_board) or here is None
        if stage is Stage.NEXT:
            return not any(onward.round == machine.round for onward in machine.known.onward)
        if stage in (Stage.RESULTS, Stage.RECAP):
            return here is None or not here.is_played
        return False

    def _draft_is_overtaken(self) -> bool:
        """Whether the board that is half entered has gone, or has got a result from elsewhere."""
        machine, draft = self.machine, self.machine.draft
        here = machine.here()
        if here is None or not here.is_played or draft.board not in here.boards:
            machine.tell("movement-changed")
            return True
        standing = machine.results().get((machine.round, draft.board))
        if draft.is_correction:
            if standing is None or standing.outcome != draft.was:
                machine.tell("board-has-result", board=draft.board)
                return True
            return not machine.rules.correction
        if standing is not None:
            machine.tell("board-has-result", board=draft.board)
            return True
        return False
