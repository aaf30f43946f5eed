"""Names that others depend on: journals, programs, phones, scripts and links of before have to find them again.

`tests/stable_names.json` lists them. A name in the list may not disappear or change; a new one is added by
`python -m tests.test_stable_names`, which never removes any. Where a name has to change for its users' sake, the old
one must go on working, and its entry is moved by hand with the test that shows it.
"""

import ast
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from enum import Enum
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import click
import msgspec
import pytest
import typer

import overtrick.event  # registers every fact
from overtrick.bws.rows import FreeRow, RoundRow
from overtrick.cli import app
from overtrick.connector.wire.numbers import QueueKind
from overtrick.event.fact import FACTS
from overtrick.event.rejection import Reason
from overtrick.web.api import v1_app
from overtrick.web.app import web_app
from overtrick.web.problem_details import PROBLEMS
from overtrick.web.site import Site
from tests.test_docs import blocks
from tests.web.test_authorisation import routes_of

assert overtrick.event

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "overtrick"
RECORDED = Path(__file__).with_name("stable_names.json")

TEXTS = {
    "actors": ("desk", "demo", "director", "control software", "program ", "Table Manager "),
    "sides": ("scoring", "control"),
    "command ids": ("web-", "teams: ", "demo: ", "dc-", "terminal-", "show", "judge", "status", "evaluate"),
    "files and locks": (
        "BMPFTP.lock",
        ".control",
        "overtrick.journal",
        "demo.overtrick",
        "keys.json",
        "evaluator",
    ),
}
"""Texts that are in journals or are names of files; each has to be in a string of the source."""


def shape(info: Any) -> Any:
    """Return what a journal holds of a type: the names of fields, the values of enums, without names of classes."""
    match info:
        case msgspec.inspect.DataclassType(fields=parts):
            return {part.encode_name: shape(part.type) for part in parts}
        case msgspec.inspect.EnumType(cls=members):
            return sorted(str(member.value) for member in cast("Iterable[Enum]", members))
        case msgspec.inspect.UnionType(types=types):
            found = [shape(each) for each in types]
            return next((each for each in found if isinstance(each, dict | list)), "value")
        case msgspec.inspect.VarTupleType(item_type=item) | msgspec.inspect.FrozenSetType(item_type=item):
            return [shape(item)]
        case msgspec.inspect.TupleType(item_types=types):
            return [shape(each) for each in types]
        case _:
            return "value"


def names_in(value: Any, base: str) -> Iterator[str]:
    """Yield a line for every name in a nested value."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from names_in(inner, f"{base} {name}")
    elif isinstance(value, list):
        for inner in value:
            yield from names_in(inner, f"{base} [{inner}]" if isinstance(inner, str) else base)
    else:
        yield base


def facts() -> Iterator[str]:
    for kind, fact_type in FACTS.items():
        yield kind
        yield from names_in(shape(msgspec.inspect.type_info(fact_type)), kind)


def error_codes() -> Iterator[str]:
    """Yield the codes in the source, whether or not their module is loaded."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                for part in node.body:
                    if (
                        isinstance(part, ast.Assign | ast.AnnAssign)
                        and isinstance(part.value, ast.Constant)
                        and ast.unparse(part.targets[0] if isinstance(part, ast.Assign) else part.target)
                        == "code"
                    ):
                        yield str(part.value.value)


def command_options() -> Iterator[str]:
    def visit(command: Any, path: str) -> Iterator[str]:
        yield path
        for parameter in command.params:
            for name in (*parameter.opts, *parameter.secondary_opts):
                yield f"{path} {name if name.startswith('-') else '<argument>'}"
        if hasattr(command, "list_commands"):
            context = click.Context(command)
            for name in command.list_commands(context):
                yield from visit(command.get_command(context, name), f"{path} {name}")

    yield from visit(typer.main.get_command(app), "overtrick")


def anchor(heading: str) -> str:
    """Return the anchor that MkDocs gives a heading."""
    text = re.sub(r"[^\w\s-]", "", heading).strip().lower()
    return re.sub(r"[-\s]+", "-", text)


def docs_anchors() -> Iterator[str]:
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = re.sub(r"```.*?```", "", path.read_text(), flags=re.S)
        page = path.relative_to(ROOT).as_posix()
        for heading in re.findall(r"^#+ (.+)$", text, flags=re.M):
            yield f"{page}#{anchor(re.sub(r'[{].*[}]', '', heading))}"
        for name in re.findall(r"(?:id=\"|\{ ?#)([\w-]+)", text):
            yield f"{page}#{name}"


def routes() -> Iterator[str]:
    keys = SimpleNamespace()
    site = cast(Site, SimpleNamespace(teams=SimpleNamespace(), names=frozenset(), keys=keys))
    yield from routes_of(web_app(site).routes)


def api() -> Iterator[str]:
    """Yield the operation ids, the codes of problems, and the fields of version 1 of the JSON API."""
    document = v1_app(None).openapi()
    yield from (each["operationId"] for methods in document["paths"].values() for each in methods.values())
    yield from (code for code, _ in PROBLEMS.values())
    for name, schema in document["components"]["schemas"].items():
        if "." not in name:
            yield from (f"{name} {field}" for field in schema.get("properties", {}))


def kept_on_devices() -> Iterator[str]:
    """Yield the names under which pages keep something in a browser."""
    for path in sorted((SOURCE / "web" / "static").rglob("*.js")):
        for name in re.findall(
            r"(?:(?:get|set|remove)Item|\bstored?|\bopen)\(\s*[`\"']([^`\"'$]*)", path.read_text()
        ):
            if name.strip():
                yield name.strip()


def public_modules() -> list[str]:
    """Return the modules in the table of the page "What is public"."""
    page = (ROOT / "docs" / "reference" / "public.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    return [module for row in rows for module in re.findall(r"`([\w.]+)`", row)]


def module_names(module: str) -> list[str]:
    names: list[str] = import_module(module).__all__
    return names


def names() -> dict[str, list[str]]:
    marks = [name for kind in QueueKind for name in (kind.mark, kind.offered)]
    found = {
        "facts": facts(),
        "marks": marks,
        "error codes": error_codes(),
        "rejections": (reason.value for reason in Reason),
        "command line": command_options(),
        "docs": docs_anchors(),
        "routes": routes(),
        "API": api(),
        "browser storage": kept_on_devices(),
        "public names": (f"{module}.{name}" for module in public_modules() for name in module_names(module)),
    }
    return {topic: sorted(set(each)) for topic, each in found.items()}


def recorded() -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads(RECORDED.read_text())
    return found


def test_no_name_that_others_depend_on_has_disappeared() -> None:
    today = names()
    missing = {topic: sorted(set(before) - set(today.get(topic, []))) for topic, before in recorded().items()}
    assert {topic: lost for topic, lost in missing.items() if lost} == {}


@pytest.mark.parametrize("module", public_modules())
def test_every_public_name_exists(module: str) -> None:
    loaded = import_module(module)
    assert [name for name in module_names(module) if not hasattr(loaded, name)] == []
    assert len(set(module_names(module))) == len(module_names(module))


def test_a_public_name_of_a_class_or_constant_means_one_thing() -> None:
    meanings: dict[str, set[int]] = {}
    for module in public_modules():
        for name in module_names(module):
            if not name.islower():  # a function such as `load` is called with its module
                meanings.setdefault(name, set()).add(id(getattr(import_module(module), name)))
    assert [name for name, found in meanings.items() if len(found) > 1] == []


def test_samples_of_the_docs_use_public_names_only() -> None:
    public = {f"{module}.{name}" for module in public_modules() for name in module_names(module)}
    used: dict[str, str] = {}
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for block in blocks(page.read_text(encoding="utf-8")):
            if block.language == "python":
                for node in ast.walk(ast.parse(block.text)):
                    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("overtrick"):
                        used |= {f"{node.module}.{each.name}": page.name for each in node.names}
    unknown = {name: page for name, page in used.items() if name not in {*public, *public_modules()}}
    assert unknown == {}


def test_texts_in_journals_and_names_of_files_are_still_in_the_source() -> None:
    strings: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        strings.update(
            node.value
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        )
    missing = [
        text for texts in TEXTS.values() for text in texts if not any(text in each for each in strings)
    ]
    assert missing == []


def test_digests_of_instructions_read_rows_in_the_same_words() -> None:
    """A journal holds digests of the text of these rows; another name would make an old instruction a new one."""
    assert RoundRow.__name__ == "RoundRow"
    assert FreeRow.__name__ == "FreeRow"
    assert [field.name for field in fields(RoundRow)] == [
        *("section", "table", "round", "ns", "ew", "low", "high", "custom", "south", "west")
    ]
    assert [field.name for field in fields(FreeRow)] == ["section", "board", "values"]


if __name__ == "__main__":
    before = recorded() if RECORDED.exists() else {}
    together = {topic: sorted({*before.get(topic, []), *each}) for topic, each in names().items()}
    RECORDED.write_text(json.dumps(together, indent=1, ensure_ascii=False) + "\n")
