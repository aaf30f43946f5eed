"""A session as a report: everything that is published of it, independent of the output format. Pure."""

from collections.abc import Callable, Iterable

from overtrick.bridge import Tricks
from overtrick.errors import BadInput
from overtrick.event.hands import HandRecord
from overtrick.scoring import Line, Method, Options, score
from overtrick.scoring.report import HandRecord as ReportedHand
from overtrick.scoring.report import Player, Report
from overtrick.views.session import SessionView

ParOf = Callable[[int, Tricks], tuple[str, str]]
"""Par of a board with these makeable tricks, and the contracts that it is reached in, as they are printed."""


def prepare_report(
    view: SessionView,
    *,
    group: int | None = None,
    method: Method | None = None,
    options: Options | None = None,
    boards_per_match: int | None = None,
    title: str | None = None,
    par_of: ParOf | None = None,
    pairs_vps: bool = False,
) -> Callable[[], Report]:
    """Return a function that makes the report of a session, or of one of its scoring groups, as played so far.

    All that it needs of the session is taken now, and the scoring left for when it is called: that takes long for a
    large event, and needs nothing that moves. Scoring groups with different methods cannot be in one report: say which,
    or which method.
    """
    session = view.session
    groups = session.setup.groups
    if group is not None and group not in groups:
        raise BadInput(f"There is no scoring group {group}; there are {_list(groups)}.")
    methods = {groups[number].method for number in ([group] if group else groups)}
    if method is None and len(methods) > 1:
        raise BadInput(f"The scoring groups {_list(groups)} have different methods; say which group.")
    chosen = method or next(iter(methods), Method.MATCHPOINTS)
    lines = [line for line in view.lines() if group is None or _group(line) == group]
    opened, counted = session.opened, options or view.options
    players = {
        who: tuple(Player(player.name, player.number) for player in people)
        for who, people in view.players().items()
    }
    hands = _hands(lines, session.hands.records, par_of)

    def make() -> Report:
        return Report(
            title or opened.name,
            score(lines, chosen, options=counted, boards_per_match=boards_per_match, pairs_vps=pairs_vps),
            played_on=opened.day,
            players=players,
            hands=hands,
        )

    return make


def _hands(
    lines: list[Line], records: dict[tuple[int, int], HandRecord], par_of: ParOf | None
) -> dict[tuple[str, int], ReportedHand]:
    """Return the hand record of each traveller: a group of tables plays the deals of its scoring group."""
    found: dict[tuple[str, int], ReportedHand] = {}
    for line in lines:
        record = records.get((_group(line), line.board))
        if record is not None and line.traveller not in found:
            par = par_of(line.board, record.tricks) if par_of and record.tricks else ("", "")
            found[line.traveller] = ReportedHand(record.deal, record.tricks, *par)
    return found


def _group(line: Line) -> int:
    return int(line.field.partition(".")[0])


def _list(groups: Iterable[int]) -> str:
    return ", ".join(str(number) for number in sorted(groups)) or "none"
