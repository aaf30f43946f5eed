"""Journals that earlier Overtricks wrote open for ever, and say what they said."""

import json
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from overtrick.connector.wire.numbers import WireCommand
from overtrick.directing.swiss import draw_command, swiss_of
from overtrick.event import FACTS, Rejection
from overtrick.event.calls import CallStatus
from overtrick.event.settings import SettingsII
from overtrick.event.setup import Lot, Status
from overtrick.host.due_executor import JournalDueExecutor
from overtrick.host.runtime import Runtime, open_runtime
from overtrick.movements import Draw, DrawMethod, draw_round
from overtrick.scoring.series import combine, parse_series
from overtrick.store import Appended, StreamSpan
from overtrick.store.player_index import PlayerIndex
from overtrick.views.report import prepare_report
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
    response = evening.ask(WireCommand.PollQueueForNewResults, session=QUEUES, club="club 1")
    assert [item["BoardNumber"] for item in json.loads(response.payload)] == [4]
    assert response.last_item > given
    evening.journal.close()


def test_only_the_last_started_event_of_a_club_in_a_journal_of_0_1_stays_running(tmp_path: Path) -> None:
    shutil.copy(JOURNALS / "queues-0.1.overtrick", tmp_path / "evening.journal")
    evening = Evening(tmp_path)
    assert evening.projection.running() == [QUEUES, QUEUES_SECOND]
    runtime = Runtime(evening.journal, evening.writer)
    with JournalDueExecutor(runtime, evaluates=False) as executor:
        assert executor.execute_due()
    assert evening.projection.running() == [QUEUES_SECOND]
    evening.journal.close()


def test_rulings_of_a_journal_of_0_1_make_the_same_ranking(tmp_path: Path) -> None:
    path = tmp_path / "rulings.overtrick"
    shutil.copy(JOURNALS / "rulings-0.1.overtrick", path)
    with open_runtime(path, create=False) as runtime:
        runtime.journal.check()
        view = runtime.view(QUEUES)
    assert view is not None
    report = prepare_report(view)()
    assert report.rules_title == "EBU with unequal: factor, sit out vps: 11.5"
    assert [(s.rank_text, str(s.contestant), f"{s.percentage:.2f}") for _, s in report.standings()] == [
        ("1", "A1", "68.57"),
        ("2", "A5", "66.67"),
        ("3", "A4", "48.57"),
        ("4", "A2", "36.90"),
        ("5", "A3", "16.67"),
        ("–", "A6", "70.00"),
    ]
    said = [report.ruling_words(ruling) for ruling in report.rulings]
    assert said[:2] == [
        "Board 1, A6 against A1: 60 % of 4♠ N =, 40 % of 4♠ N -1 (A6 1.4 of 2, A1 1.4 of 2). "
        "At the table: 4♠ N =. Misinformation. Appeal pending.",
        "Board 3, A6 against A2: 4♠ N -1 for NS, 4♠ N = for EW (A6 1 of 2, A2 1 of 2).",
    ]
    assert said[-4:] == [
        "Board 1: results compared in groups, 2 with the usual deal, 1 with turned. Turned.",
        "A1: -10 % of a top. Slow play.",
        "Board 1, A2: +0.5 MP (1 + 0.5 = 1.5). Slow play.",
        "A6: without standing. Guests.",
    ]
    assert view.session.rulings.provisional_until == datetime(2024, 6, 3, 13, 0, tzinfo=UTC)


def test_series_and_further_rankings_of_a_journal_of_0_1_stay_the_same(tmp_path: Path) -> None:
    path = tmp_path / "series.overtrick"
    shutil.copy(JOURNALS / "series-0.1.overtrick", path)
    with open_runtime(path, create=False) as runtime:
        runtime.journal.check()
        view = runtime.view(QUEUES)
        with runtime.writer.reading() as state:
            (description,) = state.series.values()
    assert view is not None
    report = prepare_report(view)()
    assert {
        one.title: [
            f"{line.rank_text} {line.contestant} {line.percentage:.2f}" for line in one.ranking.standings
        ]
        for one in report.further
    } == {
        "Handicap": ["1 A1 66.50", "2 A6 58.50", "3 A5 53.50", "4 A2 50.50", "5 A3 47.50", "6 A4 38.25"],
        "Stratum B": ["1 A1 65.00", "2 A6 57.50"],
        "North": ["1 A1 65.00", "2 A6 57.50", "3 A5 50.00", "4 A2 47.50"],
        "60 and older": [],
    }
    ranking = combine(parse_series(description), {"One": report}, view.session.further.players())
    assert ranking.series.name == "Cup"
    assert [str(line.value) for line in ranking.stages[0].standings] == [
        "68",
        "119/2",
        "57",
        "107/2",
        "105/2",
        "39",
    ]


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
        draw = draw_round(DrawMethod.STANDING, standing, swiss["A"].before)
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


def test_journal_of_format_4_gets_its_players_when_its_sessions_are_visited(tmp_path: Path) -> None:
    path = tmp_path / "filed.overtrick"
    shutil.copy(JOURNALS / "filed-0.1.overtrick", path)
    with open_runtime(path, create=False) as runtime:
        index = PlayerIndex(runtime.journal)
        assert index.players() == []
        with JournalDueExecutor(runtime, evaluates=False) as executor:
            assert executor.execute_due()
        players = index.players()
        assert len(players) == 8
        assert {player.sessions for player in players} == {1}, "the session in the bin does not count"
        (evening,) = index.sessions_of(players[0].player)
        assert evening.session == "9ECD483EF4B54A30DB219EA50AE9C52F"
