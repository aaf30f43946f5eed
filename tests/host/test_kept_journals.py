"""Journals that earlier Overtricks wrote open for ever, and say what they said."""

import shutil
from pathlib import Path

from overtrick.event import FACTS
from overtrick.event.calls import CallStatus
from overtrick.event.settings import SettingsII
from overtrick.event.setup import Status
from overtrick.host.house import open_house

JOURNALS = Path(__file__).parents[1] / "journals"
SESSION = "81DC5F6D2F144E38BED9F27B9D357D4B"
SECOND = "F" * 32

KINDS_OF_0_1 = 35
"""How many kinds of facts there were; every one of them is in the file."""


def test_the_evening_of_0_1(tmp_path: Path) -> None:
    path = tmp_path / "evening.overtrick"
    shutil.copy(JOURNALS / "evening-0.1.overtrick", path)
    with open_house(path, create=False) as house:
        house.journal.check()
        kinds = {
            entry.fact.kind for line in house.journal.streams() for entry in house.journal.read(line.stream)
        }
        assert len(kinds) == KINDS_OF_0_1
        assert kinds <= FACTS.keys()
        view = house.view(SESSION)
        with house.read(SECOND) as second:
            assert second is not None
            assert (second.opened.name, second.setup.sections) == ("Second", {})
    assert view is not None
    session = view.session
    assert (session.opened.name, session.setup.status) == ("Kept evening", Status.FINISHED)
    assert [(s.contestant.number, s.points) for s in view.rankings(1)[0].standings] == [
        (1, 8),
        (2, 8),
        (3, 4),
        (4, 4),
    ]
    late = session.results.standing["B", 1, 1, 2]
    assert (late.outcome, str(late.outcome_ew), late.lead and late.lead.value) == (None, "4SxN+1", "HQ")
    assert ("B", 1, 1, 1) in session.results.erased
    assert session.recording.contracts["B", 2, 1, 3].contract == "4SN"
    assert session.settings.second["B"] == SettingsII(pin="1234")
    assert session.calls.calls["c"].status is CallStatus.DEFERRED
    assert session.movement.tables["B", 1].is_waiting
    assert session.movement.tables["B", 2].group == 6
    assert all(record.tricks for record in session.hands.records.values())
