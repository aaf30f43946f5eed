"""The history of one session as rows of a `.bws` file: the versions of every row that we have written or should write.

Pure: facts go in, versions of rows come out. Has no dependency on files.
"""

# How a row says which fact it was written for
# --------------------------------------------
#
# Rows are rendered from history and not only from the state, because erased results and calls that were taken back are
# rows too. The only mark that ties a row to a fact is its log time (DateLog and TimeLog), with a resolution of one
# second. `RowHistory` keeps it unambiguous: the log times of one board never repeat and always rise, so an entry in the
# same second as the one before is logged a second later. Facts that come from the file keep the log time of their row.
#
# A board has one `ResultLife` per row. A life begins with the entry of a result, continues through corrections and
# judgements, and ends with the erasure; a result that is entered after an erasure begins a new life, and a new row.
#
#   log         time of the newest version (result, judgement or erasure): a row with this time, or a later one, is
#               up to date and is left alone even if it differs
#   result_log  time of the newest result: a row between `result_log` and `log` lacks only the judgement or the erasure
#   logs        all times that the life has had: a row with any of them is the row of this life
#   by_peer     the newest version was read from the row, so there is nothing to write
#   is_past     the row may be missing for good: the session was opened again, or the scoring program reused the row
#
# The reconciler that compares these versions with the file is `control_rows`.

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from overtrick.bridge import Deal
from overtrick.event import Fact
from overtrick.event.hands import HandRecordSet, HandSource
from overtrick.event.movement import TableDropped
from overtrick.event.place import Place
from overtrick.event.recording import CallRecorded, CardRecorded, ContractRecorded
from overtrick.event.results import ResultErased, ResultJudged, ResultRecorded
from overtrick.event.seating import Chair, Seated, Unseated
from overtrick.event.setup import GroupDropped, SectionDropped, SessionOpened

SECOND = timedelta(seconds=1)
"""The resolution of the log fields."""


@dataclass(slots=True)
class ResultLife:
    """One row of results: from the entry of a result, through its corrections, to its erasure."""

    recorded: ResultRecorded
    """The newest version."""
    log: datetime
    """The log time of the newest version, or of the erasure."""
    result_log: datetime
    """The log time of the newest result; a later judgement or erasure does not change it."""
    logs: set[datetime] = field(default_factory=set)
    """The log times of all versions: a row with one of them is the row of this life."""
    is_erased: bool = False
    by_peer: bool = False
    """True if the scoring program wrote the newest version into the row itself."""
    is_past: bool = False
    """True if its row may be erased but never added: an earlier incarnation of the session wrote it, or the peer reused
    it.
    """

    def log_at(self, log: datetime) -> None:
        """Advance the log time of the row."""
        self.log = log
        self.logs.add(log)


@dataclass(slots=True)
class ContractVersion:
    """The newest contract of a board before its result."""

    recorded: ContractRecorded
    log: datetime
    by_peer: bool


@dataclass(slots=True)
class ChairVersion:
    """The newest occupant of a chair; None if the chair became empty."""

    seated: Seated | None
    log: datetime
    by_peer: bool


@dataclass(slots=True)
class DealVersions:
    """All deals that a board of a scoring group has had, the newest last, and the source of the newest."""

    deals: list[Deal] = field(default_factory=list)
    source: HandSource = HandSource.FILE


@dataclass(slots=True)
class RowHistory:
    """The versions of the rows of one session, updated fact by fact."""

    results: dict[Place, list[ResultLife]] = field(default_factory=dict)
    contracts: dict[Place, ContractVersion] = field(default_factory=dict)
    recorded: list[CallRecorded | CardRecorded] = field(default_factory=list)
    """Calls and cards in the order of their facts, including those that were taken back."""
    chairs: dict[Chair, ChairVersion] = field(default_factory=dict)
    deals: dict[tuple[int, int], DealVersions] = field(default_factory=dict)

    def apply(self, fact: Fact, at: datetime, *, from_file: bool = False) -> None:
        """Update the history by one fact that was committed at this local time.

        `from_file` says that the fact repeats what another program wrote into the file.
        """
        match fact:
            case ResultRecorded():
                self._record(fact, from_file)
            case ResultJudged():
                life = self.results[fact.place][-1]
                judged = replace(life.recorded, suspicion=fact.suspicion)
                life.recorded = judged
                if not from_file:
                    life.by_peer = False
                    life.log_at(life.log + SECOND)
            case ResultErased():
                life = self.results[fact.place][-1]
                life.is_erased = True
                # The scoring program erases a row itself; an instruction erases results whose rows nobody has touched.
                if not from_file or fact.cause:
                    life.by_peer = False
                    life.log_at(max(file_time(at), life.log + SECOND))
            case ContractRecorded():
                place = fact.place
                log = file_time(fact.at)
                previous = self.contracts.get(place)
                if previous is not None and not from_file:
                    log = max(log, previous.log + SECOND)
                self.contracts[place] = ContractVersion(fact, log, from_file)
            case CallRecorded() | CardRecorded():
                self.recorded.append(fact)
            case Seated() | Unseated():
                self._seat(fact, at, from_file)
            case HandRecordSet():
                versions = self.deals.setdefault((fact.group, fact.board), DealVersions())
                versions.source = fact.source
                if not versions.deals or versions.deals[-1] != fact.deal:
                    versions.deals.append(fact.deal)
            case GroupDropped():
                self.deals = {key: deal for key, deal in self.deals.items() if key[0] != fact.group}
            case TableDropped() | SectionDropped():
                self._drop_chairs(fact)
            case SessionOpened():
                self._start_incarnation(file_time(at))

    def _record(self, fact: ResultRecorded, from_file: bool) -> None:
        lives = self.results.setdefault(fact.place, [])
        log = file_time(fact.at)
        if lives and not from_file:
            log = max(log, lives[-1].log + SECOND)
        is_reused = bool(lives) and from_file and log in lives[-1].logs
        if lives and (is_reused or not lives[-1].is_erased):
            life = lives[-1]
            life.recorded, life.by_peer, life.is_erased, life.is_past = fact, from_file, False, False
            life.log_at(log)
            life.result_log = log
            return
        if from_file:
            for life in lives:
                life.is_past = True
        lives.append(ResultLife(fact, log, log, {log}, by_peer=from_file))

    def _seat(self, fact: Seated | Unseated, at: datetime, from_file: bool) -> None:
        chair = fact.section, fact.table, fact.round, fact.seat
        previous = self.chairs.get(chair)
        log = file_time(at)
        if previous is not None:
            log = max(log, previous.log + SECOND)
        if isinstance(fact, Unseated):
            # A player whom the scoring program seats elsewhere leaves a chair whose row it has not touched.
            self.chairs[chair] = ChairVersion(None, log, by_peer=False)
        else:
            self.chairs[chair] = ChairVersion(fact, log, by_peer=from_file)

    def _drop_chairs(self, fact: TableDropped | SectionDropped) -> None:
        self.chairs = {
            chair: version
            for chair, version in self.chairs.items()
            if chair[0] != fact.section or (isinstance(fact, TableDropped) and chair[1] != fact.table)
        }

    def _start_incarnation(self, at: datetime) -> None:
        """End all rows of an earlier incarnation of the session."""
        for lives in self.results.values():
            for life in lives:
                if not life.is_erased:
                    life.is_erased, life.by_peer = True, False
                    life.log_at(max(at, life.log + SECOND))
                life.is_past = True
        self.contracts, self.recorded, self.chairs, self.deals = {}, [], {}, {}


def file_time(at: datetime) -> datetime:
    """Return a time as the log fields store it: without a zone, in whole seconds.

    >>> file_time(datetime(2026, 3, 2, 19, 58, 44, 900)).isoformat()
    '2026-03-02T19:58:44'
    """
    return at.replace(tzinfo=None, microsecond=0)
