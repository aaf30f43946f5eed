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
_INVALID_CHARACTERS = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_usebio(report: Report) -> str:
    """Return a report as USEBIO; text is escaped, and characters that XML does not allow are removed."""
    root = Element("USEBIO", Version="1.2")
    club = SubElement(root, "CLUB")
    _add(club, "CLUB_NAME", report.club)
    _add(club, "CLUB_ID_NUMBER", report.club_number)
    method = report.scored.method
    event_type = "TEAMS" if method.is_teams else "PAIRS"
    if report.is_individual:
        event_type = "INDIVIDUAL"
    event = SubElement(root, "EVENT", EVENT_TYPE=event_type)
    _add(event, "PROGRAM_NAME", "Overtrick")
    _add(event, "PROGRAM_VERSION", __version__)
    _add(event, "BOARD_SCORING_METHOD", _board_scoring(method))
    if method.scale is not None:
        _add(event, "MATCH_SCORING_METHOD", "VPS")
    _add(event, "EVENT_DESCRIPTION", report.title)
    for text in (
        f"Rules: {report.rules_title}",
        report.provisional_words,
        *map(report.ruling_words, report.rulings),
    ):
        if text:
            _comment(event, text)
    if report.played_on:
        _add(event, "DATE", report.played_on.strftime("%d/%m/%Y"))
    contestants = report.contestants()
    sections = sorted({contestant.section for contestant in contestants})
    two_winners = any(contestant.side for contestant in contestants)
    _add(event, "SESSION_COUNT", 1)
    _add(event, "SECTION_COUNT", len(sections))
    _add(event, "BOARDS_PLAYED", len({traveller.board for traveller in report.scored.travellers}))
    _add(event, "WINNER_TYPE", 2 if two_winners else 1)
    session = SubElement(event, "SESSION", SESSION_ID="1")
    standings = {standing.contestant: standing for _, standing in report.standings()}
    for section in sections:
        section_element = SubElement(session, "SECTION", SECTION_ID=_valid_text(section) or "A")
        participants = SubElement(section_element, "PARTICIPANTS")
        for contestant in contestants:
            if contestant.section == section:
                _participant(participants, report, contestant, standings.get(contestant), event_type)
        if method.is_teams:
            for match in report.scored.matches:
                if match.home.team.section == section:
                    _match(section_element, report, match)
        else:
            _boards(section_element, report, section)
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
    parent: Element, report: Report, contestant: Contestant, standing: Standing | None, event_type: str
) -> None:
    if event_type == "TEAMS":
        entry = SubElement(
            parent,
            "TEAM",
            TEAM_ID=str(contestant.number),
            TEAM_NAME=_valid_text(report.name(contestant) or str(contestant)),
        )
    elif event_type == "INDIVIDUAL":
        entry = SubElement(parent, "PLAYER")
        _add(entry, "PLAYER_NUMBER", contestant.number)
    else:
        entry = SubElement(parent, "PAIR")
        _add(entry, "PAIR_NUMBER", contestant.number)
        if contestant.side:
            _add(entry, "DIRECTION", contestant.side.value)
    if standing:
        _add(entry, "BOARDS_PLAYED", standing.boards)
        if standing.rank:
            _add(entry, "PLACE", standing.rank_text)
        _add(entry, "TOTAL_SCORE", _number(standing.points))
        if standing.percentage is not None:
            _add(entry, "PERCENTAGE", standing.percentage_text)
        if standing.adjustment:
            _add(entry, "ADJUSTMENT", _number(standing.adjustment / standing.units_per_point))
        if standing.handicap:
            _add(entry, "HANDICAP", _number(standing.handicap))
    for player in report.players.get(contestant, ()):
        element = entry if event_type == "INDIVIDUAL" else SubElement(entry, "PLAYER")
        _add(element, "PLAYER_NAME", player.name)
        if player.number:
            _add(element, "NATIONAL_ID_NUMBER", player.number)


def _boards(parent: Element, report: Report, section: str) -> None:
    for traveller in report.scored.travellers:
        lines = [scored for scored in traveller.lines if scored.line.ns.section == section]
        if not lines:
            continue
        board = SubElement(parent, "BOARD")
        _add(board, "BOARD_NUMBER", traveller.board)
        hand_record = report.hands.get((traveller.field, traveller.board))
        if hand_record:
            _deal(board, traveller.board, hand_record.deal)
        for scored in lines:
            _traveller_line(board, report.scored.method, scored)
            for side in Side:
                score = scored.score(side)
                for contestant in scored.line.contestants(side):
                    if score is not None and scored.adjustment(contestant):
                        _comment(
                            board,
                            f"{contestant}: {adjustment_sum(score, scored.adjustments, contestant, report.decimals)}",
                        )


def _deal(parent: Element, board: int, deal: Deal) -> None:
    _add(parent, "VULNERABILITY", _VULNERABILITY[vulnerability(board)])
    for seat in Seat:
        hand = SubElement(parent, "HAND")
        _add(hand, "DIRECTION", seat.value)
        for suit in reversed(Suit):
            _add(hand, suit.name, "".join(rank.letter for rank in deal[seat].suit(suit)))


def _traveller_line(parent: Element, method: Method, scored: ScoredLine) -> None:
    entry = SubElement(parent, "TRAVELLER_LINE")
    line = scored.line
    if line.south and line.west:
        for seat, contestant in zip("NSEW", (line.ns, line.south, line.ew, line.west), strict=True):
            _add(entry, f"{seat}_PLAYER_NUMBER", contestant.number)
    else:
        _add(entry, "NS_PAIR_NUMBER", line.ns.number)
        _add(entry, "EW_PAIR_NUMBER", line.ew.number)
    _add_outcome(entry, line)
    unit = "MATCH_POINTS" if method is Method.MATCHPOINTS else "IMPS"
    for side in Side:
        score: SideScore | None = scored.score(side)
        if score is not None:
            _add(entry, f"{side.value}_{unit}", _number(score.points))


def _add_outcome(entry: Element, line: Line) -> None:
    outcome = line.outcome
    if line.ew_outcome is not None:
        _add(entry, "LEAD", line.lead)
        _add(entry, "SCORE", f"NS: {outcome}; EW: {line.ew_outcome}")
    elif isinstance(outcome, Played):
        _add(entry, "CONTRACT", write_compact(outcome.contract))
        _add(entry, "PLAYED_BY", outcome.contract.declarer.value)
        _add(entry, "LEAD", line.lead)
        _add(entry, "TRICKS", outcome.tricks)
        _add(entry, "SCORE", outcome.ns_score(vulnerability(line.board)))
    elif isinstance(outcome, PassedOut):
        _add(entry, "CONTRACT", "PASS")
        _add(entry, "SCORE", 0)
    else:
        _add(entry, "SCORE", _ruling(outcome))


def _match(parent: Element, report: Report, match: Match) -> None:
    entry = SubElement(parent, "MATCH")
    _add(entry, "ROUND_NUMBER", match.round)
    _add(entry, "TEAM", match.home.team.number)
    _add(entry, "OPPOSING_TEAM", match.away.team.number)
    _add(entry, "TEAM_SCORE", _number(to_points(match.home.own_imps)))
    _add(entry, "OPPOSING_TEAM_SCORE", _number(to_points(match.away.own_imps)))
    if report.scored.method.scale is not None:
        _add(entry, "TEAM_VICTORY_POINTS", _number(to_points(match.home.units)))
        _add(entry, "OPPOSING_TEAM_VICTORY_POINTS", _number(to_points(match.away.units)))
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
        _add(board, "BOARD_NUMBER", traveller.board)
        for scored in lines:
            home_side = Side.NS if scored.line.ns == match.home.team else Side.EW
            line = SubElement(board, "TRAVELLER_LINE")
            _add(line, "DIRECTION", home_side.value)
            _add_outcome(line, scored.line)


def _comment(parent: Element, text: str) -> None:
    """Add a comment; a space is put after hyphens where XML would see the end of the comment."""
    parent.append(Comment(f" {re.sub('-(?=-|$)', '- ', _valid_text(text))} "))


def _add(parent: Element, tag: str, value: object) -> None:
    SubElement(parent, tag).text = _valid_text(str(value))


def _valid_text(text: str) -> str:
    return _INVALID_CHARACTERS.sub("", text)


def _number(number: float) -> str:
    return short_figure(f"{number:.4f}")


def _ruling(outcome: Outcome) -> str:
    """Return the SCORE of a board without a contract: an award of whole per cents below 100 as A6040, else our text."""
    if isinstance(outcome, Award) and all(
        isinstance(percent, int) and percent < 100 for percent in (outcome.ns, outcome.ew)
    ):
        return f"A{outcome.ns:02}{outcome.ew:02}"
    return str(outcome)
