"""The page on which a director looks at the next Swiss round before it goes to the tables, and the keys beneath it.

Nothing is drawn by looking. What is sent is what was seen, all of it, and once however often the key is pressed.
"""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from secrets import randbelow

from starlette.requests import Request
from starlette.responses import Response

from overtrick.digits import parse_digits
from overtrick.errors import BadInput
from overtrick.event import Session
from overtrick.movements import Draw, MovementError, Way, draw_round, objections
from overtrick.scoring import Contestant
from overtrick.web.forms import Form, Overtaken, number_of
from overtrick.web.live import Sight
from overtrick.web.setting_up import FIRST_ROUNDS, KINDS, METHOD_WORDS, MOST_ROUNDS
from overtrick.web.site import Site
from overtrick.web.swiss import SwissSection, draw_command, length_command, swiss_of
from overtrick.words import counted

MOST_LOTS = 1_000_000
MOST_PAIRS = KINDS["swiss"].most
LONGEST_DRAW = 2_000
"""Characters."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A pair as the draw sees it."""

    number: int
    names: str
    rank: str
    """Empty where nothing of it is scored yet."""
    score: float
    words: str
    """The score as it is shown."""


@dataclass(frozen=True, slots=True)
class Field:
    """A Swiss section with its standing, at a moment."""

    session: Session
    swiss: SwissSection
    pairs: Mapping[int, Placed]
    """In the order of the standing."""
    scoring: str
    average: float
    """What someone without a board counts as."""
    moment: str
    """Another after every change of the movement, and of nothing else: results and deals come in all the time."""

    def pair(self, number: int) -> Placed:
        """A pair; one that has just come has nothing yet."""
        return self.pairs.get(number) or Placed(number, "", "", self.average, "")


def field_of(sight: Sight, section: str) -> Field:
    """A Swiss section as it stands."""
    view = sight.view
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
            pairs.append((float("inf"), Placed(number, names, "", average, "")))
            continue
        score = standing.percentage if standing.percentage is not None else standing.points
        words = f"{score:.2f} %" if has_top else f"{score:.2f} {method.point}"
        pairs.append((standing.rank, Placed(number, names, standing.rank_text, score, words)))
    pairs.sort(key=lambda pair: (-pair[1].score, pair[0], pair[1].number))
    return Field(
        session.after(()),
        swiss,
        {pair.number: pair for _, pair in pairs},
        METHOD_WORDS.get(method, method.value),
        average,
        f"{sight.stream}-{session.movement.revision}",
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """How a form wants the next round to be drawn."""

    way: Way
    lot: int
    count: int
    """How many pairs there are in all; more than before have come late."""
    out: tuple[int, ...]
    """Who does not play in this round."""
    playing: tuple[int, ...]
    repeats: bool
    """Whether what speaks against a draw is allowed."""


def read_asked(field: Field, form: Form) -> Asked:
    """How a form wants the next round to be drawn; what it does not say is as usual."""
    swiss = field.swiss
    ways = {way.value: way for way in ways_of(swiss)}
    way = ways.get(form.get("way") or next(iter(ways)))
    if way is None:
        raise BadInput("The form does not say how the round is drawn; nothing was changed.")
    lot = 0
    if way is Way.LOT:
        lot = number_of(form, "lot", 1, MOST_LOTS, "The lot") if form.get("lot") else new_lot()
    everyone, missing = swiss.everyone, field.session.setup.sections[swiss.section].missing_pair
    highest = max(everyone)
    count = highest
    if form.get("pairs"):
        count = number_of(form, "pairs", highest, max(MOST_PAIRS, highest), "The number of pairs")
    known = [number for number in (*everyone, *range(highest + 1, count + 1)) if number != missing]
    out = tuple(number for number in everyone if number not in swiss.present)
    if "out" in form:
        text = form["out"][:LONGEST_DRAW]
        numbers = [parse_digits(word, 4) for word in re.split(r"[\s,;]+", text) if word]
        out = tuple(number for number in numbers if number is not None)
        if len(out) < len(numbers):
            raise BadInput("Who does not play is said by number, as 7, 12; nothing was changed.")
    return Asked(
        way,
        lot,
        count,
        out,
        tuple(number for number in known if number not in out),
        bool(form.get("repeats")),
    )


def ways_of(swiss: SwissSection) -> dict[Way, str]:
    """How the round can be drawn, the usual way first."""
    if swiss.number == 1:
        return FIRST_ROUNDS
    return {Way.STANDING: "by the standing", Way.LOT: "by lot"}


def new_lot() -> int:
    """A lot that nobody chose."""
    return 1000 + randbelow(9000)


def usual_draw(field: Field, asked: Asked) -> Draw:
    """The round as it is drawn without a hand in it; MovementError says why it cannot be."""
    listed = [number for number in field.pairs if number in asked.playing]
    listed += [number for number in asked.playing if number not in field.pairs]
    order = sorted(listed, key=lambda number: -field.pair(number).score)  # equals stay in their order
    standing = {number: field.pair(number).score for number in order}
    return draw_round(asked.way, standing, field.swiss.before, lot=asked.lot, repeats=asked.repeats)


def wanted_draw(usual: Draw, asked: Asked, form: Form) -> Draw:
    """The draw that a form says, where it says one, with the two pairs swapped that it names."""
    text = form.get("draw", "")
    draw = Draw.parse(text[:LONGEST_DRAW]) if text else usual
    if form.get("swap") and form.get("with"):
        one, other = (number_of(form, name, 1, 9_999, "The pair") for name in ("swap", "with"))
        if one == other:
            raise MovementError(f"Pair {one} cannot be swapped with itself.")
        draw = draw.swapped(one, other)
    draw.check(asked.playing)
    return draw


class DrawPages:
    """The draw of a Swiss round: looked at, changed, and sent to the tables."""

    def __init__(self, site: Site) -> None:
        self.site = site

    async def preview(self, request: Request) -> Response:
        """Who would meet whom; nothing is drawn yet."""
        guid = request.path_params["session"]
        form = dict(request.query_params)
        field = await self._field(guid, form)
        swiss = field.swiss
        if not swiss.can_draw:
            raise BadInput(
                f"All {swiss.planned} rounds of section {swiss.section} are drawn; give it more rounds first."
            )
        asked = read_asked(field, form)
        usual: Draw | None = None
        draw: Draw | None = None
        problem = ""
        try:
            usual = await asyncio.to_thread(usual_draw, field, asked)
            draw = usual  # what was typed may make no sense, and then this is shown
            draw = wanted_draw(usual, asked, form)
        except MovementError as error:
            problem = str(error)
        return self.site.page(
            request,
            "draw.html",
            guid=guid,
            field=field,
            swiss=swiss,
            asked=asked,
            ways=ways_of(swiss),
            other_lot=new_lot(),
            usual=usual,
            draw=draw,
            stations=draw.stations(swiss.number, swiss.boards[swiss.number - 1]) if draw else (),
            against=objections(draw, swiss.before) if draw else [],
            problem=problem,
            on_tables=_on_tables(swiss),
            most_pairs=max(MOST_PAIRS, asked.count),
        )

    async def draw(self, request: Request, form: Form) -> str:
        """Send a round to the tables, as it was seen."""
        guid = request.path_params["session"]
        field = await self._field(guid, form)
        swiss = field.swiss
        number = number_of(form, "round", 1, 999, "The round")
        if number <= swiss.last and form.get("draw") == _written(swiss, number):
            return f"Round {number} is on the tables so already."
        if number != swiss.number or not swiss.can_draw or form.get("was", "") != _on_tables(swiss):
            raise Overtaken(
                f"Meanwhile round {swiss.last} is on the tables, other than you saw; nothing was changed. Look again."
            )
        asked = read_asked(field, form)
        try:
            usual = await asyncio.to_thread(usual_draw, field, asked)
            draw = wanted_draw(usual, asked, form)
        except MovementError as error:
            raise BadInput(f"{error} Nothing was changed.") from error
        if form.get("usual", "") != str(usual):
            raise Overtaken(
                "Meanwhile the standing is another, and others would meet than you saw; nothing was changed. "
                "Look at the draw again."
            )
        _allow(swiss, draw, form)
        # Of two directors at the same moment the first counts; the other is told.
        answer = await self.site.do(
            draw_command(field.session, swiss, draw, asked.lot),
            command_id=f"swiss-{field.moment}-{swiss.section}-{number}",
        )
        if answer.again and _written((await self._field(guid, form)).swiss, number) != str(draw):
            raise Overtaken(f"Meanwhile round {number} was drawn otherwise; nothing was changed. Look again.")
        return f"Round {number} is on the tables."

    async def set_rounds(self, request: Request, form: Form) -> str:
        """Play more rounds, or fewer."""
        field = await self._field(request.path_params["session"], form)
        swiss = field.swiss
        least, most = swiss.last, max(MOST_ROUNDS, swiss.planned)
        rounds = number_of(form, "rounds", least, most, "The number of rounds")
        answer = await self.site.do(length_command(field.session, swiss, rounds), command_id=form["command"])
        if not answer.spans:
            return "It was so already."
        return f"Section {swiss.section} plays {counted(rounds, 'round')}."

    async def _field(self, guid: str, form: Form) -> Field:
        section = form.get("section", "A")[:3]
        return await self.site.live.look(guid, lambda sight: field_of(sight, section))


def _allow(swiss: SwissSection, draw: Draw, form: Form) -> None:
    """What the director has to have said before a round goes to the tables."""
    if swiss.unscored and not form.get("early"):
        missing = sum(len(each.boards) for each in swiss.unscored)
        raise BadInput(
            f"{counted(missing, 'result')} of the rounds before {'is' if missing == 1 else 'are'} missing; nothing was "
            "changed. Say that the round is drawn without them, or wait."
        )
    against = objections(draw, swiss.before)
    if against and not form.get("repeats"):
        raise BadInput(f"{' '.join(against)} Nothing was changed; say that it is to be so all the same.")


def _written(swiss: SwissSection, number: int) -> str:
    """A round that is drawn, as a line."""
    played = swiss.drawn.matches[number - 1]
    waiting = [max(match) for match in played if not all(match)]
    return str(Draw(tuple(match for match in played if all(match)), waiting[0] if waiting else 0))


def _on_tables(swiss: SwissSection) -> str:
    """The round as it is on the tables; empty where it is not drawn yet."""
    return _written(swiss, swiss.number) if swiss.is_again else ""
