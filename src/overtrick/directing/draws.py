"""The draw of the next round of a Swiss section: made from the ranking, changed by hand, previewed and confirmed.

A preview stores nothing. A confirmed draw is sent only if it would be made in the same way again. Pure.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from overtrick.directing.previews import StalePreview
from overtrick.directing.swiss import MissingBoards, SwissSection, swiss_of
from overtrick.errors import BadInput
from overtrick.event import Session, session_stream
from overtrick.movements import Draw, DrawMethod, MovementError, draw_round, objections
from overtrick.scoring import Contestant, Method, Ranking
from overtrick.views import SessionView
from overtrick.words import counted


@dataclass(frozen=True, slots=True)
class DrawPair:
    """A pair with its rank and score, as the draw uses them."""

    number: int
    names: str
    rank: str
    """Empty if it has no score yet."""
    score: float
    words: str
    """The score as text, with its unit."""


@dataclass(frozen=True, slots=True)
class SwissField:
    """A Swiss section with its ranking at one moment; later facts do not change it."""

    session: Session
    swiss: SwissSection
    pairs: Mapping[int, DrawPair]
    """By number, in the order of the ranking."""
    method: Method
    average: float
    """The score of a pair without a board: 50 per cent, or 0 points."""
    is_lagging: bool = False
    """True if the ranking leaves out the round in play, so that nobody waits for its last table."""

    @property
    def standing_after(self) -> int:
        """Return the last round that counts in the ranking; 0 before the first."""
        return max(0, self.swiss.number - (2 if self.is_lagging else 1))

    @property
    def unscored(self) -> tuple[MissingBoards, ...]:
        """Return the boards without a result in the rounds that count in the ranking."""
        return tuple(match for match in self.swiss.unscored if match.round <= self.standing_after)

    @property
    def command_id(self) -> str:
        """Return the id of the draw command, the same for all directors, so that only the first of two draws counts.

        It depends on the movement alone: results and deals arrive all the time and must not change it.
        """
        opened, revision = self.session.opened, self.session.movement.revision
        stream = session_stream(opened.session, opened.incarnation)
        return f"swiss-{stream}-{revision}-{self.swiss.section}-{self.swiss.number}"

    def pair(self, number: int) -> DrawPair:
        """Return a pair; a late one has no name and the average score."""
        return self.pairs.get(number) or DrawPair(number, "", "", self.average, "")


def field_of(view: SessionView, section: str, *, is_lagging: bool = False) -> SwissField:
    """Return a Swiss section with its ranking; raise BadInput if the section is not Swiss.

    A lagging ranking leaves out the round before the one that can be drawn, because it is still being played.
    """
    session = view.session
    swiss = swiss_of(session, section)
    if swiss is None:
        raise BadInput(f"Section {section[:3]} is not drawn round by round; nothing was changed.")
    group = session.setup.sections[section].group
    rankings: Sequence[Ranking] = (
        view.scored(group, swiss.number - 2).rankings if is_lagging else view.rankings(group)
    )
    standings = {standing.contestant: standing for ranking in rankings for standing in ranking.standings}
    has_top = any(standing.top for standing in standings.values())
    average = 50.0 if has_top else 0.0
    method = session.setup.groups[group].method
    players = view.players()
    pairs = []
    for number in swiss.everyone:
        contestant = Contestant("" if session.opened.across_field else section, number)
        standing = standings.get(contestant)
        names = " – ".join(player.name for player in players.get(contestant, ()))
        if standing is None:
            pairs.append((float("inf"), DrawPair(number, names, "", average, "")))
            continue
        score = standing.percentage if standing.percentage is not None else standing.points
        words = f"{standing.percentage_text} %" if has_top else f"{standing.points_text} {view.point(group)}"
        pairs.append((standing.rank, DrawPair(number, names, standing.rank_text, score, words)))
    pairs.sort(key=lambda pair: (-pair[1].score, pair[0], pair[1].number))
    by_number = {pair.number: pair for _, pair in pairs}
    return SwissField(session.after(()), swiss, by_number, method, average, is_lagging)


def draw_methods(swiss: SwissSection) -> tuple[DrawMethod, ...]:
    """Return the methods by which the next round can be drawn, the default first."""
    if swiss.number == 1:
        return DrawMethod.NUMBERS, DrawMethod.HALVES, DrawMethod.LOT
    return DrawMethod.STANDING, DrawMethod.LOT


@dataclass(frozen=True, slots=True)
class DrawRequest:
    """The director's choices for a draw."""

    method: DrawMethod
    lot: int
    count: int
    """The total number of pairs; numbers above those of the section are late pairs."""
    out: tuple[int, ...]
    """The pairs that do not play in this round."""
    playing: tuple[int, ...]
    """The pairs that play in it."""
    repeats: bool
    """True if pairs may meet again, and objections to a draw are overruled."""


def draw_request(
    field: SwissField,
    method: DrawMethod,
    *,
    lot: int = 0,
    count: int = 0,
    out: Iterable[int] | None = None,
    repeats: bool = False,
) -> DrawRequest:
    """Return a request; `count` 0 means the pairs of the section, `out` None the pairs that the last round left out."""
    swiss = field.swiss
    everyone, missing = swiss.everyone, field.session.setup.sections[swiss.section].missing_pair
    highest = max(everyone)
    count = count or highest
    if out is None:
        out = (number for number in everyone if number not in swiss.present)
    absent = tuple(out)
    numbers = (*everyone, *range(highest + 1, count + 1))
    playing = tuple(number for number in numbers if number != missing and number not in absent)
    return DrawRequest(method, lot, count, absent, playing, repeats)


def usual_draw(field: SwissField, request: DrawRequest) -> Draw:
    """Return the draw without changes by hand; raise MovementError if there is none."""
    numbers = [number for number in field.pairs if number in request.playing]
    numbers += [number for number in request.playing if number not in field.pairs]
    # Sorting is stable: equal scores keep their order.
    order = sorted(numbers, key=lambda number: -field.pair(number).score)
    standing = {number: field.pair(number).score for number in order}
    return draw_round(request.method, standing, field.swiss.before, lot=request.lot, repeats=request.repeats)


def is_outdated(swiss: SwissSection, usual: Draw) -> bool:
    """Return whether the round on the tables would be drawn differently now, for example after a correction.

    Return False for a round that is not drawn yet or has begun.
    """
    return swiss.is_redraw and not usual.is_same(Draw.parse(swiss.on_tables))


def wanted_draw(
    usual: Draw, request: DrawRequest, text: str = "", swap: tuple[int, int] | None = None
) -> Draw:
    """Return the draw in a text, or else `usual`, with two pairs swapped; raise MovementError if it cannot be
    played.
    """
    draw = Draw.parse(text) if text else usual
    if swap is not None:
        first, second = swap
        if first == second:
            raise MovementError(f"Pair {first} cannot be swapped with itself.")
        draw = draw.swapped(first, second)
    draw.check(request.playing)
    return draw


@dataclass(frozen=True, slots=True)
class DrawPreview:
    """The draw that a director saw and confirms."""

    round: int
    on_tables: str
    """The matches of that round on the tables at that time; empty if it was not drawn."""
    usual: str
    """The draw without changes by hand."""
    draw: str
    """The draw to send; empty for `usual`."""
    swap: tuple[int, int] | None = None
    is_early: bool = False
    """True if the round is drawn although results are missing."""


def require_same_round(swiss: SwissSection, preview: DrawPreview) -> None:
    """Raise StalePreview if another round is to be drawn than the preview shows, or its matches have changed."""
    if preview.round != swiss.number or not swiss.can_draw or preview.on_tables != swiss.on_tables:
        raise StalePreview(
            f"Round {swiss.last} on the tables has changed since you looked. Nothing was changed; look again."
        )


def confirmed_draw(field: SwissField, request: DrawRequest, preview: DrawPreview) -> Draw:
    """Return the draw to send; raise StalePreview if the state changed since, BadInput if something is not allowed."""
    swiss = field.swiss
    require_same_round(swiss, preview)
    try:
        usual = usual_draw(field, request)
        draw = wanted_draw(usual, request, preview.draw, preview.swap)
    except MovementError as error:
        raise BadInput(f"{error} Nothing was changed.") from error
    if preview.usual != str(usual):
        raise StalePreview(
            "The ranking has changed since you looked, and other pairs would meet. Nothing was changed; "
            "look at the draw again."
        )
    if field.unscored and not preview.is_early:
        missing = sum(len(match.boards) for match in field.unscored)
        raise BadInput(
            f"{counted(missing, 'result')} of earlier rounds {'is' if missing == 1 else 'are'} missing. Nothing was "
            "changed; choose to draw without the missing results, or wait."
        )
    complaints = objections(draw, swiss.before)
    if complaints and not request.repeats:
        raise BadInput(f"{' '.join(complaints)} Nothing was changed; confirm that you want this draw anyway.")
    return draw
