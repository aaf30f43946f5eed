"""Rule sets: the choices that federations and clubs make, under one name. Independent of contestants and files.

Each session is scored by one rule set; `docs/explanation/scoring.md` has a worked board for each choice. A club writes
its own set in TOML: a name, the set that it is based on, and the choices that differ.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from decimal import Decimal, InvalidOperation
from enum import Enum
from functools import partial
from typing import Any

from overtrick.errors import BadInput
from overtrick.scoring.imps import Datum
from overtrick.scoring.matchpoints import SmallGroups, Unequal
from overtrick.scoring.method import Method
from overtrick.scoring.points import to_fraction
from overtrick.scoring.toml_values import parse_choice, parse_toml, quoted
from overtrick.scoring.vps import PERCENTAGES, Scale, ScaleTable, parse_scale, write_scale


class Ties(Enum):
    """The rule for ties in a ranking."""

    EXACT = "exact"
    """Results tie if they are equal without rounding."""
    PUBLISHED = "published"
    """Results tie if they are equal when rounded to the published decimals."""


@dataclass(frozen=True, slots=True)
class ScoringRules:
    """The choices of a rule set."""

    name: str = "WBF"
    unequal: Unequal = Unequal.NEUBERG
    """The treatment of boards with fewer scores than others."""
    small_groups: SmallGroups = SmallGroups.FORMULA
    """The treatment of small groups of scores on a fouled board."""
    better_average: bool = True
    """True if an award of exactly 60 is never below the contestant's result on other boards, and 40 never above."""
    average_plus_imps: Decimal | None = None
    """The IMPs gained by an award of 60 and lost by one of 40; None for those of the method."""
    datum: Datum | None = None
    """The datum of Butler scoring; None for that of the method."""
    vp_scale: Scale | ScaleTable = Scale.CONTINUOUS
    """The scale for matches of pairs. A table in per cent is for matchpoints, any other scale for IMPs. Teams use it
    only if it is a table, else the scale of their method."""
    sit_out_vps: Decimal = Decimal(12)
    """The victory points for sitting out a round of a Swiss event."""
    decimals: int = 2
    """The published decimals of points and percentages."""
    imp_decimals: int = 1
    """The decimals of the IMPs of a match without victory points; before conversion to those, IMPs are whole."""
    ties: Ties = Ties.EXACT
    method: Method | None = None
    """The scoring method; None leaves it to the session."""

    @property
    def imp_table(self) -> ScaleTable | None:
        """The table for IMPs; None if the scale is built in or in per cent."""
        scale = self.vp_scale
        return scale if isinstance(scale, ScaleTable) and not scale.is_percentage else None

    @property
    def imp_scale(self) -> Scale | ScaleTable:
        """The scale for matches of pairs by IMPs; the continuous one if the chosen table is in per cent."""
        return self.imp_table or (self.vp_scale if isinstance(self.vp_scale, Scale) else Scale.CONTINUOUS)

    @property
    def percentage_scale(self) -> ScaleTable:
        """The scale for matches of pairs by percentage; the built-in one unless the chosen table is in per cent."""
        scale = self.vp_scale
        return scale if isinstance(scale, ScaleTable) and scale.is_percentage else PERCENTAGES

    def imps_of_average_plus(self, of_method: int) -> Decimal | int:
        """Return the IMPs of an award of 60; `of_method` if the rule set has none of its own."""
        return of_method if self.average_plus_imps is None else self.average_plus_imps


WBF = ScoringRules()
ACBL = ScoringRules("ACBL", small_groups=SmallGroups.ACBL)
EBU = ScoringRules("EBU", small_groups=SmallGroups.EBU, vp_scale=Scale.DISCRETE)
NZ = ScoringRules("NZ", small_groups=SmallGroups.EBU)

RULE_SETS: Mapping[str, ScoringRules] = {rules.name: rules for rules in (WBF, ACBL, EBU, NZ)}
"""The built-in rule sets, by name."""


def rule_set(name: str) -> ScoringRules:
    """Return the built-in rule set of that name, in upper or lower case. Raise BadInput if there is none.

    >>> rule_set("ebu").small_groups
    <SmallGroups.EBU: 'ebu'>
    """
    rules = RULE_SETS.get(name.strip().upper())
    if rules is None:
        raise BadInput(f"There is no rule set {name!r}. There are: {', '.join(RULE_SETS)}.")
    return rules


def parse_rules(text: str, *, is_own: bool = True) -> ScoringRules:
    """Parse a rule set from TOML. Raise BadInput for a bad text or, if `is_own`, for the name of a built-in set.

    >>> own = parse_rules('name = "Our club"\\nbased_on = "EBU"\\nunequal = "factor"\\nsit_out_vps = 11.5')
    >>> own.name, own.unequal.value, own.small_groups.value, own.sit_out_vps
    ('Our club', 'factor', 'ebu', Decimal('11.5'))
    """
    choices = parse_toml(text, "The rule set")
    based_on = choices.pop("based_on", WBF.name)
    base = rule_set(based_on if isinstance(based_on, str) else repr(based_on))
    name = choices.pop("name", None)
    if not isinstance(name, str) or not name.strip():
        raise BadInput('A rule set has a name: name = "Our club".')
    if is_own and name.strip().upper() in RULE_SETS:
        raise BadInput(f"{name} is a rule set that is built in; give this one another name.")
    unknown = sorted(set(choices) - set(_PARSERS))
    if unknown:
        raise BadInput(f"A rule set has no {unknown[0]!r}; it has {', '.join(_PARSERS)}.")
    return replace(
        base, name=name.strip(), **{key: _PARSERS[key](key, value) for key, value in choices.items()}
    )


def write_rules(rules: ScoringRules) -> str:
    """Return a rule set as TOML that `parse_rules` reads back unchanged; choices that are None are left out.

    >>> parse_rules(write_rules(EBU), is_own=False) == EBU
    True
    """
    lines = [f"name = {quoted(rules.name)}"]
    table = ""
    for key in _PARSERS:
        value = getattr(rules, key)
        if isinstance(value, ScaleTable):
            table = "\n[vp_scale]\n" + write_scale(value).replace("[[match]]", "[[vp_scale.match]]")
        elif value is not None:
            lines.append(f"{key} = {_toml(value)}")
    return "\n".join(lines) + "\n" + table


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Enum):
        return quoted(str(value.value))
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def title(rules: ScoringRules) -> str:
    """Return the name of a rule set, with the choices in which it differs from the built-in set of that name.

    >>> title(EBU), title(replace(EBU, unequal=Unequal.FACTOR))
    ('EBU', 'EBU with unequal: factor')
    """
    built_in = RULE_SETS.get(rules.name)
    choices, built_in_choices = describe(rules), describe(built_in or rules)
    changed = ", ".join(
        f"{key.replace('_', ' ')}: {value}"
        for key, value in choices.items()
        if built_in_choices[key] != value
    )
    return f"{rules.name} with {changed}" if changed else rules.name


def scale_problem(rules: ScoringRules, method: Method, *, pairs_vps: bool = False) -> str:
    """Return a sentence if the table of a rule set cannot give the victory points of a session; otherwise empty.

    `pairs_vps` is true if pairs are ranked by victory points. Without victory points any table is accepted.

    >>> scale_problem(ScoringRules(vp_scale=PERCENTAGES), Method.VPS_CONTINUOUS)
    "The table 'percentages' is in per cent, but vps-continuous gives victory points for IMPs."
    """
    table = rules.vp_scale
    if not isinstance(table, ScaleTable) or not (pairs_vps or method.scale is not None):
        return ""
    if table.is_percentage is (method is Method.MATCHPOINTS):
        return ""
    own, other = ("per cent", "IMPs") if table.is_percentage else ("IMPs", "percentages")
    return f"The table {table.name!r} is in {own}, but {method.value} gives victory points for {other}."


def describe(rules: ScoringRules) -> dict[str, str]:
    """Return the name and every choice of a rule set as words or numbers for people, by field name.

    >>> describe(EBU)["small_groups"], describe(EBU)["vp_scale"]
    ('ebu', 'discrete')
    """
    choices = {field.name: _choice_text(getattr(rules, field.name)) for field in fields(rules)}
    return choices if rules.method else {**choices, "method": "any"}


def _choice_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, ScaleTable):
        return value.name
    return "as the method says" if value is None else str(value)


def _boolean(key: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise BadInput(f"{key} is true or false, not {value!r}.")


def _method(key: str, value: object) -> Method:
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise BadInput(f"{key} is the name or the number of a scoring method, not {str(value)[:20]!r}.")
    return Method.of(value)


def _number(key: str, value: object) -> Decimal:
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        number = Decimal(-1)
    if isinstance(value, bool) or to_fraction(number) is None or not 0 <= number <= 100:
        raise BadInput(f"{key} is a number from 0 to 100, not {value!r}.")
    return number


def _decimals(key: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 4:
        raise BadInput(f"{key} is a whole number from 0 to 4, not {value!r}.")
    return value


def _scale(key: str, value: object) -> Scale | ScaleTable:
    if isinstance(value, dict):
        return parse_scale(value)
    scale: Scale = parse_choice(Scale, key, value)
    return scale


_PARSERS: dict[str, Callable[[str, object], Any]] = {
    "method": _method,
    "unequal": partial(parse_choice, Unequal),
    "small_groups": partial(parse_choice, SmallGroups),
    "better_average": _boolean,
    "average_plus_imps": _number,
    "datum": partial(parse_choice, Datum),
    "vp_scale": _scale,
    "sit_out_vps": _number,
    "decimals": _decimals,
    "imp_decimals": _decimals,
    "ties": partial(parse_choice, Ties),
}
