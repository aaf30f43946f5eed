"""The report of a session: everything about it that is published, independent of the output format. Pure."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from overtrick.bridge import Seat
from overtrick.errors import BadInput
from overtrick.event.hands import HandRecord
from overtrick.event.place import Place
from overtrick.event.recording import Recording
from overtrick.event.rulings import can_have_vps, rules_of, units_of
from overtrick.scoring import Line, Method, Options, score
from overtrick.scoring.more_rankings import further_rankings
from overtrick.scoring.par_text import par_text
from overtrick.scoring.report import RecordedPlay, Report, ReportDeal, ReportPlayer
from overtrick.views.rulings import list_rulings
from overtrick.views.session import SessionView


@dataclass(frozen=True, slots=True)
class _GroupScoring:
    """The scoring choices for a group, besides the method."""

    options: Options
    pairs_vps: bool
    is_knockout: bool
    boards_per_match: int | None

    @classmethod
    def of(cls, view: SessionView, group: int) -> "_GroupScoring":
        rules = rules_of(view.session, group)
        return cls(view.options(group), rules.pairs_vps, rules.is_knockout, rules.boards_per_match)


def prepare_report(
    view: SessionView,
    *,
    group: int | None = None,
    method: Method | None = None,
    revise: Callable[[Options], Options] | None = None,
    boards_per_match: int | None = None,
    title: str | None = None,
    pairs_vps: bool = False,
) -> Callable[[], Report]:
    """Return a function that computes the report of a session, or of one of its scoring groups, as played so far.

    This call copies the data it needs. Scoring, which takes long for a large event, is left to the returned function,
    which may run in another thread while the session changes. `revise` changes the options that were chosen
    for the session. Raise BadInput for an unknown group, for groups with different rules unless `group` is given, and
    for groups with different methods unless `group` or `method` is given.
    """
    session = view.session
    groups = session.setup.groups
    if group is not None and group not in groups:
        raise BadInput(f"There is no scoring group {group}; there are {_list(groups)}.")
    numbers = [group] if group else list(groups)
    methods = {groups[number].method for number in numbers}
    if method is None and len(methods) > 1:
        raise BadInput(f"The scoring groups {_list(groups)} have different methods; choose one group.")
    scoring_method = method or next(iter(methods), Method.MATCHPOINTS)
    scorings = {_GroupScoring.of(view, number) for number in numbers}
    if len(scorings) > 1:
        raise BadInput(f"The scoring groups {_list(groups)} have different rules; choose one group.")
    scoring = next(iter(scorings), _GroupScoring(Options(), False, False, None))
    options = revise(scoring.options) if revise else scoring.options
    lines = [line for line in view.lines() if group is None or _group(line) == group]
    by_vps = pairs_vps or (scoring.pairs_vps and can_have_vps(scoring_method))
    units = units_of(scoring_method, pairs_vps=by_vps)
    extras = view.extras(units)
    rulings = list_rulings(session, lines, units, group)
    matches = [ruling for number in numbers for ruling in view.match_rulings(number)]
    sit_outs = [sit_out for number in numbers for sit_out in view.sit_outs(number)] if by_vps else []
    until = session.rulings.provisional_until
    opened = session.opened
    players = {
        contestant: tuple(ReportPlayer(player.name, player.number) for player in people)
        for contestant, people in view.players().items()
    }
    hands = _hands(lines, session.hands.records)
    plays = _plays(session.recording, {line.key for line in lines})
    further_settings, player_list = session.further.chosen.rankings, session.further.players()

    def score_report() -> Report:
        scored = score(
            lines,
            scoring_method,
            options=options,
            boards_per_match=boards_per_match or scoring.boards_per_match,
            extras=extras,
            pairs_vps=by_vps,
            is_knockout=scoring.is_knockout,
            match_rulings=matches,
            sit_outs=sit_outs,
        )
        return Report(
            title or opened.name,
            scored,
            played_on=opened.day,
            players=players,
            hands=hands,
            plays=plays,
            rulings=rulings,
            provisional_until=until,
            further=further_rankings(
                scored.rankings,
                players,
                player_list,
                further_settings,
                rules=scored.rules,
                year=opened.day.year,
            ),
            player_list=player_list,
        )

    return score_report


def _hands(
    lines: list[Line], records: dict[tuple[int, int], HandRecord]
) -> dict[tuple[str, int], ReportDeal]:
    """Return the hand record of each traveller; every field of a scoring group plays the deals of that group."""
    hands: dict[tuple[str, int], ReportDeal] = {}
    for line in lines:
        record = records.get((_group(line), line.board))
        if record is not None and line.traveller not in hands:
            par = par_text(line.board, record.tricks) if record.tricks else ("", "")
            hands[line.traveller] = ReportDeal(record.deal, record.tricks, *par)
    return hands


def _plays(recording: Recording, lines: Collection[Place]) -> dict[Place, RecordedPlay]:
    """Return the recorded auctions and plays of these results, by place."""
    calls: dict[Place, list[tuple[Seat, str]]] = {}
    cards: dict[Place, list[tuple[Seat, str]]] = {}
    for (place, _), call in sorted(recording.calls.items(), key=lambda item: item[0]):
        calls.setdefault(place, []).append((call.seat, call.call))
    for (place, _), card in sorted(recording.cards.items(), key=lambda item: item[0]):
        cards.setdefault(place, []).append((card.seat, card.card))
    return {
        place: RecordedPlay(tuple(calls.get(place, ())), tuple(cards.get(place, ())))
        for place in (calls | cards)
        if place in lines
    }


def _group(line: Line) -> int:
    return int(line.field.partition(".")[0])


def _list(groups: Iterable[int]) -> str:
    return ", ".join(str(number) for number in sorted(groups)) or "none"
