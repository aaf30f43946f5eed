from collections.abc import Callable

from overtrick.store import Journal


def test_mark_is_never_lowered(journal: Journal) -> None:
    marks = journal.marks
    assert marks.of("club", "monday") == {}
    assert marks.move("club", "monday", "results", 5) == 5
    assert marks.move("club", "monday", "results", 3) == 5
    assert marks.move("club", "monday", "results", 5) == 5
    assert marks.move("club", "monday", "results", 8) == 8
    assert marks.of("club", "monday") == {"results": 8}


def test_clubs_streams_and_queues_have_their_own(open_again: Callable[[], Journal]) -> None:
    marks = open_again().marks
    marks.move("", "monday", "results", 1)
    marks.move("club", "monday", "results", 2)
    marks.move("club", "tuesday", "results", 3)
    marks.move("club", "monday", "players", 4)
    again = open_again().marks
    assert again.of("", "monday") == {"results": 1}
    assert again.of("club", "monday") == {"results": 2, "players": 4}
    assert again.of("club", "tuesday") == {"results": 3}
