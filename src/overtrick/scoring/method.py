"""The names and properties of the scoring methods; the computations are in other modules."""

from dataclasses import dataclass
from enum import Enum

from overtrick.errors import BadInput
from overtrick.scoring.imps import Datum
from overtrick.scoring.vps import Scale


class UnknownMethod(BadInput):
    """A number or a word that names no scoring method."""

    code = "unknown-method"


class Method(Enum):
    """A scoring method. The values are stored in journals and files, so they must not change.

    >>> Method("matchpoints").is_imps, Method("cross-imps-average").is_imps
    (False, True)
    """

    MATCHPOINTS = "matchpoints"
    BUTLER = "butler"
    """IMPs against a weighted datum; average plus is +2, as in every IMP method of pairs without a 3 in its name."""
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
    VPS_25_0 = "vps-25-0"
    """Victory points by the scale before 2013."""
    BOARD_A_MATCH = "board-a-match"
    PATTON = "patton"

    @staticmethod
    def of(number_or_word: int | str) -> "Method":
        """Return the method of a word, or of the number that scoring programs send; raise UnknownMethod otherwise.

        >>> Method.of(26), Method.of("Patton")
        (<Method.BUTLER_TRIMMED_3: 'butler-trimmed-3'>, <Method.PATTON: 'patton'>)
        """
        word = str(number_or_word).strip().lower()
        for method in Method:
            if word in (method.value, str(method.number)):
                return method
        methods = ", ".join(f"{method.value} ({method.number})" for method in Method)
        raise UnknownMethod(f"There is no method of scoring {number_or_word!r}. There are: {methods}.")

    @property
    def number(self) -> int:
        """Return the number that scoring programs send for it; 52 is our own, because they have none for that scale."""
        return _TRAITS[self].number

    @property
    def is_imps(self) -> bool:
        """True if pairs are compared by IMPs."""
        return self.is_butler or self.value.startswith("cross-imps")

    @property
    def is_butler(self) -> bool:
        """True if pairs are compared with a datum."""
        return self.value.startswith("butler")

    @property
    def is_teams(self) -> bool:
        """True if two tables make one match."""
        return self.number >= 40

    @property
    def has_top(self) -> bool:
        """True if a board has a best possible score, so that there are percentages."""
        return self in (Method.MATCHPOINTS, Method.BOARD_A_MATCH, Method.PATTON)

    @property
    def average_plus(self) -> int:
        """The IMPs of an average plus; an average minus costs as many."""
        return _TRAITS[self].average_plus

    @property
    def datum(self) -> Datum:
        """Return the datum of Butler scoring; the mean for other methods, which do not use it."""
        return _TRAITS[self].datum

    @property
    def is_average(self) -> bool:
        """True if cross-IMPs are divided by the number of comparisons."""
        return "average" in self.value

    @property
    def scale(self) -> Scale | None:
        """The scale of victory points; None for methods without them."""
        return _TRAITS[self].scale

    @property
    def point(self) -> str:
        """Return the unit of a point for a column's header: MP, IMP, VP, BAM or Patton."""
        return _TRAITS[self].point


@dataclass(frozen=True, slots=True)
class _Traits:
    number: int
    point: str = "IMP"
    average_plus: int = 3
    datum: Datum = Datum.MEAN
    scale: Scale | None = None


_TRAITS = {
    Method.MATCHPOINTS: _Traits(10, "MP"),
    Method.BUTLER: _Traits(20, average_plus=2, datum=Datum.WEIGHTED),
    Method.BUTLER_TRIMMED: _Traits(21, average_plus=2, datum=Datum.TRIMMED),
    Method.BUTLER_MEAN: _Traits(22, average_plus=2),
    Method.BUTLER_3: _Traits(25, datum=Datum.WEIGHTED),
    Method.BUTLER_TRIMMED_3: _Traits(26, datum=Datum.TRIMMED),
    Method.BUTLER_MEAN_3: _Traits(27),
    Method.CROSS_IMPS: _Traits(30, average_plus=2),
    Method.CROSS_IMPS_AVERAGE: _Traits(31, average_plus=2),
    Method.CROSS_IMPS_3: _Traits(35),
    Method.CROSS_IMPS_AVERAGE_3: _Traits(36),
    Method.TEAM_IMPS: _Traits(40),
    Method.VPS_DISCRETE: _Traits(50, "VP", scale=Scale.DISCRETE),
    Method.VPS_CONTINUOUS: _Traits(51, "VP", scale=Scale.CONTINUOUS),
    Method.VPS_25_0: _Traits(52, "VP", scale=Scale.OLD),
    Method.BOARD_A_MATCH: _Traits(60, "BAM"),
    Method.PATTON: _Traits(70, "Patton"),
}
