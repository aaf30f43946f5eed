"""Further rankings of a session, by handicap, strata and filters, and the details of players that they need."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

from overtrick.errors import BadInput
from overtrick.event.command import Command
from overtrick.event.fact import Fact, fact
from overtrick.event.rejection import Problem, Reason, Rejection
from overtrick.scoring.more_rankings import Filter, FurtherRankings, HandicapRule, Strata, StrataBy
from overtrick.scoring.player_list import PlayerDetails, PlayerList, name_key

if TYPE_CHECKING:
    from overtrick.event.session import Session


@fact("player-details-set")
class PlayerDetailsSet(Fact):
    """The details of a player; a player without a number is identified by name."""

    number: str
    name: str
    handicap: Decimal | None = None
    holding: Decimal | None = None
    club: str = ""
    born: int | None = None
    sex: str = ""

    @property
    def details(self) -> PlayerDetails:
        """Return the details as a value of `scoring`."""
        return PlayerDetails(
            self.number, self.name, self.handicap, self.holding, self.club, self.born, self.sex
        )


@fact("further-rankings-set")
class FurtherRankingsSet(Fact):
    """The session has these rankings besides its main one."""

    handicap: HandicapRule = HandicapRule.NONE
    strata: str = ""
    """Names and limits as text, such as `A, B:500, C:100`."""
    strata_by: StrataBy = StrataBy.AVERAGE
    filters: tuple[str, ...] = ()
    """Each as text, such as `club=North`, `age=60-` or `mixed`."""

    @property
    def rankings(self) -> FurtherRankings:
        """Return the rankings, parsed; raise BadInput if a text is not valid."""
        return FurtherRankings(
            self.handicap,
            Strata.parse(self.strata, self.strata_by),
            tuple(Filter.parse(text) for text in self.filters),
        )


@dataclass(frozen=True, slots=True)
class PutPlayerDetails(Command):
    """Set the details of players."""

    session: str
    players: tuple[PlayerDetails, ...]


@dataclass(frozen=True, slots=True)
class SetFurtherRankings(Command):
    """Choose the rankings that a session has besides its main one."""

    session: str
    handicap: HandicapRule = HandicapRule.NONE
    strata: str = ""
    strata_by: StrataBy = StrataBy.AVERAGE
    filters: tuple[str, ...] = ()


@dataclass(slots=True)
class SessionRankings:
    """The further rankings of a session, and the details of its players."""

    chosen: FurtherRankingsSet = field(default_factory=FurtherRankingsSet)
    details: dict[tuple[str, str], PlayerDetailsSet] = field(default_factory=dict)
    """By number, or by name if there is none."""

    def copy(self) -> SessionRankings:
        """Return a copy that can be changed independently."""
        return SessionRankings(self.chosen, dict(self.details))

    def players(self) -> PlayerList:
        """Return the details of all players."""
        return PlayerList(entry.details for entry in self.details.values())


def _key(number: str, name: str) -> tuple[str, str]:
    return (number, "") if number else ("", name_key(name))


def apply(rankings: SessionRankings, fact: Fact) -> None:
    """Apply one fact to the further rankings, in place."""
    match fact:
        case PlayerDetailsSet():
            rankings.details[_key(fact.number, fact.name)] = fact
        case FurtherRankingsSet():
            rankings.chosen = fact


def put_player_details(session: Session, command: PutPlayerDetails) -> tuple[Fact, ...] | Rejection:
    """Decide about the details of players; unchanged ones make no fact."""
    stored = session.further.details
    facts: dict[tuple[str, str], Fact] = {}
    for player in command.players:
        key = _key(player.number, player.name)
        details = PlayerDetailsSet(
            player.number, player.name, player.handicap, player.holding, player.club, player.born, player.sex
        )
        if stored.get(key) == details:
            facts.pop(key, None)
        else:
            facts[key] = details
    return tuple(facts.values())


def set_further_rankings(session: Session, command: SetFurtherRankings) -> tuple[Fact, ...] | Rejection:
    """Decide about the further rankings; rejected if the strata or a filter cannot be parsed."""
    chosen = FurtherRankingsSet(command.handicap, command.strata, command.strata_by, command.filters)
    try:
        strata = str(chosen.rankings.strata)
    except BadInput as error:
        return Rejection((Problem(Reason.NOT_ALLOWED, str(error)),))
    chosen = FurtherRankingsSet(command.handicap, strata, command.strata_by, command.filters)
    return () if session.further.chosen == chosen else (chosen,)
