"""The clocks of a table."""

from typing import Any

from tests.tablemanager.tables import AUCTION, E, Make, N, S, W, at_first_call

from overtrick.bridge import SEATS, Award
from overtrick.tablemanager.player import PlayerView
from overtrick.tablemanager.rules import BoardRecorded, TableRules


def test_silent_player_gets_a_ruling_after_the_timeout(make_table: Make) -> None:
    table = at_first_call(make_table, timeout=60.0).local.table
    assert table.deadline == 60.0
    assert not [output for output in table.tick(59.0) if isinstance(output, BoardRecorded)]
    records = [output.record for output in table.tick(60.0) if isinstance(output, BoardRecorded)]
    assert records[0].outcome == Award(40, 60)
    assert records[0].remarks == ("North was silent for 60 seconds, and its call was due",)


def test_side_that_uses_up_the_time_for_a_board_gets_a_ruling(make_table: Make) -> None:
    table = at_first_call(make_table, timeout=None, board_timeout=40.0).local.table
    assert table.deadline == 40.0
    records = [output.record for output in table.tick(40.0) if isinstance(output, BoardRecorded)]
    assert "used up the board's time" in records[0].remarks[0]
    assert records[0].ns_seconds == 40.0


def test_timing_line_adds_up_the_time_of_both_partners(make_table: Make) -> None:
    setting = make_table(
        2, rules=TableRules(trick_pause=0.0, timeout=None), calls="Pass Pass Pass Pass"
    ).sit()
    seconds = {N: 61.0, E: 5.0, S: 0.5, W: 1.0}
    local = setting.local
    for seat in SEATS:
        choose = local.players[seat]._choose_call

        def think(view: PlayerView, choose: Any = choose) -> Any:
            local.now += seconds[view.seat]
            return choose(view)

        local.players[seat]._choose_call = think
    local.run()
    timing = [line for line in setting.transcript[N] if "Timing" in line]
    assert timing == [
        "< Timing - N/S: this board  01:01,  total  0:01:01.  E/W: this board  00:06,  total  0:00:06",
        "< Timing - N/S: this board  01:01,  total  0:02:03.  E/W: this board  00:06,  total  0:00:12",
    ]
    assert local.records[0].call_seconds == (61.0, 5.0, 0.5, 1.0)


def test_next_lead_waits_for_the_pause_after_a_trick(make_table: Make) -> None:
    setting = make_table(1, rules=TableRules(trick_pause=1.0), calls=AUCTION).sit()
    setting.local.run()
    table = setting.local.table
    assert len(table.course.play.cards) == 4
    assert table.deadline == 1.0
    setting.local.do(table.tick(0.9))
    setting.local.run()
    assert len(table.course.play.cards) == 4
    setting.local.now = 1.0
    setting.local.do(table.tick(1.0))
    setting.local.run()
    assert len(table.course.play.cards) == 8
