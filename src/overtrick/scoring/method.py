"""The scoring methods that there are, as one word each; what each computes is in its own module."""

from enum import Enum


class Method(Enum):
    """How results become points. The words are kept in journals and files, and do not change.

    >>> Method("matchpoints").is_imps, Method("cross-imps-average").is_imps
    (False, True)
    """

    MATCHPOINTS = "matchpoints"
    BUTLER = "butler"
    """IMPs against a weighted datum; average plus is +2, as in every method without a 3 in its name."""
    BUTLER_TRIMMED = "butler-trimmed"
    """The datum leaves out the best and the worst tenth."""
    BUTLER_MEAN = "butler-mean"
    BUTLER_3 = "butler-3"
    BUTLER_TRIMMED_3 = "butler-trimmed-3"
    BUTLER_MEAN_3 = "butler-mean-3"
    CROSS_IMPS = "cross-imps"
    CROSS_IMPS_AVERAGE = "cross-imps-average"
    CROSS_IMPS_3 = "cross-imps-3"
    CROSS_IMPS_AVERAGE_3 = "cross-imps-average-3"
    TEAM_IMPS = "team-imps"
    VPS_DISCRETE = "vps-discrete"
    VPS_CONTINUOUS = "vps-continuous"
    BOARD_A_MATCH = "board-a-match"
    PATTON = "patton"

    @property
    def is_imps(self) -> bool:
        """Whether pairs are compared by IMPs."""
        return self.value.startswith(("butler", "cross-imps"))

    @property
    def is_teams(self) -> bool:
        """Whether two tables make one match."""
        return self in _TEAMS


_TEAMS = frozenset(
    {
        Method.TEAM_IMPS,
        Method.VPS_DISCRETE,
        Method.VPS_CONTINUOUS,
        Method.BOARD_A_MATCH,
        Method.PATTON,
    }
)
