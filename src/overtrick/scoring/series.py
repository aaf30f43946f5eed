"""Combined rankings of several sessions: events and ladders. No file access.

A series is described in TOML: its sessions, the rule that combines them, dropped sessions, the minimum of sessions and
boards for a rank, and stages (a final with its qualifiers and their carry-over). `combine` computes the rankings of the
stages from reports of the sessions, in exact fractions.

Identity across sessions: players are the same if their numbers are equal; a player without a number is matched by name.
Teams with a name are matched by it. Other contestants are the same if all their players are, in any order; if a player
has neither number nor name, by the contestant's number.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from fractions import Fraction
from typing import Any

from overtrick.errors import BadInput
from overtrick.scoring.lines import Contestant
from overtrick.scoring.more_rankings import (
    Details,
    FurtherRankings,
    HandicapRule,
    Strata,
    StrataBy,
    details_of,
)
from overtrick.scoring.player_list import PlayerList, name_key
from overtrick.scoring.points import rounded_figure
from overtrick.scoring.ranking import Standing, rank_text, ranks
from overtrick.scoring.report import Report, ReportPlayer, player_key, visible_players
from overtrick.scoring.rules import Ties
from overtrick.scoring.toml_values import decimal_text, parse_choice, parse_number, parse_toml, quoted

MOST_SESSIONS = 400


class Combine(Enum):
    """The rule that combines the results of sessions into one."""

    SUM = "sum"
    AVERAGE = "average"
    """The mean of the sessions that count."""
    BOARDS = "boards"
    """The mean weighted by the contestant's boards in each session."""


class Counts(Enum):
    """The part of a session's result that counts."""

    RESULT = "result"
    """The percentage if there is a top, the points otherwise."""
    PLACES = "places"
    """Points for places."""


class Ranked(Enum):
    """The contestants of a series."""

    TOGETHER = "contestants"
    """Pairs or teams."""
    PLAYERS = "players"
    """Every player individually, with any partners."""


class SplitTies(Enum):
    """A way to split a tie."""

    LAST = "last"
    """The better result in the last session; if equal, in the one before it, and so on."""
    BEST = "best"
    """The better best session; if equal, the second best, and so on; dropped sessions included."""
    BOARDS = "boards"
    """More boards, dropped sessions included."""
    BEFORE = "before"
    """The better rank in the stage that the contestants come from."""


class TiedPlaces(Enum):
    """The rule for the points of contestants who share places."""

    SHARE = "share"
    """The mean of the points of the shared places."""
    HIGHEST = "highest"
    """The points of the best of the shared places."""


def points_of_place(points: Sequence[Fraction], first: int, last: int, ties: TiedPlaces) -> Fraction:
    """Return the points of each contestant who shares the places `first` to `last`.

    >>> table = [Fraction(6), Fraction(3), Fraction(1)]
    >>> [points_of_place(table, 2, 4, ties) for ties in TiedPlaces]
    [Fraction(4, 3), Fraction(3, 1)]
    """
    shared = points[first - 1 : first if ties is TiedPlaces.HIGHEST else last]
    return sum(shared, Fraction(0)) / (1 if ties is TiedPlaces.HIGHEST else last - first + 1)


@dataclass(frozen=True, slots=True)
class SeriesSession:
    """A session of a series, and the source of its results."""

    name: str
    file: str = ""
    """A file that `overtrick score` reads; empty for a session in the journal."""
    session: str = ""
    """The guid or the name of a session in the file or the journal."""
    group: int | None = None
    weight: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class Substitute:
    """A player who replaced a regular player in one session; both are identified by number or name.

    >>> print(Substitute.parse("May 3: Cy Dahl for 101"))
    May 3: Cy Dahl for 101
    """

    session: str
    player: str
    regular: str

    def __str__(self) -> str:
        return f"{self.session}: {self.player} for {self.regular}"

    @classmethod
    def parse(cls, text: str) -> "Substitute":
        """Parse a session and two players. Raise BadInput for anything else."""
        session, _, players = text.rpartition(":")
        substitute = cls(session.strip(), *(word.strip() for word in players.partition(" for ")[::2]))
        if not (substitute.session and substitute.player and substitute.regular):
            raise BadInput(f"A substitute is written like 2: Cy Dahl for Bob Berg, not {text[:60]!r}.")
        return substitute


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of a series that has its own ranking."""

    name: str
    sessions: tuple[str, ...]
    combine: Combine = Combine.SUM
    drop_worst: int = 0
    """The number of sessions that do not count: missed ones first, then the worst."""
    count_best: int | None = None
    """The greatest number of sessions that count, the best ones; None for no limit."""
    minimum_sessions: int = 0
    minimum_boards: int = 0
    """The minimum of sessions and boards for a rank, dropped sessions included."""
    origin: str = ""
    """The name of the stage that its contestants come from; empty for none."""
    places: tuple[int, int] | None = None
    """The first and last place of that stage that qualify; None for all."""
    carry_over: Fraction = Fraction(0)
    """The part of the result of that stage that is carried over, as a fraction; per cent in TOML."""

    @property
    def counted(self) -> int:
        """Return the greatest number of sessions that count."""
        return min(self.count_best or MOST_SESSIONS, max(0, len(self.sessions) - self.drop_worst))


@dataclass(frozen=True, slots=True)
class Series:
    """The description of a series."""

    name: str
    sessions: tuple[SeriesSession, ...]
    stages: tuple[Stage, ...]
    counts: Counts = Counts.RESULT
    place_points: tuple[Fraction, ...] = ()
    tied_places: TiedPlaces = TiedPlaces.SHARE
    ranked: Ranked = Ranked.TOGETHER
    session_boards: int = 0
    """The minimum of boards in a session for it to count."""
    ties: Ties = Ties.EXACT
    split_ties: tuple[SplitTies, ...] = ()
    decimals: int = 2
    further: FurtherRankings = field(default_factory=FurtherRankings)
    """The further rankings. Their handicap is added to the result of every session, but not to points for places."""
    players: str = ""
    """The file of the list of players: handicaps, holdings, clubs and so on."""
    method: str = ""
    rules: str = ""
    """The method and the rule set of every session; empty for the session's own."""
    substitutes: tuple[Substitute, ...] = ()
    """The substitutes; a result with one counts for the pair or team with its regular player."""
    substituted_sessions: int | None = None
    """The greatest number of sessions with substitutes that count for a contestant; None for no limit."""


# Reading and writing ----------------------------------------------------------------------------------------


def parse_series(text: str) -> Series:
    """Parse a series from TOML. Raise BadInput if the text is not a valid description.

    >>> series = parse_series('name = "May"\\ncombine = "average"\\n[[session]]\\nname = "1"\\nfile = "1.pbn"')
    >>> series.stages[0].combine, series.stages[0].sessions
    (<Combine.AVERAGE: 'average'>, ('1',))
    """
    table = parse_toml(text, "The description of the series")
    sessions = tuple(_session(part) for part in _tables(table, "session"))
    names = [session.name for session in sessions]
    if not sessions:
        raise BadInput("A series has sessions: [[session]] with a name and a file or a session.")
    if len(sessions) > MOST_SESSIONS:
        raise BadInput(f"A series has at most {MOST_SESSIONS} sessions.")
    if len(set(names)) < len(names):
        raise BadInput(f"Two sessions of the series have the name {_duplicate(names)!r}.")
    parts = _tables(table, "stage")
    defaults = {key: table.pop(key) for key in [*table] if key in _STAGE_PARSERS and key not in _NOT_DEFAULTS}
    stages = tuple(_stage({**defaults, **part}) for part in parts) or (
        _stage({"name": "Ranking", "sessions": names, **defaults}),
    )
    _check_stages(stages, names)
    further = FurtherRankings(
        parse_choice(HandicapRule, "handicap", table.pop("handicap", HandicapRule.NONE.value)),
        Strata.parse(
            _text("strata", table.pop("strata", "")),
            parse_choice(StrataBy, "strata_by", table.pop("strata_by", StrataBy.AVERAGE.value)),
        ),
    )
    unknown = sorted(set(table) - set(_SERIES_PARSERS))
    if unknown:
        raise BadInput(
            f"A series has no {unknown[0]!r}; it has {', '.join([*_SERIES_PARSERS, *_STAGE_PARSERS])}."
        )
    name = _name("name", table.pop("name", ""))
    values = {key: _SERIES_PARSERS[key](key, value) for key, value in table.items()}
    series = Series(name, sessions, stages, further=further, **values)
    unknown = [substitute.session for substitute in series.substitutes if substitute.session not in names]
    if unknown:
        raise BadInput(
            f"There is a substitute in the session {unknown[0]!r}, which the series does not have."
        )
    if (series.counts is Counts.PLACES) != bool(series.place_points):
        raise BadInput(
            'place_points goes with counts = "places": set both, such as place_points = [6, 4, 3, 2, 1], or neither.'
        )
    return series


def write_series(series: Series) -> str:
    """Return a series as TOML that `parse_series` reads."""
    lines = [f"name = {quoted(series.name)}"]
    default = Series(series.name, (), ())
    for key in _SERIES_PARSERS:
        value = getattr(series, key, None)
        if key != "name" and value != getattr(default, key, None):
            lines.append(f"{key} = {_toml(value)}")
    if series.further.handicap is not HandicapRule.NONE:
        lines.append(f"handicap = {_toml(series.further.handicap)}")
    if series.further.strata.strata:
        lines.append(f"strata = {quoted(str(series.further.strata))}")
        lines.append(f"strata_by = {_toml(series.further.strata.by)}")
    for session in series.sessions:
        lines += ["", "[[session]]", *_changes(session, SeriesSession(""))]
    for stage in series.stages:
        lines += ["", "[[stage]]", *_changes(stage, Stage("", ()))]
    return "\n".join(lines) + "\n"


_TOML_KEYS = {"origin": "from"}


def _changes(table: SeriesSession | Stage, default: SeriesSession | Stage) -> list[str]:
    lines = []
    for field_ in fields(table):
        value = getattr(table, field_.name)
        if value != getattr(default, field_.name):
            if field_.name == "carry_over":
                value *= 100
            lines.append(f"{_TOML_KEYS.get(field_.name, field_.name)} = {_toml(value)}")
    return lines


def _toml(value: object) -> str:
    if isinstance(value, Enum):
        return quoted(value.value)
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(part) for part in value)}]"
    if isinstance(value, Fraction):
        return decimal_text(value)
    return quoted(str(value)) if isinstance(value, str | Substitute) else str(value)


def _tables(table: dict[str, Any], key: str) -> list[dict[str, Any]]:
    tables = table.pop(key, [])
    if not isinstance(tables, list) or not all(isinstance(part, dict) for part in tables):
        raise BadInput(f"A {key} of a series is written as [[{key}]].")
    return tables


def _duplicate(names: Sequence[str]) -> str:
    return next(name for name in names if names.count(name) > 1)


def _session(table: dict[str, Any]) -> SeriesSession:
    unknown = sorted(set(table) - set(_SESSION_PARSERS))
    if unknown:
        raise BadInput(f"A session of a series has no {unknown[0]!r}; it has {', '.join(_SESSION_PARSERS)}.")
    values = {key: _SESSION_PARSERS[key](key, value) for key, value in table.items()}
    if not (values.get("file") or values.get("session")):
        raise BadInput(
            f"The session {values.get('name', '')!r} has neither a file nor a session of the journal."
        )
    return SeriesSession(values.pop("name", None) or values.get("session") or values["file"], **values)


def _stage(table: dict[str, Any]) -> Stage:
    unknown = sorted(set(table) - set(_STAGE_PARSERS))
    if unknown:
        raise BadInput(f"A stage of a series has no {unknown[0]!r}; it has {', '.join(_STAGE_PARSERS)}.")
    if "name" not in table or "sessions" not in table:
        raise BadInput("A stage of a series has a name, and a list of sessions (sessions = []).")
    values = {
        ("origin" if key == "from" else key): _STAGE_PARSERS[key](key, value) for key, value in table.items()
    }
    stage = Stage(**values)
    if stage.drop_worst and stage.count_best:
        raise BadInput("A stage has either drop_worst or count_best, not both.")
    if stage.sessions and stage.drop_worst >= len(stage.sessions):
        raise BadInput(f"The stage {stage.name!r} would drop all of its sessions.")
    if not stage.origin and (stage.places or stage.carry_over):
        raise BadInput(f"The stage {stage.name!r} does not say from which stage its contestants come.")
    return stage


def _check_stages(stages: Sequence[Stage], sessions: Sequence[str]) -> None:
    earlier: list[str] = []
    names = [name for stage in stages for name in stage.sessions]
    for stage in stages:
        if stage.name in earlier:
            raise BadInput(f"Two stages of the series have the name {stage.name!r}.")
        if stage.origin and stage.origin not in earlier:
            raise BadInput(
                f"The stage {stage.name!r} comes from {stage.origin!r}, which is not an earlier stage."
            )
        unknown = [name for name in stage.sessions if name not in sessions]
        if unknown:
            raise BadInput(
                f"The stage {stage.name!r} has a session {unknown[0]!r}, which the series does not have."
            )
        earlier.append(stage.name)
    if len(set(names)) < len(names):
        raise BadInput(f"The session {_duplicate(names)!r} belongs to two stages.")


def _text(key: str, value: object) -> str:
    if isinstance(value, str) and len(value) <= 400:
        return value.strip()
    raise BadInput(f"{key} is a text of at most 400 characters, not {str(value)[:40]!r}.")


def _name(key: str, value: object) -> str:
    text = _text(key, value)
    if not text or any(ord(sign) < 32 for sign in text):
        raise BadInput(f"{key} is a name on one line.")
    return text


def _number(key: str, value: object) -> Fraction:
    return parse_number(key, value, 100_000)


def _integer(key: str, value: object) -> int:
    number = _number(key, value)
    if number.denominator != 1:
        raise BadInput(f"{key} is a whole number, not {str(value)[:20]!r}.")
    return int(number)


def _positive_integer(key: str, value: object) -> int:
    number = _integer(key, value)
    if not number:
        raise BadInput(f"{key} is at least 1.")
    return number


def _weight(key: str, value: object) -> Fraction:
    number = _number(key, value)
    if not number:
        raise BadInput(f"{key} is above 0.")
    return number


def _decimals(key: str, value: object) -> int:
    number = _integer(key, value)
    if number > 4:
        raise BadInput(f"{key} is a number from 0 to 4, not {number}.")
    return number


def _list(key: str, value: object) -> list[Any]:
    if isinstance(value, list):
        return value
    raise BadInput(f"{key} is a list, not {str(value)[:40]!r}.")


def _places(key: str, value: object) -> tuple[int, int]:
    places = [_positive_integer(key, part) for part in _list(key, value)]
    if len(places) != 2 or places[0] > places[1]:
        raise BadInput("places names the first and the last place that qualify, such as [1, 14].")
    return places[0], places[1]


_SESSION_PARSERS: dict[str, Any] = {
    "name": _name,
    "file": _text,
    "session": _text,
    "group": _integer,
    "weight": _weight,
}
_STAGE_PARSERS: dict[str, Any] = {
    "name": _name,
    "sessions": lambda key, value: tuple(_name(key, part) for part in _list(key, value)),
    "combine": lambda key, value: parse_choice(Combine, key, value),
    "drop_worst": _integer,
    "count_best": _positive_integer,
    "minimum_sessions": _integer,
    "minimum_boards": _integer,
    "from": _name,
    "places": _places,
    "carry_over": lambda key, value: _number(key, value) / 100,
}
_NOT_DEFAULTS = ("name", "sessions", "from", "places", "carry_over")
_SERIES_PARSERS: dict[str, Any] = {
    "name": _name,
    "counts": lambda key, value: parse_choice(Counts, key, value),
    "place_points": lambda key, value: tuple(_number(key, part) for part in _list(key, value)),
    "tied_places": lambda key, value: parse_choice(TiedPlaces, key, value),
    "ranked": lambda key, value: parse_choice(Ranked, key, value),
    "session_boards": _integer,
    "ties": lambda key, value: parse_choice(Ties, key, value),
    "split_ties": lambda key, value: tuple(parse_choice(SplitTies, key, part) for part in _list(key, value)),
    "decimals": _decimals,
    "players": _text,
    "method": _text,
    "rules": _text,
    "substitutes": lambda key, value: tuple(Substitute.parse(_text(key, one)) for one in _list(key, value)),
    "substituted_sessions": _integer,
}


# Combining --------------------------------------------------------------------------------------------------

Identity = tuple[str, ...]
"""A key of a contestant across sessions: the numbers or names of its players, sorted, or its team name or number."""


@dataclass(frozen=True, slots=True)
class SessionScore:
    """A contestant's result in one session."""

    value: Fraction
    """The percentage or the points, with the handicap, or the points for the place."""
    boards: int
    weight: Fraction = Fraction(1)
    is_counted: bool = True
    """False if the session is dropped."""


@dataclass(frozen=True, slots=True)
class SeriesStanding:
    """A line of a stage's ranking."""

    rank: int
    """0 for contestants without a rank."""
    rank_max: int
    players: tuple[ReportPlayer, ...]
    label: str
    """The name of the team, or section and number in the last session; empty for a single player."""
    value: Fraction
    scores: Mapping[str, SessionScore]
    """By session."""
    carry_over: Fraction = Fraction(0)
    """The carried part of the previous stage's result: added to a sum, weighted by `Stage.carry_over` in a mean."""
    identity: Identity = ()
    qualifies_for: str = ""
    """The name of the next stage; empty if it does not qualify."""

    @property
    def name(self) -> str:
        """Return the names of the players, their numbers where names are missing; the label if there are no players."""
        return " – ".join(player.name or player.number for player in self.players) or self.label

    @property
    def boards(self) -> int:
        """Return the number of boards in the sessions that count."""
        return sum(score.boards for score in self.scores.values() if score.is_counted)

    @property
    def sessions_text(self) -> str:
        """Return the number of sessions that count and, if it differs, the number played.

        >>> one, two = SessionScore(Fraction(50), 9), SessionScore(Fraction(40), 9, is_counted=False)
        >>> SeriesStanding(1, 1, (), "A1", Fraction(50), {"1": one, "2": two}).sessions_text
        '1 of 2'
        """
        counted = sum(score.is_counted for score in self.scores.values())
        return str(counted) if counted == len(self.scores) else f"{counted} of {len(self.scores)}"

    @property
    def rank_text(self) -> str:
        """The rank as it is printed."""
        return rank_text(self.rank, self.rank_max)


@dataclass(frozen=True, slots=True)
class StageRanking:
    """The ranking of a stage; contestants without a rank come last."""

    stage: Stage
    standings: tuple[SeriesStanding, ...]


@dataclass(frozen=True, slots=True)
class SeriesRanking:
    """The rankings of all stages of a series."""

    series: Series
    point: str
    """The unit of the results: %, IMP, VP and so on."""
    stages: tuple[StageRanking, ...]
    remarks: tuple[str, ...] = ()
    year: int = 0
    hidden: frozenset[ReportPlayer] = frozenset()
    """The players who are not named in what is published."""

    def published(self, standing: SeriesStanding) -> SeriesStanding:
        """Return a standing without the names of hidden players."""
        if self.hidden.isdisjoint(standing.players):
            return standing
        players = visible_players(standing.players, self.hidden)
        if not players and not standing.label:
            players = (ReportPlayer("Player"),)
        return replace(standing, players=players)


def combine(
    series: Series,
    reports: Mapping[str, Report],
    player_list: PlayerList | None = None,
    hidden: Collection[str] = (),
) -> SeriesRanking:
    """Return the rankings of a series; `reports` has the reports of the sessions played so far, by their names.

    `hidden` has the keys of players whom remarks and `SeriesRanking.published` do not name. Raise BadInput if the
    sessions have different units, such as percentages and IMPs.
    """
    return _Combination(series, reports, player_list or PlayerList(), hidden).ranking()


@dataclass(slots=True)
class _Entrant:
    """A contestant across the sessions of a series."""

    players: tuple[ReportPlayer, ...]
    label: str
    scores: dict[str, SessionScore] = field(default_factory=dict)
    substituted: int = 0
    """The number of sessions with a substitute that count so far."""


class _Combination:
    """The state of `combine`: the reports, the contestants found in them, and remarks."""

    def __init__(
        self,
        series: Series,
        reports: Mapping[str, Report],
        player_list: PlayerList,
        hidden: Collection[str],
    ) -> None:
        self.series = series
        self.reports = {
            session.name: reports[session.name] for session in series.sessions if session.name in reports
        }
        self.player_list = player_list
        self.remarks: list[str] = []
        self._numbers = _numbers_of_names(self.reports.values())
        everyone = [
            player for report in reports.values() for people in report.players.values() for player in people
        ]
        self._player_by_key = {
            key: player for player in everyone for key in (player.number, name_key(player.name)) if key
        }
        self.hidden = frozenset(player for player in everyone if hidden and self._is_hidden(player, hidden))
        self.entrants: dict[Identity, _Entrant] = {}

    def _is_hidden(self, player: ReportPlayer, hidden: Collection[str]) -> bool:
        """Return whether a player is hidden, whether or not this session knows the player's number."""
        number = self._numbers.get(name_key(player.name), "")
        return any(key in hidden for key in (player.key, player_key("", player.name), player_key(number, "")))

    def _names(self, players: Sequence[ReportPlayer]) -> str:
        return " – ".join(player.name or player.number for player in visible_players(players, self.hidden))

    def ranking(self) -> SeriesRanking:
        point = self._point()
        for session in self.series.sessions:
            if session.name in self.reports:
                self._add_session(session, self.reports[session.name])
        standings: dict[str, tuple[SeriesStanding, ...]] = {}
        for stage in self.series.stages:
            standings[stage.name] = self._stage(stage, standings)
        stages = tuple(
            StageRanking(stage, self._with_qualifiers(stage, standings[stage.name]))
            for stage in self.series.stages
        )
        days = [report.played_on for report in self.reports.values() if report.played_on]
        return SeriesRanking(
            self.series,
            point,
            stages,
            tuple(dict.fromkeys(self.remarks)),
            max(days).year if days else 0,
            self.hidden,
        )

    def _point(self) -> str:
        if self.series.counts is Counts.PLACES:
            return "Points"
        points = {
            "%" if any(standing.top for _, standing in report.standings()) else report.scored.point
            for report in self.reports.values()
            if any(True for _ in report.standings())
        }
        if len(points) > 1:
            raise BadInput(
                f"Results in {' and '.join(sorted(points))} cannot be added up. Count places instead: "
                'counts = "places".'
            )
        return points.pop() if points else "%"

    def _add_session(self, session: SeriesSession, report: Report) -> None:
        handicap = self.series.further.handicap
        for _, standing in report.standings():
            contestant = standing.contestant
            if not standing.rank or standing.boards < max(1, self.series.session_boards):
                continue
            players = report.players.get(contestant, ())
            value = self._value(standing)
            if handicap is not HandicapRule.NONE and self.series.counts is Counts.RESULT:
                value += handicap.of(details_of(players, self.player_list))
            score = SessionScore(value, standing.boards, session.weight)
            regular = self._regular(session.name, players)
            for identity, members, label in self._identities(report, contestant, regular):
                if regular != players and not self._is_allowed(identity, session.name, members):
                    continue
                entrant = self.entrants.setdefault(identity, _Entrant(members, label))
                if session.name in entrant.scores:
                    self.remarks.append(
                        f"{self._names(entrant.players) or label} is in {session.name} twice; the better result counts."
                    )
                    best = max(
                        score,
                        entrant.scores[session.name],
                        key=lambda candidate: (candidate.value, candidate.boards),
                    )
                    entrant.scores[session.name] = best
                else:
                    entrant.scores[session.name] = score
                # Names and label are those of the last session.
                entrant.players, entrant.label = members, label
                entrant.substituted += regular != players

    def _regular(self, session: str, players: tuple[ReportPlayer, ...]) -> tuple[ReportPlayer, ...]:
        """Return the players with regular players instead of their substitutes; no change if players rank singly."""
        if self.series.ranked is Ranked.PLAYERS:
            return players
        for substitute in self.series.substitutes:
            if substitute.session == session:
                regular = self._player_by_key.get(substitute.regular) or self._player_by_key.get(
                    name_key(substitute.regular)
                )
                players = tuple(
                    regular or ReportPlayer(substitute.regular)
                    if substitute.player == player.number
                    or name_key(substitute.player) == name_key(player.name)
                    else player
                    for player in players
                )
        return players

    def _is_allowed(self, identity: Identity, session: str, players: tuple[ReportPlayer, ...]) -> bool:
        """Return whether one more session with a substitute counts for a contestant."""
        limit, entrant = self.series.substituted_sessions, self.entrants.get(identity)
        if limit is None or (entrant.substituted if entrant else 0) < limit:
            return True
        names = self._names(players) or "players"
        self.remarks.append(
            f"{session} does not count for {names}, who had a substitute more often than allowed."
        )
        return False

    def _value(self, standing: Standing) -> Fraction:
        if self.series.counts is Counts.PLACES:
            return points_of_place(
                self.series.place_points, standing.rank, standing.rank_max, self.series.tied_places
            )
        units = Fraction(standing.exact_units)
        return 100 * units / standing.top if standing.top else units / standing.units_per_point

    def _identities(
        self, report: Report, contestant: Contestant, players: Sequence[ReportPlayer]
    ) -> list[tuple[Identity, tuple[ReportPlayer, ...], str]]:
        """Return identity, players and label of all who get a result: the contestant, or each of its players."""
        named = [player for player in players if player.number or player.name.strip()]
        team = report.team_names.get(contestant, "")
        if self.series.ranked is Ranked.PLAYERS:
            if not named:
                self.remarks.append(
                    f"{report.title}: the players of {contestant} are not known; they do not rank."
                )
            return [((self._identity(player),), (player,), "") for player in named]
        if team:
            return [((f"team {name_key(team)}",), tuple(players), team)]
        label = f"{contestant.section}{contestant.number}"
        # Two pairs with an unknown player each may be different pairs.
        if not named or len(named) < len(players):
            if len(self.reports) > 1:
                self.remarks.append("Contestants without names are matched by their numbers.")
            return [((f"number {contestant}",), tuple(players), label)]
        return [(tuple(sorted(self._identity(player) for player in named)), tuple(players), label)]

    def _identity(self, player: ReportPlayer) -> str:
        number = player.number or self._numbers.get(name_key(player.name), "")
        return f"number {number}" if number else f"name {name_key(player.name)}"

    # Stages -------------------------------------------------------------------------------------------------

    def _stage(
        self, stage: Stage, standings: Mapping[str, tuple[SeriesStanding, ...]]
    ) -> tuple[SeriesStanding, ...]:
        origin_standings = {standing.identity: standing for standing in standings.get(stage.origin, ())}
        qualified = self._qualified(stage, standings.get(stage.origin, ()))
        ranked: list[SeriesStanding] = []
        unranked: list[SeriesStanding] = []
        for identity, entrant in self.entrants.items():
            scores = {name: entrant.scores[name] for name in stage.sessions if name in entrant.scores}
            if stage.origin and identity not in qualified:
                if scores:
                    names = self._names(entrant.players) or entrant.label
                    self.remarks.append(f"{names} plays in {stage.name} without having qualified.")
                continue
            if not scores and not stage.origin:
                continue
            carried = origin_standings[identity].value * stage.carry_over if stage.origin else Fraction(0)
            standing = self._standing(stage, identity, entrant, scores, carried)
            boards = sum(score.boards for score in scores.values())
            has_minimum = len(scores) >= stage.minimum_sessions and boards >= stage.minimum_boards
            (ranked if has_minimum else unranked).append(standing)
        ordered = sorted(
            ((self._key(standing, stage, origin_standings), standing) for standing in ranked),
            key=lambda keyed: (keyed[0], keyed[1].identity),
            reverse=True,
        )
        places = ranks([key for key, _ in ordered])
        # Those who tie are listed by name.
        lines = sorted(
            (
                replace(standing, rank=first, rank_max=last)
                for (first, last), (_, standing) in zip(places, ordered, strict=True)
            ),
            key=lambda standing: (standing.rank, standing.identity),
        )
        unranked.sort(key=lambda standing: (-standing.value, standing.identity))
        return (*lines, *unranked)

    def _standing(
        self,
        stage: Stage,
        identity: Identity,
        entrant: _Entrant,
        scores: dict[str, SessionScore],
        carried: Fraction,
    ) -> SeriesStanding:
        worst_first = sorted(
            scores, key=lambda name: (scores[name].value, scores[name].boards, scores[name].weight)
        )
        dropped = worst_first[: max(0, len(scores) - stage.counted)]
        counted = {name: replace(score, is_counted=name not in dropped) for name, score in scores.items()}
        value = _combined(stage, [score for score in counted.values() if score.is_counted], carried)
        return SeriesStanding(0, 0, entrant.players, entrant.label, value, counted, carried, identity)

    def _key(
        self, standing: SeriesStanding, stage: Stage, origin_standings: Mapping[Identity, SeriesStanding]
    ) -> tuple[object, ...]:
        """Return the sort key of a standing, higher is better."""
        value: Fraction | int = standing.value
        if self.series.ties is Ties.PUBLISHED:
            value = rounded_figure(standing.value, self.series.decimals)
        key: list[object] = [value]
        scores = standing.scores
        for split in self.series.split_ties:
            match split:
                case SplitTies.LAST:
                    key.append(
                        [
                            (name in scores, scores[name].value if name in scores else 0)
                            for name in stage.sessions[::-1]
                        ]
                    )
                case SplitTies.BEST:
                    key.append(sorted((score.value for score in scores.values()), reverse=True))
                case SplitTies.BOARDS:
                    key.append(sum(score.boards for score in scores.values()))
                case SplitTies.BEFORE:
                    key.append(
                        -origin_standings[standing.identity].rank
                        if standing.identity in origin_standings
                        else 0
                    )
        return tuple(key)

    def _qualified(self, stage: Stage, origin: Sequence[SeriesStanding]) -> set[Identity]:
        if not stage.origin:
            return set()
        ranked = [standing for standing in origin if standing.rank]
        if stage.places is None:
            return {standing.identity for standing in ranked}
        first, last = stage.places
        # All who tie for the last qualifying place qualify; `split_ties` or the director has to decide.
        qualifiers = [standing for standing in ranked if first <= standing.rank <= last]
        if qualifiers and qualifiers[-1].rank_max > last:
            tied = qualifiers[-1].rank_max - qualifiers[-1].rank + 1
            self.remarks.append(f"{tied} tie for the last place that qualifies for {stage.name}.")
        return {standing.identity for standing in qualifiers}

    def _with_qualifiers(
        self, stage: Stage, standings: tuple[SeriesStanding, ...]
    ) -> tuple[SeriesStanding, ...]:
        """Return the standings with the next stage of those who qualify."""
        next_stages = [later for later in self.series.stages if later.origin == stage.name]
        next_stage_of: dict[Identity, str] = {}
        for next_stage in next_stages:
            for identity in self._qualified(next_stage, standings):
                next_stage_of.setdefault(identity, next_stage.name)
        return tuple(
            replace(standing, qualifies_for=next_stage_of.get(standing.identity, ""))
            for standing in standings
        )


def _combined(stage: Stage, scores: Sequence[SessionScore], carried: Fraction) -> Fraction:
    """Return the result of a stage; in a mean, the carry-over has the weight `Stage.carry_over` of one more session."""
    match stage.combine:
        case Combine.SUM:
            return sum((score.value * score.weight for score in scores), carried)
        case Combine.AVERAGE:
            weights = [score.weight for score in scores]
        case Combine.BOARDS:
            weights = [score.weight * score.boards for score in scores]
    total = sum((score.value * weight for score, weight in zip(scores, weights, strict=True)), Fraction(0))
    carried_weight = stage.carry_over
    if stage.combine is Combine.BOARDS and scores:
        # Weights are boards here, so the weight of the carry-over is a part of the average number of boards.
        carried *= (length := sum(weights, Fraction(0)) / len(weights))
        carried_weight *= length
    divisor = sum(weights, Fraction(0)) + carried_weight
    return (total + carried) / divisor if divisor else Fraction(0)


def _numbers_of_names(reports: Iterable[Report]) -> dict[str, str]:
    """Return the player number of each name that has exactly one, to match players without a number by name."""
    numbers: dict[str, set[str]] = {}
    for report in reports:
        for player in (person for players in report.players.values() for person in players):
            if player.number and player.name.strip():
                numbers.setdefault(name_key(player.name), set()).add(player.number)
    return {
        name: next(iter(numbers_of_name))
        for name, numbers_of_name in numbers.items()
        if len(numbers_of_name) == 1
    }


# Further rankings -------------------------------------------------------------------------------------------


def select(
    ranking: SeriesRanking,
    stage: StageRanking,
    player_list: PlayerList,
    choices: FurtherRankings,
    year: int | None = None,
) -> list[tuple[str, tuple[SeriesStanding, ...]]]:
    """Return the titles and rankings of a stage by strata and filters; see `further_rankings`.

    Ages are those reached in `year`; the default is the year of the last session.
    """
    year_of_age = year or ranking.year

    def ranked(fits: Iterable[bool]) -> tuple[SeriesStanding, ...]:
        chosen = [
            standing
            for standing, is_chosen in zip(stage.standings, fits, strict=True)
            if is_chosen and standing.rank
        ]
        # Compare by the rank in the whole ranking, so that ties there are ties here.
        places = ranks([standing.rank for standing in chosen])
        return tuple(
            replace(standing, rank=first, rank_max=last)
            for (first, last), standing in zip(places, chosen, strict=True)
        )

    details: list[Details] = [details_of(standing.players, player_list) for standing in stage.standings]
    strata = choices.strata
    rankings = [
        (
            f"Stratum {stratum.name}",
            ranked(strata.index_for(player_details) >= index for player_details in details),
        )
        for index, stratum in enumerate(strata.strata)
        if index
    ]
    rankings += [
        (str(filter_), ranked(filter_.has(player_details, year_of_age) for player_details in details))
        for filter_ in choices.filters
    ]
    return rankings
