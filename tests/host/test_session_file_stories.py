"""Stories about a `.bws` file: phones, a scoring program, and a control program that is killed and started again.

Hypothesis tells them. 50 are told in the suite; `OVERTRICK_STORIES=2000 pytest tests/host/test_session_file_stories.py`
tells as many as that, others each time, and prints a blob with which a failure is told again.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, event, given, note, settings
from hypothesis import strategies as st

from tests.host.file_checks import Ownership, check_evening, check_flags, check_rest, comparable
from tests.host.file_story import KINDS, PHONES, Evening, evening
from tests.host.scoring_program import INSTRUCTIONS, RESULT_ACTIONS, WAIT

STORIES = int(os.environ.get("OVERTRICK_STORIES", "50"))
HALF = settings(
    max_examples=(STORIES + 1) // 2,
    derandomize=STORIES <= 50,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
LIMIT = pytest.mark.timeout(240 + 10 * STORIES)
"""A story takes about a second, and ten on a computer that is busy with other things."""

# Stories ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Turn:
    """Something that a phone or the scoring program does; the numbers choose among what is possible then."""

    who: str
    action: str
    first: int
    second: int
    directly: bool = False
    """True if a phone sends directly to the control program, if that is running."""
    kill_at: int | None = None
    """The point of an entry at which that is killed."""

    def take(self, club: Evening) -> None:
        """Do it.

        Until the control program has seen the file, the scoring program leaves nothing half done, and the movement of
        a file with results as it is.
        """
        if self.who == "phone":
            club.phone(self.action, self.first, self.second, directly=self.directly, kill_at=self.kill_at)
        elif club.session is not None:
            club.peer(self.action, self.first, self.second)
        elif not club.rows("ReceivedData"):
            club.scoring.do(self.action, self.first, self.second)
            club.look()


@dataclass(frozen=True)
class Pass:
    """A pass of the control program, in which others act at points, and which a kill may end."""

    during: tuple[tuple[int, Turn], ...] = ()
    kill_at: int | None = None
    is_stopped: bool = False
    """True if the program is ended before, as a person does."""

    def take(self, club: Evening) -> None:
        """Let the control program run."""
        if self.is_stopped:
            club.stop()
        actions = [(at, partial(turn.take, club)) for at, turn in self.during]
        club.run(*actions, kill_at=self.kill_at)


@dataclass(frozen=True)
class Story:
    """A file, and what happens to it."""

    kind: str
    is_patient: bool
    resets: bool
    turns: tuple[Turn | Pass, ...]


numbers = st.integers(0, 31)
phones = st.builds(Turn, st.just("phone"), st.sampled_from(("enter",) * 4 + tuple(PHONES)), numbers, numbers)
peers = st.builds(Turn, st.just("peer"), st.sampled_from(INSTRUCTIONS + RESULT_ACTIONS), numbers, numbers)
kills = st.none() | st.integers(0, 60)
passes = st.builds(
    Pass,
    st.lists(st.tuples(st.integers(0, 50), phones | peers), max_size=4).map(tuple),
    kills,
    st.sampled_from((False, False, False, True)),
)
few_kills = st.sampled_from((None, None, None, 0, 1, 2, 3, 4))
entries = st.builds(replace, phones, directly=st.just(True), kill_at=few_kills)
scenes = st.tuples(st.lists(phones | peers | entries, min_size=1, max_size=4), passes).map(
    lambda scene: (*scene[0], scene[1])
)
stories = st.builds(
    Story,
    st.sampled_from(KINDS),
    st.booleans(),
    st.booleans(),
    st.lists(scenes, min_size=2, max_size=6).map(
        lambda scenes: tuple(turn for scene in scenes for turn in scene)
    ),
)


def begin(story: Story, folder: str) -> Evening:
    """Make the file of a story; a Swiss event waits for more rounds from the beginning, as the guide says."""
    words = ("/s", "/r") if story.resets and story.kind != "scored" else ("/r",)
    club = evening(Path(folder), story.kind, is_patient=story.is_patient, words=words)
    if story.kind == "swiss":
        for row in club.scoring.tables():
            club.scoring.instruct(row["Section"], row["Table"], 1 + WAIT)
        club.look()
    return club


def end(club: Evening) -> None:
    """Let everybody finish, and check the file and the journal."""
    club.settle()
    if club.control is not None:
        check_flags(club)
    while club.scoring.is_busy:
        club.peer("")
        club.run()
    club.settle()
    check_evening(club)


def tell(story: Story) -> int:
    """Tell a story and check everything; return the number of kills in it."""
    with TemporaryDirectory() as folder, begin(story, folder) as club:
        ownership = Ownership(club)
        for turn in story.turns:
            turn.take(club)
            assert not ownership.broken, "\n".join(ownership.broken)
        end(club)
        check_rest(club)
        assert not ownership.broken, "\n".join(ownership.broken)
        return club.kills


@LIMIT
@HALF
@given(stories)
def test_every_story_ends_with_a_file_that_the_journal_explains(story: Story) -> None:
    note(str(story))
    event(f"{min(tell(story), 5)} kills")


# Stories of a scoring program that waits --------------------------------------------------------------------

disturbed = st.lists(
    st.tuples(phones | peers, st.lists(st.integers(0, 60), max_size=2).map(tuple)), min_size=2, max_size=7
)


@LIMIT
@HALF
@given(st.sampled_from(KINDS), disturbed)
def test_story_of_a_scoring_program_that_waits_ends_like_one_without_kills(
    kind: str, turns: list[tuple[Turn, tuple[int, ...]]]
) -> None:
    """The scoring program acts when everything is at rest, so a kill changes nothing but the log times."""

    def with_kills(club: Evening, turn: Turn, at: tuple[int, ...]) -> None:
        if turn.who == "peer":
            club.settle()
        turn.take(club)
        for kill_at in at:
            club.run(kill_at=kill_at)
        if turn.who == "peer":
            club.settle()

    def without(club: Evening, turn: Turn, at: tuple[int, ...]) -> None:
        turn.take(club)
        club.settle()

    def told(way: Callable[[Evening, Turn, tuple[int, ...]], None]) -> dict[str, list[str]]:
        story = Story(kind, is_patient=True, resets=False, turns=())
        with TemporaryDirectory() as folder, begin(story, folder) as club:
            club.settle()
            for turn, at in turns:
                way(club, turn, at)
            end(club)
            rows = club.look()
            if way is with_kills:
                check_rest(club)
            return comparable(rows)

    note(str(turns))
    undisturbed = told(without)
    found = told(with_kills)
    for table, rows in undisturbed.items():
        if found[table] != rows:
            missing = [row for row in rows if row not in found[table]]
            added = [row for row in found[table] if row not in rows]
            pytest.fail(
                f"{table} is not the same without kills:\nmissing {missing}\nadded {added}\nof {rows}"
            )
