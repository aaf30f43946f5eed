"""The director's decisions in a session, as they are published. Pure."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from overtrick.bridge import Award, Cancelled, NotPlayed, Outcome, Side, Undecided, Weighted
from overtrick.event import Session
from overtrick.event.rulings import AdjustmentUnit, Appeal, groups_of, is_counted, is_of_match
from overtrick.scoring import Contestant, Line
from overtrick.scoring.report import ReportRuling, RulingKind, outcome_words

_KINDS: dict[type[Outcome], RulingKind] = {
    Weighted: RulingKind.WEIGHTED,
    Award: RulingKind.AWARD,
    Cancelled: RulingKind.CANCELLED,
    NotPlayed: RulingKind.NOT_PLAYED,
    Undecided: RulingKind.PENDING,
}


def list_rulings(
    session: Session, lines: Sequence[Line], units: Collection[AdjustmentUnit], group: int | None = None
) -> tuple[ReportRuling, ...]:
    """Return the rulings on these results, then those on fouled boards, matches, adjustments and standing.

    `units` are those of the ranking; an adjustment in another unit is marked as not counted. With `group`, rulings on
    matches, adjustments and standing are limited to the contestants of that scoring group.
    """
    line_rulings = [(line, ruling) for line in lines if (ruling := _line_ruling(session, line)) is not None]
    line_rulings.sort(key=lambda item: (item[0].round, item[0].board, item[0].section, item[0].table))
    return (
        *(ruling for _, ruling in line_rulings),
        *_fouled_boards(session, lines),
        *(
            ruling
            for ruling in (*_matches(session), *_adjustments(session, units), *_statuses(session))
            if group is None or group in groups_of(session, _key(ruling.contestants[0]))
        ),
    )


def _key(contestant: Contestant) -> tuple[str, int, Side | None]:
    return contestant.section, contestant.number, contestant.side


def _line_ruling(session: Session, line: Line) -> ReportRuling | None:
    note = session.rulings.notes.get(line.key)
    if line.ew_outcome is not None:
        kind: RulingKind | None = RulingKind.SPLIT
        words = f"{outcome_words(line.outcome)} for NS, {outcome_words(line.ew_outcome)} for EW"
    else:
        kind, words = _KINDS.get(type(line.outcome)), outcome_words(line.outcome)
    if note is None and kind is None:
        return None
    return ReportRuling(
        kind or RulingKind.RESULT,
        words,
        note.reason if note else "",
        line.board,
        (line.contestant(Side.NS), line.contestant(Side.EW)),
        line,
        outcome_words(note.table_result) if note and note.table_result else "",
        note.appeal.value if note and note.appeal is not Appeal.NONE else "",
    )


def _matches(session: Session) -> Iterator[ReportRuling]:
    for ruling in session.rulings.matches.values():
        words = (
            f"match of round {ruling.round} void" if ruling.is_void else f"match of {ruling.boards} boards"
        )
        if ruling.points_one is not None and ruling.points_other is not None:
            words += f", {ruling.points_one} to {ruling.points_other}"
        teams = Contestant(*ruling.one), Contestant(*ruling.other)
        yield ReportRuling(RulingKind.MATCH, words, ruling.reason, None, teams)


def _fouled_boards(session: Session, lines: Iterable[Line]) -> Iterator[ReportRuling]:
    if not session.rulings.versions:
        return
    versions: dict[tuple[str, int], dict[str, list[Line]]] = {}
    for line in lines:
        versions.setdefault(line.traveller, {}).setdefault(line.version, []).append(line)
    for (_, board), groups in sorted(versions.items()):
        if len(groups) > 1:
            sizes = ", ".join(
                f"{len(groups[name])} with {name or 'the usual deal'}" for name in sorted(groups)
            )
            reason = session.rulings.foul_reasons.get(board, "")
            yield ReportRuling(RulingKind.FOULED, f"results compared in groups, {sizes}", reason, board)


def _adjustments(session: Session, units: Collection[AdjustmentUnit]) -> Iterator[ReportRuling]:
    for _, adjustment in sorted(session.rulings.adjustments.items()):
        yield ReportRuling(
            RulingKind.ADJUSTMENT,
            f"{adjustment.amount:+} {adjustment.unit.value}"
            + (
                f" in the match of round {adjustment.round}"
                if is_of_match(adjustment.unit, units) and adjustment.round
                else ""
            ),
            adjustment.reason,
            adjustment.board,
            (Contestant(*adjustment.contestant),),
            is_counted=is_counted(adjustment, units),
            round=adjustment.round,
        )


def _statuses(session: Session) -> Iterator[ReportRuling]:
    for status in session.rulings.statuses.values():
        contestant = Contestant(*status.contestant)
        yield ReportRuling(RulingKind.STATUS, status.status.value, status.reason, None, (contestant,))
