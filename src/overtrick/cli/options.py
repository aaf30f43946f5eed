"""Options that several command groups share, and dataclasses as groups of options."""

import os
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_type_hints

import typer

ListFormat = Literal["table", "csv", "json"]
"""The forms of a list: for people, or for programs."""

AsList = Annotated[
    ListFormat,
    typer.Option("--format", "-f", help="Output format; json is a line with an object for each entry."),
]


OptionalJournal = TypeVar("OptionalJournal", str, "str | None")


def file_of_folder(journal: OptionalJournal) -> OptionalJournal:
    """Return the journal file in a folder, which need not exist yet; return other values unchanged."""
    if journal is None or not os.path.isdir(journal):  # noqa: PTH112 - unlike a Path's, it takes text of any length
        return journal
    from overtrick.host.lookup import JOURNAL, JOURNALS, journal_in

    folder = Path(journal)
    return str(journal_in(folder) if any((folder / name).exists() for name in JOURNALS) else folder / JOURNAL)


JOURNAL_NAMES = "--journal", "-j", "--data"
"""The names of the option for a journal; `--data` is its name up to 0.1 in commands about a folder."""

Journal = Annotated[
    str,
    typer.Option(
        *JOURNAL_NAMES,
        envvar="OVERTRICK_JOURNAL",
        help="The journal: its file, its folder, or an address that begins with postgresql:",
        callback=file_of_folder,
    ),
]


Data = Annotated[
    str,
    typer.Option(
        *JOURNAL_NAMES,
        envvar="OVERTRICK_JOURNAL",
        help="The folder of the journal and the keys, or a journal's address that begins with postgresql:",
    ),
]
HERE = "overtrick-data"

SessionName = Annotated[
    str | None, typer.Option(help="The guid or the name of the session, if there are several.")
]

Only = Annotated[
    list[str] | None,
    typer.Option(
        help="Also rank those of a club (club=NAME), an age (age=60-, age=-25), mixed or women; may be repeated.",
        metavar="FILTER",
    ),
]

Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", help="The file to write, or for html the folder; by default the terminal."
    ),
]


def takes_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command for Typer from a function that takes dataclasses of options besides single parameters.

    Typer needs one parameter for each option, so the returned function has the fields of the dataclasses, in order.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters: list[Parameter] = []
    for parameter in signature(command).parameters.values():
        group = groups.get(parameter.name)
        if group is None:
            annotation = hints[parameter.name]
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=annotation))
        else:
            parameters += _parameters_of(group)

    def run(**values: Any) -> None:
        for name, kind in groups.items():
            values[name] = kind(**{field.name: values.pop(field.name) for field in fields(kind)})
        command(**values)

    run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return run


def _parameters_of(group: Any) -> Iterator[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for field in fields(group):
        default = Parameter.empty if field.default is MISSING else field.default
        yield Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=hints[field.name])
