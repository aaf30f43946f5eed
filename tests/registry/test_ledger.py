"""Awards, totals, titles and ranking lists, counted by hand."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from overtrick.errors import BadInput
from overtrick.registry import (
    Ledger,
    MasterPointAward,
    People,
    Person,
    PlayerTotals,
    RankingPlace,
    Registry,
    RegistrySide,
    Title,
    open_registry,
)

PEOPLE = [
    (1, None, "A1", "Young", "Ann", "W", date(1985, 5, 1)),
    (2, 72, "B2", "Old", "Bob", "M", date(1940, 5, 1)),
    (3, None, "", "Middle", "Eve", "W", date(1965, 5, 1)),
    (4, None, "", "Unborn", "Tim", "M", None),
    (5, None, "", "Nothing", "Joe", "M", date(1960, 1, 1)),
]


def award(id: int, player: int, year: int, emp: int = 0, rp: int = 0, smp: int = 0) -> MasterPointAward:
    return MasterPointAward(
        id, player, None, "", year, date(year, 6, 1), 7, "European Teams", "Open", 3, emp, rp, smp
    )


AWARDS = [
    award(1, 1, 2004, emp=10, rp=5),
    award(2, 1, 2006, emp=20),
    award(3, 2, 2005, emp=30, smp=8),
    award(4, 3, 2005, emp=5, rp=9),
    award(5, 4, 2005, emp=30, smp=8),
    award(6, 3, 2007, emp=100),
]


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with open_registry(tmp_path / "r", create=RegistrySide.MAGIC) as opened:
        People(opened).merge(enumerate(map(Person._make, PEOPLE), start=2))
        assert Ledger(opened).import_awards(enumerate(AWARDS, start=2)).added == 6
        yield opened


def test_totals_count_awards_up_to_the_year(registry: Registry) -> None:
    ledger = Ledger(registry)
    People(registry).set_country(1, 2000, "SWE")
    People(registry).set_country(1, 2006, "NOR")
    ledger.set_title(1, 2005, Title.MASTER)
    ledger.set_title(1, 2007, Title.GRAND_MASTER)
    first, second, *_ = ledger.totals(2006)
    assert first == PlayerTotals(
        *(1, None, "A1", "NOR", "Young", "Ann", "W", date(1985, 5, 1), 2006, 2006, 30, 5, 0, Title.MASTER)
    )
    assert second[8:] == (2006, 2005, 30, 0, 8, 0)
    assert next(iter(ledger.totals(2005)))[3] == "SWE"
    assert next(iter(ledger.totals(2003)))[8:] == (2003, None, 0, 0, 0, 0)


def lists(registry: Registry, year: int) -> dict[tuple[int, int, str], list[tuple[int, int]]]:
    found: dict[tuple[int, int, str], list[tuple[int, int]]] = {}
    for rank in Ledger(registry).ranks(year):
        assert rank.year == year
        assert rank.points_type
        assert rank.rank_type
        assert rank.magic_id
        assert rank.rank
        found.setdefault((rank.points_type, rank.rank_type, rank.country), []).append(
            (rank.rank, rank.magic_id)
        )
    return found


def test_ranking_lists_of_a_year(registry: Registry) -> None:
    for player, country in ((1, "SWE"), (2, "SWE"), (3, "NOR")):
        People(registry).set_country(player, 2000, country)
    ledger = Ledger(registry)
    ledger.set_limit("senior", 2006, 58)
    found = lists(registry, 2006)
    # EMP up to 2006: Young 30, Old 30, Middle 5, Unborn 30. Ages in 2006: 21, 66, 41, unknown.
    assert found == {
        (1, 1, ""): [(1, 1), (1, 2), (1, 4), (4, 3)],
        (1, 2, ""): [(1, 1), (2, 3)],
        (1, 3, ""): [(1, 2)],
        (1, 4, ""): [(1, 1)],
        (1, 11, "SWE"): [(1, 1), (1, 2)],
        (1, 11, "NOR"): [(1, 3)],
        (1, 12, "SWE"): [(1, 1)],
        (1, 12, "NOR"): [(1, 3)],
        (1, 13, "SWE"): [(1, 2)],
        (1, 14, "SWE"): [(1, 1)],
        (2, 1, ""): [(1, 3), (2, 1)],
        (2, 2, ""): [(1, 3), (2, 1)],
        (2, 4, ""): [(1, 1)],
        (2, 11, "SWE"): [(1, 1)],
        (2, 11, "NOR"): [(1, 3)],
        (2, 12, "SWE"): [(1, 1)],
        (2, 12, "NOR"): [(1, 3)],
        (2, 14, "SWE"): [(1, 1)],
        (3, 1, ""): [(1, 2), (1, 4)],
        # (3,3) gives the same result as (3,1), also for those whose age nobody knows.
        (3, 3, ""): [(1, 2), (1, 4)],
        (3, 11, "SWE"): [(1, 2)],
        (3, 13, "SWE"): [(1, 2)],
    }
    ledger.set_limit("senior", 2006, 67)
    assert (1, 3, "") not in lists(registry, 2006)


def test_same_awards_entered_again_change_nothing(registry: Registry) -> None:
    ledger = Ledger(registry)
    again = list(ledger.awards())
    assert (ledger.import_awards(enumerate(again, start=2)).same, again[0].member_code) == (6, "A1")
    joined = ledger.import_awards([(2, AWARDS[0]._replace(emp=11))])
    assert [one.line for one in joined.conflicts] == [2]
    assert list(ledger.awards()) == again
    for wrong, field in (
        (award(9, 99, 2005), "magic_id"),
        (award(9, 1, 2005)._replace(member_code="B2"), "magic_id"),
        (award(9, 1, 2005)._replace(year=3), "year"),
        (award(9, 1, 2005)._replace(event=""), "event"),
    ):
        joined = ledger.import_awards([(2, award(8, 1, 2005, emp=1)), (3, wrong)])
        assert [(one.line, one.column) for one in joined.refusals] == [(3, field)]
        assert list(ledger.awards()) == again


def test_the_office_takes_players_totals_and_ranks(registry: Registry, tmp_path: Path) -> None:
    totals, ranks = list(Ledger(registry).totals(2006)), list(Ledger(registry).ranks(2006))
    with open_registry(tmp_path / "office", create=RegistrySide.OFFICE) as office:
        ledger = Ledger(office)
        People(office).merge([(2, Person(None, 72, "B2", "Old", "Bob", "M", date(1940, 5, 1)))])
        joined = ledger.import_totals(enumerate(totals, start=2))
        assert (joined.added, joined.changed, joined.conflicts) == (4, 1, [])
        assert ledger.import_totals(enumerate(totals, start=2)).same == 5
        assert ledger.import_ranks(enumerate(ranks, start=2)).added == len(ranks)
        assert ledger.import_ranks(enumerate(ranks, start=2)).added == 0
        ledger.import_awards(enumerate(Ledger(registry).awards(), start=2))
        assert [row[8:] for row in ledger.totals(2006)] == [row[8:] for row in totals]
        joined = ledger.import_totals([(2, totals[0]._replace(emp=31))])
        assert [(one.ours, one.theirs) for one in joined.conflicts] == [("30/5/0", "31/5/0")]


@pytest.mark.parametrize(
    ("rank", "field"),
    [
        (RankingPlace(99, 2006, 1, 1, "", 1), "magic_id"),
        (RankingPlace(3, 2006, 1, 1, "", 1), "rank"),
        (RankingPlace(3, 2006, 4, 1, "", 4), "points_type"),
        (RankingPlace(3, 2006, 1, 5, "", 4), "rank_type"),
        (RankingPlace(3, 2006, 1, 11, "", 4), "country"),
        (RankingPlace(3, 2006, 1, 1, "SWE", 4), "country"),
        (RankingPlace(3, 2006, 1, 1, "", 0), "rank"),
        (RankingPlace(2, 2006, 1, 1, "", 1), "magic_id"),
    ],
)
def test_impossible_rank_is_refused(registry: Registry, rank: RankingPlace, field: str) -> None:
    ledger = Ledger(registry)
    ledger.import_totals(enumerate(list(ledger.totals(2006)), start=2))
    good = [RankingPlace(player, 2006, 1, 1, "", 1) for player in (1, 2, 4)]
    joined = ledger.import_ranks(enumerate([*good, rank], start=2))
    assert [one.column for one in joined.refusals] == [field]
    assert ledger.import_ranks(enumerate(good, start=2)).added == 3


def won(code: str, rank: int, emp: int) -> MasterPointAward:
    return MasterPointAward(None, None, None, code, None, None, None, "", "", rank, emp, 0, 0)


def test_awards_of_an_event_are_entered_once(registry: Registry) -> None:
    ledger, day = Ledger(registry), date(2008, 3, 2)
    awards = [won("A1", 1, 12), won("B2", 2, 6)]
    first = ledger.put_event("Cup", "", day, awards)
    assert (first.added, first.same, first.refusals) == (2, 0, [])
    again = ledger.put_event("Cup", "", day, reversed(awards))
    assert (again.added, again.same) == (0, 2)
    entered = [
        (one.member_code, one.year, one.day, one.event, one.rank, one.emp) for one in ledger.awards(2008)
    ]
    assert entered == [("A1", 2008, day, "Cup", 1, 12), ("B2", 2008, day, "Cup", 2, 6)]
    assert {one.member_code: one.emp for one in ledger.totals(2008)}["A1"] == 10 + 20 + 12


def test_other_awards_of_an_event_replace_those_before_only_when_asked_to(registry: Registry) -> None:
    ledger, day = Ledger(registry), date(2008, 3, 2)
    ledger.put_event("Cup", "", day, [won("A1", 1, 12), won("B2", 2, 6)])
    ledger.put_event("Cup", "Final", day, [won("A1", 1, 40)])
    corrected = [won("A1", 2, 6), won("B2", 1, 12)]
    with pytest.raises(BadInput, match="2 other awards of Cup of 2008-03-02"):
        ledger.put_event("Cup", "", day, corrected)
    assert [one.emp for one in ledger.awards(2008)] == [12, 6, 40]
    replaced = ledger.put_event("Cup", "", day, corrected, replaces=True)
    assert (replaced.added, replaced.changed) == (2, 2)
    assert sorted((one.member_code, one.serie, one.emp) for one in ledger.awards(2008)) == [
        ("A1", "", 6),
        ("A1", "Final", 40),
        ("B2", "", 12),
    ]


def test_awards_of_players_that_are_not_in_the_registry_are_refused_alone(registry: Registry) -> None:
    outcome = Ledger(registry).put_event(
        "Cup", "", date(2008, 3, 2), [won("A1", 1, 12), won("", 1, 12), won("Z9", 2, 6)]
    )
    assert outcome.added == 1
    assert [refusal.line for refusal in outcome.refusals] == [2, 3]
