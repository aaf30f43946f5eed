"""Scoring: matchpoints, IMPs, victory points, board-a-match and Patton. Independent of events, movements and files.

`score` scores a finished session, `Scorer` one that is being played, and `overtrick.scoring.field.LargeField` a field
of thousands of pairs.
"""

from overtrick.scoring.imps import Datum, imps
from overtrick.scoring.lines import Contestant, Line, Rejected, Traveller, sift, travellers
from overtrick.scoring.matchpoints import SmallGroups, Unequal
from overtrick.scoring.method import Method, UnknownMethod
from overtrick.scoring.points import UNIT
from overtrick.scoring.ranking import Adjustment, CarryOver, Extras, Ranking, Standing
from overtrick.scoring.rules import RULE_SETS, ScoringRules, Ties, parse_rules, rule_set
from overtrick.scoring.scored import Scored, score
from overtrick.scoring.session import Options, ScoredLine, ScoredTraveller, Scorer, SideScore
from overtrick.scoring.swiss_pairs import PairMatch, PairView, SitOut, pair_rankings, score_pair_matches
from overtrick.scoring.teams import Match, MatchRuling, TeamMatchView, score_matches, team_rankings
from overtrick.scoring.vps import Scale, ScaleTable, parse_scale, victory_points

__all__ = [
    "RULE_SETS",
    "UNIT",
    "Adjustment",
    "CarryOver",
    "Contestant",
    "Datum",
    "Extras",
    "Line",
    "Match",
    "MatchRuling",
    "Method",
    "Options",
    "PairMatch",
    "PairView",
    "Ranking",
    "Rejected",
    "Scale",
    "ScaleTable",
    "Scored",
    "ScoredLine",
    "ScoredTraveller",
    "Scorer",
    "ScoringRules",
    "SideScore",
    "SitOut",
    "SmallGroups",
    "Standing",
    "TeamMatchView",
    "Ties",
    "Traveller",
    "Unequal",
    "UnknownMethod",
    "imps",
    "pair_rankings",
    "parse_rules",
    "parse_scale",
    "rule_set",
    "score",
    "score_matches",
    "score_pair_matches",
    "sift",
    "team_rankings",
    "travellers",
    "victory_points",
]
