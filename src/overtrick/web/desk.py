"""The director's desk: the list of sessions, the tabs of a session, and the forms that change it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from urllib.parse import urlencode

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from overtrick.control.entries import confirm_or_refuse
from overtrick.control.pins import pins_in_words
from overtrick.digits import parse_digits
from overtrick.directing.late_pairs import likeliest_change, open_round
from overtrick.directing.previews import preview_of, session_after
from overtrick.directing.section_restore import restore_section
from overtrick.errors import BadInput
from overtrick.event import Session, SessionTransaction
from overtrick.event.calls import AnswerCall, CallStatus
from overtrick.event.filing import CURRENT, Stage
from overtrick.event.movement import SetMovement
from overtrick.event.setup import SetStatus, Status
from overtrick.event.tables import LogOff, ResetTable
from overtrick.store.sessions import SessionLine
from overtrick.views import board_monitor, missing_results
from overtrick.web import forms, ruling_forms, view_models
from overtrick.web.clock_pages import clock_command
from overtrick.web.desk_tabs import QUERY, TAB_GROUPS, TABS, DeskTab, still_open, tab_regions
from overtrick.web.hands_import import NotConfirmed, read_hands
from overtrick.web.known_players import KnownPlayers
from overtrick.web.login import (
    ALREADY_DONE,
    MOST_FIELDS,
    LoginPages,
    local_path,
    read_director_form,
    read_form,
)
from overtrick.web.movement_options import MOST_BOARDS_A_ROUND, MOST_COPIES
from overtrick.web.ruling_forms import MATCH_KINDS
from overtrick.web.ruling_pages import FormFields, RulingPages
from overtrick.web.ruling_view_models import VERSION_WORDS, ruling_choices
from overtrick.web.session_edit_pages import SessionEditPages, naming_command
from overtrick.web.session_list import listed_sessions
from overtrick.web.session_projection import NotFound, Regions, SessionProjection
from overtrick.web.session_setup import KINDS, movement_choices, movement_sheet, read_missing, read_movement
from overtrick.web.session_setup_pages import SessionSetupPages
from overtrick.web.site import CommandRefused, Site, wants_json
from overtrick.web.sse_response import EventStream
from overtrick.web.swiss_draw_pages import SwissDrawPages
from overtrick.web.table_cards import TableCardPages
from overtrick.web.terminal_settings import settings_command
from overtrick.words import counted

MOST_SEATS = 40_000
"""The maximum number of fields in the form of names: four for each seat, with the hidden one."""
SHOWN_AGAIN = frozenset({"result", "move", "penalty", "fouled", "standing", "match", "rules", "provisional"})
"""Forms that are shown again with their input when they are refused."""


@dataclass(frozen=True, slots=True)
class DeskList:
    """A list of sessions at the desk."""

    key: str
    """Its value in addresses."""
    title: str
    stages: frozenset[Stage]
    empty_sentence: str

    @property
    def is_bin(self) -> bool:
        """True for the bin."""
        return Stage.BINNED in self.stages


LISTS = {
    desk_list.key: desk_list
    for desk_list in (
        DeskList("", "Current", CURRENT, "No current sessions."),
        DeskList("planned", "Planned", frozenset({Stage.PLANNED}), "No session is planned."),
        DeskList("running", "Running", frozenset({Stage.RUNNING}), "No session is running."),
        DeskList("finished", "Finished", frozenset({Stage.FINISHED}), "No session has finished."),
        DeskList("archived", "Archived", frozenset({Stage.ARCHIVED}), "No session is archived."),
        DeskList("bin", "Bin", frozenset({Stage.BINNED}), "The bin is empty."),
    )
}
"""The lists of sessions at the desk, by their values in addresses."""


class DeskPages:
    """The director's pages."""

    def __init__(self, site: Site, known: KnownPlayers) -> None:
        self.site = site
        self.known_players = known
        self.login_pages = LoginPages(site)
        self.cards = TableCardPages(site)
        self.draws = SwissDrawPages(site)
        self.rulings = RulingPages(site)
        self.edits = SessionEditPages(site)

    def routes(self) -> list[Route]:
        """Return the routes of the desk."""
        handlers: dict[str, Callable[[Request, forms.Form], Awaitable[str]]] = {
            "result": self.save_result,
            "call": self.answer_call,
            "held": self.settle_held,
            "table": self.control_terminal,
            "players": self.seat_players,
            "settings": self.save_settings,
            "session": self.change_session,
            "scoring": self.edits.set_scoring,
            "filing": self.edits.file_session,
            "movement": self.change_movement,
            "missing": self.set_missing,
            "restore": self.restore_section,
            "draw": self.draws.draw,
            "rounds": self.draws.set_rounds,
            "opponents": self.draws.swap_opponents,
            "clock": self.set_clock,
            "move": self.rulings.move_result,
            "penalty": self.rulings.adjust_score,
            "withdraw": self.rulings.withdraw_adjustment,
            "fouled": self.rulings.foul_board,
            "standing": self.rulings.set_standing,
            "match": self.rulings.rule_match,
            "rules": self.rulings.choose_rules,
            "provisional": self.rulings.set_correction_period,
        }
        return [
            Route("/desk", self.login_pages.guarded(self.home)),
            Route("/desk/pipe/disconnect", self.disconnect_program, methods=["POST"]),
            *self.login_pages.routes(),
            *self.cards.routes(),
            *SessionSetupPages(self.site, self.login_pages).routes(),
            *(
                Route(f"/t{number}", self.login_pages.guarded(partial(self.shortcut, name)))
                for number, name in enumerate(list(TABS)[:5], 1)
            ),
            Route("/desk/{session}", self.login_pages.guarded(self.first_tab)),
            Route("/desk/{session}/result", self.login_pages.guarded(self.rulings.result_form)),
            Route("/desk/{session}/end", self.login_pages.guarded(self.end_question)),
            Route("/desk/{session}/edit", self.login_pages.guarded(self.edits.page)),
            Route("/desk/{session}/movement/preview", self.login_pages.guarded(self.movement_preview)),
            Route("/desk/{session}/movement/draw", self.login_pages.guarded(self.draws.preview)),
            Route("/desk/{session}/{tab}", self.login_pages.guarded(self.tab)),
            Route("/desk/{session}/{tab}/stream", self.login_pages.guarded(self.tab_stream)),
            Route("/desk/{session}/act/hands", self.import_hands, methods=["POST"]),
            *(
                Route(
                    f"/desk/{{session}}/act/{name}", partial(self.carry_out, name, handler), methods=["POST"]
                )
                for name, handler in handlers.items()
            ),
        ]

    # Pages ------------------------------------------------------------------------------------------------------

    async def home(self, request: Request) -> Response:
        """Show the list of sessions: those that are not archived, or those of one stage."""
        desk_list = LISTS.get(request.query_params.get("show", ""), LISTS[""])
        query = {"show": desk_list.key} if desk_list.key else {}
        page = await listed_sessions(self.site, request, desk_list.stages, query)
        events: dict[str, list[SessionLine]] = {}
        for line in page.lines:
            events.setdefault(line.event, []).append(line)
        pipe, program = self.site.pipe, self.site.program
        return self.site.page(
            request,
            "desk_home.html",
            events=events,
            page=page,
            desk_list=desk_list,
            lists=LISTS.values(),
            has_password=self.site.keys.has_password,
            phones=program.phones if program is not None else None,
            has_pipe=pipe is not None,
            program=pipe.connected() if pipe is not None else None,
        )

    async def disconnect_program(self, request: Request) -> Response:
        """Disconnect the scoring program from the pipe, so that another can connect; raise BadInput if none is."""
        form = await read_form(request)
        self.site.access.check_form(request, form.get("token", ""))
        if self.site.pipe is None or not await asyncio.to_thread(self.site.pipe.disconnect):
            raise BadInput("No scoring program is connected to the pipe.")
        return RedirectResponse("/desk", 303)

    async def shortcut(self, name: str, request: Request) -> Response:
        """Redirect to a tab of the session that changed last, or to the desk if there is no session."""
        current = await self.site.live.current()
        return RedirectResponse(f"/desk/{current.session}/{name}" if current else "/desk", 303)

    async def first_tab(self, request: Request) -> Response:
        """Redirect to the session's first tab."""
        return RedirectResponse(f"/desk/{request.path_params['session']}/results", 303)

    async def tab(self, request: Request) -> Response:
        """Show a tab of a session."""
        tab, query = _tab(request)
        return await self._show_tab(request, tab, query)

    async def _show_tab(
        self,
        request: Request,
        tab: DeskTab,
        query: dict[str, str],
        status: int = 200,
        /,
        **failed: object,
    ) -> Response:
        guid = request.path_params["session"]

        def read(projection: SessionProjection) -> tuple[Session, int, Regions, dict[str, object]]:
            variables: dict[str, object] = {}
            if tab.name == "rulings":
                variables = {"forms": ruling_choices(projection.view, query)}
            return projection.view.session, projection.version, tab_regions(tab, query, projection), variables

        session, version, regions, variables = await self.site.live.read(guid, read)
        if tab.name == "results":
            variables = {"wanted": view_models.ResultFilter.read(query), "sorts": view_models.SORTS}
        elif tab.name == "cards":
            for_pairs = request.query_params.get("for") == "pairs"
            draw_cards = self.cards.pair_cards if for_pairs else self.cards.cards
            variables = {
                "for_pairs": for_pairs,
                # Drawing hundreds of QR codes takes seconds: do not block the event loop.
                "cards": await asyncio.to_thread(draw_cards, request, await self._session(request)),
                "is_open": self.site.is_reachable(request),
                "join": f"{self.site.address_for(request)}/join",
            }
        elif tab.name == "settings":
            variables = {"pins": pins_in_words(session, self.site.keys)}
        elif tab.name == "rulings":
            variables |= {
                "version_words": VERSION_WORDS,
                "match_kinds": MATCH_KINDS,
                "no_input": FormFields(),
            }
            variables |= {"failed": "", "typed_form": FormFields(), "problem": "", **failed}
        stream_query = urlencode({**query, "after": version})
        return self.site.page(
            request,
            f"desk_{tab.name}.html",
            status,
            tab=tab,
            groups=TAB_GROUPS,
            session=session,
            guid=guid,
            regions=regions,
            stream=f"/desk/{guid}/{tab.name}/stream?{stream_query}",
            **variables,
        )

    async def tab_stream(self, request: Request) -> Response:
        """Stream the changes of a tab while the request is the director's."""
        tab, query = _tab(request)
        guid = request.path_params["session"]
        page = f"{tab.name}?{urlencode(sorted(query.items()))}"
        follow = partial(self.site.live.follow, guid, page, partial(tab_regions, tab, query))
        return EventStream(follow).while_allowed(partial(self.site.access.is_director, request))

    # Forms ------------------------------------------------------------------------------------------------------

    async def carry_out(
        self, name: str, handler: Callable[[Request, forms.Form], Awaitable[str]], request: Request
    ) -> Response:
        """Carry out a form with its handler, once; answer with a message (JSON) or a redirect.

        A refused form raises BadInput or CommandRefused; one of `SHOWN_AGAIN` sent without scripts is shown again.
        """
        form = await read_director_form(self.site, request, MOST_SEATS if name == "players" else MOST_FIELDS)
        if await self.site.was_done(form["command"]):
            return self._done(request, form, ALREADY_DONE)
        try:
            return self._done(request, form, await handler(request, form))
        except (BadInput, CommandRefused) as error:
            if wants_json(request) or name not in SHOWN_AGAIN:
                raise
            return await self._show_refused(request, name, form, error)

    async def _show_refused(
        self, request: Request, name: str, form: forms.Form, error: BadInput | CommandRefused
    ) -> Response:
        """Show a refused form again with its input and the problem."""
        status = error.status if isinstance(error, CommandRefused) else 400
        if name in ("result", "move"):
            return await self.rulings.page(request, {**form, "as": form.get("as", name)}, status, str(error))
        query = {"board": form["board"]} if name == "fouled" and "board" in form else {}
        failed = f"rules-{form.get('group', '')}" if name == "rules" else name
        return await self._show_tab(
            request,
            TABS["rulings"],
            query,
            status,
            failed=failed,
            typed_form=FormFields(form),
            problem=str(error),
        )

    def _done(self, request: Request, form: forms.Form, sentence: str) -> Response:
        if wants_json(request):
            return JSONResponse({"sentence": sentence})
        back = local_path(form.get("back", ""), f"/desk/{request.path_params['session']}/results")
        return RedirectResponse(back, 303)

    async def _session(self, request: Request) -> Session:
        return await self.site.live.read(
            request.path_params["session"], lambda projection: projection.view.session.after(())
        )

    async def save_result(self, request: Request, form: forms.Form) -> str:
        """Enter, correct, erase or judge a result."""
        command = ruling_forms.result_command(await self._session(request), form, self.site.now())
        answer = await self.site.do(command, command_id=form["command"])
        if not answer.spans:
            return "No change."
        words = {
            "erase": "Erased.",
            "confirm": "Confirmed.",
            "suspect": "Marked as suspicious.",
            "pending": "Ruling pending.",
        }
        return words.get(form.get("do", ""), "Saved.")

    async def answer_call(self, request: Request, form: forms.Form) -> str:
        """Set the status of a director call."""
        status = {member.value: member for member in CallStatus}.get(form.get("status", ""))
        if status is None:
            raise BadInput("Choose a status for the call. Nothing was changed.")
        call = AnswerCall(request.path_params["session"], form.get("call", "")[:100], status, self.site.now())
        await self.site.do(call, command_id=form["command"])
        return f"Call {status.value}."

    async def settle_held(self, request: Request, form: forms.Form) -> str:
        """Confirm or refuse the entries of a board that a table made without the director's PIN."""
        section, *numbers = form.get("place", "")[:40].split("/")
        parsed = [parse_digits(number) for number in numbers]
        if len(parsed) != 3 or None in parsed:
            raise BadInput("The form does not name a board. Nothing was changed.")
        table, number, board = (value or 0 for value in parsed)
        is_confirmed = form.get("do") == "confirm"
        place = section, table, number, board
        command = confirm_or_refuse(await self._session(request), place, is_confirmed=is_confirmed)
        await self.site.do(command, command_id=form["command"])
        return "Confirmed." if is_confirmed else "Refused."

    async def control_terminal(self, request: Request, form: forms.Form) -> str:
        """Log off a table's terminal, or reset it to its first screen."""
        guid, now = request.path_params["session"], self.site.now()
        section = form.get("section", "")[:3]
        table = forms.read_number(form, "table", 1, 9_999, "table")
        if form.get("do") == "logoff":
            await self.site.do(LogOff(guid, section, table, now), command_id=form["command"])
            return f"Table {section}{table} logged off."
        await self.site.do(ResetTable(guid, section, table, now), command_id=form["command"])
        return f"Table {section}{table} reset."

    async def seat_players(self, request: Request, form: forms.Form) -> str:
        """Name players; numbers of known players are looked up, and so are names of known numbers."""
        seats = forms.changed_seats(form)
        if not seats:
            return "No change."
        players = await self.known_players.complete(seat.player for seat in seats)
        completed = [
            seat if seat.is_complete else replace(seat, player=player)
            for seat, player in zip(seats, players, strict=True)
        ]
        session = await self._session(request)
        await self.site.do(forms.seats_command(session, completed), command_id=form["command"])
        return f"{counted(len(seats), 'seat')} saved."

    async def save_settings(self, request: Request, form: forms.Form) -> str:
        """Save the terminal settings of a section."""
        command = settings_command(await self._session(request), form)
        await self.site.do(command, command_id=form["command"])
        return "Settings saved."

    async def end_question(self, request: Request) -> Response:
        """Ask before the session ends: show the missing results and what else is open."""
        guid = request.path_params["session"]

        def read(projection: SessionProjection) -> dict[str, object]:
            view = projection.view
            return {
                "session": view.session,
                "lines": view_models.missing_lines(view.session),
                "hidden": len(board_monitor(view)) - len(view_models.complete_boards(view)),
                "still_open": still_open(view.session),
            }

        return self.site.page(request, "end.html", guid=guid, **await self.site.live.read(guid, read))

    async def change_session(self, request: Request, form: forms.Form) -> str:
        """Set the status, or name and date; raise BadInput if other results are missing than the end page showed."""
        guid = request.path_params["session"]
        status = {member.value: member for member in Status}.get(form.get("status", ""))
        if status is not None:
            missing = len(missing_results(await self._session(request)))
            if status is Status.FINISHED and form.get("missing", "0") != str(missing):
                raise BadInput(
                    f"{counted(missing, 'result')} {'is' if missing == 1 else 'are'} missing, not the number you saw. "
                    "The session was not ended. Check what is missing and try again."
                )
            await self.site.do(SetStatus(guid, status), command_id=form["command"])
            return f"Session {status.value}."
        await self.site.do(naming_command(guid, form), command_id=form["command"])
        return "Saved."

    async def set_clock(self, request: Request, form: forms.Form) -> str:
        """Carry out a form of the round clock, such as start, pause or other times."""
        command, sentence = clock_command(await self._session(request), form, self.site.now())
        await self.site.do(command, command_id=form["command"])
        return sentence

    # The movement -----------------------------------------------------------------------------------------------

    async def movement_preview(self, request: Request) -> Response:
        """Show what a new movement, a late pair or a missing pair would change."""
        guid = request.path_params["session"]
        form = dict(request.query_params)
        section = form.get("section", "A")[:3]
        session = await self._session(request)
        own = self.site.own_movements.movements().values()
        pairs, boards, choices, offered = movement_choices(session, section, form, own)
        shown_for = f"{pairs}-{boards}{offered.key}"
        if form.get("for", shown_for) != shown_for:
            # The choice was made from the movements for other numbers.
            form = {name: value for name, value in form.items() if name not in ("choice", "from")}
        is_missing = "missing" in form
        first_open = open_round(session, section)
        if not is_missing and choices:
            place, first = likeliest_change(session, section, choices)
            form = {"choice": str(place), "from": str(first), **form}
        command = (
            read_missing(session, section, form)
            if is_missing
            else read_movement(session, section, form, own)
            if choices
            else None
        )
        preview = preview_of(session, command) if command else None
        choice = 0 if is_missing or not choices else parse_digits(form.get("choice", "")) or 0
        return self.site.page(
            request,
            "preview.html",
            guid=guid,
            session=session,
            section=section,
            pairs=pairs,
            boards=boards,
            choices=choices,
            choice=choice,
            offered=offered,
            shown_for=shown_for,
            form=form,
            most_boards_a_round=MOST_BOARDS_A_ROUND,
            most_copies=MOST_COPIES,
            first=first_open if is_missing else parse_digits(form.get("from", "")) or 1,
            open_round=first_open,
            is_leaving=is_missing and command is not None and bool(command.tables),
            missing=form.get("missing", "") if is_missing else "",
            preview=preview,
            erased=[view_models.erased_words(session, fact) for fact in preview.erased] if preview else [],
            kind=KINDS[session.setup.sections[section].game.value],
            sheet=movement_sheet(command.tables) if command else None,
            sit_outs=view_models.sit_outs(session_after(session, command), section, first_open)
            if is_missing and command
            else [],
        )

    async def change_movement(self, request: Request, form: forms.Form) -> str:
        """Change the movement of a section as previewed."""
        session = await self._session(request)
        own = self.site.own_movements.movements().values()
        return await self._change_movement(read_movement(session, form.get("section", ""), form, own), form)

    async def set_missing(self, request: Request, form: forms.Form) -> str:
        """Set or clear the missing pair of a section."""
        session = await self._session(request)
        return await self._change_movement(read_missing(session, form.get("section", ""), form), form)

    async def restore_section(self, request: Request, form: forms.Form) -> str:
        """Restore a section to its state before tables were removed."""
        section = form.get("section", "")[:3]

        def read(projection: SessionProjection) -> SessionTransaction:
            entries = islice(projection.journal.read(projection.stream, 0), projection.version)
            history = [(entry.command_id, entry.fact) for entry in entries]
            return restore_section(history, projection.view.session, section)

        command = await self.site.live.read(request.path_params["session"], read)
        await self.site.do(command, command_id=form["command"])
        return f"Section {section} restored."

    async def _change_movement(self, command: SetMovement, form: forms.Form) -> str:
        """Change a movement; rejected if it would erase another number of results than the preview showed."""
        shown_erasures = forms.read_number(form, "erases", 0, 999_999, "number of results to erase")
        await self.site.do(replace(command, erases=shown_erasures), command_id=form["command"])
        return f"Movement changed, {counted(shown_erasures, 'result')} erased."

    # Hand records -----------------------------------------------------------------------------------------------

    async def import_hands(self, request: Request) -> Response:
        """Import the deals of a PBN, LIN or DUP file, for one scoring group or for all.

        Ask first if they replace deals, or if boards stay without one; the page that asks keeps the deals.
        """
        async with request.form(max_files=1, max_fields=10) as fields:
            form = {name: value for name, value in fields.items() if isinstance(value, str)}
            self.site.access.check_form(request, form.get("token", ""))
            file = fields.get("file")
            if isinstance(file, UploadFile):
                source, name = await file.read(), (file.filename or "the file")[:80]
            elif form.get("kept"):
                source, name = form["kept"].encode(), "the deals.pbn"
            else:
                raise BadInput("No file was chosen.")
        command_id = f"web-{forms.form_id(form, request.url.path, source)}"
        if await self.site.was_done(command_id):
            return self._done(request, form, ALREADY_DONE)
        session = await self._session(request)
        groups = sorted(session.setup.groups)
        if form.get("group"):
            groups = [forms.read_number(form, "group", 1, 9_999, "scoring group")]
        hands = await asyncio.to_thread(read_hands, session, groups, source, name)
        if hands.questions and not form.get("sure"):
            if wants_json(request):
                raise NotConfirmed(" ".join([*hands.questions, "Nothing was imported."]))
            return self.site.page(
                request,
                "hands_question.html",
                409,
                session=session,
                guid=session.opened.session,
                questions=hands.questions,
                is_replacing=bool(hands.replaced),
                has_results=bool(session.results.standing),
                deals=hands.deals,
                group=form.get("group", ""),
                kept=hands.text,
            )
        await self.site.do(hands.command, command_id=command_id)
        return self._done(request, form, f"{counted(hands.deals, 'deal')} imported.")


def _tab(request: Request) -> tuple[DeskTab, dict[str, str]]:
    tab = TABS.get(request.path_params["tab"])
    if tab is None:
        raise NotFound("The desk has no such tab.")
    return tab, {name: value for name, value in request.query_params.items() if name in QUERY and value}
