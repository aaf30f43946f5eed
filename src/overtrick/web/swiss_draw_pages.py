"""The preview of the next Swiss round, and its forms.

`overtrick.directing.draws` makes the draw. A confirmed draw is exactly the one that was previewed, and is saved once
even if the form is sent twice.
"""

import asyncio
import re
from secrets import randbelow

from starlette.requests import Request
from starlette.responses import Response

from overtrick.digits import parse_digits
from overtrick.directing.draws import (
    DrawPreview,
    DrawRequest,
    SwissField,
    confirmed_draw,
    draw_methods,
    draw_request,
    field_of,
    is_outdated,
    require_same_round,
    usual_draw,
    wanted_draw,
)
from overtrick.directing.previews import StalePreview
from overtrick.directing.swiss import draw_command, length_command
from overtrick.directing.wrong_opponents import swap_opponents
from overtrick.errors import BadInput
from overtrick.movements import Draw, DrawMethod, MovementError, objections
from overtrick.web.forms import Form, read_count, read_number
from overtrick.web.session_setup import FIRST_ROUNDS, KINDS, METHOD_WORDS, MOST_ROUNDS
from overtrick.web.site import Site
from overtrick.words import counted

MOST_LOTS = 1_000_000
MOST_PAIRS = KINDS["swiss"].most
LONGEST_DRAW = 2_000
"""The limit on a typed draw, in characters."""
DRAW_METHOD_WORDS = {DrawMethod.STANDING: "By ranking", **FIRST_ROUNDS}
"""The labels of the methods to draw a round."""


def read_request(field: SwissField, form: Form) -> DrawRequest:
    """Parse the options of a draw; missing fields get default values. Raise BadInput if one is invalid."""
    methods = {method.value: method for method in draw_methods(field.swiss)}
    method = methods.get(form.get("way") or next(iter(methods)))
    if method is None:
        raise BadInput("Choose how to draw the round. Nothing was changed.")
    lot = count = 0
    if method is DrawMethod.LOT:
        lot = read_number(form, "lot", 1, MOST_LOTS, "random draw number") if form.get("lot") else new_lot()
    if form.get("pairs"):
        highest = max(field.swiss.everyone)
        count = read_count(form, "pairs", highest, max(MOST_PAIRS, highest), "pairs")
    not_playing = None
    if "out" in form:
        typed = form["out"][:LONGEST_DRAW]
        numbers = [parse_digits(word, 4) for word in re.split(r"[\s,;]+", typed) if word]
        not_playing = [number for number in numbers if number is not None]
        if len(not_playing) < len(numbers):
            raise BadInput("Enter the pairs not playing by number, such as 7, 12. Nothing was changed.")
    return draw_request(
        field, method, lot=lot, count=count, out=not_playing, repeats=bool(form.get("repeats"))
    )


def read_swap(form: Form) -> tuple[int, int] | None:
    """Return the two pairs that a form swaps; None if it swaps none."""
    if not (form.get("swap") and form.get("with")):
        return None
    return read_number(form, "swap", 1, 9_999, "pair"), read_number(form, "with", 1, 9_999, "pair")


def new_lot() -> int:
    """Return a random number of four digits, which identifies a random draw."""
    return 1000 + randbelow(9000)


class SwissDrawPages:
    """The pages that preview, change and confirm the draw of a Swiss round."""

    def __init__(self, site: Site) -> None:
        self.site = site

    async def preview(self, request: Request) -> Response:
        """Show the draw that a form would make, or the problem with it."""
        guid = request.path_params["session"]
        form = dict(request.query_params)
        field = await self._field(guid, form)
        swiss = field.swiss
        if not swiss.can_draw:
            raise BadInput(
                f"All {swiss.planned} rounds of section {swiss.section} are drawn. Add rounds first."
            )
        draw_options, swap = read_request(field, form), read_swap(form)
        usual: Draw | None = None
        draw: Draw | None = None
        problem = ""
        try:
            usual = await asyncio.to_thread(usual_draw, field, draw_options)
            draw = usual  # shown if the typed draw is invalid
            draw = wanted_draw(usual, draw_options, form.get("draw", "")[:LONGEST_DRAW], swap)
        except MovementError as error:
            problem = str(error)
        return self.site.page(
            request,
            "draw.html",
            guid=guid,
            field=field,
            swiss=swiss,
            options=draw_options,
            ways={way: DRAW_METHOD_WORDS[way] for way in draw_methods(swiss)},
            scoring=METHOD_WORDS.get(field.method, field.method.value),
            other_lot=new_lot(),
            usual=usual,
            draw=draw,
            stations=draw.stations(swiss.number, swiss.boards[swiss.number - 1]) if draw else (),
            objections=objections(draw, swiss.before) if draw else [],
            problem=problem,
            on_tables=swiss.on_tables,
            is_outdated=usual is not None and is_outdated(swiss, usual),
            most_pairs=max(MOST_PAIRS, draw_options.count),
        )

    async def draw(self, request: Request, form: Form) -> str:
        """Save a previewed draw and return the message; raise StalePreview if another draw was saved meanwhile."""
        guid = request.path_params["session"]
        field = await self._field(guid, form)
        swiss = field.swiss
        number = read_number(form, "round", 1, 999, "round")
        if number <= swiss.last and form.get("draw") == swiss.line(number):
            return f"Round {number} is already at the tables like this."
        preview = DrawPreview(
            number,
            form.get("was", ""),
            form.get("usual", ""),
            form.get("draw", "")[:LONGEST_DRAW],
            read_swap(form),
            is_early=bool(form.get("early")),
        )
        require_same_round(swiss, preview)  # first, because the ways to draw depend on the round
        draw_options = read_request(field, form)
        draw = await asyncio.to_thread(confirmed_draw, field, draw_options, preview)
        command = draw_command(field.session, swiss, draw, draw_options.lot)
        answer = await self.site.do(command, command_id=field.command_id)
        if answer.again and (await self._field(guid, form)).swiss.line(number) != str(draw):
            raise StalePreview(
                f"Round {number} was drawn differently in the meantime. Nothing was changed. Check the draw again."
            )
        return f"Round {number} is at the tables."

    async def set_rounds(self, request: Request, form: Form) -> str:
        """Change the number of rounds; return the message."""
        field = await self._field(request.path_params["session"], form)
        swiss = field.swiss
        least, most = swiss.last, max(MOST_ROUNDS, swiss.planned)
        rounds = read_count(form, "rounds", least, most, "rounds")
        answer = await self.site.do(length_command(field.session, swiss, rounds), command_id=form["command"])
        if not answer.spans:
            return "No change."
        return f"Section {swiss.section} plays {counted(rounds, 'round')}."

    async def swap_opponents(self, request: Request, form: Form) -> str:
        """Swap two pairs that sat in each other's places; return the message."""
        field = await self._field(request.path_params["session"], form)
        number = read_number(form, "round", 1, 999, "round")
        pairs = read_swap(form)
        if pairs is None:
            raise BadInput("Choose the two pairs that sat in each other's places. Nothing was changed.")
        command = swap_opponents(field.session, field.swiss, number, *pairs)
        await self.site.do(command, command_id=form["command"])
        return f"Pairs {pairs[0]} and {pairs[1]} have changed places in round {number}. All results are kept."

    async def _field(self, guid: str, form: Form) -> SwissField:
        section = form.get("section", "A")[:3]
        is_lagging = bool(form.get("lagging"))
        return await self.site.live.read(
            guid, lambda projection: field_of(projection.view, section, is_lagging=is_lagging)
        )
