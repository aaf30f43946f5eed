"""DTOs of the settings of table units for one section, built from the rows of `bridgemate.settings`."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import AliasChoices, Field, create_model, model_validator

from overtrick.bridgemate.settings import SECOND, THIRD, Setting
from overtrick.connector.wire.model import Bool, Int, Text, WireModel, WireOption


class SettingsDTO(WireModel):
    """The settings of one generation for a section: a property for each row of `ROWS`."""

    ROWS: ClassVar[tuple[Setting, ...]] = ()

    SessionGuid: Text | None = None
    SectionLetters: Text | None = None

    if TYPE_CHECKING:

        def __init__(self, **properties: Any) -> None: ...
        def __getattr__(self, name: str) -> Any: ...


def _option(name: str, numbers: dict[str, int]) -> Any:
    make: Any = WireOption
    return make(name, numbers, module=__name__)


_AUTO_BOARD_NUMBER = _option(
    "AutoBoardNumber", {"NoAutoBoardNumber": 0, "AutoBoardNumber": 1, "FirstBoardManually": 2}
)
_SCORE_RECAP = _option("ScoreRecap", {"NoScoreRecap": 0, "UseScoreRecap": 1, "AutomaticScoreRecap": 2})


class _SecondDTO(SettingsDTO):
    """All settings of the Bridgemate II for one section."""

    ROWS = SECOND

    @model_validator(mode="before")
    @classmethod
    def _three_choices_as_two_booleans(cls, values: Any) -> Any:
        """Convert the guide's three choices to the two booleans that shipped clients send."""
        if type(values) is not dict:
            return values
        for first, second, option in (
            ("BM2AutoBoardNumber", "BM2FirstBoardManually", _AUTO_BOARD_NUMBER),
            ("BM2ScoreRecap", "BM2AutoShowScoreRecap", _SCORE_RECAP),
        ):
            value = values.get(first)
            if isinstance(value, int | str) and not isinstance(value, bool):
                choice = option.read(value)
                values = values | {first: choice > 0, second: values.get(second) or choice == 2}
        return values


class _ThirdDTO(SettingsDTO):
    """All settings of the Bridgemate III for one section."""

    ROWS = THIRD


def _properties(rows: Iterable[Setting]) -> dict[str, Any]:
    """Return the types and defaults of the properties: absent means zero, no or nothing."""
    properties: dict[str, Any] = {}

    def add(name: str, guide: str | None, kind: Any, default: object) -> None:
        if guide is not None:
            kind = Annotated[kind, Field(validation_alias=AliasChoices(name, guide))]
        properties[name] = kind, default

    for setting in rows:
        name, choices = setting.property_name, setting.wire_choices
        if setting.switch:
            add(setting.switch, setting.switch_guide, Bool, False)
        if not name:
            continue
        if choices is not None:
            option = _option(f"{name}Option", choices.numbers)
            add(name, setting.guide, option, option(0))
        elif isinstance(setting.default, bool):
            add(name, setting.guide, Bool, False)
        elif isinstance(setting.default, int):
            add(name, setting.guide, Int, 0)
        else:
            add(name, setting.guide, Text | None, None)
    return properties


if TYPE_CHECKING:

    class Bridgemate2SettingsDTO(_SecondDTO):
        """All settings of the Bridgemate II for one section."""

    class Bridgemate3SettingsDTO(_ThirdDTO):
        """All settings of the Bridgemate III for one section."""

else:
    Bridgemate2SettingsDTO = create_model(
        "Bridgemate2SettingsDTO", __base__=_SecondDTO, __module__=__name__, **_properties(SECOND)
    )
    Bridgemate3SettingsDTO = create_model(
        "Bridgemate3SettingsDTO", __base__=_ThirdDTO, __module__=__name__, **_properties(THIRD)
    )
