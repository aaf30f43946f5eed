"""The director's rulings: the forms for one result (a contract, not played or an award, a weighted or split score, a
moved result), penalties, fouled boards, standing, the rule set and the correction period.

Without JavaScript, a form that cannot be saved is shown again with a message and everything that was typed.
"""

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response

from overtrick.bridge import Award, Outcome, PassedOut, Played, Side, Weighted
from overtrick.bridge.outcome import ScoreOnly
from overtrick.event import Command, Session
from overtrick.event.movement import boards_to_play
from overtrick.event.place import Place
from overtrick.event.rulings import RulingNoted
from overtrick.web import ruling_forms, view_models
from overtrick.web.forms import Form
from overtrick.web.ruling_view_models import moment_words
from overtrick.web.session_projection import NotFound, SessionProjection
from overtrick.web.site import Site

NO_RESULT_KINDS = (
    ("NP", "Not played", "Nobody scores. Both pairs have one board fewer."),
    ("Cancelled", "Cancelled", "It was played, but the result does not count, and there is no award."),
    ("Arbitral", "Ruling pending", "The result does not count until you decide."),
    (
        "award",
        "Award",
        "Each side gets a percentage of a top. Exactly 60 (average plus) is at least, exactly 40 (average minus) at "
        "most what the pair has on its other boards.",
    ),
)
"""The choices for a board without a result: value, label, meaning."""


class FormFields(dict[str, str]):
    """The texts of a form's fields by name; a missing field is empty."""

    def __missing__(self, name: str) -> str:
        return ""


class RulingPages:
    """The page with the form for one result, and the actions of the Rulings page; an action returns its message."""

    def __init__(self, site: Site) -> None:
        self.site = site

    async def result_form(self, request: Request) -> Response:
        """Show the form for one result."""
        return await self.page(request, request.query_params)

    async def page(
        self, request: Request, query: Mapping[str, str], status: int = 200, problem: str = ""
    ) -> Response:
        """Show the form for one result; with a problem, also the message and what was typed."""
        guid = request.path_params["session"]
        place = view_models.read_place(query.get("place", ""))

        def read(projection: SessionProjection) -> tuple[view_models.ResultLine | None, Session]:
            line = view_models.result_line(projection.view, place) if place else None
            return line, projection.view.session.after(())

        line, session = await self.site.live.read(guid, read)
        if line is None:
            raise NotFound("This board is not played at this table and round.")
        note = session.rulings.notes.get(line.place)
        mode = query.get("as", "")
        if mode not in ruling_forms.MODES or (mode == "move" and not line.has_result):
            mode = mode_of(line)
        typed = FormFields(current_fields(line, note))
        if problem:
            typed = FormFields(query)
        return self.site.page(
            request,
            "result.html",
            status,
            line=line,
            guid=guid,
            name=session.opened.name,
            mode=mode,
            modes=ruling_forms.MODES,
            typed=typed,
            problem=problem,
            rows=ruling_forms.ROWS,
            no_result_kinds=NO_RESULT_KINDS,
            table_result=note.table_result if note else None,
            targets=move_targets(session, line.place) if mode == "move" else (),
        )

    # Actions ----------------------------------------------------------------------------------------------------

    async def move_result(self, request: Request, form: Form) -> str:
        """Move a result to another board, or turn its direction."""
        command = ruling_forms.move_command(await self._session(request), form, self.site.now())
        return await self._ruled(command, form, "Moved.")

    async def adjust_score(self, request: Request, form: Form) -> str:
        """Give a penalty or a bonus."""
        command = ruling_forms.adjustment_command(await self._session(request), form, self.site.now())
        return await self._ruled(command, form, "Bonus saved." if command.amount > 0 else "Penalty saved.")

    async def withdraw_adjustment(self, request: Request, form: Form) -> str:
        """Withdraw a penalty or a bonus."""
        command = ruling_forms.withdrawal_command(await self._session(request), form, self.site.now())
        return await self._ruled(command, form, "Withdrawn.")

    async def foul_board(self, request: Request, form: Form) -> str:
        """Record which tables played a board with other cards."""
        command = ruling_forms.foul_command(await self._session(request), form)
        return await self._ruled(command, form, f"Board {command.board} saved.")

    async def set_standing(self, request: Request, form: Form) -> str:
        """Set that a pair plays without standing, has withdrawn, or ranks again."""
        command = ruling_forms.status_command(await self._session(request), form)
        return await self._ruled(command, form, "Standing saved.")

    async def rule_match(self, request: Request, form: Form) -> str:
        """Make a team match void, shorten it, or count it as played."""
        command = ruling_forms.match_command(await self._session(request), form)
        return await self._ruled(command, form, "Match saved.")

    async def choose_rules(self, request: Request, form: Form) -> str:
        """Choose the rule set of a scoring group."""
        command = ruling_forms.rules_command(await self._session(request), form)
        return await self._ruled(command, form, f"Scored by the rules of {command.rules.name}.")

    async def set_correction_period(self, request: Request, form: Form) -> str:
        """Set or remove the end of the correction period."""
        command = ruling_forms.period_command(await self._session(request), form, self.site.now())
        if command.until is None:
            return await self._ruled(command, form, "No correction period.")
        return await self._ruled(
            command, form, f"Results are provisional until {moment_words(command.until)}."
        )

    async def _ruled(self, command: Command, form: Form, sentence: str) -> str:
        answer = await self.site.do(command, command_id=form["command"])
        return sentence if answer.spans else "No change."

    async def _session(self, request: Request) -> Session:
        return await self.site.live.read(
            request.path_params["session"], lambda projection: projection.view.session.after(())
        )


def mode_of(line: view_models.ResultLine) -> str:
    """Return the key in MODES of the form that fits a result."""
    if line.outcome_ew is not None:
        outcomes = line.outcome, line.outcome_ew
        return "weighted" if any(isinstance(outcome, Weighted) for outcome in outcomes) else "split"
    if isinstance(line.outcome, Weighted):
        return "weighted"
    is_award = isinstance(line.outcome, Award) or str(line.outcome) in ("NP", "Cancelled", "Arbitral")
    return "award" if is_award else "result"


def current_fields(line: view_models.ResultLine, note: RulingNoted | None) -> Form:
    """Return the fields of all forms for a result, filled with the current result."""
    outcome = line.outcome
    fields = {
        **view_models.contract_parts(outcome),
        "kind": "award"
        if isinstance(outcome, Award)
        else "Pass"
        if isinstance(outcome, PassedOut)
        else "played",
        "lead": line.lead.value if line.lead else "",
        "reason": note.reason if note else "",
        "appeal": note.appeal.value if note else "none",
        "to": f"{line.round}-{line.board}",
        "turned": "1" if line.is_wrong_direction else "",
    }
    if str(outcome) in ("NP", "Cancelled", "Arbitral"):
        fields["kind"] = str(outcome)
    if isinstance(outcome, Award):
        fields |= {"share-ns": str(outcome.ns), "share-ew": str(outcome.ew)}
    for side, side_outcome in ((Side.NS, outcome), (Side.EW, line.outcome_ew or outcome)):
        fields[f"split-{side.value.lower()}"] = _typed_outcome(side_outcome, side)
        if side is Side.NS or line.outcome_ew is not None:
            fields |= _weighted_rows(side_outcome, side, is_split=line.outcome_ew is not None)
    return fields


def _typed_outcome(outcome: Outcome | None, side: Side) -> str:
    if isinstance(outcome, Award):
        return f"{outcome.ns if side is Side.NS else outcome.ew} %"
    return str(outcome or "")


def _weighted_rows(outcome: Outcome | None, side: Side, *, is_split: bool) -> Form:
    """Return the form fields of a weighted score; for another outcome, the result at the table is the first row."""
    name = side.value.lower()
    if isinstance(outcome, Weighted):
        parts = [(str(percent), str(part)) for percent, part in outcome.parts]
    else:
        parts = (
            [("100" if is_split else "", str(outcome))]
            if isinstance(outcome, Played | PassedOut | ScoreOnly)
            else []
        )
    return {
        f"{field}-{name}-{row}": text
        for row, part in enumerate(parts, start=1)
        for field, text in zip(("percent", "result"), part, strict=True)
    }


def move_targets(session: Session, place: Place) -> list[tuple[str, str]]:
    """Return the keys and labels of the boards that a result can be moved to, those of its own round first."""
    section, table, number, _ = place
    targets = []
    for target in sorted(
        boards_to_play(session),
        key=lambda target_place: (target_place[2] != number, target_place[2], target_place[3]),
    ):
        if target[:2] != (section, table):
            continue
        words = f"board {target[3]}" + (f", round {target[2]}" if target[2] != number else "")
        if target == place:
            words += " (as now)"
        elif target in session.results.standing:
            words += " (has a result)"
        targets.append((f"{target[2]}-{target[3]}", words))
    return targets
