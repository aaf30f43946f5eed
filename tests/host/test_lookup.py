"""The journal, session and team event that a command names, and the sentence where it names none."""

from pathlib import Path

import pytest

from overtrick.errors import BadInput
from overtrick.event.team_rules import SetTeamEvent
from overtrick.event.teams import Division, DivisionSet, Team, TeamSet
from overtrick.host.lookup import choose_session, do, journal_in, open_named_journal, open_team_event, put
from overtrick.host.runtime import open_runtime


@pytest.fixture
def league(tmp_path: Path) -> str:
    """Return a journal with a team event, a serie and a team."""
    journal = str(tmp_path / "overtrick.journal")
    with open_runtime(journal) as runtime:
        do(runtime, SetTeamEvent("A" * 32, "League", 1))
        put(runtime, "A" * 32, [DivisionSet(Division(1, "Open"))])
        put(runtime, "A" * 32, [TeamSet(Team(1, 1, 1, "Aces"))])
    return journal


@pytest.mark.parametrize("wanted", ["League", "1", "A" * 32])
def test_a_team_event_is_found_by_name_number_or_guid(league: str, wanted: str) -> None:
    with open_team_event(league, wanted) as opened:
        assert opened.event.event == "A" * 32
        assert opened.division("Open") == opened.division("1")
        assert opened.team("Open", "Aces") == opened.team("1", "1")


def test_an_unknown_event_serie_or_team_is_named_with_those_there_are(league: str) -> None:
    with (
        pytest.raises(BadInput, match=r"no team event 'Cup'. There are: League \(1\)"),
        open_team_event(league, "Cup"),
    ):
        pass
    with open_team_event(league, "League") as opened:
        with pytest.raises(BadInput, match=r"no division 'Women' in League. There are: Open \(1\)"):
            opened.division("Women")
        with pytest.raises(BadInput, match="no team 'Kings' in Open"):
            opened.team("Open", "Kings")
        with pytest.raises(BadInput, match="Aces has no match in round 1 of Open"):
            opened.segment("Open", "Aces", 1, 1)


def test_facts_put_into_an_open_event_are_there_after_reopening(league: str) -> None:
    with open_team_event(league, "League") as opened:
        assert opened.put(TeamSet(Team(2, 1, 2, "Kings"))) == 1
    with open_team_event(league, "League") as again:
        assert again.team("Open", "Kings").number == 2


def test_a_journal_that_is_not_there_is_not_made_for_a_team_event(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="There is no"), open_team_event(str(tmp_path / "none"), "League"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_folder_stands_for_the_one_journal_in_it(league: str, tmp_path: Path) -> None:
    with open_named_journal(str(tmp_path)) as journal:
        assert journal.name == league
    (tmp_path / "demo.overtrick").touch()
    with pytest.raises(BadInput, match="does not contain exactly one journal"):
        journal_in(tmp_path)


def test_a_session_is_chosen_by_name_or_guid_or_because_it_is_the_only_one() -> None:
    two = {"A" * 32: "Monday", "B" * 32: "Tuesday"}
    assert choose_session({"A" * 32: "Monday"}, None, "x") == "A" * 32
    assert choose_session(two, "Tuesday", "x") == choose_session(two, "B" * 32, "x") == "B" * 32
    with pytest.raises(BadInput, match=r"Choose a session with --session. There are: A+ \(Monday\); B+"):
        choose_session(two, None, "x")
    with pytest.raises(BadInput, match="There is no session in it yet"):
        choose_session({}, None, "x")
