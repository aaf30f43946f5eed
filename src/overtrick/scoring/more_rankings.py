"""Further rankings of a field: with handicaps, by strata, and by club, age or kind. No file access.

All are derived from one ranking, which is not changed: master points are awarded for raw results.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum
from fractions import Fraction

from overtrick.digits import parse_digits
from overtrick.errors import BadInput
from overtrick.scoring.lines import Contestant
from overtrick.scoring.player_list import PlayerDetails, PlayerList, name_key, parse_figure
from overtrick.scoring.points import UNIT
from overtrick.scoring.ranking import Extras, Ranking, Standing, Tally, rank
from overtrick.scoring.report import ReportPlayer
from overtrick.scoring.rules import ScoringRules

Details = tuple[PlayerDetails | None, ...]
"""The details of each player of a contestant; None for a player who is not in the list."""


class HandicapRule(Enum):
    """The rule for the handicap of a pair or a team."""

    NONE = "none"
    SUM = "sum"
    """The sum of its players' handicaps."""
    MEAN = "mean"
    """The mean of its players' handicaps."""

    def of(self, players: Sequence[PlayerDetails | None]) -> Fraction:
        """Return the handicap of these players; an unknown one counts as 0.

        >>> ace, novice = PlayerDetails("1", handicap=Decimal(-5)), PlayerDetails("2", handicap=Decimal("2.5"))
        >>> HandicapRule.SUM.of([ace, novice]), HandicapRule.MEAN.of([ace, novice])
        (Fraction(-5, 2), Fraction(-5, 4))
        """
        total = Fraction(sum((player.handicap or 0 for player in players if player is not None), Decimal(0)))
        if self is HandicapRule.NONE or not players:
            return Fraction(0)
        return total if self is HandicapRule.SUM else total / len(players)


class StrataBy(Enum):
    """The holding that determines the stratum of a contestant."""

    AVERAGE = "average"
    """The mean of its players' holdings."""
    HIGHER = "higher"
    """The highest of its players' holdings."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """A stratum: the contestants who hold less than its limit."""

    name: str
    limit: Decimal | None = None
    """None for the highest stratum, in which everyone ranks."""


@dataclass(frozen=True, slots=True)
class Strata:
    """The strata of a field, the highest first; a contestant ranks in its own stratum and in all above.

    >>> print(Strata.parse("A, B:500, C:100", StrataBy.HIGHER))
    A, B:500, C:100
    """

    strata: tuple[Stratum, ...] = ()
    by: StrataBy = StrataBy.AVERAGE

    def __str__(self) -> str:
        return ", ".join(
            stratum.name if stratum.limit is None else f"{stratum.name}:{stratum.limit:f}"
            for stratum in self.strata
        )

    @classmethod
    def parse(cls, text: str, by: StrataBy = StrataBy.AVERAGE) -> "Strata":
        """Parse names with limits, the highest stratum first and without a limit. Raise BadInput for anything else."""
        strata: list[Stratum] = []
        for part in text.split(",") if text.strip() else ():
            name, colon, limit = (word.strip() for word in part.partition(":"))
            limit_value = parse_figure(limit) if colon else None
            if (
                not name
                or (limit_value is None) == bool(strata)
                or (limit_value is not None and limit_value <= 0)
            ):
                raise BadInput(
                    f"Strata are written like A, B:500, C:100: the highest first, without a limit. {text[:60]!r} "
                    "is not."
                )
            if name in (stratum.name for stratum in strata):
                raise BadInput(f"There are two strata {name!r}.")
            if (
                limit_value is not None
                and (previous_limit := strata[-1].limit) is not None
                and limit_value >= previous_limit
            ):
                raise BadInput(f"The limit of stratum {name} is not below the one before it.")
            strata.append(Stratum(name, limit_value))
        return cls(tuple(strata), by)

    def index_for(self, players: Details) -> int:
        """Return the index of a contestant's own stratum, 0 for the highest.

        A contestant without players, or with a player of unknown holding, is in the highest.

        >>> strata = Strata.parse("A, B:500, C:100")
        >>> novice, master = PlayerDetails("1", holding=Decimal(20)), PlayerDetails("2", holding=Decimal(800))
        >>> strata.index_for((novice, novice)), strata.index_for((novice, master)), strata.index_for((novice, None))
        (2, 1, 0)
        """
        holdings = [player.holding for player in players if player is not None and player.holding is not None]
        if not players or len(holdings) < len(players):
            return 0
        holding = (
            Fraction(max(holdings))
            if self.by is StrataBy.HIGHER
            else Fraction(sum(holdings, Decimal(0))) / len(holdings)
        )
        own_index = 0
        for index, stratum in enumerate(self.strata):
            if stratum.limit is None or holding < stratum.limit:
                own_index = index
        return own_index


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition for the contestants of a ranking, which all their players must meet.

    >>> print(Filter.parse("age=60-"), "·", Filter.parse("club = North"), "·", Filter.parse("mixed"))
    60 and older · North · Mixed
    """

    club: str = ""
    youngest: int = 0
    oldest: int | None = None
    """The age limits, inclusive, for the age reached in the year of the ranking; None for no upper limit."""
    kind: str = ""
    """mixed (as many women as men), women, or empty."""

    def __str__(self) -> str:
        if self.oldest is None:
            ages = f"{self.youngest} and older" if self.youngest else ""
        else:
            ages = f"{self.youngest} to {self.oldest}" if self.youngest else f"Up to {self.oldest}"
        return ", ".join(part for part in (self.club, ages, self.kind.capitalize()) if part)

    @classmethod
    def parse(cls, text: str) -> "Filter":
        """Parse club=NAME, age=60-, age=-25, age=26-59, mixed or women. Raise BadInput for anything else."""
        key, _, value = (word.strip() for word in text.partition("="))
        if key in ("mixed", "women") and not value:
            return cls(kind=key)
        if key == "club" and value:
            return cls(club=value)
        if key == "age":
            low, dash, high = (word.strip() for word in value.partition("-"))
            youngest, oldest = parse_digits(low, 3), parse_digits(high, 3)
            if dash and (youngest is not None or oldest is not None) and _are_ages_or_empty(low, high):
                return cls(youngest=youngest or 0, oldest=oldest)
        raise BadInput(
            f"{text[:40]!r} is not a filter. Filters are club=NAME, age=60-, age=-25, age=26-59, mixed and women."
        )

    def has(self, players: Details, year: int) -> bool:
        """Return whether a contestant with these players fits; False if a detail that the filter needs is unknown."""
        members = [player for player in players if player is not None]
        if not members or len(members) < len(players):
            return False
        if self.club and any(name_key(player.club) != name_key(self.club) for player in members):
            return False
        if (self.youngest or self.oldest is not None) and not all(
            player.born is not None
            and self.youngest <= year - player.born
            and (self.oldest is None or year - player.born <= self.oldest)
            for player in members
        ):
            return False
        women = sum(player.sex == "W" for player in members)
        if self.kind == "mixed":
            return 2 * women == len(members) == 2 * sum(player.sex == "M" for player in members)
        return self.kind != "women" or women == len(members)


def _are_ages_or_empty(*texts: str) -> bool:
    return all(not text or parse_digits(text, 3) is not None for text in texts)


@dataclass(frozen=True, slots=True)
class FurtherRankings:
    """The additional rankings of a session or a series."""

    handicap: HandicapRule = HandicapRule.NONE
    strata: Strata = Strata()
    filters: tuple[Filter, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedRanking:
    """A further ranking with its title."""

    title: str
    ranking: Ranking


def details_of(players: Iterable[ReportPlayer], player_list: PlayerList) -> Details:
    """Return the details of each player; None for a player who is not in the list."""
    return tuple(player_list.find(player) for player in players)


def selected(
    ranking: Ranking, fits: Callable[[Contestant], bool], rules: ScoringRules, extras: Extras | None = None
) -> Ranking:
    """Return the ranking of the ranked contestants who fit; only `extras` change their points or percentages."""
    chosen = (standing for standing in ranking.standings if standing.rank and fits(standing.contestant))
    return Ranking(ranking.field, ranking.side, _ranked_again(chosen, rules, extras))


def _ranked_again(
    standings: Iterable[Standing], rules: ScoringRules, extras: Extras | None = None
) -> tuple[Standing, ...]:
    """Return these standings with new ranks among themselves."""
    chosen = {standing.contestant: standing for standing in standings}
    reranked = rank(
        (
            Tally(contestant, standing.exact_units, standing.top, standing.boards)
            for contestant, standing in chosen.items()
        ),
        extras,
        units_per_point=next((standing.units_per_point for standing in chosen.values()), UNIT),
        rules=rules,
    )
    # The units already include carry-over and adjustments; these are only shown.
    return tuple(
        replace(
            standing,
            carry_over=chosen[standing.contestant].carry_over,
            adjustment=chosen[standing.contestant].adjustment,
        )
        for standing in reranked
    )


def further_rankings(
    rankings: Iterable[Ranking],
    players: Mapping[Contestant, Sequence[ReportPlayer]],
    player_list: PlayerList,
    choices: FurtherRankings,
    *,
    rules: ScoringRules,
    year: int,
) -> tuple[NamedRanking, ...]:
    """Return the further rankings of a session, one for each of its rankings.

    A stratum includes the contestants of all lower ones; the highest equals the ranking itself and is left out.
    """
    if choices == FurtherRankings():
        return ()
    details = {
        contestant: details_of(pair_players, player_list) for contestant, pair_players in players.items()
    }
    all_rankings = list(rankings)
    further: list[NamedRanking] = []
    if choices.handicap is not HandicapRule.NONE:
        handicaps = {
            contestant: choices.handicap.of(contestant_details)
            for contestant, contestant_details in details.items()
        }
        extras = Extras(
            handicaps={
                contestant: _decimal(handicap) for contestant, handicap in handicaps.items() if handicap
            }
        )
        further += [
            NamedRanking("Handicap", selected(ranking, lambda contestant: True, rules, extras))
            for ranking in all_rankings
        ]
    for index, stratum in enumerate(choices.strata.strata[1:], 1):
        members = {
            contestant
            for contestant, contestant_details in details.items()
            if choices.strata.index_for(contestant_details) >= index
        }
        further += _named(f"Stratum {stratum.name}", all_rankings, members, rules)
    for filter_ in choices.filters:
        members = {
            contestant
            for contestant, contestant_details in details.items()
            if filter_.has(contestant_details, year)
        }
        further += _named(str(filter_), all_rankings, members, rules)
    return tuple(further)


def _named(
    title: str, rankings: Iterable[Ranking], members: set[Contestant], rules: ScoringRules
) -> list[NamedRanking]:
    return [NamedRanking(title, selected(ranking, members.__contains__, rules)) for ranking in rankings]


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


def with_enough_boards(rankings: Iterable[Ranking], minimum: int, rules: ScoringRules) -> tuple[Ranking, ...]:
    """Return the rankings with contestants who have fewer than `minimum` boards moved to the end, without a rank."""
    return tuple(
        replace(
            ranking,
            standings=_ranked_again(
                ranking.standings,
                rules,
                Extras(
                    unranked={
                        standing.contestant
                        for standing in ranking.standings
                        if standing.boards < minimum or not standing.rank
                    }
                ),
            ),
        )
        for ranking in rankings
    )
