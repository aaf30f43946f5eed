"""The reference pages of the settings, printed from the table in `bridgemate.settings`.

`python -m overtrick.control.reference settings` prints docs/reference/settings.md, and `… not-honoured` prints
docs/not-honoured.md; a test compares both with what this module prints.
"""

import sys
from collections.abc import Iterator

from overtrick.bridgemate.settings import SECOND, THIRD, Setting, SettingSupport


def _names(setting: Setting) -> str:
    """Return the names of a setting in the documents: its columns, or the property of shipped clients."""
    names = (setting.switch, setting.column or setting.property_name)
    return ", ".join(name for name in names if name) or setting.name.replace("_", " ")


def settings_page() -> Iterator[str]:
    """Yield the lines of docs/reference/settings.md."""
    yield "# Settings of the terminals"
    yield ""
    yield "This page lists the settings in Bridgemate's `.bws` guide and in the Data Connector's guide, with"
    yield "their effect at a terminal of Overtrick. Settings belong to a section; for AutoShutDownBPC and"
    yield "MaximumResults the first section's value counts for all. Terminals follow the settings of the"
    yield "generation of table units that was chosen for the session, or of Bridgemate III if none was. If only"
    yield "one generation has settings, they apply to both."
    yield ""
    yield "This page is generated from the code: `python -m overtrick.control.reference settings`."
    for title, table in (("Bridgemate Pro and II", SECOND), ("Bridgemate III", THIRD)):
        yield ""
        yield f"## {title}"
        yield ""
        yield "| setting | name in Overtrick | effect |"
        yield "|---|---|---|"
        for setting in table:
            effect = setting.effect
            if setting.support is not SettingSupport.HONOURED:
                effect = f"*{setting.support.value}*: {effect}"
            yield f"| {_names(setting)} | `{setting.name}` | {effect} |"


def not_honoured_page() -> Iterator[str]:
    """Yield the lines of docs/not-honoured.md."""
    yield "# What is accepted and not honoured"
    yield ""
    yield "These settings are read, stored and passed on, and have no effect at a terminal of Overtrick."
    yield "Properties that the Data Connector ignores are listed on [its own page](reference/connector.md)."
    yield ""
    yield "This page is generated from the code: `python -m overtrick.control.reference not-honoured`."
    for title, support in (
        ("Not honoured", SettingSupport.NOT),
        ("For hardware alone", SettingSupport.PASSED_ON),
    ):
        yield ""
        yield f"## {title}"
        yield ""
        yield "| setting | why |"
        yield "|---|---|"
        for setting in (*SECOND, *THIRD):
            if setting.support is support:
                yield f"| {_names(setting)} | {setting.effect} |"
    yield ""
    yield "Only the digits of JCBL numbers are checked, because the rule of their check digit is not published."


PAGES = {"settings": settings_page, "not-honoured": not_honoured_page}

if __name__ == "__main__":
    print("\n".join(PAGES[sys.argv[1]]()))
