"""Every fact that random commands make is read back from the journal as it was."""

from hypothesis import given, settings
from hypothesis import strategies as st

from overtrick.event import FACTS, Command, JournalState, Rejection, decide
from overtrick.store.codec import event_codec
from tests.event.test_random_commands import FIRST, commands


def test_a_fact_is_read_back_as_it_was() -> None:
    codec = event_codec()
    seen: set[str] = set()

    @settings(max_examples=150)
    @given(st.lists(commands, min_size=20, max_size=40))
    def read_back(asked: list[Command]) -> None:
        state = JournalState()
        for command in [FIRST, *asked]:
            decided = decide(state, command)
            if isinstance(decided, Rejection):
                continue
            for made in decided:
                state.apply(made.stream, made.fact)
                kind, schema, body = codec.encode(made.fact)
                assert codec.decode(kind, schema, body) == made.fact
                seen.add(kind)

    read_back()
    assert len(seen) >= 26, f"random commands never made {FACTS.keys() - seen}"


def test_kinds_and_schemas_are_what_journals_hold() -> None:
    """A kind that disappears from this list, or a schema that rises without an upgrade, breaks journals of others."""
    known = {kind: fact.schema for kind, fact in FACTS.items()}
    assert known == dict.fromkeys(
        (
            "adjustment-withdrawn",
            "board-fouled",
            "call-answered",
            "call-recorded",
            "card-recorded",
            "carry-over-set",
            "claims-changed",
            "clock-set",
            "competitor-set",
            "contestant-status-set",
            "contract-recorded",
            "correction-period-set",
            "director-called",
            "entry-held",
            "event-opened",
            "further-rankings-set",
            "group-dropped",
            "group-set",
            "hand-evaluated",
            "hand-record-set",
            "held-entry-settled",
            "instruction-cleared",
            "instruction-taken",
            "line-up-set",
            "logged-off",
            "logged-on",
            "match-noted",
            "match-reported",
            "match-ruled",
            "ordered",
            "player-details-set",
            "player-set",
            "queues-cleared",
            "result-erased",
            "result-recorded",
            "roster-set",
            "round-drawn",
            "rounds-set",
            "rules-chosen",
            "ruling-noted",
            "seated",
            "section-dropped",
            "serie-seated",
            "serie-set",
            "series-removed",
            "series-set",
            "session-filed",
            "session-joined",
            "session-opened",
            "settings-ii-set",
            "settings-iii-set",
            "table-added",
            "table-dropped",
            "table-grouped",
            "table-reset",
            "team-adjusted",
            "team-board-erased",
            "team-board-recorded",
            "team-dropped",
            "team-event-set",
            "team-set",
            "tournament-mapped",
            "unseated",
            "waiting-set",
        ),
        1,
    ) | dict.fromkeys(
        ("adjustment-made", "result-judged", "session-changed", "status-changed", "team-board-recorded"), 2
    ) | {"section-set": 3}
