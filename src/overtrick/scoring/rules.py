"""Rule sets: the choices that federations and clubs make, under one name. Independent of contestants and files.

A rule set is chosen for a session and says how its results are counted; `docs/explanation/scoring.md` has a worked
board for each choice. A club writes its own in TOML: a name, the set that it is based on, and what is different.
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from decimal import Decimal, InvalidOperation
from enum import Enum
from typing import Any

from overtrick.errors import BadInput
from overtrick.scoring.imps import Datum
from overtrick.scoring.matchpoints import SmallGroups, Unequal
from overtrick.scoring.vps import Scale, ScaleTable, parse_scale


class Ties(Enum):
    """The rule for ties in a ranking."""

    EXACT = "exact"
    """Those whose results are equal without any rounding."""
    PUBLISHED = "published"
    """Those whose results are equal as they are published."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The choices of a rule set."""

    name: str = "WBF"
    unequal: Unequal = Unequal.NEUBERG
    """Boards with fewer scores than others."""
    small_groups: SmallGroups = SmallGroups.FORMULA
    """Groups of few scores on a board that was fouled."""
    better_average: bool = True
    """True if an award of exactly 60 is at least what the contestant has on its real boards, one of 40 at most."""
    average_plus_imps: Decimal | None = None
    """The IMPs of an award of 60, and the loss for one of 40; None: as the method has it."""
    datum: Datum | None = None
    """The datum of Butler scoring; None: as the method has it."""
    vp_scale: Scale | ScaleTable = Scale.CONTINUOUS
    """The scale of matches of pairs by IMPs. Teams have the one that their method names, unless this is a table."""
    sit_out_vps: Decimal = Decimal(12)
    """The score of a contestant that sits out a round of a Swiss event."""
    decimals: int = 2
    """The decimals with which percentages, matchpoints and cross-IMPs are published."""
    imp_decimals: int = 1
    """The decimals of the IMPs of a match where they are final; where victory points follow they are whole."""
    ties: Ties = Ties.EXACT

    def imps_of_average_plus(self, of_method: int) -> Decimal | int:
        """Return the IMPs of an award of 60."""
        return of_method if self.average_plus_imps is None else self.average_plus_imps


WBF = Rules()
ACBL = Rules("ACBL", small_groups=SmallGroups.ACBL)
EBU = Rules("EBU", small_groups=SmallGroups.EBU, vp_scale=Scale.DISCRETE)
NZ = Rules("NZ", small_groups=SmallGroups.EBU)

RULE_SETS: Mapping[str, Rules] = {rules.name: rules for rules in (WBF, ACBL, EBU, NZ)}
"""The rule sets that are built in, by name."""


def rule_set(name: str) -> Rules:
    """Return the built-in rule set of that name.

    >>> rule_set("ebu").small_groups
    <SmallGroups.EBU: 'ebu'>
    """
    found = RULE_SETS.get(name.strip().upper())
    if found is None:
        raise BadInput(f"There is no rule set {name!r}. There are: {', '.join(RULE_SETS)}.")
    return found


def parse_rules(text: str) -> Rules:
    """Return the rule set that a TOML text says.

    >>> own = parse_rules('name = "Our club"\\nbased_on = "EBU"\\nunequal = "factor"\\nsit_out_vps = 11.5')
    >>> own.name, own.unequal.value, own.small_groups.value, own.sit_out_vps
    ('Our club', 'factor', 'ebu', Decimal('11.5'))
    """
    try:
        said: dict[str, Any] = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"The rule set cannot be read: {error}.") from None
    based_on = said.pop("based_on", WBF.name)
    base = rule_set(based_on if isinstance(based_on, str) else repr(based_on))
    name = said.pop("name", None)
    if not isinstance(name, str) or not name.strip():
        raise BadInput('A rule set has a name: name = "Our club".')
    if name.strip().upper() in RULE_SETS:
        raise BadInput(f"{name} is a rule set that is built in; give this one another name.")
    unknown = sorted(set(said) - set(_READERS))
    if unknown:
        raise BadInput(f"A rule set has no {unknown[0]!r}; it has {', '.join(_READERS)}.")
    return replace(base, name=name.strip(), **{key: _READERS[key](key, value) for key, value in said.items()})


def describe(rules: Rules) -> dict[str, str]:
    """Return every choice of a rule set in a word or a number, as its file would say it.

    >>> describe(EBU)["small_groups"], describe(EBU)["vp_scale"]
    ('ebu', 'discrete')
    """
    return {field.name: _written(getattr(rules, field.name)) for field in fields(rules)}


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, ScaleTable):
        return value.name
    return "as the method says" if value is None else str(value)


def _word(kind: type[Enum]) -> Callable[[str, object], Any]:
    def read(key: str, value: object) -> Any:
        for choice in kind:
            if choice.value == value:
                return choice
        known = ", ".join(str(choice.value) for choice in kind)
        raise BadInput(f"{key} cannot be {value!r}; it is one of: {known}.")

    return read


def _yes_or_no(key: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise BadInput(f"{key} is true or false, not {value!r}.")


def _number(key: str, value: object) -> Decimal:
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        number = Decimal(-1)
    if isinstance(value, bool) or not number.is_finite() or not 0 <= number <= 100:
        raise BadInput(f"{key} is a number from 0 to 100, not {value!r}.")
    return number


def _decimals(key: str, value: object) -> int:
    if isinstance(value, bool) or value not in (0, 1, 2, 3, 4):
        raise BadInput(f"{key} is a number from 0 to 4, not {value!r}.")
    return int(str(value))


def _scale(key: str, value: object) -> Scale | ScaleTable:
    if isinstance(value, dict):
        return parse_scale(value)
    found: Scale = _word(Scale)(key, value)
    return found


_READERS: dict[str, Callable[[str, object], Any]] = {
    "unequal": _word(Unequal),
    "small_groups": _word(SmallGroups),
    "better_average": _yes_or_no,
    "average_plus_imps": _number,
    "datum": _word(Datum),
    "vp_scale": _scale,
    "sit_out_vps": _number,
    "decimals": _decimals,
    "imp_decimals": _decimals,
    "ties": _word(Ties),
}
