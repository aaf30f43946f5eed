"""Small reports that the tests of every format write: pairs with all that can happen, and teams."""

import random
from datetime import date, datetime

from overtrick.bridge import Deal, Outcome, Side, Tricks
from overtrick.scoring import Adjustment, Contestant, Extras, Line, Method, Options, score
from overtrick.scoring.report import Report, ReportDeal, ReportPlayer, ReportRuling, RulingKind
from overtrick.scoring.rules import EBU

NASTY = "<script>alert(\"1\")</script> & 'Ünï' ]]> =1+1"


def pair(number: int, side: Side | None = None) -> Contestant:
    return Contestant("A", number, side)


def pairs_report(method: Method = Method.MATCHPOINTS, *, two_winners: bool = False) -> Report:
    ns = Side.NS if two_winners else None
    ew = Side.EW if two_winners else None
    results = {
        1: ["3NTN=", "3NTN+1", "4SxE-2", "60-40"],
        2: ["Pass", "1NTW+1", "NP", "6HxxS="],
        3: ["2CS-1", "2CS-1", "Arbitral", "7NTN-3"],
    }
    lines = []
    for board, outcomes in results.items():
        for table, outcome in enumerate(outcomes, 1):
            other = (table + board) % 4 + (1 if two_winners else 5)
            lines.append(
                Line(
                    *(board, pair(table, ns), pair(other, ew), Outcome.parse(outcome)),
                    ew_outcome=Outcome.parse("2CS=") if board == 3 and table == 2 else None,
                    section="A",
                    table=table,
                    round=board,
                    lead="H10" if table == 1 else "",
                )
            )
    lines.append(Line(4, pair(1, ns), pair(1, ns), Outcome.parse("Pass"), section="A", table=9, round=9))
    return Report(
        NASTY,
        score(lines, method, extras=Extras(adjustments=[Adjustment(pair(2, ns), -1, "late")])),
        club="Club & Co",
        club_number="1234",
        played_on=date(2026, 3, 9),
        players={
            pair(1, ns): (ReportPlayer("Ann <b>A</b>", "100"), ReportPlayer("Łucja")),
            pair(2, ns): (ReportPlayer("=cmd()"), ReportPlayer("Bo")),
        },
        hands={
            ("", 1): ReportDeal(
                Deal.dealt_by(random.Random(1)), Tricks.parse("65562655627777b7777b"), "NS 420"
            ),
            ("", 2): ReportDeal(Deal.dealt_by(random.Random(2))),
        },
    )


def ruled_report() -> Report:
    """Return a report with a weighted score, a fouled board, a penalty and a pair without standing."""
    results = ["60 % of 4SN=, 40 % of 4SN-1", "4SN=", "3NTE-1", "NP"]
    lines = [
        Line(
            *(1, pair(table), pair(table + 4), Outcome.parse(text)),
            section="A",
            table=table,
            round=1,
            version="turned" if table == 3 else "",
        )
        for table, text in enumerate(results, 1)
    ]
    extras = Extras(adjustments=[Adjustment(pair(2), -1, NASTY)], unranked=(pair(3),))
    contestants = (pair(1), pair(5))
    return Report(
        "Ruled",
        score(lines, options=Options(EBU), extras=extras),
        rulings=(
            ReportRuling(
                *(RulingKind.WEIGHTED, "60 % of 4♠ N =, 40 % of 4♠ N -1", "Misinformation", 1, contestants),
                *(lines[0], "4♠ N =", "pending"),
            ),
            ReportRuling(RulingKind.FOULED, "results compared in groups", "Turned -- twice--", 1),
            ReportRuling(RulingKind.ADJUSTMENT, "-1 MP", NASTY, None, (pair(2),)),
            ReportRuling(RulingKind.STATUS, "without standing", "", None, (pair(3),)),
        ),
        provisional_until=datetime(2026, 3, 9, 23, 30).astimezone(),
    )


def split_report() -> Report:
    """Return a report with separate results of every kind for the two sides."""
    results = [
        ("4SN=", "4SN-1"),
        ("60-40", "4SN="),
        ("3NTE=", "55-45"),
        ("Pass", "50 % of Pass, 50 % of 4SN-1"),
    ]
    results += [("60 % of 4SN=, 40 % of 4SN-1", "NP"), ("+420", "-50")]
    lines = [
        Line(
            *(1, pair(table), pair(table + 6), Outcome.parse(ns), Outcome.parse(ew)),
            section="A",
            table=table,
            round=1,
        )
        for table, (ns, ew) in enumerate(results, 1)
    ]
    return Report("Splits", score(lines))


def individual_report(*sections: str) -> Report:
    """Return a report of individuals: two tables in each section, one board."""
    lines = []
    for section in sections:
        for table, outcome in enumerate(("4SN=", "4SN-1"), 1):
            north, south, east, west = (Contestant(section, 4 * (table - 1) + seat) for seat in range(1, 5))
            lines.append(
                Line(
                    *(1, north, east, Outcome.parse(outcome)),
                    section=section,
                    table=table,
                    round=1,
                    south=south,
                    west=west,
                )
            )
    return Report("Individual", score(lines), players={Contestant("A", 1): (ReportPlayer("Ann", "100"),)})


def teams_report(method: Method = Method.VPS_CONTINUOUS, sections: tuple[str, ...] = ("",)) -> Report:
    lines = []
    for section in sections:
        one, two = Contestant(section, 1), Contestant(section, 2)
        for board, here, there in ((1, "4SN=", "4SN-1"), (2, "3NTN=", "3NTN+1"), (3, "60-40", "Pass")):
            lines.append(Line(board, one, two, Outcome.parse(here), section=section, table=1, round=1))
            lines.append(Line(board, two, one, Outcome.parse(there), section=section, table=2, round=1))
    return Report(
        "Teams",
        score(lines, method, boards_per_match=8),
        team_names={Contestant("", 1): "The <Ones>", Contestant("", 2): "Twos"},
    )
