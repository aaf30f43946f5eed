"""DTOs of the settings of table units for one section, built from the rows of `bridgemate.settings`."""

from types import new_class
from typing import TYPE_CHECKING, Any, ClassVar

from overtrick.bridgemate.settings import SECOND, THIRD, Setting
from overtrick.connector.wire.model import Int, Text, WireModel, WireOption


class SettingsDTO(WireModel, kw_only=True):
    """The settings of one generation for a section; `_dto` adds the properties that `ROWS` define."""

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


class _SecondDTO(SettingsDTO, kw_only=True):
    """All settings of the Bridgemate II for one section."""

    ROWS = SECOND

    @classmethod
    def prepare(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Convert each setting with three choices in the guide to the two booleans that shipped clients send."""
        for first, second, option in (
            ("BM2AutoBoardNumber", "BM2FirstBoardManually", _AUTO_BOARD_NUMBER),
            ("BM2ScoreRecap", "BM2AutoShowScoreRecap", _SCORE_RECAP),
        ):
            value = values.get(first)
            if isinstance(value, int | str) and not isinstance(value, bool):
                choice = option.read(value)
                values = values | {first: choice > 0, second: values.get(second) or choice == 2}
        return values


class _ThirdDTO(SettingsDTO, kw_only=True):
    """All settings of the Bridgemate III for one section."""

    ROWS = THIRD


def _dto(name: str, base: type[SettingsDTO]) -> Any:
    """Return the DTO class of a generation: a property that is absent is 0, False or None."""
    types: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    guide_names: dict[str, str] = {}

    def add(name: str, guide: str | None, kind: Any, default: object) -> None:
        types[name], defaults[name] = kind, default
        if guide is not None:
            guide_names[name] = guide

    for setting in base.ROWS:
        wire_name, choices = setting.property_name, setting.wire_choices
        if setting.switch:
            add(setting.switch, setting.switch_guide, bool, False)
        if not wire_name:
            continue
        if choices is not None:
            option = _option(f"{wire_name}Option", choices.numbers)
            add(wire_name, setting.guide, option, option(0))
        elif isinstance(setting.default, bool):
            add(wire_name, setting.guide, bool, False)
        elif isinstance(setting.default, int):
            add(wire_name, setting.guide, Int, 0)
        else:
            add(wire_name, setting.guide, Text | None, None)
    body = {
        "__module__": __name__,
        "__doc__": base.__doc__,
        "__annotations__": types,
        "GUIDE_NAMES": guide_names,
    }
    return new_class(name, (base,), {"kw_only": True}, lambda namespace: namespace.update(body | defaults))


if TYPE_CHECKING:

    class Bridgemate2SettingsDTO(_SecondDTO):
        """All settings of the Bridgemate II for one section."""

    class Bridgemate3SettingsDTO(_ThirdDTO):
        """All settings of the Bridgemate III for one section."""

else:
    Bridgemate2SettingsDTO = _dto("Bridgemate2SettingsDTO", _SecondDTO)
    Bridgemate3SettingsDTO = _dto("Bridgemate3SettingsDTO", _ThirdDTO)
