"""Changing the set-up of a session before its first result: its values for the form, and the command.

Has no dependency on requests. The session gets a new incarnation under the same guid, so that its addresses and table
codes stay.
"""

from dataclasses import replace

from overtrick.directing.swiss import swiss_of
from overtrick.event import Command, Session, SessionPlan
from overtrick.event.clock import ClockSet, SetTiming
from overtrick.event.further_rankings import PutPlayerDetails, SetFurtherRankings
from overtrick.event.hands import HandRecord
from overtrick.event.movement import TablePlan, table_plans
from overtrick.event.rulings import rules_of
from overtrick.event.seating import Participation
from overtrick.event.settings import SettingsII, SettingsIII
from overtrick.event.state import SetUpAgain
from overtrick.scoring.rules import write_rules
from overtrick.web.forms import Form
from overtrick.web.session_setup import RULE_SET_WORDS, SessionRequest, contestants


def setup_form(session: Session) -> dict[str, str]:
    """Return the values of the set-up form with which a session was set up, as far as its state shows them."""
    opened, movement = session.opened, session.movement
    sections = sorted(
        session.setup.sections.values(), key=lambda section: (len(section.section), section.section)
    )
    if not sections:
        return {"name": opened.name, "day": opened.day.isoformat()}
    first = sections[0]
    is_swiss = swiss_of(session, first.section) is not None
    rounds = movement.rounds(first.section)
    boards = max(
        (
            sum(len(played.boards) for played in table.rounds)
            for table in movement.section(first.section).values()
        ),
        default=0,
    )
    rules = rules_of(session, first.group)
    form = {
        "name": opened.name,
        "day": opened.day.isoformat(),
        "game": "swiss" if is_swiss else first.game.value,
        "sections": str(len(sections)),
        "method": session.setup.groups[first.group].method.value,
        "together": "1" if len({section.group for section in sections}) == 1 else "0",
    }
    if rules.rule_set.name in RULE_SET_WORDS:
        form["rules"] = rules.rule_set.name
    else:
        form["own"] = write_rules(rules.rule_set)
    if rules.pairs_vps:
        form["vps"] = "1"
    if is_swiss:
        # Later rounds of a Swiss get their boards when they are drawn.
        boards_per_round = max(
            len(table.rounds[0].boards) for table in movement.section(first.section).values()
        )
        form |= {"rounds": str(rounds), "each": str(boards_per_round)}
    else:
        form["boards"] = str(boards)
    for number, section in enumerate(sections, start=1):
        form[f"count-{number}"] = str(contestants(session, section.section))
    return form


def chosen_movements(session: Session, request: SessionRequest) -> dict[str, str]:
    """Return the fields of the set-up form that choose the movements which a session has now."""
    fields = {"offered": request.key}
    for number, section in enumerate(request.sections, start=1):
        tables = session.movement.section(section.letters)
        current = {TablePlan(number_of_table, table.rounds) for number_of_table, table in tables.items()}
        for index, choice in enumerate(section.offers):
            planned = table_plans(choice.movement, section.letters)
            if {TablePlan(plan.table, plan.rounds) for plan in planned} == current:
                fields[f"choice-{number}"] = str(index)
    return fields


def again_command(session: Session, plan: SessionPlan, form: Form) -> SetUpAgain:
    """Return the command for another set-up of a session; it keeps names, hands, settings, clock and rankings."""
    opened = session.opened
    guid = opened.session
    settings: dict[str, SettingsII | SettingsIII] = dict(plan.settings)
    second = [(letters, saved) for letters, saved in session.settings.second.items() if letters in settings]
    settings |= {letters: saved for letters, saved in session.settings.third.items() if letters in settings}
    history: list[Command] = [*plan.history]
    if session.clock.setting != ClockSet():
        clock = session.clock.setting
        history.append(SetTiming(guid, clock.board_seconds, clock.move_seconds, clock.warnings))
    further = session.further
    if further.details:
        history.append(
            PutPlayerDetails(guid, tuple(details_set.details for details_set in further.details.values()))
        )
    chosen = further.chosen
    history.append(SetFurtherRankings(guid, chosen.handicap, chosen.strata, chosen.strata_by, chosen.filters))
    return SetUpAgain(
        opened.event,
        replace(
            plan,
            day=plan.day if form.get("day") else opened.day,
            starts=opened.starts,
            shown_in_app=opened.shown_in_app,
            players=tuple(session.seating.players.values()) if form.get("names") else (),
            participations=_seats(session, plan) if form.get("names") else (),
            hand_records=_hands(session, plan),
            settings=(*second, *settings.items()),
            history=tuple(history),
        ),
    )


def _seats(session: Session, plan: SessionPlan) -> tuple[Participation, ...]:
    """Return the players in the starting seats that the new movement has too: nobody has moved yet."""
    rounds = {
        (section.section, table.table): table.rounds[0]
        for section, tables in plan.sections
        for table in tables
        if table.rounds
    }
    return tuple(
        Participation(
            *(section, table, seat, seated.number, seated.first_name, seated.last_name, seated.country)
        )
        for (section, table, number, seat), seated in session.seating.chairs.items()
        if number <= 1 and (section, table) in rounds and rounds[section, table].number(seat)
    )


def _hands(session: Session, plan: SessionPlan) -> tuple[HandRecord, ...]:
    """Return the hand records for the scoring groups of a plan; a new group gets those of the first group."""
    records = session.hands.records
    first = min((group for group, _ in records), default=0)
    numbers = {group for group, _ in records}
    return tuple(
        replace(record, group=group.number)
        for group in plan.groups
        for (number, _), record in records.items()
        if number == (group.number if group.number in numbers else first)
    )
