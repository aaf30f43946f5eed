"""The results of each player in a session, as a player's page lists them. Pure."""

from dataclasses import dataclass

from overtrick.scoring.lines import Contestant
from overtrick.scoring.report import CardLine, Report, board_page, card_page, outcome_words, player_key
from overtrick.views.report import prepare_report
from overtrick.views.session import SessionView

BEST = 3
"""The best boards of a session that are listed."""


@dataclass(frozen=True, slots=True)
class BestBoard:
    """A board on which a player did well."""

    board: int
    page: str
    """The address of its page, relative to the results of the session."""
    result: str
    worth: float
    """The percentage, or the points if there is no top."""


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """The result of a player in a session."""

    player: str
    """The key of the player, see `player_key`."""
    name: str
    partners: tuple[tuple[str, str], ...]
    """The key and name of each partner; none in an individual."""
    contestant: str
    card: str
    """The address of the score card, relative to the results of the session."""
    rank: str
    of: int
    """The number of contestants in the ranking."""
    score: str
    percentage: float | None
    boards: int
    best: tuple[BestBoard, ...]


def player_results(view: SessionView) -> list[PlayerResult]:
    """Return the results of all known players of a session, with the boards that are scored so far."""
    results: list[PlayerResult] = []
    groups = sorted(view.session.setup.groups)
    for number in groups:
        report = prepare_report(view, group=number)()
        query = f"?group={number}" if len(groups) > 1 else ""
        results += _of_report(report, query)
    # A player with two results, as a substitute in another group has, is listed with the first.
    return list({result.player: result for result in reversed(results)}.values())[::-1]


def _of_report(report: Report, query: str) -> list[PlayerResult]:
    cards = report.score_cards()
    results = []
    for ranking in report.scored.rankings:
        for standing in ranking.standings:
            contestant = standing.contestant
            people = [
                (player.key, player.name) for player in report.players.get(contestant, ()) if player.key
            ]
            best = _best(cards.get(contestant, ()), query)
            for key, name in people:
                results.append(
                    PlayerResult(
                        key,
                        name,
                        tuple(other for other in people if other[0] != key),
                        str(contestant),
                        card_page(contestant) + query,
                        standing.rank_text,
                        len(ranking.standings),
                        report.score_text(standing),
                        standing.percentage,
                        standing.boards,
                        best,
                    )
                )
    return results


def _best(card: tuple[CardLine, ...], query: str) -> tuple[BestBoard, ...]:
    boards = []
    for line in card:
        if line.score is None or line.score.award is not None:
            continue
        percentage = line.score.percentage
        boards.append(
            BestBoard(
                line.line.board,
                board_page(line.line.field, line.line.board) + query,
                outcome_words(line.line.outcome_for(line.side)),
                line.score.points if percentage is None else percentage,
            )
        )
    boards.sort(key=lambda board: -board.worth)
    return tuple(boards[:BEST])


def players_of(view: SessionView, contestant: Contestant) -> list[tuple[str, str]]:
    """Return the key and name of each known player of a contestant."""
    people = view.players().get(contestant, ())
    return [(key, player.name) for player in people if (key := player_key(player.number, player.name))]
