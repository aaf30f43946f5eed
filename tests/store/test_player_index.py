"""The index of players, on both engines: filled when a session ends, and filled again after it was emptied."""

from dataclasses import replace
from datetime import timedelta

from overtrick.bridge import Seat
from overtrick.event import OpenEvent
from overtrick.event.filing import FileSession, Filing
from overtrick.event.results import EnterResult
from overtrick.event.seating import Participation, PutParticipations
from overtrick.event.setup import SetStatus, Status
from overtrick.host.runtime import Runtime, open_runtime
from overtrick.store.player_index import PlayerIndex
from tests.event.evenings import entry, plan
from tests.store.test_sessions import GUIDS, settle
from tests.store.tiny import rebuild


def play(runtime: Runtime, number: int) -> None:
    """Open a session a day after the last, in which Ann, number 0012, and Bo sit North and South, and play a board."""
    evening = replace(
        plan(), session=GUIDS[number], name=f"Evening {number}", day=plan().day + timedelta(number)
    )
    runtime.do(OpenEvent(GUIDS[number], (evening,)))
    seats = (
        Participation("A", 1, Seat.NORTH, number="0012", last_name="Ann"),
        Participation("A", 1, Seat.SOUTH, first_name="Bo", last_name="Ek"),
    )
    runtime.do(PutParticipations(GUIDS[number], seats, must_be_known=False))
    runtime.do(EnterResult(GUIDS[number], entry(1, 1, 1, "4SN=")))


def test_players_are_found_by_number_or_name_in_finished_sessions(where: str) -> None:
    with open_runtime(where) as runtime:
        index = PlayerIndex(runtime.journal)
        for number in (0, 1, 2):
            play(runtime, number)
            if number < 2:
                runtime.do(SetStatus(GUIDS[number], Status.FINISHED))
        settle(runtime)
        assert [(one.player, one.name, one.sessions) for one in index.players()] == [
            ("#12", "Ann", 2),
            ("~bo ek", "Bo Ek", 2),
        ]
        assert [one.player for one in index.players("12")] == ["#12"]
        newest, oldest = index.sessions_of("#12")
        assert (newest.name, newest.session) == ("Evening 1", GUIDS[1])
        assert oldest.day < newest.day
        assert newest.result.partners == (("~bo ek", "Bo Ek"),)
        assert newest.result.card.startswith("card-A1")
        assert index.sessions_of("~ann") == []
        with runtime.journal.writing() as cursor:
            cursor.execute("DELETE FROM player_results")
        rebuild(runtime.journal)
        settle(runtime)
        assert index.sessions_of("#12") == [newest, oldest]
        # Opened again or deleted: out of the list, at once when the session's line is noted.
        runtime.do(SetStatus(GUIDS[1], Status.STARTED))
        runtime.do(FileSession(GUIDS[0], Filing.BINNED))
        settle(runtime)
        assert index.sessions_of("#12") == []
        runtime.do(FileSession(GUIDS[0], Filing.LISTED))
        settle(runtime)
        assert index.sessions_of("#12") == [oldest]
