"""The draw of the next round of a Swiss section: from the standing, changed by hand, and confirmed as previewed.

A preview stores nothing. A previewed draw is sent only while the same draw would be made again. Pure.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from overtrick.directing.previews import StalePreview
from overtrick.directing.swiss import SwissSection, swiss_of
from overtrick.errors import BadInput
from overtrick.event import Session, session_stream
from overtrick.movements import Draw, MovementError, Way, draw_round, objections
from overtrick.scoring import Contestant, Method
from overtrick.views import SessionView
from overtrick.words import counted


@dataclass(frozen=True, slots=True)
class DrawPair:
    """A pair as the draw sees it."""

    number: int
    names: str
    rank: str
    """Empty where nothing of it is scored yet."""
    score: float
    words: str
    """The score as it is shown."""


@dataclass(frozen=True, slots=True)
class SwissField:
    """A Swiss section with its standing, at a moment."""

    session: Session
    swiss: SwissSection
    pairs: Mapping[int, DrawPair]
    """In the order of the standing."""
    method: Method
    average: float
    """The score of somebody without a board."""

    @property
    def command_id(self) -> str:
        """Return the id of the command that draws: of two directors at the same moment only the first counts.

        It changes with the movement and with nothing else, because results and deals come in all the time.
        """
        opened, revision = self.session.opened, self.session.movement.revision
        stream = session_stream(opened.session, opened.incarnation)
        return f"swiss-{stream}-{revision}-{self.swiss.section}-{self.swiss.number}"

    def pair(self, number: int) -> DrawPair:
        """Return a pair; one that has just come has nothing yet."""
        return self.pairs.get(number) or DrawPair(number, "", "", self.average, "")


def field_of(view: SessionView, section: str) -> SwissField:
    """Return a Swiss section with its standing; BadInput where it is none."""
    session = view.session
    swiss = swiss_of(session, section)
    if swiss is None:
        raise BadInput(f"Section {section[:3]} is not drawn round by round; nothing was changed.")
    group = session.setup.sections[section].group
    standings = {
        standing.contestant: standing for ranking in view.rankings(group) for standing in ranking.standings
    }
    has_top = any(standing.top for standing in standings.values())
    average = 50.0 if has_top else 0.0
    method = session.setup.groups[group].method
    players = view.players()
    pairs = []
    for number in swiss.everyone:
        who = Contestant("" if session.opened.across_field else section, number)
        standing = standings.get(who)
        names = " – ".join(player.name for player in players.get(who, ()))
        if standing is None:
            pairs.append((float("inf"), DrawPair(number, names, "", average, "")))
            continue
        score = standing.percentage if standing.percentage is not None else standing.points
        words = f"{score:.2f} %" if has_top else f"{score:.2f} {method.point}"
        pairs.append((standing.rank, DrawPair(number, names, standing.rank_text, score, words)))
    pairs.sort(key=lambda pair: (-pair[1].score, pair[0], pair[1].number))
    return SwissField(session.after(()), swiss, {pair.number: pair for _, pair in pairs}, method, average)


def ways_of(swiss: SwissSection) -> tuple[Way, ...]:
    """Return the ways in which the round can be drawn, the usual one first."""
    if swiss.number == 1:
        return Way.NUMBERS, Way.HALVES, Way.LOT
    return Way.STANDING, Way.LOT


@dataclass(frozen=True, slots=True)
class DrawRequest:
    """The way in which somebody wants the round to be drawn."""

    way: Way
    lot: int
    count: int
    """The number of pairs in all; more than before have come late."""
    out: tuple[int, ...]
    """The pairs that do not play in this round."""
    playing: tuple[int, ...]
    repeats: bool
    """True if objections to a draw are overruled."""


def draw_request(
    field: SwissField,
    way: Way,
    *,
    lot: int = 0,
    count: int = 0,
    out: Iterable[int] | None = None,
    repeats: bool = False,
) -> DrawRequest:
    """Return a request; `count` and `out` are those of the last round where nobody says otherwise."""
    swiss = field.swiss
    everyone, missing = swiss.everyone, field.session.setup.sections[swiss.section].missing_pair
    highest = max(everyone)
    count = count or highest
    if out is None:
        out = (number for number in everyone if number not in swiss.present)
    away = tuple(out)
    known = (*everyone, *range(highest + 1, count + 1))
    playing = tuple(number for number in known if number != missing and number not in away)
    return DrawRequest(way, lot, count, away, playing, repeats)


def usual_draw(field: SwissField, request: DrawRequest) -> Draw:
    """Return the round as it is drawn without a change by hand; MovementError says why it cannot be."""
    listed = [number for number in field.pairs if number in request.playing]
    listed += [number for number in request.playing if number not in field.pairs]
    order = sorted(listed, key=lambda number: -field.pair(number).score)  # equals stay in their order
    standing = {number: field.pair(number).score for number in order}
    return draw_round(request.way, standing, field.swiss.before, lot=request.lot, repeats=request.repeats)


def wanted_draw(
    usual: Draw, request: DrawRequest, text: str = "", swap: tuple[int, int] | None = None
) -> Draw:
    """Return the draw that a text says, or else the usual one, with two pairs swapped; MovementError if it is none."""
    draw = Draw.parse(text) if text else usual
    if swap is not None:
        one, other = swap
        if one == other:
            raise MovementError(f"Pair {one} cannot be swapped with itself.")
        draw = draw.swapped(one, other)
    draw.check(request.playing)
    return draw


@dataclass(frozen=True, slots=True)
class DrawPreview:
    """The preview of a draw that a director confirms."""

    round: int
    on_tables: str
    """That round as it was on the tables; empty where it was not drawn."""
    usual: str
    draw: str
    swap: tuple[int, int] | None = None
    is_early: bool = False
    """True if it is to be drawn though results are missing."""


def require_same_round(swiss: SwissSection, seen: DrawPreview) -> None:
    """Raise StalePreview where another round is to be drawn than somebody saw, or it is on the tables by now."""
    if seen.round != swiss.number or not swiss.can_draw or seen.on_tables != swiss.on_tables:
        raise StalePreview(
            f"Meanwhile round {swiss.last} is on the tables, other than you saw; nothing was changed. Look again."
        )


def confirmed_draw(field: SwissField, request: DrawRequest, seen: DrawPreview) -> Draw:
    """Return the draw to send; StalePreview where it is another by now, BadInput where something was not allowed."""
    swiss = field.swiss
    require_same_round(swiss, seen)
    try:
        usual = usual_draw(field, request)
        draw = wanted_draw(usual, request, seen.draw, seen.swap)
    except MovementError as error:
        raise BadInput(f"{error} Nothing was changed.") from error
    if seen.usual != str(usual):
        raise StalePreview(
            "Meanwhile the standing is another, and others would meet than you saw; nothing was changed. "
            "Look at the draw again."
        )
    if swiss.unscored and not seen.is_early:
        missing = sum(len(each.boards) for each in swiss.unscored)
        raise BadInput(
            f"{counted(missing, 'result')} of the rounds before {'is' if missing == 1 else 'are'} missing; nothing was "
            "changed. Say that the round is drawn without them, or wait."
        )
    against = objections(draw, swiss.before)
    if against and not request.repeats:
        raise BadInput(f"{' '.join(against)} Nothing was changed; say that it is to be so all the same.")
    return draw
