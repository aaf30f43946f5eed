from decimal import Decimal

import pytest

from overtrick.event import Reason
from overtrick.event.further_rankings import (
    FurtherRankingsSet,
    PlayerDetailsSet,
    PutPlayerDetails,
    SetFurtherRankings,
)
from overtrick.scoring.more_rankings import HandicapRule, StrataBy
from overtrick.scoring.player_list import PlayerDetails
from overtrick.scoring.report import ReportPlayer
from overtrick.store.codec import event_codec
from tests.event.evenings import SESSION, do, minimal, refuse

ANN = PlayerDetails("7", "Ann Berg", Decimal("-2.5"), Decimal(120), "North", 1980, "W")
BO = PlayerDetails("", "Bo Ek", Decimal(1))


def test_details_that_change_make_facts() -> None:
    state = minimal()
    facts = do(state, PutPlayerDetails(SESSION, (ANN, BO)))
    assert facts == [
        PlayerDetailsSet("7", "Ann Berg", Decimal("-2.5"), Decimal(120), "North", 1980, "W"),
        PlayerDetailsSet("", "Bo Ek", Decimal(1)),
    ]
    assert do(state, PutPlayerDetails(SESSION, (BO, ANN))) == []
    changed = PlayerDetails("", "bo  ek", Decimal(2))
    assert do(state, PutPlayerDetails(SESSION, (ANN, changed))) == [
        PlayerDetailsSet("", "bo  ek", Decimal(2))
    ]
    session = state.session(SESSION)
    assert session is not None
    players = session.further.players()
    assert players.find(ReportPlayer("Bo Ek")) == changed
    assert players.find(ReportPlayer("", "7")) == ANN


def test_further_rankings_are_chosen_and_written_alike() -> None:
    state = minimal()
    chosen = SetFurtherRankings(SESSION, HandicapRule.MEAN, "A,B:500", StrataBy.HIGHER, ("club=North",))
    wanted = FurtherRankingsSet(HandicapRule.MEAN, "A, B:500", StrataBy.HIGHER, ("club=North",))
    assert do(state, chosen) == [wanted]
    assert do(state, chosen) == []
    assert do(state, SetFurtherRankings(SESSION)) == [FurtherRankingsSet()]


@pytest.mark.parametrize(
    "command",
    [
        SetFurtherRankings(SESSION, strata="A:500"),
        SetFurtherRankings(SESSION, filters=("colour=red",)),
    ],
)
def test_impossible_further_rankings_are_refused(command: SetFurtherRankings) -> None:
    assert refuse(minimal(), command).reason is Reason.NOT_ALLOWED


def test_facts_of_further_rankings_are_read_back() -> None:
    codec = event_codec()
    for fact in (
        PlayerDetailsSet("7", "Ann Berg", Decimal("-2.5"), None, "North", 1980, "W"),
        FurtherRankingsSet(HandicapRule.SUM, "A, B:500", StrataBy.HIGHER, ("mixed",)),
    ):
        assert codec.decode(*codec.encode(fact)) == fact
