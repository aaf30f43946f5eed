"""Results of team matches that are reported without their boards."""

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
    """Return the fact that reports a segment; StalePreview where the boards that are entered count instead.

    In a serie that is scored as reported the victory points count, whatever the boards say.
    """
    boards = sorted({board for _, board in view.boards(segment)})
    is_by_report = view.event.series[segment.serie].method is None and vps != (None, None)
    if boards and not is_by_report:
        drawn = view.draws[segment.serie, segment.round].pairings
        match = next(one for one in drawn if one.home == segment.home)
        raise StalePreview(
            f"{view.names(match)} has results on {len(boards)} boards ({boards[0]} to {boards[-1]}), and they "
            "count before what is reported: erase them first. Nothing was changed."
        )
    return MatchReported(segment, imps_home, imps_away, *vps)
