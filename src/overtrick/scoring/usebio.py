"""Writer of USEBIO 1.2, the XML that English club sites import. Returns text; no file access.

The structure is that of usebio.org's 1.2: CLUB, then an EVENT with its sections, each with PARTICIPANTS and
with BOARDs (pairs) or MATCHes (teams). USEBIO has no element for rule sets and rulings; they are written as comments.
"""

import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Comment, Element, SubElement

from overtrick import __version__
from overtrick.bridge import (
    Award,
    Deal,
    Outcome,
    PassedOut,
    Played,
    Seat,
    Side,
    Suit,
    Vulnerability,
    vulnerability,
)
from overtrick.bridge.notation import write_compact
from overtrick.scoring.lines import Contestant, Line
from overtrick.scoring.method import Method
from overtrick.scoring.points import short_figure, to_points
from overtrick.scoring.ranking import Standing
from overtrick.scoring.report import Report, adjustment_sum
from overtrick.scoring.session import ScoredLine, SideScore
from overtrick.scoring.teams import Match

_BOARD_SCORING = {
    Method.MATCHPOINTS: "MATCH_POINTS",
    Method.BOARD_A_MATCH: "BAM",
    Method.PATTON: "HYBRID",
}
_VULNERABILITY = {
    Vulnerability.NONE: "Love",
    Vulnerability.NS: "North-South",
    Vulnerability.EW: "East-West",
    Vulnerability.ALL: "All",
}
# Characters that XML 1.0 does not allow, not even escaped.
_UNSAYABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_usebio(report: Report) -> str:
    """Return a report as USEBIO; text is escaped, and characters that XML does not allow are removed."""
    root = Element("USEBIO", Version="1.2")
    club = SubElement(root, "CLUB")
    _say(club, "CLUB_NAME", report.club)
    _say(club, "CLUB_ID_NUMBER", report.club_number)
    method = report.scored.method
    kind = "TEAMS" if method.is_teams else "PAIRS"
    if report.is_individual:
        kind = "INDIVIDUAL"
    event = SubElement(root, "EVENT", EVENT_TYPE=kind)
    _say(event, "PROGRAM_NAME", "Overtrick")
    _say(event, "PROGRAM_VERSION", __version__)
    _say(event, "BOARD_SCORING_METHOD", _board_scoring(method))
    if method.scale is not None:
        _say(event, "MATCH_SCORING_METHOD", "VPS")
    _say(event, "EVENT_DESCRIPTION", report.title)
    for words in (
        f"Rules: {report.rules_title}",
        report.provisional_words,
        *map(report.ruling_words, report.rulings),
    ):
        if words:
            _comment(event, words)
    if report.played_on:
        _say(event, "DATE", report.played_on.strftime("%d/%m/%Y"))
    contestants = report.contestants()
    sections = sorted({contestant.section for contestant in contestants})
    two_winners = any(contestant.side for contestant in contestants)
    _say(event, "SESSION_COUNT", 1)
    _say(event, "SECTION_COUNT", len(sections))
    _say(event, "BOARDS_PLAYED", len({traveller.board for traveller in report.scored.travellers}))
    _say(event, "WINNER_TYPE", 2 if two_winners else 1)
    session = SubElement(event, "SESSION", SESSION_ID="1")
    standings = {standing.contestant: standing for _, standing in report.standings()}
    for section in sections:
        part = SubElement(session, "SECTION", SECTION_ID=_sayable(section) or "A")
        participants = SubElement(part, "PARTICIPANTS")
        for contestant in contestants:
            if contestant.section == section:
                _participant(participants, report, contestant, standings.get(contestant), kind)
        if method.is_teams:
            for match in report.scored.matches:
                if match.home.team.section == section:
                    _match(part, report, match)
        else:
            _boards(part, report, section)
    ElementTree.indent(root)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE USEBIO SYSTEM "usebio_v1_2.dtd">\n'
        + ElementTree.tostring(root, encoding="unicode")
        + "\n"
    )


def _board_scoring(method: Method) -> str:
    if method.is_butler:
        return "BUTLER_IMPS"
    if method.is_imps:
        return "CROSS_IMPS"
    return _BOARD_SCORING.get(method, "IMPS")


def _participant(
    parent: Element, report: Report, who: Contestant, standing: Standing | None, kind: str
) -> None:
    if kind == "TEAMS":
        entry = SubElement(
            parent, "TEAM", TEAM_ID=str(who.number), TEAM_NAME=_sayable(report.name(who) or str(who))
        )
    elif kind == "INDIVIDUAL":
        entry = SubElement(parent, "PLAYER")
        _say(entry, "PLAYER_NUMBER", who.number)
    else:
        entry = SubElement(parent, "PAIR")
        _say(entry, "PAIR_NUMBER", who.number)
        if who.side:
            _say(entry, "DIRECTION", who.side.value)
    if standing:
        _say(entry, "BOARDS_PLAYED", standing.boards)
        if standing.rank:
            _say(entry, "PLACE", standing.rank_text)
        _say(entry, "TOTAL_SCORE", _number(standing.points))
        if standing.percentage is not None:
            _say(entry, "PERCENTAGE", standing.percentage_text)
        if standing.adjustment:
            _say(entry, "ADJUSTMENT", _number(standing.adjustment / standing.units_per_point))
        if standing.handicap:
            _say(entry, "HANDICAP", _number(standing.handicap))
    for player in report.players.get(who, ()):
        element = entry if kind == "INDIVIDUAL" else SubElement(entry, "PLAYER")
        _say(element, "PLAYER_NAME", player.name)
        if player.number:
            _say(element, "NATIONAL_ID_NUMBER", player.number)


def _boards(parent: Element, report: Report, section: str) -> None:
    for traveller in report.scored.travellers:
        lines = [scored for scored in traveller.lines if scored.line.ns.section == section]
        if not lines:
            continue
        board = SubElement(parent, "BOARD")
        _say(board, "BOARD_NUMBER", traveller.board)
        hand_record = report.hands.get((traveller.field, traveller.board))
        if hand_record:
            _deal(board, traveller.board, hand_record.deal)
        for scored in lines:
            _traveller_line(board, report.scored.method, scored)
            for side in Side:
                score = scored.score(side)
                for who in scored.line.contestants(side):
                    if score is not None and scored.adjustment(who):
                        _comment(
                            board, f"{who}: {adjustment_sum(score, scored.adjustments, who, report.decimals)}"
                        )


def _deal(parent: Element, board: int, deal: Deal) -> None:
    _say(parent, "VULNERABILITY", _VULNERABILITY[vulnerability(board)])
    for seat in Seat:
        hand = SubElement(parent, "HAND")
        _say(hand, "DIRECTION", seat.value)
        for suit in reversed(Suit):
            _say(hand, suit.name, "".join(rank.letter for rank in deal[seat].suit(suit)))


def _traveller_line(parent: Element, method: Method, scored: ScoredLine) -> None:
    entry = SubElement(parent, "TRAVELLER_LINE")
    line = scored.line
    if line.south and line.west:
        for seat, who in zip("NSEW", (line.ns, line.south, line.ew, line.west), strict=True):
            _say(entry, f"{seat}_PLAYER_NUMBER", who.number)
    else:
        _say(entry, "NS_PAIR_NUMBER", line.ns.number)
        _say(entry, "EW_PAIR_NUMBER", line.ew.number)
    _played(entry, line)
    unit = "MATCH_POINTS" if method is Method.MATCHPOINTS else "IMPS"
    for side in Side:
        score: SideScore | None = scored.score(side)
        if score is not None:
            _say(entry, f"{side.value}_{unit}", _number(score.points))


def _played(entry: Element, line: Line) -> None:
    outcome = line.outcome
    if line.ew_outcome is not None:
        _say(entry, "LEAD", line.lead)
        _say(entry, "SCORE", f"NS: {outcome}; EW: {line.ew_outcome}")
    elif isinstance(outcome, Played):
        _say(entry, "CONTRACT", write_compact(outcome.contract))
        _say(entry, "PLAYED_BY", outcome.contract.declarer.value)
        _say(entry, "LEAD", line.lead)
        _say(entry, "TRICKS", outcome.tricks)
        _say(entry, "SCORE", outcome.ns_score(vulnerability(line.board)))
    elif isinstance(outcome, PassedOut):
        _say(entry, "CONTRACT", "PASS")
        _say(entry, "SCORE", 0)
    else:
        _say(entry, "SCORE", _ruling(outcome))


def _match(parent: Element, report: Report, match: Match) -> None:
    entry = SubElement(parent, "MATCH")
    _say(entry, "ROUND_NUMBER", match.round)
    _say(entry, "TEAM", match.home.team.number)
    _say(entry, "OPPOSING_TEAM", match.away.team.number)
    _say(entry, "TEAM_SCORE", _number(to_points(match.home.own_imps)))
    _say(entry, "OPPOSING_TEAM_SCORE", _number(to_points(match.away.own_imps)))
    if report.scored.method.scale is not None:
        _say(entry, "TEAM_VICTORY_POINTS", _number(to_points(match.home.units)))
        _say(entry, "OPPOSING_TEAM_VICTORY_POINTS", _number(to_points(match.away.units)))
    teams = {match.home.team, match.away.team}
    for traveller in report.scored.travellers:
        lines = [
            scored
            for scored in traveller.lines
            if scored.line.round == match.round and {scored.line.ns, scored.line.ew} == teams
        ]
        if not lines:
            continue
        board = SubElement(entry, "BOARD")
        _say(board, "BOARD_NUMBER", traveller.board)
        for scored in lines:
            home = Side.NS if scored.line.ns == match.home.team else Side.EW
            line = SubElement(board, "TRAVELLER_LINE")
            _say(line, "DIRECTION", home.value)
            _played(line, scored.line)


def _comment(parent: Element, words: str) -> None:
    """Add a comment; a space is put after hyphens where XML would see the end of the comment."""
    parent.append(Comment(f" {re.sub('-(?=-|$)', '- ', _sayable(words))} "))


def _say(parent: Element, tag: str, value: object) -> None:
    SubElement(parent, tag).text = _sayable(str(value))


def _sayable(text: str) -> str:
    return _UNSAYABLE.sub("", text)


def _number(number: float) -> str:
    return short_figure(f"{number:.4f}")


def _ruling(outcome: Outcome) -> str:
    """Return the SCORE of a board without a contract: an award of whole per cents below 100 as A6040, else our text."""
    if isinstance(outcome, Award) and all(
        isinstance(share, int) and share < 100 for share in (outcome.ns, outcome.ew)
    ):
        return f"A{outcome.ns:02}{outcome.ew:02}"
    return str(outcome)
