"""What MkDocs does besides: pages that the nav does not name get a place in it, and lists are made from the code."""

import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def on_config(config: Any) -> Any:
    """Put each page that the nav does not name at the end of the part whose pages are in its folder."""
    docs = Path(config["docs_dir"])
    listed = set(_named(config["nav"]))
    parts = [part for item in config["nav"] if isinstance(item, dict) for part in item.values()]
    for page in sorted(path.relative_to(docs).as_posix() for path in docs.rglob("*.md")):
        folder = page.partition("/")[0] + "/"
        part = next((part for part in parts if any(name.startswith(folder) for name in _named(part))), None)
        if page not in listed and part is not None:
            part.append(page)
    return config


def _named(items: list[Any]) -> Iterator[str]:
    for item in items:
        if isinstance(item, str):
            yield item
        else:
            for inside in item.values():
                yield from _named(inside if isinstance(inside, list) else [inside])


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put each list that is made from the code where a page asks for it."""
    for wanted, made in LISTS.items():
        if wanted in markdown:
            markdown = markdown.replace(wanted, "\n".join(made()))
    return markdown


def commands() -> Iterator[str]:
    """What every command says of itself, groups before what is in them."""
    import typer

    from overtrick.cli import app

    def walk(command: Any, path: tuple[str, ...]) -> Iterator[str]:
        yield f"## {' '.join(path)}\n\n{command.help}\n"
        if not hasattr(command, "commands"):
            yield from _usage(command, path)
            return
        for name in command.list_commands(None):
            yield from walk(command.get_command(None, name), (*path, name))

    yield from walk(typer.main.get_command(app), ("overtrick",))


def _usage(command: Any, path: tuple[str, ...]) -> Iterator[str]:
    parameters = [(param, not param.opts[0].startswith("-")) for param in command.params]
    arguments = [param.metavar or param.name.upper() for param, is_argument in parameters if is_argument]
    yield f"```text\n{' '.join((*path, '[OPTIONS]', *arguments))}\n```\n"
    yield from ("| | meaning | without it |", "|---|---|---|")
    for param, is_argument in parameters:
        names = [param.metavar or param.name.upper()] if is_argument else [*param.opts, *param.secondary_opts]
        choices = [f"`{choice}`" for choice in getattr(param.type, "choices", ())]
        meaning = " ".join(filter(None, (param.help, f"One of {', '.join(choices)}." if choices else "")))
        default = getattr(param.default, "value", param.default)
        without = (
            "it is required" if param.required else "" if default in (None, False, "") else f"`{default}`"
        )
        yield f"| {', '.join(f'`{name}`' for name in names)} | {meaning.replace('|', '&#124;')} | {without} |"
    yield ""


def errors() -> Iterator[str]:
    """A row for every error there is."""
    import overtrick
    from overtrick.errors import OvertrickError

    for module in pkgutil.walk_packages(overtrick.__path__, "overtrick."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)

    def below(error: type[OvertrickError]) -> Iterator[type[OvertrickError]]:
        for each in error.__subclasses__():
            yield each
            yield from below(each)

    yield from ("| code | status | what it means | class |", "|---|---|---|---|")
    for error in sorted({*below(OvertrickError)}, key=lambda each: (each.code, each.__qualname__)):
        room = error.__module__.split(".")[1]
        meaning = (error.__doc__ or "").split("\n\n")[0].replace("\n", " ")
        yield f"| `{error.code}` | {error.exit_status} | {meaning} | `{room}.{error.__qualname__}` |"


def reasons() -> Iterator[str]:
    """A row for every reason of a refusal."""
    from overtrick.event import Reason

    yield from ("| reason | in a program |", "|---|---|")
    for reason in Reason:
        yield f"| {reason.value.replace('-', ' ')} | `Reason.{reason.name}` |"


def not_honoured() -> Iterator[str]:
    """A row for every property that the Data Connector only reads."""
    from overtrick.connector.not_honoured import NOT_HONOURED

    yield from ("| property | why |", "|---|---|")
    for dto, name, reason in NOT_HONOURED:
        place = name if dto.__name__ == "WireModel" else f"{dto.__name__}.{name}"
        yield f"| `{place}` | {reason} |"


def bws_ownership() -> Iterator[str]:
    """Yield a table of owners for every table of a session file."""
    from overtrick.bws.ownership import ownership_page

    yield from ownership_page()


def problems() -> Iterator[str]:
    """Yield a row for every status of a refused request."""
    from overtrick.web.problem_details import PROBLEMS

    yield from ("| status | meaning | code, unless the error has its own |", "|---|---|---|")
    yield from (f"| {status} | {title} | `{code}` |" for status, (code, title) in PROBLEMS.items())


def operations() -> Iterator[str]:
    """Yield the operations of the JSON API, the types of their bodies and answers, and the facts of the stream."""
    from overtrick.web.api import v1_app
    from overtrick.web.api_reference import read_reference

    reference = read_reference(v1_app(None).openapi())
    for group, listed in reference.groups.items():
        yield f"## {group.capitalize()}\n"
        for each in listed:
            yield f"### {each.name}\n\n`{each.method} {each.path}`\n\n{each.meaning}\n"
            yield from _fields(each.parameters)
            body = f"Body: {each.body}. " if each.body else ""
            token = f" Needs a token with the rights to {each.token}." if each.token else ""
            yield f"{body}Answer: {each.answer}.{token}\n"
    yield "## Types\n"
    for schema in reference.schemas:
        yield f"### {schema.name}\n\n{schema.meaning}\n"
        yield from _fields(schema.fields)
        if schema.example:
            yield f"```json\n{schema.example}\n```\n"
    yield from ("## Facts of the stream\n", "| kind | meaning | fields |", "|---|---|---|")
    for schema in reference.events:
        fields = ", ".join(f"`{field.name}` ({field.type})" for field in schema.fields)
        yield f"| `{schema.name}` | {' '.join(schema.meaning.split())} | {fields} |"


def _fields(fields: Any) -> Iterator[str]:
    if fields:
        yield from ("| | type | meaning |", "|---|---|---|")
    for each in fields:
        meaning = " ".join(each.meaning.split()).replace("|", "&#124;")
        yield f"| `{each.name}` | {each.type}{', required' if each.is_required else ''} | {meaning} |"
    yield ""


LISTS = {
    "<!-- every problem of the API -->": problems,
    "<!-- every operation of the API -->": operations,
    "<!-- every command -->": commands,
    "<!-- every error -->": errors,
    "<!-- every reason -->": reasons,
    "<!-- not honoured by the connector -->": not_honoured,
    "<!-- every column of a session file -->": bws_ownership,
}
