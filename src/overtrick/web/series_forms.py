"""Parse the desk's forms of series and further rankings. Has no dependency on requests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import TypeVar

from overtrick.errors import BadInput
from overtrick.event.further_rankings import PutPlayerDetails, SetFurtherRankings
from overtrick.event.session import Session
from overtrick.scoring.more_rankings import Filter, FurtherRankings, HandicapRule, Strata, StrataBy
from overtrick.scoring.player_list import COLUMNS, PlayerList, name_key, parse_figure, read_player_list
from overtrick.scoring.points import to_fraction
from overtrick.scoring.report import ReportPlayer
from overtrick.scoring.series import (
    Combine,
    Counts,
    Ranked,
    Series,
    SeriesSession,
    SplitTies,
    Stage,
    Substitute,
    TiedPlaces,
    parse_series,
    write_series,
)
from overtrick.store.sessions import SessionLine
from overtrick.web.forms import Form, read_count, read_line

E = TypeVar("E", bound=Enum)

MOST_CHOSEN = 150
"""The limit on sessions in a series form, which has a field for each; a form has at most 200 fields."""
RANKING, FINAL = "Ranking", "Final"
"""The stages of a series without and with a final."""

COMBINE_WORDS = {
    Combine.SUM: "Sum of the sessions",
    Combine.AVERAGE: "Average of the sessions played",
    Combine.BOARDS: "Average of the boards played",
}
COUNTS_WORDS = {Counts.RESULT: "Result (percentage or points)", Counts.PLACES: "Points for places"}
RANKED_WORDS = {Ranked.TOGETHER: "Pairs or teams", Ranked.PLAYERS: "Players, with any partner"}
SPLIT_WORDS = {
    SplitTies.LAST: "Better in the last session",
    SplitTies.BEST: "Better best session",
    SplitTies.BOARDS: "More boards",
    SplitTies.BEFORE: "Better place before the final",
}
TIED_WORDS = {TiedPlaces.SHARE: "Mean of the shared places", TiedPlaces.HIGHEST: "All get the higher place"}
HANDICAP_WORDS = {
    HandicapRule.NONE: "No handicap",
    HandicapRule.SUM: "Sum of the partners' handicaps",
    HandicapRule.MEAN: "Mean of the partners' handicaps",
}
STRATA_WORDS = {StrataBy.AVERAGE: "Average holding", StrataBy.HIGHER: "Higher holding"}


@dataclass(frozen=True, slots=True)
class SeriesFields:
    """The values in the form of a series."""

    name: str = ""
    combine: Combine = Combine.SUM
    counts: Counts = Counts.RESULT
    place_points: str = ""
    tied_places: TiedPlaces = TiedPlaces.SHARE
    ranked: Ranked = Ranked.TOGETHER
    drop_worst: int = 0
    count_best: int = 0
    minimum_sessions: int = 0
    minimum_boards: int = 0
    session_boards: int = 0
    split_ties: SplitTies | None = None
    handicap: HandicapRule = HandicapRule.NONE
    strata: str = ""
    strata_by: StrataBy = StrataBy.AVERAGE
    first: int = 1
    last: int = 0
    carry_over: str = ""
    substitutes: str = ""
    """One to a line."""
    substituted_sessions: str = ""
    stages: Mapping[str, int] | None = None
    """The stage of each session, by guid: 1, or 2 for the final."""

    @classmethod
    def of(cls, series: Series) -> "SeriesFields":
        """Return the fields of a series."""
        stage = series.stages[0]
        final = next((item for item in series.stages if item.origin), None)
        guids = {item.name: item.session for item in series.sessions}
        return cls(
            series.name,
            stage.combine,
            series.counts,
            " ".join(_number_text(points) for points in series.place_points),
            series.tied_places,
            series.ranked,
            stage.drop_worst,
            stage.count_best or 0,
            stage.minimum_sessions,
            stage.minimum_boards,
            series.session_boards,
            next(iter(series.split_ties), None),
            series.further.handicap,
            str(series.further.strata),
            series.further.strata.by,
            *((final.places or (1, 0)) if final else (1, 0)),
            _number_text(100 * final.carry_over) if final and final.carry_over else "",
            "\n".join(str(item) for item in series.substitutes),
            "" if series.substituted_sessions is None else str(series.substituted_sessions),
            {
                **{guids[name]: 1 for name in stage.sessions},
                **{guids[name]: 2 for name in (final.sessions if final else ())},
            },
        )


def _number_text(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(number):g}"


def _choice(choices: type[E], form: Form, field: str, default: E) -> E:
    value = form.get(field, "")
    if not value:
        return default
    for choice in choices:
        if choice.value == value:
            return choice
    raise BadInput("The form has an unknown choice. Nothing was changed.")


def _count(form: Form, field: str, unit: str, most: int = 9_999) -> int:
    return read_count(form, field, 0, most, unit) if form.get(field, "").strip() else 0


def _fraction(text: str, noun: str) -> Fraction:
    figure = parse_figure(text)
    fraction = None if figure is None else to_fraction(figure)
    if fraction is None or fraction < 0:
        raise BadInput(f"Enter {noun} as a number. Nothing was changed.")
    return fraction


def session_names(lines: Sequence[SessionLine]) -> dict[str, str]:
    """Return a unique name for each session by guid, oldest first; sessions with the same name get their day added."""
    names: dict[str, str] = {}
    used: set[str] = set()
    plain = {line.session: read_line({"name": line.name}, "name") for line in lines}
    for line in sorted(lines, key=lambda line: (line.day, line.session)):
        name = plain[line.session]
        if not name or [*plain.values()].count(name) > 1:
            name = f"{name} {line.day}".strip()
        while name in used:
            name += "*"
        names[line.session] = name
        used.add(name)
    return names


def read_series_form(form: Form, lines: Sequence[SessionLine]) -> str:
    """Return the description of a form's series; `lines` are the sessions to choose from. Raise BadInput if invalid."""
    name = read_line(form, "name")
    if not name:
        raise BadInput("Enter a name for the series. Nothing was changed.")
    chosen = [line for line in lines if form.get(f"in-{line.session}") in ("1", "2")]
    if not chosen:
        raise BadInput("Choose at least one session. Nothing was changed.")
    names = session_names(chosen)
    parts: dict[str, list[str]] = {"1": [], "2": []}
    for guid, session_name in names.items():
        parts[form[f"in-{guid}"]].append(session_name)
    last = _count(form, "last", "places")
    if bool(parts["2"]) != bool(last):
        raise BadInput("A final has sessions, and places that qualify. Nothing was changed.")
    counts = _choice(Counts, form, "counts", Counts.RESULT)
    split = form.get("split_ties", "")
    combine = _choice(Combine, form, "combine", Combine.SUM)
    stages = [
        Stage(
            "Qualifying" if last else RANKING,
            tuple(parts["1"]),
            combine,
            _count(form, "drop_worst", "sessions"),
            _count(form, "count_best", "sessions") or None,
            _count(form, "minimum_sessions", "sessions"),
            _count(form, "minimum_boards", "boards"),
        )
    ]
    if last:
        share = _fraction(form.get("carry_over", "").strip() or "0", "the carry-over") / 100
        first = max(1, _count(form, "first", "places"))
        stages.append(
            Stage(
                FINAL, tuple(parts["2"]), combine, origin="Qualifying", places=(first, last), carry_over=share
            )
        )
    points = form.get("place_points", "")[:400].replace(";", " ").split() if counts is Counts.PLACES else []
    series = Series(
        name,
        tuple(SeriesSession(session_name, session=guid) for guid, session_name in names.items()),
        tuple(stages),
        counts,
        tuple(_fraction(word, "the points for places") for word in points),
        _choice(TiedPlaces, form, "tied_places", TiedPlaces.SHARE),
        _choice(Ranked, form, "ranked", Ranked.TOGETHER),
        _count(form, "session_boards", "boards"),
        split_ties=(_choice(SplitTies, form, "split_ties", SplitTies.LAST),) if split else (),
        further=FurtherRankings(
            _choice(HandicapRule, form, "handicap", HandicapRule.NONE),
            Strata.parse(
                form.get("strata", "")[:200], _choice(StrataBy, form, "strata_by", StrataBy.AVERAGE)
            ),
        ),
        substitutes=tuple(
            Substitute.parse(line)
            for line in form.get("substitutes", "")[:20_000].splitlines()
            if line.strip()
        ),
        substituted_sessions=_count(form, "substituted_sessions", "sessions")
        if form.get("substituted_sessions", "").strip()
        else None,
    )
    # Parse the description again, because only the parser validates it.
    return write_series(parse_series(write_series(series)))


def read_filters(query: Mapping[str, str]) -> tuple[Filter, ...]:
    """Return the filter of a query, which combines club, age and kind; an empty tuple if it has none."""
    club = " ".join(query.get("club", "")[:100].split())
    ages = Filter.parse(f"age={query['age'][:9]}") if query.get("age") else Filter()
    kind = Filter.parse(query["kind"][:9]).kind if query.get("kind") else ""
    combined = Filter(club, ages.youngest, ages.oldest, kind)
    return () if combined == Filter() else (combined,)


# Further rankings of a session ------------------------------------------------------------------------------


def further_command(session: Session, form: Form) -> SetFurtherRankings:
    """Return the command for the further rankings of a form."""
    filters = [text.strip() for text in form.get("filters", "")[:400].splitlines() if text.strip()]
    return SetFurtherRankings(
        session.opened.session,
        _choice(HandicapRule, form, "handicap", HandicapRule.NONE),
        " ".join(form.get("strata", "")[:200].split()),
        _choice(StrataBy, form, "strata_by", StrataBy.AVERAGE),
        tuple(filters),
    )


def details_command(session: Session, form: Form) -> PutPlayerDetails:
    """Return the command for the details of players in a form's list.

    A player listed without a number gets the session's number for that name, if the name is unique.
    """
    numbers: dict[str, list[str]] = {}
    for player in session.seating.players.values():
        numbers.setdefault(name_key(player.name), []).append(player.number)
    listed = [
        replace(details, number=same_name[0])
        if not details.number and len(same_name := numbers.get(name_key(details.name), [])) == 1
        else details
        for details in read_player_list(form.get("players", ""))
    ]
    return PutPlayerDetails(session.opened.session, tuple(listed))


def details_text(players: Sequence[ReportPlayer], details_list: PlayerList) -> str:
    """Return players with their known details as text, in columns separated by semicolons."""
    rows = [";".join(COLUMNS)]
    for player in players:
        details = details_list.find(player)
        values = [getattr(details, column, None) for column in COLUMNS[2:]]
        cells = [player.number, player.name, *("" if value is None else str(value) for value in values)]
        rows.append(";".join(cell.replace(";", ",").replace('"', "'") for cell in cells))
    return "\n".join(rows) + "\n"
