"""Results of team matches that are reported without their boards. Pure."""

from overtrick.directing.previews import StalePreview
from overtrick.event.teams import MatchReported, Segment
from overtrick.views.teams import TeamView


def report_segment(
    view: TeamView,
    segment: Segment,
    imps_home: int,
    imps_away: int,
    vps: tuple[int | None, int | None] = (None, None),
) -> MatchReported:
    """Return the fact that reports a segment; raise StalePreview if boards are entered, because those count instead.

    In a division without a method, reported victory points count beside the boards.
    """
    boards = sorted({board for _, board in view.boards(segment)})
    has_reported_points = view.event.divisions[segment.serie].method is None and vps != (None, None)
    if boards and not has_reported_points:
        draw = view.draws[segment.serie, segment.round].pairings
        match = next(pairing for pairing in draw if pairing.home == segment.home)
        raise StalePreview(
            f"{view.names(match)} has results on {len(boards)} boards ({boards[0]} to {boards[-1]}), "
            "which count instead of a reported result: erase them first. Nothing was changed."
        )
    return MatchReported(segment, imps_home, imps_away, *vps)
