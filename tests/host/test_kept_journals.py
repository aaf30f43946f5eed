"""Journals that earlier Overtricks wrote open for ever, and say what they said."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from overtrick.connector.wire.numbers import Command
from overtrick.directing.swiss import draw_command, swiss_of
from overtrick.event import FACTS, Rejection
from overtrick.event.calls import CallStatus
from overtrick.event.settings import SettingsII
from overtrick.event.setup import Lot, Status
from overtrick.host.runtime import open_runtime
from overtrick.movements import Draw, Way, draw_round
from overtrick.store import Appended, StreamSpan
from tests.connector.evening import Evening

JOURNALS = Path(__file__).parents[1] / "journals"
SESSION = "81DC5F6D2F144E38BED9F27B9D357D4B"
SECOND = "F" * 32
QUEUES, QUEUES_SECOND = "6D115AF1ABEB4462A299B1FE86274949", "B" * 32
SWISS = "5A1550000000000000000000000000A1"

NEXT_ROUND = "2-1 5-6 3-7 4"
"""The third round of section A of the Swiss session, drawn by its standing."""

KINDS_OF_0_1 = 35
"""The number of kinds of facts at that time; the file has every one of them."""


def test_journal_of_0_1_opens_with_the_same_evening(tmp_path: Path) -> None:
    path = tmp_path / "evening.overtrick"
    shutil.copy(JOURNALS / "evening-0.1.overtrick", path)
    with open_runtime(path, create=False) as runtime:
        runtime.journal.check()
        kinds = {
            entry.fact.kind
            for line in runtime.journal.streams()
            for entry in runtime.journal.read(line.stream)
        }
        assert len(kinds) == KINDS_OF_0_1
        assert kinds <= FACTS.keys()
        view = runtime.view(SESSION)
        with runtime.read(SECOND) as second:
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


def test_queues_of_a_journal_of_0_1_continue(tmp_path: Path) -> None:
    """Accepted items stay accepted, cleared ones cleared, and new ids are above all that were given."""
    path = tmp_path / "evening.journal"
    shutil.copy(JOURNALS / "queues-0.1.overtrick", path)
    evening = Evening(tmp_path)
    evening.journal.check()
    assert (tmp_path / "evening.journal.format2").exists()
    given = max(evening.journal.heads().values())
    last = evening.journal.last_change("scoring program")
    assert last is not None
    assert evening.journal.find(last) == Appended((StreamSpan(f"session/{QUEUES}/1", 31, 31),), again=True)
    assert evening.projection.running() == [QUEUES, QUEUES_SECOND]
    for session, boards in ((QUEUES, []), (QUEUES_SECOND, [2])):
        found = evening.poll(session=session, club="club 1")
        assert [item["BoardNumber"] for item in found] == boards
    evening.play(4, "Pass")
    response = evening.ask(Command.PollQueueForNewResults, session=QUEUES, club="club 1")
    assert [item["BoardNumber"] for item in json.loads(response.payload)] == [4]
    assert response.last_item > given
    evening.journal.close()


def test_a_swiss_section_is_known_by_its_name_and_its_open_rounds_in_a_journal_of_0_1(tmp_path: Path) -> None:
    path = tmp_path / "swiss.overtrick"
    shutil.copy(JOURNALS / "swiss-0.1.overtrick", path)
    with closing(sqlite3.connect(path)) as connection:
        schemas = connection.execute("SELECT DISTINCT schema FROM journal WHERE kind = 'section-set'")
        assert list(schemas) == [(2,)]
    with open_runtime(path, create=False) as runtime:
        runtime.journal.check()
        view = runtime.view(SWISS)
        assert view is not None
        session = view.session
        found = {letters: swiss_of(session, letters) for letters in sorted(session.setup.sections)}
        swiss = {letters: section for letters, section in found.items() if section is not None}
        assert {letters: section.drawn.matches for letters, section in swiss.items()} == {
            "A": (((5, 3), (6, 1), (4, 2), (7, 0)), ((2, 5), (1, 3), (6, 4), (7, 0))),
            "B": (((1, 2), (3, 4)),),
            "C": (((1, 2), (3, 4)), ((1, 3), (2, 4))),
            "E": (((1, 3), (2, 4)),),
            "F": (((1, 2), (3, 4)),),
        }
        assert {letters: dict(section.lots) for letters, section in swiss.items() if section.lots} == {
            "A": {1: 4711, 2: 99},
            "E": {1: 12},
        }
        assert {letters: section.format.value for letters, section in session.setup.sections.items()} == {
            "A": "swiss",
            "B": "movement",
            "C": "swiss",
            "D": "movement",
            "E": "movement",
            "F": "swiss",
        }
        state = {letters: (section.number, section.planned) for letters, section in swiss.items()}
        assert state == {"A": (3, 3), "B": (2, 3), "C": (2, 2), "E": (1, 2), "F": (1, 1)}
        assert [letters for letters, section in swiss.items() if section.is_due] == ["B"]
        points = {
            (line.contestant.section, line.contestant.number): line.points
            for line in view.rankings(1)[0].standings
        }
        assert {number: scored for (letters, number), scored in points.items() if letters == "A"} == {
            2: 30, 5: 26, 1: 12, 6: 12, 3: 10, 4: 6,
        }  # fmt: skip
        # The next round is drawn from it, and goes to the tables.
        standing = {pair: points.get(("A", pair), 0) for pair in swiss["A"].present}
        draw = draw_round(Way.STANDING, standing, swiss["A"].before)
        assert str(draw) == NEXT_ROUND
        assert not isinstance(runtime.do(draw_command(session, swiss["A"], draw, 7)), Rejection)
        again = runtime.view(SWISS)
        assert again is not None
        assert again.session.setup.sections["A"].lots == (Lot(1, 4711), Lot(2, 99), Lot(3, 7))
        drawn = swiss_of(again.session, "A")
        assert drawn is not None
        assert (Draw.parse(NEXT_ROUND).matches, {1: 4711, 2: 99, 3: 7}) == (
            drawn.drawn.matches[2][:-1],
            drawn.lots,
        )
