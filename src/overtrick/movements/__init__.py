"""Movements: the matches of every round with their tables and boards. Pure: no I/O, independent of events."""

from overtrick.movements.catalogue import (
    Choice,
    MovementOptions,
    choose,
    choose_individuals,
    choose_own,
    choose_teams,
)
from overtrick.movements.draws import Draw, DrawMethod, EarlierRounds, draw_round, most_rounds, objections
from overtrick.movements.howells import howell, howell_rounds
from overtrick.movements.individuals import IndividualKind, individual
from overtrick.movements.mitchells import MitchellKind, mitchell
from overtrick.movements.model import (
    CardLine,
    Movement,
    MovementContestant,
    MovementError,
    Promises,
    Station,
    curtailed,
    resized,
)
from overtrick.movements.round_robins import round_robin
from overtrick.movements.sharing import BoardSharing, sharing
from overtrick.movements.swiss import swiss_round, swiss_triangle
from overtrick.movements.validation import MovementProblem, check, observed

__all__ = [
    "BoardSharing",
    "CardLine",
    "Choice",
    "Draw",
    "DrawMethod",
    "EarlierRounds",
    "IndividualKind",
    "MitchellKind",
    "Movement",
    "MovementContestant",
    "MovementError",
    "MovementOptions",
    "MovementProblem",
    "Promises",
    "Station",
    "check",
    "choose",
    "choose_individuals",
    "choose_own",
    "choose_teams",
    "curtailed",
    "draw_round",
    "howell",
    "howell_rounds",
    "individual",
    "mitchell",
    "most_rounds",
    "objections",
    "observed",
    "resized",
    "round_robin",
    "sharing",
    "swiss_round",
    "swiss_triangle",
]
